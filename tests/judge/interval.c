#include "tests/judge/interval.h"

#include <math.h>
#include <stdlib.h>

#define TERMS_MAX 100000
#define HALVINGS 200

/* Regularised lower incomplete gamma function, by its series (Abramowitz and
 * Stegun 6.5.29): all terms are positive, so nothing cancels.
 */
static double gamma_below(double x, double shape)
{
	double term = 1 / shape, sum = term;

	if (x <= 0)
		return 0;
	for (int n = 1; n < TERMS_MAX && term > sum * 1e-17; n++) {
		term *= x / (shape + n);
		sum += term;
	}
	return sum * exp(shape * log(x) - x - lgamma(shape));
}

double interval_gamma(double p, double shape)
{
	double low = 0, high = shape + 1;

	if (shape <= 0 || p <= 0)
		return 0;
	if (p >= 1)
		return INFINITY;
	while (gamma_below(high, shape) < p)
		high *= 2;
	for (int i = 0; i < HALVINGS; i++) {
		double mid = (low + high) / 2;

		if (gamma_below(mid, shape) < p)
			low = mid;
		else
			high = mid;
	}
	return (low + high) / 2;
}

void interval_poisson(double count, double *ret_low, double *ret_high)
{
	*ret_low = interval_gamma(0.025, count);
	*ret_high = interval_gamma(0.975, count + 1);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double interval_quantile(double *list, size_t count, double p)
{
	double place;
	size_t below;

	if (!count)
		return NAN;
	qsort(list, count, sizeof(*list), compare);
	place = p * (double)(count - 1);
	below = (size_t)place;
	/* exact where it lies on one: infinities have no middle */
	if (below + 1 >= count || place <= (double)below)
		return list[below];
	return list[below] + (place - (double)below) *
	       (list[below + 1] - list[below]);
}
