/* What a coherent receiver sees of its fibre besides light and noise:
 * dispersion and rotation of the signal, and the carrier itself. And the
 * module's statistics, as in C-CMIS: over an interval from reading to reading,
 * of which each step of the physics is a part.
 *
 * Light and noise are in optics.h. DP-16QAM has the error ratio of PAM4 at the
 * same Q, so that only the working point of the receiver differs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/plant.h"
#include "platform/sim/draw.h"

/* One fibre and the two carriers on it, as built; and the statistics. */
struct fibre {
	double km, dgd_ps, pdl_db, cfo_mhz, sop_krad_s;
	double bias_percent[PLANT_MODULATOR_BIASES];
	double host_ber;		/* between the chip and the module */
	uint64_t wander;		/* key of its slow drift */
	int channel;			/* of 25 GHz, from 193.1 THz */
	unsigned parts;			/* of the interval so far */
	struct plant_coherent open;	/* the current interval */
	struct plant_coherent shown;	/* the last one, as it was read */
};

/* Draws them; number: the cage, which has a wavelength of its own. Another
 * module on the same line has the same line_key.
 */
void fibre_draw(struct fibre *c, size_t number, uint64_t line_key,
		uint64_t module_key);

/* One part of the interval: the conditions of the receiver. */
struct fibre_moment {
	const struct plant_lane *lane;	/* its only lane */
	double ase;			/* light added by the line's amplifiers,
					 * relative to the signal, in its
					 * bandwidth */
	double t_s, dt_s;
	struct draw *monitor;
};

/* Adds one part to the statistics. */
void fibre_step(struct fibre *c, const struct fibre_moment *m);

/* Takes the module's reading: the interval ends and the next begins. */
void fibre_take(struct fibre *c);

/* BER between the chip and the module: what the switch's own FEC counts.
 * decades: increase by a bad contact.
 */
double fibre_host_ber(const struct fibre *c, double decades);

/* True if the line's own FEC cannot correct that BER. */
bool fibre_is_lost(double ber);
