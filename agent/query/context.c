#include "agent/query/context.h"

#include <stdlib.h>
#include <string.h>

#include "agent/query/answer.h"
#include "agent/signature/engine.h"
#include "agent/state/state.h"

struct clock_reading context_begin(const struct query_context *ctx,
				   struct answer *a)
{
	struct clock_reading now;

	ctx->clock(&now);
	answer_head(a, ctx->switch_name, now.wall.ns);
	return now;
}

/* Worst first, then the oldest. */
static int finding_order(const void *left, const void *right)
{
	const struct finding *const *a = left, *const *b = right;

	if ((*a)->severity != (*b)->severity)
		return (*a)->severity > (*b)->severity ? -1 : 1;
	if ((*a)->onset_wall.ns != (*b)->onset_wall.ns)
		return (*a)->onset_wall.ns < (*b)->onset_wall.ns ? -1 : 1;
	return strcmp((*a)->id, (*b)->id);
}

/* The engine's, or what was found in the rings of a dead agent. */
static size_t findings_all(const struct query_context *ctx,
			   const struct finding **ret)
{
	if (ctx->engine)
		return engine_findings(ctx->engine, ret);
	*ret = ctx->findings;
	return ctx->finding_count;
}

size_t context_findings(const struct query_context *ctx,
			const struct finding *ret[static CONTEXT_FINDINGS_MAX])
{
	const struct finding *all;
	size_t count = findings_all(ctx, &all), n = 0;

	for (size_t i = 0; i < count && n < CONTEXT_FINDINGS_MAX; i++)
		if (all[i].state != FINDING_CLEARED)
			ret[n++] = &all[i];
	qsort(ret, n, sizeof(ret[0]), finding_order);
	return n;
}

/* A finding lists no more ports than it has room for: the engine has all. */
bool context_is_part(const struct query_context *ctx, const struct finding *f,
		     uint32_t port, const char *name)
{
	uint32_t number;

	return finding_has_port(f, name) ||
	       (f->ports_kept < f->port_count && ctx->engine &&
		ctx->port_number(ctx->core, port, &number) &&
		engine_part_of(ctx->engine, number) == f);
}

unsigned context_worst(const struct query_context *ctx, uint32_t port,
		       const char *name)
{
	const struct finding *all;
	size_t count = findings_all(ctx, &all);
	unsigned worst = 0;

	for (size_t i = 0; i < count; i++)
		if (all[i].state != FINDING_CLEARED &&
		    all[i].severity > worst &&
		    context_is_part(ctx, &all[i], port, name))
			worst = all[i].severity;
	return worst;
}

void context_view(const struct query_context *ctx, uint32_t port,
		  struct engine_view *ret)
{
	uint32_t number;

	*ret = (struct engine_view){ 0 };
	if (ctx->engine && ctx->port_number(ctx->core, port, &number))
		engine_view(ctx->engine, number, ret);
}

const char *context_attribute(const struct query_context *ctx, uint32_t entity,
			      unsigned attribute)
{
	const struct inventory_entity *e = state_entity(ctx->state, entity);

	return e ? e->attribute[attribute] : NULL;
}

const char *context_name(const struct query_context *ctx, uint32_t entity)
{
	const struct inventory_entity *e = state_entity(ctx->state, entity);

	return e ? inventory_shown(e) : "";
}

const char *context_asic(const struct query_context *ctx, uint32_t entity)
{
	const struct inventory_entity *e = state_entity(ctx->state, entity);

	while (e && e->key.kind != ENTITY_ASIC)
		e = state_entity(ctx->state, e->key.parent);
	return e ? e->key.name : NULL;
}

struct mono context_cell(const struct query_context *ctx, struct answer *a,
			 uint32_t entity, enum quantity q, unsigned index,
			 struct mono now)
{
	struct state_value v;

	if (entity == ENTITY_NONE ||
	    !state_value(ctx->state, entity, q, index, &v)) {
		answer_absent(a);
		return (struct mono){ INT64_MAX };
	}
	answer_integer(a, v.value);
	answer_age(a, mono_diff_ns(now, v.age.taken), v.quality);
	return v.age.taken;
}
