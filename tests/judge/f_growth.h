/* How far something has grown: laws, each 0 at its start and 1 when its span
 * is over. It may go on then, and not all of them only rise.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct f_growth {
	int law;			/* -1: all of it at once */
	double span_s;
	double bend, rest;		/* 0 to 1: where a law turns */
	uint64_t seed;
};

/* Names, ended by NULL. */
extern const char *const f_growth_laws[];

/* One of the laws that mask has (0: all). */
struct f_growth f_growth_draw(uint64_t *stream, uint32_t mask, double span_s);
/* So long after its start. */
double f_growth_at(const struct f_growth *g, double since_s);
/* "" where it grows by none. */
const char *f_growth_name(const struct f_growth *g);
