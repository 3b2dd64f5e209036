/* The lesser and the greater of two numbers, as fmin() and fmax() have them,
 * but compiled in place: what each window of errors computes calls them often.
 * A NAN loses against a number.
 */
#pragma once

static inline double double_least(double a, double b)
{
	return b != b || a < b ? a : b;
}

static inline double double_most(double a, double b)
{
	return b != b || a > b ? a : b;
}

static inline float float_least(float a, float b)
{
	return b != b || a < b ? a : b;
}

static inline float float_most(float a, float b)
{
	return b != b || a > b ? a : b;
}
