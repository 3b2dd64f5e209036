/* Decodes batches. A record is first read completely into the staging arrays
 * and then given, so nothing of a bad record is given; a bad record spoils the
 * memory of earlier ones, which is then forgotten.
 */
#include "agent/record/decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "agent/record/decoder.h"

/* Fields of record.proto. */
enum { BATCH_MONO_NS = 1, BATCH_LISTS = 4, BATCH_GROUPS, BATCH_COLUMNS,
       BATCH_NUMBER, BATCH_STILL, BATCH_KNOWN };
enum { COLUMN_QUANTITY = 1, COLUMN_INDEX, COLUMN_SOURCE, COLUMN_LIST,
       COLUMN_ENCODING, COLUMN_DATA, COLUMN_QUALITY, COLUMN_FIELDS };

#define COLUMN_KEY (UINT64_C(1) << 63)	/* separates two sorts of keys */
#define KNOWN_KEY (BATCH_KNOWN << 3 | 2)	/* of that field, in octets */
#define KNOWN_ENCODING_BITS 2	/* below the number of a known column */

int decoder_new(struct decoder **ret)
{
	struct decoder *d = calloc(1, sizeof(*d));
	uint64_t seed = 0;

	if (!d)
		return -ENOMEM;
	/* Without randomness a peer can slow it down, no more. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) < 0)
		seed = (uintptr_t)d;
	d->wants_all = true;
	index_map_init(&d->map, 2 * DECODE_SERIES_MAX, seed);
	d->lists = array_of(sizeof(struct known_list), DECODE_LISTS_MAX);
	d->entities = array_of(sizeof(uint32_t), DECODE_SERIES_MAX);
	d->runs = array_of(sizeof(struct piece), DECODE_SERIES_MAX);
	d->columns = array_of(sizeof(struct known_column), DECODE_SERIES_MAX);
	d->views = array_of(sizeof(uint32_t), 2 * DECODE_SERIES_MAX);
	d->series = array_of(sizeof(struct known_series), DECODE_SERIES_MAX);
	d->levels = array_of(sizeof(uint32_t), DECODE_SERIES_MAX);
	d->fields = array_of(sizeof(struct proto_field), WIRE_FRAME_MAX);
	d->groups = array_of(sizeof(struct staged_group), DECODE_LISTS_MAX);
	d->taken = array_of(sizeof(int64_t), DECODE_SERIES_MAX);
	d->window = array_of(sizeof(int64_t), DECODE_SERIES_MAX);
	d->staged = array_of(sizeof(struct staged_column), DECODE_LISTS_MAX);
	d->values = array_of(sizeof(int64_t), DECODE_SERIES_MAX);
	d->qualities = array_of(sizeof(uint8_t), DECODE_SERIES_MAX);
	*ret = d;
	return 0;
}

void decoder_rest(struct decoder *d)
{
	decoder_lost(d);
	index_map_fini(&d->map);
	array_fini(&d->lists);
	array_fini(&d->entities);
	array_fini(&d->runs);
	array_fini(&d->columns);
	array_fini(&d->views);
	array_fini(&d->series);
	array_fini(&d->levels);
	array_fini(&d->fields);
	array_fini(&d->groups);
	array_fini(&d->taken);
	array_fini(&d->window);
	array_fini(&d->staged);
	array_fini(&d->values);
	array_fini(&d->qualities);
}

void decoder_free(struct decoder *d)
{
	if (d)
		decoder_rest(d);
	free(d);
}

void decoder_want(struct decoder *d, uint16_t quantity)
{
	d->wants_all = false;
	d->wanted[quantity / 64] |= UINT64_C(1) << quantity % 64;
	decoder_lost(d);
}

void decoder_follow(struct decoder *d, const uint8_t *entities, uint32_t count)
{
	d->followed = entities;
	d->followed_count = count;
	decoder_lost(d);
}

bool decoder_wants_more(struct decoder *d)
{
	bool more = d->wants_more;

	d->wants_more = false;
	if (more)
		decoder_lost(d);
	return more;
}

static bool is_wanted(const struct decoder *d, const struct column_key *k)
{
	unsigned i = 0;

	if (decoder_wants(d, k->quantity))
		return true;
	while (i < d->telling_count &&
	       (k->quantity != d->telling[i].quantity ||
		k->index != d->telling[i].index ||
		k->source != d->telling[i].source))
		i++;
	return i < d->telling_count;
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
	d->runs.count = 0;
	d->columns.count = 0;
	d->views.count = 0;
	d->series.count = 0;
	d->levels.count = 0;
	d->has_reference = true;
	d->number = 0;
}

static void stage_clear(struct decoder *d)
{
	d->fields.count = 0;
	d->still = cursor_of(NULL, 0);
	d->groups.count = 0;
	d->taken.count = 0;
	d->window.count = 0;
	d->staged.count = 0;
	d->values.count = 0;
	d->qualities.count = 0;
}

static uint64_t column_key(const struct column_key *k)
{
	return COLUMN_KEY | (uint64_t)k->quantity << 24 | k->index << 8 |
	       k->source;
}

/* For a view; INDEX_NONE without room. */
static uint32_t series_new(struct decoder *d, uint32_t entity)
{
	bool is_passed = !decoder_follows(d, entity);
	uint32_t at = array_add(is_passed ? &d->levels : &d->series, 1);

	if (at == INDEX_NONE)
		return at;
	if (is_passed)
		*array_u32(&d->levels, at) = 0;
	else
		*series_at(&d->series, at) = (struct known_series){ 0 };
	return is_passed ? at | VIEW_PASSED : at;
}

/* Makes the column's view for this list: an index into series for each row. */
static bool view_make(struct decoder *d, uint32_t column, uint32_t id)
{
	struct known_column *k = column_at(&d->columns, column);
	struct piece list = list_at(&d->lists, id)->rows;
	uint32_t at = k->view.at;

	if (list.count > k->view.count)
		at = array_add(&d->views, list.count);
	if (at == INDEX_NONE)
		return false;
	if (list.count > k->view.count)
		k->view = (struct piece){ at, list.count };
	for (uint32_t i = 0; i < list.count; i++) {
		uint32_t entity = *array_u32(&d->entities, list.at + i);
		uint32_t *index = index_map_at(&d->map,
					       (uint64_t)column << 32 | entity);

		if (index && *index == INDEX_NONE)
			*index = series_new(d, entity);
		if (!index || *index == INDEX_NONE)
			return false;
		*array_u32(&d->views, at + i) = *index;
	}
	k->list = id;
	return true;
}

/* The number of a column, in order of arrival; also makes its view match the
 * list. INDEX_NONE without room.
 */
static uint32_t column_of(struct decoder *d, const struct column_key *k,
			  uint32_t list)
{
	uint32_t *index = index_map_at(&d->map, column_key(k)), column;

	if (index && *index == INDEX_NONE) {
		*index = array_add(&d->columns, 1);
		if (*index != INDEX_NONE)
			*column_at(&d->columns, *index) = (struct known_column){
				.key = *k, .predictor = PREDICTORS,
				.list = INDEX_NONE, .wanted = is_wanted(d, k),
				.unread = !is_wanted(d, k) };
	}
	if (!index || *index == INDEX_NONE)
		return INDEX_NONE;
	column = *index;
	if (!column_at(&d->columns, column)->wanted)
		column_at(&d->columns, column)->list = list;
	else if (column_at(&d->columns, column)->list != list &&
	    !view_make(d, column, list))
		return INDEX_NONE;
	return column;
}

/* Room for the values of a column over a list that is known. */
static int column_stage(struct decoder *d, const struct column_key *key,
			uint32_t list, struct staged_column **ret,
			struct diag *diag)
{
	struct staged_column s = { .key = *key, .list = list };
	uint32_t n, at, quality;

	int rc = 0;

	s.group = decoder_group_find(d, key->source, list);
	if (s.group == INDEX_NONE)
		return diag_set(diag, -EBADMSG, "quantity 0x%04x: no read "
				"group of source %u, list %u", key->quantity,
				key->source, list);
	if (!group_at(&d->groups, s.group)->is_read)
		rc = decoder_group_read(d, group_at(&d->groups, s.group), diag);
	if (rc < 0)
		return rc;
	n = list_at(&d->lists, list)->rows.count;
	s.rows = (struct piece){ array_add(&d->values, n), n };
	quality = array_add(&d->qualities, n);
	at = array_add(&d->staged, 1);
	if (s.rows.at == INDEX_NONE || quality == INDEX_NONE ||
	    at == INDEX_NONE)
		return decoder_full(diag, "values", d->values.max);
	*staged_at(&d->staged, at) = s;
	*ret = staged_at(&d->staged, at);
	return 0;
}

/* Reads a column's values into *ret; NULL if they are not read until the next
 * reference.
 */
static int values_take(struct decoder *d, uint32_t column, uint64_t encoding,
		       struct cursor *c, struct staged_column **ret,
		       struct diag *diag)
{
	const struct column_key key = column_at(&d->columns, column)->key;
	int rc;

	*ret = NULL;
	if (column_at(&d->columns, column)->unread)
		return 0;
	rc = column_stage(d, &key, column_at(&d->columns, column)->list, ret,
			  diag);
	if (rc < 0)
		return rc;
	rc = values_read(d, encoding, c, column,
			 array_i64(&d->values, (*ret)->rows.at),
			 (*ret)->rows.count, diag);
	if (column_at(&d->columns, column)->unread) {
		d->staged.count--;
		*ret = NULL;
	}
	return rc;
}

static int column_take(struct decoder *d, struct cursor c, struct diag *diag)
{
	struct proto_field f[COLUMN_FIELDS];
	struct staged_column *s;
	struct column_key key;
	uint32_t list, column;
	int rc;

	if (!proto_fields(c, 1u << COLUMN_DATA | 1u << COLUMN_QUALITY,
			 COLUMN_FIELDS, f))
		return diag_set(diag, -EBADMSG, "not a column");
	key = (struct column_key){ (uint32_t)f[COLUMN_QUANTITY].value,
				   (uint32_t)f[COLUMN_INDEX].value,
				   (uint32_t)f[COLUMN_SOURCE].value };
	list = (uint32_t)f[COLUMN_LIST].value;
	if (!decoder_list(d, list, diag))
		return -EBADMSG;
	if (key.quantity > UINT16_MAX || key.index > UINT16_MAX ||
	    key.source > UINT8_MAX)
		return diag_set(diag, -EBADMSG, "no column has quantity "
				"0x%x, index %u, source %u", key.quantity,
				key.index, key.source);
	column = column_of(d, &key, list);
	if (column == INDEX_NONE)
		return decoder_full(diag, "series", d->series.max);
	rc = values_take(d, column, (uint32_t)f[COLUMN_ENCODING].value,
			 &f[COLUMN_DATA].octets, &s, diag);
	if (rc == 0 && s &&
	    !values_quality(f[COLUMN_QUALITY].octets,
			    array_u8(&d->qualities, s->rows.at),
			    s->rows.count))
		return diag_set(diag, -EBADMSG, "quantity 0x%04x: qualities "
				"do not fit list %u", key.quantity, list);
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

/* A known column: all good, over its last list. */
static int known_take(struct decoder *d, struct cursor c, struct diag *diag)
{
	uint64_t head = cursor_varint(&c);
	uint64_t number = head >> KNOWN_ENCODING_BITS;
	struct staged_column *s;
	int rc;

	if (!column_numbered(d, number, diag))
		return -EBADMSG;
	rc = values_take(d, (uint32_t)number,
			 head & ((1u << KNOWN_ENCODING_BITS) - 1), &c, &s,
			 diag);
	if (rc == 0 && s)
		memset(array_u8(&d->qualities, s->rows.at), QUALITY_GOOD,
		       s->rows.count);
	return rc;
}

/* Reads a still column: all values are unchanged. */
static void still_read(struct decoder *d, uint32_t column, int64_t *ret,
		       uint32_t n)
{
	struct known_column *k = column_at(&d->columns, column);
	const uint32_t *view = view_of(d, column);
	bool moved = false;

	for (uint32_t i = 0; i < n; i++)
		ret[i] = view[i] & VIEW_PASSED ? 0 :
			 series_at(&d->series, view[i])->last;
	for (uint32_t i = 0; !k->settled && i < n; i++) {
		struct known_series *s, was;

		if (view[i] & VIEW_PASSED)
			continue;
		s = series_at(&d->series, view[i]);
		was = *s;
		series_push(s, s->last);
		moved |= s->mean != was.mean || s->slope != was.slope ||
			 s->before != was.before;
	}
	k->settled = !moved;
}

/* A column without change: all good, over its last list. */
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

static int stills_take(struct decoder *d, struct cursor c, struct diag *diag)
{
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

typedef int take_fn(struct decoder *d, struct cursor c, struct diag *diag);

/* Takes all fields of this number. */
static int fields_take(struct decoder *d, uint32_t number, take_fn *take,
		       struct diag *diag)
{
	const struct proto_field *f = d->fields.items;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < d->fields.count; i++)
		if (f[i].number == number)
			rc = take(d, f[i].octets, diag);
	return rc;
}

static int batch_take(struct decoder *d, struct diag *diag)
{
	int rc = fields_take(d, BATCH_LISTS, decoder_list_take, diag);

	if (rc == 0)
		rc = fields_take(d, BATCH_GROUPS, decoder_group_take, diag);
	if (rc == 0)
		rc = fields_take(d, BATCH_COLUMNS, column_take, diag);
	if (rc == 0)
		rc = fields_take(d, BATCH_KNOWN, known_take, diag);
	return rc == 0 ? stills_take(d, d->still, diag) : rc;
}

/* Is this a column by name that is not wanted, and has its number already? Only
 * its name is read, which comes first.
 */
static bool is_unread(const struct decoder *d, struct cursor c)
{
	struct column_key k = { .quantity = 0 };
	struct proto_field f;

	while (proto_next(&c, &f) && f.number <= COLUMN_SOURCE)
		if (f.number == COLUMN_QUANTITY)
			k.quantity = (uint32_t)f.value;
		else if (f.number == COLUMN_INDEX)
			k.index = (uint32_t)f.value;
		else
			k.source = (uint32_t)f.value;
	return !is_wanted(d, &k) && k.index <= UINT16_MAX &&
	       k.quantity <= UINT16_MAX && k.source <= UINT8_MAX &&
	       index_map_find(&d->map, column_key(&k)) != INDEX_NONE;
}

/* Skips the next known columns that are not wanted: most are not, where little
 * is wanted.
 */
static void unread_skip(const struct decoder *d, struct cursor *c)
{
	struct cursor next = *c;

	while (cursor_left(&next) > 0 && cursor_varint(&next) == KNOWN_KEY) {
		size_t len = cursor_varint(&next);
		struct cursor known = cursor_sub(&next, len);
		uint64_t number = cursor_varint(&known) >> KNOWN_ENCODING_BITS;

		if (!cursor_ok(&known) || number >= d->columns.count ||
		    !column_at(&d->columns, (uint32_t)number)->unread)
			return;
		*c = next;
	}
}

/* Finds the fields of the batch. */
static bool batch_stage(struct decoder *d, uint16_t flags, struct cursor c,
			uint64_t *ret)
{
	bool skips = !(flags & RECORD_FLAG_REFERENCE) && d->has_reference &&
		     !d->wants_all;
	struct proto_field f = { .value = 0 };
	uint32_t at;

	stage_clear(d);
	d->now.ns = 0;
	*ret = 0;
	while (proto_next(&c, &f)) {
		bool wants_octets = f.number >= BATCH_LISTS &&
				    f.number != BATCH_NUMBER;

		if (f.number > BATCH_KNOWN || (f.number > BATCH_MONO_NS &&
					       f.number < BATCH_LISTS))
			continue;
		if (f.has_octets != wants_octets)
			return false;
		if (f.number == BATCH_MONO_NS) {
			d->now.ns = (int64_t)f.value;
		} else if (f.number == BATCH_NUMBER) {
			*ret = f.value;
		} else if (f.number == BATCH_STILL) {
			d->still = f.octets;
		} else if (!skips || f.number != BATCH_COLUMNS ||
			   !is_unread(d, f.octets)) {
			at = array_add(&d->fields, 1);
			if (at == INDEX_NONE)
				return false;
			((struct proto_field *)d->fields.items)[at] = f;
		}
		if (skips)
			unread_skip(d, &c);
	}
	return cursor_ok(&c);
}

/* Gives the rows of one run. */
static int run_give(const struct decoder *d, const struct staged_column *s,
		    const struct piece *run, decoded_fn *fn, void *context)
{
	const struct staged_group *g = group_at(&d->groups, s->group);
	uint32_t row = run->at;
	const struct decoded_column c = {
		.batch = d->now,
		.quantity = (uint16_t)s->key.quantity,
		.index = (uint16_t)s->key.index,
		.source = (uint8_t)s->key.source,
		.count = run->count,
		.entity = array_u32(&d->entities,
				    list_at(&d->lists, s->list)->rows.at + row),
		.value = array_i64(&d->values, s->rows.at + row),
		.quality = array_u8(&d->qualities, s->rows.at + row),
		.taken_ns = array_i64(&d->taken, g->ages.at + row),
		.window_ns = array_i64(&d->window, g->ages.at + row),
		.uncertainty_ns = g->uncertainty_ns,
	};

	return fn(context, &c);
}

static int column_give(const struct decoder *d, const struct staged_column *s,
		       decoded_fn *fn, void *context)
{
	struct piece runs = list_at(&d->lists, s->list)->runs;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < runs.count; i++)
		rc = run_give(d, s, piece_at(&d->runs, runs.at + i), fn,
			      context);
	return rc;
}

/* A record of the group is missing before this one. */
static bool is_behind_a_gap(const struct decoder *d, uint64_t number)
{
	return number != 0 && d->number != 0 && number != d->number + 1;
}

static int batch_follow(struct decoder *d, uint16_t flags, uint64_t number,
			struct diag *diag)
{
	int rc;

	if (flags & RECORD_FLAG_REFERENCE)
		decoder_forget(d);
	else if (is_behind_a_gap(d, number))
		decoder_lost(d);
	if (!d->has_reference)
		return diag_set(diag, -EAGAIN, "no reference batch yet");
	rc = batch_take(d, diag);
	if (rc < 0)
		decoder_lost(d);
	else
		d->number = number;
	return rc;
}

int decoder_batch(struct decoder *d, uint16_t flags, const void *payload,
		  size_t len, decoded_fn *fn, void *context, struct diag *diag)
{
	uint64_t number;
	int rc;

	if (!batch_stage(d, flags, cursor_of(payload, len), &number)) {
		decoder_lost(d);
		return diag_set(diag, -EBADMSG, "not a batch: %zu octets", len);
	}
	rc = batch_follow(d, flags, number, diag);
	for (uint32_t i = 0; rc == 0 && i < d->staged.count; i++) {
		const struct staged_column *s = staged_at(&d->staged, i);

		if (decoder_wants(d, s->key.quantity))
			rc = column_give(d, s, fn, context);
	}
	return rc;
}
