/* How a fault grows: its law, and the course that it takes over time. */
#pragma once

#include <stdbool.h>
#include "platform/sim/draw.h"

enum a_law {
	A_LAW_LOG_BER,		/* decades grow evenly */
	A_LAW_DB,		/* decibels of light, or of the eye, do */
	A_LAW_NOISE,		/* the noise's power, 1/Q^2, does */
	A_LAW_POWER_1_5,	/* decades as time to the 1.5 */
	A_LAW_POWER_2,
	A_LAW_SQRT,		/* decades as the root of time */
	A_LAW_SIGMOID,		/* slow, fast, slow */
	A_LAW_COUNT,
};

enum a_course {
	A_COURSE_PLAIN,		/* to its full size, and stays */
	A_COURSE_STOPS,		/* half way, for good */
	A_COURSE_PAUSES,	/* half way, and goes on */
	A_COURSE_REVERSES,	/* half way, and goes back */
	A_COURSE_COUNT,
};

struct a_growth {
	enum a_law law;
	enum a_course course;
	double ramp_s;		/* 0: a step */
	double turn;		/* share of the ramp where the course turns */
	double pause_s;
};

/* In the order of enum a_law, ended by NULL. */
extern const char *const a_law_names[A_LAW_COUNT + 1];

/* Draws how something grows. allowed: a bit for each law, 0: all. */
void a_growth_draw(struct a_growth *g, unsigned allowed, double length_s,
		   struct draw *d);
/* How far it is after that time, 0 to 1 of its ramp. */
double a_growth_way(const struct a_growth *g, double since_s);
/* When it has gone back to nothing; INFINITY where it does not. */
double a_growth_gone_s(const struct a_growth *g);
/* Share of the full size at a way, of laws that are a plain curve. */
double a_law_share(enum a_law law, double way);
