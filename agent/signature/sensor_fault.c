/* sensor_fault: the module's readings cannot be true, again and again. Of the
 * last readings some are remembered as good or bad, a bit each.
 */
#include "agent/signature/detector.h"

#include <stdio.h>

#define KEPT 120u		/* readings */
#define BAD_LEAST 6u		/* of them: a fault, no accident */
#define BAD_OVER 2u		/* fewer: over */

struct sensor_fault {
	uint64_t bad[2];	/* the newest is bit 0 of the first */
	uint32_t refused;	/* of the front end, so far */
	uint8_t readings;	/* of which bad tells */
	struct mono first, last;	/* of the bad ones; ns 0: none */
	bool speaking;
};

static unsigned bad_count(const struct sensor_fault *s)
{
	return (unsigned)(__builtin_popcountll(s->bad[0]) +
			  __builtin_popcountll(s->bad[1]));
}

static bool lanes_are_bad(const struct inputs *k)
{
	for (unsigned i = INPUT_LANE_READING_FAULTS;
	     i <= INPUT_LANE_READING_FAULTS_LAST; i++)
		if (inputs_has(k, i) && k->value[i])
			return true;
	return false;
}

/* Refused by the front end, or by the driver, which tells of it. */
static bool is_bad(struct sensor_fault *s, const struct port_view *v)
{
	const unsigned monitors = INPUT_READING_FAULTS + READING_OF_MONITORS;
	bool refused = v->front->dom_bad != s->refused;

	s->refused = v->front->dom_bad;
	return refused || lanes_are_bad(v->tick) ||
	       (inputs_has(v->tick, monitors) && v->tick->value[monitors]);
}

static enum severity fault_judge(void *mine, const struct port_view *v)
{
	struct sensor_fault *s = mine;
	bool bad;

	if (v->tick->dom_new && !v->front->module_absent) {
		bad = is_bad(s, v);
		s->bad[1] = (s->bad[1] << 1 | s->bad[0] >> 63) &
			    ((UINT64_C(1) << (KEPT - 64)) - 1);
		s->bad[0] = s->bad[0] << 1 | bad;
		s->readings += s->readings < KEPT;
		if (bad && bad_count(s) <= 1)
			s->first = v->front->t;
		if (bad)
			s->last = v->front->t;
	}
	s->speaking = bad_count(s) >= (s->speaking ? BAD_OVER : BAD_LEAST);
	return s->speaking ? SEVERITY_WATCH : SEVERITY_NONE;
}

static void fault_describe(const void *mine, const struct port_view *v,
			   struct finding *f)
{
	const struct sensor_fault *s = mine;

	(void)v;	/* mine has it all */
	f->end = END_NEAR;
	f->action = ACTION_RESEAT_NEAR;
	f->confidence = 0.9f;
	f->onset = s->first;
	(void)snprintf(f->cause, sizeof(f->cause), "%u of the last %u readings "
		       "of the module cannot be true: its bus or its monitors fail",
		       bad_count(s), s->readings);
	evidence_add(f, "readings_bad", bad_count(s));
}

static const struct need_row needs[] = {
	{ NEED_TEMP, true, "no monitor of the module is read",
	  "a module with DOM" },
};

static bool applies(const struct port_facts *facts, const char **ret_why)
{
	if (!facts->media_known || facts->optical)
		return true;
	*ret_why = "passive copper has no monitors";
	return false;
}

const struct detector sensor_fault_detector = {
	.signature = SIGNATURE_SENSOR_FAULT,
	.state_size = sizeof(struct sensor_fault),
	.hold_ns = 300 * NS_PER_S,
	.of_module = true,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(needs[0]),
	.applies = applies,
	.judge = fault_judge,
	.describe = fault_describe,
};
