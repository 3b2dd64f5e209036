/* Where the laws are from. Linear and square root in time: ageing of lasers,
 * by constant and by diffused defects (Telcordia GR-468; Fukuda, Reliability
 * and Degradation of Semiconductor Lasers, 1991). Power law and exponential:
 * the runaway before the end of life there. Saturating: stress that relaxes,
 * burn-in. Sigmoid: a glue or a film that gives way. Staircase, pauses, stop
 * and return: chosen, after what thermal cycles and hands do to connectors.
 */
#include "tests/judge/b_law.h"

#include <math.h>

#include "tests/judge/b_draw.h"

#define GROWTH_MAX 6.0

const char *const b_law_names[B_LAW_COUNT + 1] = {
	[B_LAW_LINEAR] = "linear_db",
	[B_LAW_SQRT] = "sqrt_time",
	[B_LAW_POWER] = "power",
	[B_LAW_EXPONENTIAL] = "exponential",
	[B_LAW_SATURATING] = "saturating",
	[B_LAW_SIGMOID] = "sigmoid",
	[B_LAW_STAIRCASE] = "staircase",
	[B_LAW_PAUSES] = "pauses",
	[B_LAW_STOPS] = "stops",
	[B_LAW_REVERSES] = "reverses",
};

static double exponential(double x, double k)
{
	return expm1(k * x) / expm1(k);
}

static double sigmoid(double x, double k)
{
	double low = 1 / (1 + exp(k / 2)), high = 1 / (1 + exp(-k / 2));

	return (1 / (1 + exp(-k * (x - 0.5))) - low) / (high - low);
}

/* Treads of unlike length and height. */
static double staircase(double x, uint64_t seed)
{
	double steps = floor(4 + 6 * b_hash_unit(seed, 1)), at = x * steps;
	double tread = floor(at), edge = b_hash_unit(seed, (uint64_t)tread + 9);

	return (tread + (at - tread > edge ? 1 : 0)) / steps;
}

/* Grows in a part of each turn only. */
static double pauses(double x, double turns, double share)
{
	double at = x * turns, whole = floor(at);

	return (whole + fmin((at - whole) / share, 1)) / turns;
}

static double reverses(double x, double turn)
{
	return x < turn ? x / turn : fmax(1 - 0.7 * (x - turn) / turn, 0.15);
}

double b_law_growth(enum b_law law, double x, uint64_t seed)
{
	double u = b_hash_unit(seed, 0), y = 0;

	if (x <= 0)
		return 0;
	switch (law) {
	case B_LAW_LINEAR:	y = x; break;
	case B_LAW_SQRT:	y = sqrt(x); break;
	case B_LAW_POWER:	y = pow(x, 1.5 + 1.5 * u); break;
	case B_LAW_EXPONENTIAL:	y = exponential(fmin(x, 4), 2 + 3 * u); break;
	case B_LAW_SATURATING:	y = 1 - exp(-(2 + 3 * u) * x); break;
	case B_LAW_SIGMOID:	y = sigmoid(x, 6 + 8 * u); break;
	case B_LAW_STAIRCASE:	y = staircase(x, seed); break;
	case B_LAW_PAUSES:	y = pauses(x, 3 + floor(4 * u), 0.4); break;
	case B_LAW_STOPS:	y = fmin(x / (0.3 + 0.5 * u), 1); break;
	case B_LAW_REVERSES:	y = reverses(x, 0.4 + 0.3 * u); break;
	case B_LAW_COUNT:	break;
	}
	return fmin(y, GROWTH_MAX);
}
