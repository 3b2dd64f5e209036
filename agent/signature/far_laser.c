/* far_laser: light and errors judge the far transmitter. It fades over hours
 * or days, never at once.
 */
#include "agent/signature/loss.h"

static const struct loss_shares shares = {
	.at_once = { .01, .55 }, .slowly = { .99, .05 },
	.shaky = { .1, .4 },
};

static bool weigh(const struct measures *m, double *ret_nats)
{
	return loss_weigh(m, &shares, ret_nats);
}

const struct hypothesis far_laser_hypothesis = {
	.signature = SIGNATURE_FAR_LASER,
	.end = END_FAR,
	.action = ACTION_REPLACE_FAR,
	.cause_id = CAUSE_FAR_LASER_FADES,
	.words = "received light falls slowly and explains it: the far "
		 "transmitter fades",
	.what = "the far transmitter fades",
	.needs = loss_needs,
	.need_count = LOSS_NEEDS,
	.applies = loss_applies,
	.weigh = weigh,
	.of_lanes = true,
};
