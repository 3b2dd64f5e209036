/* Steps of a cumulative counter through wraps and restarts.
 *
 * One struct per counter, in the caller's memory. It does not depend on what is
 * counted. A step backwards is a wrap only if the counter was in the upper half
 * of its width and the step that the wrap implies is plausible at the counter's
 * own rate; otherwise it is a restart, whose step is unknown and is not
 * reported as a number.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/clock.h"

#define COUNTER_WRAP_RATE_MAX 20	/* times the expected step */

struct counter {
	uint64_t last;
	struct mono t;		/* of last */
	float rate_per_s;	/* smoothed, while it may wrap; negative:
				 * unknown */
	bool has;
};

enum counter_change {
	COUNTER_FIRST,		/* nothing to compare with */
	COUNTER_STEP,
	COUNTER_WRAP,		/* also a step */
	COUNTER_RESTART,	/* counts from 0 again: the step is unknown */
};

/* Forgets what was read. */
void counter_start(struct counter *c);

/* Part of counter_take(): any change that is not a forward step. */
enum counter_change counter_turn(struct counter *c, uint64_t value,
				 struct mono t, uint64_t *ret_step,
				 int64_t *ret_dt_ns);

#define COUNTER_RATE_SHARE 0.1f	/* weight of a new rate in the average */
#define COUNTER_RATE_LEAST 1e-6f	/* per second; below: no rate */

/* The rate, where time passed. */
static inline void counter_rate_learn(struct counter *c, uint64_t step,
				      int64_t dt_ns)
{
	float rate = (float)step / ((float)dt_ns * 1e-9f);

	if (dt_ns <= 0)
		return;
	/* Arithmetic on denormal numbers is slow. */
	if (c->rate_per_s < COUNTER_RATE_LEAST)
		c->rate_per_s = rate;
	else
		c->rate_per_s += COUNTER_RATE_SHARE * (rate - c->rate_per_s);
}

/* In the upper half of its width? */
static inline bool counter_may_wrap(uint64_t value)
{
	return value >> 63 || value >> 31 == 1;
}

/* Takes a reading; t must not be older than the one before.
 *
 * The width is derived from the value: 32 bits wrap at 2^32, 64 at 2^64.
 * ret_step, ret_dt_ns: set for COUNTER_STEP and COUNTER_WRAP
 */
static inline enum counter_change counter_take(struct counter *c,
					       uint64_t value, struct mono t,
					       uint64_t *ret_step,
					       int64_t *ret_dt_ns)
{
	if (!c->has || value < c->last)
		return counter_turn(c, value, t, ret_step, ret_dt_ns);
	*ret_step = value - c->last;
	*ret_dt_ns = mono_diff_ns(t, c->t);
	c->last = value;
	c->t = t;
	/* Only the wrap test needs the rate. */
	if (counter_may_wrap(value))
		counter_rate_learn(c, *ret_step, *ret_dt_ns);
	return COUNTER_STEP;
}

/* It was read before, and went on to this value, and so little that the step is
 * an int64_t: then counter_step_to() takes it, faster than counter_take().
 */
static inline bool counter_goes_on(const struct counter *c, int64_t value)
{
	return c->has && value >= 0 && ((uint64_t)value >= c->last);
}

static inline double counter_step_to(struct counter *c, int64_t value,
				     struct mono t)
{
	uint64_t step = (uint64_t)value - c->last;

	if ((uint64_t)value >> 31 == 1)	/* it may wrap at 32 bits */
		counter_rate_learn(c, step, mono_diff_ns(t, c->t));
	c->last = (uint64_t)value;
	c->t = t;
	return (double)(int64_t)step;
}

static inline bool counter_stepped(enum counter_change change)
{
	return change == COUNTER_STEP || change == COUNTER_WRAP;
}
