#include "agent/signature/light.h"

#include <string.h>

#include "agent/signature/fec.h"

#define LEARN_SHARE_MIN (1.0f / 512)
#define PW_PER_MW 1e9

void light_start(struct light *l)
{
	memset(l, 0, sizeof(*l));
}

static void lane_take(struct light *l, unsigned lane, int64_t pw, float share)
{
	uint8_t bit = (uint8_t)(1u << lane);
	float dbm = (float)(10 * fec_log10((double)(pw > 1 ? pw : 1) /
					   PW_PER_MW));

	l->now_dbm[lane] = dbm;
	if (!(l->known & bit))
		l->usual_dbm[lane] = dbm;
	else
		l->usual_dbm[lane] += share * (dbm - l->usual_dbm[lane]);
	l->known |= bit;
}

void light_take(struct light *l, const struct front *f,
		const struct inputs *k, bool quiet)
{
	float share = 0;

	if (!f->dom_good || !front_settled(f))
		return;
	if (quiet) {
		l->readings += l->readings < UINT16_MAX;
		share = 1.0f / l->readings;
		share = share < LEARN_SHARE_MIN ? LEARN_SHARE_MIN : share;
	}
	l->t = k->dom_t;
	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		if (inputs_has(k, INPUT_RX_PW + i))
			lane_take(l, i, k->value[INPUT_RX_PW + i], share);
}

void light_drop(const struct light *l, struct light_drop *ret)
{
	*ret = (struct light_drop){ .known = l->known != 0 };
	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		float lost = l->usual_dbm[i] - l->now_dbm[i];

		if (!(l->known >> i & 1))
			continue;
		ret->lanes_known++;
		if (lost > ret->worst_db)
			ret->worst_db = lost;
		if (lost > LIGHT_DROP_DB)
			ret->lanes |= (uint8_t)(1u << i);
	}
}
