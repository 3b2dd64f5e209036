#include "platform/sim/eye.h"

#include <math.h>

#define NEWTON_STEPS_MAX 30
#define Q_PRECISION 1e-12

/* Share of neighbouring levels among all, of wrong bits among wrong levels. */
static double weight(bool four_levels)
{
	return four_levels ? 0.375 : 0.5;
}

double eye_ber(bool four_levels, double q)
{
	return weight(four_levels) * erfc(q * M_SQRT1_2);
}

/* erfc(x) is at most exp(-x^2), so the first guess lies above; log erfc is
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
