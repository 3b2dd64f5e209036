/* One tick of samples to a Batch, in parts where it is large.
 *
 * A piece (at most COLUMN_ROWS_MAX rows of a column) goes into the open part if
 * its worst case fits there, else a new part is opened; so each piece is packed
 * once. Its list goes with it, unless the reference group has it, and so does
 * the read group of its source and list, unless the part has it.
 */
#include "agent/record/encode.h"

#include <errno.h>

#include "agent/record/encoder.h"
#include "petrel/quantity.h"

/* Fields of record.proto. */
enum { BATCH_MONO_NS = 1, BATCH_DICTIONARY, BATCH_PART, BATCH_LISTS,
       BATCH_GROUPS, BATCH_COLUMNS, BATCH_NUMBER, BATCH_STILL,
       BATCH_KNOWN };
enum { PART_NUMBER = 1, PART_COUNT };
enum { LIST_ID = 1, LIST_ENTITIES };
enum { GROUP_SOURCE = 1, GROUP_LIST, GROUP_TAKEN, GROUP_UNCERTAINTY_NS,
       GROUP_WINDOW_NS, GROUP_WINDOWS };
enum { COLUMN_QUANTITY = 1, COLUMN_INDEX, COLUMN_SOURCE, COLUMN_LIST,
       COLUMN_ENCODING, COLUMN_DATA, COLUMN_QUALITY };

/* Rows that go together, borrowed or gathered. */
struct batch_rows {
	const struct sample_column *column;
	struct column_memory *memory;
	const uint32_t *entity;
	const uint8_t *quality;
	uint32_t row;			/* its first, of a whole column */
	bool asleep;			/* of a whole column that is asleep */
	struct choice_rows rows;
};

/* A known column's encoding, below its number. */
#define KNOWN_ENCODING_BITS 2
/* Reserved in the part for one run of still columns: two varints. */
#define STILL_OCTETS_MAX 10u

static void still_write(struct encoder *e)
{
	struct writer *w = &e->batch.w;
	size_t packed = pack_open(w, BATCH_STILL);
	uint32_t next = 0;

	for (uint32_t i = 0; i < e->batch.still_count; i++) {
		writer_zigzag(w, (int64_t)e->still[i].first - next);
		writer_varint(w, e->still[i].count);
		next = e->still[i].first + e->still[i].count;
	}
	pack_close(w, packed);
	e->batch.still_count = 0;
}

static void part_close(struct encoder *e)
{
	if (e->batch.parts == 0)
		return;
	if (e->batch.still_count > 0)
		still_write(e);
	e->part_len[e->batch.parts - 1] = e->batch.w.pos;
}

static int part_open(struct encoder *e)
{
	struct batch *b = &e->batch;

	part_close(e);
	if (b->parts == e->part_max)
		return -ENOSPC;
	b->w = writer_of(e->octets + (size_t)b->parts * RECORD_PAYLOAD_MAX,
			 RECORD_PAYLOAD_MAX - PART_TAIL_MAX);
	b->parts++;
	b->in_part_count = 0;
	pack_int(&b->w, BATCH_MONO_NS, b->now.ns);
	pack_uint(&b->w, BATCH_DICTIONARY, b->dictionary);
	return 0;
}

static void list_write(struct encoder *e, uint32_t id)
{
	struct list *list = &e->lists.list[id];
	const uint32_t *entity = e->lists.entity + list->at;
	struct writer *w = &e->batch.w;
	size_t message = pack_open(w, BATCH_LISTS), packed;
	uint32_t before = 0;

	pack_uint(w, LIST_ID, id);
	packed = pack_open(w, LIST_ENTITIES);
	for (uint32_t i = 0; i < list->count; i++) {
		writer_zigzag(w, (int64_t)entity[i] - before);
		before = entity[i];
	}
	pack_close(w, packed);
	pack_close(w, message);
	list->is_written = true;
}

static const struct group_column *group_find(const struct batch *b,
					     uint8_t source)
{
	for (size_t i = 0; i < b->group_count; i++)
		if (b->groups[i].source == source)
			return &b->groups[i];
	return NULL;
}

/* The age of an entity's read group. *row: a guess, the row of last time or the
 * one after the entity before.
 */
static const struct group_age *age_find(const struct group_column *g,
					 uint32_t entity, uint32_t *row)
{
	for (uint32_t n = 0, i = *row; n < g->count; n++, i++) {
		if (i >= g->count)
			i = 0;
		if (g->entity[i] == entity) {
			*row = i;
			return group_age_of(g, i);
		}
	}
	return NULL;
}

/* The ages of a list, one field at a time. */
struct list_ages {
	int64_t taken[COLUMN_ROWS_MAX], window[COLUMN_ROWS_MAX];
	int64_t uncertainty_ns;
	bool windows_differ;
};

static int ages_gather(struct encoder *e, const struct group_column *g,
		       const struct list *list, struct list_ages *ret)
{
	uint32_t *row = e->lists.row + list->at;
	const uint32_t *entity = e->lists.entity + list->at;

	ret->uncertainty_ns = 0;
	ret->window[0] = 0;
	ret->windows_differ = false;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct group_age *age;
		int64_t uncertainty_ns;

		if (row[i] >= g->count || g->entity[row[i]] != entity[i])
			row[i] = i > 0 ? row[i - 1] + 1 : 0;
		age = age_find(g, entity[i], &row[i]);
		if (!age)
			return -EINVAL;
		ret->taken[i] = age->taken.ns;
		ret->window[i] = span_ns(age->window);
		uncertainty_ns = span_ns(age->uncertainty);
		if (uncertainty_ns > ret->uncertainty_ns)
			ret->uncertainty_ns = uncertainty_ns;
		if (ret->window[i] != ret->window[0])
			ret->windows_differ = true;
	}
	return 0;
}

static int group_write(struct encoder *e, uint8_t source, uint32_t id)
{
	struct batch *b = &e->batch;
	const struct list *list = &e->lists.list[id];
	const struct group_column *g = group_find(b, source);
	struct list_ages ages;
	size_t message, n;
	int rc = g ? ages_gather(e, g, list, &ages) : -EINVAL;

	if (rc < 0)
		return rc;
	message = pack_open(&b->w, BATCH_GROUPS);
	pack_uint(&b->w, GROUP_SOURCE, source);
	pack_uint(&b->w, GROUP_LIST, id);
	n = pack_spatial(e->packed, b->now.ns, ages.taken, list->count);
	pack_octets(&b->w, GROUP_TAKEN, e->packed, n);
	pack_int(&b->w, GROUP_UNCERTAINTY_NS, ages.uncertainty_ns);
	if (ages.windows_differ) {
		n = pack_spatial(e->packed, 0, ages.window, list->count);
		pack_octets(&b->w, GROUP_WINDOWS, e->packed, n);
	} else {
		pack_int(&b->w, GROUP_WINDOW_NS, ages.window[0]);
	}
	pack_close(&b->w, message);
	return 0;
}

static bool group_is_in_part(const struct encoder *e, uint8_t source,
			     uint32_t list)
{
	for (uint32_t i = e->batch.in_part_count; i > 0; i--)
		if (e->in_part[i - 1].list == list &&
		    e->in_part[i - 1].source == source)
			return true;
	return false;
}

static int group_want(struct encoder *e, uint8_t source, uint32_t list)
{
	struct batch *b = &e->batch;

	if (group_is_in_part(e, source, list))
		return 0;
	if (b->in_part_count == e->in_part_max)
		return -ENOSPC;
	e->in_part[b->in_part_count++] = (struct group_key){ list, source };
	return group_write(e, source, list);
}

/* It has the list that a reader remembers, which is that of the last piece. */
static bool has_same_list(const struct batch_rows *p)
{
	return p->memory->number != COLUMN_NONE &&
	       p->memory->list == p->rows.list &&
	       p->column->count <= COLUMN_ROWS_MAX;
}

static bool is_good(const uint8_t *quality, uint32_t n)
{
	while (n > 0 && quality[n - 1] == QUALITY_GOOD)
		n--;
	return n == 0;
}

/* All values are unchanged and good, over the same list. */
static bool piece_is_still(const struct batch_rows *p)
{
	uint32_t i = 0;

	if (!has_same_list(p) || !is_good(p->quality, p->rows.n))
		return false;
	while (i < p->rows.n && p->rows.value[i] == p->rows.series[i].last)
		i++;
	return i == p->rows.n;
}

/* The same, for a column asleep, without its series: one more reading does not
 * change what is kept of them.
 */
static bool piece_sleeps_on(const struct batch_rows *p)
{
	return p->asleep && p->memory->wholes == MARK_READINGS &&
	       has_same_list(p) && is_good(p->quality, p->rows.n);
}

static void series_push_all(const struct batch_rows *p)
{
	for (uint32_t i = 0; i < p->rows.n; i++)
		series_push(&p->rows.series[i], p->rows.value[i]);
}

/* A still column: nothing is written for each series. */
static void still_add(struct encoder *e, const struct batch_rows *p)
{
	struct batch *b = &e->batch;
	struct still *before = &e->still[b->still_count - 1];
	uint32_t number = p->memory->number;

	p->memory->times++;
	b->rows += p->rows.n;
	if (b->still_count > 0 && before->first + before->count == number)
		before->count++;
	else
		e->still[b->still_count++] = (struct still){ number, 1 };
}

/* Writes a column by its number, which saves most of the overhead. */
static void known_write(struct writer *w, uint32_t number,
			const struct choice *c)
{
	size_t message = pack_open(w, BATCH_KNOWN);

	writer_varint(w, (uint64_t)number << KNOWN_ENCODING_BITS | c->encoding);
	writer_bytes(w, c->octets, c->len);
	pack_close(w, message);
}

static void column_write(struct encoder *e, struct batch_rows *p)
{
	struct batch *b = &e->batch;
	struct writer *w = &b->w;
	const struct choice *c = e->choice;
	size_t message, n;

	p->rows.by_number = has_same_list(p) &&
			    is_good(p->quality, p->rows.n);
	p->rows.bounded = e->traffic_is_bounded &&
			  quantity_is_traffic(p->column->quantity);
	choice_make(&e->columns, p->memory, &p->rows, e->choice);
	b->rows += p->rows.n;
	b->changed += c->changed;
	if (p->rows.by_number) {
		known_write(w, p->memory->number, c);
		return;
	}
	message = pack_open(w, BATCH_COLUMNS);
	pack_uint(w, COLUMN_QUANTITY, p->column->quantity);
	pack_uint(w, COLUMN_INDEX, p->column->index);
	pack_uint(w, COLUMN_SOURCE, p->column->source);
	pack_uint(w, COLUMN_LIST, p->rows.list);
	pack_uint(w, COLUMN_ENCODING, c->encoding);
	pack_octets(w, COLUMN_DATA, c->octets, c->len);
	n = pack_quality(e->packed, p->quality, p->rows.n);
	pack_octets(w, COLUMN_QUALITY, e->packed, n);
	pack_close(w, message);
}

/* Writes a piece; the series of a column asleep are unpacked for it. */
static void series_write(struct encoder *e, struct batch_rows *p)
{
	for (uint32_t i = 0; p->asleep && i < p->rows.n; i++)
		e->series[i] = columns_get(&e->columns, p->memory, p->row + i);
	if (piece_is_still(p)) {
		series_push_all(p);
		still_add(e, p);
	} else {
		column_write(e, p);
	}
	for (uint32_t i = 0; p->asleep && i < p->rows.n; i++)
		columns_put(&e->columns, p->memory, p->row + i, &e->series[i]);
}

/* The most that a piece may add to the open part. */
static size_t piece_octets_max(const struct encoder *e,
			       const struct batch_rows *p)
{
	size_t octets = 64 + 16 * (size_t)p->rows.n +
			STILL_OCTETS_MAX * (e->batch.still_count + 1);

	if (!e->lists.list[p->rows.list].is_written)
		octets += 32 + 5 * (size_t)p->rows.n;
	if (!group_is_in_part(e, p->column->source, p->rows.list))
		octets += 64 + 20 * (size_t)p->rows.n;
	return octets;
}

static int piece_write(struct encoder *e, struct batch_rows *p, uint32_t guess)
{
	struct batch *b = &e->batch;
	int rc = lists_find(&e->lists, p->entity, p->rows.n, guess,
			    &p->rows.list);

	if (rc == 0 && (b->parts == 0 ||
			piece_octets_max(e, p) > b->w.cap - b->w.pos))
		rc = part_open(e);
	if (rc < 0)
		return rc;
	if (!e->lists.list[p->rows.list].is_written)
		list_write(e, p->rows.list);
	rc = group_want(e, p->column->source, p->rows.list);
	if (rc < 0)
		return rc;
	if (piece_sleeps_on(p))
		still_add(e, p);
	else
		series_write(e, p);
	return 0;
}

/* Rows from *row on that are new, at most COLUMN_ROWS_MAX. */
static uint32_t rows_gather(struct encoder *e, const struct sample_column *c,
			    const struct column_memory *m, uint32_t *row)
{
	uint32_t n = 0, i = *row;

	for (; i < c->count && n < COLUMN_ROWS_MAX; i++) {
		if (!sample_is_new(c, i, e->batch.tick))
			continue;
		e->entity[n] = c->entity[i];
		e->value[n] = c->value[i];
		e->quality[n] = c->quality[i];
		e->series[n++] = columns_get(&e->columns, m, i);
	}
	*row = i;
	return n;
}

static void rows_scatter(struct encoder *e, const struct sample_column *c,
			 struct column_memory *m, uint32_t row, uint32_t end)
{
	for (uint32_t n = 0; row < end; row++)
		if (sample_is_new(c, row, e->batch.tick))
			columns_put(&e->columns, m, row, &e->series[n++]);
}

static uint32_t rows_new(const struct encoder *e, const struct sample_column *c)
{
	uint32_t n = 0;

	if (c->tick != e->batch.tick)
		return 0;
	for (uint32_t i = 0; i < c->count; i += SAMPLE_BITS)
		n += (uint32_t)__builtin_popcountll(c->is_new[i / SAMPLE_BITS]);
	return n;
}

/* Some rows are new. */
static int column_some(struct encoder *e, const struct sample_column *c,
		       struct column_memory *m)
{
	uint32_t row = 0, guess = m->list;
	int rc = 0;

	while (rc == 0 && row < c->count) {
		uint32_t from = row;
		struct batch_rows p = { .column = c, .memory = m,
					.entity = e->entity,
					.quality = e->quality,
					.rows = { .value = e->value,
						  .series = e->series } };

		p.rows.n = rows_gather(e, c, m, &row);
		if (p.rows.n == 0)
			break;
		rc = piece_write(e, &p, guess);
		if (from == 0)
			m->list = p.rows.list;
		guess = p.rows.list + 1;
		rows_scatter(e, c, m, from, row);
	}
	return rc;
}

/* All rows are new. */
static int column_whole(struct encoder *e, const struct sample_column *c,
			struct column_memory *m)
{
	uint32_t guess = m->list;
	int rc = 0;

	for (uint32_t row = 0; rc == 0 && row < c->count;
	     row += COLUMN_ROWS_MAX) {
		struct batch_rows p = { .column = c, .memory = m,
					.entity = c->entity + row,
					.quality = c->quality + row,
					.row = row,
					.asleep = m->form != COLUMN_AWAKE,
					.rows = { .value = c->value + row } };

		p.rows.n = c->count - row < COLUMN_ROWS_MAX ? c->count - row
							    : COLUMN_ROWS_MAX;
		p.rows.series = p.asleep ? e->series :
				e->columns.series + m->at + row;
		rc = piece_write(e, &p, guess);
		if (row == 0)
			m->list = p.rows.list;
		guess = p.rows.list + 1;
	}
	m->wholes += m->wholes < MARK_READINGS;
	return rc;
}

/* Rounds to the nearest multiple, but never to 0. */
static int64_t fill_rounded(int64_t value)
{
	int64_t units = (value + FILL_OCTETS / 2) / FILL_OCTETS;

	if (value <= 0 || value > INT64_MAX - FILL_OCTETS)
		return value;
	return (units > 0 ? units : 1) * FILL_OCTETS;
}

/* The column as it is recorded: itself, or a copy with rounded values. */
static const struct sample_column *column_told(struct encoder *e,
					       const struct sample_column *c,
					       struct sample_column *copy)
{
	if (!e->traffic_is_bounded || c->tick != e->batch.tick ||
	    c->count > e->limits.slots || !quantity_is_fill(c->quantity))
		return c;
	for (uint32_t i = 0; i < c->count; i++)
		e->rounded[i] = fill_rounded(c->value[i]);
	*copy = *c;
	copy->value = e->rounded;
	return copy;
}

static int columns_write(struct encoder *e, const struct sample_column *columns,
			 size_t count)
{
	struct column_memory *m;
	int rc = 0;

	pace_begin(&e->pace, e->batch.now);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		struct sample_column copy, room;
		const struct sample_column *c = column_told(e, &columns[i],
							    &copy);
		uint32_t n = 0;

		rc = columns_align(&e->columns, c, (uint32_t)i, &m);
		if (rc == 0) {
			c = pace_column(&e->pace, &e->columns, m, c,
					e->batch.tick, e->batch.is_reference,
					&room);
			n = rows_new(e, c);
		}
		if (n > 0 && m->form != COLUMN_AWAKE &&
		    columns_change(&e->columns, m, c, e->batch.tick))
			rc = columns_wake(&e->columns, m);
		if (rc == 0 && n > 0)
			rc = n == c->count ? column_whole(e, c, m)
					   : column_some(e, c, m);
	}
	part_close(e);
	return rc;
}

static int parts_put(struct encoder *e)
{
	struct batch *b = &e->batch;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < b->parts; i++) {
		struct writer w = writer_of(e->octets +
					    (size_t)i * RECORD_PAYLOAD_MAX,
					    RECORD_PAYLOAD_MAX);

		w.pos = e->part_len[i];
		if (b->parts > 1) {
			size_t part = pack_open(&w, BATCH_PART);

			pack_uint(&w, PART_NUMBER, i);
			pack_uint(&w, PART_COUNT, b->parts);
			pack_close(&w, part);
		}
		pack_uint(&w, BATCH_NUMBER,
			  encoder_sequence(e, STREAM_SAMPLES));
		rc = encoder_put(e, STREAM_SAMPLES, RECORD_BATCH,
				 b->is_reference && i == 0
					 ? RECORD_FLAG_REFERENCE : 0, &w);
		e->count.octets += RECORD_HEADER_LEN + w.pos;
	}
	return rc;
}

static int batch_build(struct encoder *e, const struct sample_column *columns,
		       size_t count)
{
	struct batch *b = &e->batch;

	b->parts = 0;
	b->still_count = 0;
	e->columns.batch++;
	b->rows = 0;
	b->changed = 0;
	if (b->is_reference) {
		lists_forget(&e->lists);
		columns_forget(&e->columns);
	}
	return columns_write(e, columns, count);
}

int encoder_batch(struct encoder *e, struct mono now, uint32_t tick_number,
		  uint32_t dictionary_version,
		  const struct sample_column *columns, size_t column_count,
		  const struct group_column *groups, size_t group_count)
{
	struct batch *b = &e->batch;
	int rc;

	*b = (struct batch){
		.is_reference = e->reference_wanted ||
				e->since_reference >= REFERENCE_EVERY,
		.now = now, .tick = tick_number,
		.dictionary = dictionary_version, .groups = groups,
		.group_count = group_count };
	rc = batch_build(e, columns, column_count);
	if (rc == -ENOSPC && !b->is_reference) {
		b->is_reference = true;	/* begins with empty tables */
		rc = batch_build(e, columns, column_count);
	}
	if (rc == 0)
		rc = parts_put(e);
	if (rc < 0 || b->parts == 0) {
		e->reference_wanted = rc < 0 || b->is_reference;
		return rc;
	}
	e->reference_wanted = false;
	e->since_reference = b->is_reference ? 1 : e->since_reference + 1;
	e->count.batches++;
	e->count.references += b->is_reference;
	e->count.values += b->rows;
	e->count.changed += b->changed;
	return 0;
}
