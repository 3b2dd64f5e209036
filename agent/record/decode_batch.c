/* Batches back to values. A record is first read whole into the staging
 * arrays, then given away, so nothing of a bad one is given; what it spoilt of
 * the memory of earlier ones is forgotten with them.
 */
#include "agent/record/decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "agent/record/decoder.h"

#define COLUMN_KEY (UINT64_C(1) << 63)	/* keeps two sorts of keys apart */
#define KNOWN_ENCODING_BITS 2	/* below the number of a known column */

int decoder_new(struct decoder **ret)
{
	struct decoder *d = calloc(1, sizeof(*d));
	uint64_t seed = 0;

	if (!d)
		return -ENOMEM;
	/* Without randomness it is only easier to slow down. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) < 0)
		seed = (uintptr_t)d;
	index_map_init(&d->map, 2 * DECODE_SERIES_MAX, seed);
	d->lists = array_of(sizeof(struct piece), DECODE_LISTS_MAX);
	d->entities = array_of(sizeof(uint32_t), DECODE_SERIES_MAX);
	d->columns = array_of(sizeof(struct known_column), DECODE_SERIES_MAX);
	d->views = array_of(sizeof(uint32_t), 2 * DECODE_SERIES_MAX);
	d->series = array_of(sizeof(struct series), DECODE_SERIES_MAX);
	d->groups = array_of(sizeof(struct staged_group), DECODE_LISTS_MAX);
	d->taken = array_of(sizeof(int64_t), DECODE_SERIES_MAX);
	d->window = array_of(sizeof(int64_t), DECODE_SERIES_MAX);
	d->staged = array_of(sizeof(struct staged_column), DECODE_LISTS_MAX);
	d->values = array_of(sizeof(int64_t), DECODE_SERIES_MAX);
	d->qualities = array_of(sizeof(uint8_t), DECODE_SERIES_MAX);
	*ret = d;
	return 0;
}

void decoder_free(struct decoder *d)
{
	if (!d)
		return;
	index_map_fini(&d->map);
	array_fini(&d->lists);
	array_fini(&d->entities);
	array_fini(&d->columns);
	array_fini(&d->views);
	array_fini(&d->series);
	array_fini(&d->groups);
	array_fini(&d->taken);
	array_fini(&d->window);
	array_fini(&d->staged);
	array_fini(&d->values);
	array_fini(&d->qualities);
	free(d);
}

void decoder_lost(struct decoder *d)
{
	d->has_reference = false;
	d->number = 0;
}

static void decoder_forget(struct decoder *d)
{
	index_map_clear(&d->map);
	d->lists.count = 0;
	d->entities.count = 0;
	d->columns.count = 0;
	d->views.count = 0;
	d->series.count = 0;
	d->has_reference = true;
	d->number = 0;
}

static void stage_clear(struct decoder *d)
{
	d->groups.count = 0;
	d->taken.count = 0;
	d->window.count = 0;
	d->staged.count = 0;
	d->values.count = 0;
	d->qualities.count = 0;
}

static int full(struct diag *diag, const char *what, uint32_t max)
{
	return diag_set(diag, -EBADMSG, "more than %u %s", max, what);
}

static int list_entities(struct decoder *d, const Petrel__EntityList *m,
			 uint32_t *ret_count, struct diag *diag)
{
	struct cursor c = cursor_of(m->entities.data, m->entities.len);
	int64_t entity = 0, step;
	uint32_t count = 0;

	for (; cursor_left(&c) > 0; count++) {
		uint32_t at = array_add(&d->entities, 1);

		if (at == INDEX_NONE || count == DECODE_LIST_ENTITIES_MAX)
			return full(diag, "entities in lists", d->entities.max);
		step = cursor_zigzag(&c);
		if (__builtin_add_overflow(entity, step, &entity) ||
		    !cursor_ok(&c) || entity <= 0 || entity > UINT32_MAX)
			return diag_set(diag, -EBADMSG, "list %u: no entity "
					"at %u", m->id, count);
		*array_u32(&d->entities, at) = (uint32_t)entity;
	}
	*ret_count = count;
	return 0;
}

static int list_take(struct decoder *d, const Petrel__EntityList *m,
		     struct diag *diag)
{
	struct piece list = { .at = d->entities.count };
	uint32_t more, at;
	int rc;

	if (m->id >= DECODE_LISTS_MAX)
		return full(diag, "lists", DECODE_LISTS_MAX);
	if (m->id >= d->lists.count) {
		more = m->id + 1 - d->lists.count;
		at = array_add(&d->lists, more);
		if (at == INDEX_NONE)
			return full(diag, "lists", DECODE_LISTS_MAX);
		memset(list_at(&d->lists, at), 0, more * sizeof(list));
	}
	if (list_at(&d->lists, m->id)->count > 0)
		return diag_set(diag, -EBADMSG, "list %u is there twice",
				m->id);
	rc = list_entities(d, m, &list.count, diag);
	if (rc < 0)
		return rc;
	if (list.count == 0)
		return diag_set(diag, -EBADMSG, "list %u is empty", m->id);
	*list_at(&d->lists, m->id) = list;
	return 0;
}

/* NULL with diag when the list is not known. */
static const struct piece *list_known(const struct decoder *d, uint32_t id,
				      struct diag *diag)
{
	if (id < d->lists.count && list_at(&d->lists, id)->count > 0)
		return list_at(&d->lists, id);
	(void)diag_set(diag, -EBADMSG, "list %u is not known", id);
	return NULL;
}

static int group_take(struct decoder *d, const Petrel__Group *m,
		      struct diag *diag)
{
	const struct piece *list = list_known(d, m->list, diag);
	struct staged_group g = { .source = m->source, .list = m->list,
				  .uncertainty_ns = m->uncertainty_ns };
	uint32_t n = list ? list->count : 0, window, at;

	if (!list)
		return -EBADMSG;
	g.ages = (struct piece){ array_add(&d->taken, n), n };
	window = array_add(&d->window, n);
	at = array_add(&d->groups, 1);
	if (g.ages.at == INDEX_NONE || window == INDEX_NONE ||
	    at == INDEX_NONE)
		return full(diag, "ages", d->taken.max);
	if (!values_spatial(&m->taken, d->now.ns,
			    array_i64(&d->taken, g.ages.at), n) ||
	    (m->windows.len > 0 &&
	     !values_spatial(&m->windows, 0, array_i64(&d->window, window), n)))
		return diag_set(diag, -EBADMSG, "source %u: ages do not fit "
				"list %u", m->source, m->list);
	for (uint32_t i = 0; m->windows.len == 0 && i < n; i++)
		*array_i64(&d->window, window + i) = m->window_ns;
	*group_at(&d->groups, at) = g;
	return 0;
}

static uint32_t group_find(const struct decoder *d, uint32_t source,
			   uint32_t list)
{
	for (uint32_t i = 0; i < d->groups.count; i++)
		if (group_at(&d->groups, i)->source == source &&
		    group_at(&d->groups, i)->list == list)
			return i;
	return INDEX_NONE;
}

/* Where the last values of this column's list are, one index a row. */
static bool view_make(struct decoder *d, uint32_t column, uint32_t id)
{
	struct known_column *k = column_at(&d->columns, column);
	struct piece list = *list_at(&d->lists, id);
	uint32_t at = k->view.at;

	if (list.count > k->view.count)
		at = array_add(&d->views, list.count);
	if (at == INDEX_NONE)
		return false;
	if (list.count > k->view.count)
		k->view = (struct piece){ at, list.count };
	for (uint32_t i = 0; i < list.count; i++) {
		uint64_t entity = *array_u32(&d->entities, list.at + i);
		uint32_t *index = index_map_at(&d->map,
					       (uint64_t)column << 32 | entity);

		if (index && *index == INDEX_NONE) {
			*index = array_add(&d->series, 1);
			if (*index != INDEX_NONE)
				*series_at(&d->series, *index) =
					(struct series){ 0 };
		}
		if (!index || *index == INDEX_NONE)
			return false;
		*array_u32(&d->views, at + i) = *index;
	}
	k->list = id;
	return true;
}

/* The number of a column, by the order in which they came; its view is then of
 * the list. INDEX_NONE without room.
 */
static uint32_t column_of(struct decoder *d, const struct column_key *k,
			  uint32_t list)
{
	uint64_t key = COLUMN_KEY | (uint64_t)k->quantity << 24 |
		       k->index << 8 | k->source;
	uint32_t *index = index_map_at(&d->map, key), column;

	if (index && *index == INDEX_NONE) {
		*index = array_add(&d->columns, 1);
		if (*index != INDEX_NONE)
			*column_at(&d->columns, *index) = (struct known_column){
				.key = *k, .predictor = PREDICTORS,
				.list = INDEX_NONE };
	}
	if (!index || *index == INDEX_NONE)
		return INDEX_NONE;
	column = *index;
	if (column_at(&d->columns, column)->list != list &&
	    !view_make(d, column, list))
		return INDEX_NONE;
	return column;
}

static int column_check(const Petrel__Column *m, struct diag *diag)
{
	if (m->quantity > UINT16_MAX || m->index > UINT16_MAX ||
	    m->source > UINT8_MAX)
		return diag_set(diag, -EBADMSG, "no column has quantity "
				"0x%x, index %u, source %u", m->quantity,
				m->index, m->source);
	return 0;
}

/* Room for the values of a column over a list that is known. */
static int column_stage(struct decoder *d, const struct column_key *key,
			uint32_t list, struct staged_column **ret,
			struct diag *diag)
{
	struct staged_column s = { .key = *key, .list = list };
	uint32_t n, at, quality;

	s.group = group_find(d, key->source, list);
	if (s.group == INDEX_NONE)
		return diag_set(diag, -EBADMSG, "quantity 0x%04x: no read "
				"group of source %u, list %u", key->quantity,
				key->source, list);
	n = list_at(&d->lists, list)->count;
	s.rows = (struct piece){ array_add(&d->values, n), n };
	quality = array_add(&d->qualities, n);
	at = array_add(&d->staged, 1);
	if (s.rows.at == INDEX_NONE || quality == INDEX_NONE ||
	    at == INDEX_NONE)
		return full(diag, "values", d->values.max);
	*staged_at(&d->staged, at) = s;
	*ret = staged_at(&d->staged, at);
	return 0;
}

/* Room for a column's values, and these; *ret is NULL where they cannot be read
 * until the next reference.
 */
static int values_take(struct decoder *d, const struct column_key *key,
		       uint32_t list, uint64_t encoding, struct cursor *c,
		       struct staged_column **ret, struct diag *diag)
{
	uint32_t column;
	int rc = column_stage(d, key, list, ret, diag);

	if (rc < 0)
		return rc;
	column = column_of(d, key, list);
	if (column == INDEX_NONE)
		return full(diag, "series", d->series.max);
	rc = values_read(d, encoding, c, column,
			 array_i64(&d->values, (*ret)->rows.at),
			 (*ret)->rows.count, diag);
	if (column_at(&d->columns, column)->unread) {
		d->staged.count--;
		*ret = NULL;
	}
	return rc;
}

static int column_take(struct decoder *d, const Petrel__Column *m,
		       struct diag *diag)
{
	struct column_key key = { m->quantity, m->index, m->source };
	struct cursor c = cursor_of(m->data.data, m->data.len);
	struct staged_column *s;
	int rc = list_known(d, m->list, diag) ? column_check(m, diag)
					      : -EBADMSG;

	if (rc == 0)
		rc = values_take(d, &key, m->list, m->encoding, &c, &s, diag);
	if (rc == 0 && s &&
	    !values_quality(&m->quality, array_u8(&d->qualities, s->rows.at),
			  s->rows.count))
		return diag_set(diag, -EBADMSG, "quantity 0x%04x: qualities "
				"do not fit list %u", key.quantity, m->list);
	return rc;
}

/* NULL with diag: no column had that number yet. */
static struct known_column *column_numbered(struct decoder *d, uint64_t number,
					    struct diag *diag)
{
	if (number < d->columns.count)
		return column_at(&d->columns, (uint32_t)number);
	(void)diag_set(diag, -EBADMSG, "column %llu is not among the %u known",
		       (unsigned long long)number, d->columns.count);
	return NULL;
}

/* All good, over the list that the column had last. */
static int known_take(struct decoder *d, const ProtobufCBinaryData *data,
		      struct diag *diag)
{
	struct cursor c = cursor_of(data->data, data->len);
	uint64_t head = cursor_varint(&c);
	const struct known_column *k =
		column_numbered(d, head >> KNOWN_ENCODING_BITS, diag);
	struct column_key key;
	struct staged_column *s;
	int rc;

	if (!k)
		return -EBADMSG;
	key = k->key;
	rc = values_take(d, &key, k->list,
			 head & ((1u << KNOWN_ENCODING_BITS) - 1), &c, &s,
			 diag);
	if (rc == 0 && s)
		memset(array_u8(&d->qualities, s->rows.at), QUALITY_GOOD,
		       s->rows.count);
	return rc;
}

/* All are as they were. */
static void still_read(struct decoder *d, uint32_t column, int64_t *ret,
		       uint32_t n)
{
	struct known_column *k = column_at(&d->columns, column);
	const uint32_t *view = view_of(d, column);
	bool moved = false;

	for (uint32_t i = 0; i < n; i++)
		ret[i] = series_at(&d->series, view[i])->last;
	for (uint32_t i = 0; !k->settled && i < n; i++) {
		struct series *s = series_at(&d->series, view[i]), was = *s;

		series_push(s, s->last);
		moved |= s->mean != was.mean || s->slope != was.slope ||
			 s->before != was.before;
	}
	k->settled = !moved;
}

/* A column says nothing new: all good, over its last list. */
static int still_take(struct decoder *d, uint64_t number, struct diag *diag)
{
	const struct known_column *k = column_numbered(d, number, diag);
	struct staged_column *s;
	int rc;

	if (!k)
		return -EBADMSG;
	if (k->unread)
		return 0;
	rc = column_stage(d, &k->key, k->list, &s, diag);
	if (rc < 0)
		return rc;
	still_read(d, (uint32_t)number, array_i64(&d->values, s->rows.at),
		   s->rows.count);
	memset(array_u8(&d->qualities, s->rows.at), QUALITY_GOOD,
	       s->rows.count);
	return 0;
}

static int stills_take(struct decoder *d, const ProtobufCBinaryData *data,
		       struct diag *diag)
{
	struct cursor c = cursor_of(data->data, data->len);
	uint64_t number = 0;
	int rc = 0;

	while (rc == 0 && cursor_left(&c) > 0) {
		int64_t skip = cursor_zigzag(&c);
		uint64_t run = cursor_varint(&c);

		number += (uint64_t)skip;
		if (!cursor_ok(&c) || run == 0)
			return diag_set(diag, -EBADMSG, "still columns end "
					"within a run");
		for (; rc == 0 && run > 0; run--)
			rc = still_take(d, number++, diag);
	}
	return rc;
}

static int batch_take(struct decoder *d, const Petrel__Batch *m,
		      struct diag *diag)
{
	int rc = 0;

	stage_clear(d);
	d->now.ns = m->mono_ns;
	for (size_t i = 0; rc == 0 && i < m->n_lists; i++)
		rc = list_take(d, m->lists[i], diag);
	for (size_t i = 0; rc == 0 && i < m->n_groups; i++)
		rc = group_take(d, m->groups[i], diag);
	for (size_t i = 0; rc == 0 && i < m->n_columns; i++)
		rc = column_take(d, m->columns[i], diag);
	for (size_t i = 0; rc == 0 && i < m->n_known; i++)
		rc = known_take(d, &m->known[i], diag);
	return rc == 0 ? stills_take(d, &m->still, diag) : rc;
}

static int column_give(const struct decoder *d, const struct staged_column *s,
		       decoded_fn *fn, void *context)
{
	const struct staged_group *g = group_at(&d->groups, s->group);
	const struct decoded_column c = {
		.batch = d->now,
		.quantity = (uint16_t)s->key.quantity,
		.index = (uint16_t)s->key.index,
		.source = (uint8_t)s->key.source,
		.count = s->rows.count,
		.entity = array_u32(&d->entities,
				    list_at(&d->lists, s->list)->at),
		.value = array_i64(&d->values, s->rows.at),
		.quality = array_u8(&d->qualities, s->rows.at),
		.taken_ns = array_i64(&d->taken, g->ages.at),
		.window_ns = array_i64(&d->window, g->ages.at),
		.uncertainty_ns = g->uncertainty_ns,
	};

	return fn(context, &c);
}

/* A record of the group is missing before this one. */
static bool is_behind_a_gap(const struct decoder *d, const Petrel__Batch *m)
{
	return m->number != 0 && d->number != 0 && m->number != d->number + 1;
}

static int batch_follow(struct decoder *d, uint16_t flags,
			const Petrel__Batch *m, struct diag *diag)
{
	int rc;

	if (flags & RECORD_FLAG_REFERENCE)
		decoder_forget(d);
	else if (is_behind_a_gap(d, m))
		decoder_lost(d);
	if (!d->has_reference)
		return diag_set(diag, -EAGAIN, "no reference batch yet");
	rc = batch_take(d, m, diag);
	if (rc < 0)
		decoder_lost(d);
	else
		d->number = m->number;
	return rc;
}

int decoder_batch(struct decoder *d, uint16_t flags, const void *payload,
		  size_t len, decoded_fn *fn, void *context, struct diag *diag)
{
	ProtobufCMessage *m;
	int rc = record_unpack(RECORD_BATCH, payload, len, &m);

	if (rc < 0) {
		decoder_lost(d);
		return diag_set(diag, -EBADMSG, "not a batch: %zu octets", len);
	}
	rc = batch_follow(d, flags, (const Petrel__Batch *)m, diag);
	for (uint32_t i = 0; rc == 0 && i < d->staged.count; i++)
		rc = column_give(d, staged_at(&d->staged, i), fn, context);
	record_unpacked_free(m);
	return rc;
}
