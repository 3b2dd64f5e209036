/* How a port lives through a tick: heat, light, eye, link and what its chip
 * counts.
 */
#pragma once

#include "tests/judge/b_world.h"

/* The true bit error ratio of each lane, from what befalls the port and what
 * drifts: heat in degrees over the usual, load from 0 to 1. ret_eye_db: NULL,
 * or the eye of each lane.
 */
void b_live_lanes(const struct world *w, const struct b_port *p,
		  const struct b_effect *e, double heat_k, double load,
		  double drift_db, const double *light_db, double *ret_ber,
		  double *ret_eye_db);

/* Codewords lost in the mean, of all. Without a code (coherent): of its own. */
double b_live_loss(const struct b_port *p, const double *lane_ber);
/* Lost to bursts, a second. */
double b_live_burst_loss_per_s(const struct b_port *p,
			       const struct b_effect *e);
/* Bit errors of bursts, of all bits. */
double b_live_burst_ber(const struct b_port *p, const struct b_effect *e);

/* One tick of one port, all but its monitors. */
void b_live_step(struct world *w, struct b_port *p);
