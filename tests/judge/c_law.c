/* Where the shapes come from: wear of lasers goes with a power of time near a
 * half (diffusion of defects), and ends in an avalanche where a facet is
 * damaged; solder and glue creep in three stages; films and corrosion saturate,
 * or go with the day's heat (Coffin and Manson for joints); cracks grow in
 * jumps, as a gamma process. That growth pauses, stops and is made good in
 * part is what CorrOpt's and the like's operators tell. Exponents: chosen.
 */
#include "tests/judge/c_law.h"

#include <math.h>
#include <stddef.h>

#include "tests/judge/c_chance.h"

#define SHARE_MAX 1.7
#define JUMPS 14		/* of a span, in the mean */

const char *const c_law_names[] = { "diffuses", "wears_out", "creeps",
	"saturates", "jumps", "cycles", "pauses", "relapses", "stops",
	"avalanches", NULL };

static double own(uint64_t mark, unsigned which, double low, double high)
{
	return low + (high - low) * c_mark_unit(mark, 0x1a00 + which);
}

static double creeps(double x)
{
	return 0.3 * log1p(20 * x) / log(21) + 0.25 * x +
	       0.45 * expm1(4 * x) / expm1(4);
}

/* Exponential jumps at even times: a gamma process seen through a comb. */
static double jumps(double x, uint64_t mark)
{
	double sum = 0, all = 0;

	for (unsigned i = 0; i < JUMPS; i++) {
		double size = -log(1 - c_mark_unit(mark, 0x2a00 + i));

		size *= size;		/* few of them do most */
		all += size;
		sum += i < x * JUMPS ? size : 0;
	}
	return sum / all;
}

double c_law_growth(enum c_law law, double share, uint64_t mark)
{
	double x = fmin(fmax(share, 0), SHARE_MAX), at, turns;

	switch (law) {
	case C_DIFFUSES:
		return pow(x, own(mark, 0, 0.45, 0.65));
	case C_WEARS_OUT:
		return pow(x, own(mark, 0, 1.8, 3.5));
	case C_CREEPS:
		return creeps(x);
	case C_SATURATES:
		return -1.04 * expm1(-3.2 * x);
	case C_JUMPS:
		return jumps(x, mark);
	case C_CYCLES:
		turns = 2 * M_PI * floor(own(mark, 0, 2, 7));
		return x - 0.97 * sin(turns * x) / turns;
	case C_PAUSES:
		at = own(mark, 0, 0.2, 0.45);
		return x < at ? x : fmax(at, at + (1 - at) * (x - at - 0.25) /
					 (0.75 - at));
	case C_RELAPSES:
		return fmax(x + 0.2 * sin(3 * M_PI * x), 0);
	case C_STOPS:
		return fmin(x / own(mark, 0, 0.4, 0.8), 1);
	case C_AVALANCHES:
		return expm1(own(mark, 0, 3, 7) * x) /
		       expm1(own(mark, 0, 3, 7));
	case C_LAW_COUNT:
		break;
	}
	return 0;
}
