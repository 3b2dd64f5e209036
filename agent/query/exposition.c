#include "agent/query/exposition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/metric.h"
#include "agent/base/number.h"
#include "agent/query/message.h"

/* --- which form ---------------------------------------------------------- */

#define OPENMETRICS_TYPE "application/openmetrics-text"

const char *exposition_type(enum exposition how)
{
	return how == EXPOSITION_OPENMETRICS ?
	       OPENMETRICS_TYPE "; version=1.0.0; charset=utf-8" :
	       "text/plain; version=0.0.4; charset=utf-8";
}

/* The weight of one type in an Accept list, in thousandths. */
static int64_t weight_of(const char *at, size_t len)
{
	const char *q = memmem(at, len, "q=", 2);
	int64_t ret;

	if (!q)
		return 1000;
	q += 2;
	len = strcspn(q, " \t;,");
	return number_parse_scaled(q, len, 1000, &ret) < 0 ? 0 : ret;
}

enum exposition exposition_accepted(const char *accept)
{
	int64_t open = 0, other = 0;

	for (const char *at = accept ? accept : ""; *at;) {
		size_t len, all = strcspn(at, ",");
		int64_t *of;

		while (all && (*at == ' ' || *at == '\t')) {
			at++;
			all--;
		}
		len = strcspn(at, " \t;,");
		of = len == strlen(OPENMETRICS_TYPE) &&
		     strncasecmp(at, OPENMETRICS_TYPE, len) == 0 ? &open :
		     &other;
		if (weight_of(at, all) > *of)
			*of = weight_of(at, all);
		at += all + (at[all] == ',');
	}
	return open && open >= other ? EXPOSITION_OPENMETRICS :
				       EXPOSITION_PROMETHEUS;
}

/* --- labels -------------------------------------------------------------- */

/* A column with a metric. */
struct metric_ref {
	const char *key;
	uint32_t table, column;
	size_t row;		/* of the table's first, among all rows */
};

struct exposition_run {
	FILE *out;
	enum exposition how;
	const Petrel__Answer *a;
	/* The labels of each row of each table, shared by all its metrics, one
	 * after another; and where those of each row end.
	 */
	char *labels;
	size_t *end;
	struct metric_ref *ref;
	size_t refs, left;		/* left: samples up to the bound */
	bool is_cut;
};

/* Escapes backslash, newline and, except in help of the text format, quotes. */
static void escaped_put(FILE *out, const char *text, bool quotes)
{
	for (; *text; text++) {
		size_t plain = strcspn(text, quotes ? "\\\n\"" : "\\\n");

		(void)fwrite_unlocked(text, 1, plain, out);
		text += plain;
		if (!*text)
			return;
		(void)putc_unlocked('\\', out);
		(void)putc_unlocked(*text == '\n' ? 'n' : *text, out);
	}
}

static void row_labels_put(FILE *out, const Petrel__Table *t, size_t row)
{
	const char *gap = "";

	for (size_t i = 0; i < t->n_columns; i++) {
		struct cell c = table_cell(t, row, i);

		if (!unit_is_text(t->columns[i]->unit) || c.absent)
			continue;
		(void)fprintf(out, "%s%s=\"", gap, t->columns[i]->key);
		escaped_put(out, c.text, true);
		(void)putc_unlocked('"', out);
		gap = ",";
	}
}

static int labels_make(struct exposition_run *r)
{
	const Petrel__Answer *a = r->a;
	size_t len, rows = 0;
	FILE *out;

	for (size_t i = 0; i < a->n_tables; i++)
		rows += a->tables[i]->rows;
	r->end = calloc(rows + 1, sizeof(*r->end));
	if (!r->end)
		return -ENOMEM;
	out = open_memstream(&r->labels, &len);
	if (!out)
		return -ENOMEM;
	rows = 0;
	for (size_t i = 0; i < a->n_tables; i++)
		for (size_t k = 0; k < a->tables[i]->rows; k++) {
			row_labels_put(out, a->tables[i], k);
			r->end[++rows] = (size_t)ftell(out);
		}
	return fclose(out) == 0 ? 0 : -ENOMEM;
}

/* --- families ------------------------------------------------------------ */

/* A family's name, and how its values are written. */
struct family {
	const struct quantity_info *quantity;	/* NULL: Petrel's own */
	struct metric metric;
	const char *type;
	size_t stem;		/* of its name without suffix, in OpenMetrics */
};

/* The scale of Petrel's own metrics. */
static struct metric_scale cell_scale(uint32_t unit)
{
	switch (unit) {
	case CELL_AGE_NS:
	case CELL_WALL_NS:
	case CELL_NS:
		return (struct metric_scale){ 1, -9 };
	case CELL_PPM:
		return (struct metric_scale){ 1, -6 };
	default:
		return (struct metric_scale){ 1, 0 };
	}
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && strcmp(text + n - m, end) == 0;
}

static void family_make(struct exposition_run *r, const struct metric_ref *ref,
			struct family *ret)
{
	const Petrel__TableColumn *c =
		r->a->tables[ref->table]->columns[ref->column];
	struct metric *m = &ret->metric;
	bool is_open = r->how == EXPOSITION_OPENMETRICS;

	ret->quantity = quantity_find_name(ref->key);
	if (ret->quantity) {
		metric_of(ret->quantity, m);
	} else {
		*m = (struct metric){ .unit = "",
				      .scale = cell_scale(c->unit),
				      .is_unsigned = c->unit == CELL_UNSIGNED };
		(void)snprintf(m->name, sizeof(m->name), METRIC_PREFIX "%s",
			       ref->key);
		m->is_counter = ends_in(m->name, "_total");
	}
	ret->stem = strlen(m->name);
	ret->type = m->is_counter ? "counter" : "gauge";
	if (is_open && m->is_counter)
		ret->stem -= strlen("_total");
	if (is_open && ends_in(m->name, "_info")) {
		ret->stem -= strlen("_info");
		ret->type = "info";
	}
}

/* The words of an enumeration, after its help. */
static void words_put(struct exposition_run *r, const struct quantity_info *q)
{
	const char *gap = ": ";

	for (int64_t i = 0; i < 64; i++) {
		const char *word = quantity_word((enum quantity)q->id, i);

		if (!word)
			continue;
		(void)fprintf(r->out, "%s%lld %s", gap, (long long)i, word);
		gap = ", ";
	}
}

static void head_put(struct exposition_run *r, const struct family *f,
		     const char *heading)
{
	bool is_open = r->how == EXPOSITION_OPENMETRICS;
	const char *name = f->metric.name;
	int stem = (int)f->stem;

	(void)fprintf(r->out, "# HELP %.*s ", stem, name);
	escaped_put(r->out, f->quantity ? f->quantity->help : heading, is_open);
	if (f->quantity && f->quantity->unit == UNIT_ENUM)
		words_put(r, f->quantity);
	(void)fprintf(r->out, "\n# TYPE %.*s %s\n", stem, name, f->type);
	if (is_open && f->metric.unit[0])
		(void)fprintf(r->out, "# UNIT %.*s %s\n", stem, name,
			      f->metric.unit);
}

static void sample_put(struct exposition_run *r, const struct family *f,
		       const struct metric_ref *ref, size_t row, int64_t value)
{
	const Petrel__TableColumn *c =
		r->a->tables[ref->table]->columns[ref->column];
	size_t at = r->end[ref->row + row];
	size_t len = r->end[ref->row + row + 1] - at;
	bool is_indexed = f->quantity && c->heading[0];
	char text[METRIC_VALUE_MAX];

	(void)fputs_unlocked(f->metric.name, r->out);
	if (len || is_indexed)
		(void)putc_unlocked('{', r->out);
	(void)fwrite_unlocked(r->labels + at, 1, len, r->out);
	if (is_indexed)
		(void)fprintf(r->out, "%s%s=\"%s\"", len ? "," : "",
			      metric_index_label(f->quantity), c->heading);
	if (len || is_indexed)
		(void)putc_unlocked('}', r->out);
	(void)putc_unlocked(' ', r->out);
	len = metric_text(f->metric.scale, value, f->metric.is_unsigned, text);
	text[len++] = '\n';
	(void)fwrite_unlocked(text, 1, len, r->out);
}

/* The number of samples in these columns. */
static size_t samples_count(const struct exposition_run *r,
			    const struct metric_ref *ref, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		const Petrel__Table *t = r->a->tables[ref[i].table];

		for (size_t row = 0; row < t->rows; row++)
			count += !table_cell(t, row, ref[i].column).absent;
	}
	return count;
}

/* Writes a family: n columns with the same key. */
static void family_put(struct exposition_run *r, const struct metric_ref *ref,
		       size_t n)
{
	const Petrel__Table *first = r->a->tables[ref->table];
	size_t count = samples_count(r, ref, n);
	struct family f;

	if (r->is_cut || count > r->left) {
		r->is_cut = true;
		return;
	}
	if (count == 0)
		return;
	r->left -= count;
	family_make(r, ref, &f);
	head_put(r, &f, first->columns[ref->column]->heading);
	for (size_t i = 0; i < n; i++) {
		const Petrel__Table *t = r->a->tables[ref[i].table];

		for (size_t row = 0; row < t->rows; row++) {
			struct cell c = table_cell(t, row, ref[i].column);

			if (!c.absent)
				sample_put(r, &f, &ref[i], row, c.value);
		}
	}
}

/* --- all of it ----------------------------------------------------------- */

static int ref_order(const void *left, const void *right)
{
	const struct metric_ref *a = left, *b = right;
	int rc = strcmp(a->key, b->key);

	if (rc)
		return rc;
	if (a->table != b->table)
		return a->table < b->table ? -1 : 1;
	return a->column < b->column ? -1 : 1;
}

/* Lists the columns with metrics, sorted by family. */
static int refs_make(struct exposition_run *r)
{
	size_t all = 0, row = 0;

	for (size_t i = 0; i < r->a->n_tables; i++)
		all += r->a->tables[i]->n_columns;
	r->ref = calloc(all + 1, sizeof(*r->ref));
	if (!r->ref)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->a->n_tables; i++) {
		const Petrel__Table *t = r->a->tables[i];

		for (uint32_t k = 0; k < t->n_columns; k++)
			if (!unit_is_text(t->columns[k]->unit))
				r->ref[r->refs++] = (struct metric_ref){
					t->columns[k]->key, i, k, row };
		row += t->rows;
	}
	qsort(r->ref, r->refs, sizeof(*r->ref), ref_order);
	return 0;
}

/* A gauge that the exposition itself adds. */
static void own_put(FILE *out, const char *name, const char *help, bool value)
{
	(void)fprintf(out, "# HELP " METRIC_PREFIX "%s %s\n# TYPE "
		      METRIC_PREFIX "%s gauge\n" METRIC_PREFIX "%s %d\n", name,
		      help, name, name, value);
}

static int answer_put(struct exposition_run *r)
{
	int rc = refs_make(r);

	if (rc == 0)
		rc = labels_make(r);
	for (size_t i = 0, n; rc == 0 && i < r->refs; i += n) {
		for (n = 1; i + n < r->refs; n++)
			if (strcmp(r->ref[i].key, r->ref[i + n].key) != 0)
				break;
		family_put(r, &r->ref[i], n);
	}
	free(r->labels);
	free(r->end);
	free(r->ref);
	return rc;
}

int exposition_write(FILE *out, enum exposition how, const Petrel__Answer *a,
		     size_t bound)
{
	struct exposition_run r = { .out = out, .how = how, .a = a,
				    .left = bound };
	int rc = 0;

	own_put(out, "up", "1: petreld or the collector answers. 0: it does "
			   "not, and no other metric is given.",
		a != NULL);
	if (a)
		rc = answer_put(&r);
	if (a && rc == 0)
		own_put(out, "complete", "0: samples are left out, because the "
			"profile or the answer has no room for them.",
			a->complete && !r.is_cut);
	if (how == EXPOSITION_OPENMETRICS)
		(void)fputs("# EOF\n", out);
	return rc;
}
