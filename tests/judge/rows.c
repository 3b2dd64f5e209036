#include "tests/judge/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAP 64

static const size_t row_size[ROW_KIND_COUNT] = {
	[ROW_FAULT] = sizeof(struct fault_row),
	[ROW_FINDING] = sizeof(struct finding_row),
	[ROW_EXPOSURE] = sizeof(struct exposure_row),
	[ROW_LOSS] = sizeof(struct loss_row),
	[ROW_ORACLE] = sizeof(struct oracle_row),
	[ROW_BENIGN] = sizeof(struct benign_row),
};

void rows_init(struct rows *r)
{
	memset(r, 0, sizeof(*r));
}

void rows_fini(struct rows *r)
{
	for (unsigned i = 0; i < ROW_KIND_COUNT; i++)
		free(r->of[i].row);
}

static void room(struct rows *r, enum row_kind kind, size_t count)
{
	size_t cap = r->of[kind].cap ? r->of[kind].cap : FIRST_CAP;
	void *more;

	while (cap < count)
		cap *= 2;
	if (cap == r->of[kind].cap)
		return;
	more = realloc(r->of[kind].row, cap * row_size[kind]);
	if (!more) {
		(void)fputs("judge: out of memory\n", stderr);
		exit(1);
	}
	r->of[kind].row = more;
	r->of[kind].cap = cap;
}

void *rows_add(struct rows *r, enum row_kind kind)
{
	char *row;

	room(r, kind, r->of[kind].count + 1);
	row = (char *)r->of[kind].row + r->of[kind].count++ * row_size[kind];
	memset(row, 0, row_size[kind]);
	return row;
}

const void *rows_get(const struct rows *r, enum row_kind kind, size_t i)
{
	if (i >= r->of[kind].count)
		return NULL;
	return (const char *)r->of[kind].row + i * row_size[kind];
}

int rows_write(const struct rows *r, FILE *out)
{
	for (unsigned i = 0; i < ROW_KIND_COUNT; i++) {
		size_t n = r->of[i].count;

		if (fwrite(&n, sizeof(n), 1, out) != 1 ||
		    (n && fwrite(r->of[i].row, row_size[i], n, out) != n))
			return -EIO;
	}
	return fflush(out) == 0 ? 0 : -EIO;
}

int rows_read(struct rows *r, FILE *in)
{
	for (unsigned i = 0; i < ROW_KIND_COUNT; i++) {
		size_t n, had = r->of[i].count;

		if (fread(&n, sizeof(n), 1, in) != 1)
			return -EIO;
		room(r, (enum row_kind)i, had + n);
		if (fread((char *)r->of[i].row + had * row_size[i],
			  row_size[i], n, in) != n)
			return -EIO;
		r->of[i].count += n;
	}
	return 0;
}

void rows_word(char ret[static ROW_WORD_MAX], const char *text)
{
	size_t n = strnlen(text, ROW_WORD_MAX - 1);

	memcpy(ret, text, n);
	ret[n] = '\0';
}
