/* contamination: dirt on a connector, or one that is not fully seated. It comes
 * when somebody plugs, on one or a few fibres or on all, and is steady since;
 * or it grows, slowly.
 */
#include "agent/signature/loss.h"

/* Shares of what is seen, of this cause and of the rest: chosen. */
static bool weigh(const struct measures *m, double *ret_nats)
{
	const struct light_drop *d = &m->drop;
	double nats = 0;

	if (!loss_weigh(m, ret_nats))
		return false;
	if (loss_sure(m) <= 0)
		return true;
	nats += loss_fall(m, (struct fall_shares){ .94, .06 },
			   (struct fall_shares){ .5, .5 });
	if (d->lanes_known > 1)
		nats += loss_is_of_some(m) ? nats_of(.6, .3) :
						  nats_of(.4, .7);
	if (d->shaky > 0)
		nats += (double)d->shaky > 2.5 ? nats_of(.1, .4) :
						      nats_of(.9, .6);
	if (m->is_wdm && d->lanes_known > 2)
		nats += m->tilt > .1 ? nats_of(.15, .4) :
					    nats_of(.85, .6);
	*ret_nats += loss_sure(m) * nats;
	return true;
}

const struct hypothesis contamination_hypothesis = {
	.signature = SIGNATURE_CONTAMINATION,
	.end = END_PATH,
	.action = ACTION_CLEAN_NEAR,
	.words = "received light fell with it and explains it: a dirty or "
		 "loose connector",
	.needs = loss_needs,
	.need_count = LOSS_NEEDS,
	.applies = loss_applies,
	.weigh = weigh,
	.of_lanes = true,
	.limit = loss_limit,
};
