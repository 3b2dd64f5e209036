#include "agent/process/journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/process/control.h"

#include "petrel/log.h"

#define OPEN_MAX 512		/* findings taken up after a restart */
#define GROUPS_IN_RING 3	/* that a full ring holds */

struct journal {
	struct journal_env env;
	struct encoder *encoder;
	bool appended;			/* since the last flush */
	bool snapshot_due;
	uint32_t told_version;		/* of the dictionary written last */
	uint32_t layout;		/* of the state, at the last batch */
	uint64_t snapshot_wanted;	/* the sender's mark when served last */
	uint64_t since_snapshot;	/* octets of states */
	uint64_t since_reference;	/* octets of samples */
	unsigned ticks;
	int64_t wall_offset_ns;		/* at the last clock record */
	bool append_failed;		/* logged once */
};

static int sink_put(void *context, enum stream stream, enum record_kind kind,
		    uint16_t flags, const void *payload, size_t len)
{
	struct journal *j = context;
	int rc = ring_append(j->env.rings->ring[stream], kind, flags, payload,
			     len);

	if (rc < 0 && !j->append_failed)
		log_err("record", "stream=%s kind=%s octets=%zu: %s",
			stream_name(stream), record_kind_name(kind), len,
			strerror(-rc));
	j->append_failed = rc < 0;
	j->appended = j->appended || rc == 0;
	if (stream == STREAM_STATES)
		j->since_snapshot += len + RECORD_HEADER_LEN;
	if (stream == STREAM_SAMPLES && flags & RECORD_FLAG_REFERENCE)
		j->since_reference = 0;
	if (stream == STREAM_SAMPLES)
		j->since_reference += len + RECORD_HEADER_LEN;
	return rc;
}

static uint64_t sink_sequence(void *context, enum stream stream)
{
	struct journal *j = context;

	return ring_next(j->env.rings->ring[stream]);
}

/* The wall clock stepped against the monotonic one, or a minute passed. */
static void clock_tell(struct journal *j)
{
	struct clock_reading now;
	int64_t offset;

	clock_read(&now);
	offset = now.wall.ns - now.mono.ns;
	if (j->ticks % JOURNAL_CLOCK_EVERY != 0 &&
	    llabs(offset - j->wall_offset_ns) < 100 * NS_PER_MS)
		return;
	j->wall_offset_ns = offset;
	(void)encoder_clock(j->encoder, &now);
}

static void run_tell(struct journal *j)
{
	const struct ring_set *rings = j->env.rings;
	struct clock_reading now;

	clock_read(&now);
	(void)encoder_run(j->encoder, &(struct encoder_origin){
		.run = rings->run, .previous_run = rings->previous_run,
		.previous_last = rings->previous_last,
		.switch_id = j->env.identity->id,
		.switch_name = j->env.identity->name,
		.version = PETREL_VERSION, .clock = &now });
}

int journal_new(const struct journal_env *env, struct journal **ret)
{
	struct journal *j = calloc(1, sizeof(*j));
	struct encoder_limits limits = { .slots = env->slots, .columns = 4096,
					 .lists = 4096,
					 .entities = env->entities };
	struct record_sink sink;
	int rc;

	if (!j)
		return -ENOMEM;
	j->env = *env;
	j->snapshot_due = true;
	journal_sink(j, &sink);
	rc = encoder_new(&limits, &sink, &j->encoder);
	if (rc < 0) {
		journal_free(j);
		return rc;
	}
	if (ring_next(env->rings->ring[STREAM_STATES]) == 1)
		run_tell(j);
	*ret = j;
	return 0;
}

void journal_free(struct journal *j)
{
	if (!j)
		return;
	encoder_free(j->encoder);
	free(j);
}

/* It changed since the version written last; in a snapshot: it exists. */
static bool entity_is_told(const struct journal *j, bool snapshot,
			   const struct inventory_entity *e)
{
	return e->id && (snapshot ? !e->gone : e->changed > j->told_version);
}

/* The entities to write, for the caller to free; NULL: no memory. */
static struct encoder_entity *entities_gather(const struct journal *j,
					      bool snapshot, size_t *ret_count)
{
	const struct inventory_entity *e;
	size_t n = state_entities(j->env.state, &e), count = 0;
	struct encoder_entity *all;

	for (size_t i = 0; i < n; i++)
		count += entity_is_told(j, snapshot, &e[i]);
	all = calloc(count + 1, sizeof(*all));
	*ret_count = 0;
	for (size_t i = 0; all && i < n; i++)
		if (entity_is_told(j, snapshot, &e[i]))
			all[(*ret_count)++] = (struct encoder_entity){
				.id = e[i].id, .key = &e[i].key,
				.attribute =
					(const char *const *)e[i].attribute,
				.gone = e[i].gone };
	return all;
}

static void findings_again(struct journal *j)
{
	const struct finding *open = NULL;
	size_t n = j->env.findings(j->env.context, &open);

	for (size_t i = 0; i < n; i++)
		(void)encoder_finding(j->encoder, &open[i], true);
}

static bool snapshot_is_due(const struct journal *j)
{
	const struct ring *states = j->env.rings->ring[STREAM_STATES];

	return j->snapshot_due || ring_wants_reference(states) ||
	       ring_mark(states, RING_MARK_SNAPSHOT_WANTED) !=
		       j->snapshot_wanted ||
	       j->since_snapshot > ring_bytes(states) / 4;
}

/* All sources, and those of their parts that have their own numbers. */
static size_t sources_gather(const struct journal *j,
			     struct encoder_source ret[STATE_NUMBERS_MAX])
{
	const struct state_source *known;
	const uint8_t *part;
	size_t sources = state_sources(j->env.state, &known);
	size_t parts = state_parts(j->env.state, &part);

	for (size_t i = 0; i < sources + parts; i++) {
		size_t n = i < sources ? i : part[i - sources];

		ret[i] = (struct encoder_source){
			(unsigned)(i < sources ? i : STATE_SOURCES_MAX + i -
							 sources),
			known[n].name, state_pace_ns(&known[n]) };
	}
	return sources + parts;
}

/* Writes the dictionary before the records that need it. */
static void dictionary_tell(struct journal *j)
{
	struct ring *states = j->env.rings->ring[STREAM_STATES];
	uint32_t version = state_dictionary_version(j->env.state);
	bool snapshot = snapshot_is_due(j);
	struct encoder_source sources[STATE_NUMBERS_MAX];
	struct encoder_entity *entities;
	size_t n, n_sources;
	int rc = -ENOMEM;

	if (!snapshot && version == j->told_version)
		return;
	n_sources = sources_gather(j, sources);
	entities = entities_gather(j, snapshot, &n);
	if (entities)
		rc = encoder_dictionary(j->encoder, version, snapshot, entities,
					n, sources, n_sources);
	free(entities);
	if (rc < 0) {
		j->snapshot_due = true;
		return;
	}
	j->told_version = version;
	ring_mark_set(states, RING_MARK_DICTIONARY_VERSION, version);
	ring_mark_set(states, RING_MARK_NEXT_ENTITY,
		      state_next_entity(j->env.state));
	if (!snapshot)
		return;
	j->snapshot_due = false;
	j->since_snapshot = 0;
	j->snapshot_wanted = ring_mark(states, RING_MARK_SNAPSHOT_WANTED);
	encoder_want_reference(j->encoder);
	findings_again(j);
}

/* A full ring drops whole reference groups: none may be so large that dropping
 * it loses much of what the ring holds.
 */
static bool reference_is_due(const struct journal *j)
{
	const struct ring *samples = j->env.rings->ring[STREAM_SAMPLES];

	return j->layout != state_layout(j->env.state) ||
	       ring_wants_reference(samples) ||
	       j->since_reference > ring_bytes(samples) / GROUPS_IN_RING;
}

/* The record may be anywhere in the ring: what follows it needs nothing from
 * before.
 */
void journal_identity(struct journal *j)
{
	run_tell(j);
	j->snapshot_due = true;
	dictionary_tell(j);
}

void journal_tick(struct journal *j, struct mono now)
{
	const struct state *s = j->env.state;
	const struct sample_column *columns;
	const struct group_column *groups;
	size_t n_columns = state_columns(s, &columns);
	size_t n_groups = state_groups(s, &groups);

	dictionary_tell(j);
	clock_tell(j);
	j->ticks++;
	if (reference_is_due(j))
		encoder_want_reference(j->encoder);
	j->layout = state_layout(s);
	(void)encoder_batch(j->encoder, now, state_tick_number(s),
			    state_dictionary_version(s), columns, n_columns,
			    groups, n_groups);
	journal_flush(j);
}

void journal_event(struct journal *j, const struct event *event)
{
	dictionary_tell(j);
	(void)encoder_event(j->encoder, event);
}

void journal_finding(struct journal *j, const struct finding *f)
{
	(void)encoder_finding(j->encoder, f, false);
}

void journal_flush(struct journal *j)
{
	static const uint64_t one = 1;

	if (j->appended)
		(void)!write(j->env.event_fd, &one, sizeof(one));
	j->appended = false;
}

/* Replaces the finding of that id, or adds it; removes a cleared one. */
static size_t finding_take(struct finding *all, size_t n, size_t cap,
			   const struct finding *f)
{
	size_t i = 0;

	while (i < n && strcmp(all[i].id, f->id) != 0)
		i++;
	if (f->state == FINDING_CLEARED) {
		if (i < n)
			all[i] = all[--n];
		return n;
	}
	if (i == cap)
		return n;
	all[i] = *f;
	return i == n ? n + 1 : n;
}

void journal_past(const struct ring *ring, enum record_kind kind,
		  journal_past_fn *fn, void *context)
{
	struct ring_walk w = ring_walk_of(ring, 0, UINT64_MAX);
	uint8_t *record = malloc(RECORD_MAX);
	struct record_header h;
	const uint8_t *payload;
	ProtobufCMessage *m;

	while (record && ring_walk_record(&w, record, &h, &payload)) {
		if (h.kind != kind ||
		    record_unpack(h.kind, payload, h.length, &m) < 0)
			continue;
		fn(context, m);
		record_unpacked_free(m);
	}
	free(record);
}

struct open_findings {
	struct finding *all;
	size_t n;
};

static void past_finding(void *context, ProtobufCMessage *m)
{
	struct open_findings *o = context;
	struct finding f;

	if (finding_of_message((const Petrel__Finding *)m, &f) == 0)
		o->n = finding_take(o->all, o->n, OPEN_MAX, &f);
}

size_t journal_open_findings(const struct ring *findings, struct finding **ret)
{
	struct open_findings o = { calloc(OPEN_MAX, sizeof(*o.all)), 0 };

	if (o.all)
		journal_past(findings, RECORD_FINDING, past_finding, &o);
	*ret = o.all;
	return o.n;
}

static void past_event(void *context, ProtobufCMessage *base)
{
	const Petrel__Event *m = (const Petrel__Event *)base;

	history_add(context, &(struct event){
		.what = m->what, .value = m->value, .when = { m->mono_ns },
		.text = m->text, .subject = m->subject });
}

void journal_past_events(const struct ring *states, struct history *to)
{
	journal_past(states, RECORD_EVENT, past_event, to);
}

void journal_settle(struct journal *j, bool bounded,
		    const int64_t span_ns[static CLASS_COUNT])
{
	encoder_bound_traffic(j->encoder, bounded);
	for (unsigned i = 0; i < CLASS_COUNT; i++)
		encoder_pace(j->encoder, i, span_ns[i]);
}

void journal_sink(struct journal *j, struct record_sink *ret)
{
	*ret = (struct record_sink){ j, sink_put, sink_sequence };
}

const struct encoder *journal_encoder(const struct journal *j)
{
	return j->encoder;
}
