#include "agent/state/series.h"

#include <errno.h>
#include <stdlib.h>

struct series {
	size_t ports, depth;
	size_t head, filled;	/* head: the open row */
	struct mono *when;	/* of each row */
	int32_t *value;		/* [row][port][kind] */
};

int series_new(size_t ports, size_t depth, struct series **ret)
{
	struct series *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->ports = ports;
	s->depth = depth ? depth : 1;
	s->when = calloc(s->depth, sizeof(*s->when));
	s->value = calloc(s->depth * ports * SERIES_KIND_COUNT + 1,
			  sizeof(*s->value));
	if (!s->when || !s->value) {
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

static int32_t *cell(const struct series *s, size_t row, size_t port,
		     enum series_kind kind)
{
	return &s->value[(row * s->ports + port) * SERIES_KIND_COUNT + kind];
}

void series_tick(struct series *s, struct mono now)
{
	if (s->filled > 0)
		s->head = (s->head + 1) % s->depth;
	if (s->filled < s->depth)
		s->filled++;
	s->when[s->head] = now;
	for (size_t i = 0; i < s->ports * SERIES_KIND_COUNT; i++)
		*(cell(s, s->head, 0, 0) + i) = SERIES_ABSENT;
}

void series_set(struct series *s, size_t port, enum series_kind kind,
		int32_t value)
{
	if (port < s->ports && kind < SERIES_KIND_COUNT && s->filled > 0)
		*cell(s, s->head, port, kind) = value;
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

		ret[i] = *cell(s, row, port, kind);
	}
	*ret_first = s->when[(s->head + s->depth - (n - 1)) % s->depth];
	return n;
}

size_t series_octets(const struct series *s)
{
	return s->depth * (sizeof(*s->when) +
			   s->ports * SERIES_KIND_COUNT * sizeof(*s->value));
}
