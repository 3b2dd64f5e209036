/* Faults that come in bursts, take a link down, or strike what only tells of
 * it; and those of the air and of supplies.
 */
#pragma once

#include "tests/judge/f_world.h"

/* Of one port or module; ended by a row without a word. */
extern const struct f_row f_sudden_rows[];
/* Of a group of ports. */
extern const struct f_row f_group_rows[];
/* Of a zone of air, or of the switch. */
extern const struct f_row f_air_rows[];

/* What the bursts of an event do in a tick. */
void f_sudden_act(const struct f_event *e, const struct f_moment *m,
		  struct f_effect *x);
/* Another module, which is a little different in all. */
void f_sudden_swap_make(struct world *w, struct f_event *e, uint64_t *dice);
void f_sudden_swap_act(const struct f_event *e, const struct f_moment *m,
		       struct f_effect *x);

/* How the sensors of the zone stand: rpm as a share, and volts. */
double f_sudden_fan(const struct f_event *e, double t_s);
double f_sudden_supply(const struct f_event *e, double t_s);
