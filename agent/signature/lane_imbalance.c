/* lane_imbalance: one lane stands far off its siblings. What is on the fibre
 * takes light of all colours; a lane that was seen to fade is a laser's.
 */
#include "agent/signature/loss.h"

#define FAR_DB 1.0

static const struct loss_shares shares = {
	.at_once = { .5, .55 }, .slowly = { .1, .45 },
	.of_some_colours = { .95, .5 },
};

static bool weigh(const struct measures *m, double *ret_nats)
{
	if (!loss_weigh(m, &shares, ret_nats))
		return false;
	if (loss_sure(m) <= 0)
		return true;
	if (m->drop.lanes_known < 2)
		return false;
	*ret_nats += loss_sure(m) *
		     ((double)m->drop.worst_db - m->next_db > FAR_DB ?
		      nats_of(.9, .1) : nats_of(.05, .9));
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
	.cause_id = CAUSE_WEAK_LANE,
	.words = "one lane gets far less light than the others, which explains "
		 "it",
	.what = "one lane gets far less than the others",
	.needs = loss_needs,
	.need_count = LOSS_NEEDS,
	.applies = applies,
	.weigh = weigh,
	.of_lanes = true,
};
