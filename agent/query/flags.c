#include "agent/query/flags.h"

#include <stdio.h>
#include <string.h>

#include "agent/query/answer.h"
#include "agent/query/cells.h"
#include "agent/query/headroom.h"
#include "agent/query/shapes.h"
#include "agent/state/state.h"

#define SCALE ", times "	/* of the number, which is not shown */
#define RAISED_MAX 256		/* (quantity, index) that are raised anywhere */
#define WORDS_MAX 160
#define EDGE_WARNINGS 2u	/* indexes from here on; alarms before */

static const struct answer_column flag_columns[] = {
	{ "port", "PORT", CELL_TEXT, false, false },
	{ "lanes", "LANES", CELL_TEXT, false, false },
	{ "age", "AGE", CELL_AGE_NS, true, false },
	{ "flag", "", CELL_TEXT, false, true },
	{ "words", "RAISED", CELL_TEXT, false, false },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_flags = { "flags", flag_columns, false };

/* What the host has set, and the module shows: 1 is not how it should be. */
static const enum quantity settings[] = {
	Q_LANE_TX_DISABLED, Q_LANE_DATA_PATH_DEINIT, Q_LANE_RX_DISABLED,
	Q_LANE_WAVELENGTH_UNLOCKED, Q_LANE_LOOPBACK,
};

/* Latched by the module until somebody reads it. */
static bool is_latched(const struct quantity_info *q)
{
	static const char suffix[] = "_flag";
	size_t len = strlen(q->name), n = sizeof(suffix) - 1;

	if (q->id == Q_LANE_RX_LOS || q->id == Q_LANE_TX_FAULT)
		return true;
	return (q->scope == ENTITY_LANE || q->scope == ENTITY_MODULE) &&
	       q->kind == KIND_FLAG && len > n &&
	       strcmp(q->name + len - n, suffix) == 0;
}

static bool is_flag(const struct quantity_info *q)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (settings[i] == (enum quantity)q->id)
			return true;
	return is_latched(q);
}

/* One flag that is raised somewhere. */
struct raised {
	const struct quantity_info *q;
	unsigned index;
};

struct raised_list {
	size_t count;
	bool latched_known;		/* something tells of latched flags */
	struct raised raised[RAISED_MAX];
};

static bool column_is_raised(const struct sample_column *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (c->value[i])
			return true;
	return false;
}

/* Several sources may read it: one column each. */
static bool is_listed(const struct raised_list *l,
		      const struct sample_column *c)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->raised[i].q->id == c->quantity &&
		    l->raised[i].index == c->index)
			return true;
	return false;
}

/* Only what is raised anywhere is looked for on each lane. */
static void raised_collect(const struct query_context *ctx,
			   struct raised_list *ret)
{
	const struct sample_column *c;
	size_t n = state_columns(ctx->state, &c);

	ret->count = 0;
	ret->latched_known = false;
	for (size_t i = 0; i < n && ret->count < RAISED_MAX; i++) {
		const struct quantity_info *q = quantity_find(c[i].quantity);

		if (!q || !is_flag(q))
			continue;
		ret->latched_known |= is_latched(q);
		if (column_is_raised(&c[i]) && !is_listed(ret, &c[i]))
			ret->raised[ret->count++] = (struct raised){
				q, c[i].index };
	}
}

#define VDM_VALUE_FIRST 0x0a00u
#define VDM_FLAG_FIRST 0x0c00u
#define VDM_TYPES 0x100u

/* Whose help says what it is about: of a VDM flag, the value's. */
static const char *help_of(const struct quantity_info *q)
{
	const struct quantity_info *value = NULL;
	unsigned type = (unsigned)q->id - VDM_FLAG_FIRST;

	if (q->id >= VDM_FLAG_FIRST && type < VDM_TYPES)
		value = type == 5 ? quantity_find(Q_LANE_SNR_MDB) :
			type == 15 ? quantity_find(Q_LANE_PRE_FEC_BER_E18) :
			quantity_find((uint16_t)(VDM_VALUE_FIRST + type));
	return value ? value->help : q->help;
}

/* One flag for each threshold, by index. */
static bool has_edges(const struct quantity_info *q)
{
	return strstr(q->help, "high alarm") != NULL;
}

/* The help up to its clause or the scale of its number, and which edge. */
static void raised_words(const struct raised *r, char *ret, size_t cap)
{
	const char *help = help_of(r->q);
	const char *scale = strstr(help, SCALE);
	size_t len = scale ? (size_t)(scale - help) : strcspn(help, ".(");
	const char *edge = has_edges(r->q) ? headroom_edge_words(r->index) :
					     NULL;

	while (len && help[len - 1] == ' ')
		len--;
	(void)snprintf(ret, cap, "%.*s%s%s", (int)len, help, edge ? ": " : "",
		       edge ? edge : "");
}

/* Where one flag is raised on a port. */
struct places {
	bool on_module;
	unsigned lanes;			/* bit n: lane n + 1 */
	struct mono oldest;
};

static bool raised_on(const struct query_context *ctx, uint32_t entity,
		      const struct raised *r, struct mono *oldest)
{
	struct state_value v;

	if (entity == ENTITY_NONE ||
	    !state_value(ctx->state, entity, (enum quantity)r->q->id, r->index,
			 &v) || v.value == 0)
		return false;
	if (v.age.taken.ns < oldest->ns)
		*oldest = v.age.taken;
	return true;
}

static struct places places_of(const struct query_context *ctx, uint32_t port,
			       const struct raised *r)
{
	struct places p = { .oldest = { INT64_MAX } };

	if (r->q->scope == ENTITY_MODULE) {
		p.on_module = raised_on(ctx, state_port_module(ctx->state,
							       port), r,
					&p.oldest);
		return p;
	}
	for (unsigned lane = 0; lane < PORT_LANES_MAX; lane++)
		if (raised_on(ctx, state_port_lane(ctx->state, port, lane), r,
			      &p.oldest))
			p.lanes |= 1u << lane;
	return p;
}

/* A warning says nothing where the alarm of the same side is raised. */
static bool is_implied(const struct query_context *ctx, uint32_t port,
		       const struct raised *r, const struct places *p)
{
	struct raised alarm = { r->q, r->index - EDGE_WARNINGS };
	struct places of_alarm;

	if (!has_edges(r->q) || r->index < EDGE_WARNINGS)
		return false;
	of_alarm = places_of(ctx, port, &alarm);
	return (!p->on_module || of_alarm.on_module) &&
	       (p->lanes & ~of_alarm.lanes) == 0;
}

/* "1,3"; nothing for the module itself. */
static void lanes_text(unsigned lanes, char *ret, size_t cap)
{
	size_t len = 0;

	ret[0] = '\0';
	for (unsigned lane = 0; lane < PORT_LANES_MAX; lane++)
		if (lanes >> lane & 1)
			len += (size_t)snprintf(ret + len, cap - len, "%s%u",
						len ? "," : "", lane + 1);
}

static void flag_row(struct cells *c, uint32_t port, const struct raised *r)
{
	struct places p = places_of(c->ctx, port, r);
	char words[WORDS_MAX], lanes[2 * PORT_LANES_MAX + 1];

	if (!p.on_module && !p.lanes)
		return;
	raised_words(r, words, sizeof(words));
	lanes_text(p.lanes, lanes, sizeof(lanes));
	answer_row(c->a);
	if (is_implied(c->ctx, port, r, &p))
		answer_row_json_only(c->a);
	answer_text(c->a, context_name(c->ctx, port));
	answer_text(c->a, p.on_module ? NULL : lanes);
	answer_integer(c->a, mono_diff_ns(c->now, p.oldest));
	answer_text(c->a, r->q->name);
	answer_text(c->a, words);
}

void flags_table(const struct query_context *ctx, const struct choice *wanted,
		 struct answer *a)
{
	struct clock_reading now;
	struct cells c = { .ctx = ctx, .a = a };
	size_t n = state_port_count(ctx->state), tables;
	struct raised_list list;

	ctx->clock(&now);
	c.now = now.mono;
	raised_collect(ctx, &list);
	answer_shaped(a, &shape_flags);
	for (size_t i = 0; list.count && i < n; i++)
		if (choice_has(wanted, ctx, state_port(ctx->state, i)))
			for (size_t f = 0; f < list.count; f++)
				flag_row(&c, state_port(ctx->state, i),
					 &list.raised[f]);
	tables = answer_message(a)->n_tables;
	if (!list.latched_known)
		answer_note(a, "flags: those that a module latches (loss of "
			    "signal, faults, alarms) are not read here; reading "
			    "clears them, which is their owner's to do");
	else if (tables && answer_message(a)->tables[tables - 1]->n_rows == 0)
		answer_note(a, "flags: %s", ctx->control ? "none is raised" :
			    "none is kept while the agent is down");
}
