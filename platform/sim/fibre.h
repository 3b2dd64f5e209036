/* What a coherent receiver sees of its fibre beyond light and noise: the way
 * it spreads and turns what it carries, and the carrier itself. And the
 * module's books, as C-CMIS has it keep them: over an interval from reading to
 * reading, of which each step of the physics is a part.
 *
 * Light and noise are optics.h's. DP-16QAM has the error ratio of PAM4 at the
 * same Q, so that a receiver differs in nothing but where it stands.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/plant.h"
#include "platform/sim/draw.h"
#include "platform/sim/optics.h"

/* One fibre and the two carriers on it, as they were built; and the books. */
struct fibre {
	double km, dgd_ps, pdl_db, cfo_mhz, sop_krad_s;
	double bias_percent[PLANT_MODULATOR_BIASES];
	double host_ber;		/* between the chip and the module */
	uint64_t wander;		/* key of what drifts slowly */
	int channel;			/* of 25 GHz, from 193.1 THz */
	unsigned parts;			/* of the interval so far */
	struct plant_coherent open;	/* the interval that runs */
	struct plant_coherent shown;	/* the one before, as it was read */
};

/* Draws them; number: the cage's, which has a colour of its own. Another module
 * on the same line has the same line_key.
 */
void fibre_draw(struct fibre *c, size_t number, uint64_t line_key,
		uint64_t module_key);

/* One part of the interval: what the receiver is in. */
struct fibre_moment {
	const struct plant_lane *lane;	/* the one that it has */
	double ase;			/* light that the line's amplifiers add,
					 * of the signal's, in its bandwidth
					 */
	double t_s, dt_s;
	struct draw *monitor;
};

/* Adds one part to the books. */
void fibre_step(struct fibre *c, const struct fibre_moment *m);

/* The module's reading: the interval ends and another begins. */
void fibre_take(struct fibre *c);

/* Errors of the bits between the chip and the module: what the switch's own
 * FEC counts. decades: what a bad seat multiplies to them.
 */
double fibre_host_ber(const struct fibre *c, double decades);

/* The line's own code has more wrong bits than it can put right. */
bool fibre_is_lost(double ber);
