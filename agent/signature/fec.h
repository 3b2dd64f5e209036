/* The arithmetic of forward error correction: what a bit error ratio means.
 *
 * Pure functions over tables; keeps no state. "log_ber" is log10 of the
 * pre-FEC bit error ratio throughout.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/link.h"

#define FEC_SYMBOL_BITS 10

/* One Reed-Solomon code on the wire. */
struct fec_code {
	enum fec_mode mode;
	unsigned symbols;	/* of a codeword */
	unsigned correctable;	/* symbols */
	bool pam4;		/* else NRZ */
	double line_ratio;	/* line bits for each MAC bit */
	float cliff_log_ber;	/* one uncorrectable codeword an hour */
	float safe_log_ber;	/* one a year: the last safe level */
};

/* NULL for modes without usable counters: none, BASE-R, unknown. */
const struct fec_code *fec_code_find(enum fec_mode mode);

/* The code of a coherent line that ends in the module, by the medium's name;
 * its symbols are 0, as nothing is counted. NULL: not known.
 */
const struct fec_code *fec_code_of_line(const char *media);

static inline double fec_codeword_bits(const struct fec_code *code)
{
	return (double)code->symbols * FEC_SYMBOL_BITS;
}

/* log10; the only libm call of the hot path. */
double fec_log10(double x);
/* 10^x, to 1e-7, without libm. */
double fec_exp10(double x);

/* Q of the receiver's eye at a bit error ratio, and back; by table, clamped to
 * 1e-18 and 0.1. PAM4: BER = 3/8 erfc(Q/sqrt 2), NRZ: 1/2 erfc(Q/sqrt 2).
 */
double fec_q(double log_ber, bool pam4);
/* The way back. */
double fec_log_ber_of_q(double q, bool pam4);

/* Optical dB from a bit error ratio to the cliff, where noise does not depend
 * on the signal: Q is in proportion to the light. Negative beyond the cliff.
 */
double fec_margin_db(double log_ber, const struct fec_code *code);

/* log_ber after the light changed by db. */
double fec_log_ber_shifted(double log_ber, double db, bool pam4);

/* Share of codewords that cannot be corrected with random errors: from the
 * share of wrong symbols, and from the bit error ratio. Slow path.
 */
double fec_symbols_loss(double symbol_ratio, const struct fec_code *code);
double fec_codeword_loss(double ber, const struct fec_code *code);
/* The most that errors by chance may have been for a while, where this was the
 * mean and codewords were lost: they vary, and receivers make them in pairs.
 * A code that corrects fewer loses more by that.
 */
double fec_log_ber_most(double log_ber, const struct fec_code *code);
/* Do random errors lose so many of these codewords, or nearly? */
bool fec_explains(const struct fec_code *code, double log_ber, double codewords,
		  double lost);

/* Codewords over which a frame is spread: X of IEEE 802.3df. */
unsigned fec_interleave(uint64_t speed_mbps);
/* Lost frames for each lost codeword, as shares (802.3df, SONiC's FLR). */
double fec_frames_of_codeword(unsigned interleave);
