/* Intervals of counts, and quantiles of lists. */
#pragma once

#include <stddef.h>

/* The quantile of a gamma distribution of that shape and scale 1; p in 0 to 1.
 * Half of a chi-square quantile with twice the degrees of freedom.
 */
double interval_gamma(double p, double shape);

/* Exact (Garwood) 95 % interval of a Poisson mean, of which count was seen. */
void interval_poisson(double count, double *ret_low, double *ret_high);

/* Quantile of a list, which is sorted by the call; NAN of an empty one. The
 * middle of two values for the median of an even count.
 */
double interval_quantile(double *list, size_t count, double p);
