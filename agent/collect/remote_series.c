#include "agent/collect/remote_series.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/metric.h"
#include "agent/record/array.h"
#include "petrel/sample.h"

#define SLOTS_MAX (1u << 20)
#define SLOTS_SELDOM_MAX (SLOTS_MAX / 4 * 3)
#define LABELS_OCTETS_MAX 1024u
#define TEXTS_OCTETS 640u
#define HELD_BACK_NAME METRIC_PREFIX "series_held_back"

struct series_slot {
	uint64_t key;		/* entity, quantity, index */
	int64_t taken_ns;	/* time of the last value seen */
	int64_t sent_ms;	/* wall; 0: never, or it ended */
	int64_t value;		/* that was sent */
	uint8_t *labels;	/* NULL: it has no name, or is held back */
	uint32_t labels_len;
	uint8_t rank;
	bool is_held_back;
};

/* Inputs of findings and margins come first, then what is read often; last what
 * seldom changes: thresholds, flags, settings.
 */
enum rank { RANK_KEPT, RANK_OFTEN, RANK_SELDOM, RANKS };


struct remote_series {
	uint32_t max_series, series;
	uint32_t of_rank[RANKS];	/* named ones */
	uint32_t victim;		/* position of the last one */
	struct index_map places;	/* of the slots, by key */
	struct array slots;		/* struct series_slot */
	uint64_t held_back;		/* values */
	uint32_t held_series;
	int64_t held_told_ms;
};

int remote_series_new(uint32_t max_series, struct remote_series **ret)
{
	struct remote_series *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->max_series = max_series;
	s->slots = array_of(sizeof(struct series_slot), SLOTS_MAX);
	index_map_init(&s->places, SLOTS_MAX, 0);
	*ret = s;
	return 0;
}

static struct series_slot *slot_at(const struct remote_series *s, uint32_t at)
{
	return (struct series_slot *)s->slots.items + at;
}

void remote_series_free(struct remote_series *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->slots.count; i++)
		free(slot_at(s, i)->labels);
	array_fini(&s->slots);
	index_map_fini(&s->places);
	free(s);
}

uint64_t remote_series_held_back(const struct remote_series *s)
{
	return s->held_back;
}

/* --- labels --------------------------------------------------------------- */

/* Texts that labels point to while they are built. */
struct naming {
	struct remote_label label[REMOTE_LABELS_MAX];
	size_t count, used;
	char text[TEXTS_OCTETS];
};

static void label_add(struct naming *n, const char *name, const char *value)
{
	size_t len = strlen(value) + 1;

	if (n->count == REMOTE_LABELS_MAX || len == 1 ||
	    n->used + len > sizeof(n->text))
		return;
	memcpy(n->text + n->used, value, len);
	n->label[n->count++] = (struct remote_label){ name,
						      n->text + n->used };
	n->used += len;
}

/* The entity, and its parents; for a module or a lane also the port that it
 * serves, as on the switch (verbs_metrics.c).
 */
static bool entity_labels(struct naming *n, const struct known_run *names,
			  uint32_t id)
{
	struct known_entity e;
	char number[12];

	for (unsigned depth = 0; id != ENTITY_NONE; depth++, id = e.parent) {
		const char *label;

		if (depth == 4 || !known_entity(names, id, &e) || e.is_gone)
			return false;
		label = metric_label(e.kind);
		if (!label)
			continue;
		(void)snprintf(number, sizeof(number), "%u", e.number);
		label_add(n, label, e.name ? e.name : number);
		if (depth == 0 && e.port)
			label_add(n, "port", e.port);
	}
	return true;
}

/* Returns the length of the labels; 0: it cannot be named. */
static size_t series_name(const struct known_run *names, uint64_t key,
			  uint8_t ret[static LABELS_OCTETS_MAX])
{
	const struct quantity_info *q =
		quantity_find((uint16_t)(key >> 16));
	struct naming n = { .count = 0 };
	char index[METRIC_LABEL_MAX];
	struct metric metric;

	if (!q)
		return 0;
	metric_of(q, &metric);
	label_add(&n, "__name__", metric.name);
	label_add(&n, "switch", known_switch_shown(names));
	metric_index(q, (uint16_t)key, index);
	label_add(&n, metric_index_label(q), index);
	return entity_labels(&n, names, (uint32_t)(key >> 32)) ?
	       remote_labels_write(n.label, n.count, ret, LABELS_OCTETS_MAX) :
	       0;
}

/* --- slots ---------------------------------------------------------------- */

static uint64_t key_of(uint32_t entity, uint16_t quantity, uint16_t index)
{
	return (uint64_t)entity << 32 | (uint32_t)quantity << 16 | index;
}

static enum rank rank_of(const struct quantity_info *q)
{
	if (quantity_is_kept(q->id))
		return RANK_KEPT;
	return q->speed < CLASS_SLOW ? RANK_OFTEN : RANK_SELDOM;
}

static int series_end(struct series_slot *slot, int64_t ms,
		      struct remote_batch *to)
{
	static const uint64_t bits = REMOTE_STALE_BITS;
	double stale;

	if (slot->sent_ms == 0)
		return 0;
	if (ms <= slot->sent_ms)
		ms = slot->sent_ms + 1;
	slot->sent_ms = 0;
	memcpy(&stale, &bits, sizeof(stale));
	return to ? remote_batch_add(to, slot->labels, slot->labels_len, stale,
				     ms) : 0;
}

/* Takes its name away. */
static void series_forget(struct remote_series *s, struct series_slot *slot)
{
	free(slot->labels);
	slot->labels = NULL;
	s->series--;
	s->of_rank[slot->rank]--;
}

static void hold_back(struct remote_series *s, struct series_slot *slot)
{
	s->held_series += !slot->is_held_back;
	slot->is_held_back = true;
	s->held_back++;
}

/* The last rank that has named series. */
static unsigned last_rank(const struct remote_series *s)
{
	unsigned last = RANKS - 1;

	while (last > 0 && s->of_rank[last] == 0)
		last--;
	return last;
}

/* Ends one series of the last rank. */
static int room_make(struct remote_series *s, int64_t ms,
		     struct remote_batch *to)
{
	unsigned last = last_rank(s);
	struct series_slot *slot;
	int err;

	do {
		s->victim = (s->victim + 1) % s->slots.count;
		slot = slot_at(s, s->victim);
	} while (!slot->labels || slot->rank != last);
	err = series_end(slot, ms, to);
	series_forget(s, slot);
	hold_back(s, slot);
	return err;
}

/* Names it, within the limit. Retries one that cannot be named yet. */
static int slot_name(struct remote_series *s, struct series_slot *slot,
		     const struct known_run *names, int64_t ms,
		     struct remote_batch *to)
{
	uint8_t labels[LABELS_OCTETS_MAX];
	bool is_full = s->series >= s->max_series;
	size_t len;
	int err = 0;

	if (is_full && last_rank(s) <= slot->rank) {
		hold_back(s, slot);
		return 0;
	}
	len = series_name(names, slot->key, labels);
	if (len == 0)
		return 0;
	if (is_full)
		err = room_make(s, ms, to);
	if (err < 0)
		return err;
	slot->labels = malloc(len);
	if (!slot->labels)
		return -ENOMEM;
	memcpy(slot->labels, labels, len);
	slot->labels_len = (uint32_t)len;
	s->held_series -= slot->is_held_back;
	slot->is_held_back = false;
	s->series++;
	s->of_rank[slot->rank]++;
	return 0;
}

/* *ret NULL: the table is full; the rest is reserved for higher ranks. */
static int slot_of(struct remote_series *s, uint64_t key, enum rank rank,
		   struct series_slot **ret)
{
	uint32_t max = rank == RANK_SELDOM ? SLOTS_SELDOM_MAX : SLOTS_MAX;
	uint32_t at = index_map_find(&s->places, key), *place;

	*ret = NULL;
	if (at == INDEX_NONE && s->slots.count >= max)
		return 0;
	if (at == INDEX_NONE) {
		place = index_map_at(&s->places, key);
		at = place ? array_add(&s->slots, 1) : INDEX_NONE;
		if (at == INDEX_NONE)
			return -ENOMEM;
		*place = at;
		*slot_at(s, at) = (struct series_slot){ .key = key };
	}
	*ret = slot_at(s, at);
	(*ret)->rank = (uint8_t)rank;
	return 0;
}

/* --- what to send --------------------------------------------------------- */

/* metric_value(), but without pow() if the scale is 1. */
static double value_of(const struct metric *m, int64_t value)
{
	if (m->scale.exponent != 0 || m->scale.factor != 1)
		return metric_value(m, value);
	return m->is_unsigned ? (double)(uint64_t)value : (double)value;
}

static int value_send(struct series_slot *slot, const struct metric *metric,
		      int64_t value, int64_t ms, struct remote_batch *to)
{
	if (slot->sent_ms == ms || (slot->sent_ms > 0 && slot->value == value &&
				    ms - slot->sent_ms < REMOTE_REPEAT_MS))
		return 0;
	slot->sent_ms = ms;
	slot->value = value;
	return to ? remote_batch_add(to, slot->labels, slot->labels_len,
				     value_of(metric, value), ms) : 0;
}

static bool is_worth_sending(uint8_t quality)
{
	return quality == QUALITY_GOOD || quality == QUALITY_ESTIMATED ||
	       quality == QUALITY_BELOW_RESOLUTION;
}

/* Sends how many were held back, as a series of the switch. */
static int held_back_tell(struct remote_series *s,
			  const struct known_run *names, int64_t ms,
			  struct remote_batch *to)
{
	struct naming n = { .count = 0 };
	uint8_t labels[LABELS_OCTETS_MAX];
	size_t len;

	if (ms - s->held_told_ms < REMOTE_REPEAT_MS)
		return 0;
	s->held_told_ms = ms;
	label_add(&n, "__name__", HELD_BACK_NAME);
	label_add(&n, "switch", known_switch_shown(names));
	len = remote_labels_write(n.label, n.count, labels, sizeof(labels));
	return to ? remote_batch_add(to, labels, len, s->held_series, ms) : 0;
}

/* Wall time in ms; 0: it is not known yet. */
static int64_t ms_of(struct known_run *names, struct mono then)
{
	struct wall wall;

	return run_clock_wall(known_clock(names), then, &wall) < 0 ? 0 :
	       wall.ns / NS_PER_MS;
}

int remote_series_column(struct remote_series *s, struct known_run *names,
			 const struct decoded_column *c,
			 struct remote_batch *to)
{
	const struct quantity_info *q = quantity_find(c->quantity);
	struct metric metric;
	bool has_clock = known_clock(names)->anchor.mono.ns != 0;
	enum rank rank;
	int err = 0;

	if (!has_clock)
		s->held_back += c->count;
	if (!q || !has_clock)
		return 0;
	metric_of(q, &metric);
	rank = rank_of(q);
	for (uint32_t row = 0; err == 0 && row < c->count; row++) {
		struct series_slot *slot;
		int64_t ms;

		err = slot_of(s, key_of(c->entity[row], c->quantity, c->index),
			      rank, &slot);
		if (!slot) {
			s->held_back++;
			continue;
		}
		if (c->taken_ns[row] <= slot->taken_ns)
			continue;	/* not read again since */
		slot->taken_ns = c->taken_ns[row];
		ms = ms_of(names, (struct mono){ slot->taken_ns });
		if (!slot->labels)
			err = slot_name(s, slot, names, ms, to);
		if (err < 0 || !slot->labels || ms <= 0)
			continue;
		err = is_worth_sending(c->quality[row]) ?
		      value_send(slot, &metric, c->value[row], ms, to) :
		      series_end(slot, ms, to);
	}
	return err < 0 ? err :
	       held_back_tell(s, names, ms_of(names, c->batch), to);
}

int remote_series_renamed(struct remote_series *s, struct known_run *names,
			  struct remote_batch *to)
{
	uint8_t labels[LABELS_OCTETS_MAX];
	int err = 0;

	for (uint32_t i = 0; i < s->slots.count && err == 0; i++) {
		struct series_slot *slot = slot_at(s, i);
		size_t len;

		if (!slot->labels)
			continue;
		len = series_name(names, slot->key, labels);
		if (len == slot->labels_len &&
		    memcmp(labels, slot->labels, len) == 0)
			continue;
		err = series_end(slot, ms_of(names, (struct mono){
					     slot->taken_ns }), to);
		series_forget(s, slot);	/* named again when it returns */
	}
	return err;
}
