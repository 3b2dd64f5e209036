/* thermal_fec without errors that show it: the module is much warmer than
 * usual, and its errors are named after another cause; or it is so much warmer
 * that something is wrong with its cooling, before errors grow. Otherwise heat
 * is told with the errors that it makes (fec_trend.c).
 */
#include "agent/signature/detector.h"

#include <math.h>
#include <stdio.h>

#include "agent/signature/kept.h"

#define HOT_K 8.5f		/* above usual, less the heat of most modules:
				 * more than load makes, 3 to 7 */
#define HOT_SDS 2.5f
#define ALONE 1.6f		/* times both limits, where no errors grew */
#define STILL_SHARE 0.5f	/* of both limits, to go on */
#define READINGS 24u		/* of the module, in a row */

struct overheat {
	struct mono since;
	uint16_t hot;			/* readings in a row … */
	uint16_t hotter;		/* … and beyond what is told alone */
	enum severity severity;
};

static bool is_hot(const struct overheat *o, const struct port_view *v,
		   float times)
{
	float share = o->severity ? STILL_SHARE : 1;

	return v->heat_k > times * share *
			   fmaxf(HOT_K, HOT_SDS * v->heat_sd_k);
}

static void count(uint16_t *readings, bool is_so)
{
	*readings = is_so ? (uint16_t)(*readings + (*readings < UINT16_MAX)) :
			    0;
}

static enum severity heat_judge(void *mine, const struct port_view *v)
{
	struct overheat *o = mine;

	if (!v->front->dom_good || v->cadence->unsound)
		return o->severity;
	count(&o->hot, is_hot(o, v, 1));
	count(&o->hotter, is_hot(o, v, ALONE));
	if (o->hot == 1)
		o->since = v->front->t;
	o->severity = v->errors_named == SIGNATURE_THERMAL_FEC ? SEVERITY_NONE :
		      (v->errors_named ? o->hot : o->hotter) >= READINGS ?
		      SEVERITY_WATCH : SEVERITY_NONE;
	return o->severity;
}

static void heat_describe(const void *mine, const struct port_view *v,
			  struct finding *f)
{
	const struct overheat *o = mine;

	f->end = END_NEAR;
	f->action = ACTION_FIX_AIRFLOW;
	f->cause_id = CAUSE_MODULE_HOT;
	f->confidence = 0.8f;
	f->onset = o->since;
	(void)snprintf(f->cause, sizeof(f->cause), "the module is %.0f K "
		       "warmer than usual; %s", (double)v->heat_k,
		       v->errors_named ? "its errors have another cause" :
					 "its errors have not grown yet");
	evidence_add(f, "module_heat_k", (double)v->heat_k);
}

static bool applies(const struct port_facts *facts, const char **ret_why)
{
	if (!port_is_passive(facts))
		return true;
	*ret_why = "passive copper does not heat up";
	return false;
}

static const struct need_row needs[] = {
	{ NEED_TEMP, true, "module temperature is not read",
	  "a module with DOM" },
};

static const struct kept_field overheat_fields[] = {
	KEEP(struct overheat, since),
	KEEP(struct overheat, hot),
	KEEP(struct overheat, hotter),
	KEEP_TO(struct overheat, severity, SEVERITY_COUNT - 1),
};

static const struct kept overheat_kept =
	KEPT_TABLE(struct overheat, "overheat", overheat_fields);

const struct detector overheat_detector = {
	.signature = SIGNATURE_THERMAL_FEC,
	.state_size = sizeof(struct overheat),
	.kept = &overheat_kept,
	.hold_ns = 600 * NS_PER_S,
	.of_module = true,
	.wakes = WAKE_MODULE,
	.needs = needs,
	.need_count = 1,
	.applies = applies,
	.judge = heat_judge,
	.describe = heat_describe,
};
