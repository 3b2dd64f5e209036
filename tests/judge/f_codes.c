#include "tests/judge/f_codes.h"

#include <math.h>
#include <string.h>

#include "tests/judge/f_dice.h"

#define SYMBOL_BITS 10
#define TAIL_TERMS 48
/* 400ZR: CFEC gives 1e-15 at 1.25e-2, and the fall is steep. */
#define CFEC_LOG_BER (-1.903)
#define CFEC_STEEPNESS 90.0
#define CFEC_LOG_LOSS (-11.5)
#define NORMAL_FROM 16.0

void f_eyes_fill(struct f_eyes *e)
{
	for (unsigned i = 0; i <= F_Q_STEPS; i++)
		e->log_ratio[i] = log10(erfc(i * F_Q_PER_STEP * M_SQRT1_2));
}

double f_eyes_log_ber(const struct f_eyes *e, bool pam4, double q)
{
	double at = q * (1 / F_Q_PER_STEP), part;
	unsigned i;

	if (!(at > 0))
		at = 0;
	if (at > F_Q_STEPS - 1)
		at = F_Q_STEPS - 1;
	i = (unsigned)at;
	part = at - i;
	return e->log_ratio[i] * (1 - part) + e->log_ratio[i + 1] * part +
	       (pam4 ? -0.42596873227228 : -0.30102999566398);
}

struct f_code f_code_of(enum fec_mode fec, bool coherent, double clump)
{
	struct f_code c = { 5440, 15, clump, coherent };

	if (fec == FEC_RS528)
		c.bits = 5280;
	if (fec == FEC_RS272)
		c.bits = 2720;
	if (fec == FEC_RS528 || fec == FEC_RS272)
		c.mends = 7;
	return c;
}

/* --- how many symbols ---------------------------------------------------- */

struct terms {
	double events, clump, now, before;
	unsigned n;
};

/* Clumps a codeword, from bits in error. */
static struct terms terms_start(const struct f_code *c, double ber)
{
	double symbols = c->bits / SYMBOL_BITS *
			 (1 - exp(SYMBOL_BITS * log1p(-fmin(ber, 0.49))));
	struct terms t = { symbols * (1 - c->clump), c->clump, 0, 0, 0 };

	t.now = exp(-t.events);
	return t;
}

static void terms_next(struct terms *t)
{
	double a = t->clump, n = t->n, next;

	next = (t->events * (1 - a) + 2 * a * n) * t->now;
	if (t->n >= 1)
		next -= a * a * (n - 1) * t->before;
	t->before = t->now;
	t->now = next / (n + 1);
	t->n++;
}

/* Beyond what is mended: the rest, or its first terms where they are few. */
static double tail(struct terms t, unsigned mends, double rest)
{
	double sum = 0;

	if (rest > 1e-3)
		return rest;
	while (t.n <= mends)
		terms_next(&t);
	for (unsigned i = 0; i < TAIL_TERMS; i++) {
		sum += t.now;
		terms_next(&t);
	}
	return sum;
}

static double cfec_loss(double ber)
{
	double log_loss = CFEC_LOG_LOSS + CFEC_STEEPNESS *
			  (log10(fmax(ber, 1e-15)) - CFEC_LOG_BER);

	return log_loss < -30 ? 0 : fmin(1, pow(10, log_loss));
}

double f_code_loss(const struct f_code *c, double ber)
{
	struct terms t;
	double rest = 1;

	if (c->coherent)
		return cfec_loss(ber);
	t = terms_start(c, ber);
	for (unsigned i = 0; i <= c->mends; i++) {
		rest -= t.now;
		if (i < c->mends)
			terms_next(&t);
	}
	return tail(t, c->mends, rest);
}

double f_code_log_ber(const struct f_code *c, double loss)
{
	double low = -9, high = -1;

	for (int i = 0; i < 40; i++) {
		double at = (low + high) / 2;

		if (f_code_loss(c, pow(10, at)) < loss)
			low = at;
		else
			high = at;
	}
	return high;
}

/* --- counting ------------------------------------------------------------ */

uint64_t f_counted(uint64_t *stream, double mean)
{
	double n = 0, p, u;

	if (!(mean > 0))
		return 0;
	if (mean >= NORMAL_FROM) {
		n = round(mean + sqrt(mean) * f_normal(stream));
		return n > 0 ? (uint64_t)n : 0;
	}
	u = f_uniform(stream);
	if (u < 1 - mean)	/* below e^-mean */
		return 0;
	p = exp(-mean);
	for (; u >= p && n < 80; n++) {
		u -= p;
		p *= mean / (n + 1);
	}
	return (uint64_t)n;
}

void f_code_count(const struct f_code *c, double ber, double codewords,
		  uint64_t *stream, uint64_t ret[static F_CLASSES])
{
	struct terms t = terms_start(c, ber);
	double rest = 1 - t.now, left = codewords;

	memset(ret, 0, F_CLASSES * sizeof(*ret));
	for (unsigned i = 1; i <= c->mends; i++) {
		terms_next(&t);
		rest -= t.now;
		if (t.now * codewords < 1e-7 && i > t.events)
			break;
		ret[i] = f_counted(stream, t.now * codewords);
		left -= (double)ret[i];
	}
	if (t.n == c->mends)
		ret[F_CLASSES - 1] = f_counted(stream, codewords *
					       tail(t, c->mends, rest));
	left -= (double)ret[F_CLASSES - 1];
	ret[0] = left > 0 ? (uint64_t)left : 0;
}
