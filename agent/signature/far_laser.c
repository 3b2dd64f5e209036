/* far_laser: light and errors judge the far transmitter. It fades over hours
 * or days, never at once.
 */
#include "agent/signature/loss.h"

static bool weigh(const struct measures *m, double *ret_nats)
{
	const struct light_drop *d = &m->drop;
	double nats = 0;

	if (!loss_weigh(m, ret_nats))
		return false;
	if (loss_sure(m) <= 0)
		return true;
	nats += loss_fall(m, (struct fall_shares){ .01, .99 },
			   (struct fall_shares){ .55, .05 });
	if (d->shaky > 0)
		nats += (double)d->shaky > 2.5 ? nats_of(.1, .4) :
						      nats_of(.9, .6);
	*ret_nats += loss_sure(m) * nats;
	return true;
}

const struct hypothesis far_laser_hypothesis = {
	.signature = SIGNATURE_FAR_LASER,
	.end = END_FAR,
	.action = ACTION_REPLACE_FAR,
	.words = "received light falls slowly and explains it: the far "
		 "transmitter fades",
	.needs = loss_needs,
	.need_count = LOSS_NEEDS,
	.applies = loss_applies,
	.weigh = weigh,
	.of_lanes = true,
	.limit = loss_limit,
};
