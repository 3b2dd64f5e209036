#include "platform/sonic/poll/age.h"

#include <string.h>

#include "agent/base/hash.h"
#include "platform/sonic/poll/flex.h"
#include "platform/sonic/poll/run.h"
#include "platform/sonic/switchdb/namespace.h"
#include "platform/sonic/meaning/text.h"

#define BULK_NS (10 * NS_PER_MS)	/* syncd's bulk read of a group */
#define RACE_NS (100 * NS_PER_MS)	/* this near, the next may be writing */
#define LANDED_NS (100 * NS_PER_MS)	/* a bulk read is written in this, */
#define LANDED_SHARE 20			/* or this part of its interval, */
#define LANDED_MOST_NS NS_PER_S		/* or at most this */
#define SLACK_NS (50 * NS_PER_MS)	/* jitter of syncd's intervals */
#define LATE_SHARE 4	/* of an interval: a later answer is late */
#define UNKNOWN_INTERVALS 3	/* intervals of uncertainty that mean unknown */
#define FROZEN_INTERVALS 3
#define ROW_INTERVAL_NS (60 * NS_PER_S)	/* xcvrd's period by default */
/* What does not change is passed on again as seldom as that: a collector that
 * was restarted has it again, and Prometheus looks back five minutes.
 */
#define SAME_INTERVAL_NS (200 * NS_PER_S)
#define ROW_INTERVAL_MAX_S 3600
#define STAMP_AHEAD_S 2
#define PERIODIC_NS (120 * NS_PER_S)	/* WATERMARK_TABLE's default */

/* The window of a peak. */
static int64_t window_ns(const struct table *t, const struct flex_state *f)
{
	switch ((enum table_window)t->window) {
	case WINDOW_GROUP:
		return f->interval_ns;
	case WINDOW_PERIOD:
		return PERIODIC_NS;
	case WINDOW_NONE:
		break;
	}
	return 0;
}

int64_t age_late_ns(const struct run *r, const struct poll *p)
{
	const struct table *t = r->table;

	return r->namespace->channel[t->database].now.ns - p->asked.ns;
}

/* The answer took so long that the rows may be from a later bulk read than the
 * stamp, which came before them: which one is unknown.
 */
static bool is_overtaken(const struct flex_state *f, int64_t late_ns,
			 int64_t age_ns)
{
	int64_t patience_ns = f->interval_ns / LATE_SHARE;

	return late_ns > (patience_ns > RACE_NS ? patience_ns : RACE_NS) &&
	       age_ns + late_ns + RACE_NS > f->interval_ns;
}

/* The time after which all rows of a stamp are written. */
static int64_t landed_ns(const struct flex_state *f)
{
	int64_t share_ns = f->interval_ns / LANDED_SHARE;

	if (share_ns > LANDED_MOST_NS)
		return LANDED_MOST_NS;
	return share_ns > LANDED_NS ? share_ns : LANDED_NS;
}

int64_t age_hold_ns(const struct namespace *s, enum sonic_source source,
		    struct mono now)
{
	int64_t hold_ns = 0;

	for (unsigned i = 0; i < s->run_count; i++) {
		const struct table *t = s->run[i].table;
		const struct flex_state *f = &s->flex[t->group];
		int64_t age_ns = now.ns - f->stamp_ns, since_ns, to_ns;

		if (t->source != source || t->group == FLEX_NONE ||
		    f->disabled || f->stamp_ns <= 0 || age_ns < 0 ||
		    age_ns > FROZEN_INTERVALS * f->interval_ns)
			continue;
		since_ns = age_ns % f->interval_ns;
		if (since_ns > f->interval_ns - RACE_NS)
			since_ns -= f->interval_ns;
		to_ns = landed_ns(f) + SLACK_NS - since_ns;
		if (since_ns < landed_ns(f) && to_ns > hold_ns)
			hold_ns = to_ns;
	}
	return hold_ns;
}

/* With a stamp, the age is known to the length of a bulk read, unless the next
 * one is about due. Without, it is anywhere in the group's interval. If the
 * answer is late, neither is true.
 */
bool age_of_flex(struct run *r, const struct poll *p, struct read_group *ret)
{
	const struct table *t = r->table;
	const struct flex_state *f = &r->namespace->flex[t->group];
	int64_t age_ns = p->asked.ns - f->stamp_ns;
	int64_t late_ns = age_late_ns(r, p);
	bool has_stamp = f->stamp_ns > 0 && age_ns >= -NS_PER_S;

	ret->window_ns = window_ns(t, f);
	if (has_stamp) {
		ret->taken.ns = f->stamp_ns;
		ret->uncertainty_ns = BULK_NS;
	} else {
		age_ns = f->interval_ns;
		ret->taken.ns = p->asked.ns - f->interval_ns / 2;
		ret->uncertainty_ns = f->interval_ns / 2;
	}
	if (has_stamp ? age_ns < landed_ns(f) ||
			age_ns + late_ns + BULK_NS > f->interval_ns :
			is_overtaken(f, late_ns, age_ns))
		ret->uncertainty_ns = age_ns + late_ns +
				      UNKNOWN_INTERVALS * f->interval_ns;
	return has_stamp && f->stamp_ns == r->given_stamp_ns;
}

static void group_check(struct poll *p, enum flex_group group,
			const struct flex_state *f)
{
	int64_t age_ns = p->asked.ns - f->stamp_ns;

	if (f->disabled || f->stamp_ns <= 0 ||
	    age_ns <= FROZEN_INTERVALS * f->interval_ns)
		return;
	p->frozen = true;
	note_first(p, "syncd last read %s %lld s ago, its interval is %lld ms",
		   flex_group_name(group), (long long)(age_ns / NS_PER_S),
		   (long long)(f->interval_ns / NS_PER_MS));
}

void age_check(struct namespace *s, struct poll *p)
{
	for (unsigned i = 0; i < s->run_count; i++) {
		const struct table *t = s->run[i].table;

		if (t->source == p->source && t->group != FLEX_NONE)
			group_check(p, (enum flex_group)t->group,
				    &s->flex[t->group]);
	}
}

/* last_update_time as a monotonic time; false if the clock was stepped. */
static bool updated_mono(const struct poll *p, int64_t updated_s,
			 struct mono *ret)
{
	int64_t ago_ns;

	if (updated_s > p->wall.ns / NS_PER_S + STAMP_AHEAD_S)
		return false;
	/* It is truncated to the second: the middle is the best guess. */
	ago_ns = p->wall.ns - updated_s * NS_PER_S - NS_PER_S / 2;
	if (ago_ns < 0)
		ago_ns = 0;
	ret->ns = p->asked.ns - ago_ns;
	return ret->ns > 0;		/* else from before this boot */
}

static void interval_note(struct poll *p, struct cage_row *before,
			  int64_t updated_s)
{
	int64_t step_s = updated_s - before->updated_s;

	if (before->updated_s > 0 && step_s > 0 &&
	    step_s <= ROW_INTERVAL_MAX_S)
		p->row_interval_ns = step_s * NS_PER_S;
	before->updated_s = updated_s;
}

bool age_of_row(const struct run *r, struct poll *p, struct cage_row *before,
		const struct row *row, struct read_group *ret)
{
	const struct table *t = r->table;
	const char *updated = row->text[TEXT_UPDATED];
	uint64_t stamp = row_hash(row, &r->index);
	int64_t ago_ns = p->asked.ns - before->given.ns;
	bool repeated, dated = false;
	int64_t updated_s;

	if (t->age == AGE_ROW &&
	    text_utc(updated, strlen(updated), &updated_s) == 0) {
		dated = updated_mono(p, updated_s, &ret->taken);
		stamp = hash_octets(0, updated, strlen(updated));
		interval_note(p, before, updated_s);
	}
	repeated = stamp == before->stamp &&
		   (t->age == AGE_CHANGE ? ago_ns < SAME_INTERVAL_NS :
		    updated[0] || ago_ns < ROW_INTERVAL_NS);
	before->stamp = stamp;
	ret->window_ns = 0;
	ret->uncertainty_ns = NS_PER_S / 2;
	if (!dated) {
		ret->uncertainty_ns = ROW_INTERVAL_NS / 2;
		ret->taken.ns = p->asked.ns - ROW_INTERVAL_NS / 2;
	}
	if (!repeated)
		before->given = p->asked;
	return repeated;
}

/* Its timestamp is local time in an unknown zone: it only distinguishes a new
 * row from the old one, and the age is between this reading and the last.
 */
bool age_of_sensor(const struct poll *p, struct object *o,
		   const struct row *row, const struct field_index *x,
		   struct read_group *ret)
{
	const char *updated = row->text[TEXT_UPDATED];
	uint64_t stamp = hash_octets(row_hash(row, x), updated,
				     strlen(updated));
	int64_t gap_ns = o->last.read.ns ? p->asked.ns - o->last.read.ns :
				      SENSOR_INTERVAL_NS;
	bool repeated = stamp == o->last.stamp && updated[0];

	ret->window_ns = 0;
	ret->uncertainty_ns = gap_ns / 2;
	ret->taken.ns = p->asked.ns - gap_ns / 2;
	o->last.stamp = stamp;
	o->last.read = p->asked;
	return repeated;
}
