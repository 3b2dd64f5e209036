/* Plant G's laws of growth: how far a fault has come at a share of its life. */
#pragma once

#include <stdint.h>

#define G_CUTS 3

struct g_growth {
	unsigned law;		/* place in g_growth_laws */
	double life_s;		/* from nothing to its full size */
	double bend;		/* how sharp an exponential is */
	uint64_t salt;		/* of the stairs */
	/* Pauses and relapses: at which share, how long or how far. */
	double cut[G_CUTS], wide[G_CUTS];
};

/* Ended by NULL. */
extern const char *const g_growth_laws[];

/* One of the laws whose bit is set (0: any), of that life. */
struct g_growth g_growth_draw(uint64_t *dice, uint32_t laws, double life_s);

/* 0 at the onset and before, 1 at the end of its life; goes on behind it. */
double g_growth_at(const struct g_growth *g, double since_s);
