/* One picture in a terminal: curves over wall time, with a value axis of round
 * ticks, rules across (thresholds) and moments down (onsets). Draws what it is
 * given; knows no port and no quantity.
 */
#pragma once

#include <stddef.h>
#include "agent/ctl/chart.h"
#include "agent/ctl/screen.h"

#define PLOT_ROWS_MIN 4u		/* of all: a title, and three */
#define PLOT_AXIS_ROWS 2u		/* of those, where it has a time axis */
#define PLOT_SPARK_COLUMNS 20u
#define PLOT_SPARK_MAX (3 * PLOT_SPARK_COLUMNS + 1)

/* Draws it so many rows high, as wide as the screen. Returns -ENOMEM. */
int plot_print(const struct chart *p, const struct screen *s, unsigned rows);

/* n values as blocks, low to high: the highest of those of a column; NAN is
 * none. The height is least_span at least, above 0.
 */
void plot_spark(const struct screen *s, const double *values, size_t n,
		double least_span, char ret[static PLOT_SPARK_MAX]);
