/* Q = Q_least * x / sqrt(hiss + shot * x + beat * x^2), where x is the signal
 * over what the receiver needs: noise of the amplifier stays, shot noise goes
 * with the light, laser's noise and reflections with its square (Agrawal,
 * Fiber-Optic Communication Systems, chapter 4). PAM4 in Gray code errs by
 * 3/8 erfc(Q / sqrt 2), two levels by 1/2, 16-QAM by 3/8 of its own.
 */
#include "tests/judge/c_eye.h"

#include <math.h>

#define TAIL 48			/* symbols beyond the mending ones, summed up */
#define EVENTS_MAX 120.0
#define LINE_LIMIT 1.25e-2	/* OIF 400ZR: 1e-15 is left at that */
#define LINE_SLOPE 140.0	/* decades a decade; chosen */

static double ratio(double db, double per_decade)
{
	return exp(db * M_LN10 / per_decade);
}

static double ber_at(const struct c_eye *e, const struct c_strain *s,
		     double db)
{
	double x = ratio(db, e->is_electric ? 20 : 10);
	double noise = e->hiss * (1 + s->hiss) + e->shot * x +
		       (e->beat + s->beat) * x * x;
	double q = e->q_least * x / sqrt(noise) * ratio(-s->shut_db, 20);

	return e->ber_share * erfc(q * M_SQRT1_2);
}

/* Fading by Gauss and Hermite's three points. */
double c_eye_ber(const struct c_eye *e, const struct c_strain *s)
{
	double db = e->margin_db - s->lost_db, off = s->fade_db * sqrt(3);

	if (s->fade_db < 0.01)
		return ber_at(e, s, db);
	return ber_at(e, s, db) * 2 / 3 +
	       (ber_at(e, s, db - off) + ber_at(e, s, db + off)) / 6;
}

const struct c_code *c_code_of(enum fec_mode mode)
{
	static const struct c_code rs528 = { 528, 7, 1.03 };
	static const struct c_code rs544 = { 544, 15, 1.08 };

	return mode == FEC_RS528 ? &rs528 : &rs544;
}

struct c_hits c_code_hits(const struct c_code *code, double mean_ber,
			  double run)
{
	double wrong = -expm1(10 / code->bits_an_error * log1p(-mean_ber));
	double events = code->symbols * wrong * (1 - run);

	return (struct c_hits){ fmin(events, EVENTS_MAX), run };
}

void c_code_chances(const struct c_hits *h, double *p, unsigned n)
{
	double go = h->events * (1 - h->run), run = h->run;

	p[0] = exp(-h->events);
	p[1] = go * p[0];
	for (unsigned k = 2; k < n; k++)
		p[k] = fmax(((go + 2 * run * (k - 1)) * p[k - 1] -
			     run * run * (k - 2) * p[k - 2]) / k, 0);
}

double c_code_loss(const struct c_code *code, const struct c_hits *h)
{
	double p[16 + TAIL], kept = 0, lost = 0;
	unsigned n = code->mends + 1 + TAIL;

	if (!(h->events > 0))
		return 0;
	c_code_chances(h, p, n);
	for (unsigned k = 0; k < n; k++)
		*(k > code->mends ? &lost : &kept) += p[k];
	return kept < 0.5 ? 1 - kept : lost;
}

double c_code_burst_loss(const struct c_code *code, double mean)
{
	double p = exp(-mean), kept = p;

	for (unsigned k = 1; k <= code->mends; k++)
		kept += p *= mean / k;
	return 1 - kept;
}

double c_code_line_loss(double ber)
{
	double decades = -15 + LINE_SLOPE * log10(ber / LINE_LIMIT);

	return pow(10, fmin(fmax(decades, -60), 0));
}
