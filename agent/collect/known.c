#include "agent/collect/known.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "agent/base/hash.h"
#include "agent/collect/standing.h"
#include "agent/record/array.h"

#define CHAINS 4096u

struct value_slot {
	uint64_t key;		/* entity, quantity, index */
	struct known_value value;
};

struct known_run {
	struct entry_identity identity;	/* the latest */
	char shown[2 * SWITCH_NAME_MAX + 2];
	bool is_twin;		/* another switch has the same name */
	bool is_named;		/* by an entry */
	char switch_id[SWITCH_NAME_MAX];
	uint64_t run;
	uint64_t previous_run;	/* from its run record; 0: not known */
	bool is_last;		/* of the switch's runs */
	uint64_t found;		/* value of known's finds then */
	struct decoder *decoder;	/* NULL until the first batch */
	struct entity_list entities;
	struct index_map places;	/* of the slots, by key */
	struct array slots;		/* struct value_slot */
	uint64_t left_out;
	void *attached;			/* its user's */
	void (*forget)(void *attached);
	struct mono batch, came;	/* of the newest batch */
	struct run_clock clock;
	LIST_ENTRY(known_run) of_switch, of_name;
};

LIST_HEAD(known_chain, known_run);

struct known {
	pthread_mutex_t *mutex;		/* protects all below */
	size_t count;
	uint64_t finds, unreadable;
	struct place from, end;	/* as a sink; end: of the spool at the start */
	const struct standing *standing;	/* NULL: none */
	struct mono came;	/* the present entry, then; ns 0: just now */
	void (*forget)(void *attached);
	struct known_chain chain[CHAINS];	/* by switch */
	struct known_chain named[CHAINS];	/* by its name */
};

int known_new(struct known **ret)
{
	*ret = calloc(1, sizeof(**ret));
	if (*ret)
		(*ret)->mutex = calloc(1, sizeof(pthread_mutex_t));
	if (!*ret || !(*ret)->mutex) {
		free(*ret);
		return -ENOMEM;
	}
	(void)pthread_mutex_init((*ret)->mutex, NULL);
	return 0;
}

static void values_forget(struct known_run *r)
{
	index_map_fini(&r->places);
	array_fini(&r->slots);
}

static void decoder_forget(struct known_run *r)
{
	decoder_free(r->decoder);
	r->decoder = NULL;
}

static void run_free(struct known_run *r)
{
	if (r->attached)
		r->forget(r->attached);
	values_forget(r);
	decoder_forget(r);
	entity_list_fini(&r->entities);
	free(r);
}

void known_free(struct known *k)
{
	for (unsigned i = 0; k && i < CHAINS; i++) {
		struct known_run *r, *next = LIST_FIRST(&k->chain[i]);

		while ((r = next)) {
			next = LIST_NEXT(r, of_switch);
			run_free(r);
		}
	}
	if (k) {
		(void)pthread_mutex_destroy(k->mutex);
		free(k->mutex);
	}
	free(k);
}

/* --- runs ----------------------------------------------------------------- */

static unsigned chain_of(const char *id)
{
	uint64_t h = hash_octets(0, id, strlen(id));

	return (h ^ h >> 32) % CHAINS;
}

static struct known_run *run_find(const struct known *k, const char *id,
				  uint64_t run)
{
	struct known_run *r = LIST_FIRST(&k->chain[chain_of(id)]);

	while (r && (r->run != run || strcmp(r->switch_id, id) != 0))
		r = LIST_NEXT(r, of_switch);
	return r;
}

/* The last run of a switch; NULL: none. */
static struct known_run *last_find(const struct known *k, const char *id)
{
	struct known_run *r = LIST_FIRST(&k->chain[chain_of(id)]);

	while (r && (!r->is_last || strcmp(r->switch_id, id) != 0))
		r = LIST_NEXT(r, of_switch);
	return r;
}

/* A new run becomes the switch's last one, unless the last one names it as its
 * predecessor: spooled records come after new ones. The last run and its
 * predecessor may still be read; the others are over.
 */
static void chain_join(struct known *k, struct known_run *r, const char *id)
{
	struct known_chain *chain = &k->chain[chain_of(id)];
	struct known_run *last = last_find(k, id);

	r->is_last = !last || last->previous_run != r->run;
	for (struct known_run *o = LIST_FIRST(chain); o && r->is_last;
	     o = LIST_NEXT(o, of_switch))
		if (o != last && strcmp(o->switch_id, id) == 0)
			decoder_forget(o);
	if (last && r->is_last) {
		last->is_last = false;
		values_forget(last);
	}
	(void)strcpy(r->switch_id, id);
	LIST_INSERT_HEAD(chain, r, of_switch);
}

static void shown_make(struct known_run *r, bool is_twin)
{
	r->is_twin = is_twin;
	(void)snprintf(r->shown, sizeof(r->shown), "%s%s%s", r->identity.name,
		       r->is_twin ? "/" : "", r->is_twin ? r->switch_id : "");
}

/* Switches of one name are shown with their ids, one alone is not. */
static void twins_mark(struct known *k, const char *name)
{
	struct known_chain *chain = &k->named[chain_of(name)];
	const struct known_run *first = NULL;
	struct known_run *o;
	bool is_twin = false;

	LIST_FOREACH(o, chain, of_name) {
		if (strcmp(o->identity.name, name) != 0)
			continue;
		first = first ? first : o;
		is_twin |= strcmp(o->switch_id, first->switch_id) != 0;
	}
	LIST_FOREACH(o, chain, of_name)
		if (strcmp(o->identity.name, name) == 0)
			shown_make(o, is_twin);
}

static void name_join(struct known *k, struct known_run *r, const char *name)
{
	(void)snprintf(r->identity.name, sizeof(r->identity.name), "%s", name);
	LIST_INSERT_HEAD(&k->named[chain_of(name)], r, of_name);
	twins_mark(k, name);
}

void known_switch_named(struct known *k, struct known_run *r, const char *name)
{
	char former[SWITCH_NAME_MAX];
	struct known_run *o;

	LIST_FOREACH(o, &k->chain[chain_of(r->switch_id)], of_switch) {
		if (strcmp(o->switch_id, r->switch_id) != 0 ||
		    strcmp(o->identity.name, name) == 0)
			continue;
		(void)strcpy(former, o->identity.name);
		LIST_REMOVE(o, of_name);
		name_join(k, o, name);
		twins_mark(k, former);
	}
}

/* Forgets the run whose last lookup is the oldest. */
static void run_forget(struct known *k)
{
	struct known_run *least = NULL, *r;

	for (unsigned i = 0; i < CHAINS; i++)
		LIST_FOREACH(r, &k->chain[i], of_switch)
			if (!least || r->found < least->found)
				least = r;
	if (!least)
		return;
	LIST_REMOVE(least, of_switch);
	LIST_REMOVE(least, of_name);
	run_free(least);
	k->count--;
}

/* Any run of a switch: all have its name. NULL: there is none. */
static const struct known_run *switch_find(const struct known *k,
					   const char *id)
{
	const struct known_run *r = LIST_FIRST(&k->chain[chain_of(id)]);

	while (r && strcmp(r->switch_id, id) != 0)
		r = LIST_NEXT(r, of_switch);
	return r;
}

static struct known_run *run_add(struct known *k, const struct entry *e)
{
	const struct known_run *o;
	struct known_run *r;

	if (k->count >= KNOWN_RUNS_MAX)
		run_forget(k);
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->run = e->run;
	r->forget = k->forget;
	r->slots = array_of(sizeof(struct value_slot), KNOWN_VALUES_MAX);
	index_map_init(&r->places, KNOWN_VALUES_MAX, 0);
	o = switch_find(k, e->switch_id);
	chain_join(k, r, e->switch_id);
	name_join(k, r, o ? o->identity.name : e->switch_id);
	r->is_named = o && o->is_named;
	k->count++;
	return r;
}

/* Moves what was known under another id to this switch. */
static struct known_run *run_rename(struct known *k, const struct entry *e,
				    const char *former_id)
{
	struct known_run *r = run_find(k, former_id, e->run);

	if (!r)
		return NULL;
	LIST_REMOVE(r, of_switch);
	chain_join(k, r, e->switch_id);
	shown_make(r, r->is_twin);
	return r;
}

struct known_run *known_find(struct known *k, const struct entry *e)
{
	struct known_run *r = run_find(k, e->switch_id, e->run);
	struct entry_identity identity;
	bool is_said = entry_identity_read(e, &identity) == 0;

	if (!r && is_said && identity.former_id[0])
		r = run_rename(k, e, identity.former_id);
	if (!r)
		r = run_add(k, e);
	if (!r)
		return NULL;
	r->found = ++k->finds;
	if (is_said) {
		known_switch_named(k, r, identity.name);
		r->identity = identity;
		r->is_named = true;
	}
	return r;
}

const char *known_switch_name(const struct known_run *r)
{
	return r->identity.name;
}

const char *known_switch_shown(const struct known_run *r)
{
	return r->shown;
}

const struct known_run *known_switch_find(const struct known *k,
					  const char *switch_id)
{
	const struct known_run *r = LIST_FIRST(&k->chain[chain_of(switch_id)]);

	while (r && (!r->is_named || strcmp(r->switch_id, switch_id) != 0))
		r = LIST_NEXT(r, of_switch);
	return r;
}

/* --- entities ------------------------------------------------------------- */

void known_entities(struct known_run *r, const Petrel__Dictionary *m)
{
	entity_list_take(&r->entities, m);
}

void known_dictionary(struct known_run *r, const Petrel__Dictionary *m)
{
	entity_list_take(&r->entities, m);
	entity_list_names(&r->entities);
}

const char *known_name(const struct known_run *r, uint32_t entity)
{
	return entity_list_name(&r->entities, entity);
}

bool known_entity(const struct known_run *r, uint32_t id,
		  struct known_entity *ret)
{
	return entity_list_get(&r->entities, id, ret);
}

struct run_clock *known_clock(struct known_run *r)
{
	return &r->clock;
}

static void clock_hear(struct known_run *r, const ProtobufCMessage *m)
{
	run_clock_hear(&r->clock, clock_of_message((const Petrel__Clock *)m),
		       clock_wall_now());
}

int known_finding(struct known_run *r, const struct record_header *h,
		  const uint8_t *payload, struct known_finding *ret)
{
	bool is_finding = h->kind == RECORD_FINDING;
	ProtobufCMessage *m;

	if (!is_finding && h->kind != RECORD_CLOCK)
		return 0;
	if (record_unpack(h->kind, payload, h->length, &m) < 0)
		return -EBADMSG;
	if (!is_finding) {
		clock_hear(r, m);
	} else {
		const Petrel__Finding *f = (const Petrel__Finding *)m;

		ret->is_repeated = f->repeated_state;
		is_finding = finding_of_message(f, &ret->finding) == 0;
	}
	record_unpacked_free(m);
	if (is_finding)
		run_clock_finding(&r->clock, &ret->finding, clock_wall_now());
	return is_finding;
}

void **known_attached(struct known_run *r)
{
	return &r->attached;
}

void known_attach(struct known *k, void (*forget)(void *attached))
{
	k->forget = forget;
}

/* --- values --------------------------------------------------------------- */

static uint64_t key_of(uint32_t entity, uint16_t quantity, uint16_t index)
{
	return (uint64_t)entity << 32 | (uint32_t)quantity << 16 | index;
}

static struct value_slot *slot_at(const struct known_run *r, uint32_t at)
{
	return at == INDEX_NONE ? NULL :
				  (struct value_slot *)r->slots.items + at;
}

/* The slot of a key, a new one if there is none; NULL: no room. */
static struct value_slot *slot_of(struct known_run *r, uint64_t key)
{
	uint32_t *at = index_map_at(&r->places, key);
	struct value_slot *slot;

	if (!at || *at != INDEX_NONE)
		return at ? slot_at(r, *at) : NULL;
	*at = array_add(&r->slots, 1);
	slot = slot_at(r, *at);
	if (slot)
		*slot = (struct value_slot){ .key = key };
	return slot;
}

static void value_take(struct known_run *r, const struct decoded_column *c,
		       uint32_t row)
{
	uint64_t key = key_of(c->entity[row], c->quantity, c->index);
	struct value_slot *slot = key ? slot_of(r, key) : NULL;
	struct known_value *v;

	r->left_out += key && !slot;	/* 0: no entity, no quantity */
	if (!slot)
		return;
	v = &slot->value;
	if (v->taken.ns != c->taken_ns[row]) {
		v->before = v->value;
		v->before_taken = v->taken;
	}
	v->value = c->value[row];
	v->taken.ns = c->taken_ns[row];
	v->quality = c->quality[row];
	v->source = c->source;
}

static int column_take(void *context, const struct decoded_column *c)
{
	((struct known_run *)context)->batch = c->batch;
	for (uint32_t row = 0; row < c->count; row++)
		value_take(context, c, row);
	return 0;
}

int known_batch(struct known_run *r, const struct record_header *h,
		const uint8_t *payload, decoded_fn *fn, void *context,
		struct diag *d)
{
	int err = r->decoder ? 0 : decoder_new(&r->decoder);

	return err < 0 ? err : decoder_batch(r->decoder, h->flags, payload,
					     h->length, fn, context, d);
}

void known_lost(struct known_run *r)
{
	if (r->decoder)
		decoder_lost(r->decoder);
}

int known_samples(struct known_run *r, const struct record_header *h,
		  const uint8_t *payload, decoded_fn *fn, void *context)
{
	ProtobufCMessage *m;

	if (h->kind == RECORD_BATCH)
		return known_batch(r, h, payload, fn, context, NULL);
	if (h->kind == RECORD_GAP && h->stream == STREAM_SAMPLES)
		known_lost(r);
	if (h->kind != RECORD_DICTIONARY && h->kind != RECORD_CLOCK)
		return 0;
	if (record_unpack(h->kind, payload, h->length, &m) < 0)
		return -EBADMSG;
	if (h->kind == RECORD_DICTIONARY)
		known_dictionary(r, (const Petrel__Dictionary *)m);
	else
		clock_hear(r, m);
	record_unpacked_free(m);
	return 0;
}

/* A run's first record names the run before it. */
static void run_take(struct known_run *r, const struct record_header *h,
		     const uint8_t *payload)
{
	ProtobufCMessage *m;

	if (record_unpack(h->kind, payload, h->length, &m) < 0)
		return;
	r->previous_run = ((const Petrel__Run *)m)->previous_run;
	record_unpacked_free(m);
}

/* Context for taking in the values of samples. */
struct known_values {
	struct known *known;
	struct known_run *run;
};

static int record_take(void *context, const struct record_header *h,
		       const uint8_t *payload)
{
	const struct known_values *to = context;
	int err;

	if (h->kind == RECORD_RUN)
		run_take(to->run, h, payload);
	if (h->stream != STREAM_SAMPLES || !to->run->is_last)
		return 0;
	if (h->kind == RECORD_GAP)
		known_lost(to->run);
	if (h->kind != RECORD_BATCH)
		return 0;
	err = known_batch(to->run, h, payload, column_take, to->run, NULL);
	to->known->unreadable += err < 0 && err != -EAGAIN;
	to->run->came = to->known->came.ns ? to->known->came : clock_mono_now();
	return 0;
}

int known_entry(struct known *k, const struct entry *e)
{
	struct known_values to = { .known = k };

	if (e->kind == ENTRY_OWN)
		return 0;	/* no run of the switch */
	(void)pthread_mutex_lock(k->mutex);
	to.run = known_find(k, e);
	if (to.run)
		(void)entry_records(e, record_take, &to);
	(void)pthread_mutex_unlock(k->mutex);
	return to.run ? 0 : -ENOMEM;
}

int known_value(const struct known *k, const char *switch_id, uint32_t entity,
		uint16_t quantity, uint16_t index, struct known_value *ret)
{
	uint64_t key = key_of(entity, quantity, index);
	const struct value_slot *slot;
	const struct known_run *r;

	(void)pthread_mutex_lock(k->mutex);
	r = last_find(k, switch_id);
	slot = r ? slot_at(r, index_map_find(&r->places, key)) : NULL;
	if (slot)
		*ret = slot->value;
	(void)pthread_mutex_unlock(k->mutex);
	return slot ? 0 : -ENODATA;
}

int known_switch(const struct known *k, const char *switch_id,
		 struct known_switch *ret, known_value_fn *fn, void *context)
{
	const struct known_run *r;

	(void)pthread_mutex_lock(k->mutex);
	r = last_find(k, switch_id);
	if (r)
		*ret = (struct known_switch){ r->run, r->batch, r->came,
					      r->slots.count };
	for (uint32_t i = 0; r && fn && i < r->slots.count; i++) {
		const struct value_slot *slot = slot_at(r, i);

		fn(context, (uint32_t)(slot->key >> 32),
		   (uint16_t)(slot->key >> 16), (uint16_t)slot->key,
		   &slot->value);
	}
	(void)pthread_mutex_unlock(k->mutex);
	return r ? 0 : -ENODATA;
}

void known_count(const struct known *k, struct known_count *ret)
{
	const struct known_run *r;

	(void)pthread_mutex_lock(k->mutex);
	*ret = (struct known_count){ .unreadable = k->unreadable };
	for (unsigned i = 0; i < CHAINS; i++)
		LIST_FOREACH(r, &k->chain[i], of_switch) {
			ret->switches += r->is_last;
			ret->values += r->slots.count;
			ret->left_out += r->left_out;
		}
	(void)pthread_mutex_unlock(k->mutex);
}

/* --- as a sink ------------------------------------------------------------ */

static int driver_open(const struct sink_env *env, void **ret, struct diag *d)
{
	(void)d;
	env->known->from = env->known_from;
	env->known->end = env->end;
	env->known->standing = env->standing;
	*ret = env->known;
	return 0;
}

static struct place driver_begin(void *sink)
{
	return ((struct known *)sink)->from;
}

/* When an entry came that is read again: at the latest when the last record of
 * its switch was kept. A time before this boot becomes that of the boot.
 */
static struct mono came_before(const struct known *k, const struct entry *e)
{
	struct mono now = clock_mono_now();
	struct wall last = standing_before(k->standing, e->switch_id);
	int64_t ago_ns = clock_wall_now().ns - last.ns;

	if (last.ns == 0 || ago_ns < 0)
		return now;
	return ago_ns < now.ns ? mono_after(now, -ago_ns) : (struct mono){ 1 };
}

static int driver_entry(void *sink, const struct entry *e, struct place at,
			struct diag *d)
{
	struct known *k = sink;
	bool is_old = k->standing && place_is_before(&at, &k->end);

	(void)d;
	k->came = is_old ? came_before(k, e) : (struct mono){ 0 };
	(void)known_entry(k, e);	/* it counts failures itself */
	return 0;
}

static int driver_commit(void *sink, struct place at, struct place *ret_kept,
			 struct diag *d)
{
	(void)d;
	((struct known *)sink)->from = at;
	*ret_kept = at;
	return 0;
}

static void driver_count(const void *sink, struct sink_count *ret)
{
	struct known_count count;

	known_count(sink, &count);
	*ret = (struct sink_count){ .applied = count.values,
				    .unreadable = count.unreadable };
}

const struct sink_driver known_driver = {
	.name = "newest", .is_volatile = true,
	.open = driver_open, .begin = driver_begin, .entry = driver_entry,
	.commit = driver_commit, .count = driver_count,
};
