#include "agent/ctl/look_tiers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/array.h"
#include "agent/base/folder.h"
#include "agent/base/workers.h"
#include "agent/record/array.h"
#include "agent/record/decode.h"
#include "agent/record/proto.h"

#define IDS_MAX (1u << 18)	/* ids of a file are below it */
#define PARENTS_MAX 8

/* Fields of record.proto. */
enum { DICTIONARY_SNAPSHOT = 2, DICTIONARY_ENTITIES = 4 };
enum { ENTITY_ID = 1, ENTITY_KIND, ENTITY_PARENT, ENTITY_NAME, ENTITY_NUMBER,
       ENTITY_FIELDS };

/* The current row of one series. */
struct tier_value {
	unsigned have;			/* bits of enum tier_source */
	int64_t value[TIER_SOURCES];
	int64_t taken_ns, span_ns;
	uint8_t quality;
};

struct look_tiers {
	struct look_tiers_env env;
	struct gather *part;		/* of the current file */
	struct decoder *decoder;
	struct array keys;		/* struct entity_key, by id in file */
	uint32_t kinds;			/* one bit each: fully decoded kinds */
	bool is_changed;		/* the series' ids must be found */
	uint8_t followed[IDS_MAX / 8 + 1];	/* series' ids, one bit each */
	uint32_t decided;		/* ids below it were matched */
	uint8_t *room;			/* for a tier_walk; owned */
	struct tier_value *row;		/* one per series */
	struct mono batch;		/* of the rows */
	struct wall from, until;
};

/* The kinds of the series' entities and of their parents. */
static uint32_t kinds_of(const struct look_tiers_env *env)
{
	uint32_t kinds = 0;

	for (size_t i = 0; i < env->gather->count; i++) {
		const struct inventory_entity *e =
			state_entity(env->state,
				     env->gather->series[i].entity);

		for (unsigned n = 0; e && n < PARENTS_MAX; n++) {
			kinds |= 1u << e->key.kind;
			e = state_entity(env->state, e->key.parent);
		}
	}
	return kinds;
}

int look_tiers_new(const struct look_tiers_env *env, struct look_tiers **ret)
{
	struct look_tiers *l = calloc(1, sizeof(*l));
	int rc = l ? 0 : -ENOMEM;

	if (rc == 0) {
		l->env = *env;
		l->kinds = kinds_of(env);
		l->keys = array_of(sizeof(struct entity_key), IDS_MAX);
		l->row = calloc(env->gather->count + 1, sizeof(*l->row));
		l->room = malloc(TIER_WALK_ROOM);
		rc = l->row && l->room ? decoder_new(&l->decoder) : -ENOMEM;
	}
	if (rc == 0)
		decoder_follow(l->decoder, l->followed, IDS_MAX);
	for (size_t i = 0; rc == 0 && i < env->gather->count; i++)
		decoder_want(l->decoder, env->gather->series[i].quantity);
	if (rc < 0)
		look_tiers_free(l);
	else
		*ret = l;
	return rc;
}

void look_tiers_free(struct look_tiers *l)
{
	if (!l)
		return;
	decoder_free(l->decoder);
	array_fini(&l->keys);
	free(l->row);
	free(l->room);
	free(l);
}

/* --- entities ------------------------------------------------------------ */

static struct entity_key *key_at(const struct look_tiers *l, uint32_t id)
{
	return (struct entity_key *)l->keys.items + id;
}

/* Makes room for an id, and those below it. False: no memory. */
static bool key_room(struct look_tiers *l, uint32_t id)
{
	uint32_t had = l->keys.count;

	if (id >= had && array_add(&l->keys, id + 1 - had) == INDEX_NONE)
		return false;
	if (id >= had)
		memset(key_at(l, had), 0, (id + 1 - had) * l->keys.size);
	return true;
}

/* Most entities only need their kind: true if id and kind come first and the
 * rest can be skipped.
 */
static bool kind_take(struct look_tiers *l, struct cursor c)
{
	struct proto_field id = { .value = 0 }, kind = { .value = 0 };

	if (!proto_next(&c, &id) || !proto_next(&c, &kind) ||
	    id.number != ENTITY_ID || kind.number != ENTITY_KIND ||
	    id.value >= IDS_MAX || kind.value == 0 ||
	    kind.value >= ENTITY_KIND_COUNT || l->kinds >> kind.value & 1 ||
	    !key_room(l, (uint32_t)id.value))
		return false;
	key_at(l, (uint32_t)id.value)->kind = (enum entity_kind)kind.value;
	return true;
}

static void entity_take(struct look_tiers *l, struct cursor c)
{
	struct proto_field f[ENTITY_FIELDS];
	struct cursor *name = &f[ENTITY_NAME].octets;
	struct entity_key *key;

	if (!proto_fields(c, 1u << ENTITY_NAME, ENTITY_FIELDS, f) ||
	    f[ENTITY_ID].value >= IDS_MAX ||
	    f[ENTITY_KIND].value >= ENTITY_KIND_COUNT ||
	    f[ENTITY_KIND].value == 0 || name->len >= ENTITY_NAME_MAX ||
	    !key_room(l, (uint32_t)f[ENTITY_ID].value))
		return;
	key = key_at(l, (uint32_t)f[ENTITY_ID].value);
	*key = (struct entity_key){
		.kind = (enum entity_kind)f[ENTITY_KIND].value,
		.parent = (uint32_t)f[ENTITY_PARENT].value,
		.number = (uint32_t)f[ENTITY_NUMBER].value };
	if (name->len > 0)
		memcpy(key->name, name->data, name->len);
}

static void dictionary_take(struct look_tiers *l, const uint8_t *payload,
			    size_t len)
{
	struct cursor c = cursor_of(payload, len);
	struct proto_field f;

	while (proto_next(&c, &f))
		if (f.number == DICTIONARY_ENTITIES && f.has_octets &&
		    !kind_take(l, f.octets))
			entity_take(l, f.octets);
	l->is_changed = true;
}

/* Whether an id of the file and an entity of the state have the same name, and
 * their parents as well.
 */
static bool is_same(const struct look_tiers *l, uint32_t id, uint32_t entity)
{
	for (unsigned n = 0; n < PARENTS_MAX; n++) {
		const struct inventory_entity *e =
			state_entity(l->env.state, entity);
		const struct entity_key *k = id < l->keys.count ?
					     key_at(l, id) : NULL;
		bool is_top = !e || e->key.kind == ENTITY_SWITCH;

		if (is_top || !k || !k->kind || k->kind == ENTITY_SWITCH)
			return is_top && (!k || !k->kind ||
					  k->kind == ENTITY_SWITCH);
		if (k->kind != e->key.kind || k->number != e->key.number ||
		    strcmp(k->name, e->key.name) != 0)
			return false;
		id = k->parent;
		entity = e->key.parent;
	}
	return false;
}

/* Finds the newest id for each series. Earlier batches left out rows of an id
 * that was not followed, so a new one waits for a reference.
 */
static void ids_find(struct look_tiers *l)
{
	struct gather *g = l->part;
	bool is_lost = false;

	for (size_t i = 0; i < g->count; i++) {
		struct gather_series *s = &g->series[i];
		uint32_t was = s->id_count ? s->ids[0] : 0, id;

		for (id = l->keys.count ? l->keys.count - 1 : 0; id > 0; id--)
			if (key_at(l, id)->kind && is_same(l, id, s->entity))
				break;
		s->id_count = 0;
		if (id > 0)
			gather_id(s, id);
		is_lost |= id != was && id < l->decided;
	}
	if (is_lost)
		decoder_lost(l->decoder);
	l->decided = l->keys.count;
	gather_ids(g, l->followed, IDS_MAX);
	l->is_changed = false;
}

/* --- rows ---------------------------------------------------------------- */

static int row_give(struct look_tiers *l, struct gather_series *s,
		    const struct tier_value *v)
{
	struct gather *g = l->part;
	struct history_value r = {
		.wall = { g->clock.wall.ns + v->taken_ns - g->clock.mono.ns },
		.mono = { g->is_past ? 0 : v->taken_ns },
		.value = v->value[TIER_MEAN], .span_ns = v->span_ns,
		.quality = v->quality };

	if (__builtin_sub_overflow(r.value, v->value[TIER_BELOW], &r.min) ||
	    __builtin_add_overflow(r.value, v->value[TIER_ABOVE], &r.max) ||
	    r.wall.ns <= l->from.ns || r.wall.ns > l->until.ns)
		return 0;
	return gather_add(g, s, &r);
}

/* The rows of a batch are complete when the next one begins. */
static int rows_give(struct look_tiers *l)
{
	struct gather *g = l->part;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < g->count; i++) {
		if (l->row[i].have == (1u << TIER_SOURCES) - 1)
			rc = row_give(l, &g->series[i], &l->row[i]);
		l->row[i].have = 0;
	}
	return rc;
}

static void value_take(struct tier_value *to, const struct decoded_column *c,
		       uint32_t row)
{
	to->have |= 1u << c->source;
	to->value[c->source] = c->value[row];
	to->taken_ns = c->taken_ns[row];
	to->span_ns = c->window_ns[row];
	to->quality = c->quality[row];
}

static int column_take(void *context, const struct decoded_column *c)
{
	struct look_tiers *l = context;
	struct gather *g = l->part;
	int rc = 0;

	if (c->batch.ns != l->batch.ns)
		rc = rows_give(l);
	l->batch = c->batch;
	for (size_t i = 0; rc == 0 && c->source < TIER_SOURCES && i < g->count;
	     i++) {
		uint32_t row;

		if (gather_row(&g->series[i], c, &row))
			value_take(&l->row[i], c, row);
	}
	return rc;
}

/* --- files --------------------------------------------------------------- */

static void run_take(struct look_tiers *l, const uint8_t *payload, size_t len)
{
	struct clock_reading clock = { .mono = { 0 } };
	const Petrel__Run *run;
	ProtobufCMessage *m;

	if (record_unpack(RECORD_RUN, payload, len, &m) < 0)
		return;
	run = (const Petrel__Run *)m;
	clock.mono.ns = run->mono_ns;
	clock.wall.ns = run->wall_ns;
	gather_run(l->part, &clock, run->run != l->env.run);
	record_unpacked_free(m);
}

static int record_take(struct look_tiers *l, const struct record_header *h,
		       const uint8_t *payload)
{
	int rc = 0;

	if (h->kind == RECORD_RUN)
		run_take(l, payload, h->length);
	else if (h->kind == RECORD_DICTIONARY)
		dictionary_take(l, payload, h->length);
	if (h->kind != RECORD_BATCH)
		return 0;
	if (l->is_changed)
		ids_find(l);
	rc = decoder_batch(l->decoder, h->flags, payload, h->length,
			   column_take, l, NULL);
	return rc == -EAGAIN || rc == -EBADMSG ? 0 : rc;
}

/* Reads it from beginning to end. */
static int file_pass(struct look_tiers *l, struct tier_walk *w)
{
	struct record_header h;
	const uint8_t *payload;
	int rc = 0;

	l->keys.count = l->decided = 0;
	l->is_changed = true;
	l->batch.ns = 0;
	decoder_lost(l->decoder);
	while (rc == 0 && tier_walk_next(w, &h, &payload))
		rc = record_take(l, &h, payload);
	if (rc == 0)
		rc = rows_give(l);
	return rc;
}

/* Reads the file again until all columns behind the wanted ones are read. */
int look_tiers_file(struct look_tiers *l, struct gather *part,
		    struct tier_walk *walk, struct wall from,
		    struct wall until)
{
	const struct tier_walk begin = *walk;
	bool again;
	int rc;

	l->part = part;
	l->from = from;
	l->until = until;
	gather_mark(part);
	do {
		rc = file_pass(l, walk);
		again = rc == 0 && decoder_wants_more(l->decoder);
		if (again) {
			gather_back(part);
			*walk = begin.room ? tier_walk_file(begin.fd,
							    begin.room) :
					     begin;
		}
	} while (again);
	return rc;
}

/* A file that reaches into a span. */
struct job {
	enum tier tier;
	uint64_t began_s;
	struct wall from, until;
	struct diag why;
};

/* All files to read, oldest first, and the workers. */
struct tier_look {
	const struct look_tiers_env *env;
	int dir_fd;
	struct look_tiers *worker[WORKERS_MAX];	/* owned */
	struct job *jobs;			/* owned */
	size_t count, cap;
};

static int worker_make(void *context, unsigned worker)
{
	struct tier_look *look = context;

	return look_tiers_new(look->env, &look->worker[worker]);
}

static int job_do(void *context, unsigned worker, unsigned n,
		  struct gather *part)
{
	struct tier_look *look = context;
	struct look_tiers *l = look->worker[worker];
	struct job *job = &look->jobs[n];
	struct tier_walk w;
	char name[TIER_NAME_MAX];
	size_t size;
	int fd, rc;

	tier_file_name(job->tier, job->began_s, name);
	fd = folder_read_open(look->dir_fd, name, TIER_FILE_OCTETS_MAX, &size);
	if (fd < 0) {
		(void)diag_set(&job->why, 0, "%s: %s", name, strerror(-fd));
		return 0;
	}
	w = tier_walk_file(fd, l->room);
	rc = look_tiers_file(l, part, &w, job->from, job->until);
	(void)close(fd);		/* only read */
	if (w.err < 0)
		(void)diag_set(&job->why, 0, "%s: %s", name, strerror(-w.err));
	else if (w.damaged > 0)
		(void)diag_set(&job->why, 0, "%s: %zu octets are damaged; the "
			       "rest is shown", name, w.damaged);
	return rc;
}

/* Adds the files of a tier that reach into the span. Returns -ENOMEM. */
static int jobs_add(struct tier_look *look, enum tier tier,
		    const uint64_t *began_s, int count, struct wall from,
		    struct wall until)
{
	for (int i = 0; i < count; i++) {
		struct job *more;

		if ((int64_t)began_s[i] > until.ns / NS_PER_S ||
		    (i + 1 < count &&
		     (int64_t)began_s[i + 1] + tier_forms[tier].span_ns /
					       NS_PER_S <= from.ns / NS_PER_S))
			continue;
		more = array_room(look->jobs, &look->cap, look->count + 1,
				  sizeof(*more));
		if (!more)
			return -ENOMEM;
		look->jobs = more;
		look->jobs[look->count++] = (struct job){
			.tier = tier, .began_s = began_s[i], .from = from,
			.until = until };
	}
	return 0;
}

/* Does the jobs, and says what the newest damaged file lacks. */
static int jobs_do(struct tier_look *look, struct diag *d)
{
	const struct gather_work work = { look, worker_make, job_do,
					  gather_add };
	int rc = gather_pieces(look->env->gather, &work,
			       (unsigned)look->count);

	for (size_t n = 0; n < look->count; n++)
		if (look->jobs[n].why.text[0])
			*d = look->jobs[n].why;
	for (unsigned w = 0; w < WORKERS_MAX; w++)
		look_tiers_free(look->worker[w]);
	return rc;
}

int look_tiers_read(const struct look_tiers_env *env, int dir_fd,
		    struct wall until, struct wall *ret_since, struct diag *d)
{
	struct wall from = env->gather->from, minutes = until;
	struct tier_look look = { .env = env, .dir_fd = dir_fd };
	uint64_t *began_s[TIER_COUNT] = { NULL };
	int count[TIER_COUNT], rc = 0;

	d->text[0] = '\0';
	ret_since->ns = 0;
	for (unsigned i = TIER_COUNT; i-- > 0;) {
		count[i] = tier_list(&disk_durable, dir_fd, (enum tier)i,
				     &began_s[i]);
		if (count[i] > 0 &&
		    (!ret_since->ns ||
		     (int64_t)began_s[i][0] * NS_PER_S < ret_since->ns))
			ret_since->ns = (int64_t)began_s[i][0] * NS_PER_S;
	}
	if (count[TIER_MINUTE] > 0)
		minutes.ns = (int64_t)began_s[TIER_MINUTE][0] * NS_PER_S;
	if (minutes.ns > until.ns)
		minutes = until;
	if (from.ns < minutes.ns)
		rc = jobs_add(&look, TIER_QUARTER, began_s[TIER_QUARTER],
			      count[TIER_QUARTER], from, minutes);
	if (rc == 0 && from.ns < until.ns)
		rc = jobs_add(&look, TIER_MINUTE, began_s[TIER_MINUTE],
			      count[TIER_MINUTE],
			      from.ns > minutes.ns ? from : minutes, until);
	if (rc == 0)
		rc = jobs_do(&look, d);
	free(look.jobs);
	for (unsigned i = 0; i < TIER_COUNT; i++)
		free(began_s[i]);
	return rc;
}
