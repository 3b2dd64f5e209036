#include "platform/vswitch/command_lines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/clean.h"
#include "agent/base/names.h"

#define ROWS_MAX 16

void command_init(struct command_lines *c, const struct command_row *rows,
		  size_t count, command_fn *fn, void *context)
{
	*c = (struct command_lines){
		.rows = rows, .count = count, .fn = fn, .context = context
	};
}

/* The row whose words begin the line; ret: the text after them. */
static const struct command_row *row_find(const struct command_lines *c,
					  const char *line, const char **ret)
{
	for (size_t i = 0; i < c->count; i++) {
		size_t len = strlen(c->rows[i].words);

		if (strncmp(line, c->rows[i].words, len) != 0 ||
		    (line[len] != '\0' && line[len] != ' '))
			continue;
		*ret = line + len + strspn(line + len, " ");
		if (c->rows[i].has_argument == (**ret != '\0'))
			return &c->rows[i];
	}
	return NULL;
}

static int unknown(const struct command_lines *c, const char *line,
		   struct diag *d)
{
	const char *names[ROWS_MAX], *near;
	size_t count = c->count < ROWS_MAX ? c->count : ROWS_MAX;

	for (size_t i = 0; i < count; i++)
		names[i] = c->rows[i].words;
	near = nearest_name(line, names, count);
	return diag_set(d, -EINVAL, "'%s' is not a command; expected %s%s",
			line,
			near ? "" : "one from the manual, such as ",
			near ? near : "totals");
}

/* Without control characters, and what JSON would have to quote. */
static void answer(FILE *out, const char *key, const char *text)
{
	char clean[DIAG_MAX];

	clean_text(clean, sizeof(clean), text);
	(void)fprintf(out, "{\"%s\":\"", key);
	for (const char *at = clean; *at; at++)
		(void)fputc(strchr("\"\\", *at) ? '?' : *at, out);
	(void)fputs("\"}\n", out);
	(void)fflush(out);	/* if the reader is gone, so be it */
}

static void command_line(struct command_lines *c, const char *line, FILE *out)
{
	struct diag d = { "" };
	const char *argument = "";
	const struct command_row *row;
	int rc;

	line += strspn(line, " ");
	if (line[0] == '\0' || line[0] == '#')
		return;
	row = row_find(c, line, &argument);
	rc = row ? c->fn(c->context, (size_t)(row - c->rows), argument, &d) :
		   unknown(c, line, &d);
	if (rc < 0)
		answer(out, "error", d.text);
	else
		answer(out, "done", line);
}

static void octet_take(struct command_lines *c, char octet, FILE *out)
{
	if (octet != '\n') {
		if (c->len + 1 < sizeof(c->line))
			c->line[c->len++] = octet;
		else
			c->too_long = true;
		return;
	}
	c->line[c->len] = '\0';
	if (c->too_long)
		answer(out, "error", "the line is too long for a command");
	else
		command_line(c, c->line, out);
	c->len = 0;
	c->too_long = false;
}

int command_read(struct command_lines *c, int fd, FILE *out)
{
	char octets[512];
	ssize_t n = read(fd, octets, sizeof(octets));

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	for (ssize_t i = 0; i < n; i++)
		octet_take(c, octets[i], out);
	return n > 0;
}
