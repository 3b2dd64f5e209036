#include "agent/process/capsules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/congestion.h"
#include "agent/signature/words.h"
#include "petrel/log.h"

#define LATE_NS (600 * NS_PER_S)	/* none is made later than this */
#define GRACE_NS NS_PER_S	/* for its last batch to reach the ring */
#define RECORDS_LOOKED_AT 128u	/* per step, on the way to the first */
#define RECORDS_DECODED 32u	/* per step */
#define HOLE_STEPS 3	/* a gap of this many intervals is a hole */
#define HOUR_NS (3600 * NS_PER_S)
#define ANCESTORS_MAX 4			/* of a lane: module, ASIC, switch */

/* --- what waits ----------------------------------------------------------- */

static void due_drop(struct capsules *c, unsigned i)
{
	memmove(&c->due[i], &c->due[i + 1],
		(--c->count - i) * sizeof(c->due[0]));
}

static void due_forget(struct capsules *c, const char *id)
{
	for (unsigned i = 0; i < c->count; i++)
		if (strcmp(c->due[i].id, id) == 0) {
			due_drop(c, i);
			return;
		}
}

static bool is_of_queues(const struct finding *f)
{
	const struct signature_words *w = signature_words(f->signature);

	return w && w->about == ABOUT_QUEUE;
}

void capsules_finding(struct capsules *c, const struct finding *f)
{
	struct capsule_due *due;

	if (f->state != FINDING_RAISED)
		return;
	if (c->count == CAPSULES_MAX) {
		c->left_out++;
		return;
	}
	due_forget(c, f->id);
	due = &c->due[c->count++];
	*due = (struct capsule_due){ .entity = f->entity, .when = f->when,
				     .is_of_queues = is_of_queues(f),
				     .ports_kept = f->ports_kept,
				     .port_count = f->port_count };
	memcpy(due->id, f->id, sizeof(due->id));
	memcpy(due->ports, f->ports, sizeof(due->ports));
}

static void past_finding(void *context, ProtobufCMessage *base)
{
	const Petrel__Finding *m = (const Petrel__Finding *)base;
	struct finding f;

	if (!m->repeated_state && finding_of_message(m, &f) == 0)
		capsules_finding(context, &f);
}

/* Its last part is there, so the capsule is complete. */
static void past_capsule(void *context, ProtobufCMessage *base)
{
	const Petrel__Capsule *m = (const Petrel__Capsule *)base;

	if (!m->part || m->part->number + 1 == m->part->count)
		due_forget(context, m->id);
}

void capsules_recall(struct capsules *c, struct mono now)
{
	const struct ring *ring = c->rings->ring[STREAM_FINDINGS];

	journal_past(ring, RECORD_FINDING, past_finding, c);
	journal_past(ring, RECORD_CAPSULE, past_capsule, c);
	for (unsigned i = c->count; i-- > 0;)
		if (mono_diff_ns(now, c->due[i].when) > LATE_NS)
			due_drop(c, i);
	c->left_out = 0;
}

/* --- which entities ------------------------------------------------------- */

static void want(struct capsules *c, uint32_t entity)
{
	if (entity != ENTITY_NONE && entity < c->wanted_count)
		c->wanted[entity / 8] |= (uint8_t)(1u << entity % 8);
}

static bool is_wanted(const struct capsules *c, uint32_t entity)
{
	return entity < c->wanted_count && c->wanted[entity / 8] >> entity % 8 &
					   1;
}

static void port_want(struct capsules *c, const char *name)
{
	uint32_t port = state_port_find(c->state, name);

	want(c, port);
	if (port != ENTITY_NONE)
		want(c, state_port_module(c->state, port));
}

/* Excludes what is below the switch itself: that is everything. */
static bool has_wanted_ancestor(const struct capsules *c, uint32_t entity)
{
	const struct inventory_entity *e = state_entity(c->state, entity);

	for (unsigned i = 0; e && i < ANCESTORS_MAX; i++) {
		if (is_wanted(c, e->id) && e->id != state_switch(c->state))
			return true;
		e = state_entity(c->state, e->key.parent);
	}
	return false;
}

#define KIND_BIT(kind) (1u << (kind))
/* The kinds of entity in the capsule of a finding of queues. */
#define KINDS_OF_QUEUES                                                       \
	(KIND_BIT(ENTITY_PORT) | KIND_BIT(ENTITY_QUEUE) |                     \
	 KIND_BIT(ENTITY_PRIORITY) | KIND_BIT(ENTITY_PRIORITY_GROUP) |        \
	 KIND_BIT(ENTITY_POOL) | KIND_BIT(ENTITY_POOL_SHARE))

/* Modules and lanes have no values of queues, and pools none of light. */
static void kinds_want(struct capsules *c, bool is_of_queues)
{
	const struct inventory_entity *all;
	size_t n = state_entities(c->state, &all);

	for (size_t i = 0; i < n; i++) {
		uint32_t id = all[i].id;

		if (!id || id >= c->wanted_count)
			continue;
		if (has_wanted_ancestor(c, id) ||
		    (is_of_queues && all[i].key.kind == ENTITY_POOL))
			want(c, id);
		if (is_of_queues &&
		    !(KIND_BIT(all[i].key.kind) & KINDS_OF_QUEUES))
			c->wanted[id / 8] &= (uint8_t)~(1u << id % 8);
	}
}

/* The port of a queue, which the finding may not name. */
static void port_above_want(struct capsules *c, uint32_t entity)
{
	const struct inventory_entity *e = state_entity(c->state, entity);

	for (unsigned i = 0; e && i < ANCESTORS_MAX; i++) {
		if (e->key.kind == ENTITY_PORT)
			want(c, e->id);
		e = state_entity(c->state, e->key.parent);
	}
}

/* The finding's ports and modules, its entity, and all below them. */
static int wanted_make(struct capsules *c, const struct capsule_due *due)
{
	struct finding f = { .ports_kept = due->ports_kept,
			     .port_count = due->port_count };
	const char *port;
	unsigned ports = 0;

	c->wanted_count = state_next_entity(c->state);
	c->wanted = calloc(c->wanted_count / 8 + 1, 1);
	if (!c->wanted)
		return -ENOMEM;
	memcpy(f.ports, due->ports, sizeof(f.ports));
	want(c, due->entity);
	if (due->is_of_queues)
		port_above_want(c, due->entity);
	for (port = finding_port(&f, NULL); port && ports < CAPSULE_PORTS_MAX;
	     port = finding_port(&f, port), ports++)
		port_want(c, port);
	if (due->port_count > ports)
		c->capsule.missing |= CAPSULE_NO_ROOM;
	kinds_want(c, due->is_of_queues);
	return 0;
}

/* --- the open capsule ----------------------------------------------------- */

static void capsule_drop(struct capsules *c)
{
	capsule_fini(&c->capsule);
	decoder_free(c->decoder);
	free(c->wanted);
	free(c->record);
	c->decoder = NULL;
	c->wanted = NULL;
	c->record = NULL;
	c->is_open = c->is_decoding = false;
}

void capsules_fini(struct capsules *c)
{
	if (c->is_open)
		capsule_drop(c);
}

static int capsule_begin(struct capsules *c, const struct capsule_due *due)
{
	int rc;

	capsule_init(&c->capsule, due->id);
	c->is_open = true;
	c->is_of_queues = due->is_of_queues;
	c->capsule.when = due->when;
	c->capsule.from = mono_after(due->when, -CAPSULE_BEFORE_NS);
	c->capsule.to = mono_after(due->when, CAPSULE_AFTER_NS);
	c->batch.ns = 0;
	c->batches = 0;
	c->reference = 0;
	c->record = malloc(RECORD_MAX);
	rc = c->record ? wanted_make(c, due) : -ENOMEM;
	if (rc == 0)
		rc = decoder_new(&c->decoder);
	if (rc == 0)
		decoder_follow(c->decoder, c->wanted, c->wanted_count);
	c->walk = ring_walk_of(c->rings->ring[STREAM_SAMPLES], 0, UINT64_MAX);
	return rc;
}

/* Finds the last reference not after the capsule's begin; else the oldest. */
static void reference_seek(struct capsules *c)
{
	const struct ring *ring = c->rings->ring[STREAM_SAMPLES];
	const uint8_t *payload;
	struct record_header h;
	bool is_before = true;

	for (unsigned i = 0; i < RECORDS_LOOKED_AT; i++) {
		is_before = ring_walk_record(&c->walk, c->record, &h,
					     &payload);
		if (!is_before)
			break;
		if (!(h.flags & RECORD_FLAG_REFERENCE))
			continue;
		is_before = batch_mono(payload, h.length).ns <=
			    c->capsule.from.ns;
		if (!is_before)
			break;
		c->reference = h.sequence;
	}
	if (is_before)
		return;
	c->is_decoding = true;
	c->walk = ring_walk_of(ring, c->reference, UINT64_MAX);
	c->next = c->walk.next;
}

/* Much longer than the interval of batches; late ticks are no hole. */
static bool is_hole(const struct capsules *c, int64_t ns)
{
	return c->batches > 1 &&
	       ns / HOLE_STEPS > mono_diff_ns(c->batch, c->first) /
					 (c->batches - 1);
}

static void batch_note(struct capsules *c, struct mono batch)
{
	if (c->batches && c->batch.ns == batch.ns)
		return;		/* another part of the same batch */
	if (c->batches == 0)
		c->first = batch;
	if (c->batches == 0 && batch.ns > c->capsule.from.ns)
		c->capsule.missing |= CAPSULE_BEGINS_LATE;
	if (is_hole(c, mono_diff_ns(batch, c->batch)) &&
	    batch.ns > c->capsule.from.ns)
		c->capsule.missing |= CAPSULE_HAS_HOLES;
	c->batch = batch;
	c->batches++;
}

static int column_take(void *context, const struct decoded_column *column)
{
	struct capsules *c = context;

	for (uint32_t row = 0; row < column->count; row++) {
		struct decoded_value v = decoded_row(column, row);

		capsule_add(&c->capsule, &v);
	}
	return 0;
}

/* A record that is missing, or cannot be read, is a hole. */
static void record_take(struct capsules *c, const struct record_header *h,
			const uint8_t *payload)
{
	int rc = h->sequence == c->next ? 0 : -ENOENT;

	if (rc < 0)
		decoder_lost(c->decoder);
	c->next = h->last + 1;
	if (h->kind == RECORD_BATCH)
		rc = decoder_batch(c->decoder, h->flags, payload, h->length,
				   column_take, c, NULL);
	if (rc == 0 && h->kind == RECORD_BATCH)
		batch_note(c, batch_mono(payload, h->length));
	if (rc < 0)
		c->capsule.missing |= CAPSULE_HAS_HOLES;
}

static const char *name_of(void *context, uint32_t entity)
{
	struct capsules *c = context;

	return state_series_name(c->state, entity, c->name);
}

/* True if one hour's share of the ring has room for it. */
static bool hour_has_room(struct capsules *c, uint64_t octets, struct mono now)
{
	uint64_t most = ring_bytes(c->rings->ring[STREAM_FINDINGS]) / 2;

	if (mono_diff_ns(now, c->hour) >= HOUR_NS) {
		c->hour = now;
		c->hour_octets = 0;
	}
	c->hour_octets += octets;
	return c->hour_octets <= most;
}

/* A record_sink that only counts octets. */
struct capsule_size {
	uint64_t octets;
};

static int size_put(void *context, enum stream stream, enum record_kind kind,
		    uint16_t flags, const void *payload, size_t len)
{
	struct capsule_size *s = context;

	(void)stream;
	(void)kind;
	(void)flags;
	(void)payload;
	s->octets += RECORD_HEADER_LEN + len;
	return 0;
}

static uint64_t size_sequence(void *context, enum stream stream)
{
	(void)context;
	(void)stream;
	return UINT32_MAX;
}

/* Each queue and priority group that held or lost something. */
static int congestions_put(struct capsules *c, const struct record_sink *sink)
{
	struct array found;
	int rc;

	if (!c->is_of_queues)
		return 0;
	rc = congestion_find(&c->capsule, &found);
	for (uint32_t i = 0; rc == 0 && i < found.count; i++) {
		const struct congestion *g =
			(const struct congestion *)found.items + i;

		if (g->from.ns)
			rc = congestion_put(g, &c->capsule,
					    name_of(c, g->entity), sink);
	}
	array_fini(&found);
	return rc;
}

static void capsule_end(struct capsules *c, struct mono now)
{
	struct capsule_size size = { 0 };
	const struct record_sink count = { &size, size_put, size_sequence };
	struct record_sink sink;
	int rc;

	if (c->batches == 0 ||
	    is_hole(c, mono_diff_ns(c->capsule.to, c->batch)))
		c->capsule.missing |= CAPSULE_ENDS_EARLY;
	journal_sink(c->journal, &sink);
	rc = capsule_put(&c->capsule, &count, name_of, c);
	if (rc == 0 && !hour_has_room(c, size.octets, now)) {
		c->left_out++;
		rc = -ENOSPC;
	}
	if (rc == 0)
		rc = congestions_put(c, &sink);
	if (rc == 0)
		rc = capsule_put(&c->capsule, &sink, name_of, c);
	if (rc < 0)
		log_notice("capsule", "finding=%s: %s", c->capsule.id,
			   rc == -ENOSPC ? "too many capsules in this hour" :
					   strerror(-rc));
	capsule_drop(c);
	journal_flush(c->journal);
}

static void capsule_decode(struct capsules *c, struct mono now)
{
	const uint8_t *payload;
	struct record_header h;

	for (unsigned i = 0; i < RECORDS_DECODED; i++) {
		if (!ring_walk_record(&c->walk, c->record, &h, &payload) ||
		    c->batch.ns > c->capsule.to.ns) {
			capsule_end(c, now);
			return;
		}
		record_take(c, &h, payload);
	}
}

void capsules_step(struct capsules *c, struct mono now)
{
	struct capsule_due due;

	if (!c->is_open) {
		if (c->count == 0 || mono_diff_ns(now, c->due[0].when) <
				     CAPSULE_AFTER_NS + GRACE_NS)
			return;
		due = c->due[0];
		due_drop(c, 0);
		if (capsule_begin(c, &due) < 0)
			capsule_drop(c);
		return;
	}
	if (c->is_decoding)
		capsule_decode(c, now);
	else
		reference_seek(c);
}
