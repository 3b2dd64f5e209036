#include "agent/query/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/names.h"
#include "agent/signature/engine.h"
#include "petrel/link.h"

#define VERBS_MAX 40

void query_begin(struct query *q)
{
	q->ctx->clock(&q->now);
	answer_head(q->a, q->ctx->switch_name, q->now.wall.ns);
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

/* The engine's, or those in the rings of a dead agent. */
static size_t findings_all(const struct query_context *ctx,
			   const struct finding **ret)
{
	if (ctx->engine)
		return engine_findings(ctx->engine, ret);
	*ret = ctx->findings;
	return ctx->finding_count;
}

size_t query_findings(const struct query_context *ctx,
		      const struct finding *ret[static QUERY_FINDINGS_MAX])
{
	const struct finding *all;
	size_t count = findings_all(ctx, &all), n = 0;

	for (size_t i = 0; i < count && n < QUERY_FINDINGS_MAX; i++)
		if (all[i].state != FINDING_CLEARED)
			ret[n++] = &all[i];
	qsort(ret, n, sizeof(ret[0]), finding_order);
	return n;
}

/* A finding lists only as many ports as it has room for: the engine has all. */
bool query_is_part(const struct query_context *ctx, const struct finding *f,
		   uint32_t port, const char *name)
{
	uint32_t number;

	return finding_has_port(f, name) ||
	       (f->ports_kept < f->port_count && ctx->engine &&
		ctx->port_number(ctx->core, port, &number) &&
		engine_part_of(ctx->engine, number) == f);
}

unsigned query_worst(const struct query_context *ctx, uint32_t port,
		     const char *name)
{
	const struct finding *all;
	size_t count = findings_all(ctx, &all);
	unsigned worst = 0;

	for (size_t i = 0; i < count; i++)
		if (all[i].state != FINDING_CLEARED &&
		    all[i].severity > worst &&
		    query_is_part(ctx, &all[i], port, name))
			worst = all[i].severity;
	return worst;
}

void query_note_none(struct query *q, const char *noun)
{
	answer_note(q->a, "no %s is known%s", noun, q->ctx->control ?
		    ": petrel status shows what the sources report" : "");
}

void query_view(const struct query_context *ctx, uint32_t port,
		struct engine_view *ret)
{
	uint32_t number;

	*ret = (struct engine_view){ 0 };
	if (ctx->engine && ctx->port_number(ctx->core, port, &number))
		engine_view(ctx->engine, number, ret);
}

const struct inventory_entity *query_next(const struct query_context *ctx,
					  unsigned kind, size_t *at)
{
	const struct inventory_entity *e;
	size_t n = state_entities(ctx->state, &e);

	while (*at < n) {
		size_t i = (*at)++;

		if (e[i].id && !e[i].gone &&
		    (kind == ENTITY_KIND_COUNT || e[i].key.kind == kind))
			return &e[i];
	}
	return NULL;
}

const char *query_attribute(const struct query_context *ctx, uint32_t entity,
			    unsigned attribute)
{
	const struct inventory_entity *e = state_entity(ctx->state, entity);

	return e ? e->attribute[attribute] : NULL;
}

const char *query_name(const struct query_context *ctx, uint32_t entity)
{
	const struct inventory_entity *e = state_entity(ctx->state, entity);

	return e ? inventory_shown(e) : "";
}

const char *query_asic(const struct query_context *ctx, uint32_t entity)
{
	const struct inventory_entity *e = state_entity(ctx->state, entity);

	while (e && e->key.kind != ENTITY_ASIC)
		e = state_entity(ctx->state, e->key.parent);
	return e ? e->key.name : NULL;
}

int64_t query_value(const struct query_context *ctx, uint32_t entity,
		    enum quantity quantity, int64_t otherwise)
{
	struct state_value v;

	return state_value(ctx->state, entity, quantity, 0, &v) ? v.value :
								  otherwise;
}

const char *query_link_mark(const struct query_context *ctx, uint32_t port)
{
	int64_t oper = query_value(ctx, port, Q_OPER_STATUS, OPER_UNKNOWN);

	if (query_value(ctx, port, Q_ADMIN_STATUS, 1) == 0)
		return "ad";
	if (oper == OPER_UNKNOWN)
		return NULL;	/* the switch itself does not know */
	return oper == OPER_UP ? "up" : "dn";
}

const struct verb *verb_find(const struct verb *table, const char *name)
{
	for (const struct verb *v = table; v->name; v++)
		if (strcmp(v->name, name) == 0)
			return v;
	return NULL;
}

void verb_nearest(const struct verb *table, const char *name,
		  char ret[static VERB_NEAREST_MAX])
{
	const char *names[VERBS_MAX], *near;
	size_t n = 0;

	for (const struct verb *v = table; v->name && n < VERBS_MAX; v++)
		names[n++] = v->name;
	near = nearest_name(name, names, n);
	(void)snprintf(ret, VERB_NEAREST_MAX, "%s%s",
		       near ? "; nearest is " : "", near ? near : "");
}

bool verb_takes(const struct verb *v, const char *option)
{
	const char *at = v->synopsis;
	size_t len = strlen(option);

	while ((at = strstr(at, option)) &&
	       (!strchr("[ ", at[-1]) || !strchr("] ", at[len])))
		at += len;
	return at != NULL;
}

bool verb_is_asked(const struct verb *v)
{
	return !v->by_petrel && (v->answer || v->tables[0]);
}
