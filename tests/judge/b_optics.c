/* PAM4 with Gray code: BER = 3/8 erfc(Q / sqrt 2), Q half a level's distance
 * over the noise (IEEE 802.3 annex 120E and usual texts). Two levels have 1/2
 * for 3/8, a tenth of a decade that the floors of ports take up.
 */
#include "tests/judge/b_optics.h"

#include <math.h>

#define Q_LOW_DB (-15.0)
#define STEPS_A_DB 64.0		/* to 25 dB */

void b_eye_init(struct b_eye *eye)
{
	for (unsigned i = 0; i < B_EYE_POINTS; i++) {
		double q = pow(10, (Q_LOW_DB + i / STEPS_A_DB) / 20);

		eye->ln_ber[i] = log(0.375 * erfc(q / M_SQRT2));
	}
}

static double ln_ber_at(const struct b_eye *eye, double q_db)
{
	double at = (q_db - Q_LOW_DB) * STEPS_A_DB;
	unsigned i;

	at = fmin(fmax(at, 0), B_EYE_POINTS - 1.001);
	i = (unsigned)at;
	return eye->ln_ber[i] + (at - i) * (eye->ln_ber[i + 1] -
					    eye->ln_ber[i]);
}

double b_eye_ber(const struct b_eye *eye, double q_db)
{
	return exp(ln_ber_at(eye, q_db));
}

double b_eye_q_db(const struct b_eye *eye, double log_ber)
{
	double low = Q_LOW_DB, high = Q_LOW_DB + B_EYE_POINTS / STEPS_A_DB;

	for (unsigned i = 0; i < 50; i++) {
		double mid = (low + high) / 2;

		*(ln_ber_at(eye, mid) > log_ber * M_LN10 ? &low : &high) = mid;
	}
	return low;
}

double b_noise_for(double penalty_db)
{
	return expm1(penalty_db * (M_LN10 / 10));
}

/* Signal is 1: noise that does not fall with it grows in proportion, thermal
 * by the square of what light was lost, shot noise by the loss itself.
 */
double b_noise_penalty_db(const struct b_noise *noise, double loss_db,
			  double more_thermal, double more_flat)
{
	double loss = exp(loss_db * (M_LN10 / 10));

	return (10 / M_LN10) *
	       log((noise->thermal + more_thermal) * loss * loss +
		   noise->shot * loss + noise->flat + more_flat);
}
