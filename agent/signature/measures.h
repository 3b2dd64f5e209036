/* What was measured beside errors that are no longer normal; each cause makes
 * it more or less likely. What is not known is absent.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/signature/detector.h"
#include "agent/signature/light.h"

/* The errors, as fec_trend.c has them. */
struct error_growth {
	double raw;		/* decades above normal, heat included */
	double step_share;	/* of raw, that came in one window */
	unsigned swings;	/* back by half, and up again */
	unsigned windows;	/* above normal, in a row */
	bool named;		/* a cause has a name: age no longer counts */
	bool second;		/* by the light that some lanes lost since */
	bool no_heat;		/* it was as warm without them */
	struct mono since;	/* when they were last normal */
};

struct measures {
	bool copper;
	bool passive;			/* no electronics: none to warm */
	bool fixed;			/* the cable, to its modules */
	double raw, step_share;		/* of the growth */
	unsigned swings, windows;
	double traffic;			/* load_nats() */
	/* Light, where it was read since the growth began. */
	bool has_light;
	struct light_drop drop;
	double apart_min;	/* minutes between its readings */
	bool has_errors;	/* they are measured; then … */
	double explained;	/* … decades that the loss makes at most … */
	double explained_least;	/* … and at least: noise goes with the signal */
	bool by_light;		/* the loss makes all of them */
	bool is_wdm;		/* lanes are colours, shortest first */
	bool colours_are_far;	/* so that a bend tilts the loss */
	double tilt;		/* how much more the next longer wave lost, as
				 * a share of the worst loss */
	double next_db;		/* loss of the second worst lane */
	uint8_t odd_lane;		/* lane_usual_left() */
	/* Heat, where temperature was read since. */
	bool has_heat;
	double heat_k;			/* above the module's mean */
	double heat_makes;		/* decades, by its slope and two of its
					 * standard deviations */
};

/* Are the lanes of its medium wavelengths on one fibre? */
bool measures_is_wdm(const struct port_facts *facts);
/* Lanes of one plug: 400GBASE-FR4 twice in one module, as 2xFR4, has two plugs
 * of four.
 */
unsigned measures_plug_width(const struct port_facts *facts);
/* The lanes in the same plug as a lane, a bit each. */
static inline uint8_t measures_plug_lanes(unsigned width, unsigned lane)
{
	return width >= PORT_LANES_MAX ? UINT8_MAX :
		(uint8_t)(((1u << width) - 1) << lane / width * width);
}

/* Errors are loud, and of the lanes that lost light at once some fade since:
 * that is a second loss.
 */
bool measures_light_is_second(const struct port_view *v);
/* Light fell at once when errors had long been above normal, or errors were
 * above it by far more than so little loss makes: the loss is another fault.
 */
bool measures_light_is_another(const struct port_view *v);

/* The monitor reports a loss of light, for more than one reading, but even the
 * fewest errors that it would make have not come: the report cannot be true.
 */
bool measures_light_is_denied(const struct light *l, const struct ber *b);

/* Errors grew to where their peaks take a link down now and then: codewords are
 * lost, or they are not far from that.
 */
bool measures_errors_may_drop(const struct port_view *v);

/* The link came up again with as much less light as a plug may lose. */
bool measures_is_of_a_plug(const struct port_view *v);

/* The port has no more errors than it always had. */
bool measures_errors_are_old(const struct port_view *v);

void measures_take(const struct port_view *v, const struct error_growth *g,
		   struct measures *ret);
