#include "agent/state/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "agent/state/slot_lists.h"
#include "petrel/quantity.h"

/* A value is found by its column and row: the column in a small hash by
 * quantity, index and source; the row by a guess, which is the row of the last
 * search or the next one. Drivers and queries go through entities in the same
 * order, so most guesses are right; the rest is looked up in the hash of all
 * rows, which is too large for the processor's caches.
 */
#define COLUMN_PLACES (2 * COLUMNS_MAX)
#define COLUMN_NONE UINT32_MAX
#define PAGE_NUMBERS 512u	/* a power of two times ROWS_FIRST */
#define HASH_FIRST 1024u

int slots_new(uint32_t limit, struct slots **ret)
{
	struct slots *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->limit = limit;
	s->mask = HASH_FIRST - 1;
	s->hash = calloc(HASH_FIRST, sizeof(*s->hash));
	s->columns = calloc(COLUMNS_MAX, sizeof(*s->columns));
	s->rows = calloc(COLUMNS_MAX, sizeof(*s->rows));
	s->lists = calloc(COLUMNS_MAX, sizeof(*s->lists));
	s->column_place = calloc(COLUMN_PLACES, sizeof(*s->column_place));
	s->group_rows = calloc(SOURCES_MAX, sizeof(*s->group_rows));
	for (uint32_t i = 0; i < SOURCES_MAX; i++)
		s->groups[i].source = (uint8_t)i;
	if (!s->hash || !s->columns || !s->rows || !s->lists ||
	    !s->column_place || !s->group_rows) {
		slots_free(s);
		return -ENOMEM;
	}
	*ret = s;
	return 0;
}

static void numbers_free(int64_t *numbers, uint32_t cap)
{
	if (numbers && cap >= PAGE_NUMBERS)
		(void)munmap(numbers, cap * sizeof(*numbers));
	else
		free(numbers);
}

void slots_free(struct slots *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->column_count; i++) {
		numbers_free(s->rows[i].value, s->rows[i].numbers_cap);
		numbers_free(s->rows[i].previous, s->rows[i].cap);
		free(s->rows[i].quality);
		free(s->rows[i].mark);
		free(s->rows[i].is_new);
	}
	for (uint32_t i = 0; s->group_rows && i < SOURCES_MAX; i++) {
		free(s->group_rows[i].entity);
		free(s->group_rows[i].which);
		free(s->group_rows[i].number);
		ages_fini(&s->group_rows[i].ages);
	}
	for (uint32_t i = 0; i < s->list_count; i++)
		free(s->lists[i].entity);
	free(s->lists);
	free(s->group_rows);
	free(s->column_place);
	free(s->hash);
	free(s->columns);
	free(s->rows);
	free(s);
}

static void number_set(int64_t *at, int64_t number)
{
	if (*at != number)
		*at = number;
}

/* Maps pages for so many octets, or grows those of old; NULL: no memory. */
static void *pages_take(void *old, size_t had, size_t len)
{
	void *more = old ? mremap(old, had, len, MREMAP_MAYMOVE)
			 : mmap(NULL, len, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return more == MAP_FAILED ? NULL : more;
}

/* Doubles the numbers, the new ones 0. From one page on they have pages of
 * their own: flags that were never raised and counters that never counted take
 * no memory, as 0 is not written over 0.
 */
static bool numbers_grown(int64_t **at, uint32_t old, uint32_t cap)
{
	size_t had = old * sizeof(**at), len = cap * sizeof(**at);
	int64_t *more;

	if (old >= PAGE_NUMBERS) {
		more = pages_take(*at, had, len);
	} else {
		more = cap >= PAGE_NUMBERS ? pages_take(NULL, 0, len)
					   : calloc(1, len);
		for (uint32_t i = 0; more && i < old; i++)
			number_set(&more[i], (*at)[i]);
		if (more)
			free(*at);
	}
	if (more)
		*at = more;
	return more != NULL;
}

/* The new ones are 0: their rows are not there yet. */
static bool bits_grown(struct column_rows *r, uint32_t cap)
{
	uint32_t had = sample_words(r->cap);

	if (sample_words(cap) == had)
		return true;
	if (!slots_grown(&r->is_new, sample_words(cap), sizeof(*r->is_new)))
		return false;
	memset(r->is_new + had, 0,
	       (sample_words(cap) - had) * sizeof(*r->is_new));
	return true;
}

static int column_grow(struct column_rows *r)
{
	uint32_t cap = r->cap ? 2 * r->cap : ROWS_FIRST;

	if (!slots_grown(&r->quality, cap, sizeof(*r->quality)) ||
	    !slots_grown(&r->mark, cap, sizeof(*r->mark)) ||
	    !bits_grown(r, cap))
		return -ENOMEM;
	if (r->numbers_cap < cap &&
	    !numbers_grown(&r->value, r->numbers_cap, cap))
		return -ENOMEM;
	r->numbers_cap = cap;
	if (r->steps && !numbers_grown(&r->previous, r->cap, cap))
		return -ENOMEM;
	r->cap = cap;
	return 0;
}

static void column_view(struct sample_column *c, const struct column_rows *r)
{
	c->value = r->value;
	c->quality = r->quality;
	c->is_new = r->is_new;
}

/* The place of that column, or the empty one where it would go. */
static uint16_t *column_at(const struct slots *s, uint16_t quantity,
			   uint16_t index, uint8_t source)
{
	uint32_t h = (uint32_t)quantity * 0x9e3779b1u ^
		     ((uint32_t)index << 8 | source) * 0x85ebca6bu;
	uint32_t i = (h ^ h >> 15) % COLUMN_PLACES;

	for (; s->column_place[i]; i = (i + 1) % COLUMN_PLACES) {
		const struct sample_column *c =
			&s->columns[s->column_place[i] - 1];

		if (c->quantity == quantity && c->index == index &&
		    c->source == source)
			break;
	}
	return &s->column_place[i];
}

/* COLUMN_NONE when there is none. */
static uint32_t column_find(const struct slots *s, uint16_t quantity,
			    uint16_t index, uint8_t source)
{
	uint16_t place = *column_at(s, quantity, index, source);

	return place ? place - 1u : COLUMN_NONE;
}

/* Steps are kept of counters, and of quantities that no table has. */
static bool may_step(uint16_t quantity)
{
	const struct quantity_info *q = quantity_find(quantity);

	return !q || q->kind == KIND_COUNTER;
}

/* Finds it or makes it. Returns -ENOSPC. */
static int column_take(struct slots *s, uint16_t quantity, uint16_t index,
		       uint8_t source)
{
	uint16_t *place = column_at(s, quantity, index, source);
	uint32_t n = s->column_count;

	if (*place)
		return *place - 1;
	if (n == COLUMNS_MAX || s->used == s->limit)
		return -ENOSPC;
	s->columns[n].quantity = quantity;
	s->columns[n].index = index;
	s->columns[n].source = source;
	s->rows[n].steps = may_step(quantity);
	*place = (uint16_t)(n + 1);
	s->column_count++;
	s->sources_of[quantity % QUANTITY_PLACES][source / 64] |=
		UINT64_C(1) << source % 64;
	return (int)n;
}

/* True when the guess, or the next row, is the entity's. */
static bool row_guess(const uint32_t *rows, uint32_t count, uint32_t entity,
		      uint32_t *guess)
{
	uint32_t next = *guess + 1 < count ? *guess + 1 : 0;

	if (*guess < count && rows[*guess] == entity)
		return true;
	if (next >= count || rows[next] != entity)
		return false;
	*guess = next;
	return true;
}

bool slots_row_find(const struct slots *s, uint32_t column, uint32_t entity,
		    uint32_t *ret)
{
	const struct sample_column *c = &s->columns[column];
	struct column_rows *r = &s->rows[column];

	if (!row_guess(c->entity, c->count, entity, &r->guess)) {
		const struct hash_entry *e =
			r->list ? slots_hash_at(s, r->list, entity) : NULL;

		if (!e || !e->place || e->row >= c->count)
			return false;
		r->guess = e->row;
	}
	*ret = r->guess;
	return true;
}

bool slots_group_find(const struct slots *s, uint8_t source, uint32_t entity,
		      uint32_t *ret)
{
	struct group_rows *r = &s->group_rows[source];

	if (!row_guess(r->entity, s->groups[source].count, entity, &r->guess)) {
		const struct hash_entry *e =
			slots_hash_at(s, slots_place_of_group(source), entity);

		if (!e->place)
			return false;
		r->guess = e->row;
	}
	*ret = r->guess;
	return true;
}

/* Returns the row, or a negative errno. */
static int slot_add(struct slots *s, uint32_t column, uint32_t entity)
{
	struct column_rows *r = &s->rows[column];
	struct sample_column *c = &s->columns[column];
	uint32_t row = c->count;
	int rc;

	if (row == ROWS_MAX || s->used == s->limit)
		return -ENOSPC;
	if (row == r->cap && column_grow(r) < 0)
		return -ENOMEM;
	rc = slots_list_fit(s, column, entity);
	if (rc < 0)
		return rc;
	r->mark[row] = MARK_NONE;
	number_set(&r->value[row], 0); /* may be of an old row */
	if (r->steps)
		number_set(&r->previous[row], 0);
	r->guess = row;
	column_view(c, r);
	c->count++;
	s->used++;
	s->layout++;
	return (int)row;
}

static bool is_there(const struct column_rows *r, uint32_t row,
		     uint16_t number)
{
	return slots_mark_is(r->mark[row], number);
}

/* Takes a value into the reading of that number; false: it already has one.
 */
static bool row_take(struct column_rows *r, uint32_t row, uint16_t number,
		     int64_t value)
{
	bool was_there = slots_mark_is(r->mark[row],
				       (uint16_t)(number - MARK_STEP));

	if (is_there(r, row, number))
		return false;
	if (r->steps && was_there)
		number_set(&r->previous[row], r->value[row]);
	number_set(&r->value[row], value);
	r->mark[row] = (uint16_t)(number | was_there);
	return true;
}

static void row_is_new(struct slots *s, uint32_t column, uint32_t row,
		       uint32_t tick)
{
	struct column_rows *r = &s->rows[column];

	if (s->columns[column].tick != tick)
		memset(r->is_new, 0, sample_words(r->cap) * sizeof(*r->is_new));
	s->columns[column].tick = tick;
	sample_mark(r->is_new, row, true);
}

/* The number of the group's reading, MARK_NONE when it is gone; its place may
 * have moved since it was opened.
 */
static uint16_t number_of(const struct slots *s, struct slot_group *group)
{
	const struct group_column *g = &s->groups[group->source];

	if ((group->row >= g->count ||
	     g->entity[group->row] != group->entity) &&
	    !slots_group_find(s, group->source, group->entity, &group->row))
		return MARK_NONE;
	return s->group_rows[group->source].number[group->row];
}

int slots_put(struct slots *s, struct slot_group *group, uint16_t quantity,
	      uint16_t index, int64_t value, uint8_t quality, uint32_t tick)
{
	uint16_t number = number_of(s, group);
	int column;
	uint32_t row;

	if (number == MARK_NONE)
		return -ESTALE;
	column = column_take(s, quantity, index, group->source);
	if (column < 0)
		return column;
	if (!slots_row_find(s, (uint32_t)column, group->entity, &row)) {
		int added = slot_add(s, (uint32_t)column, group->entity);

		if (added < 0)
			return added;
		row = (uint32_t)added;
	}
	if (!row_take(&s->rows[column], row, number, value))
		return 0;
	s->rows[column].quality[row] = quality;
	row_is_new(s, (uint32_t)column, row, tick);
	return 1;
}

static void column_drop(struct slots *s, uint32_t column,
			bool (*is_live)(void *context, uint32_t id),
			void *context)
{
	const uint32_t *entity = s->columns[column].entity;
	struct column_rows *r = &s->rows[column];
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->columns[column].count; i++) {
		if (!is_live(context, entity[i]))
			continue;
		number_set(&r->value[kept], r->value[i]);
		if (r->steps)
			number_set(&r->previous[kept], r->previous[i]);
		r->quality[kept] = r->quality[i];
		r->mark[kept] = r->mark[i];
		sample_mark(r->is_new, kept,
			    r->is_new[i / SAMPLE_BITS] >> i % SAMPLE_BITS & 1);
		kept++;
	}
	for (uint32_t i = kept; i < s->columns[column].count; i++)
		sample_mark(r->is_new, i, false);
	s->used -= s->columns[column].count - kept;
	s->columns[column].count = kept;
}

/* Removes the read groups of a source whose entity is not live. */
static void groups_drop(struct slots *s, uint32_t source,
			bool (*is_live)(void *context, uint32_t id),
			void *context)
{
	struct group_rows *r = &s->group_rows[source];
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->groups[source].count; i++) {
		if (!is_live(context, r->entity[i])) {
			ages_release(&r->ages, r->which[i]);
			continue;
		}
		r->entity[kept] = r->entity[i];
		r->which[kept] = r->which[i];
		r->number[kept] = r->number[i];
		kept++;
	}
	s->used -= s->groups[source].count - kept;
	s->groups[source].count = kept;
}

void slots_drop(struct slots *s, bool (*is_live)(void *context, uint32_t id),
		void *context)
{
	for (uint32_t c = 0; c < s->column_count; c++)
		column_drop(s, c, is_live, context);
	for (uint32_t n = 0; n < s->list_count; n++)
		slots_list_drop(&s->lists[n], is_live, context);
	for (uint32_t g = 0; g < s->group_count; g++)
		groups_drop(s, g, is_live, context);
	slots_hash_build(s);
	s->layout++;
}

uint32_t slots_layout(const struct slots *s)
{
	return s->layout;
}

/* The slot of a source; false where it has none. */
static bool slot_of(const struct slots *s, uint32_t entity, uint16_t quantity,
		    uint16_t index, uint8_t source, struct slot_place *ret)
{
	uint32_t column = column_find(s, quantity, index, source), row, group;

	if (column == COLUMN_NONE || !slots_row_find(s, column, entity, &row) ||
	    !slots_group_find(s, source, entity, &group))
		return false;
	*ret = (struct slot_place){ column, row, group };
	return true;
}

/* When it was taken; INT64_MIN when it is not there any more. */
static int64_t place_taken_ns(const struct slots *s, struct slot_place at)
{
	const struct group_rows *g =
		&s->group_rows[s->columns[at.column].source];

	return is_there(&s->rows[at.column], at.row, g->number[at.group])
		       ? g->ages.age[g->which[at.group]].taken.ns
		       : INT64_MIN;
}

/* The slot of the source, if it is newer than the one found so far. */
static bool place_newer(const struct slots *s, struct slot_place at,
			bool found, int64_t *newest)
{
	int64_t taken_ns = place_taken_ns(s, at);

	if (found && taken_ns <= *newest)
		return false;
	*newest = taken_ns;
	return true;
}

bool slots_find(const struct slots *s, uint32_t entity, uint16_t quantity,
		uint16_t index, struct slot_place *ret)
{
	const uint64_t *sources = s->sources_of[quantity % QUANTITY_PLACES];
	int64_t newest = INT64_MIN;
	bool found = false;

	for (unsigned word = 0; word < SOURCES_MAX / 64; word++)
		for (uint64_t left = sources[word]; left; left &= left - 1) {
			unsigned source = 64 * word +
					  (unsigned)__builtin_ctzll(left);
			struct slot_place at;

			if (!slot_of(s, entity, quantity, index,
				     (uint8_t)source, &at) ||
			    !place_newer(s, at, found, &newest))
				continue;
			*ret = at;
			found = true;
		}
	return found;
}

bool slots_twin(const struct slots *s, struct slot_place at, uint8_t source,
		struct slot_place *ret)
{
	const struct sample_column *c = &s->columns[at.column];
	const uint64_t *sources = s->sources_of[c->quantity % QUANTITY_PLACES];

	return sources[source / 64] >> source % 64 & 1 &&
	       slot_of(s, c->entity[at.row], c->quantity, c->index, source,
		       ret);
}

struct slot_place slots_newest(const struct slots *s, struct slot_place at)
{
	const struct sample_column *c = &s->columns[at.column];

	(void)slots_find(s, c->entity[at.row], c->quantity, c->index, &at);
	return at;
}

void slots_get(const struct slots *s, struct slot_place at, uint32_t tick,
	       struct slot_value *ret)
{
	const struct column_rows *r = &s->rows[at.column];
	const struct group_rows *all =
		&s->group_rows[s->columns[at.column].source];
	const struct group_age *age = &all->ages.age[all->which[at.group]];
	const struct age_step *step = &all->ages.step[all->which[at.group]];

	*ret = (struct slot_value){
		.value = r->value[at.row],
		.previous = r->steps ? r->previous[at.row] : 0,
		.is_there = is_there(r, at.row, all->number[at.group]),
		.has_previous = r->steps && r->mark[at.row] & MARK_PREVIOUS,
		.quality = r->quality[at.row],
		.is_new = sample_is_new(&s->columns[at.column], at.row, tick),
		.taken = age->taken,
		.uncertainty_ns = span_ns(age->uncertainty),
		.window_ns = span_ns(age->window),
		.interval_ns = span_ns(step->interval),
		.previous_uncertainty_ns =
			span_ns(step->previous_uncertainty) };
}

uint8_t slots_source(const struct slots *s, struct slot_place at)
{
	return s->columns[at.column].source;
}

size_t slots_columns(const struct slots *s, const struct sample_column **ret)
{
	*ret = s->columns;
	return s->column_count;
}

size_t slots_groups(const struct slots *s, const struct group_column **ret)
{
	*ret = s->groups;
	return s->group_count;
}

uint32_t slots_count(const struct slots *s)
{
	return s->used;
}
