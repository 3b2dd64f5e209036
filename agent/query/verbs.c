#include "agent/query/verbs.h"

#include <stdlib.h>
#include <string.h>

#include "agent/base/joined.h"
#include "agent/base/names.h"
#include "agent/query/message.h"
#include "petrel/local.h"

int verb_answer(const struct verb *v, struct query *q)
{
	int code;

	q->verb = v;
	query_begin(q);
	code = v->takes_ports ? choice_take(q) : choice_take_asic(q);
	if (code != EXIT_ANSWERED)
		return code;
	return v->answer ? v->answer(q) : verb_tables(q);
}

int verbs_handle(void *context, const struct verb *v,
		 struct query_client *client, const Petrel__Request *request,
		 struct answer *a)
{
	struct query q = { .ctx = context, .client = client,
			   .request = request, .a = a };

	return verb_answer(v, &q);
}

/* --- rows ---------------------------------------------------------------- */

void rows_single(struct query *q)
{
	answer_table(q->a, q->shape);
	cells_row(q);
}

void rows_ports(struct query *q)
{
	size_t at = 0;
	uint32_t port;

	answer_table(q->a, q->shape);
	while (choice_next(q, &at, &port))
		cells_port_row(q, port);
	if (at == 0)
		query_note_none(q, "port");
}

/* Whether an argument is part of the name. No arguments: matches all. */
static bool name_is_asked(const Petrel__Request *request, const char *name)
{
	for (size_t i = 0; i < request->n_args; i++)
		if (strcasestr(name, request->args[i]))
			return true;
	return request->n_args == 0;
}

static bool is_wanted(const struct query *q, const struct inventory_entity *e)
{
	if (choice_names_kind(e->key.kind))
		return choice_has(&q->wanted, q->ctx, e->id);
	return choice_is_of(q->ctx, e->id, q->wanted.asic) &&
	       (q->verb->takes_ports ||
		name_is_asked(q->request, inventory_shown(e)));
}

void rows_entities(struct query *q)
{
	const struct inventory_entity *e;
	size_t at = 0;

	answer_table(q->a, q->shape);
	while ((e = query_next(q->ctx, q->shape->kind, &at))) {
		q->known++;
		q->of[OF_ROW] = e->id;
		if (is_wanted(q, e))
			cells_row(q);
	}
}

/* Whether a value of the row shows traffic. If the rate of a counter is not
 * known yet, as after the first reading, a value other than 0 counts.
 */
static bool is_active(const struct query *q, const struct activity *what)
{
	enum quantity quantity = (enum quantity)what->quantity;
	uint32_t entity = q->of[what->of];
	struct state_rate rate;

	if (entity == ENTITY_NONE)
		return false;
	if (!what->ever && quantity_find((uint16_t)quantity)->kind ==
	    KIND_COUNTER &&
	    state_rate(q->ctx->state, entity, quantity, 0, &rate))
		return rate.per_s > 0;
	return query_value(q->ctx, entity, quantity, 0) != 0;
}

/* True if the row shows no traffic and is left out; then counts it as idle or
 * as never read.
 */
static bool row_is_folded(struct query *q)
{
	const struct activity *what;
	struct state_value v;
	bool is_read = false;

	if (q->request->all)
		return false;
	for (what = q->shape->active; what->quantity; what++) {
		if (is_active(q, what))
			return false;
		is_read = is_read || (what->of == OF_ROW &&
				      state_value(q->ctx->state, q->of[OF_ROW],
						  (enum quantity)what->quantity,
						  0, &v));
	}
	q->folded.things = q->shape->things;
	q->folded.idle += is_read;
	q->folded.unread += !is_read;
	return true;
}

#define CHILDREN_MAX 64		/* queues or priority groups of a port */

/* SONiC maps priority n to queue n (MAP_PFC_PRIORITY_TO_QUEUE as shipped); a
 * multicast queue has no priority that can be paused.
 */
static uint32_t priority_of(const struct query *q, unsigned number)
{
	const char *type = query_attribute(q->ctx, q->of[OF_ROW],
					   ATTRIBUTE_QUEUE_TYPE);

	if (type && strcmp(type, "multicast") == 0)
		return ENTITY_NONE;
	return state_child(q->ctx->state, q->of[OF_PORT], ENTITY_PRIORITY,
			   number);
}

static void children_of(struct query *q, uint32_t parent)
{
	q->of[OF_PORT] = parent;
	for (unsigned n = 0; n < CHILDREN_MAX; n++) {
		q->of[OF_ROW] = state_child(q->ctx->state, parent,
					    (enum entity_kind)q->shape->kind,
					    n);
		if (q->of[OF_ROW] == ENTITY_NONE)
			continue;
		q->known++;
		q->of[OF_PRIORITY] = priority_of(q, n);
		if (!row_is_folded(q))
			cells_row(q);
	}
}

/* Ports are in the order of their names. */
void rows_children(struct query *q)
{
	const struct inventory_entity *e;
	size_t at = 0;
	uint32_t port;

	answer_table(q->a, q->shape);
	while (q->shape->parent == ENTITY_PORT && choice_next(q, &at, &port))
		children_of(q, port);
	while (q->shape->parent != ENTITY_PORT &&
	       (e = query_next(q->ctx, q->shape->parent, &at)))
		if (choice_has(&q->wanted, q->ctx, e->id))
			children_of(q, e->id);
}

const struct answer_shape shape_folded = {
	"folded", .single = true, .rows = rows_folded, .columns = {
	{ "idle", "", CELL_INTEGER },
	{ "never_read", "", CELL_INTEGER },
	{ .key = NULL },
} };

void rows_folded(struct query *q)
{
	size_t idle = q->folded.idle, unread = q->folded.unread;
	const char *things = q->folded.things;

	answer_table(q->a, q->shape);
	answer_row(q->a);
	answer_integer(q->a, (int64_t)idle);
	answer_integer(q->a, (int64_t)unread);
	if (idle && unread)
		answer_note(q->a, "not shown: %zu idle %s, and %zu without a "
			    "reading; --all shows them", idle, things,
			    unread);
	else if (idle)
		answer_note(q->a, "not shown: %zu idle %s; --all shows them",
			    idle, things);
	else if (unread)
		answer_note(q->a, "not shown: %zu %s without a reading; --all "
			    "shows them", unread, things);
}

/* --- order --------------------------------------------------------------- */

#define NAMES_MAX 96
#define COLUMNS_TEXT_MAX 256

/* How rows are compared. */
struct order {
	const Petrel__Table *table;
	size_t column;
	bool falls;
};

/* A severity's place, by its word or its mark; 0: the text is none. */
static unsigned severity_place(const char *text)
{
	static const char marks[] = "-wWC";

	for (unsigned i = 1; i < SEVERITY_COUNT; i++)
		if (strcmp(text, severity_name((enum severity)i)) == 0 ||
		    (text[0] == marks[i] && !text[1]))
			return i;
	return 0;
}

static int text_order(const char *a, const char *b)
{
	unsigned x = severity_place(a), y = severity_place(b);

	if (x && y)
		return (int)x - (int)y;
	return strverscmp(a, b);	/* Ethernet8 before 16 */
}

static int cell_order(const struct cell *a, const struct cell *b, uint32_t unit)
{
	if (unit_is_text(unit))
		return text_order(a->text, b->text);
	if (a->value == b->value)
		return 0;
	if (a->is_pattern != b->is_pattern)
		return a->is_pattern ? 1 : -1;
	if (unit == CELL_UNSIGNED)
		return (uint64_t)a->value < (uint64_t)b->value ? -1 : 1;
	return a->value < b->value ? -1 : 1;
}

/* Absent is neither high nor low: it is last in both directions. */
static int row_order(size_t x, size_t y, const struct order *o)
{
	struct cell a = table_cell(o->table, x, o->column);
	struct cell b = table_cell(o->table, y, o->column);
	int order;

	if (a.absent || b.absent)
		return (int)a.absent - (int)b.absent;
	order = cell_order(&a, &b, o->table->columns[o->column]->unit);
	return o->falls ? -order : order;
}

/* Equal rows keep their order. */
static int place_order(const void *left, const void *right, void *context)
{
	uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
	int order = row_order(x, y, context);

	return order ? order : (x > y) - (x < y);
}

static void rows_sort(struct answer *a, Petrel__Table *t, struct order *o)
{
	uint32_t *rows = answer_room(a, t->rows * sizeof(*rows));

	for (uint32_t i = 0; rows && i < t->rows; i++)
		rows[i] = i;
	if (!rows)
		return;
	qsort_r(rows, t->rows, sizeof(*rows), place_order, o);
	answer_order(a, t, rows);
}

/* How well a word fits a column: 3 it is the key, 2 the heading, 1 the
 * beginning of either, 0 none of them.
 */
static int column_fits(const Petrel__TableColumn *c, const char *word)
{
	size_t len = strlen(word);

	if (strcasecmp(word, c->key) == 0)
		return 3;
	if (strcasecmp(word, c->heading) == 0)
		return 2;
	return strncasecmp(word, c->key, len) == 0 ||
	       strncasecmp(word, c->heading, len) == 0;
}

/* The columns that fit best. */
struct columns_found {
	size_t first, count;
	int fits;
	char names[COLUMNS_TEXT_MAX];
};

static void columns_find(const Petrel__Table *t, const char *word,
			 struct columns_found *ret)
{
	*ret = (struct columns_found){ .fits = 1 };
	for (size_t i = 0; i < t->n_columns && word[0]; i++) {
		const char *key = t->columns[i]->key;
		int fits = column_fits(t->columns[i], word);

		if (fits < ret->fits)
			continue;
		if (fits > ret->fits || ret->count == 0)
			*ret = (struct columns_found){ i, 0, fits, "" };
		joined_add(ret->names, sizeof(ret->names), ", ", "%s", key);
		ret->count++;
	}
}

static int column_unknown(const Petrel__Table *t, struct answer *a,
			  const char *word)
{
	const char *names[NAMES_MAX], *near;
	size_t n = 0;

	for (size_t i = 0; i < t->n_columns && n + 1 < NAMES_MAX; i++) {
		names[n++] = t->columns[i]->key;
		if (t->columns[i]->heading[0])
			names[n++] = t->columns[i]->heading;
	}
	near = nearest_name(word, names, n);
	return answer_error(a, EXIT_USAGE, "no column '%.64s' to sort by%s%s; "
			    "--json lists all", word,
			    near ? "; nearest is " : "", near ? near : "");
}

/* Sorts by a column's name; a '-' before it: the highest first. */
static int table_sort(struct query *q, Petrel__Table *t, const char *sort)
{
	struct order o = { .table = t, .falls = sort[0] == '-' };
	struct columns_found found;

	columns_find(t, sort + o.falls, &found);
	if (found.count == 0)
		return column_unknown(t, q->a, sort + o.falls);
	if (found.count > 1)
		return answer_error(q->a, EXIT_USAGE, "'%.64s' may mean one of "
				    "%zu columns: %s", sort + o.falls,
				    found.count, found.names);
	o.column = found.first;
	rows_sort(q->a, t, &o);
	return EXIT_ANSWERED;
}

int verb_order(struct query *q)
{
	Petrel__Answer *m = answer_message(q->a);
	Petrel__Table *t = m->n_tables ? m->tables[0] : NULL;
	const char *sort = q->request->sort;
	uint32_t top = q->request->top;
	int code;

	if (!sort[0])
		sort = q->verb->sort ? q->verb->sort : "";
	if (t && sort[0]) {
		code = table_sort(q, t, sort);
		if (code != EXIT_ANSWERED)
			return code;
	}
	if (t && top && t->rows > top)
		t->rows = top;
	return EXIT_ANSWERED;
}

int verb_tables(struct query *q)
{
	const struct answer_shape *const *t = q->verb->tables;
	const char *noun = q->verb->noun;

	for (size_t i = 0; i < VERB_TABLES_MAX && t[i]; i++) {
		q->shape = t[i];
		q->shape->rows(q);
	}
	if (noun && q->known == 0)
		query_note_none(q, noun);
	else if (noun && !q->verb->takes_ports && q->request->n_args &&
		 answer_rows(q->a, 0) == 0)
		return answer_error(q->a, EXIT_NO_SUCH, "no %s has '%.64s' in "
				    "its name; petrel %s lists all %zu", noun,
				    q->request->args[0], q->verb->name,
				    q->known);
	return verb_takes(q->verb, "--sort") ? verb_order(q) : EXIT_ANSWERED;
}
