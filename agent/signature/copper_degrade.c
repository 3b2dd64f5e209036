/* copper_degrade: on copper there is no light, and the cable or its contacts
 * are what wears.
 */
#include "agent/signature/hypothesis.h"

#include <math.h>

#define STANDS 24		/* windows, to count as what does not go away */

static bool weigh(const struct measures *m, double *ret_nats)
{
	double young = 1 - fmin((double)m->windows / STANDS, 1);

	if (m->copper)
		*ret_nats += (1 - young) * nats_of(.9, .1) - young * NATS_MAX +
			     nats_of_swings(m->swings);
	return m->copper;
}

static bool applies(const struct port_facts *facts, const char **ret_why)
{
	if (!facts->media_known || !facts->optical)
		return true;
	*ret_why = "the port is optical";
	return false;
}

static const struct need_row needs[] = {
	{ NEED_BER, true, "errors are not counted", "FEC counters of the "
	  "port" },
};

const struct hypothesis copper_degrade_hypothesis = {
	.signature = SIGNATURE_COPPER_DEGRADE,
	.end = END_PATH,
	.action = ACTION_REPLACE_CABLE,
	.cause_id = CAUSE_COPPER_WORN,
	.words = "copper: the cable or its contacts",
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(needs[0]),
	.applies = applies,
	.weigh = weigh,
};
