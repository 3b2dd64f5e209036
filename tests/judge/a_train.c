#include "tests/judge/a_train.h"

#include <math.h>
#include "platform/sim/draw.h"

#define JITTER 0.5		/* of the time between two */
#define LOOKED_AT_MOST 4096

static double begin_s(const struct a_train *t, uint64_t n)
{
	double jitter = JITTER * key_unit(t->key + 2 * n) * t->every_s;

	if (t->count == 0)
		return (double)n * t->every_s + (n > 0 ? jitter : 0);
	return (double)(n / t->count) * t->row_s +
		(double)(n % t->count) * t->every_s + jitter;
}

/* An episode that began before so long may still last, or count. */
static uint64_t first_that_counts(const struct a_train *t, double from_s)
{
	double back = from_s - 2 * t->every_s - 2 * t->last_s;

	if (back <= 0)
		return 0;
	if (t->count == 0)
		return (uint64_t)(back / t->every_s);
	back = from_s - t->row_s - 2 * t->last_s;
	return back <= 0 ? 0 : (uint64_t)(back / t->row_s) * t->count;
}

struct a_passed a_train_pass(const struct a_train *t, double from_s,
			     double to_s)
{
	uint64_t n = first_that_counts(t, from_s), end = n + LOOKED_AT_MOST;
	struct a_passed ret = { 0 };

	for (; to_s > 0 && n < end; n++) {
		double begin = begin_s(t, n), last, stop, inside;

		if (begin > to_s)
			break;
		last = t->last_s * (0.5 + key_unit(t->key + 2 * n + 1));
		stop = begin + last;
		ret.begun += begin > from_s;
		inside = fmin(stop, to_s) - fmax(begin, from_s);
		if (inside <= 0)
			continue;
		ret.inside_s += inside;
		ret.longest_s = fmax(ret.longest_s, last);
		ret.is_inside |= stop > to_s;
	}
	return ret;
}
