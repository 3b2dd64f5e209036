#include "agent/base/counter.h"

void counter_start(struct counter *c)
{
	*c = (struct counter){ .rate_per_s = -1 };
}

/* The step that a wrap of a counter of that width implies; 0 if the counter
 * cannot have wrapped.
 */
static uint64_t wrap_step(uint64_t last, uint64_t value)
{
	if (!counter_may_wrap(last))
		return 0;
	if (last >> 63)
		return value - last;			/* modulo 2^64 */
	return (UINT64_C(1) << 32) - last + value;
}

static enum counter_change counter_back(struct counter *c, uint64_t value,
					int64_t dt_ns, uint64_t *ret_step)
{
	uint64_t step = wrap_step(c->last, value);
	double expected = c->rate_per_s * ((double)dt_ns / 1e9);

	if (step == 0 || c->rate_per_s <= 0 ||
	    (double)step > COUNTER_WRAP_RATE_MAX * expected)
		return COUNTER_RESTART;
	*ret_step = step;
	return COUNTER_WRAP;
}

enum counter_change counter_turn(struct counter *c, uint64_t value,
				 struct mono t, uint64_t *ret_step,
				 int64_t *ret_dt_ns)
{
	enum counter_change change = COUNTER_FIRST;
	int64_t dt_ns = mono_diff_ns(t, c->t);

	if (c->has)
		change = counter_back(c, value, dt_ns, ret_step);
	c->last = value;
	c->t = t;
	c->has = true;
	if (change != COUNTER_WRAP)
		return change;
	*ret_dt_ns = dt_ns;
	counter_rate_learn(c, *ret_step, dt_ns);
	return COUNTER_WRAP;
}
