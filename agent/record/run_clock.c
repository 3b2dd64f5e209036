#include "agent/record/run_clock.h"

#include <errno.h>

void run_clock_take(struct run_clock *c, const struct clock_reading *reading)
{
	bool was_used = c->last.ns != 0;

	if (c->first.ns == 0)
		c->first = reading->mono;
	if (c->anchor.is_set && !reading->is_set)
		return;
	if (c->anchor.mono.ns && (c->anchor.is_set || was_used) &&
	    reading->wall.ns < c->anchor.wall.ns) {
		c->steps_back++;
		return;
	}
	c->anchor = *reading;
}

/* On the line that goes through the anchor. */
static struct wall line_at(const struct run_clock *c, struct mono then)
{
	return (struct wall){ c->anchor.wall.ns +
			      mono_diff_ns(then, c->anchor.mono) };
}

int run_clock_wall(struct run_clock *c, struct mono then, struct wall *ret)
{
	int64_t later_ns = mono_diff_ns(then, c->last), least_ns;
	struct wall said;

	if (c->anchor.mono.ns == 0 ||
	    (!c->anchor.is_set &&
	     mono_diff_ns(then, c->first) < RUN_CLOCK_WAIT_NS &&
	     mono_diff_ns(c->anchor.mono, c->first) < RUN_CLOCK_WAIT_NS))
		return -EAGAIN;
	said = line_at(c, then);
	if (c->last.ns && later_ns >= 0) {
		least_ns = c->said.ns + later_ns / 2;
		if (said.ns < least_ns)
			said.ns = least_ns;
	} else if (c->last.ns && said.ns > c->said.ns) {
		said = c->said;
	}
	if (c->last.ns == 0 || later_ns > 0) {
		c->last = then;
		c->said = said;
	}
	*ret = said;
	return 0;
}
