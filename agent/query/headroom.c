#include "agent/query/headroom.h"

#include <math.h>

#include "agent/base/number.h"
#include "agent/signature/port.h"
#include "agent/state/state.h"

#define EDGES 4

static const char *edge_words(unsigned index)
{
	static const char *const words[EDGES] = { "high alarm", "low alarm",
						  "high warning",
						  "low warning" };

	return index < EDGES ? words[index] : NULL;
}

static bool edge_is_high(unsigned edge)
{
	return edge % 2 == 0;
}

/* From the reading to the edge; positive inside. */
static bool distance_to(int64_t value, int64_t edge_value, unsigned edge,
			bool is_power, int64_t *ret)
{
	int64_t up;

	if (is_power && (value <= 0 || edge_value <= 0))
		return false;
	up = is_power ? llround(1000 * (number_dbm(edge_value) -
					number_dbm(value))) :
			edge_value - value;
	*ret = edge_is_high(edge) ? up : -up;
	return true;
}

/* A pair that is not in order was never set. */
static bool pair_is_set(const struct query_context *ctx, uint32_t module,
			enum quantity thresholds, unsigned edge)
{
	struct state_value high, low;
	unsigned pair = edge & ~1u;

	return state_value(ctx->state, module, thresholds, pair, &high) &&
	       state_value(ctx->state, module, thresholds, pair + 1, &low) &&
	       high.value > low.value;
}

/* Index 0 to 3: high alarm, low alarm, high warning, low warning. */
static enum quantity thresholds_of(enum quantity q)
{
	switch (q) {
	case Q_LANE_RX_POWER_PW:
		return Q_MODULE_RX_POWER_THRESHOLD_PW;
	case Q_LANE_TX_POWER_PW:
		return Q_MODULE_TX_POWER_THRESHOLD_PW;
	case Q_LANE_TX_BIAS_UA:
		return Q_MODULE_TX_BIAS_THRESHOLD_UA;
	default:
		return Q_MODULE_TEMP_THRESHOLD_MC;
	}
}

bool headroom_of(const struct query_context *ctx, uint32_t entity,
		 enum quantity q, uint32_t module, struct headroom *ret)
{
	enum quantity thresholds = thresholds_of(q);
	bool is_power = quantity_find((uint16_t)q)->unit == UNIT_PW;
	struct state_value v, t;
	bool any = false;

	if (entity == ENTITY_NONE || module == ENTITY_NONE ||
	    !state_value(ctx->state, entity, q, 0, &v))
		return false;
	for (unsigned edge = 0; edge < EDGES; edge++) {
		int64_t distance;

		if (!pair_is_set(ctx, module, thresholds, edge) ||
		    !state_value(ctx->state, module, thresholds, edge, &t) ||
		    !distance_to(v.value, t.value, edge, is_power, &distance) ||
		    (any && distance >= ret->distance))
			continue;
		*ret = (struct headroom){ distance, edge_words(edge) };
		any = true;
	}
	return any;
}
