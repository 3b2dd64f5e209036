/* thermal_fec: the module got warm, and its errors follow the temperature. */
#include "agent/signature/loss.h"

#define WARM_K 5.5
#define HOT_K 8.0
#define COOL_K 2.0
#define EXPLAINS 0.6		/* of the rise, to count as its cause */

static bool weigh(const struct measures *m, double *ret_nats)
{
	if (!m->has_heat)
		return true;
	if (m->heat_k < COOL_K)
		return false;
	*ret_nats += loss_sure(m) * nats_of(.04, .6);
	*ret_nats += m->heat_k > HOT_K ? nats_of(.9, .03) :
		     m->heat_k > WARM_K ? nats_of(.9, .06) : nats_of(.1, .2);
	*ret_nats += m->heat_makes > EXPLAINS * m->raw ? nats_of(.9, .1) :
							 nats_of(.15, .85);
	*ret_nats += m->step_share > .5 ? nats_of(.05, .5) : nats_of(.95, .5);
	return true;
}

static bool applies(const struct port_facts *facts, const char **ret_why)
{
	if (!port_is_passive(facts))
		return true;
	*ret_why = "passive copper does not heat";
	return false;
}

static const struct need_row needs[] = {
	{ NEED_BER, true, "errors are not counted", "FEC counters of the "
	  "port" },
	{ NEED_TEMP, true, "module temperature is not read",
	  "a module with DOM" },
};

const struct hypothesis thermal_fec_hypothesis = {
	.signature = SIGNATURE_THERMAL_FEC,
	.end = END_NEAR,
	.action = ACTION_FIX_AIRFLOW,
	.cause_id = CAUSE_MODULE_HOT,
	.words = "the module is much warmer than usual, light is steady: heat",
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(needs[0]),
	.applies = applies,
	.weigh = weigh,
};
