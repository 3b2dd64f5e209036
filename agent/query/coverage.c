#include "agent/query/coverage.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/joined.h"
#include "agent/query/verbs.h"
#include "agent/signature/engine.h"

#define SENTENCE_MAX 480

#define WATCHED_REASONS_MAX 6

/* Why some ports are not fully watched; texts are static. */
struct watched_reason {
	enum watch watch;
	const char *why, *arm;		/* NULL: not given */
	unsigned ports;
};

/* One signature on all ports. */
struct signature_coverage {
	enum watch overall;
	unsigned ports[WATCH_COUNT];
	struct watched_reason reason[WATCHED_REASONS_MAX];
	unsigned reason_count;
};

static const char agent_is_down[] = "the agent is down";
static const char start_agent[] = "start petreld";

/* What the engine says of one port; it doesn't know the last signature. */
static enum watch watch_of(const struct query_context *ctx, uint32_t port,
			   enum signature signature, const char **why,
			   const char **arm)
{
	uint32_t number;

	*why = *arm = NULL;
	if (signature == SIGNATURE_SWITCH_SILENT) {
		*why = "only the collector can see it";
		return WATCH_NA;
	}
	if (ctx->is_far) {
		*why = "only the switch itself shows this";
		*arm = "run petrel there";
		return WATCH_BLIND;
	}
	if (!ctx->engine) {
		*why = agent_is_down;
		*arm = start_agent;
		return WATCH_BLIND;
	}
	if (!ctx->port_number(ctx->core, port, &number)) {
		*why = "nothing was read from the port yet";
		return WATCH_BLIND;
	}
	return engine_watch(ctx->engine, number, signature, why, arm);
}

static bool text_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool reason_is_same(const struct watched_reason *a,
			   const struct watched_reason *b)
{
	return a->watch == b->watch && text_same(a->why, b->why) &&
	       text_same(a->arm, b->arm);
}

/* Counts ports with the same reason together. */
static void reason_count(struct signature_coverage *w,
			 const struct watched_reason *of)
{
	unsigned i = 0;

	while (i < w->reason_count && !reason_is_same(&w->reason[i], of))
		i++;
	if (i < w->reason_count)
		w->reason[i].ports++;
	else if (i < WATCHED_REASONS_MAX)
		w->reason[w->reason_count++] = *of;
}

/* Armed only if every port that it applies to is armed. */
static enum watch overall(const unsigned ports[WATCH_COUNT])
{
	if (ports[WATCH_ARMED] + ports[WATCH_LIMITED] == 0)
		return ports[WATCH_BLIND] || !ports[WATCH_NA] ? WATCH_BLIND :
								WATCH_NA;
	return ports[WATCH_LIMITED] + ports[WATCH_BLIND] ? WATCH_LIMITED :
							   WATCH_ARMED;
}

/* Asks the engine about each port. */
static void watched_signature(const struct query_context *ctx,
			      enum signature signature,
			      struct signature_coverage *ret)
{
	size_t n = state_port_count(ctx->state);
	const char *why, *arm;

	*ret = (struct signature_coverage){ 0 };
	for (size_t i = 0; i < n; i++) {
		enum watch watch = watch_of(ctx, state_port(ctx->state, i),
					    signature, &why, &arm);

		ret->ports[watch]++;
		if (watch != WATCH_ARMED)
			reason_count(ret, &(struct watched_reason){
						.watch = watch, .why = why,
						.arm = arm, .ports = 1 });
	}
	ret->overall = overall(ret->ports);
	if (n > 0)
		return;
	(void)watch_of(ctx, ENTITY_NONE, signature, &why, &arm);
	if (signature == SIGNATURE_SWITCH_SILENT)
		ret->overall = WATCH_NA;
	else if (cages_count(ctx) == 0)
		why = "no port is known yet";
	else
		why = "modules are read, but no port is known";
	ret->reason[ret->reason_count++] = (struct watched_reason){
		.watch = ret->overall, .why = why };
}

const struct answer_shape shape_watched = {
	"watched", .single = true, .columns = {
	{ "signatures", "", CELL_INTEGER },
	{ "armed", "", CELL_INTEGER },
	{ "limited", "", CELL_INTEGER },
	{ "blind", "", CELL_INTEGER },
	{ "not_applicable", "", CELL_INTEGER },
	{ "blind_signatures", "", CELL_TEXT },
	{ .key = NULL },
} };

/* "no findings; 3 of 24 signatures armed; blind: …": says what is not seen. */
static void summary_sentence(const struct query_context *ctx,
			     struct answer *a, size_t shown,
			     const struct watched_count *count)
{
	char head[40], limited[40] = "";

	(void)snprintf(head, sizeof(head), "%zu finding%s", shown,
		       shown == 1 ? "" : "s");
	if (!ctx->engine) {
		answer_note(a, "%s when the agent stopped; nothing is watched "
			    "while it is down", shown ? head : "no findings");
		return;
	}
	if (count->of[WATCH_LIMITED])
		(void)snprintf(limited, sizeof(limited), ", %u limited",
			       count->of[WATCH_LIMITED]);
	answer_note(a, "%s; %u of %d signatures armed%s%s%s: see petrel "
		    "coverage", shown ? head : "no findings",
		    count->of[WATCH_ARMED], SIGNATURE_COUNT - 1, limited,
		    count->blind[0] ? "; blind: " : "", count->blind);
}

void watched_count(const struct query_context *ctx, struct watched_count *ret)
{
	struct signature_coverage w;

	*ret = (struct watched_count){ .blind = "" };
	for (int s = 1; s < SIGNATURE_COUNT; s++) {
		watched_signature(ctx, (enum signature)s, &w);
		ret->of[w.overall]++;
		if (w.overall == WATCH_BLIND)
			joined_add(ret->blind, sizeof(ret->blind), ", ", "%s",
				   signature_name((enum signature)s));
	}
}

void coverage_ports(const struct query_context *ctx, enum signature signature,
		    unsigned ret[static WATCH_COUNT])
{
	struct signature_coverage w;

	watched_signature(ctx, signature, &w);
	memcpy(ret, w.ports, sizeof(w.ports));
}

void coverage_summary(struct query *q, size_t shown)
{
	struct watched_count count;

	watched_count(q->ctx, &count);
	answer_table(q->a, &shape_watched);
	answer_row(q->a);
	answer_integer(q->a, SIGNATURE_COUNT - 1);
	for (int watch = WATCH_ARMED; watch < WATCH_COUNT; watch++)
		answer_integer(q->a, count.of[watch]);
	answer_text(q->a, count.blind);
	summary_sentence(q->ctx, q->a, shown, &count);
}

/* Signatures of one port with the same reason. */
struct reason_group {
	struct watched_reason reason;
	char signatures[SENTENCE_MAX];
};

static void rows_port_watched(struct query *q)
{
	const char *why, *arm;

	answer_table(q->a, q->shape);
	for (int i = 1; i < SIGNATURE_COUNT; i++) {
		enum signature s = (enum signature)i;
		enum watch watch = watch_of(q->ctx, q->of[OF_PORT], s, &why,
					    &arm);

		answer_row(q->a);
		answer_text(q->a, signature_name(s));
		answer_text(q->a, watch_name(watch));
		answer_text(q->a, why);
		answer_text(q->a, arm);
	}
}

const struct answer_shape shape_port_watched = {
	"watched", .rows = rows_port_watched, .columns = {
	{ "signature", "", CELL_TEXT },
	{ "watch", "", CELL_TEXT },
	{ "why", "", CELL_TEXT },
	{ "arm", "", CELL_TEXT },
	{ .key = NULL },
} };

/* Adds a signature to its reason's group, or a new one; returns the count. */
static unsigned group_add(struct reason_group *g, unsigned count,
			  enum signature signature,
			  const struct watched_reason *r)
{
	unsigned i = 0;

	while (i < count && !reason_is_same(&g[i].reason, r))
		i++;
	if (i == count)
		g[count++] = (struct reason_group){ *r, "" };
	joined_add(g[i].signatures, SENTENCE_MAX, ", ", "%s",
		   signature_name(signature));
	return count;
}

static void group_row(struct answer *a, const struct reason_group *g)
{
	const struct watched_reason *r = &g->reason;
	char words[2 * SENTENCE_MAX];

	(void)snprintf(words, sizeof(words), "%s%s%s%s%s", g->signatures,
		       r->why ? ": " : "", r->why ? r->why : "",
		       r->arm ? " -> " : "", r->arm ? r->arm : "");
	answer_row(a);
	answer_text(a, watch_name(r->watch));
	answer_text(a, r->why);
	answer_text(a, r->arm);
	answer_text(a, g->signatures);
	answer_text(a, words);
}

/* Armed first, then limited, blind, n/a. */
static void rows_by_reason(struct query *q)
{
	struct reason_group group[SIGNATURE_COUNT];
	unsigned count = 0;

	for (int i = 1; i < SIGNATURE_COUNT; i++) {
		enum signature s = (enum signature)i;
		struct watched_reason r = { .ports = 0 };

		r.watch = watch_of(q->ctx, q->of[OF_PORT], s, &r.why, &r.arm);
		count = group_add(group, count, s, &r);
	}
	answer_table(q->a, q->shape);
	for (int watch = WATCH_ARMED; watch < WATCH_COUNT; watch++)
		for (unsigned i = 0; i < count; i++)
			if ((int)group[i].reason.watch == watch)
				group_row(q->a, &group[i]);
}

const struct answer_shape shape_watched_by_reason = {
	"watched_by_reason", .rows = rows_by_reason, .columns = {
	{ "watch", "WATCHED", CELL_TEXT },
	{ "why", "", CELL_TEXT },
	{ "arm", "", CELL_TEXT },
	{ "signatures", "", CELL_TEXT },
	{ "words", "SIGNATURES: WHY -> WHAT WOULD ARM THEM", CELL_TEXT },
	{ .key = NULL },
} };

/* --- petrel coverage ------------------------------------------------------ */

/* All reasons of a signature as one sentence; "" if it is armed. */
static void reasons_words(const struct signature_coverage *w, char *text,
			  size_t cap)
{
	text[0] = '\0';
	for (unsigned i = 0; i < w->reason_count; i++) {
		const struct watched_reason *r = &w->reason[i];

		joined_add(text, cap, "; ", "%s%s%s",
			   r->why ? r->why : "no reason given",
			   r->arm ? " -> " : "", r->arm ? r->arm : "");
	}
}

/* The numbers of ports, and all reasons in one sentence. */
static void coverage_row(struct answer *a, enum signature signature,
			 const struct signature_coverage *w)
{
	char why[480];

	reasons_words(w, why, sizeof(why));
	answer_row(a);
	answer_text(a, signature_name(signature));
	answer_text(a, watch_name(w->overall));
	for (int watch = WATCH_ARMED; watch < WATCH_COUNT; watch++)
		answer_integer(a, w->ports[watch]);
	answer_text_if(a, why);
}

/* The same reasons one by one, for scripts. */
static void reason_rows(struct answer *a, enum signature signature,
			const struct signature_coverage *w)
{
	for (unsigned i = 0; i < w->reason_count; i++) {
		const struct watched_reason *r = &w->reason[i];

		answer_row(a);
		answer_text(a, signature_name(signature));
		answer_text(a, watch_name(r->watch));
		answer_integer(a, r->ports);
		answer_text(a, r->why);
		answer_text(a, r->arm);
	}
}

/* A source that answers with everything says nothing, nor does one that this
 * switch cannot have.
 */
static bool is_limit(const struct state_source *s)
{
	return s->reason[0] && !s->own &&
	       (s->state == SOURCE_FRESH || s->state == SOURCE_LIMITED ||
		s->state == SOURCE_ABSENT || s->state == SOURCE_BROKEN);
}

/* More lanes than a table of SONiC has, and no other source reads them. */
static bool is_cut(const struct query_context *ctx, uint32_t module,
		   int64_t lanes)
{
	return lanes > PORT_LANES_MAX &&
	       state_child(ctx->state, module, ENTITY_LANE, 1) != ENTITY_NONE &&
	       state_child(ctx->state, module, ENTITY_LANE,
			   PORT_LANES_MAX + 1) == ENTITY_NONE;
}

/* Modules with more lanes than are read; quantity: what says so. */
static unsigned modules_cut(const struct query_context *ctx,
			    enum quantity quantity)
{
	const struct sample_column *c;
	size_t n = state_columns(ctx->state, &c);
	unsigned cut = 0;

	for (size_t i = 0; i < n; i++) {
		if (c[i].quantity != quantity)
			continue;
		for (uint32_t k = 0; k < c[i].count; k++)
			cut += quantity == Q_MODULE_BANKS_UNREAD ?
			       c[i].value[k] > 0 :
			       is_cut(ctx, c[i].entity[k], c[i].value[k]);
	}
	return cut;
}

static void row_modules_cut(struct query *q, enum quantity quantity,
			    unsigned most, const char *why)
{
	unsigned cut = modules_cut(q->ctx, quantity);
	char limit[96];

	if (cut == 0)
		return;
	(void)snprintf(limit, sizeof(limit), "%u module%s more than %u lanes: "
		       "those from %u on are not read%s", cut,
		       cut == 1 ? " has" : "s have", most, most + 1, why);
	answer_row(q->a);
	answer_text(q->a, "module");
	answer_text(q->a, limit);
}

/* Sources that do not answer, or not with everything, and what would mend that:
 * mostly the switch's own settings.
 */
static void rows_limits(struct query *q)
{
	const struct state_source *source;
	size_t n = state_sources(q->ctx->state, &source);

	answer_table(q->a, q->shape);
	for (size_t i = 0; i < n; i++) {
		if (!is_limit(&source[i]))
			continue;
		answer_row(q->a);
		answer_text(q->a, source[i].name);
		answer_text(q->a, source[i].reason);
	}
	row_modules_cut(q, Q_MODULE_BANKS_UNREAD, 32, "");
	row_modules_cut(q, Q_MODULE_MEDIA_LANES, PORT_LANES_MAX,
			": SONiC publishes eight");
}

const struct answer_shape shape_limits = {
	"limits", .rows = rows_limits, .columns = {
	{ "source", "SOURCE", CELL_TEXT },
	{ "limit", "LIMITATION", CELL_TEXT },
	{ .key = NULL },
} };

static void rows_coverage(struct query *q)
{
	const struct signature_coverage *w = q->own;

	answer_table(q->a, q->shape);
	for (int s = 1; s < SIGNATURE_COUNT; s++)
		coverage_row(q->a, (enum signature)s, &w[s]);
	answer_note(q->a, "Numbers are ports. armed: sees it; limited (LIM): "
		    "sees some of it; blind: cannot see it; n/a: does not "
		    "apply.");
}

const struct answer_shape shape_coverage = {
	"coverage", .rows = rows_coverage, .columns = {
	{ "signature", "SIGNATURE", CELL_TEXT },
	{ "state", "STATE", CELL_TEXT },
	{ "armed_ports", "ARMED", CELL_INTEGER },
	{ "limited_ports", "LIM", CELL_INTEGER },
	{ "blind_ports", "BLIND", CELL_INTEGER },
	{ "na_ports", "N/A", CELL_INTEGER },
	{ "why", "WHY -> WHAT WOULD ARM IT", CELL_TEXT },
	{ .key = NULL },
} };

static void rows_reasons(struct query *q)
{
	const struct signature_coverage *w = q->own;

	answer_table(q->a, q->shape);
	for (int s = 1; s < SIGNATURE_COUNT; s++)
		reason_rows(q->a, (enum signature)s, &w[s]);
}

const struct answer_shape shape_reasons = {
	"reasons", .rows = rows_reasons, .columns = {
	{ "signature", "", CELL_TEXT },
	{ "state", "", CELL_TEXT },
	{ "ports", "", CELL_INTEGER },
	{ "why", "", CELL_TEXT },
	{ "arm", "", CELL_TEXT },
	{ .key = NULL },
} };

int verbs_coverage(struct query *q)
{
	struct signature_coverage w[SIGNATURE_COUNT];

	for (int s = 1; s < SIGNATURE_COUNT; s++)
		watched_signature(q->ctx, (enum signature)s, &w[s]);
	q->own = w;
	return verb_tables(q);
}
