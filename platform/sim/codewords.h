/* From the eye opening to bit errors, and back; and from bit errors to
 * Reed-Solomon codewords: how many symbols of each are wrong, and the resulting
 * counters.
 *
 * Q is half the distance between neighbouring levels, divided by the noise.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/plant.h"
#include "platform/sim/draw.h"

#define SYMBOL_BITS 10

struct code {
	const char *name;
	unsigned symbols, data_symbols;
	unsigned corrects;	/* symbols; more are uncorrectable */
	unsigned bins;		/* of an ASIC, including the overflow */
};

/* The code of a FEC mode; NULL for none and fc. */
const struct code *code_find(const char *name);

/* Codewords per second at a speed, including 256B/257B transcoding. */
double code_rate(const struct code *c, uint64_t speed_bps);

/* Probability that a symbol of ten bits is wrong. */
double code_symbol_error(double ber);

/* Probability that a codeword has 0, 1 … corrects wrong symbols, if symbols
 * fail independently. Returns the probability that it has more.
 */
double code_distribution(const struct code *c, double symbol_error,
			 double chance[PLANT_FEC_BINS]);

/* The codewords of one step. */
struct codewords {
	uint64_t bin[PLANT_FEC_BINS];	/* by wrong symbols; the code's last
					 * bin holds the uncorrectable ones
					 */
	uint64_t corrected, uncorrectable, symbols, bits;
};

/* Errors of a step: random ones, and bursts of geometric length. */
struct errors {
	double ber;
	double burst_rate_hz, burst_tail;
	double dt_s;
};

/* Draws the codewords of a step at a speed. */
void codewords_draw(const struct code *c, uint64_t speed_bps,
		    const struct errors *e, struct draw *d,
		    struct codewords *ret);

/* Probability that three codewords in a row are uncorrectable within dt_s,
 * which takes the link down.
 */
double code_drop_chance(const struct code *c, uint64_t speed_bps, double ber,
			double dt_s);

/* Four levels with Gray code, as PAM4: 3/8 erfc(Q/sqrt 2); two levels, as
 * NRZ: 1/2 erfc(Q/sqrt 2).
 */
double eye_ber(bool four_levels, double q);

/* The Q for a BER above 0; 0 if the BER is the worst possible or more. */
double eye_q(bool four_levels, double ber);

/* Signal-to-noise ratio in dB: mean power over noise. */
double eye_snr_db(bool four_levels, double q);
