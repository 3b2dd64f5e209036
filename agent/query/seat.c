#include "agent/query/seat.h"

#include <string.h>

#include "agent/state/state.h"

void seats_begin(struct seats *s, const struct query_context *ctx,
		 const struct choice *wanted)
{
	*s = (struct seats){ .ctx = ctx, .wanted = wanted };
}

bool seats_next(struct seats *s, struct seat *ret)
{
	const struct state *state = s->ctx->state;
	size_t n = state_port_count(state);

	while (s->next_port < n) {
		ret->port = state_port(state, s->next_port++);
		if (!choice_has(s->wanted, s->ctx, ret->port))
			continue;
		ret->module = state_port_module(state, ret->port);
		(void)strcpy(ret->name, context_name(s->ctx, ret->port));
		return true;
	}
	ret->port = ENTITY_NONE;
	ret->module = choice_cage_next(s->wanted, s->ctx, &s->next_cage,
				       ret->name);
	return ret->module != ENTITY_NONE;
}

size_t seats_cages(const struct query_context *ctx)
{
	static const struct choice all = { .pattern = { .count = 0 } };
	char name[ENTITY_NAME_MAX];
	uint64_t from = 0;
	size_t n = 0;

	while (choice_cage_next(&all, ctx, &from, name) != ENTITY_NONE)
		n++;
	return n;
}

uint32_t seat_lane(const struct query_context *ctx, const struct seat *seat,
		   unsigned n)
{
	if (seat->port != ENTITY_NONE)
		return n < PORT_LANES_MAX ?
		       state_port_lane(ctx->state, seat->port, n) :
		       ENTITY_NONE;
	return state_child(ctx->state, seat->module, ENTITY_LANE, n + 1);
}
