#include "agent/collect/fabric_past.h"

#include <string.h>

#include <sqlite3.h>

#include "agent/query/history_rows.h"
#include "agent/query/verbs.h"
#include "agent/record/decode.h"
#include "agent/state/history.h"
#include "petrel/local.h"
#include "petrel/platform.h"

#define HISTORY_SINCE_NS (3600 * NS_PER_S)
#define HISTORY_ROWS_MAX 10000u		/* of a series */

bool fabric_past_is_told(const struct verb *v)
{
	const struct answer_shape *last = v->tables[1];

	return last == &shape_events || last == &shape_changes ||
	       last == &shape_history;
}

/* --- events --------------------------------------------------------------- */

/* Context of a walk over events. */
struct events_read {
	struct history *to;
	struct clock_reading now;
};

static unsigned event_of(const char *name)
{
	unsigned what = 0;

	for (; what < PLATFORM_EVENT_COUNT; what++) {
		const char *other = platform_event_name(what);

		if (other && strcmp(other, name) == 0)
			break;
	}
	return what;
}

/* Converts the time to what this machine's clock would have shown. */
static int event_add(void *context, sqlite3_stmt *row)
{
	const struct events_read *r = context;
	int64_t ago_ns = r->now.wall.ns - sqlite3_column_int64(row, 0);
	struct event event = { .when = mono_after(r->now.mono, -ago_ns),
			       .what = event_of(statement_text(row, 1)),
			       .value = sqlite3_column_int64(row, 2),
			       .text = statement_text(row, 3),
			       .subject = statement_text(row, 4) };

	if (event.what < PLATFORM_EVENT_COUNT)
		history_add(r->to, &event);
	return 0;
}

static int events_answer(struct fabric *f, const struct fabric_switch *s,
			 const struct verb *v, struct query *q)
{
	const Petrel__Request *rq = q->request;
	struct events_read r;
	struct diag d = { "" };
	uint32_t limit = HISTORY_EVENTS_MAX;
	struct wall since = { 0 };
	int code, err;

	if (rq->top && rq->top < limit)
		limit = rq->top;
	clock_read(&r.now);
	if (rq->since_ns)
		since.ns = r.now.wall.ns - rq->since_ns;
	if (history_new(HISTORY_EVENTS_MAX, &r.to) < 0)
		return answer_error(q->a, EXIT_INCOMPLETE, "out of memory");
	err = statement_each(fabric_asks(f), FABRIC_EVENTS, &d, event_add, &r,
			     "iii", s->row, since.ns, (int64_t)limit);
	q->ctx->history = r.to;
	code = verb_answer(v, q);
	q->ctx->history = NULL;
	if (err < 0)
		code = answer_error(q->a, EXIT_INCOMPLETE, "%s", d.text);
	else if (code == EXIT_ANSWERED && history_next(r.to) > limit)
		answer_note(q->a, "these are the last %u", limit);
	history_free(r.to);
	return code;
}

/* --- history -------------------------------------------------------------- */

/* Looks up an entity of the state. */
static bool entity_known(const void *state, uint32_t id,
			 struct known_entity *ret)
{
	const struct inventory_entity *e = state_entity(state, id);

	if (!e)
		return false;
	*ret = (struct known_entity){ e->key.kind, e->key.parent,
				      e->key.number, e->gone, e->key.name };
	return true;
}

/* Context of a walk over a series. */
struct history_read {
	struct query *q;
	const struct history_series *series;
};

static int span_row(void *context, const struct rollup_span *s)
{
	const struct history_read *r = context;

	history_row(r->q, r->series, &(struct history_value){
		    .wall = { s->end_s * NS_PER_S }, .value = s->mean,
		    .min = s->least, .max = s->most,
		    .span_ns = s->span_s * NS_PER_S,
		    .quality = (uint8_t)s->quality });
	return 0;
}

static int series_read(struct rollup_file *rollups, const char *switch_id,
		       struct query *q, const struct history_series *of,
		       struct diag *d)
{
	const Petrel__Request *rq = q->request;
	struct history_read r = { q, of };
	struct rollup_series series = { .info = of->info, .index = of->index };
	int64_t to_s = q->now.wall.ns / NS_PER_S;
	int64_t since_ns = rq->since_ns ? rq->since_ns : HISTORY_SINCE_NS;
	int64_t limit = rq->top && rq->top < HISTORY_ROWS_MAX ?
			rq->top : HISTORY_ROWS_MAX;

	if (!rollup_entity(entity_known, q->ctx->state, of->entity,
			   series.entity))
		return 0;
	return rollup_file_read(rollups, switch_id, &series,
				(q->now.wall.ns - since_ns) / NS_PER_S, to_s,
				limit, span_row, &r, d);
}

static int history_answer(struct rollup_file *rollups, const char *switch_id,
			  struct query *q)
{
	struct history_series series[HISTORY_SERIES_MAX];
	struct history_reach reach = { .why = "" };
	int64_t quarter_s = 0, minute_s = 0;
	struct diag d = { "" };
	size_t count;
	int code, err;

	query_begin(q);
	if (!rollups)
		return answer_error(q->a, EXIT_NO_SUCH, "this collector keeps "
				    "no roll-ups: [Collector] rollups = no");
	code = history_find(q, series, &count);
	if (code != EXIT_ANSWERED)
		return code;
	err = rollup_file_reach(rollups, &quarter_s, &minute_s, &d);
	reach.tiers.ns = (quarter_s ? quarter_s : minute_s) * NS_PER_S;
	history_begin(q, &reach);
	for (size_t i = 0; err == 0 && i < count; i++)
		err = series_read(rollups, switch_id, q, &series[i], &d);
	history_end(q);
	return err < 0 ? answer_error(q->a, EXIT_INCOMPLETE, "%s", d.text) :
			 EXIT_ANSWERED;
}

int fabric_past_answer(struct fabric *f, const struct fabric_switch *s,
		       const struct verb *v, struct query *q)
{
	if (v->tables[1] != &shape_history)
		return events_answer(f, s, v, q);
	q->verb = v;
	return history_answer(fabric_rollups(f), s->switch_id, q);
}

/* --- capsules ------------------------------------------------------------- */

struct capsule_read {
	struct query *q;
	const char *id;
	unsigned parts;
};

static int capsule_add(void *context, sqlite3_stmt *row)
{
	struct capsule_read *r = context;
	ProtobufCMessage *m;

	if (record_unpack(RECORD_CAPSULE, sqlite3_column_blob(row, 0),
			  (size_t)sqlite3_column_bytes(row, 0), &m) < 0)
		return 0;
	verbs_capsule_part(r->q, (const Petrel__Capsule *)m, r->id, &r->parts);
	record_unpacked_free(m);
	return 0;
}

void fabric_past_capsule(struct fabric *f, const struct fabric_switch *s,
			 const char *id, struct query *q)
{
	struct capsule_read r = { .q = q, .id = id };

	if (statement_each(fabric_asks(f), FABRIC_CAPSULES, NULL, capsule_add,
			   &r, "it", s->row, id) < 0)
		answer_message(q->a)->complete = false;
}
