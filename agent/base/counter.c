#include "agent/base/counter.h"

#define RATE_SHARE 0.1f		/* of a new rate in the smoothed one */

void counter_start(struct counter *c)
{
	*c = (struct counter){ .rate_per_s = -1 };
}

/* The step that a wrap of a counter of that width implies; 0 where the
 * counter cannot have wrapped.
 */
static uint64_t wrap_step(uint64_t last, uint64_t value)
{
	if (last >> 63)
		return value - last;			/* modulo 2^64 */
	if (last >> 31 == 1)
		return (UINT64_C(1) << 32) - last + value;
	return 0;
}

static void rate_learn(struct counter *c, double rate)
{
	if (c->rate_per_s < 0)
		c->rate_per_s = (float)rate;
	else
		c->rate_per_s += RATE_SHARE * ((float)rate - c->rate_per_s);
}

static enum counter_change counter_back(struct counter *c, uint64_t value,
					double dt_s, uint64_t *ret_step)
{
	uint64_t step = wrap_step(c->last, value);
	double expected = c->rate_per_s * dt_s;

	if (step == 0 || c->rate_per_s <= 0 ||
	    (double)step > COUNTER_WRAP_RATE_MAX * expected)
		return COUNTER_RESTART;
	*ret_step = step;
	return COUNTER_WRAP;
}

enum counter_change counter_take(struct counter *c, uint64_t value,
				 struct mono t, uint64_t *ret_step,
				 int64_t *ret_dt_ns)
{
	enum counter_change change = COUNTER_FIRST;
	int64_t dt_ns = mono_diff_ns(t, c->t);
	double dt_s = (double)dt_ns / 1e9;
	uint64_t step = 0;

	if (c->has && value >= c->last) {
		change = COUNTER_STEP;
		step = value - c->last;
	} else if (c->has) {
		change = counter_back(c, value, dt_s, &step);
	}
	c->last = value;
	c->t = t;
	c->has = true;
	if (!counter_stepped(change))
		return change;
	if (dt_ns > 0)
		rate_learn(c, (double)step / dt_s);
	*ret_step = step;
	*ret_dt_ns = dt_ns;
	return change;
}
