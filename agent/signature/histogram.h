/* How many frames will be lost: foretold from how many symbols of a codeword
 * are wrong, where that is counted, and from the bit error ratio elsewhere.
 *
 * Random errors make a binomial, whose tail is known. What is above it comes in
 * bursts: the upper bins are fitted with mu(k) = exp(A + B k) / k!^v, geometric
 * at v = 0 and Poisson at 1, by likelihood; bins far from the end count less.
 * What has been lost counts as one bin more, and alone from ten codewords on.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/signature/fec.h"
#include "agent/signature/inputs.h"

/* Codewords of an interval. */
struct fec_counts {
	double seconds, sent, lost;
	double bits;			/* wrong, of all */
	double bin[PORT_FEC_BINS];	/* by symbols that were wrong */
};

/* log10 of a share that is lost, 90 % interval. */
struct loss_share {
	double low, mid, high;
	bool bursty;			/* bursts cost more than random ones */
	bool observed;			/* it is what was lost */
};

/* The share of codewords that bursts cost; as said where none are seen. False:
 * none are. A slow path: tens of microseconds.
 *
 * symbol_ratio: of random errors
 */
bool histogram_bursts(const struct fec_counts *c, const struct fec_code *code,
		      double symbol_ratio, struct loss_share *ret);
/* Symbols wrong of random errors, from the first two bins. */
double histogram_symbol_ratio(const struct fec_counts *c,
			      const struct fec_code *code);

/* Follows a port's counters over intervals of two to ten minutes. */
#define HISTOGRAM_WIDE 5	/* from here on 32 bits are enough */

struct histogram {
	uint64_t wide[HISTOGRAM_WIDE];	/* bins when the interval began */
	uint32_t bin[PORT_FEC_BINS - HISTOGRAM_WIDE];
	float seconds, sent, lost, bits;	/* since */
	float random;			/* lost, as random errors would */
	float low, mid, high;	/* log10 of what bursts cost, or of what was
				 * lost; -INFINITY: nothing */
	float symbols_per_bit;		/* of random errors; 0: not told */
	uint8_t looks;
	bool begun, has_bins, observed;
	bool of_random;		/* observed: over what random errors cost, as
				 * they make most of it */
};

/* A new port, or one that counts differently: nothing is known. */
void histogram_start(struct histogram *h);
/* The next window begins an interval; what was foretold stays. */
void histogram_restart(struct histogram *h);

/* A window that ended with this look; w->bin is not looked at.
 *
 * wanted: somebody asks, so it is worth a look each two minutes; it is anyway
 *         where codewords were lost
 */
void histogram_take(struct histogram *h, const struct fec_code *code,
		    const struct fec_counts *w, const struct inputs *k,
		    bool wanted);

/* The share of frames lost at this bit error ratio, each frame spread over so
 * many codewords.
 */
void histogram_loss(const struct histogram *h, const struct fec_code *code,
		    double log_ber, unsigned interleave,
		    struct loss_share *ret);
