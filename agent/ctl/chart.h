/* What a picture shows: curves over wall time, horizontal rules (thresholds)
 * and vertical moments (onsets); and its two axes: their ranges, their round
 * ticks, and the ticks' labels. It doesn't know how it is drawn, nor anything
 * about ports and quantities.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/ctl/screen.h"

#define CHART_LABEL_MAX 40
#define CHART_TICKS_MAX 64u
#define CHART_TEXT_MAX 16

/* low and high: the range in the span if value is a mean, else value. A curve
 * is broken where two points are further apart than their spans.
 */
struct chart_point {
	int64_t wall_ns;
	int64_t span_ns;		/* the time it stands for */
	double value, low, high;
};

struct chart_curve {
	char label[CHART_LABEL_MAX];	/* shown if there are several */
	const struct chart_point *points;	/* oldest first; borrowed */
	size_t count;
};

/* Horizontal: a threshold. Vertical: a moment. */
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
	bool is_log;			/* decades; 0 is at the lower edge */
	bool is_from_zero;
	double least_span;		/* of the axis: noise stays small */
	int64_t from_ns, to_ns;		/* wall */
	bool has_time_axis;		/* the bottom one of a stack has it */
	bool has_sides;			/* room for labels, as another plot of
					 * the stack needs it
					 */
	const struct chart_curve *curves;	/* all borrowed */
	const struct chart_rule *rules;
	const struct chart_moment *moments;
	size_t curve_count, rule_count, moment_count;
};

/* The range of the values, in decades if it is logarithmic. */
struct axis {
	double low, high, step;
	bool is_log;
	bool has_zero;		/* there is a value without a logarithm */
};

/* The axis for the plot's curves, and for the rules near them, with at most
 * ticks_max ticks. False: no curve has a value in the plot's time.
 */
bool chart_axis(const struct chart *p, double ticks_max, struct axis *ret);
/* Where a value is on the axis: 0 the upper end, 1 the lower one. */
double chart_part(const struct axis *a, double value);
/* Where a value is that the axis does not reach: "above" or "below"; else NULL.
 */
const char *chart_beyond(const struct axis *a, double value);
/* The ticks' values, lowest first; returns how many. */
unsigned chart_ticks(const struct axis *a, double ret[static CHART_TICKS_MAX]);
/* The label of a tick. */
void chart_tick_text(const struct axis *a, double tick, char *ret, size_t cap);

/* A value with enough digits to tell it from one a step away: 40G, -2.5. */
void chart_value_text(double value, double step, char *ret, size_t cap);

/* Whether a point is in the plot's time. */
bool chart_has_point(const struct chart *p, const struct chart_point *at);
/* Where a moment is on the axis: 0 the left end, 1 the right one. */
double chart_time_part(const struct chart *p, int64_t wall_ns);
/* The finest round step, in seconds, with at most ticks_max ticks in the plot's
 * time; fewer for steps below a minute, as their labels are longer.
 */
int64_t chart_time_step(const struct chart *p, double ticks_max);
/* The first tick of such a step at or after a moment, in local time, with its
 * label. False: the clock has no such time.
 */
bool chart_time_tick(int64_t step_s, int64_t from_s, int64_t *ret_s,
		    char ret[static CHART_TEXT_MAX]);
/* Whether two points are near enough to be joined by a line. */
bool chart_is_joined(const struct chart_point *before,
		    const struct chart_point *at);
