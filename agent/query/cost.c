#include "agent/query/cost.h"

#define MARK_NS (NS_PER_S / 20 * 19)	/* a second, and who is early */

/* Of the n-th mark ever. */
static unsigned place_of(unsigned n)
{
	return n % COST_MARKS;
}

static void counter_mark(struct cost_counter *c, struct mono at, int64_t value)
{
	unsigned newest = place_of(c->count - 1);

	if (c->count > 0 && mono_diff_ns(at, c->mark[newest].at) < MARK_NS)
		return;
	if (c->count > 0 && value < c->mark[newest].value)
		c->count = 0;	/* the process was started again */
	c->mark[place_of(c->count)].at = at;
	c->mark[place_of(c->count)].value = value;
	c->count++;
}

/* CPU time is of the moment when the process told it. */
static void cpu_mark(struct cost_counter *c, const struct control_process *p)
{
	int64_t at_ns = atomic_load(&p->heartbeat_ns);
	int64_t cpu_ns = atomic_load(&p->cpu_ns);

	if (at_ns > 0 && at_ns == atomic_load(&p->heartbeat_ns))
		counter_mark(c, (struct mono){ at_ns }, cpu_ns);
}

void cost_tick(struct cost *c, const struct control *control, uint64_t values,
	       struct mono now)
{
	for (unsigned role = 0; role < ROLE_COUNT; role++)
		cpu_mark(&c->cpu[role], &control->process[role]);
	counter_mark(&c->values, now, (int64_t)values);
}

bool cost_per_s(const struct cost_counter *c, double *ret_per_s)
{
	unsigned newest = c->count - 1, from = newest - 1;
	int64_t end_ns;

	if (c->count < 2)
		return false;
	end_ns = c->mark[place_of(newest)].at.ns;
	while (from > 0 && newest - from + 1 < COST_MARKS &&
	       end_ns - c->mark[place_of(from - 1)].at.ns <= COST_SPAN_NS)
		from--;
	*ret_per_s = (double)(c->mark[place_of(newest)].value -
			      c->mark[place_of(from)].value) * 1e9 /
		     (double)(end_ns - c->mark[place_of(from)].at.ns);
	return true;
}
