#include "tests/judge/g_eye.h"

#include <math.h>

void g_eyes_fill(struct g_eyes *e)
{
	for (int i = 0; i <= G_EYE_Q_MAX * G_EYE_STEPS + 1; i++) {
		double ratio = erfc((double)i / G_EYE_STEPS * M_SQRT1_2);

		e->ln[false][i] = log(0.5 * ratio);
		e->ln[true][i] = log(0.375 * ratio);
	}
}

static double ln_ber(const struct g_eyes *e, bool pam4, double q)
{
	double at = fmin(fmax(q, 0), G_EYE_Q_MAX) * G_EYE_STEPS;
	const double *ln = e->ln[pam4] + (int)at;

	return ln[0] + (ln[1] - ln[0]) * (at - floor(at));
}

double g_eyes_ber(const struct g_eyes *e, bool pam4, double q)
{
	return exp(ln_ber(e, pam4, q));
}

double g_eyes_q(const struct g_eyes *e, bool pam4, double ber)
{
	double low = 0, high = G_EYE_Q_MAX, ln = log(ber);

	for (int i = 0; i < 50; i++) {
		double q = (low + high) / 2;

		if (ln_ber(e, pam4, q) > ln)
			low = q;
		else
			high = q;
	}
	return low;
}
