/* bent_fibre: a bend loses more of the longer waves, on all lanes of the cable
 * at once, and what moves it moves the light.
 */
#include "agent/signature/loss.h"

static const struct loss_shares shares = {
	.at_once = { .9, .5 }, .slowly = { .1, .5 },
	.of_some = { .05, .3 }, .of_some_colours = { .05, .5 },
	.shaky = { .75, .2 },
	.tilted = { .8, .15 },
};

static bool weigh(const struct measures *m, double *ret_nats)
{
	return loss_weigh(m, &shares, ret_nats);
}

const struct hypothesis bent_fibre_hypothesis = {
	.signature = SIGNATURE_BENT_FIBRE,
	.end = END_PATH,
	.action = ACTION_REPLACE_CABLE,
	.cause_id = CAUSE_BENT_FIBRE,
	.words = "received light fell on all lanes and does not settle: a bent "
		 "or pinched fibre",
	.what = "a bent or pinched fibre",
	.needs = loss_needs,
	.need_count = LOSS_NEEDS,
	.applies = loss_applies,
	.weigh = weigh,
	.of_lanes = true,
};
