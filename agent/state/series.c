#include "agent/state/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH_FIRST 16u

struct series {
	size_t ports;			/* at most */
	size_t width, depth;		/* of the rows; how many of them */
	size_t head, filled;		/* head: the open row */
	struct mono *when;		/* of each row */
	int16_t *value;			/* [row][port][kind], in steps */
};

#define STEPS_ABSENT INT16_MIN

static const int32_t step_of[SERIES_KIND_COUNT] = {
	[SERIES_BER_LOG10_MILLI] = 1,
	[SERIES_IN_PPM] = 100,
	[SERIES_OUT_PPM] = 100,
	[SERIES_RX_MIN_MDBM] = 2,
	[SERIES_TEMP_MC] = 10,
};

/* Clamps to the range of int16_t. */
static int16_t steps_of(int32_t value, enum series_kind kind)
{
	int64_t step = step_of[kind], half = value < 0 ? -step / 2 : step / 2;
	int64_t steps = (value + half) / step;

	if (value == SERIES_ABSENT)
		return STEPS_ABSENT;
	return (int16_t)(steps > INT16_MAX ? INT16_MAX :
			 steps <= INT16_MIN ? INT16_MIN + 1 : steps);
}

static int32_t value_of(int16_t steps, enum series_kind kind)
{
	return steps == STEPS_ABSENT ? SERIES_ABSENT : steps * step_of[kind];
}

static size_t row_cells(size_t width)
{
	return width * SERIES_KIND_COUNT;
}

static int16_t *row_at(const struct series *s, size_t row)
{
	return &s->value[row * row_cells(s->width)];
}

static void cells_clear(int16_t *cell, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cell[i] = STEPS_ABSENT;
}

/* Copies the newest rows of from, unchanged, to the first rows of to. */
static void rows_move(const struct series *from, struct series *to)
{
	size_t n = from->filled < to->depth ? from->filled : to->depth;
	size_t width = from->width < to->width ? from->width : to->width;

	for (size_t i = 0; i < n; i++) {
		size_t row = (from->head + from->depth - (n - 1) + i) %
			     from->depth;

		to->when[i] = from->when[row];
		memcpy(row_at(to, i), row_at(from, row),
		       row_cells(width) * sizeof(int16_t));
		cells_clear(row_at(to, i) + row_cells(width),
			    row_cells(to->width - width));
	}
	to->filled = n;
	to->head = n ? n - 1 : 0;
}

/* Gives it this shape. Returns -ENOMEM, and leaves it as it is. */
static int shape(struct series *s, size_t width, size_t depth)
{
	struct series to = { .ports = s->ports, .width = width,
			     .depth = depth };
	struct mono *when = s->when;
	int16_t *value = s->value;

	to.when = calloc(depth, sizeof(*to.when));
	to.value = calloc(depth * row_cells(width) + 1, sizeof(*to.value));
	if (!to.when || !to.value) {
		free(to.when);
		free(to.value);
		return -ENOMEM;
	}
	if (s->filled > 0)
		rows_move(s, &to);
	s->when = to.when;
	s->value = to.value;
	s->width = width;
	s->depth = depth;
	s->head = to.head;
	s->filled = to.filled;
	free(when);
	free(value);
	return 0;
}

int series_new(size_t ports, size_t depth, struct series **ret)
{
	struct series *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->ports = ports;
	if (shape(s, ports < WIDTH_FIRST ? ports : WIDTH_FIRST,
		  depth ? depth : 1) < 0) {
		series_free(s);
		return -ENOMEM;
	}
	*ret = s;
	return 0;
}

void series_free(struct series *s)
{
	if (!s)
		return;
	free(s->when);
	free(s->value);
	free(s);
}

int series_resize(struct series *s, size_t depth)
{
	depth = depth ? depth : 1;
	return depth == s->depth ? 0 : shape(s, s->width, depth);
}

void series_tick(struct series *s, struct mono now)
{
	if (s->filled > 0)
		s->head = (s->head + 1) % s->depth;
	if (s->filled < s->depth)
		s->filled++;
	s->when[s->head] = now;
	cells_clear(row_at(s, s->head), row_cells(s->width));
}

/* Room for a port that was not there before; false: there is none. */
static bool widen(struct series *s, size_t port)
{
	size_t width = s->width;

	if (port >= s->ports)
		return false;
	while (width <= port)
		width *= 2;
	return shape(s, width < s->ports ? width : s->ports, s->depth) == 0;
}

void series_set(struct series *s, size_t port, enum series_kind kind,
		int32_t value)
{
	if (kind >= SERIES_KIND_COUNT || s->filled == 0)
		return;
	if (port >= s->width && !widen(s, port))
		return;
	row_at(s, s->head)[port * SERIES_KIND_COUNT + kind] =
		steps_of(value, kind);
}

size_t series_get(const struct series *s, size_t port, enum series_kind kind,
		  int32_t *ret, size_t n, struct mono *ret_first)
{
	if (n > s->filled)
		n = s->filled;
	if (port >= s->ports || n == 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		size_t row = (s->head + s->depth - (n - 1) + i) % s->depth;

		ret[i] = port >= s->width ? SERIES_ABSENT :
			 value_of(row_at(s, row)[port * SERIES_KIND_COUNT +
						 kind], kind);
	}
	*ret_first = s->when[(s->head + s->depth - (n - 1)) % s->depth];
	return n;
}

size_t series_depth(const struct series *s)
{
	return s->depth;
}

size_t series_octets(const struct series *s)
{
	return s->depth * (sizeof(*s->when) +
			   row_cells(s->width) * sizeof(*s->value));
}
