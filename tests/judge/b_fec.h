/* What a Reed-Solomon decoder counts: codewords by how many of their symbols
 * were wrong, from the true error probabilities of the lanes.
 */
#pragma once

#include <stdint.h>
#include "petrel/link.h"
#include "tests/judge/b_draw.h"
#include "tests/judge/world.h"

struct b_code {
	unsigned symbols, mends;	/* in a codeword */
	unsigned bits;
	double bits_per_symbol;		/* wrong, in a symbol that is wrong */
};

/* Errors of one codeword: a binomial number of events, each of which spreads
 * to the next symbol with a chance.
 */
struct b_mix {
	double mean;		/* wrong symbols a codeword */
	double trials;		/* of the binomial; 0: none */
	double spread;		/* chance that the next symbol is hit too */
};

/* NULL for a port that has none of these codes. */
const struct b_code *b_fec_code(enum fec_mode mode);

/* The mix of lanes that each carry the same share of every codeword. A worse
 * lane has fewer symbols to spoil, which the number of trials reflects.
 */
struct b_mix b_fec_mix(const struct b_code *code, const double *lane_ber,
		       unsigned lanes, double spread);

/* Share of codewords that have more errors than the code mends. */
double b_fec_loss(const struct b_code *code, const struct b_mix *mix);
/* Of codewords in a burst with that many wrong symbols in the mean. */
struct b_mix b_fec_burst_mix(const struct b_code *code, double mean);

/* The waterfall of a concatenated soft code: 1e-15 at its limit, and a decade
 * for each hundred and fiftieth decade beyond (chosen after 400ZR's curves).
 */
double b_fec_coherent_loss(double ber);

/* Adds n codewords to the bins; what cannot be mended comes into the bin after
 * the last one that can, as chips do.
 */
void b_fec_count(const struct b_code *code, const struct b_mix *mix,
		 uint64_t n, struct b_draw *d, uint64_t bins[WORLD_BINS]);
