/* lane_imbalance: one lane stands far off its siblings, and no step was seen.
 */
#include "agent/signature/loss.h"

#define FAR_DB 1.0

static bool weigh(const struct measures *m, double *ret_nats)
{
	const struct light_drop *d = &m->drop;
	double nats = 0;

	if (!loss_weigh(m, ret_nats))
		return false;
	if (loss_sure(m) <= 0)
		return true;
	if (d->lanes_known < 2)
		return false;
	nats += loss_fall(m, (struct fall_shares){ .02, .98 },
			   (struct fall_shares){ .55, .45 });
	nats += (double)d->worst_db - m->next_db > FAR_DB ?
		     nats_of(.9, .1) : nats_of(.05, .9);
	*ret_nats += loss_sure(m) * nats;
	return true;
}

static bool applies(const struct port_facts *facts, const char **ret_why)
{
	if (!loss_applies(facts, ret_why))
		return false;
	if (facts->lanes != 1)
		return true;
	*ret_why = "one lane has no siblings";
	return false;
}

const struct hypothesis lane_imbalance_hypothesis = {
	.signature = SIGNATURE_LANE_IMBALANCE,
	.end = END_PATH,
	.action = ACTION_CLEAN_NEAR,
	.words = "one lane gets far less light than the others, which explains "
		 "it",
	.needs = loss_needs,
	.need_count = LOSS_NEEDS,
	.applies = applies,
	.weigh = weigh,
	.of_lanes = true,
	.limit = loss_limit,
};
