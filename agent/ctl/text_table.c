#include "agent/ctl/text_table.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/array.h"
#include "agent/base/clean.h"
#include "agent/ctl/cell.h"
#include "agent/ctl/out_buffer.h"
#include "petrel/local.h"

#define WRAP_MIN 20u		/* a narrower last column is cut */
#define NAME_END 3u		/* octets of a single name that is cut */
#define WRAP_GOOD 40u		/* gaps are narrowed before this */

/* The texts of the rows' cells, in printing order, with a NUL after each: kept
 * from measuring, so that each is made only once.
 */
struct cell_texts {
	char *data;
	size_t used, size;
};

/* How the visible columns are laid out. */
struct layout {
	const Petrel__Table *table;
	unsigned count;
	size_t column[TABLE_COLUMNS_MAX];	/* in the table's head */
	unsigned width[TABLE_COLUMNS_MAX];
	/* Octets that all cells of a column begin with, and that a mark stands
	 * for; 0: the cells are whole.
	 */
	size_t shared[TABLE_COLUMNS_MAX];
	unsigned gap;
	enum cell_form form;
	bool wraps;			/* the last column is wrapped */
	struct cell_texts texts;
	struct out_buffer line;		/* flushed before calls of screen.c */
};

/* Returns -ENOMEM. */
static int texts_add(struct cell_texts *t, const char *text)
{
	size_t octets = strlen(text) + 1;
	char *data = array_room(t->data, &t->size, t->used + octets, 1);

	if (!data)
		return -ENOMEM;
	t->data = data;
	memcpy(t->data + t->used, text, octets);
	t->used += octets;
	return 0;
}

static const Petrel__TableColumn *head_of(const struct layout *l, unsigned i)
{
	return l->table->columns[l->column[i]];
}

static void heading_text(const Petrel__TableColumn *h,
			 char ret[static CELL_TEXT_MAX])
{
	clean_text(ret, CELL_TEXT_MAX, h->heading);
}

static unsigned heading_columns(const struct layout *l, unsigned i)
{
	char text[CELL_TEXT_MAX];

	heading_text(head_of(l, i), text);
	return (unsigned)text_columns(text);
}

/* Includes the gaps. */
static unsigned layout_total(const struct layout *l)
{
	unsigned total = l->count ? (l->count - 1) * l->gap : 0;

	for (unsigned i = 0; i < l->count; i++)
		total += l->width[i];
	return total;
}

/* Text may be cut or wrapped; numbers may not. */
static bool is_text(const struct layout *l, unsigned i)
{
	const Petrel__TableColumn *h = head_of(l, i);

	return unit_is_text(h->unit) && !h->right;
}

/* Widens the columns to fit a row, and keeps its texts. */
static int row_measure(struct layout *l, size_t row)
{
	char text[CELL_TEXT_MAX];
	int rc = 0;

	for (unsigned i = 0; i < l->count && rc == 0; i++) {
		struct cell cell = table_cell(l->table, row, l->column[i]);
		unsigned columns;

		cell_text(head_of(l, i)->unit, &cell, l->form, text);
		columns = (unsigned)text_columns(text);
		rc = texts_add(&l->texts, text);
		if (columns > l->width[i])
			l->width[i] = columns;
	}
	return rc;
}

/* The natural widths in a form. Returns -ENOMEM; stops with -ENOSPC once they
 * exceed the screen, if the last column cannot be wrapped.
 */
static int layout_measure(struct layout *l, unsigned width)
{
	bool breaks = is_text(l, l->count - 1);
	int rc = 0;

	l->texts.used = 0;
	for (unsigned i = 0; i < l->count; i++)
		l->width[i] = heading_columns(l, i);
	for (size_t r = 0; r < l->table->rows && rc == 0; r++) {
		if (table_row_is_json_only(l->table, r))
			continue;
		rc = row_measure(l, r);
		if (rc == 0 && !breaks && layout_total(l) > width)
			rc = -ENOSPC;
	}
	return rc;
}

/* Wraps the last column, if that leaves it enough room. */
static bool layout_wrap(struct layout *l, unsigned width)
{
	unsigned last = l->count - 1, rest = layout_total(l) - l->width[last];
	unsigned least = l->gap > 1 ? WRAP_GOOD : WRAP_MIN;

	if (!is_text(l, last) || l->width[last] < WRAP_MIN ||
	    rest + least > width)
		return false;
	l->width[last] = width - rest;
	l->wraps = true;
	return true;
}

/* Whether a column tells what the row is about: two that are cut to the same
 * would be taken for each other.
 */
static bool is_name(const struct layout *l, unsigned i)
{
	static const char *const keys[] = { "entity", "port", "ports", "queue",
					    "sensor", "subject", "switch" };

	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		if (strcmp(head_of(l, i)->key, keys[k]) == 0)
			return true;
	return false;
}

/* The text column that exceeds its heading most, but no name; the first one
 * last.
 */
static unsigned widest_text(const struct layout *l)
{
	unsigned best = l->count, spare = 0;

	for (unsigned i = l->count; i-- > 0;) {
		unsigned heading = heading_columns(l, i);
		unsigned least = heading ? heading : 1;

		if (!is_text(l, i) || is_name(l, i) || l->width[i] <= least ||
		    (i == 0 && best < l->count) || l->width[i] - least <= spare)
			continue;
		best = i;
		spare = l->width[i] - least;
	}
	return best;
}

/* The cell below one, or the next one of the first row. */
static const char *text_after(const char *text, unsigned cells)
{
	while (cells--)
		text += strlen(text) + 1;
	return text;
}

/* How many octets all cells of a column begin with, up to where their numbers
 * begin; 0 if that is all of a cell. Of a single name the end remains.
 */
static size_t texts_share(const struct layout *l, const char *first)
{
	const char *end = l->texts.data + l->texts.used, *text = first;
	size_t shared = strlen(first), least = shared;
	bool is_single = true;

	for (; text < end; text = text_after(text, l->count)) {
		size_t len = strlen(text);

		is_single = is_single && strcmp(text, first) == 0;
		least = len < least ? len : least;
		shared = least < shared ? least : shared;
		while (strncmp(first, text, shared) != 0)
			shared--;
	}
	while (shared && isdigit((unsigned char)first[shared - 1]))
		shared--;
	if (shared == least && is_single && least > NAME_END)
		shared = least - NAME_END;
	while (shared && (first[shared] & 0xc0) == 0x80)
		shared--;
	return shared < least ? shared : 0;
}

/* Cuts off what all names of a column share: they still differ. */
static void name_cut(struct layout *l, unsigned i)
{
	const char *first = text_after(l->texts.data, i);
	unsigned heading = heading_columns(l, i), width = l->width[i];
	char text[CELL_TEXT_MAX];

	l->shared[i] = texts_share(l, first);
	if (l->shared[i] < 2) {
		l->shared[i] = 0;	/* the mark needs a column itself */
		return;
	}
	(void)snprintf(text, sizeof(text), "%.*s", (int)l->shared[i], first);
	width -= (unsigned)text_columns(text) - 1;
	l->width[i] = width > heading ? width : heading;
}

/* Wraps the last column in the least room, if only others that are longer have
 * to be cut for it.
 */
static bool layout_squeeze(struct layout *l, unsigned width)
{
	unsigned last = l->count - 1, least = heading_columns(l, last), i;
	unsigned was[TABLE_COLUMNS_MAX];

	least = least > WRAP_MIN ? least : WRAP_MIN;
	if (!is_text(l, last) || l->width[last] <= least)
		return false;
	memcpy(was, l->width, sizeof(was));
	l->width[last] = least;
	while (layout_total(l) > width && (i = widest_text(l)) < last)
		l->width[i]--;
	l->wraps = layout_total(l) <= width;
	if (!l->wraps)
		memcpy(l->width, was, sizeof(was));
	return l->wraps;
}

/* Narrows the widest column step by step, so that all texts are cut alike;
 * names last, and only so far that no two of them look the same.
 */
static void layout_cut(struct layout *l, unsigned width)
{
	unsigned i;

	while (layout_total(l) > width && (i = widest_text(l)) < l->count)
		l->width[i]--;
	for (i = 0; i < l->count && layout_total(l) > width; i++)
		if (is_text(l, i) && is_name(l, i))
			name_cut(l, i);
}

/* Uses the first try that fits; if none does, cuts texts in the last form.
 * Returns -ENOMEM.
 */
static int layout_fit(struct layout *l, unsigned width)
{
	static const struct {
		unsigned gap;
		enum cell_form form;
	} tries[] = { { 2, FORM_TABLE }, { 1, FORM_TABLE }, { 1, FORM_SHORT } };
	const size_t last = sizeof(tries) / sizeof(tries[0]) - 1;

	for (size_t i = 0; i <= last; i++) {
		int rc;

		l->gap = tries[i].gap;
		l->form = tries[i].form;
		rc = layout_measure(l, i < last ? width : UINT_MAX);
		if (rc == -ENOMEM)
			return rc;
		if (rc == 0 && (layout_total(l) <= width ||
				layout_wrap(l, width)))
			return 0;
	}
	if (!layout_squeeze(l, width))
		layout_cut(l, width);
	return 0;
}

/* Keeps the end, after the mark. */
static void front_cut(char *text, unsigned width)
{
	size_t columns = text_columns(text), i = 0;

	for (; columns >= width; i++)
		columns -= (text[i + 1] & 0xc0) != 0x80;
	text[0] = '~';
	memmove(text + 1, text + i, strlen(text + i) + 1);
}

/* Cuts text to width columns, one of them the mark. */
static void text_cut(char *text, unsigned width, bool keeps_end)
{
	size_t i = 0;
	unsigned columns = 0;

	if (keeps_end) {
		front_cut(text, width);
		return;
	}
	for (; text[i]; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80 &&
		    columns++ == width - 1)
			break;
	text[i++] = '~';
	text[i] = '\0';
}

struct word_tint {
	const char *word;
	enum tint tint;
};

/* The tint of a severity, in any column, and of a value past a limit. */
static enum tint tint_of(const char *text)
{
	size_t len = strlen(text);

	static const struct word_tint tints[] = {
		{ "C", TINT_CRITICAL },	  { "W", TINT_WARN },
		{ "w", TINT_WATCH },	  { "critical", TINT_CRITICAL },
		{ "warn", TINT_WARN },	  { "watch", TINT_WATCH },
		{ "dn", TINT_CRITICAL },  { "broken", TINT_CRITICAL },
		{ "hangs", TINT_CRITICAL }, { "stale", TINT_WARN },
		{ "blind", TINT_WARN },	  { "not running", TINT_CRITICAL },
		{ "degraded", TINT_WARN },
	};

	for (size_t i = 0; i < sizeof(tints) / sizeof(tints[0]); i++)
		if (strcmp(tints[i].word, text) == 0)
			return tints[i].tint;
	return len > 0 && text[len - 1] == '!' ? TINT_WARN : TINT_NONE;
}

/* The tint of a sentence that begins with such a word. */
static enum tint tint_of_sentence(const char *text)
{
	char word[CELL_TEXT_MAX];

	(void)snprintf(word, sizeof(word), "%.*s", (int)strcspn(text, ":;"),
		       text);
	return tint_of(word);
}

/* Prints one cell, padded except at the end of the line. */
static void cell_print(const struct screen *s, struct layout *l, unsigned i,
		       char *text, enum tint tint)
{
	unsigned pad, gap = i ? l->gap : 0;

	if (text_columns(text) > l->width[i])
		text_cut(text, l->width[i], head_of(l, i)->unit == CELL_PEER);
	pad = l->width[i] - (unsigned)text_columns(text);
	out_buffer_fill(&l->line, ' ', head_of(l, i)->right ? gap + pad : gap);
	if (tint != TINT_NONE) {
		out_buffer_flush(&l->line);
		screen_tint(s, tint);
	}
	out_buffer_put(&l->line, text, strlen(text));
	if (tint != TINT_NONE) {
		out_buffer_flush(&l->line);
		screen_plain(s, tint);
	}
	if (!head_of(l, i)->right && i + 1 < l->count)
		out_buffer_fill(&l->line, ' ', pad);
}

/* A wrapped last column has an indent of its own. next: the row's texts;
 * returns what follows them.
 */
static char *row_print(const struct screen *s, struct layout *l,
		       char *next)
{
	unsigned last = l->count - 1, at = layout_total(l) - l->width[last];

	for (unsigned i = 0; i < l->count; i++) {
		char *text = next;

		next += strlen(text) + 1;
		if (l->shared[i]) {
			text += l->shared[i] - 1;
			text[0] = '~';
		}
		if (l->wraps && i == last) {
			out_buffer_flush(&l->line);
			screen_wrap(s, at - l->gap, at, text);
		} else {
			cell_print(s, l, i, text,
				   s->colour &&
				   unit_is_text(head_of(l, i)->unit) ?
				   tint_of(text) : TINT_NONE);
		}
	}
	if (!l->wraps)
		out_buffer_fill(&l->line, '\n', 1);
	return next;
}

static void heading_print(const struct screen *s, struct layout *l)
{
	char text[CELL_TEXT_MAX];

	for (unsigned i = 0; i < l->count; i++) {
		heading_text(head_of(l, i), text);
		cell_print(s, l, i, text, TINT_HEAD);
	}
	out_buffer_fill(&l->line, '\n', 1);
}

/* One row as lines of key and value. */
static void single_print(const struct screen *s, const struct layout *l)
{
	char key[CELL_TEXT_MAX], text[CELL_TEXT_MAX];
	struct screen line = *s;	/* not wrapped on a pipe, like rows */
	unsigned width = 0;

	line.width = s->table_width;
	for (unsigned i = 0; i < l->count; i++)
		if (heading_columns(l, i) > width)
			width = heading_columns(l, i);
	for (unsigned i = 0; i < l->count; i++) {
		struct cell cell = table_cell(l->table, 0, l->column[i]);
		unsigned pad;

		heading_text(head_of(l, i), key);
		pad = width - (unsigned)text_columns(key);
		cell_text(head_of(l, i)->unit, &cell, FORM_LONG, text);
		(void)fprintf(s->out, "%s:%*s", key, (int)pad + 1, "");
		screen_tint(s, tint_of_sentence(text));
		screen_wrap(&line, width + 2, width + 2, text);
		screen_plain(s, tint_of_sentence(text));
	}
}

static size_t rows_shown(const Petrel__Table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->rows; i++)
		n += !table_row_is_json_only(t, i);
	return n;
}

static void table_body(const struct screen *s, struct layout *l)
{
	const Petrel__Table *t = l->table;
	char *next;

	if (t->single) {
		single_print(s, l);
		return;
	}
	if (layout_fit(l, s->table_width) < 0) {
		(void)fprintf(s->out, "(out of memory for this table)\n");
		return;
	}
	l->line.out = s->out;
	heading_print(s, l);
	next = l->texts.data;
	for (size_t i = 0; next && i < t->rows; i++)
		if (!table_row_is_json_only(t, i))
			next = row_print(s, l, next);
	out_buffer_flush(&l->line);
}

/* Each line is a sentence. */
static void notes_print(const struct screen *s, const char *notes)
{
	char line[CELL_TEXT_MAX], note[CELL_TEXT_MAX];

	while (*notes) {
		size_t len = strcspn(notes, "\n");

		(void)snprintf(line, sizeof(line), "%.*s", (int)len, notes);
		clean_text(note, sizeof(note), line);
		screen_wrap(s, 0, 0, note);
		notes += len + (notes[len] == '\n');
	}
}

bool table_print(const struct screen *s, const Petrel__Table *t, bool apart)
{
	struct layout l = { .table = t };
	bool has_rows;

	for (size_t i = 0; i < t->n_columns; i++)
		if (!t->columns[i]->json_only ||
		    (s->is_wide && t->columns[i]->heading[0]))
			l.column[l.count++] = i;
	has_rows = l.count && rows_shown(t);
	if (apart && (has_rows || t->note[0]))
		(void)fputc('\n', s->out);
	if (has_rows)
		table_body(s, &l);
	free(l.texts.data);
	notes_print(s, t->note);
	return has_rows || t->note[0];
}
