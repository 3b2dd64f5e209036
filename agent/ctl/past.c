#include "agent/ctl/past.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/ring.h"
#include "agent/query/recorded.h"
#include "agent/record/decode.h"

#define PAST_SLOTS_MAX (1u << 18)
#define PAST_IDS_MAX (1u << 20)		/* ids from here on are ignored */
#define PAST_FINDINGS_MAX 1024u
/* Slow sources, such as thresholds, are reported in full within this time. */
#define SLOW_NS (90 * NS_PER_S)

/* The current reading. */
struct reading {
	struct past *past;
	struct recorded recorded;	/* its state becomes past->state */
	struct decoder *decoder;
	struct decoded_value *value;	/* of the current batch; owned */
	size_t value_count;
	bool values;			/* read the batches' values */
	/* Called after each batch from a time on; NULL: nobody. */
	struct wall from;
	past_batch_fn *watch;
	void *context;
	int rc;				/* what watch returned */
};

/* Handles each record of a ring. */
typedef void record_fn(struct reading *r, const struct record_header *h,
		       const uint8_t *payload);

/* Calls fn for each valid record from first on. */
static void records_walk(struct reading *r, const struct ring *ring,
			 uint64_t first, uint64_t end, record_fn *fn)
{
	struct ring_walk w = ring_walk_of(ring, first, end);
	uint8_t buffer[RECORD_MAX];
	struct record_header h;
	const uint8_t *payload;

	while (r->rc == 0 && ring_walk_record(&w, buffer, &h, &payload))
		fn(r, &h, payload);
}

/* --- states -------------------------------------------------------------- */

/* Adds an entity to the state, or updates its attributes. */
static void entity_known(struct reading *r, const Petrel__Entity *e)
{
	const struct recorded_entity entity = { e->id, e->kind, e->parent,
						e->number, e->name };

	if (!recorded_add(&r->recorded, &entity))
		return;
	for (size_t i = 0; i < e->n_attributes; i++)
		recorded_attribute(&r->recorded, e->id, e->attributes[i]->key,
				   e->attributes[i]->text);
}

/* Ignores ids out of bounds: anybody may have written the ring. */
static void dictionary_take(struct reading *r, const Petrel__Dictionary *m)
{
	for (size_t i = 0; i < m->n_entities; i++) {
		const Petrel__Entity *e = m->entities[i];

		if (e->id < PAST_IDS_MAX && e->id >= r->past->ids)
			r->past->ids = e->id + 1;
		if (e->gone)
			recorded_gone(&r->recorded, e->id);
		else if (!recorded_has(&r->recorded, e->id) || e->n_attributes)
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

/* Takes the batch as a whole: the columns of a record mix the read groups. */
static void batch_finish(struct reading *r)
{
	if (!r->value_count)
		return;
	r->past->last = r->value[0].batch;
	recorded_tick(&r->recorded, r->past->last, r->value, r->value_count);
	r->value_count = 0;
	r->past->state = r->recorded.state;
	if (r->watch && r->rc == 0 &&
	    past_wall(r->past, r->past->last).ns >= r->from.ns)
		r->rc = r->watch(r->context, r->past);
}

static int column_take(void *context, const struct decoded_column *c)
{
	struct reading *r = context;

	if (r->value_count && r->value[0].batch.ns != c->batch.ns)
		batch_finish(r);	/* the last batch is complete */
	for (uint32_t row = 0; row < c->count; row++)
		if (recorded_takes(&r->recorded, c->entity[row],
				   c->quality[row]) &&
		    r->value_count < PAST_SLOTS_MAX)
			r->value[r->value_count++] = decoded_row(c, row);
	return 0;
}

/* After a gap in the samples, decoding waits for a reference. Records of
 * unknown kinds are ignored.
 */
static void sample_record(struct reading *r, const struct record_header *h,
			  const uint8_t *payload)
{
	if (h->kind == RECORD_BATCH)
		(void)decoder_batch(r->decoder, h->flags, payload, h->length,
				    column_take, r, NULL);
	else if (h->kind == RECORD_GAP)
		decoder_lost(r->decoder);
}

/* The newest reference with enough after it that slow sources were reported in
 * full, else the oldest one; for past_play() always the oldest: slow values may
 * have been recorded long before the time it plays from.
 */
static uint64_t samples_begin(const struct reading *r, const struct ring *ring,
			      uint64_t end)
{
	struct ring_walk w = ring_walk_of(ring, 0, end);
	uint64_t found = w.next, next = 0;
	struct mono made, next_made = { 0 };
	struct record_header h;
	const uint8_t *payload;

	while (!r->watch && ring_walk_borrow(&w, &h, &payload)) {
		made = batch_mono(payload, h.length);
		if (next && mono_diff_ns(made, next_made) >= SLOW_NS) {
			found = next;
			next = 0;
		}
		if (next || !(h.flags & RECORD_FLAG_REFERENCE))
			continue;
		next = h.sequence;
		next_made = made;
	}
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

/* The last record of each id counts. */
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

/* Allocates all memory for the reading. */
static int reading_init(struct reading *r, struct past *p)
{
	int rc;

	p->findings = calloc(PAST_FINDINGS_MAX, sizeof(*p->findings));
	if (r->values)
		r->value = calloc(PAST_SLOTS_MAX, sizeof(*r->value));
	if ((r->values && !r->value) || !p->findings)
		return -ENOMEM;
	rc = recorded_init(&r->recorded, PAST_IDS_MAX);
	if (rc == 0)
		rc = history_new(HISTORY_EVENTS_MAX, &p->history);
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
	uint64_t first = stream == STREAM_SAMPLES ?
				 samples_begin(r, ring, end) : 0;

	r->past->stream[stream].first = ring_first(ring);
	r->past->stream[stream].next = ring_next(ring);
	r->past->stream[stream].acked = ring_acked(ring, 0);
	r->past->stream[stream].dropped = ring_dropped(ring);
	r->past->stream[stream].octets = ring_bytes(ring);
	r->past->run = ring_run(ring);
	records_walk(r, ring, first, end, fns[stream]);
	batch_finish(r);
}

/* Reads states before samples: they have the entities of the samples. */
static int streams_read(struct reading *r, int dir_fd)
{
	unsigned readable = 0;

	for (int s = 0; s < STREAM_COUNT - !r->values; s++) {
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
	if (readable)
		return 0;
	return r->past->stream[STREAM_FINDINGS].err == -EACCES ? -EACCES :
								 -ENOENT;
}

static int reading_run(struct reading *r, int dir_fd, struct past *ret,
		       struct diag *d)
{
	struct past p = { .run = 0 };
	int rc;

	r->past = &p;
	rc = reading_init(r, &p);
	if (rc < 0)
		(void)diag_set(d, rc, "no memory to read the rings");
	else
		rc = streams_read(r, dir_fd);
	if (rc == -ENOENT || rc == -EACCES)
		(void)diag_set(d, rc, "%s", p.stream[STREAM_FINDINGS].why);
	p.state = r->recorded.state;
	p.entity = r->recorded.handle;
	r->recorded.state = NULL;
	r->recorded.handle = NULL;
	recorded_fini(&r->recorded);
	decoder_free(r->decoder);
	free(r->value);
	if (rc < 0)
		past_fini(&p);
	else
		*ret = p;
	return rc;
}

int past_read(int dir_fd, bool values, struct past *ret, struct diag *d)
{
	struct reading r = { .values = values };

	return reading_run(&r, dir_fd, ret, d);
}

int past_open(const char *run_dir, struct past *ret, struct diag *d)
{
	int dir_fd = open(run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = dir_fd < 0 ? diag_set(d, -errno, "%s", strerror(errno)) :
			      past_read(dir_fd, true, ret, d);

	if (dir_fd >= 0)
		(void)close(dir_fd);	/* only read */
	return rc < 0 ? diag_prefix(d, rc, "no rings in %s", run_dir) : 0;
}

int past_play(int dir_fd, struct wall from, past_batch_fn *fn, void *context,
	      struct past *ret, struct diag *d)
{
	struct reading r = { .values = true, .from = from, .watch = fn,
			     .context = context };
	int rc = reading_run(&r, dir_fd, ret, d);

	if (rc == 0 && r.rc < 0) {
		past_fini(ret);
		rc = diag_set(d, r.rc, "%s", strerror(-r.rc));
	}
	return rc;
}

void past_fini(struct past *p)
{
	state_free(p->state);
	free(p->findings);
	free(p->entity);
	history_free(p->history);
	p->history = NULL;
	p->state = NULL;
	p->findings = NULL;
	p->entity = NULL;
}

/* Handles are ids of the state's entities, except for the switch itself. */
uint32_t past_entity(const struct past *p, uint32_t id)
{
	uint32_t entity = id < p->ids ? p->entity[id] : ENTITY_NONE;

	return entity == PAST_SWITCH ? state_switch(p->state) : entity;
}

struct wall past_wall(const struct past *p, struct mono then)
{
	if (p->clock.mono.ns == 0)
		return (struct wall){ 0 };
	return (struct wall){ p->clock.wall.ns +
			      mono_diff_ns(then, p->clock.mono) };
}
