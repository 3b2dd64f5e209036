#include "agent/query/seat.h"

#include <string.h>

#include "agent/state/state.h"

void seats_begin(struct seats *s, const struct query_context *ctx,
		 const struct choice *wanted)
{
	s->ctx = ctx;
	s->wanted = wanted;
	s->next_port = s->next_cage = 0;
	cages_find(ctx, &s->cages);
}

/* Behind the ports. */
static bool cage_next(struct seats *s, struct seat *ret)
{
	while (s->next_cage < s->cages.count) {
		const struct cage *c = &s->cages.list[s->next_cage++];

		if (!choice_has_cage(s->wanted, c->number) ||
		    !choice_is_of(s->ctx, c->module, s->wanted->asic))
			continue;
		ret->port = ENTITY_NONE;
		ret->module = c->module;
		cage_name(c->number, ret->name);
		return true;
	}
	return false;
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
	return cage_next(s, ret);
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
