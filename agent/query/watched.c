#include "agent/query/watched.h"

#include <stdio.h>
#include <string.h>

#include "agent/query/answer.h"
#include "agent/query/cages.h"
#include "agent/query/shapes.h"
#include "agent/signature/engine.h"
#include "agent/state/state.h"

#define SENTENCE_MAX 480

static const char agent_is_down[] = "the agent is down";
static const char start_agent[] = "start petreld";

/* What the engine says of one port; the last signature is not its own. */
static enum watch watch_of(const struct query_context *ctx, uint32_t port,
			   enum signature signature, const char **why,
			   const char **arm)
{
	uint32_t number;

	*why = *arm = NULL;
	if (signature == SIGNATURE_SWITCH_SILENT) {
		*why = "judged by the collector";
		return WATCH_NA;
	}
	if (!ctx->engine) {
		*why = agent_is_down;
		*arm = start_agent;
		return WATCH_BLIND;
	}
	if (!ctx->port_number(ctx->core, port, &number)) {
		*why = "nothing was read of the port yet";
		return WATCH_BLIND;
	}
	return engine_watch(ctx->engine, number, signature, why, arm);
}

static bool text_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Ports with the same reason are counted together. */
static void reason_count(struct watched *w, enum watch watch, const char *why,
			 const char *arm)
{
	for (unsigned i = 0; i < w->reason_count; i++) {
		struct watched_reason *r = &w->reason[i];

		if (r->watch == watch && text_same(r->why, why) &&
		    text_same(r->arm, arm)) {
			r->ports++;
			return;
		}
	}
	if (w->reason_count == WATCHED_REASONS_MAX) {
		w->more_reasons = true;
		return;
	}
	w->reason[w->reason_count++] = (struct watched_reason){
		.watch = watch, .why = why, .arm = arm, .ports = 1 };
}

/* Armed only where every port that it applies to is armed. */
static enum watch overall(const unsigned ports[WATCH_COUNT])
{
	if (ports[WATCH_ARMED] + ports[WATCH_LIMITED] == 0)
		return ports[WATCH_BLIND] || !ports[WATCH_NA] ? WATCH_BLIND :
								WATCH_NA;
	return ports[WATCH_LIMITED] + ports[WATCH_BLIND] ? WATCH_LIMITED :
							   WATCH_ARMED;
}

void watched_signature(const struct query_context *ctx,
		       enum signature signature, struct watched *ret)
{
	size_t n = state_port_count(ctx->state);
	const char *why, *arm;

	*ret = (struct watched){ 0 };
	for (size_t i = 0; i < n; i++) {
		enum watch watch = watch_of(ctx, state_port(ctx->state, i),
					    signature, &why, &arm);

		ret->ports[watch]++;
		if (watch != WATCH_ARMED)
			reason_count(ret, watch, why, arm);
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

/* A list of words with commas, cut where it is full. */
struct words {
	char text[SENTENCE_MAX];
	size_t len;
};

static void words_add(struct words *w, const char *word)
{
	int n = snprintf(w->text + w->len, sizeof(w->text) - w->len, "%s%s",
			 w->len ? ", " : "", word);

	if (n > 0 && (size_t)n < sizeof(w->text) - w->len)
		w->len += (size_t)n;
	else
		w->text[w->len] = '\0';
}

static const struct answer_column summary_columns[] = {
	{ "signatures", "", CELL_INTEGER, true, true },
	{ "armed", "", CELL_INTEGER, true, true },
	{ "limited", "", CELL_INTEGER, true, true },
	{ "blind", "", CELL_INTEGER, true, true },
	{ "not_applicable", "", CELL_INTEGER, true, true },
	{ "blind_signatures", "", CELL_TEXT, false, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_watched = { "watched", summary_columns, true };

/* "no findings; 3 of 24 signatures armed; blind: …": silence is no health. */
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
	struct words blind = { .text = "" };
	struct watched w;

	memset(ret->of, 0, sizeof(ret->of));
	for (int s = 1; s < SIGNATURE_COUNT; s++) {
		watched_signature(ctx, (enum signature)s, &w);
		ret->of[w.overall]++;
		if (w.overall == WATCH_BLIND)
			words_add(&blind, signature_name((enum signature)s));
	}
	(void)snprintf(ret->blind, sizeof(ret->blind), "%s", blind.text);
}

void watched_summary(const struct query_context *ctx, struct answer *a,
		     size_t shown)
{
	struct watched_count count;

	watched_count(ctx, &count);
	answer_shaped(a, &shape_watched);
	answer_row(a);
	answer_integer(a, SIGNATURE_COUNT - 1);
	for (int watch = WATCH_ARMED; watch < WATCH_COUNT; watch++)
		answer_integer(a, count.of[watch]);
	answer_text(a, count.blind);
	summary_sentence(ctx, a, shown, &count);
}

static const struct answer_column port_columns[] = {
	{ "signature", "", CELL_TEXT, false, true },
	{ "watch", "", CELL_TEXT, false, true },
	{ "why", "", CELL_TEXT, false, true },
	{ "arm", "", CELL_TEXT, false, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_port_watched = {
	"watched", port_columns, false
};

static const struct answer_column group_columns[] = {
	{ "watch", "WATCHED", CELL_TEXT, false, false },
	{ "why", "", CELL_TEXT, false, true },
	{ "arm", "", CELL_TEXT, false, true },
	{ "signatures", "", CELL_TEXT, false, true },
	{ "words", "SIGNATURES: WHY -> WHAT WOULD ARM THEM", CELL_TEXT, false,
	  false },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_watched_by_reason = {
	"watched_by_reason", group_columns, false
};

/* Signatures of one port with the same reason. */
struct group {
	struct watched_reason reason;
	struct words signatures;
};

struct groups {
	struct group group[SIGNATURE_COUNT];
	unsigned count;
};

/* Looks the reason up among those that are there. */
static void groups_add(struct groups *g, enum signature signature,
		       enum watch watch, const char *why, const char *arm)
{
	struct group *at = g->group;

	while (at < g->group + g->count &&
	       (at->reason.watch != watch || !text_same(at->reason.why, why) ||
		!text_same(at->reason.arm, arm)))
		at++;
	if (at == g->group + g->count) {
		g->count++;
		at->reason = (struct watched_reason){ .watch = watch,
						      .why = why, .arm = arm };
		at->signatures.len = 0;
	}
	words_add(&at->signatures, signature_name(signature));
}

static void group_row(struct answer *a, const struct group *g)
{
	const struct watched_reason *r = &g->reason;
	char words[2 * SENTENCE_MAX];

	(void)snprintf(words, sizeof(words), "%s%s%s%s%s", g->signatures.text,
		       r->why ? ": " : "", r->why ? r->why : "",
		       r->arm ? " -> " : "", r->arm ? r->arm : "");
	answer_row(a);
	answer_text(a, watch_name(r->watch));
	answer_text(a, r->why);
	answer_text(a, r->arm);
	answer_text(a, g->signatures.text);
	answer_text(a, words);
}

/* Armed first, then what sees less and less. */
static void groups_table(struct answer *a, const struct groups *g)
{
	answer_shaped(a, &shape_watched_by_reason);
	for (int watch = WATCH_ARMED; watch < WATCH_COUNT; watch++)
		for (unsigned i = 0; i < g->count; i++)
			if ((int)g->group[i].reason.watch == watch)
				group_row(a, &g->group[i]);
}

void watched_port(const struct query_context *ctx, struct answer *a,
		  uint32_t port)
{
	struct groups groups = { .count = 0 };
	const char *why, *arm;

	answer_shaped(a, &shape_port_watched);
	for (int i = 1; i < SIGNATURE_COUNT; i++) {
		enum signature s = (enum signature)i;
		enum watch watch = watch_of(ctx, port, s, &why, &arm);

		answer_row(a);
		answer_text(a, signature_name(s));
		answer_text(a, watch_name(watch));
		answer_text(a, why);
		answer_text(a, arm);
		groups_add(&groups, s, watch, why, arm);
	}
	groups_table(a, &groups);
}
