/* The findings that are open, and the coverage that gives silence a meaning. */
#include "agent/query/verbs.h"

#include <stdio.h>
#include <string.h>

#include "agent/query/answer.h"
#include "agent/query/follow.h"
#include "agent/query/shapes.h"
#include "agent/query/watched.h"
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

int verbs_findings(void *context, struct query_client *client,
		   const Petrel__Request *request, struct answer *a)
{
	struct query_context *ctx = context;

	(void)context_begin(ctx, a);
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
	{ "limit", "CANNOT SEE ALL", CELL_TEXT, false, false },
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
