#include "agent/query/answer.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/query/message.h"
#include "agent/record/encode.h"
#include "petrel/sample.h"
#include "petrel/wire.h"

/* Lists double in the arena: the old copies waste at most as much again. What
 * does not fit truncates the answer: the current row is dropped, and all later
 * calls add nothing.
 */
struct answer {
	size_t size, used;
	bool cut, for_text;
	const char *show;		/* key of a wide column for text, too */
	Petrel__Answer message;
	Petrel__Table *table;		/* open, or NULL */
	bool in_row;			/* its last row is open */
	size_t cell;			/* next of the row */
	size_t columns;			/* of the table, as given */
	size_t room;			/* rows that its lists can hold */
	_Alignas(max_align_t) unsigned char arena[];
};

#define ARENA_ALIGN (sizeof(max_align_t))
#define LIST_FIRST 4u
#define WORDS_BACK 8u		/* how far back a word is looked up */
#define SENTENCE_MAX 512
#define KEPT_OCTETS (1u << 20)

int answer_new(size_t octets, struct answer **ret)
{
	struct answer *a = malloc(sizeof(*a) + octets);

	if (!a)
		return -ENOMEM;
	a->size = octets;
	answer_clear(a);
	*ret = a;
	return 0;
}

void answer_free(struct answer *a)
{
	free(a);
}

void answer_clear(struct answer *a)
{
	a->used = 0;
	a->cut = a->for_text = false;
	a->show = "";
	a->table = NULL;
	a->in_row = false;
	petrel__answer__init(&a->message);
	a->message.version = LOCAL_VERSION;
	a->message.complete = true;
}

/* Releases whole pages beyond what ordinary answers need. */
void answer_release(struct answer *a)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = (uintptr_t)a->arena + KEPT_OCTETS;
	uintptr_t end = ((uintptr_t)a->arena + a->used) & ~(page - 1);

	first = (first + page - 1) & ~(page - 1);
	if (end > first)
		(void)madvise((void *)first, end - first, MADV_DONTNEED);
	answer_clear(a);
}

void answer_for_text(struct answer *a)
{
	a->for_text = true;
}

void answer_show(struct answer *a, const char *key)
{
	a->show = key;
}

bool answer_row_goes_on(const struct answer *a)
{
	return a->in_row && a->cell < a->table->n_columns;
}

/* Ends the row: later cells are not in it. */
static void row_end(struct answer *a)
{
	a->in_row = false;
}

/* Drops the current row: half of it would look complete. */
static void answer_cut(struct answer *a)
{
	a->cut = true;
	a->message.complete = false;
	if (a->in_row)
		a->table->rows--;
	a->in_row = false;
}

/* NULL, and the answer is truncated, if there is not enough room. */
static void *arena_take(struct answer *a, size_t octets)
{
	size_t start = (a->used + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;

	if (a->cut)
		return NULL;
	if (start > a->size || octets > a->size - start) {
		answer_cut(a);
		return NULL;
	}
	a->used = start + octets;
	return a->arena + start;
}

static char *arena_text(struct answer *a, const char *text)
{
	size_t octets = strlen(text) + 1;
	char *copy = arena_take(a, octets);

	return copy ? memcpy(copy, text, octets) : NULL;
}

/* A copy of a list of n entries, with room for more, which are zero. */
static void *list_wider(struct answer *a, const void *list, size_t entry,
			size_t n, size_t room)
{
	unsigned char *wider = arena_take(a, room * entry);

	if (!wider)
		return NULL;
	if (n)
		memcpy(wider, list, n * entry);
	memset(wider + n * entry, 0, (room - n) * entry);
	return wider;
}

/* Room for one more pointer in a list of n, which is full at 0 and at each
 * power of two from LIST_FIRST on.
 */
static void *list_room(struct answer *a, void *list, size_t n)
{
	bool is_full = n == 0 || (n >= LIST_FIRST && (n & (n - 1)) == 0);

	if (!is_full)
		return a->cut ? NULL : list;
	return list_wider(a, list, sizeof(void *), n, n ? 2 * n : LIST_FIRST);
}

/* Only JSON has the column, unless the request asks for wide tables. */
static bool is_json_only(const struct answer *a, const struct answer_column *c)
{
	return !c->heading[0] || (c->wide && strcmp(c->key, a->show) != 0);
}

static Petrel__TableColumn *column_new(struct answer *a,
				       const struct answer_column *column)
{
	Petrel__TableColumn *c = arena_take(a, sizeof(*c));
	char *key = arena_text(a, column->key);
	char *heading = arena_text(a, column->heading);

	if (!c || !key || !heading)
		return NULL;
	petrel__table_column__init(c);
	c->key = key;
	c->heading = heading;
	c->unit = column->unit;
	c->right = column->right || !(unit_is_text(column->unit) ||
				      column->unit == CELL_BOOL ||
				      column->unit == CELL_WALL_NS);
	c->json_only = is_json_only(a, column);
	return c;
}

/* Copies the columns: the caller's may be gone when the answer is packed. */
static bool table_head(struct answer *a, Petrel__Table *t,
		       const struct answer_column *columns)
{
	size_t n = 0;

	while (columns[n].key)
		n++;
	a->columns = n;
	while (a->for_text && n && is_json_only(a, &columns[n - 1]))
		n--;
	t->columns = arena_take(a, n * sizeof(*t->columns));
	for (size_t i = 0; t->columns && i < n; i++) {
		t->columns[i] = column_new(a, &columns[i]);
		if (!t->columns[i])
			return false;
	}
	t->n_columns = n;
	return t->columns != NULL;
}

void answer_columns(struct answer *a, const char *name,
		    const struct answer_column *columns, bool single)
{
	Petrel__Answer *m = &a->message;
	Petrel__Table *t;
	void *list;

	row_end(a);
	a->table = NULL;
	a->room = 0;
	t = arena_take(a, sizeof(*t));
	list = list_room(a, m->tables, m->n_tables);
	if (!t || !list)
		return;
	petrel__table__init(t);
	t->name = arena_text(a, name);
	t->single = single;
	if (!t->name || !table_head(a, t, columns))
		return;
	m->tables = list;
	m->tables[m->n_tables++] = t;
	a->table = t;
}

void answer_table(struct answer *a, const struct answer_shape *shape)
{
	answer_columns(a, shape->name, shape->columns, shape->single);
}

static bool column_widen(struct answer *a, Petrel__TableColumn *c, size_t n,
			 size_t room)
{
	uint32_t *mark = list_wider(a, c->mark, sizeof(*mark), n, room);
	int64_t *value = list_wider(a, c->value, sizeof(*value), n, room);
	int64_t *age_ns = NULL;

	if (c->age_ns)
		age_ns = list_wider(a, c->age_ns, sizeof(*age_ns), n, room);
	if (!mark || !value || (c->age_ns && !age_ns))
		return false;
	c->mark = mark;
	c->value = value;
	c->age_ns = age_ns;
	return true;
}

/* Makes room for one more row in all lists of the table. */
static bool rows_room(struct answer *a)
{
	Petrel__Table *t = a->table;
	size_t n = t->rows, room = t->single ? 1 : n ? 2 * n : LIST_FIRST;
	protobuf_c_boolean *json_only = NULL;

	if (n < a->room)
		return !a->cut;
	for (size_t i = 0; i < t->n_columns; i++)
		if (!column_widen(a, t->columns[i], n, room))
			return false;
	if (t->json_only)
		json_only = list_wider(a, t->json_only, sizeof(*json_only), n,
				       room);
	if (t->json_only && !json_only)
		return false;
	t->json_only = json_only;
	a->room = room;
	return true;
}

/* A row without columns is dropped. */
void answer_row(struct answer *a)
{
	Petrel__Table *t = a->table;

	row_end(a);
	a->cell = 0;
	if (!t || t->n_columns == 0)
		return;
	assert(!t->single || t->rows == 0);
	if (!rows_room(a))
		return;
	t->rows++;
	a->in_row = true;
}

void answer_row_json_only(struct answer *a)
{
	Petrel__Table *t = a->table;

	if (a->in_row && !t->json_only)
		t->json_only = list_wider(a, NULL, sizeof(*t->json_only), 0,
					  a->room);
	if (a->in_row)	/* unless the answer was truncated */
		t->json_only[t->rows - 1] = true;
}

/* The column of the next cell of the current row; NULL if the cell is not
 * shown.
 */
static Petrel__TableColumn *cell_next(struct answer *a)
{
	if (!a->in_row)
		return NULL;
	assert(a->cell < a->columns);
	a->cell++;
	return a->cell <= a->table->n_columns ?
	       a->table->columns[a->cell - 1] : NULL;
}

static void cell_put(struct answer *a, Petrel__TableColumn *c, int64_t value)
{
	size_t row = a->table->rows - 1;

	c->value[row] = value;
	c->mark[row] = 1 + QUALITY_GOOD;
}

/* The index of a word used recently; -1: none. */
static int64_t word_find(const Petrel__TableColumn *c, const char *text)
{
	size_t least = c->n_words > WORDS_BACK ? c->n_words - WORDS_BACK : 0;

	for (size_t i = c->n_words; i > least; i--)
		if (strcmp(c->words[i - 1], text) == 0)
			return (int64_t)i - 1;
	return -1;
}

void answer_text(struct answer *a, const char *text)
{
	Petrel__TableColumn *c = cell_next(a);
	int64_t place;
	char *copy;
	void *list;

	if (!c || !text)
		return;
	place = word_find(c, text);
	if (place >= 0) {
		cell_put(a, c, place);
		return;
	}
	copy = arena_text(a, text);
	list = list_room(a, c->words, c->n_words);
	if (!copy || !list)
		return;
	c->words = list;
	c->words[c->n_words++] = copy;
	cell_put(a, c, (int64_t)c->n_words - 1);
}

void answer_text_if(struct answer *a, const char *text)
{
	answer_text(a, text && text[0] ? text : NULL);
}

void answer_integer(struct answer *a, int64_t value)
{
	Petrel__TableColumn *c = cell_next(a);

	if (c)
		cell_put(a, c, value);
}

void answer_absent(struct answer *a)
{
	(void)cell_next(a);
}

void answer_known(struct answer *a, bool is_known, int64_t value)
{
	if (is_known)
		answer_integer(a, value);
	else
		answer_absent(a);
}

void answer_pattern(struct answer *a, bool is_pattern, int64_t value)
{
	Petrel__TableColumn *c = cell_next(a);

	if (!c)
		return;
	cell_put(a, c, value);
	if (is_pattern && value < 0)
		c->mark[a->table->rows - 1] |= LOCAL_MARK_PATTERN;
}

void answer_age(struct answer *a, int64_t age_ns, unsigned quality)
{
	Petrel__TableColumn *c;
	size_t row;

	if (!a->in_row)
		return;
	assert(a->cell > 0);
	if (a->cell > a->table->n_columns)
		return;
	row = a->table->rows - 1;
	c = a->table->columns[a->cell - 1];
	if (c->mark[row])
		c->mark[row] = (c->mark[row] & LOCAL_MARK_PATTERN) + 1 +
			       quality;
	/* A table's text has a column for the age of its rows. */
	if (a->for_text && !a->table->single)
		return;
	if (!c->age_ns)
		c->age_ns = list_wider(a, NULL, sizeof(*c->age_ns), 0,
				       a->room);
	if (c->age_ns)
		c->age_ns[row] = age_ns;
}

/* Joins two notes, one below the other. */
static char *note_join(struct answer *a, const char *first, const char *next)
{
	size_t octets = strlen(first) + strlen(next) + 2;
	char *both = arena_take(a, octets);

	if (both)
		(void)snprintf(both, octets, "%s\n%s", first, next);
	return both;
}

void answer_note(struct answer *a, const char *format, ...)
{
	char text[SENTENCE_MAX];
	va_list args;
	char *copy;

	row_end(a);
	if (!a->table)
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	copy = arena_text(a, text);
	if (copy && a->table->note[0])
		copy = note_join(a, a->table->note, copy);
	if (copy)
		a->table->note = copy;
}

static void *arena_alloc(void *context, size_t octets)
{
	return arena_take(context, octets);
}

/* Released with all else. */
static void arena_free(void *context, void *octets)
{
	(void)context;
	(void)octets;
}

/* Written as in a record, and read back into the arena. */
void answer_finding(struct answer *a, const struct finding *f)
{
	ProtobufCAllocator arena = { arena_alloc, arena_free, a };
	uint8_t octets[FINDING_ENCODED_MAX];
	size_t len = finding_encode(f, octets);
	Petrel__Answer *m = &a->message;
	Petrel__Finding *message;
	void *list;

	assert(len > 0);
	row_end(a);
	message = petrel__finding__unpack(&arena, len, octets);
	list = list_room(a, m->findings, m->n_findings);
	if (!message || !list)
		return;
	m->findings = list;
	m->findings[m->n_findings++] = message;
}

void answer_finding_of(struct answer *a, const struct finding *f,
		       const char *switch_name)
{
	Petrel__Answer *m = &a->message;
	char *copy = arena_text(a, switch_name);
	size_t before = m->n_findings;
	void *list;

	list = list_room(a, m->finding_switch, m->n_finding_switch);
	if (!copy || !list)
		return;
	m->finding_switch = list;
	answer_finding(a, f);
	if (m->n_findings > before)
		m->finding_switch[m->n_finding_switch++] = copy;
}

void answer_line(struct answer *a, const char *line)
{
	Petrel__Answer *m = &a->message;
	char *copy;
	void *list;

	row_end(a);
	copy = arena_text(a, line);
	list = list_room(a, m->lines, m->n_lines);
	if (!copy || !list)
		return;
	m->lines = list;
	m->lines[m->n_lines++] = copy;
}

void answer_cursor(struct answer *a, const char *cursor)
{
	char *copy;

	row_end(a);
	copy = arena_text(a, cursor);
	if (copy)
		a->message.cursor = copy;
}

int answer_error(struct answer *a, int code, const char *format, ...)
{
	char text[SENTENCE_MAX], name[SWITCH_NAME_MAX], *copy;
	int64_t wall_ns = a->message.wall_ns;
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	(void)snprintf(name, sizeof(name), "%s", a->message.switch_name);
	answer_clear(a);
	answer_head(a, name, wall_ns);
	a->message.code = (uint32_t)code;
	copy = arena_text(a, text);
	if (copy)
		a->message.error = copy;
	return code;
}

void answer_head(struct answer *a, const char *switch_name, int64_t wall_ns)
{
	char *copy = arena_text(a, switch_name);

	if (copy)
		a->message.switch_name = copy;
	a->message.wall_ns = wall_ns;
}

/* Reorders a list: entry i is the old entry order[i]. */
static void *list_ordered(struct answer *a, const void *list, size_t entry,
			  const uint32_t *order, size_t n)
{
	unsigned char *to = list ? arena_take(a, n * entry) : NULL;

	for (size_t i = 0; to && i < n; i++)
		memcpy(to + i * entry,
		       (const unsigned char *)list + order[i] * entry, entry);
	return to;
}

void answer_order(struct answer *a, Petrel__Table *t, const uint32_t *order)
{
	size_t n = t->rows;

	row_end(a);
	for (size_t i = 0; i < t->n_columns; i++) {
		Petrel__TableColumn *c = t->columns[i];

		c->mark = list_ordered(a, c->mark, sizeof(*c->mark), order, n);
		c->value = list_ordered(a, c->value, sizeof(*c->value), order,
					n);
		c->age_ns = list_ordered(a, c->age_ns, sizeof(*c->age_ns),
					 order, n);
	}
	t->json_only = list_ordered(a, t->json_only, sizeof(*t->json_only),
				    order, n);
	if (a->cut)
		t->rows = 0;
}

void *answer_room(struct answer *a, size_t octets)
{
	row_end(a);
	return arena_take(a, octets);
}

size_t answer_rows(const struct answer *a, size_t n)
{
	return n < a->message.n_tables ? a->message.tables[n]->rows : 0;
}

/* Lists without information are not sent. */
static void column_close(Petrel__TableColumn *c, size_t rows)
{
	bool is_plain = true, has_values = false, has_ages = false;

	for (size_t i = 0; i < rows; i++) {
		is_plain = is_plain && c->mark[i] == 1 + QUALITY_GOOD;
		has_values = has_values || c->value[i];
		has_ages = has_ages || (c->age_ns && c->age_ns[i]);
	}
	c->n_mark = is_plain ? 0 : rows;
	c->n_value = is_plain || has_values ? rows : 0;
	c->n_age_ns = has_ages ? rows : 0;
}

Petrel__Answer *answer_message(struct answer *a)
{
	for (size_t i = 0; i < a->message.n_tables; i++) {
		Petrel__Table *t = a->message.tables[i];

		for (size_t n = 0; n < t->n_columns; n++)
			column_close(t->columns[n], t->rows);
		t->n_json_only = t->json_only ? t->rows : 0;
	}
	return &a->message;
}
