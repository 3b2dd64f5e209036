#include "agent/ctl/past.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/ring.h"
#include "agent/record/decode.h"
#include "agent/record/encode.h"

#define PAST_ENTITIES_MAX 16384u
#define PAST_SLOTS_MAX (1u << 18)
#define PAST_IDS_MAX (1u << 20)		/* entity ids that are followed */
#define PAST_FINDINGS_MAX 1024u
#define BATCHES_WANTED 4u		/* at least, for rates */
#define RECORD_MAX (RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX)
#define SOURCES PLATFORM_SOURCES_MAX
#define HANDLE_SWITCH UINT32_MAX	/* in the map: the switch itself */

/* The reading under way. */
struct reading {
	struct past *past;
	struct platform_host host;	/* of past->state */
	uint32_t *handle;		/* by id; 0 unknown */
	struct decoder *decoder;
	struct decoded_value *value;	/* of the batch under way; its own */
	size_t value_count;
};

/* What is done with each record of a ring. */
typedef void record_fn(struct reading *r, const struct record_header *h,
		       const uint8_t *payload);

/* False: the walk is over. */
static bool record_next(struct ring_walk *w, uint8_t buffer[static RECORD_MAX],
			struct record_header *h, const uint8_t **payload)
{
	int n = ring_walk_next(w, buffer, RECORD_MAX);
	struct cursor c = cursor_of(buffer, n > 0 ? (size_t)n : 0);

	return n > 0 && record_read(&c, h, payload) == 0;
}

/* Each sound record from first on. */
static void records_walk(struct reading *r, const struct ring *ring,
			 uint64_t first, uint64_t end, record_fn *fn)
{
	struct ring_walk w = ring_walk_of(ring, first, end);
	uint8_t buffer[RECORD_MAX];
	struct record_header h;
	const uint8_t *payload;

	while (record_next(&w, buffer, &h, &payload))
		fn(r, &h, payload);
}

/* --- states -------------------------------------------------------------- */

/* Made known to the state, or known anew with what changed. */
static void entity_known(struct reading *r, const Petrel__Entity *e)
{
	struct entity_key key = { .kind = (enum entity_kind)e->kind,
				  .number = e->number };
	uint32_t parent = e->parent < PAST_IDS_MAX ? r->handle[e->parent] : 0;
	uint32_t handle;

	if (e->kind == ENTITY_SWITCH) {
		r->handle[e->id] = HANDLE_SWITCH;
		return;
	}
	key.parent = parent == HANDLE_SWITCH ? ENTITY_NONE : parent;
	(void)snprintf(key.name, sizeof(key.name), "%s", e->name);
	if (r->host.entity(r->host.context, &key, &handle) < 0)
		return;
	r->handle[e->id] = handle;
	for (size_t i = 0; i < e->n_attributes; i++)
		if (e->attributes[i]->key < ATTRIBUTE_COUNT)
			r->host.attribute(r->host.context, handle,
					  (enum attribute)e->attributes[i]->key,
					  e->attributes[i]->text);
}

static void entity_gone(struct reading *r, uint32_t id)
{
	if (r->handle[id] && r->handle[id] != HANDLE_SWITCH)
		r->host.gone(r->host.context, r->handle[id]);
	r->handle[id] = 0;
}

/* Ids out of bounds are passed over: the ring may be anybody's. */
static void dictionary_take(struct reading *r, const Petrel__Dictionary *m)
{
	for (size_t i = 0; i < m->n_entities; i++) {
		const Petrel__Entity *e = m->entities[i];

		if (e->id >= PAST_IDS_MAX || e->kind >= ENTITY_KIND_COUNT)
			continue;
		if (e->gone)
			entity_gone(r, e->id);
		else if (!r->handle[e->id] || e->n_attributes)
			entity_known(r, e);
	}
}

static void clock_take(struct past *p, int64_t mono_ns, int64_t wall_ns)
{
	p->clock.mono.ns = mono_ns;
	p->clock.wall.ns = wall_ns;
}

static void event_take(struct past *p, const Petrel__Event *m)
{
	history_add(p->history, &(struct event){
		.what = m->what, .value = m->value, .when = { m->mono_ns },
		.text = m->text, .subject = m->subject });
	if (m->what != EVENT_PROCESS_DIED)
		return;
	(void)snprintf(p->death, sizeof(p->death), "%s", m->text);
	p->death_when.ns = m->mono_ns;
}

static void run_take(struct past *p, const Petrel__Run *m)
{
	(void)snprintf(p->switch_name, sizeof(p->switch_name), "%s",
		       m->switch_name);
	(void)snprintf(p->version, sizeof(p->version), "%s", m->version);
	clock_take(p, m->mono_ns, m->wall_ns);
}

static void state_record(struct reading *r, const struct record_header *h,
			 const uint8_t *payload)
{
	ProtobufCMessage *m;

	if (h->kind == RECORD_GAP ||
	    record_unpack((enum record_kind)h->kind, payload, h->length,
			  &m) < 0)
		return;
	if (h->kind == RECORD_DICTIONARY)
		dictionary_take(r, (const Petrel__Dictionary *)m);
	else if (h->kind == RECORD_RUN)
		run_take(r->past, (const Petrel__Run *)m);
	else if (h->kind == RECORD_EVENT)
		event_take(r->past, (const Petrel__Event *)m);
	else if (h->kind == RECORD_CLOCK)
		clock_take(r->past, ((const Petrel__Clock *)m)->mono_ns,
			   ((const Petrel__Clock *)m)->wall_ns);
	record_unpacked_free(m);
}

/* --- samples ------------------------------------------------------------- */

/* By read group: source and entity. */
static int value_order(const void *left, const void *right)
{
	const struct decoded_value *a = left, *b = right;

	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return a->entity < b->entity ? -1 : a->entity > b->entity;
}

/* The number of a source on the wire is a source and a part here: each has read
 * groups of its own.
 */
static void group_open(struct reading *r, const struct decoded_value *v)
{
	struct read_group age = v->age;

	age.part = v->source / SOURCES % READ_PARTS_MAX;
	r->host.group(r->host.context, v->source % SOURCES,
		      r->handle[v->entity], &age);
}

/* Hands a batch to the state the way a driver does: each read group once,
 * with all that belongs to it. In the record, columns mix them.
 */
static void batch_finish(struct reading *r)
{
	const struct decoded_value *last = NULL;

	if (!r->value_count)
		return;
	qsort(r->value, r->value_count, sizeof(r->value[0]), value_order);
	state_tick(r->past->state, r->value[0].batch);
	r->past->last = r->value[0].batch;
	for (size_t i = 0; i < r->value_count; i++) {
		const struct decoded_value *v = &r->value[i];

		if (!last || value_order(last, v) != 0)
			group_open(r, v);
		r->host.sample(r->host.context, (enum quantity)v->quantity,
			       v->index, v->value,
			       (enum sample_quality)v->quality);
		last = v;
	}
	r->value_count = 0;
}

static int column_take(void *context, const struct decoded_column *c)
{
	struct reading *r = context;

	if (r->value_count && r->value[0].batch.ns != c->batch.ns)
		batch_finish(r);	/* its last part was the one before */
	for (uint32_t row = 0; row < c->count; row++) {
		uint32_t id = c->entity[row];
		uint32_t handle = id < PAST_IDS_MAX ? r->handle[id] : 0;

		if (handle && handle != HANDLE_SWITCH &&
		    c->quality[row] < SAMPLE_QUALITY_COUNT &&
		    r->value_count < PAST_SLOTS_MAX)
			r->value[r->value_count++] = decoded_row(c, row);
	}
	return 0;
}

/* A gap in the samples: what follows waits for a reference. */
static void sample_record(struct reading *r, const struct record_header *h,
			  const uint8_t *payload)
{
	if (h->kind == RECORD_BATCH)
		(void)decoder_batch(r->decoder, h->flags, payload, h->length,
				    column_take, r, NULL);
	else
		decoder_lost(r->decoder);
}

/* The newest reference with enough batches behind it; else the oldest one. */
static uint64_t samples_begin(const struct ring *ring, uint64_t end)
{
	struct ring_walk w = ring_walk_of(ring, 0, end);
	uint64_t found = w.next;
	uint8_t buffer[RECORD_MAX];
	struct record_header h;
	const uint8_t *payload;

	while (record_next(&w, buffer, &h, &payload))
		if (h.flags & RECORD_FLAG_REFERENCE &&
		    w.end - h.sequence >= BATCHES_WANTED)
			found = h.sequence;
	return found;
}

/* --- findings ------------------------------------------------------------ */

static struct finding *finding_slot(struct past *p, const char *id)
{
	for (size_t i = 0; i < p->finding_count; i++)
		if (strcmp(p->findings[i].id, id) == 0)
			return &p->findings[i];
	if (p->finding_count == PAST_FINDINGS_MAX)
		return NULL;
	return &p->findings[p->finding_count++];
}

/* The last word on each id stands. */
static void finding_record(struct reading *r, const struct record_header *h,
			   const uint8_t *payload)
{
	struct finding f, *slot;
	ProtobufCMessage *m;

	if (h->kind != RECORD_FINDING ||
	    record_unpack(RECORD_FINDING, payload, h->length, &m) < 0)
		return;
	if (finding_of_message((const Petrel__Finding *)m, &f) == 0) {
		slot = finding_slot(r->past, f.id);
		if (slot)
			*slot = f;
	}
	record_unpacked_free(m);
}

/* --- all ----------------------------------------------------------------- */

/* The state's driver: the rings. A source of the agent is one of these, by its
 * number: two of them may speak of one entity.
 */
static const struct platform_source ring_source = {
	.abi = PLATFORM_ABI, .size = sizeof(ring_source),
	.name = "samples", .help = "what a dead agent left",
};
static const struct platform_source *const ring_sources[SOURCES + 1] = {
	[0 ... SOURCES - 1] = &ring_source,
};
static const struct platform_driver ring_driver = {
	.abi = PLATFORM_ABI, .size = sizeof(ring_driver), .name = "ring",
	.sources = ring_sources,
};

/* All memory that the reading takes. */
static int reading_init(struct reading *r, struct past *p)
{
	static const struct state_limits limits = {
		.entities = PAST_ENTITIES_MAX, .slots = PAST_SLOTS_MAX,
		.first_entity = 1,
	};
	static const struct state_observer observer = { .context = NULL };
	unsigned first;
	int rc;

	*r = (struct reading){ .past = p };
	r->handle = calloc(PAST_IDS_MAX, sizeof(*r->handle));
	p->findings = calloc(PAST_FINDINGS_MAX, sizeof(*p->findings));
	r->value = calloc(PAST_SLOTS_MAX, sizeof(*r->value));
	if (!r->handle || !r->value || !p->findings)
		return -ENOMEM;
	rc = state_new(&limits, &observer, &p->state);
	if (rc == 0)
		rc = history_new(HISTORY_EVENTS_MAX, &p->history);
	if (rc == 0)
		rc = state_driver_add(p->state, &ring_driver, &first, &r->host);
	return rc < 0 ? rc : decoder_new(&r->decoder);
}

static void stream_read(struct reading *r, enum stream stream,
			const struct ring *ring, uint64_t end)
{
	static record_fn *const fns[STREAM_COUNT] = {
		[STREAM_FINDINGS] = finding_record,
		[STREAM_STATES] = state_record,
		[STREAM_SAMPLES] = sample_record,
	};
	uint64_t first = stream == STREAM_SAMPLES ? samples_begin(ring, end) :
						    0;

	r->past->stream[stream].first = ring_first(ring);
	r->past->stream[stream].next = ring_next(ring);
	r->past->stream[stream].acked = ring_acked(ring, 0);
	r->past->stream[stream].dropped = ring_dropped(ring);
	r->past->stream[stream].octets = ring_bytes(ring);
	r->past->run = ring_run(ring);
	records_walk(r, ring, first, end, fns[stream]);
	batch_finish(r);
}

/* States before samples: they name what samples are of. */
static int streams_read(struct reading *r, int dir_fd)
{
	unsigned readable = 0;

	for (int s = 0; s < STREAM_COUNT; s++) {
		struct past_stream *ps = &r->past->stream[s];
		struct ring *ring;
		struct diag d = { "" };
		uint64_t end = 0;

		ps->err = ring_look(dir_fd, (enum stream)s, &ring, &d);
		if (ps->err == 0)
			ps->damaged = ring_check(ring, &end, &d) < 0;
		(void)snprintf(ps->why, sizeof(ps->why), "%s", d.text);
		if (ps->err < 0)
			continue;
		stream_read(r, (enum stream)s, ring, end);
		ring_close(ring);
		readable++;
	}
	return readable ? 0 : -ENOENT;
}

int past_read(int dir_fd, struct past *ret, struct diag *d)
{
	struct past p = { .run = 0 };
	struct reading r;
	int rc = reading_init(&r, &p);

	if (rc < 0)
		(void)diag_set(d, rc, "no memory to read the rings");
	else
		rc = streams_read(&r, dir_fd);
	if (rc == -ENOENT)
		(void)diag_set(d, rc, "%s", p.stream[STREAM_FINDINGS].why);
	decoder_free(r.decoder);
	free(r.handle);
	free(r.value);
	if (rc < 0)
		past_fini(&p);
	else
		*ret = p;
	return rc;
}

void past_fini(struct past *p)
{
	state_free(p->state);
	free(p->findings);
	history_free(p->history);
	p->history = NULL;
	p->state = NULL;
	p->findings = NULL;
}

struct wall past_wall(const struct past *p, struct mono then)
{
	if (p->clock.mono.ns == 0)
		return (struct wall){ 0 };
	return (struct wall){ p->clock.wall.ns +
			      mono_diff_ns(then, p->clock.mono) };
}
