#include "platform/sim/eye.h"

#include <math.h>

#define Q_MAX 40.0
#define BISECTIONS 60

double eye_ber(bool four_levels, double q)
{
	return (four_levels ? 0.375 : 0.5) * erfc(q * M_SQRT1_2);
}

double eye_q(bool four_levels, double ber)
{
	double low = 0, high = Q_MAX;

	for (int i = 0; i < BISECTIONS; i++) {
		double middle = (low + high) / 2;

		if (eye_ber(four_levels, middle) > ber)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

double eye_snr_db(bool four_levels, double q)
{
	/* Levels at 1 and 3 steps of Q have a mean power of 5, NRZ's of 1. */
	return 20 * log10(q) + (four_levels ? 10 * log10(5) : 0);
}
