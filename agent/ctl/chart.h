/* What a picture shows: curves over wall time, rules across (thresholds) and
 * moments down (onsets); and its two axes: from which value to which, where
 * round ticks are, and what stands beside them. It knows nothing of how it is
 * drawn, and no port and no quantity.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/ctl/screen.h"

#define CHART_LABEL_MAX 40
#define CHART_TICKS_MAX 64u
#define CHART_TEXT_MAX 16

/* low and high: what was seen meanwhile, where value is a mean; else the same.
 * A curve is broken where two points are further apart than they stand for.
 */
struct chart_point {
	int64_t wall_ns;
	int64_t span_ns;		/* that it stands for */
	double value, low, high;
};

struct chart_curve {
	char label[CHART_LABEL_MAX];	/* shown where there are several */
	const struct chart_point *points;	/* oldest first; borrowed */
	size_t count;
};

/* Across: a threshold. Down: a moment. */
struct chart_rule {
	char label[CHART_LABEL_MAX];
	enum tint tint;
	double value;
};
struct chart_moment {
	char label[CHART_LABEL_MAX];
	enum tint tint;
	int64_t wall_ns;
};

struct chart {
	const char *title;		/* with the unit of the values */
	bool is_log;			/* decades; 0 lies on the lower edge */
	bool is_from_zero;
	double least_span;		/* of the axis: noise stays small */
	int64_t from_ns, to_ns;		/* wall */
	bool has_time_axis;		/* the lowest of a stack has */
	bool has_sides;			/* room for labels, as another one
					 * of the stack needs it
					 */
	const struct chart_curve *curves;	/* all borrowed */
	const struct chart_rule *rules;
	const struct chart_moment *moments;
	size_t curve_count, rule_count, moment_count;
};

/* Of the values, in decades where it is logarithmic. */
struct axis {
	double low, high, step;
	bool is_log;
	bool has_zero;		/* a value that has no logarithm */
};

/* Of the plot's curves, and of the rules near them, with so many ticks at
 * most. False: no curve has a value in the plot's time.
 */
bool chart_axis(const struct chart *p, double ticks_max, struct axis *ret);
/* Where a value lies: 0 the upper end, 1 the lower one. */
double chart_part(const struct axis *a, double value);
/* The axis reaches this value. */
bool chart_reaches(const struct axis *a, double value);
/* It lies above the axis, rather than below. */
bool chart_is_above(const struct axis *a, double value);
/* The ticks' values from the lowest on; returns how many. */
unsigned chart_ticks(const struct axis *a, double ret[static CHART_TICKS_MAX]);
/* What stands beside a tick. */
void chart_tick_text(const struct axis *a, double tick, char *ret, size_t cap);

/* A value with as many digits as tell it from those a step away: 40G, -2.5. */
void chart_value_text(double value, double step, char *ret, size_t cap);

/* A point is in the plot's time. */
bool chart_has_point(const struct chart *p, const struct chart_point *at);
/* Where a moment lies: 0 the left end, 1 the right one. */
double chart_time_part(const struct chart *p, int64_t wall_ns);
/* The finest round step, in seconds, of which so many are in the plot's time
 * at most; fewer where it is below a minute, as their labels are longer.
 */
int64_t chart_time_step(const struct chart *p, double ticks_max);
/* The first tick of such a step at or after a moment, in local time, with what
 * stands beside it. False: the clock has no such time.
 */
bool chart_time_tick(int64_t step_s, int64_t from_s, int64_t *ret_s,
		    char ret[static CHART_TEXT_MAX]);
/* The two are near enough to be one line. */
bool chart_is_joined(const struct chart_point *before,
		    const struct chart_point *at);
