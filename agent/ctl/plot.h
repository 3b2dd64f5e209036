/* One picture in a terminal: curves over wall time, with a value axis of round
 * ticks, rules across (thresholds) and moments down (onsets). Draws what it is
 * given; knows no port and no quantity.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/ctl/screen.h"

#define PLOT_ROWS_MIN 4u		/* of all: a title, and three */
#define PLOT_AXIS_ROWS 2u		/* of those, where it has a time axis */
#define PLOT_LABEL_MAX 40
#define PLOT_SPARK_COLUMNS 20u
#define PLOT_SPARK_MAX (3 * PLOT_SPARK_COLUMNS + 1)

/* low and high: what was seen meanwhile, where value is a mean; else the same.
 * A curve is broken where two points are further apart than they stand for.
 */
struct plot_point {
	int64_t wall_ns;
	int64_t span_ns;		/* that it stands for */
	double value, low, high;
};

struct plot_curve {
	char label[PLOT_LABEL_MAX];	/* shown where there are several */
	const struct plot_point *points;	/* oldest first; borrowed */
	size_t count;
};

/* Across: a threshold. Down: a moment. */
struct plot_rule {
	char label[PLOT_LABEL_MAX];
	enum tint tint;
	double value;
};
struct plot_moment {
	char label[PLOT_LABEL_MAX];
	enum tint tint;
	int64_t wall_ns;
};

struct plot {
	const char *title;		/* with the unit of the values */
	bool is_log;			/* decades; 0 lies on the lower edge */
	bool is_from_zero;
	double least_span;		/* of the axis: noise stays small */
	int64_t from_ns, to_ns;		/* wall */
	bool has_time_axis;		/* the lowest of a stack has */
	bool has_sides;			/* room for labels, as another one
					 * of the stack needs it
					 */
	const struct plot_curve *curves;	/* all borrowed */
	const struct plot_rule *rules;
	const struct plot_moment *moments;
	size_t curve_count, rule_count, moment_count;
};

/* Draws it so many rows high, as wide as the screen. Returns -ENOMEM. */
int plot_print(const struct plot *p, const struct screen *s, unsigned rows);

/* A value with as many digits as tell it from those a step away: 40G, -2.5. */
void plot_value_text(double value, double step, char *ret, size_t cap);

/* n values as blocks, low to high: the highest of those of a column; NAN is
 * none. The height is least_span at least, above 0.
 */
void plot_spark(const struct screen *s, const double *values, size_t n,
		double least_span, char ret[static PLOT_SPARK_MAX]);
