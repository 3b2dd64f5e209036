/* module_changed: another module is in the cage, and its normal values are
 * learned anew. Reported for a while, so that people see why.
 */
#include "agent/signature/detector.h"

#include <stdio.h>

#include "agent/signature/kept.h"

#define TOLD_NS (900 * NS_PER_S)

static enum severity changed_judge(void *mine, const struct port_view *v)
{
	const struct front *f = v->front;

	(void)mine;	/* the front end keeps the time */
	return f->changed_at.ns != INT64_MIN &&
	       mono_diff_ns(f->t, f->changed_at) < TOLD_NS ? SEVERITY_WATCH :
							     SEVERITY_NONE;
}

static void changed_describe(const void *mine, const struct port_view *v,
			     struct finding *f)
{
	(void)mine;
	f->end = END_NEAR;
	f->action = ACTION_OBSERVE;
	f->cause_id = CAUSE_MODULE_CHANGED;
	f->confidence = 0.95f;
	f->onset = v->front->changed_at;
	(void)snprintf(f->cause, sizeof(f->cause), "another module was "
		       "inserted%s%s: the baseline is learned again",
		       v->front->serial[0] ? ", " : "", v->front->serial);
}

static const struct need_row needs[] = {
	{ NEED_SERIAL, true, "the module's serial number is not read",
	  "a module with a serial number" },
};

/* It has no state. */
static const struct kept module_changed_kept = { .name = "module_changed" };

const struct detector module_changed_detector = {
	.signature = SIGNATURE_MODULE_CHANGED,
	.kept = &module_changed_kept,
	.of_cage = true,
	.wakes = WAKE_MODULE,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(needs[0]),
	.judge = changed_judge,
	.describe = changed_describe,
};
