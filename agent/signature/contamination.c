/* contamination: dirt on a connector, or one that is not fully seated. It comes
 * when somebody plugs, on one or a few fibres or on all, and is steady since;
 * or it grows, slowly.
 */
#include "agent/signature/loss.h"

static const struct loss_shares shares = {
	.at_once = { .97, .5 }, .slowly = { .03, .5 },
	.of_some = { .6, .3 }, .of_some_colours = { .02, .5 },
	.shaky = { .1, .4 },
	.tilted = { .05, .4 },
};

static bool weigh(const struct measures *m, double *ret_nats)
{
	return loss_weigh(m, &shares, ret_nats);
}

const struct hypothesis contamination_hypothesis = {
	.signature = SIGNATURE_CONTAMINATION,
	.end = END_PATH,
	.action = ACTION_CLEAN_NEAR,
	.cause_id = CAUSE_DIRTY_CONNECTOR,
	.words = "received light fell with it and explains it: a dirty or "
		 "loose connector",
	.what = "a dirty or loose connector",
	.needs = loss_needs,
	.need_count = LOSS_NEEDS,
	.applies = loss_applies,
	.weigh = weigh,
	.of_lanes = true,
};
