#include "agent/query/cages.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/state/state.h"

void cage_name(uint64_t number, char ret[static ENTITY_NAME_MAX])
{
	(void)snprintf(ret, ENTITY_NAME_MAX, CAGE_WORD " %llu",
		       (unsigned long long)number);
}

static int cage_order(const void *left, const void *right)
{
	const struct cage *a = left, *b = right;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->module < b->module ? -1 : a->module > b->module;
}

static void modules_list(const struct query_context *ctx, struct cages *ret)
{
	const struct inventory_entity *e;
	size_t n = state_entities(ctx->state, &e);

	ret->count = 0;
	for (size_t i = 0; i < n && ret->count < CAGES_MAX; i++)
		if (e[i].id && !e[i].gone && e[i].key.kind == ENTITY_MODULE)
			ret->list[ret->count++] = (struct cage){
				e[i].id, e[i].key.number, false };
	qsort(ret->list, ret->count, sizeof(ret->list[0]), cage_order);
}

void cages_find(const struct query_context *ctx, struct cages *ret)
{
	size_t n = state_port_count(ctx->state), kept = 0;

	modules_list(ctx, ret);
	for (size_t i = 0; i < n; i++) {
		uint32_t id = state_port_module(ctx->state,
						state_port(ctx->state, i));
		const struct inventory_entity *e =
			state_entity(ctx->state, id);
		struct cage key = { id, e ? e->key.number : 0, true };
		struct cage *found = bsearch(&key, ret->list, ret->count,
					     sizeof(key), cage_order);

		if (found)
			found->has_port = true;
	}
	for (size_t i = 0; i < ret->count; i++)
		if (!ret->list[i].has_port)
			ret->list[kept++] = ret->list[i];
	ret->count = kept;
}

size_t cages_count(const struct query_context *ctx)
{
	struct cages cages;

	cages_find(ctx, &cages);
	return cages.count;
}
