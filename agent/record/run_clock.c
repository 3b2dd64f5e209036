#include "agent/record/run_clock.h"

#include <errno.h>
#include <stdlib.h>

#include "petrel/finding.h"

#define EARLIEST_NS (INT64_C(1704067200) * NS_PER_S)	/* 2024 */
#define AHEAD_MAX_NS (600 * NS_PER_S)
#define AGREES_NS (100 * NS_PER_MS)	/* a larger difference is a step */

void run_clock_take(struct run_clock *c, struct clock_reading reading)
{
	bool was_used = c->last.ns != 0;

	if (c->first.ns == 0)
		c->first = reading.mono;
	if (c->anchor.is_set && !reading.is_set)
		return;
	if (c->anchor.mono.ns && (c->anchor.is_set || was_used) &&
	    reading.wall.ns < c->anchor.wall.ns) {
		c->steps_back++;
		return;
	}
	c->anchor = reading;
}

static bool is_plausible(struct wall wall, struct wall now)
{
	return wall.ns >= EARLIEST_NS && wall.ns <= now.ns + AHEAD_MAX_NS;
}

/* A clock that shows our time is set, whatever its kernel knows of it: with its
 * own time an event has the same one on the switch and at the collector.
 */
static bool shows_our_time(struct wall wall, struct wall now)
{
	return llabs(now.ns - wall.ns) < AGREES_NS;
}

/* Of readings with our own time, the one that arrived fastest is the best. */
static bool is_sooner(const struct run_clock *c, struct mono mono,
		      struct wall now)
{
	return now.ns - c->anchor.wall.ns <
	       mono_diff_ns(mono, c->anchor.mono);
}

void run_clock_hear(struct run_clock *c, struct clock_reading r,
		    struct wall now)
{
	if (r.mono.ns <= c->anchor.mono.ns)
		return;
	r.is_set = r.is_set && is_plausible(r.wall, now);
	if (!r.is_set) {
		if (c->is_ours && !is_sooner(c, r.mono, now))
			return;
		if (!shows_our_time(r.wall, now))
			r.wall = now;
	}
	run_clock_take(c, r);
	c->is_ours = !c->anchor.is_set;
}

struct run_clock run_clock_kept(int64_t mono_ns, int64_t wall_ns, bool is_set)
{
	return (struct run_clock){ .anchor = { { mono_ns }, { wall_ns }, -1,
					       is_set },
				   .first = { mono_ns }, .is_ours = !is_set };
}

/* Wall time on the line through the anchor. */
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
	    (!c->anchor.is_set && !c->is_ours &&
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

/* A record's own wall time is kept where the clock agrees with it. */
static struct wall wall_said(struct run_clock *c, struct mono then,
			     struct wall said, struct wall otherwise)
{
	struct wall wall;

	if (then.ns <= 0 || run_clock_wall(c, then, &wall) < 0)
		return is_plausible(said, otherwise) ? said : otherwise;
	return llabs(wall.ns - said.ns) < AGREES_NS ? said : wall;
}

void run_clock_finding(struct run_clock *c, struct finding *f,
		       struct wall now)
{
	int64_t lasts_ns = mono_diff_ns(f->when, f->onset);
	bool is_of_boot = f->onset.ns > 0 && lasts_ns >= 0;

	f->when_wall = wall_said(c, f->when, f->when_wall, now);
	if (is_of_boot)
		f->onset_wall = wall_said(c, f->onset, f->onset_wall,
					  (struct wall){ f->when_wall.ns -
							 lasts_ns });
}
