#include "platform/sim/codewords.h"

#include <math.h>
#include <string.h>

/* If a bin expects fewer than this in a step, the bins after it are empty. */
#define EXPECTED_LEAST 1e-9
#define BURST_BITS 2	/* wrong bits in a symbol hit by a burst */
#define NEWTON_STEPS_MAX 30
#define Q_PRECISION 1e-12

/* IEEE 802.3 clauses 91, 119, 134: RS(528,514) and RS(544,514). */
static const struct code codes[] = {
	{ "rs528", 528, 514, 7, 9 },
	{ "rs544", 544, 514, 15, 17 },
};

const struct code *code_find(const char *name)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (strcmp(codes[i].name, name) == 0)
			return &codes[i];
	return NULL;
}

double code_rate(const struct code *c, uint64_t speed_bps)
{
	return (double)speed_bps * 257 / 256 /
		(c->data_symbols * SYMBOL_BITS);
}

double code_symbol_error(double ber)
{
	return -expm1(SYMBOL_BITS * log1p(-ber));
}

/* Binomial distribution, each term from the one before. */
double code_distribution(const struct code *c, double symbol_error,
			 double chance[PLANT_FEC_BINS])
{
	double odds = symbol_error / (1 - symbol_error), beyond = 0;
	double p = exp(c->symbols * log1p(-symbol_error));
	double likely = c->symbols * symbol_error;

	if (p <= 0) {	/* below the range of double: all fail */
		memset(chance, 0, PLANT_FEC_BINS * sizeof(chance[0]));
		return 1;
	}
	for (unsigned k = 0; k <= c->symbols; k++) {
		if (k <= c->corrects)
			chance[k] = p;
		else
			beyond += p;
		if (k > c->corrects && k > likely && p < beyond * 1e-12)
			break;
		p *= odds * (c->symbols - k) / (k + 1);
	}
	return beyond;
}

/* Adds the bursts: each spoils 1 + geometric symbols of one codeword. */
static void bursts_expect(const struct code *c, const struct errors *e,
			  double expected[PLANT_FEC_BINS], double *beyond)
{
	double n = e->burst_rate_hz * e->dt_s, tail = e->burst_tail, p = 1;

	for (unsigned k = 1; k <= c->corrects; k++) {
		expected[k] += n * p * (1 - tail);
		p *= tail;
	}
	*beyond += n * p;
}

static double burst_symbols(const struct errors *e)
{
	return e->burst_rate_hz * e->dt_s / (1 - e->burst_tail);
}

void codewords_draw(const struct code *c, uint64_t speed_bps,
		    const struct errors *e, struct draw *d,
		    struct codewords *ret)
{
	double n = round(code_rate(c, speed_bps) * e->dt_s);
	double ser = code_symbol_error(e->ber), chance[PLANT_FEC_BINS];
	double beyond = n * code_distribution(c, ser, chance), more_bits;
	uint64_t wrong = 0;

	memset(ret, 0, sizeof(*ret));
	for (unsigned k = 0; k <= c->corrects; k++)
		chance[k] *= n;
	bursts_expect(c, e, chance, &beyond);
	for (unsigned k = 1; k <= c->corrects; k++) {
		if (chance[k] < EXPECTED_LEAST && k > c->symbols * ser)
			continue;
		ret->bin[k] = draw_poisson(d, chance[k]);
		ret->corrected += ret->bin[k];
		ret->symbols += ret->bin[k] * k;
	}
	ret->uncorrectable = draw_poisson(d, beyond);
	ret->bin[c->bins - 1] = ret->uncorrectable;
	wrong = ret->corrected + ret->uncorrectable;
	if (wrong < (uint64_t)n)
		ret->bin[0] = (uint64_t)n - wrong;
	/* A wrong symbol has at least one wrong bit, seldom more. */
	more_bits = (double)ret->symbols * (SYMBOL_BITS * e->ber / ser - 1) +
		burst_symbols(e) * (BURST_BITS - 1);
	ret->bits = ret->symbols + draw_poisson(d, more_bits);
}

double code_drop_chance(const struct code *c, uint64_t speed_bps, double ber,
			double dt_s)
{
	double chance[PLANT_FEC_BINS];
	double cer = code_distribution(c, code_symbol_error(ber), chance);

	return -expm1(-code_rate(c, speed_bps) * dt_s * cer * cer * cer);
}

/* Share of neighbouring levels among all, times wrong bits per wrong level. */
static double weight(bool four_levels)
{
	return four_levels ? 0.375 : 0.5;
}

double eye_ber(bool four_levels, double q)
{
	return weight(four_levels) * erfc(q * M_SQRT1_2);
}

/* erfc(x) is at most exp(-x^2), so the first guess is too high; log erfc is
 * concave, so Newton's steps come down to the root and never pass it.
 */
double eye_q(bool four_levels, double ber)
{
	double w = weight(four_levels), q, step = 1;

	if (ber >= w)
		return 0;
	q = sqrt(2 * log(w / ber));
	for (int i = 0; i < NEWTON_STEPS_MAX && step > Q_PRECISION; i++) {
		double now = eye_ber(four_levels, q);
		double slope = 2 * w * exp(-q * q / 2) / sqrt(2 * M_PI);

		step = log(ber / now) * now / slope;
		q -= step;
	}
	return q;
}

double eye_snr_db(bool four_levels, double q)
{
	/* Levels at 1 and 3 steps of Q have a mean power of 5, NRZ's of 1. */
	return 20 * log10(q) + (four_levels ? 10 * log10(5) : 0);
}
