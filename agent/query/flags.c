#include "agent/query/verbs.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/joined.h"
#include "agent/state/state.h"

#define SCALE ", times "	/* ends the help before its number's scale */
#define RAISED_MAX 256		/* (quantity, index) raised anywhere */
#define WORDS_MAX 160
#define LATCHED_MAX 256		/* quantities */
#define NAMED_MAX 4		/* ports */
#define NAMES_MAX (NAMED_MAX * (ENTITY_NAME_MAX + 2))
#define LOOPBACK_HOST 2u	/* the first index of those of the host */
#define EDGE_WARNINGS 2u	/* the first index of warnings, after alarms */

/* Set by the host and shown by the module: 1 is not as it should be. */
static const enum quantity settings[] = {
	Q_LANE_TX_DISABLED, Q_LANE_DATA_PATH_DEINIT, Q_LANE_RX_DISABLED,
	Q_LANE_WAVELENGTH_UNLOCKED, Q_LANE_LOOPBACK, Q_MODULE_TEC_FAULT,
};

/* Latched by the module until it is read. */
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
	struct raised raised[RAISED_MAX];
};

static bool column_is_raised(const struct sample_column *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (c->value[i])
			return true;
	return false;
}

/* Several sources may read it, with a column each. */
static bool is_listed(const struct raised_list *l,
		      const struct sample_column *c)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->raised[i].q->id == c->quantity &&
		    l->raised[i].index == c->index)
			return true;
	return false;
}

/* Collects the flags raised anywhere; only these are looked up per lane. */
static void raised_collect(const struct query_context *ctx,
			   struct raised_list *ret)
{
	const struct sample_column *c;
	size_t n = state_columns(ctx->state, &c);

	ret->count = 0;
	for (size_t i = 0; i < n && ret->count < RAISED_MAX; i++) {
		const struct quantity_info *q = quantity_find(c[i].quantity);

		if (!q || !is_flag(q))
			continue;
		if (column_is_raised(&c[i]) && !is_listed(ret, &c[i]))
			ret->raised[ret->count++] = (struct raised){
				q, c[i].index };
	}
}

#define VDM_VALUE_FIRST 0x0a00u
#define VDM_FLAG_FIRST 0x0c00u
#define VDM_TYPES 0x100u

/* The help that explains the flag: for a VDM flag, that of its value. */
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

/* The help up to its clause or its number's scale, and the index. */
static void raised_words(const struct raised *r, char *ret, size_t cap)
{
	const char *help = help_of(r->q);
	const char *scale = strstr(help, SCALE);
	size_t len = scale ? (size_t)(scale - help) : strcspn(help, ".(");
	char which[48];

	quantity_index_words(r->q, r->index, which, sizeof(which));
	while (len && help[len - 1] == ' ')
		len--;
	(void)snprintf(ret, cap, "%.*s%s%s", (int)len, help,
		       which[0] ? ": " : "", which);
}

/* Where on a seat one flag is raised. */
struct places {
	bool on_module;
	uint32_t lanes;			/* bit n: lane n + 1 */
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

/* Flags that a module counts by its host lanes. */
static bool is_of_host(const struct raised *r)
{
	static const enum quantity rows[] = {
		Q_LANE_DATA_PATH_DEINIT, Q_LANE_RX_DISABLED,
		Q_LANE_HOST_LOS_FLAG, Q_LANE_HOST_CDR_LOL_FLAG,
		Q_LANE_TX_EQ_FAULT_FLAG, Q_LANE_DATA_PATH_CHANGED_FLAG,
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i] == (enum quantity)r->q->id)
			return true;
	return r->q->id == Q_LANE_LOOPBACK && r->index >= LOOPBACK_HOST;
}

/* Host lanes are numbered from the seat's first one. */
static void host_places(const struct query_context *ctx,
			const struct seat *seat, const struct raised *r,
			struct places *ret)
{
	unsigned first;
	uint32_t hosts = seat_all_hosts(ctx, seat, &first);

	for (unsigned i = first; i < SEAT_LANES_MAX; i++)
		if (hosts >> i & 1 &&
		    raised_on(ctx, state_child(ctx->state, seat->module,
					       ENTITY_LANE, i + 1), r,
			      &ret->oldest))
			ret->lanes |= 1u << (i - first);
}

static struct places places_of(const struct query_context *ctx,
			       const struct seat *seat, const struct raised *r)
{
	struct places p = { .oldest = { INT64_MAX } };

	if (r->q->scope == ENTITY_MODULE) {
		p.on_module = raised_on(ctx, seat->module, r, &p.oldest);
		return p;
	}
	if (is_of_host(r)) {
		host_places(ctx, seat, r, &p);
		return p;
	}
	for (unsigned lane = 0; lane < SEAT_LANES_MAX; lane++)
		if (raised_on(ctx, seat_lane(ctx, seat, lane), r, &p.oldest))
			p.lanes |= 1u << lane;
	return p;
}

/* A warning adds nothing if the alarm on the same side is raised. */
static bool is_implied(const struct query_context *ctx,
		       const struct seat *seat, const struct raised *r,
		       const struct places *p)
{
	struct raised alarm = { r->q, r->index - EDGE_WARNINGS };
	struct places of_alarm;

	/* it has one index per threshold */
	if (!strstr(r->q->help, "high alarm") || r->index < EDGE_WARNINGS)
		return false;
	of_alarm = places_of(ctx, seat, &alarm);
	return (!p->on_module || of_alarm.on_module) &&
	       (p->lanes & ~of_alarm.lanes) == 0;
}

/* "1,3"; empty for the module itself. */
static void lanes_text(uint32_t lanes, char *ret, size_t cap)
{
	ret[0] = '\0';
	for (unsigned lane = 0; lane < SEAT_LANES_MAX; lane++)
		if (lanes >> lane & 1)
			joined_add(ret, cap, ",", "%u", lane + 1);
}

static void flag_row(struct query *q, const struct seat *seat,
		     const struct raised *r)
{
	struct places p = places_of(q->ctx, seat, r);
	char words[WORDS_MAX], lanes[3 * SEAT_LANES_MAX + 1];

	if (!p.on_module && !p.lanes)
		return;
	raised_words(r, words, sizeof(words));
	lanes_text(p.lanes, lanes, sizeof(lanes));
	answer_row(q->a);
	if (is_implied(q->ctx, seat, r, &p))
		answer_row_json_only(q->a);
	answer_text(q->a, seat->name);
	answer_text(q->a, p.on_module ? NULL : lanes);
	answer_integer(q->a, mono_diff_ns(q->now.mono, p.oldest));
	answer_text(q->a, r->q->name);
	answer_text(q->a, words);
}

/* --- what is not known ---------------------------------------------------- */

/* Latched flags are read by kind: a module may report only some. */
enum { KIND_LOSS = 1, KIND_FAULT = 2, KIND_ALARM = 4, KIND_ALL = 7 };

static unsigned kind_of(const struct quantity_info *q)
{
	if (quantity_is_indexed(q))
		return KIND_ALARM;
	return strstr(q->name, "los") || strstr(q->name, "_lol") ? KIND_LOSS :
								   KIND_FAULT;
}

/* The latched flags that any source reports. */
static size_t latched_collect(const struct query_context *ctx,
			      struct raised ret[static LATCHED_MAX])
{
	const struct sample_column *c;
	size_t n = state_columns(ctx->state, &c), count = 0;

	for (size_t i = 0; i < n && count < LATCHED_MAX; i++) {
		const struct quantity_info *q = quantity_find(c[i].quantity);

		if (q && c[i].index == 0 && is_latched(q))
			ret[count++].q = q;
	}
	return count;
}

static bool is_read(const struct query_context *ctx, uint32_t port,
		    const struct quantity_info *q)
{
	struct state_value v;
	bool any = false;

	if (q->scope == ENTITY_MODULE)
		return state_value(ctx->state,
				   state_port_module(ctx->state, port),
				   (enum quantity)q->id, 0, &v);
	for (unsigned lane = 0; lane < PORT_LANES_MAX && !any; lane++) {
		uint32_t e = state_port_lane(ctx->state, port, lane);

		any = e != ENTITY_NONE &&
		      state_value(ctx->state, e, (enum quantity)q->id, 0, &v);
	}
	return any;
}

/* The kinds that were not read at all from the port's module. */
static unsigned kinds_missing(const struct query_context *ctx, uint32_t port,
			      const struct raised *latched, size_t count)
{
	unsigned missing = KIND_ALL;

	for (size_t i = 0; i < count && missing; i++)
		if ((missing & kind_of(latched[i].q)) &&
		    is_read(ctx, port, latched[i].q))
			missing &= ~kind_of(latched[i].q);
	return missing;
}

/* The requested ports whose modules lack the same kinds. */
struct unread {
	size_t ports;
	char names[NAMES_MAX];		/* of the first few */
};

static void unread_note(struct answer *a, unsigned missing,
			const struct unread *u)
{
	static const char *const words[] = { "loss of signal", "faults",
					     "alarms" };
	char more[32] = "", kinds[64] = "";

	for (unsigned i = 0; i < 3; i++)
		if (missing >> i & 1)
			joined_add(kinds, sizeof(kinds), ", ", "%s", words[i]);
	if (u->ports > NAMED_MAX)
		(void)snprintf(more, sizeof(more), " and %zu more",
			       u->ports - NAMED_MAX);
	answer_note(a, "flags: not known for %s%s: %s were not read",
		    u->names, more, kinds);
}

/* Says what a lack of flags means, for each requested module. */
static void silence_note(const struct query *q, bool any_row)
{
	const struct query_context *ctx = q->ctx;
	struct answer *a = q->a;
	struct raised latched[LATCHED_MAX];
	struct unread of[KIND_ALL + 1] = { 0 };
	size_t count = latched_collect(ctx, latched), modules = 0, at = 0;
	uint32_t port;

	while (choice_next(q, &at, &port)) {
		struct unread *u;

		if (state_port_module(ctx->state, port) == ENTITY_NONE)
			continue;
		modules++;
		u = &of[kinds_missing(ctx, port, latched, count)];
		if (u->ports++ < NAMED_MAX)
			joined_add(u->names, sizeof(u->names), ", ", "%s",
				   query_name(ctx, port));
	}
	if (of[KIND_ALL].ports == modules) {
		answer_note(a, "flags: latched flags (loss of signal, faults, "
			    "alarms) are not read here: reading clears them, "
			    "and another program needs them");
		return;
	}
	if (!any_row)
		answer_note(a, "flags: none raised%s",
			    of[0].ports == modules ? "" :
						     " of those that were read");
	for (unsigned missing = 1; missing <= KIND_ALL; missing++)
		if (of[missing].ports)
			unread_note(a, missing, &of[missing]);
}

static void rows_flags(struct query *q)
{
	size_t mine = answer_message(q->a)->n_tables;
	struct raised_list list;
	struct seats seats;
	struct seat seat;

	raised_collect(q->ctx, &list);
	answer_table(q->a, q->shape);
	seats_begin(&seats, q);
	while (list.count && seats_next(&seats, &seat))
		for (size_t f = 0; f < list.count; f++)
			flag_row(q, &seat, &list.raised[f]);
	if (q->ctx->control)
		silence_note(q, answer_rows(q->a, mine));
	else
		answer_note(q->a, "flags: not available while the agent is "
			    "down");
}

const struct answer_shape shape_flags = {
	"flags", .rows = rows_flags, .columns = {
	{ "port", "PORT", CELL_TEXT },
	{ "lanes", "LANES", CELL_TEXT },
	{ "age", "AGE", CELL_AGE_NS },
	{ "flag", "", CELL_TEXT },
	{ "words", "RAISED", CELL_TEXT },
	{ .key = NULL },
} };
