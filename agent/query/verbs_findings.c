/* The findings that are open, and the coverage that gives silence a meaning. */
#include "agent/query/verbs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/query/answer.h"
#include "agent/query/follow.h"
#include "agent/query/shapes.h"
#include "agent/query/watched.h"
#include "agent/signature/benign.h"
#include "agent/signature/engine.h"
#include "agent/state/state.h"

/* All, or the one whose id begins with prefix. */
static int findings_give(const struct query_context *ctx, struct answer *a,
			 const char *prefix)
{
	const struct finding *open[CONTEXT_FINDINGS_MAX];
	size_t n = context_findings(ctx, open), shown = 0;

	for (size_t i = 0; i < n; i++) {
		if (prefix && strncmp(open[i]->id, prefix, strlen(prefix)) != 0)
			continue;
		answer_finding(a, open[i]);
		shown++;
	}
	if (prefix && shown == 0)
		return answer_error(a, EXIT_NO_SUCH, "no open finding '%.64s'; "
				    "%zu are open: see petrel findings",
				    prefix, n);
	if (prefix && shown > 1)
		return answer_error(a, EXIT_NO_SUCH, "'%.64s' begins %zu "
				    "findings' ids; give more of it", prefix,
				    shown);
	watched_summary(ctx, a, shown);
	return EXIT_ANSWERED;
}

static const struct answer_column benign_columns[] = {
	{ "since", "SINCE", CELL_WALL_NS, false, false },
	{ "subject", "SUBJECT", CELL_TEXT, false, false },
	{ "seen", "SEEN", CELL_TEXT, false, false },
	{ "why", "WHY IT IS NO FAULT", CELL_TEXT, false, false },
	{ "last", "", CELL_WALL_NS, false, true },
	{ "symptom", "", CELL_TEXT, false, true },
	{ "size", "", CELL_MILLI, true, true },
	{ "benign", "", CELL_TEXT, false, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_benign = { "benign", benign_columns, false };

static void benign_seen(const struct benign *b, char *ret, size_t cap)
{
	double size = (double)b->size;

	if (b->symptom == SYMPTOM_ERRORS)
		(void)snprintf(ret, cap, "errors grew by %.1f decades", size);
	else if (b->symptom == SYMPTOM_FALLS)
		(void)snprintf(ret, cap, "links that fell: %.0f", size);
	else
		(void)snprintf(ret, cap, "ports whose counters began anew: "
			       "%.0f", size);
}

static void benign_row(const struct query_context *ctx, struct answer *a,
		       const struct benign *b, const struct clock_reading *now)
{
	int64_t wall_ns = now->wall.ns - now->mono.ns;
	char seen[64];

	benign_seen(b, seen, sizeof(seen));
	answer_row(a);
	answer_integer(a, wall_ns + b->since.ns);
	answer_text(a, b->subject[0] ? b->subject : ctx->switch_name);
	answer_text(a, seen);
	answer_text(a, benign_words(b->id));
	answer_integer(a, wall_ns + b->until.ns);
	answer_text(a, symptom_name(b->symptom));
	answer_integer(a, llroundf(b->size * 1000));
	answer_text(a, benign_name(b->id));
}

static int benign_later(const void *left, const void *right)
{
	const struct benign *a = *(const struct benign *const *)left;
	const struct benign *b = *(const struct benign *const *)right;

	return (a->since.ns < b->since.ns) - (a->since.ns > b->since.ns);
}

/* What was explained away in the last hour, the newest first. */
static int benign_give(const struct query_context *ctx, struct answer *a,
		       struct clock_reading now)
{
	const struct benign *all, *shown[BENIGN_MAX];
	size_t n = 0, count;

	if (!ctx->engine)
		return answer_error(a, EXIT_UNREACHABLE, "only a living agent "
				    "knows what it explained away");
	count = engine_benign(ctx->engine, &all);
	for (size_t i = 0; i < count; i++)
		if (mono_diff_ns(now.mono, all[i].until) < BENIGN_KEPT_NS)
			shown[n++] = &all[i];
	qsort(shown, n, sizeof(shown[0]), benign_later);
	answer_shaped(a, &shape_benign);
	for (size_t i = 0; i < n; i++)
		benign_row(ctx, a, shown[i], &now);
	if (n == 0)
		answer_note(a, "nothing was explained away in the last hour");
	return EXIT_ANSWERED;
}

int verbs_findings(void *context, struct query_client *client,
		   const Petrel__Request *request, struct answer *a)
{
	struct query_context *ctx = context;
	struct clock_reading now = context_begin(ctx, a);

	if (request->benign)
		return benign_give(ctx, a, now);
	if (request->follow)
		return follow_findings(ctx, client, request, a);
	follow_cursor(ctx, a);
	return findings_give(ctx, a, request->n_args ? request->args[0] : NULL);
}

static const struct answer_column coverage_columns[] = {
	{ "signature", "SIGNATURE", CELL_TEXT, false, false },
	{ "state", "STATE", CELL_TEXT, false, false },
	{ "armed_ports", "ARMED", CELL_INTEGER, true, false },
	{ "limited_ports", "LIM", CELL_INTEGER, true, false },
	{ "blind_ports", "BLIND", CELL_INTEGER, true, false },
	{ "na_ports", "N/A", CELL_INTEGER, true, false },
	{ "why", "WHY -> WHAT WOULD ARM IT", CELL_TEXT, false, false },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_coverage = {
	"coverage", coverage_columns, false
};

static const struct answer_column reason_columns[] = {
	{ "signature", "", CELL_TEXT, false, true },
	{ "state", "", CELL_TEXT, false, true },
	{ "ports", "", CELL_INTEGER, true, true },
	{ "why", "", CELL_TEXT, false, true },
	{ "arm", "", CELL_TEXT, false, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_reasons = { "reasons", reason_columns, false };

/* All reasons of a signature as one sentence; "" when it is armed. */
static void reasons_words(const struct watched *w, char *text, size_t cap)
{
	size_t len = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < w->reason_count && len < cap; i++) {
		const struct watched_reason *r = &w->reason[i];
		int n = snprintf(text + len, cap - len, "%s%s%s%s",
				 i ? "; " : "",
				 r->why ? r->why : "no reason told",
				 r->arm ? " -> " : "", r->arm ? r->arm : "");

		len += n > 0 ? (size_t)n : 0;
	}
}

/* The row: numbers of ports, and all reasons in one sentence. */
static void coverage_row(struct answer *a, enum signature signature,
			 const struct watched *w)
{
	char why[480];

	reasons_words(w, why, sizeof(why));
	answer_row(a);
	answer_text(a, signature_name(signature));
	answer_text(a, watch_name(w->overall));
	for (int watch = WATCH_ARMED; watch < WATCH_COUNT; watch++)
		answer_integer(a, w->ports[watch]);
	answer_text(a, why[0] ? why : NULL);
}

/* The same reasons one by one, for scripts. */
static void reason_rows(struct answer *a, enum signature signature,
			const struct watched *w)
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

static const struct answer_column limit_columns[] = {
	{ "source", "SOURCE", CELL_TEXT, false, false },
	{ "limit", "LIMITATION", CELL_TEXT, false, false },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_limits = { "limits", limit_columns, false };

/* Sources that answer and yet do not show all, with what would change it: the
 * switch's own settings, mostly.
 */
static void limits_table(const struct query_context *ctx, struct answer *a)
{
	const struct state_source *source;
	size_t n = state_sources(ctx->state, &source);

	answer_shaped(a, &shape_limits);
	for (size_t i = 0; i < n; i++) {
		if (source[i].state != SOURCE_FRESH || !source[i].reason[0])
			continue;
		answer_row(a);
		answer_text(a, source[i].name);
		answer_text(a, source[i].reason);
	}
}

int verbs_coverage(void *context, struct query_client *client,
		   const Petrel__Request *request, struct answer *a)
{
	const struct query_context *ctx = context;
	struct watched w[SIGNATURE_COUNT];

	(void)client;
	(void)request;
	(void)context_begin(ctx, a);
	answer_shaped(a, &shape_coverage);
	for (int s = 1; s < SIGNATURE_COUNT; s++) {
		watched_signature(ctx, (enum signature)s, &w[s]);
		coverage_row(a, (enum signature)s, &w[s]);
	}
	answer_note(a, "Numbers are ports. armed: sees it; limited (LIM): sees "
		    "some of it; blind: cannot see it; n/a: does not apply.");
	answer_shaped(a, &shape_reasons);
	for (int s = 1; s < SIGNATURE_COUNT; s++)
		reason_rows(a, (enum signature)s, &w[s]);
	limits_table(ctx, a);
	return EXIT_ANSWERED;
}
