/* sensor_fault: the module's readings again and again cannot be true, or do not
 * come while those of other modules do (cadence.h).
 */
#include "agent/signature/detector.h"

#include <stdio.h>

#include "agent/signature/kept.h"

#define MISSED_LEAST 8u
#define MISSED_SHARE 5u		/* one in so many that were due */
#define TRIES_LEAST 20u
#define MORE_THAN_MOST 0.15f	/* the share, over that of most modules */

struct sensor_fault {
	struct mono since;	/* bad, or missed; ns 0: none is */
	bool speaking;
};

/* More are missed than of most modules: the source is not just slow. */
static bool are_missed(const struct sensor_fault *s, const struct port_view *v)
{
	unsigned n = last_set(&v->cadence->missed);
	unsigned tries = v->cadence->missed.count;
	unsigned share = s->speaking ? 2 * MISSED_SHARE : MISSED_SHARE;

	return n >= MISSED_LEAST && tries >= TRIES_LEAST &&
	       n * share >= tries && cadence_missed(v->cadence) >
	       v->site->missed + (s->speaking ? 0 : MORE_THAN_MOST);
}

static enum severity fault_judge(void *mine, const struct port_view *v)
{
	struct sensor_fault *s = mine;

	if (last_set(&v->cadence->bad) == 0 &&
	    last_set(&v->cadence->missed) == 0)
		s->since.ns = 0;
	else if (s->since.ns == 0)	/* all was well a reading ago */
		s->since.ns = v->front->t.ns - v->front->dt_ns;
	s->speaking = v->cadence->unsound || are_missed(s, v);
	return s->speaking ? SEVERITY_WATCH : SEVERITY_NONE;
}

/* The share that most modules miss may change. */
static bool fault_waits(const void *mine)
{
	const struct sensor_fault *s = mine;

	return s->since.ns != 0;
}

static void fault_describe(const void *mine, const struct port_view *v,
			   struct finding *f)
{
	const struct sensor_fault *s = mine;
	const struct last *gone = &v->cadence->missed;
	const struct last *wrong = &v->cadence->bad;
	unsigned bad = last_set(wrong), missed = last_set(gone);

	f->end = END_NEAR;
	f->action = ACTION_RESEAT_NEAR;
	f->cause_id = bad >= BAD_OVER ? CAUSE_READINGS_IMPOSSIBLE :
					CAUSE_READINGS_MISSED;
	/* The source may leave readings out: chosen. */
	f->confidence = bad >= BAD_OVER ? 0.9f : 0.7f;
	f->onset = s->since;
	if (bad >= BAD_OVER)
		(void)snprintf(f->cause, sizeof(f->cause), "%u of the last %u "
			       "readings of the module are implausible: its "
			       "bus or its monitors fail", bad, wrong->count);
	else
		(void)snprintf(f->cause, sizeof(f->cause), "%u of %u readings "
			       "of the module failed, while others succeeded: "
			       "its bus or its monitors fail",
			       missed, gone->count);
	evidence_add(f, "readings_bad", bad);
	evidence_add(f, "readings_missed", missed);
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
