#include "agent/query/follow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/base/ring.h"
#include "agent/query/answer.h"
#include "agent/record/decode.h"
#include "petrel/local.h"
#include "petrel/wire.h"

#define CURSOR_TEXT_MAX 48
#define RUN_DIGITS 16
#define BURST_MAX 64		/* findings in one answer */

struct waiting *follow_new(struct query_context *ctx, enum follow_kind kind,
			   const struct query_client *client)
{
	struct waiting_room *room = ctx->waiting;

	for (unsigned i = 0; i < QUERY_CLIENTS_MAX; i++) {
		struct waiting *w = &room->waiting[i];

		if (w->kind != FOLLOW_NOTHING &&
		    query_client_find(ctx->server, w->client))
			continue;
		*w = (struct waiting){ .kind = kind,
				       .client = query_client_number(client) };
		return w;
	}
	return NULL;
}

struct query_client *follow_client(struct query_context *ctx,
				   struct waiting *w)
{
	struct query_client *c = query_client_find(ctx->server, w->client);

	if (!c)
		w->kind = FOLLOW_NOTHING;
	return c && !query_client_is_busy(c) ? c : NULL;
}

/* --- cursor: run-sequence, both of them so that another run is seen ------ */

static void cursor_write(const struct query_context *ctx, struct answer *a,
			 uint64_t sequence)
{
	char text[CURSOR_TEXT_MAX];

	(void)snprintf(text, sizeof(text), "%016llx-%llu",
		       (unsigned long long)ctx->rings->run,
		       (unsigned long long)sequence);
	answer_cursor(a, text);
}

void follow_cursor(const struct query_context *ctx, struct answer *a)
{
	if (ctx->rings)
		cursor_write(ctx, a,
			     ring_next(ctx->rings->ring[STREAM_FINDINGS]) - 1);
}

/* The sequence behind a cursor. Returns 1 with sequence 0 for one of another
 * run, or that is not there yet: all that is kept comes, and it is not all.
 */
static int cursor_parse(const struct query_context *ctx, const char *text,
			uint64_t *ret)
{
	uint64_t next = ring_next(ctx->rings->ring[STREAM_FINDINGS]);
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

/* --- findings ------------------------------------------------------------ */

/* A finding said again in a snapshot is no change, and is passed over. */
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

/* Adds what the ring holds from w->next on; true when there was any. */
static bool findings_read(const struct query_context *ctx, struct waiting *w,
			  struct answer *a)
{
	const struct ring *ring = ctx->rings->ring[STREAM_FINDINGS];
	uint8_t record[RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX];
	uint64_t from = w->next;

	while (w->next < from + BURST_MAX) {
		int n = ring_read(ring, w->next, &w->hint, record,
				  sizeof(record));

		if (n == -ESTALE && ring_first(ring) > w->next) {
			answer_message(a)->complete = false;
			w->next = ring_first(ring);
			from = w->next;
			continue;
		}
		if (n < 0)
			break;
		record_add(a, record, (size_t)n);
		w->next++;
	}
	cursor_write(ctx, a, w->next - 1);
	return w->next != from || !answer_message(a)->complete;
}

/* In bursts, until all is sent or the client has enough for now. */
static void findings_send(struct query_context *ctx, struct waiting *w)
{
	struct answer *a = ctx->waiting->answer;
	struct query_client *c = follow_client(ctx, w);

	while (c && w->next < ring_next(ctx->rings->ring[STREAM_FINDINGS])) {
		answer_clear(a);
		(void)context_begin(ctx, a);
		if (!findings_read(ctx, w, a))
			return;
		if (answer_message(a)->n_findings ||
		    !answer_message(a)->complete)
			(void)query_answer(c, a, true);
		c = follow_client(ctx, w);
	}
}

void follow_findings_send(struct query_context *ctx)
{
	for (unsigned i = 0; i < QUERY_CLIENTS_MAX; i++)
		if (ctx->waiting->waiting[i].kind == FOLLOW_FINDINGS)
			findings_send(ctx, &ctx->waiting->waiting[i]);
}

/* What a follower starts from. */
static void findings_open(const struct query_context *ctx, struct answer *a)
{
	const struct finding *open[CONTEXT_FINDINGS_MAX];
	size_t n = context_findings(ctx, open);

	for (size_t i = 0; i < n; i++)
		answer_finding(a, open[i]);
}

/* Without a cursor, what is open comes first; with one, what came after it. */
int follow_findings(struct query_context *ctx, struct query_client *client,
		    const Petrel__Request *request, struct answer *a)
{
	uint64_t after = ring_next(ctx->rings->ring[STREAM_FINDINGS]) - 1;
	struct waiting *w;
	int parsed = 0;

	if (request->after[0])
		parsed = cursor_parse(ctx, request->after, &after);
	if (parsed < 0)
		return answer_error(a, EXIT_USAGE, "'%.64s' is not a cursor; give "
				    "the one of an earlier answer",
				    request->after);
	w = follow_new(ctx, FOLLOW_FINDINGS, client);
	if (!w)
		return answer_error(a, EXIT_INCOMPLETE, "too many clients "
				    "follow already; at most %d",
				    QUERY_CLIENTS_MAX);
	w->next = after + 1;
	if (!request->after[0])
		findings_open(ctx, a);
	else if (parsed > 0)
		answer_message(a)->complete = false;
	cursor_write(ctx, a, after);
	(void)query_answer(client, a, true);
	findings_send(ctx, w);
	return QUERY_LATER;
}
