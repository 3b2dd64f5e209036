/* sensor_fault: the module's readings again and again cannot be true, do not
 * come while those of other modules do, or are the same again and again while
 * those of other modules differ (cadence.h).
 */
#include "agent/signature/detector.h"

#include <stdio.h>

#include "agent/signature/kept.h"

#define MISSED_LEAST 8u
#define MISSED_SHARE 5u		/* one in so many that were due */
#define TRIES_LEAST 20u
#define MORE_THAN_MOST 0.15f	/* the share, over that of most modules */
#define OVER_NATS 5	/* so many in a row came as would once in 150 times by
			 * chance, if as many were missed as before */

struct sensor_fault {
	struct mono since;	/* bad, missed or the same; ns 0: none is */
	bool speaking;
};

/* More are missed than of most modules: the source is not just slow. */
static bool are_missed(const struct sensor_fault *s, const struct port_view *v)
{
	unsigned n = last_set(&v->cadence->missed);
	unsigned tries = v->cadence->missed.count;
	unsigned share = s->speaking ? 2 * MISSED_SHARE : MISSED_SHARE;

	return n >= MISSED_LEAST && tries >= TRIES_LEAST &&
	       n * last_since(&v->cadence->missed) < OVER_NATS * tries &&
	       n * share >= tries && cadence_missed(v->cadence) >
	       v->site->missed + (s->speaking ? 0 : MORE_THAN_MOST);
}

/* When the readings differed last. */
static int64_t moved_ns(const struct port_view *v)
{
	return v->cadence->came.ns -
	       (int64_t)(cadence_still_s(v->cadence, v->cadence->came) * 1e9f);
}

static enum severity fault_judge(void *mine, const struct port_view *v)
{
	struct sensor_fault *s = mine;

	bool stands = cadence_stands(v->cadence, v->site->still_s);

	if (last_set(&v->cadence->bad) == 0 &&
	    last_set(&v->cadence->missed) == 0 && !stands)
		s->since.ns = 0;
	else if (s->since.ns == 0)
		s->since.ns = stands ? moved_ns(v) :
			      /* all was well a reading ago */
			      v->front->t.ns - v->front->dt_ns;
	s->speaking = v->cadence->unsound || stands || are_missed(s, v);
	return s->speaking ? SEVERITY_WATCH : SEVERITY_NONE;
}

/* The share that most modules miss may change. */
static bool fault_waits(const void *mine)
{
	const struct sensor_fault *s = mine;

	return s->since.ns != 0;
}

static enum cause_id cause_of(const struct port_view *v)
{
	if (last_set(&v->cadence->bad) >= BAD_OVER)
		return CAUSE_READINGS_IMPOSSIBLE;
	return cadence_stands(v->cadence, v->site->still_s) ?
		       CAUSE_READINGS_STILL : CAUSE_READINGS_MISSED;
}

static void cause_write(const struct cadence *c, struct finding *f)
{
	if (f->cause_id == CAUSE_READINGS_IMPOSSIBLE)
		(void)snprintf(f->cause, sizeof(f->cause), "%u of the last %u "
			       "readings of the module are implausible: its "
			       "bus or its monitors fail", last_set(&c->bad),
			       c->bad.count);
	else if (f->cause_id == CAUSE_READINGS_STILL)
		(void)snprintf(f->cause, sizeof(f->cause), "the readings of "
			       "the module no longer change, while those of "
			       "others do: its monitors stand still");
	else
		(void)snprintf(f->cause, sizeof(f->cause), "%u of %u readings "
			       "of the module failed, while others succeeded: "
			       "its bus or its monitors fail",
			       last_set(&c->missed), c->missed.count);
}

static void fault_describe(const void *mine, const struct port_view *v,
			   struct finding *f)
{
	const struct sensor_fault *s = mine;
	const struct cadence *c = v->cadence;

	f->end = END_NEAR;
	f->action = ACTION_RESEAT_NEAR;
	f->cause_id = cause_of(v);
	/* The source may leave readings out, or repeat them: chosen. */
	f->confidence = f->cause_id == CAUSE_READINGS_IMPOSSIBLE ? 0.9f : 0.7f;
	f->onset = s->since;
	cause_write(c, f);
	evidence_add(f, "readings_bad", last_set(&c->bad));
	evidence_add(f, "readings_missed", last_set(&c->missed));
	if (f->cause_id == CAUSE_READINGS_STILL)
		evidence_add(f, "readings_same", c->same);
}

static const struct need_row needs[] = {
	{ NEED_TEMP, true, "no monitor of the module is read",
	  "a module with DOM" },
};

static bool applies(const struct port_facts *facts, const char **ret_why)
{
	if (!port_is_passive(facts))
		return true;
	*ret_why = "passive copper has no monitors";
	return false;
}

static const struct kept_field sensor_fault_fields[] = {
	KEEP(struct sensor_fault, since),
	KEEP(struct sensor_fault, speaking),
};

static const struct kept sensor_fault_kept =
	KEPT_TABLE(struct sensor_fault, "sensor_fault", sensor_fault_fields);

const struct detector sensor_fault_detector = {
	.signature = SIGNATURE_SENSOR_FAULT,
	.state_size = sizeof(struct sensor_fault),
	.kept = &sensor_fault_kept,
	.hold_ns = 300 * NS_PER_S,
	.of_module = true,
	.of_cage = true,
	.wakes = WAKE_MODULE,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(needs[0]),
	.applies = applies,
	.judge = fault_judge,
	.describe = fault_describe,
	.waits = fault_waits,
};
