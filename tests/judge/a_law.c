#include "tests/judge/a_law.h"

#include <math.h>
#include <stddef.h>
#include "tests/judge/a_noise.h"

/* Of the case: ramps shorter and longer than what is left of it. */
#define RAMP_LEAST 0.06
#define RAMP_MOST 1.5
#define STEEPNESS 10.0		/* of the sigmoid */

const char *const a_law_names[A_LAW_COUNT + 1] = {
	[A_LAW_LOG_BER] = "log_ber",
	[A_LAW_DB] = "db",
	[A_LAW_NOISE] = "noise",
	[A_LAW_POWER_1_5] = "power_1_5",
	[A_LAW_POWER_2] = "power_2",
	[A_LAW_SQRT] = "sqrt",
	[A_LAW_SIGMOID] = "sigmoid",
};

/* How many of twenty take each course. */
static const unsigned course_weight[A_COURSE_COUNT] = { 14, 2, 2, 2 };

static enum a_course course_draw(struct draw *d)
{
	unsigned at = (unsigned)(draw_u64(d) % 20);
	enum a_course course = A_COURSE_PLAIN;

	while (at >= course_weight[course])
		at -= course_weight[course++];
	return course;
}

void a_growth_draw(struct a_growth *g, unsigned allowed, double length_s,
		   struct draw *d)
{
	unsigned law = (unsigned)(draw_u64(d) % A_LAW_COUNT);

	allowed &= (1u << A_LAW_COUNT) - 1;
	while (allowed != 0 && !(allowed & 1u << law))
		law = (law + 1) % A_LAW_COUNT;
	g->law = (enum a_law)law;
	g->course = course_draw(d);
	g->ramp_s = length_s * a_log_between(d, RAMP_LEAST, RAMP_MOST);
	g->turn = draw_between(d, 0.35, 0.85);
	g->pause_s = g->ramp_s * draw_between(d, 0.2, 0.8);
}

double a_growth_gone_s(const struct a_growth *g)
{
	if (g->course != A_COURSE_REVERSES)
		return INFINITY;
	return 2 * g->turn * g->ramp_s;
}

double a_growth_way(const struct a_growth *g, double since_s)
{
	double way = g->ramp_s > 0 ? since_s / g->ramp_s : 1;

	if (since_s < 0)
		return 0;
	if (g->ramp_s > 0 && way > g->turn) {
		if (g->course == A_COURSE_STOPS)
			way = g->turn;
		else if (g->course == A_COURSE_PAUSES)
			way = fmax(g->turn, way - g->pause_s / g->ramp_s);
		else if (g->course == A_COURSE_REVERSES)
			way = fmax(2 * g->turn - way, 0);
	}
	return fmin(way, 1);
}

static double sigmoid(double way)
{
	return 1 / (1 + exp(-STEEPNESS * (way - 0.5)));
}

double a_law_share(enum a_law law, double way)
{
	switch (law) {
	case A_LAW_POWER_1_5:
		return way * sqrt(way);
	case A_LAW_POWER_2:
		return way * way;
	case A_LAW_SQRT:
		return sqrt(way);
	case A_LAW_SIGMOID:
		return (sigmoid(way) - sigmoid(0)) / (sigmoid(1) - sigmoid(0));
	default:
		return way;
	}
}
