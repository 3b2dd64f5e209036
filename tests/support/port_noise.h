/* Readings of healthy ports, made fast: for the bench and the soak of the
 * detectors. Errors are a level, heat (diurnal, load with a lag) and wander
 * of slow processes; shares nothing with what it tries.
 */
#pragma once

#include <stdint.h>
#include "agent/signature/port.h"

#define NOISE_PARTS 4

struct port_noise {
	uint64_t random;
	double base, beta, diurnal, phase, warmth, lag_s, temp;
	double heat, load, load_until_s, sd;
	double wander[NOISE_PARTS];
	double keep[NOISE_PARTS], kick[NOISE_PARTS];
	double bits, clean, corrected, octets;
	double dt_s, dom_period_s, dom_s;
};

/* hard: twice the wander. */
void port_noise_init(struct port_noise *n, uint64_t seed, double dt_s,
		     double dom_period_s, int hard);
void port_noise_facts(unsigned number, struct port_facts *ret);
/* The reading at t_s since the start; k is the same struct each time. */
void port_noise_step(struct port_noise *n, double t_s, struct inputs *k);
