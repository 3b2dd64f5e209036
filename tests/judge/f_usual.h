/* What befalls ports and switches that are well. */
#pragma once

#include "tests/judge/f_world.h"

/* Of a port or module; ended by a row without a word. */
extern const struct f_row f_usual_rows[];
/* Of many ports, which the row's make chooses out of those of the event. */
extern const struct f_row f_wide_rows[];

/* By how much the switch's clock is off; 0 for what is no step of it. */
double f_usual_clock_s(const struct f_event *e, double t_s);
