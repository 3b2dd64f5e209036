/* Faults that take light or margin away, at once or by a law. */
#pragma once

#include "tests/judge/f_world.h"

/* Ended by a row without a word. */
extern const struct f_row f_wear_rows[];

/* Errors of electrical noise that all ports of the event get, each in its own
 * measure: the fault of what they share.
 */
void f_wear_shared_make(struct world *w, struct f_event *e, uint64_t *dice);
void f_wear_shared_act(const struct f_event *e, const struct f_moment *m,
		       struct f_effect *x);

/* A law for the rest of the case, without those of a mask if others are left.
 */
void f_wear_grows(const struct world *w, struct f_event *e, uint64_t *dice,
		  uint32_t without);
