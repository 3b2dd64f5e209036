/* One picture in a terminal: curves over wall time, with a value axis of round
 * ticks, horizontal rules (thresholds) and vertical moments (onsets). Draws
 * what it is given; knows nothing of ports and quantities.
 */
#pragma once

#include <stddef.h>
#include "agent/ctl/chart.h"
#include "agent/ctl/screen.h"

#define PLOT_ROWS_MIN 4u		/* in total: a title and three more */
#define PLOT_AXIS_ROWS 2u		/* more, if it has a time axis */
#define PLOT_SPARK_COLUMNS 20u
#define PLOT_SPARK_MAX (3 * PLOT_SPARK_COLUMNS + 1)

/* Draws it in this many rows, as wide as the screen. Returns -ENOMEM. */
int plot_print(const struct chart *p, const struct screen *s, unsigned rows);

/* n values as blocks, low to high: each column shows its highest value; NAN is
 * no value. The height spans at least least_span, which is above 0.
 */
void plot_spark(const struct screen *s, const double *values, size_t n,
		double least_span, char ret[static PLOT_SPARK_MAX]);
