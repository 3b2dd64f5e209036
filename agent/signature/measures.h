/* Of errors that left what is normal: what was measured beside them, which a
 * cause makes more or less likely. What is not known is absent.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/signature/detector.h"
#include "agent/signature/light.h"

/* The errors, as fec_trend.c has them. */
struct error_growth {
	double raw;		/* decades above normal, heat left in */
	double step_share;	/* of it, what came in one window */
	unsigned swings;	/* back by half, and up again */
	unsigned windows;	/* above normal, in a row */
	bool named;		/* a cause is: its age is not asked again */
	struct mono since;	/* when they left it */
};

struct measures {
	bool copper;
	double raw, step_share;		/* of the growth */
	unsigned swings, windows;
	/* Light, where it was read since the growth began. */
	bool has_light;
	struct light_drop drop;
	bool has_errors;	/* they are measured, so that … */
	double explained;	/* … decades that the loss makes at most, … */
	double explained_least;	/* … where noise goes with the signal */
	bool is_wdm;		/* lanes are colours, shortest first */
	bool colours_are_far;	/* so that a bend tilts what they lose */
	double tilt;		/* how much more longer waves lost: a lane, as
				 * a share of the worst */
	double next_db;		/* what the lane behind the worst lost */
	/* Heat, where temperature was read since. */
	bool has_heat;
	double heat_k;			/* above the module's mean */
	double heat_makes;		/* decades, by its slope and two of its
					 * standard deviations */
};

/* Light fell at once when errors had long left what is normal, or they had left
 * it by far more than so little loss makes: that is another fault than theirs.
 */
bool measures_light_is_another(const struct port_view *v);

/* The monitor says that light was lost, for more than one reading, and the
 * errors that so little light makes at least have not come: what it says cannot
 * be true.
 */
bool measures_light_is_denied(const struct light *l, const struct ber *b);

/* The port has no more errors than since it is known. */
bool measures_errors_are_old(const struct port_view *v);

void measures_take(const struct port_view *v, const struct error_growth *g,
		   struct measures *ret);
