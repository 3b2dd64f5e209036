/* bent_fibre: a bend loses more of the longer waves, on all lanes of the cable
 * at once, and what moves it moves the light.
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
	nats += loss_fall(m, (struct fall_shares){ .9, .1 },
			   (struct fall_shares){ .5, .5 });
	if (d->lanes_known > 1)
		nats += loss_is_of_some(m) ? nats_of(.05, .3) :
						  nats_of(.95, .7);
	if (d->shaky > 0)
		nats += (double)d->shaky > 2.5 ? nats_of(.75, .2) :
						      nats_of(.25, .8);
	if (m->is_wdm && d->lanes_known > 2)
		nats += m->tilt > .1 ? nats_of(.8, .15) :
					    nats_of(.2, .85);
	*ret_nats += loss_sure(m) * nats;
	return true;
}

const struct hypothesis bent_fibre_hypothesis = {
	.signature = SIGNATURE_BENT_FIBRE,
	.end = END_PATH,
	.action = ACTION_REPLACE_CABLE,
	.words = "received light fell on all lanes and does not settle: a bent "
		 "or pinched fibre",
	.needs = loss_needs,
	.need_count = LOSS_NEEDS,
	.applies = loss_applies,
	.weigh = weigh,
	.of_lanes = true,
	.limit = loss_limit,
};
