#include "agent/ctl/timeline.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* This many in a row, each newer than the one before, are not a late batch but
 * a stepped clock: for counters that stand still, and for ones that went back.
 */
#define LATE_RUN_STILL 16
#define LATE_RUN_BACK 64
#define TIME_MAX_NS (INT64_MAX / 2)
#define PERIOD_UNKNOWN_NS NS_PER_S
#define DOM_SAME_NS NS_PER_MS	/* one reading's time, twice, by two clocks */

static const enum input marks[TIMELINE_MARKS] = {
	INPUT_FEC_BIN, INPUT_FEC_CORRECTED_BITS, INPUT_IN_OCTETS,
	INPUT_OUT_OCTETS, INPUT_IN_FRAMES, INPUT_OUT_FRAMES,
};

/* The number of counters that advanced, minus those that went back. */
static int marks_compare(const struct timeline_port *p,
			 const struct inputs *k)
{
	int ahead = 0;

	for (unsigned i = 0; i < TIMELINE_MARKS; i++) {
		uint64_t now = (uint64_t)k->value[marks[i]];

		if (!(p->has_mark >> i & 1) || !inputs_has(k, marks[i]))
			continue;
		ahead += (now > p->mark[i]) - (now < p->mark[i]);
	}
	return ahead;
}

static void marks_take(struct timeline_port *p, const struct inputs *k)
{
	for (unsigned i = 0; i < TIMELINE_MARKS; i++) {
		if (!inputs_has(k, marks[i]))
			continue;
		p->mark[i] = (uint64_t)k->value[marks[i]];
		p->has_mark |= (uint8_t)(1u << i);
	}
}

/* Whether a sample whose time is not newer is newer all the same. */
static bool is_newer(struct timeline_port *p, const struct trace_sample *s)
{
	int ahead = marks_compare(p, &s->tick);

	if (s->has_seq && p->has_seq)
		return s->seq > p->seq;
	if (ahead > 0)
		return true;
	p->late_run = s->ts_ns > p->late_ts_ns ? p->late_run + 1 : 0;
	p->late_ts_ns = s->ts_ns;
	return p->late_run >= (ahead == 0 ? LATE_RUN_STILL : LATE_RUN_BACK);
}

static int64_t period_of(const struct timeline_port *p)
{
	return p->period_ns > 0 ? p->period_ns : PERIOD_UNKNOWN_NS;
}

static void dom_place(struct timeline *l, struct timeline_port *p,
		      struct trace_sample *s)
{
	struct inputs *k = &s->tick;
	bool any = inputs_has(k, INPUT_TEMP_MC) || inputs_lanes(k, INPUT_RX_PW);
	bool again;

	k->dom_t = k->t;
	k->dom_new = any;
	k->dom_failed = false;
	if (!s->has_dom_ts)
		return;
	again = p->has_dom &&
		llabs(s->dom_ts_ns - p->dom_ts_ns) < DOM_SAME_NS;
	k->dom_new = any && !again;
	k->dom_failed = !any && p->has_dom && !again;
	k->dom_t.ns = s->dom_ts_ns + l->offset_ns;
	if (k->dom_t.ns > k->t.ns)	/* the clock was stepped in between */
		k->dom_t = k->t;
	p->has_dom |= any;
	if (k->dom_new || k->dom_failed)
		p->dom_ts_ns = s->dom_ts_ns;
}

static void period_follow(struct timeline_port *p, int64_t dt_ns)
{
	if (p->period_ns == 0 || dt_ns < p->period_ns)
		p->period_ns = dt_ns;
	else
		p->period_ns += p->period_ns / 16;
}

/* Places a sample whose time is not newer, if it belongs anywhere. */
static int step_place(struct timeline *l, struct timeline_port *p,
		      const struct trace_sample *s, int64_t dt_ns,
		      struct mono *t)
{
	if (dt_ns == 0 && marks_compare(p, &s->tick) <= 0) {
		l->repeated++;
		return -EALREADY;
	}
	if (!is_newer(p, s)) {
		l->late++;
		return -ESTALE;
	}
	l->steps++;
	l->offset_ns += period_of(p) - dt_ns;
	t->ns = p->newest.ns + period_of(p);
	return 0;
}

int timeline_place(struct timeline *l, struct timeline_port *p,
		   struct trace_sample *s)
{
	struct mono t;
	int64_t dt_ns;
	int rc = 0;

	if (__builtin_add_overflow(s->ts_ns, l->offset_ns, &t.ns) ||
	    t.ns > TIME_MAX_NS)
		return -ESTALE;		/* nonsense, centuries ahead */
	dt_ns = mono_diff_ns(t, p->newest);
	if (p->started && dt_ns <= 0)
		rc = step_place(l, p, s, dt_ns, &t);
	else if (p->started)
		period_follow(p, dt_ns);
	if (rc < 0)
		return rc;
	p->started = true;
	p->newest = s->tick.t = t;
	p->seq = s->seq;
	p->has_seq = s->has_seq;
	p->late_run = 0;
	marks_take(p, &s->tick);
	dom_place(l, p, s);
	return 0;
}
