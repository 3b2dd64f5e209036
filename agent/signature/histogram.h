/* How many frames will be lost: predicted from the histogram of wrong symbols a
 * codeword, where that is counted, else from the bit error ratio.
 *
 * Random errors make a binomial, whose tail is known. Counts above it come from
 * bursts: the upper bins are fitted with mu(k) = exp(A + B k) / k!^v, geometric
 * at v = 0 and Poisson at 1, by likelihood; bins far from the end weigh less.
 * Lost codewords count as one more bin; from ten on they alone count.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/signature/fec.h"
#include "agent/signature/inputs.h"

/* Codewords of an interval. */
struct fec_counts {
	double seconds, sent, lost;
	double bits;			/* wrong ones in all codewords */
	double bin[PORT_FEC_BINS];	/* by number of wrong symbols */
};

/* log10 of a share that is lost, 90 % interval. */
struct loss_share {
	double low, mid, high;
	bool bursty;			/* bursts cost more than the rest */
	bool observed;			/* measured, not predicted */
};

/* The share of codewords lost to bursts. False: there are none, and *ret is
 * unchanged. Slow path: tens of microseconds.
 *
 * symbol_ratio: of random errors
 */
bool histogram_bursts(const struct fec_counts *c, const struct fec_code *code,
		      double symbol_ratio, struct loss_share *ret);
/* Share of symbols wrong by random errors, from the first two bins. */
double histogram_symbol_ratio(const struct fec_counts *c,
			      const struct fec_code *code);

/* Follows a port's counters over intervals of two to ten minutes. */
#define HISTOGRAM_WIDE 5	/* from here on 32 bits are enough */

struct histogram {
	uint64_t wide[HISTOGRAM_WIDE];	/* bins when the interval began */
	uint32_t bin[PORT_FEC_BINS - HISTOGRAM_WIDE];
	float seconds, sent, lost, bits;	/* since */
	float random;			/* loss expected from random errors */
	float low, mid, high;	/* log10 of the loss by bursts, or of the loss
				 * measured; -INFINITY: nothing */
	float symbols_per_bit;		/* of random errors; 0: not known */
	uint8_t looks;
	bool begun, has_bins, observed;
	bool of_random;		/* the loss measured is relative to that of
				 * random errors, as they make much of it */
};

/* A new port, or one that counts differently: nothing is known. */
void histogram_start(struct histogram *h);
/* The next window begins an interval; the prediction stays. */
static inline void histogram_restart(struct histogram *h)
{
	h->begun = false;
}

/* A window that ended with this reading; w->bin is not used.
 *
 * wanted: somebody asks, so it computes every two minutes; it does so anyway
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
