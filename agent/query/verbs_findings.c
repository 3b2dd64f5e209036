/* Open findings, changes of findings, and benign observations. */
#include "agent/query/verbs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/base/ring.h"
#include "agent/query/coverage.h"
#include "agent/query/follow.h"
#include "agent/record/capsule.h"
#include "agent/signature/benign.h"
#include "agent/signature/engine.h"
#include "petrel/local.h"
#include "petrel/quantity.h"
#include "petrel/wire.h"

#define CURSOR_TEXT_MAX 48
#define RUN_DIGITS 16
#define BURST_MAX 64		/* findings in one answer */

/* --- cursor: run-sequence; the run shows whether it is another one ------- */

static void cursor_write(struct query *q, uint64_t sequence)
{
	char text[CURSOR_TEXT_MAX];

	(void)snprintf(text, sizeof(text), "%016llx-%llu",
		       (unsigned long long)q->ctx->rings->run,
		       (unsigned long long)sequence);
	answer_cursor(q->a, text);
}

static const struct ring *findings_ring(const struct query_context *ctx)
{
	return ctx->rings->ring[STREAM_FINDINGS];
}

/* The sequence of a cursor. Returns 1 with sequence 0 if it is of another run,
 * or not reached yet: then all that is kept is sent, marked incomplete.
 */
static int cursor_parse(const struct query_context *ctx, const char *text,
			uint64_t *ret)
{
	uint64_t next = ring_next(findings_ring(ctx));
	char run[2 + RUN_DIGITS + 1];
	uint64_t of_run, sequence;

	if (strlen(text) <= RUN_DIGITS + 1 || text[RUN_DIGITS] != '-')
		return -EINVAL;
	(void)snprintf(run, sizeof(run), "0x%.*s", RUN_DIGITS, text);
	if (number_parse(run, 0, UINT64_MAX, &of_run) < 0 ||
	    number_parse(text + RUN_DIGITS + 1, 0, UINT64_MAX - 1,
			 &sequence) < 0)
		return -EINVAL;
	if (of_run != ctx->rings->run || sequence >= next) {
		*ret = 0;
		return 1;
	}
	*ret = sequence;
	return 0;
}

/* --- who follows ---------------------------------------------------------- */

/* Skips a finding repeated in a snapshot: it is not a change. */
static void record_add(struct answer *a, const uint8_t *record, size_t len)
{
	struct cursor c = cursor_of(record, len);
	struct record_header h;
	const uint8_t *payload;
	ProtobufCMessage *m;
	struct finding f;

	if (record_read(&c, &h, &payload) < 0 || h.kind != RECORD_FINDING ||
	    record_unpack(RECORD_FINDING, payload, h.length, &m) < 0)
		return;
	if (!((const Petrel__Finding *)m)->repeated_state &&
	    finding_of_message((const Petrel__Finding *)m, &f) == 0)
		answer_finding(a, &f);
	record_unpacked_free(m);
}

/* Adds what the ring has from w->next on; true if there was any. */
static bool burst_read(struct query *q, struct waiting *w)
{
	const struct ring *ring = findings_ring(q->ctx);
	uint8_t record[RECORD_MAX];
	uint64_t from = w->next;

	while (w->next < from + BURST_MAX) {
		int n = ring_read(ring, w->next, &w->hint, record,
				  sizeof(record));

		if (n == -ESTALE && ring_first(ring) > w->next) {
			answer_message(q->a)->complete = false;
			w->next = ring_first(ring);
			from = w->next;
			continue;
		}
		if (n < 0)
			break;
		record_add(q->a, record, (size_t)n);
		w->next++;
	}
	cursor_write(q, w->next - 1);
	return w->next != from || !answer_message(q->a)->complete;
}

/* Sends in bursts, until all is sent or the client is busy. */
static void findings_send(struct query_context *ctx, struct waiting *w)
{
	struct query q;

	while (w->next < ring_next(findings_ring(ctx)) &&
	       follow_begin(ctx, w, &q) && burst_read(&q, w))
		if (answer_message(q.a)->n_findings ||
		    !answer_message(q.a)->complete)
			(void)query_answer(q.client, q.a, true);
}

void verbs_findings_changed(struct query_context *ctx)
{
	follow_each(ctx, FOLLOW_FINDINGS, findings_send);
}

/* Without a cursor, open findings come first; with one, what came after it. */
static int findings_follow(struct query *q)
{
	const struct finding *open[QUERY_FINDINGS_MAX];
	uint64_t after = ring_next(findings_ring(q->ctx)) - 1;
	const char *cursor = q->request->after;
	size_t n = cursor[0] ? 0 : query_findings(q->ctx, open);
	struct waiting *w;
	int parsed = 0;

	if (cursor[0])
		parsed = cursor_parse(q->ctx, cursor, &after);
	if (parsed < 0)
		return answer_error(q->a, EXIT_USAGE, "'%.64s' is not a cursor; "
				    "give the one of an earlier answer",
				    cursor);
	w = follow_new(q, FOLLOW_FINDINGS);
	if (!w)
		return EXIT_INCOMPLETE;
	w->next = after + 1;
	for (size_t i = 0; i < n; i++)
		answer_finding(q->a, open[i]);
	if (parsed > 0)
		answer_message(q->a)->complete = false;
	cursor_write(q, after);
	(void)query_answer(q->client, q->a, true);
	findings_send(q->ctx, w);
	return QUERY_LATER;
}

/* --- the capsule of one --------------------------------------------------- */

const struct answer_shape shape_capsule = { "capsule", .columns = {
	{ "entity", "AROUND IT", CELL_TEXT },
	{ "quantity_shown", "QUANTITY", CELL_TEXT },
	{ "quantity", "", CELL_TEXT },
	{ "index", "", CELL_INTEGER },
	{ "least_shown", "LEAST", CELL_TEXT, .right = true },
	{ "most_shown", "MOST", CELL_TEXT, .right = true },
	{ "unit", "", CELL_TEXT },
	{ "first", "", CELL_INTEGER },
	{ "least", "", CELL_INTEGER },
	{ "most", "", CELL_INTEGER },
	{ "last", "", CELL_INTEGER },
	{ "readings", "", CELL_INTEGER },
	{ "course", "-60 s TO +30 s", CELL_TEXT },	/* petrel draws it */
	{ .key = NULL },
} };

/* "lane_rx_power": without the unit, if values are shown in another one; and
 * with the index.
 */
static void quantity_text(const struct quantity_info *q, unsigned index,
			  char ret[static VALUE_TEXT_MAX])
{
	const char *unit = quantity_unit_name(q->unit);
	size_t len = strlen(q->name), end = strlen(unit) + 1;
	char words[VALUE_TEXT_MAX / 2];

	quantity_index_words(q, index, words, sizeof(words));
	if (show_is_scaled(q) && len > end &&
	    strcmp(q->name + len - end + 1, unit) == 0)
		len -= end;
	(void)snprintf(ret, VALUE_TEXT_MAX, "%.*s%s%.31s", (int)len, q->name,
		       words[0] ? " " : "", words);
}

/* Series that did not change, and counters, are only for JSON. */
static void series_row(struct answer *a, const Petrel__Capsule *m, size_t i)
{
	const Petrel__CapsuleSeries *s = m->series[i];
	const struct quantity_info *q =
		quantity_find((uint16_t)s->quantity);
	char course[CAPSULE_COURSE_COLUMNS + 1], text[VALUE_TEXT_MAX];
	struct capsule_range r;

	if (!q || capsule_series_range(m, s, &r) < 0 || !r.count ||
	    capsule_series_course(m, s, &r, q->unit == UNIT_E18, course) < 0)
		return;
	answer_row(a);
	answer_text(a, s->name);
	quantity_text(q, s->index, text);
	answer_text(a, text);
	answer_text(a, q->name);
	answer_known(a, quantity_is_indexed(q), s->index);
	show_value_text(q, r.least, text);
	answer_text(a, text);
	show_value_text(q, r.most, text);
	answer_text(a, text);
	answer_text(a, quantity_unit_name(q->unit));
	answer_integer(a, r.first);
	answer_integer(a, r.least);
	answer_integer(a, r.most);
	answer_integer(a, r.last);
	answer_integer(a, r.count);
	answer_text(a, course);
	if (r.least == r.most || q->kind == KIND_COUNTER)
		answer_row_json_only(a);
}

const struct answer_shape shape_congestion = { "congestion", .columns = {
	{ "queue", "CONGESTED", CELL_TEXT },
	{ "peak", "PEAK", CELL_INTEGER },
	{ "unit", "UNIT", CELL_TEXT },
	{ "peak_at", "AT", CELL_WALL_NS },
	{ "duration", "FOR", CELL_AGE_NS },
	{ "lost_frames", "LOST", CELL_UNSIGNED },
	{ "lost_octets", "", CELL_UNSIGNED },
	{ "marked_frames", "MARKED", CELL_UNSIGNED },
	{ "delay_ns", "", CELL_INTEGER },
	{ "quantity", "", CELL_TEXT },
	{ .key = NULL },
} };

/* What was answered of a finding so far. */
struct capsule_told {
	const char *id;
	unsigned parts, congestions;
};

static void congestion_row(struct query *q, const Petrel__Congestion *m,
			   struct capsule_told *told)
{
	const struct quantity_info *info =
		quantity_find((uint16_t)m->quantity);

	if (strcmp(m->id, told->id) != 0)
		return;
	if (told->congestions++ == 0)
		answer_table(q->a, &shape_congestion);
	answer_row(q->a);
	answer_text(q->a, m->name);
	answer_known(q->a, info != NULL, m->peak);
	answer_text(q->a, info ? quantity_unit_name(info->unit) : NULL);
	answer_known(q->a, info != NULL, q->now.wall.ns - q->now.mono.ns +
					 m->peak_mono_ns);
	answer_integer(q->a, m->to_mono_ns - m->from_mono_ns);
	answer_integer(q->a, (int64_t)m->lost_frames);
	answer_integer(q->a, (int64_t)m->lost_octets);
	answer_integer(q->a, (int64_t)m->marked_frames);
	answer_known(q->a, m->delay_ns, m->delay_ns);
	answer_text(q->a, info ? info->name : NULL);
}

void verbs_capsule_part(struct query *q, const Petrel__Capsule *m,
			const char *id, unsigned *ret_parts)
{
	if (strcmp(m->id, id) != 0)
		return;
	if ((*ret_parts)++ == 0)
		answer_table(q->a, &shape_capsule);
	for (size_t i = 0; i < m->n_series; i++)
		series_row(q->a, m, i);
	if (m->part && m->part->number + 1 < m->part->count)
		return;
	answer_note(q->a, "what changed from 60 s before it was raised to 30 s "
		    "after%s; counters: --json",
		    m->missing ? " (incomplete)" : "");
}

/* As much as the ring still has. */
static void capsule_give(struct query *q, const char *id)
{
	const struct ring *ring = findings_ring(q->ctx);
	struct ring_walk w = ring_walk_of(ring, 0, UINT64_MAX);
	struct capsule_told told = { .id = id };
	struct record_header h;
	uint8_t record[RECORD_MAX];
	const uint8_t *payload;
	ProtobufCMessage *m;

	while (ring_walk_record(&w, record, &h, &payload)) {
		if ((h.kind != RECORD_CAPSULE && h.kind != RECORD_CONGESTION) ||
		    record_unpack(h.kind, payload, h.length, &m) < 0)
			continue;
		if (h.kind == RECORD_CAPSULE)
			verbs_capsule_part(q, (const Petrel__Capsule *)m,
					   told.id, &told.parts);
		else
			congestion_row(q, (const Petrel__Congestion *)m, &told);
		record_unpacked_free(m);
	}
}

/* --- what is open --------------------------------------------------------- */

/* All open findings, or the one whose id begins with prefix. */
static int findings_give(struct query *q, const char *prefix)
{
	const struct finding *open[QUERY_FINDINGS_MAX];
	size_t n = query_findings(q->ctx, open), shown = 0;
	const char *id = NULL;

	for (size_t i = 0; i < n; i++) {
		if (prefix && strncmp(open[i]->id, prefix, strlen(prefix)) != 0)
			continue;
		answer_finding(q->a, open[i]);
		id = open[i]->id;
		shown++;
	}
	if (prefix && shown == 0 &&
	    choice_port(q->ctx, prefix) != ENTITY_NONE)
		return answer_error(q->a, EXIT_NO_SUCH, "'%.64s' is a port, "
				    "and no finding's id; petrel port %.64s "
				    "has its findings", prefix, prefix);
	if (prefix && shown == 0)
		return answer_error(q->a, EXIT_NO_SUCH, "no open finding "
				    "'%.64s'; %zu are open: see petrel "
				    "findings", prefix, n);
	if (prefix && shown > 1)
		return answer_error(q->a, EXIT_NO_SUCH, "'%.64s' begins the "
				    "ids of %zu findings; give more "
				    "characters", prefix, shown);
	coverage_summary(q, shown);
	if (prefix && q->ctx->rings)
		capsule_give(q, id);
	return EXIT_ANSWERED;
}

/* --- what is no fault ----------------------------------------------------- */

const struct answer_shape shape_benign = { "benign", .columns = {
	{ "since", "SINCE", CELL_WALL_NS },
	{ "subject", "SUBJECT", CELL_TEXT },
	{ "seen", "SEEN", CELL_TEXT },
	{ "why", "WHY IT IS NOT A FAULT", CELL_TEXT },
	{ "last", "", CELL_WALL_NS },
	{ "symptom", "", CELL_TEXT },
	{ "size", "", CELL_MILLI },
	{ "benign", "", CELL_TEXT },
	{ .key = NULL },
} };

/* Short, with the number: 80 columns have room for it beside the reason. */
static void benign_seen(const struct benign *b, char *ret, size_t cap)
{
	double size = (double)b->size;

	if (b->symptom == SYMPTOM_ERRORS)
		(void)snprintf(ret, cap, "errors grew %.1f decades", size);
	else if (b->symptom == SYMPTOM_FALLS)
		(void)snprintf(ret, cap, "links that fell: %.0f", size);
	else
		(void)snprintf(ret, cap, "counters restarted: %.0f", size);
}

static void benign_row(struct query *q, const struct benign *b)
{
	int64_t wall_ns = q->now.wall.ns - q->now.mono.ns;
	char seen[64];

	benign_seen(b, seen, sizeof(seen));
	answer_row(q->a);
	answer_integer(q->a, wall_ns + b->since.ns);
	answer_text(q->a, b->subject[0] ? b->subject : q->ctx->switch_name);
	answer_text(q->a, seen);
	answer_text(q->a, benign_words(b->id));
	answer_integer(q->a, wall_ns + b->until.ns);
	answer_text(q->a, symptom_name(b->symptom));
	answer_integer(q->a, llroundf(b->size * 1000));
	answer_text(q->a, benign_name(b->id));
}

static int benign_later(const void *left, const void *right)
{
	const struct benign *a = *(const struct benign *const *)left;
	const struct benign *b = *(const struct benign *const *)right;

	return (a->since.ns < b->since.ns) - (a->since.ns > b->since.ns);
}

/* Changes classified as benign in the last hour, the newest first. */
static int benign_give(struct query *q)
{
	const struct benign *all, *shown[BENIGN_MAX];
	size_t n = 0, count;

	if (!q->ctx->engine)
		return answer_error(q->a, EXIT_UNREACHABLE, "only a running "
				    "agent lists benign changes");
	count = engine_benign(q->ctx->engine, &all);
	for (size_t i = 0; i < count; i++)
		if (mono_diff_ns(q->now.mono, all[i].until) < BENIGN_KEPT_NS)
			shown[n++] = &all[i];
	qsort(shown, n, sizeof(shown[0]), benign_later);
	answer_table(q->a, &shape_benign);
	for (size_t i = 0; i < n; i++)
		benign_row(q, shown[i]);
	if (n == 0)
		answer_note(q->a, "nothing benign was seen in the last hour");
	return EXIT_ANSWERED;
}

int verbs_findings(struct query *q)
{
	const Petrel__Request *r = q->request;

	if (r->benign)
		return benign_give(q);
	if (r->follow)
		return findings_follow(q);
	if (q->ctx->rings)
		cursor_write(q, ring_next(findings_ring(q->ctx)) - 1);
	return findings_give(q, r->n_args ? r->args[0] : NULL);
}
