/* What a code makes of errors: how many codewords have how many symbols in
 * error, and how many of them are lost.
 *
 * RS(544,514) mends 15 symbols of 10 bits, RS(528,514) and RS(272,258) 7 (IEEE
 * 802.3 clauses 91 and 119; 134). An equaliser that decides wrongly is likelier
 * to do so again, so symbols in error come in clumps of geometric length: the
 * number in a codeword is a Polya-Aeppli variable.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/link.h"

#define F_CLASSES 17			/* as WORLD_BINS: the last is beyond */
#define F_Q_STEPS 896
#define F_Q_PER_STEP 0.015625

struct f_code {
	double bits;			/* of a codeword */
	unsigned mends;			/* symbols */
	double clump;		/* chance that the next symbol is wrong too */
	bool coherent;			/* CFEC of 400ZR: a threshold */
};

/* log10 of erfc(q / sqrt 2), by steps of q. */
struct f_eyes {
	double log_ratio[F_Q_STEPS + 1];
};

void f_eyes_fill(struct f_eyes *e);

/* log10 of the bit error ratio of an eye with that Q: of PAM4, with Gray code,
 * 3/8 erfc; of two levels half of it.
 */
double f_eyes_log_ber(const struct f_eyes *e, bool pam4, double q);

struct f_code f_code_of(enum fec_mode fec, bool coherent, double clump);

/* The share of codewords that are lost. */
double f_code_loss(const struct f_code *c, double ber);
/* log10 of the bit error ratio at which that share is lost. */
double f_code_log_ber(const struct f_code *c, double loss);

/* Poisson, by a normal variable from 16 on. */
uint64_t f_counted(uint64_t *stream, double mean);

/* So many codewords, by the symbols in error that each has. */
void f_code_count(const struct f_code *c, double ber, double codewords,
		  uint64_t *stream, uint64_t ret[static F_CLASSES]);
