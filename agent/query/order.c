#include "agent/query/order.h"

#include <string.h>

#include "agent/base/names.h"
#include "agent/query/message.h"

#define NAMES_MAX 96

/* What rows are compared by. */
struct order {
	const Petrel__Table *table;
	size_t column;
	bool falls, is_text, is_unsigned;
};

static int text_order(const struct cell *a, const struct cell *b)
{
	return strverscmp(a->text, b->text);	/* Ethernet8 before 16 */
}

static int number_order(const struct cell *a, const struct cell *b,
			bool is_unsigned)
{
	if (a->value == b->value)
		return 0;
	if (is_unsigned)
		return (uint64_t)a->value < (uint64_t)b->value ? -1 : 1;
	return a->value < b->value ? -1 : 1;
}

/* Absent is neither high nor low: it comes last either way. */
static int row_order(size_t x, size_t y, const struct order *o)
{
	struct cell a = table_cell(o->table, x, o->column);
	struct cell b = table_cell(o->table, y, o->column);
	int order;

	if (a.absent || b.absent)
		return (int)a.absent - (int)b.absent;
	order = o->is_text ? text_order(&a, &b) :
			     number_order(&a, &b, o->is_unsigned);
	return o->falls ? -order : order;
}

/* Each row goes behind those that are not above it: the order is stable. */
static void rows_sort(struct answer *a, Petrel__Table *t, const struct order *o)
{
	uint32_t *rows = answer_room(a, t->rows * sizeof(*rows));

	if (!rows)
		return;
	for (size_t i = 0; i < t->rows; i++) {
		size_t low = 0, high = i;

		while (low < high) {
			size_t middle = (low + high) / 2;

			if (row_order(i, rows[middle], o) < 0)
				high = middle;
			else
				low = middle + 1;
		}
		memmove(&rows[low + 1], &rows[low],
			(i - low) * sizeof(rows[0]));
		rows[low] = (uint32_t)i;
	}
	answer_order(a, t, rows);
}

/* How much of a column's key or heading the word is: 2 all of it, 1 its
 * beginning, 0 nothing.
 */
static int name_fits(const char *word, const char *name)
{
	if (strcasecmp(word, name) == 0)
		return 2;
	return name[0] && strncasecmp(word, name, strlen(word)) == 0;
}

/* The first column that fits best; n_columns when none does. */
static size_t column_find(const Petrel__Table *t, const char *word)
{
	size_t best = t->n_columns;
	int fit = 0;

	for (size_t i = 0; i < t->n_columns; i++) {
		int key = name_fits(word, t->columns[i]->key);
		int heading = name_fits(word, t->columns[i]->heading);

		if ((key > heading ? key : heading) <= fit)
			continue;
		fit = key > heading ? key : heading;
		best = i;
	}
	return best;
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
			    "--json names them all", word,
			    near ? "; nearest is " : "", near ? near : "");
}

static int table_sort(Petrel__Table *t, const char *word, struct answer *a)
{
	struct order o = { .table = t, .falls = word[0] == '-' };
	uint32_t unit;

	word += o.falls;
	o.column = word[0] ? column_find(t, word) : t->n_columns;
	if (o.column == t->n_columns)
		return column_unknown(t, a, word);
	unit = t->columns[o.column]->unit;
	o.is_text = unit == CELL_TEXT || unit == CELL_PEER;
	o.is_unsigned = unit == CELL_UNSIGNED;
	rows_sort(a, t, &o);
	return EXIT_ANSWERED;
}

int order_apply(const Petrel__Request *request, struct answer *a)
{
	return order_apply_by(request, "", a);
}

int order_apply_by(const Petrel__Request *request, const char *column,
		   struct answer *a)
{
	Petrel__Answer *m = answer_message(a);
	Petrel__Table *t = m->n_tables ? m->tables[0] : NULL;
	const char *sort = request->sort[0] ? request->sort : column;
	int code = EXIT_ANSWERED;

	if (t && sort[0])
		code = table_sort(t, sort, a);
	if (t && code == EXIT_ANSWERED && request->top &&
	    t->rows > request->top)
		t->rows = request->top;
	return code;
}
