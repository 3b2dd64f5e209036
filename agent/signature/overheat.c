/* thermal_fec without errors that show it: the module is above its own limit;
 * or it is much warmer than usual, and its errors are named after another
 * cause; or it is so much warmer that something is wrong with its cooling,
 * before errors grow. Otherwise heat is told with the errors that it makes
 * (fec_trend.c).
 */
#include "agent/signature/detector.h"

#include <math.h>
#include <stdio.h>

#include "agent/signature/heat.h"
#include "agent/signature/kept.h"

#define HOT_K 8.5f		/* above usual, less the heat of most modules:
				 * more than load makes, 3 to 7 */
#define HOT_SDS 2.5f
#define ALONE 1.6f		/* times both limits, where no errors grew */
#define STILL_SHARE 0.5f	/* of both limits, to go on */
#define READINGS 24u		/* of the module, in a row */
#define OWN_K 5.0f		/* more than a job or a hot day makes of its own
				 * beside what most modules show */
#define OVER_READINGS 6u	/* above its limit, in a row … */
#define OVER_NS (60 * NS_PER_S)	/* … for so long */

struct overheat {
	struct mono since;
	uint16_t hot;			/* readings in a row … */
	uint16_t hotter;		/* … beyond what is told alone … */
	uint16_t over;			/* … and above its own limit */
	uint8_t severity;
	bool was_below;			/* … which it was not always */
};

static bool is_hot(const struct overheat *o, const struct port_view *v,
		   float times)
{
	float share = o->severity ? STILL_SHARE : 1;

	return v->heat_k > times * share *
			   fmaxf(HOT_K, HOT_SDS * v->heat_sd_k);
}

bool overheat_is_much(const struct port_view *v)
{
	return v->heat_k > ALONE * fmaxf(HOT_K, HOT_SDS * v->heat_sd_k);
}

const char *overheat_words(const struct port_view *v, char *ret, size_t cap)
{
	(void)snprintf(ret, cap, "the module is at %.0f C, %.0f K warmer than "
		       "usual, which explains them: heat",
		       (double)v->front->temp_c, v->ber->residual.heat_k);
	return ret;
}

static void count(uint16_t *readings, bool is_so)
{
	*readings = is_so ? (uint16_t)(*readings + (*readings < UINT16_MAX)) :
			    0;
}

/* Takes a reading of the module against its own limit. */
static void over_take(struct overheat *o, const struct port_view *v)
{
	float still_c = o->over >= OVER_READINGS ? HEAT_NEAR_C : 0;
	bool is_over = v->front->temp_c >= heat_limit_c(v->facts) - still_c;

	count(&o->over, is_over);
	o->was_below |= !is_over && !isnan(v->front->temp_c);
}

static bool is_told_over(const struct overheat *o, const struct port_view *v)
{
	return o->over >= OVER_READINGS &&
	       mono_diff_ns(v->front->t, o->since) >= OVER_NS;
}

/* The cause of its errors is known, or no cause shows after some looks: heat
 * that is not it is told beside them.
 */
static bool errors_looked(const struct port_view *v)
{
	return v->errors_named &&
	       (v->errors_named != SIGNATURE_FEC_TREND || v->errors_looked);
}

static enum severity severity_of(const struct overheat *o,
				 const struct port_view *v)
{
	if (is_told_over(o, v))
		return v->heat_k > OWN_K ? SEVERITY_WARN : SEVERITY_WATCH;
	return (errors_looked(v) ? o->hot : o->hotter) >= READINGS ?
	       SEVERITY_WATCH : SEVERITY_NONE;
}

static enum severity heat_judge(void *mine, const struct port_view *v)
{
	struct overheat *o = mine;
	bool was;

	if (!v->front->dom_good || v->cadence->unsound)
		return o->severity;
	was = o->hot || o->over;
	count(&o->hot, is_hot(o, v, 1));
	count(&o->hotter, is_hot(o, v, ALONE));
	over_take(o, v);
	if (!was)
		o->since = v->front->t;
	o->severity = (uint8_t)severity_of(o, v);
	return o->severity;
}

/* What it does to errors. */
static const char *errors_words(const struct overheat *o,
				const struct port_view *v)
{
	if (errors_looked(v))
		return "its errors have another cause";
	if (v->errors_named)
		return "whether it makes its errors is not known yet";
	return is_told_over(o, v) && !o->was_below ?
	       "its cooling, or its sensor" : "its errors have not grown yet";
}

static void cause_tell(const struct overheat *o, const struct port_view *v,
		       struct finding *f)
{
	if (is_told_over(o, v))
		(void)snprintf(f->cause, sizeof(f->cause), "the module is at "
			       "%.0f C%s, and its own alarm limit is %.0f C; "
			       "%s", (double)v->front->temp_c,
			       o->was_below ? "" : " since it was first read",
			       (double)heat_limit_c(v->facts),
			       errors_words(o, v));
	else
		(void)snprintf(f->cause, sizeof(f->cause), "the module is %.0f "
			       "K warmer than usual; %s", (double)v->heat_k,
			       errors_words(o, v));
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
	cause_tell(o, v, f);
	if (!isnan(v->heat_k))
		evidence_add(f, "module_heat_k", (double)v->heat_k);
	if (is_told_over(o, v)) {
		evidence_add(f, "module_temp_c", (double)v->front->temp_c);
		evidence_add(f, "module_alarm_c",
			     (double)heat_limit_c(v->facts));
	}
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
	KEEP(struct overheat, over),
	KEEP_TO(struct overheat, severity, SEVERITY_COUNT - 1),
	KEEP(struct overheat, was_below),
};

static const struct kept overheat_kept =
	KEPT_TABLE(struct overheat, "overheat", overheat_fields);

const struct detector overheat_detector = {
	.signature = SIGNATURE_THERMAL_FEC,
	.state_size = sizeof(struct overheat),
	.kept = &overheat_kept,
	.hold_ns = 600 * NS_PER_S,
	.of_module = true,
	.of_cage = true,
	.is_early = true,
	.wakes = WAKE_MODULE,
	.needs = needs,
	.need_count = 1,
	.applies = applies,
	.judge = heat_judge,
	.describe = heat_describe,
};
