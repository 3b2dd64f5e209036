#include "agent/record/encoder.h"

#include <errno.h>
#include <stdlib.h>

#include "agent/base/event.h"

#define SMALL_MAX 4096u		/* a run, an event, a clock */

/* Fields of record.proto. */
enum { RUN_RUN = 1, RUN_PREVIOUS_RUN, RUN_PREVIOUS_LAST, RUN_SWITCH_NAME,
       RUN_VERSION, RUN_MONO_NS, RUN_WALL_NS, RUN_SWITCH_ID };
enum { EVENT_ENTITY = 1, EVENT_WHAT, EVENT_VALUE, EVENT_MONO_NS, EVENT_TEXT,
       EVENT_NUMBER, EVENT_SUBJECT };
enum { CLOCK_MONO_NS = 1, CLOCK_WALL_NS, CLOCK_ERROR_NS, CLOCK_IS_SET,
       CLOCK_NUMBER };
enum { GAP_STREAM = 1, GAP_FIRST, GAP_LAST, GAP_REASON };
enum { FINDING_ID = 1, FINDING_SIGNATURE, FINDING_SEVERITY, FINDING_STATE,
       FINDING_END, FINDING_ACTION, FINDING_DRAIN, FINDING_ENTITY,
       FINDING_SUBJECT, FINDING_LANES, FINDING_CONFIDENCE, FINDING_CAUSE,
       FINDING_ONSET_MONO_NS, FINDING_ONSET_WALL_NS, FINDING_WHEN_MONO_NS,
       FINDING_WHEN_WALL_NS, FINDING_CLIFF_FORESEEABLE, FINDING_CLIFF_LOW_S,
       FINDING_CLIFF_MID_S, FINDING_CLIFF_HIGH_S, FINDING_EVIDENCE,
       FINDING_CHANGES, FINDING_NUMBER, FINDING_REPEATED_STATE,
       FINDING_WAS, FINDING_KIND, FINDING_PORTS, FINDING_PORT_COUNT,
       FINDING_CAUSE_ID, FINDING_ACTIONS, FINDING_INTO };
enum { EVIDENCE_NAME = 1, EVIDENCE_VALUE };

/* The most pieces of all columns, and the most parts that they fill: each part
 * but the last is too full for the largest piece.
 */
static uint32_t pieces_max(const struct encoder_limits *l)
{
	return l->columns + l->slots / COLUMN_ROWS_MAX + 1;
}

static uint32_t parts_max(const struct encoder_limits *l)
{
	uint64_t octets = (uint64_t)COLUMN_OCTETS_MAX *
				  (l->slots / COLUMN_ROWS_MAX + 1) +
			  UINT64_C(256) * pieces_max(l);
	uint32_t least = RECORD_PAYLOAD_MAX - PART_TAIL_MAX -
			 COLUMN_OCTETS_MAX;

	return (uint32_t)(octets / least) + 1;
}

static int buffers_take(struct encoder *e)
{
	const struct encoder_limits *l = &e->limits;
	uint32_t lists = l->lists;

	/* A batch can need a list for each piece, and each row once. */
	if (lists < pieces_max(l))
		lists = pieces_max(l);
	e->part_max = parts_max(l);
	e->in_part_max = pieces_max(l);
	e->octets = malloc((size_t)e->part_max * RECORD_PAYLOAD_MAX);
	/* One block, whose pages are allocated on first use. */
	e->part_len = calloc(1, e->part_max * sizeof(*e->part_len) +
			     e->in_part_max * sizeof(*e->in_part) +
			     e->in_part_max * sizeof(*e->still));
	e->entity = calloc(COLUMN_ROWS_MAX, sizeof(*e->entity));
	e->value = calloc(COLUMN_ROWS_MAX, sizeof(*e->value));
	e->rounded = calloc(l->slots, sizeof(*e->rounded));
	e->series = calloc(COLUMN_ROWS_MAX, sizeof(*e->series));
	e->choice = malloc(sizeof(*e->choice));
	e->quality = calloc(COLUMN_ROWS_MAX, sizeof(*e->quality));
	e->packed = malloc(PACKED_MAX(COLUMN_ROWS_MAX));
	if (!e->octets || !e->part_len || !e->entity || !e->value ||
	    !e->rounded ||
	    !e->series || !e->quality || !e->packed || !e->choice ||
	    columns_init(&e->columns, l->columns, l->slots) < 0 ||
	    pace_init(&e->pace, l->columns, l->slots) < 0 ||
	    lists_init(&e->lists, lists, l->slots + 4 * l->entities) < 0)
		return -ENOMEM;
	e->in_part = (struct group_key *)(e->part_len + e->part_max);
	e->still = (struct still *)(e->in_part + e->in_part_max);
	return 0;
}

int encoder_new(const struct encoder_limits *limits,
		const struct record_sink *sink, struct encoder **ret)
{
	struct encoder *e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	e->limits = *limits;
	e->sink = *sink;
	e->reference_wanted = true;
	if (buffers_take(e) < 0)
		goto fail;
	*ret = e;
	return 0;
fail:
	encoder_free(e);
	return -ENOMEM;
}

void encoder_free(struct encoder *e)
{
	if (!e)
		return;
	columns_fini(&e->columns);
	lists_fini(&e->lists);
	pace_fini(&e->pace);
	free(e->octets);
	free(e->part_len);
	free(e->entity);
	free(e->value);
	free(e->rounded);
	free(e->series);
	free(e->choice);
	free(e->quality);
	free(e->packed);
	free(e);
}

void encoder_bound_traffic(struct encoder *e, bool bounded)
{
	e->traffic_is_bounded = bounded;
}

void encoder_pace(struct encoder *e, enum quantity_class class,
		  int64_t span_ns)
{
	e->pace.span_ns[class] = span_ns;
}

void encoder_want_reference(struct encoder *e)
{
	e->reference_wanted = true;
}

void encoder_count(const struct encoder *e, struct encoder_count *ret)
{
	*ret = e->count;
}

int encoder_put(struct encoder *e, enum stream stream, enum record_kind kind,
		uint16_t flags, const struct writer *w)
{
	if (!writer_ok(w))
		return -EMSGSIZE;
	return e->sink.put(e->sink.context, stream, kind, flags, w->data,
			   w->pos);
}

uint64_t encoder_sequence(const struct encoder *e, enum stream stream)
{
	return e->sink.sequence ? e->sink.sequence(e->sink.context, stream) : 0;
}

int encoder_run(struct encoder *e, const struct encoder_origin *from)
{
	uint8_t octets[SMALL_MAX];
	struct writer w = writer_of(octets, sizeof(octets));
	size_t packed;

	pack_fixed64(&w, RUN_RUN, from->run);
	pack_fixed64(&w, RUN_PREVIOUS_RUN, from->previous_run);
	packed = pack_open(&w, RUN_PREVIOUS_LAST);
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		writer_varint(&w, from->previous_last[i]);
	pack_close(&w, packed);
	pack_text(&w, RUN_SWITCH_NAME, from->switch_name);
	pack_text(&w, RUN_VERSION, from->version);
	pack_int(&w, RUN_MONO_NS, from->clock->mono.ns);
	pack_int(&w, RUN_WALL_NS, from->clock->wall.ns);
	pack_text(&w, RUN_SWITCH_ID, from->switch_id);
	return encoder_put(e, STREAM_STATES, RECORD_RUN, RECORD_FLAG_REFERENCE,
			   &w);
}

int encoder_clock(struct encoder *e, const struct clock_reading *clock)
{
	uint8_t octets[SMALL_MAX];
	struct writer w = writer_of(octets, sizeof(octets));

	pack_int(&w, CLOCK_MONO_NS, clock->mono.ns);
	pack_int(&w, CLOCK_WALL_NS, clock->wall.ns);
	pack_int(&w, CLOCK_ERROR_NS, clock->error_ns);
	pack_uint(&w, CLOCK_IS_SET, clock->is_set);
	pack_uint(&w, CLOCK_NUMBER, encoder_sequence(e, STREAM_STATES));
	return encoder_put(e, STREAM_STATES, RECORD_CLOCK, 0, &w);
}

int encoder_event(struct encoder *e, const struct event *event)
{
	uint8_t octets[SMALL_MAX];
	struct writer w = writer_of(octets, sizeof(octets));

	pack_uint(&w, EVENT_ENTITY, event->entity);
	pack_uint(&w, EVENT_WHAT, event->what);
	pack_int(&w, EVENT_VALUE, event->value);
	pack_int(&w, EVENT_MONO_NS, event->when.ns);
	pack_text(&w, EVENT_TEXT, event->text);
	pack_uint(&w, EVENT_NUMBER, encoder_sequence(e, STREAM_STATES));
	pack_text(&w, EVENT_SUBJECT, event->subject);
	return encoder_put(e, STREAM_STATES, RECORD_EVENT, 0, &w);
}

static void finding_detail(struct writer *w, const struct finding *f)
{
	pack_uint(w, FINDING_CLIFF_FORESEEABLE, f->cliff.foreseeable);
	pack_int(w, FINDING_CLIFF_LOW_S, f->cliff.low_s);
	pack_int(w, FINDING_CLIFF_MID_S, f->cliff.mid_s);
	pack_int(w, FINDING_CLIFF_HIGH_S, f->cliff.high_s);
	for (unsigned i = 0; i < f->evidence_count; i++) {
		size_t message = pack_open(w, FINDING_EVIDENCE);

		pack_text(w, EVIDENCE_NAME, f->evidence[i].name);
		pack_double(w, EVIDENCE_VALUE, f->evidence[i].value);
		pack_close(w, message);
	}
	for (unsigned i = 0; i < f->change_count; i++)
		pack_text(w, FINDING_CHANGES, f->change[i]);
}

/* Fields added after the first 25. */
static void finding_more(struct writer *w, const struct finding *f)
{
	const char *port = finding_port(f, NULL);
	size_t packed;

	pack_uint(w, FINDING_WAS, f->was);
	pack_uint(w, FINDING_KIND, f->kind);
	for (; port; port = finding_port(f, port))
		pack_text(w, FINDING_PORTS, port);
	pack_uint(w, FINDING_PORT_COUNT, f->port_count);
	pack_uint(w, FINDING_CAUSE_ID, f->cause_id);
	pack_text(w, FINDING_INTO, f->into);
	if (!f->action_count)
		return;
	packed = pack_open(w, FINDING_ACTIONS);
	for (unsigned i = 0; i < f->action_count; i++)
		writer_varint(w, f->actions[i]);
	pack_close(w, packed);
}

/* number, repeated_state: only in a record. */
static void finding_pack(struct writer *w, const struct finding *f,
			 uint64_t number, bool repeated_state)
{
	pack_text(w, FINDING_ID, f->id);
	pack_uint(w, FINDING_SIGNATURE, f->signature);
	pack_uint(w, FINDING_SEVERITY, f->severity);
	pack_uint(w, FINDING_STATE, f->state);
	pack_uint(w, FINDING_END, f->end);
	pack_uint(w, FINDING_ACTION, f->action);
	pack_uint(w, FINDING_DRAIN, f->drain);
	pack_uint(w, FINDING_ENTITY, f->entity);
	pack_text(w, FINDING_SUBJECT, f->subject);
	pack_uint(w, FINDING_LANES, f->lanes);
	pack_float(w, FINDING_CONFIDENCE, f->confidence);
	pack_text(w, FINDING_CAUSE, f->cause);
	pack_int(w, FINDING_ONSET_MONO_NS, f->onset.ns);
	pack_int(w, FINDING_ONSET_WALL_NS, f->onset_wall.ns);
	pack_int(w, FINDING_WHEN_MONO_NS, f->when.ns);
	pack_int(w, FINDING_WHEN_WALL_NS, f->when_wall.ns);
	finding_detail(w, f);
	pack_uint(w, FINDING_NUMBER, number);
	pack_uint(w, FINDING_REPEATED_STATE, repeated_state);
	finding_more(w, f);
}

int encoder_finding(struct encoder *e, const struct finding *f,
		    bool repeated_state)
{
	uint8_t octets[FINDING_ENCODED_MAX];
	struct writer w = writer_of(octets, sizeof(octets));

	if (f->evidence_count > FINDING_EVIDENCE_MAX ||
	    f->change_count > FINDING_CHANGES_MAX ||
	    f->action_count > FINDING_ACTIONS_MAX)
		return -EINVAL;
	finding_pack(&w, f, encoder_sequence(e, STREAM_FINDINGS),
		     repeated_state);
	return encoder_put(e, STREAM_FINDINGS, RECORD_FINDING,
			   RECORD_FLAG_REFERENCE, &w);
}

size_t finding_encode(const struct finding *f,
		      uint8_t ret[static FINDING_ENCODED_MAX])
{
	struct writer w = writer_of(ret, FINDING_ENCODED_MAX);

	finding_pack(&w, f, 0, false);
	return writer_ok(&w) ? w.pos : 0;
}

size_t gap_encode(enum stream stream, uint64_t first, uint64_t last,
		  void *ret, size_t cap)
{
	struct writer w = writer_of(ret, cap);

	pack_uint(&w, GAP_STREAM, stream);
	pack_uint(&w, GAP_FIRST, first);
	pack_uint(&w, GAP_LAST, last);
	pack_uint(&w, GAP_REASON, GAP_DROPPED);
	return writer_ok(&w) ? w.pos : 0;
}
