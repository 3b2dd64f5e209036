/* The number of events in a codeword is binomial, and each spoils a run of
 * symbols: a compound distribution, by Panjer's recursion (ASTIN Bulletin 12,
 * 1981). Runs of errors come of decision feedback, as IEEE 802.3
 * clause 120 and its task force's papers on burst errors model them.
 */
#include "tests/judge/b_fec.h"

#include <math.h>

#define CFEC_LIMIT (-1.903)	/* OIF 400ZR: 1.25e-2 */
#define TAIL_MAX 96		/* symbols to which the tail is summed */
#define MEAN_MAX 80.0		/* all is lost anyway */

static const struct b_code codes[FEC_MODE_COUNT] = {
	/* IEEE 802.3 clauses 91 and 119 */
	[FEC_RS528] = { 528, 7, 5280, 1.02 },
	[FEC_RS544] = { 544, 15, 5440, 1.06 },
};

const struct b_code *b_fec_code(enum fec_mode mode)
{
	return (unsigned)mode < FEC_MODE_COUNT && codes[mode].symbols ?
	       &codes[mode] : NULL;
}

struct b_mix b_fec_mix(const struct b_code *code, const double *lane_ber,
		       unsigned lanes, double spread)
{
	double share = (double)code->symbols / lanes, sum = 0, squares = 0;

	for (unsigned i = 0; i < lanes; i++) {
		double p = fmin(lane_ber[i] * 10 / code->bits_per_symbol, 0.5);

		sum += share * p;
		squares += share * p * p;
	}
	return (struct b_mix){ .mean = fmin(sum, MEAN_MAX), .spread = spread,
			       .trials = squares > 0 ? sum * sum / squares :
						       code->symbols };
}

/* p[0] to p[n - 1]; n is returned. Beyond the mean it ends where the chance
 * has fallen below the least. Runs are geometric: both sums over what a run
 * may have been follow from those of one symbol less.
 */
static unsigned chances(const struct b_mix *m, double least, double *p,
			unsigned max)
{
	double c = m->spread, sum = 0, long_sum = 0;
	double x = fmin(m->mean * (1 - c) / m->trials, 0.9);
	double odds = x / (1 - x), b = (m->trials + 1) * odds;
	unsigned k;

	p[0] = exp(m->trials * log1p(-x));
	for (k = 1; k < max; k++) {
		double one = (1 - c) * p[k - 1];

		long_sum = one + c * (long_sum + sum);
		sum = one + c * sum;
		p[k] = fmax(b * long_sum / k - odds * sum, 0);
		if (p[k] < least && k > m->mean)
			return k + 1;
	}
	return k;
}

double b_fec_loss(const struct b_code *code, const struct b_mix *mix)
{
	double p[TAIL_MAX], kept = 0, lost = 0;
	unsigned n;

	if (mix->mean <= 0)
		return 0;
	n = chances(mix, 1e-40, p, TAIL_MAX);
	for (unsigned k = 0; k < n; k++)
		*(k <= code->mends ? &kept : &lost) += p[k];
	return n == TAIL_MAX ? fmax(1 - kept, 0) : fmin(lost, 1);
}

struct b_mix b_fec_burst_mix(const struct b_code *code, double mean)
{
	return (struct b_mix){ .mean = fmin(mean, MEAN_MAX), .spread = 0.3,
			       .trials = code->symbols };
}

double b_fec_coherent_loss(double ber)
{
	double over = log10(ber) - CFEC_LIMIT;

	return exp(M_LN10 * fmin(fmax(-15 + 150 * over, -60), 0));
}

void b_fec_count(const struct b_code *code, const struct b_mix *mix,
		 uint64_t n, struct b_draw *d, uint64_t bins[WORLD_BINS])
{
	double p[WORLD_BINS], left_share = 1;
	uint64_t left = n;
	unsigned kept = code->mends + 1, known;

	if (mix->mean <= 0 || !n) {
		bins[0] += n;
		return;
	}
	known = chances(mix, 1e-7 / (double)n, p, kept);
	for (unsigned k = known; k-- > 1;) {
		uint64_t hits = b_draw_count(d, p[k] * (double)n);

		left_share -= p[k];
		hits = hits < left ? hits : left;
		bins[k] += hits;
		left -= hits;
	}
	/* Only where the bins did not run out is anything beyond them. */
	left_share -= p[0];
	if (known == kept) {
		double loss = left_share > 1e-3 ? left_share :
			      b_fec_loss(code, mix);
		uint64_t lost = b_draw_count(d, loss * (double)n);

		lost = lost < left ? lost : left;
		bins[kept] += lost;
		left -= lost;
	}
	bins[0] += left;
}
