#include "tests/judge/g_codes.h"

#include <math.h>

#define SYMBOL_BITS 10
#define TAIL_TERMS 64
#define CFEC_WALL (-1.9208)	/* log10 of 1.2e-2, where 400ZR's code yields */
#define CFEC_DECADES 0.03	/* from there on to everything lost */

static double symbols(enum fec_mode fec)
{
	return fec == FEC_RS528 ? 528 : 544;
}

unsigned g_codes_mends(enum fec_mode fec)
{
	return fec == FEC_RS528 ? 7 : 15;
}

double g_codes_rate(enum fec_mode fec, uint64_t speed_mbps)
{
	/* 64b/66b is sent as 256b/257b, and 514 symbols as 528 or 544. */
	double bits = (double)speed_mbps * 1e6 * 257 / 256;

	(void)fec;
	return bits / (514 * SYMBOL_BITS);
}

/* Mean clumps a codeword. */
static double clumps(enum fec_mode fec, double ber, double chain)
{
	return symbols(fec) * -expm1(SYMBOL_BITS * log1p(-ber)) * (1 - chain);
}

/* Polya-Aeppli's next term from the two before it. */
static double next_term(double mean, double chain, unsigned n, double one,
			double two)
{
	double term = (2 * chain * (n - 1) + mean * (1 - chain)) * one;

	if (n > 1)
		term -= chain * chain * (n - 2) * two;
	return fmax(term / n, 0);
}

void g_codes_shares(enum fec_mode fec, double ber, double chain,
		    double ret[static WORLD_BINS])
{
	double mean = clumps(fec, fmin(ber, 0.2), chain);
	double one = exp(-mean), two = 0, tail = 0;

	ret[0] = one;
	for (unsigned n = 1; n < WORLD_BINS - 1 + TAIL_TERMS; n++) {
		double term = next_term(mean, chain, n, one, two);

		two = one;
		one = term;
		if (n < WORLD_BINS - 1)
			ret[n] = term;
		else
			tail += term;
		if (n >= WORLD_BINS - 1 && n > mean && term < tail * 1e-4)
			break;
	}
	/* So far out, all of it is tail. */
	ret[WORLD_BINS - 1] = mean > 40 ? 1 : tail;
}

double g_codes_loss(enum fec_mode fec, double ber, double chain)
{
	double share[WORLD_BINS], loss = 0;

	if (ber < (fec == FEC_RS528 ? 1e-8 : 1e-7) && chain < 0.6)
		return 0;
	g_codes_shares(fec, ber, chain, share);
	for (unsigned n = WORLD_BINS - 1; n > g_codes_mends(fec); n--)
		loss += share[n];
	return fmin(loss, 1);
}

double g_codes_line_loss(double log_ber)
{
	double decades = -13 * (CFEC_WALL + CFEC_DECADES - log_ber) /
			 CFEC_DECADES;

	return pow(10, fmin(fmax(decades, -40), 0));
}
