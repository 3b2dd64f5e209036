#include "tests/judge/report.h"

#include <math.h>
#include <string.h>

void report_start(struct report_table *t, const char *name, const char *about,
		  const struct report_column *column, unsigned columns)
{
	memset(t, 0, sizeof(*t));
	t->name = name;
	(void)snprintf(t->about, sizeof(t->about), "%s", about);
	t->column = column;
	t->columns = columns;
}

unsigned report_row(struct report_table *t, const char *name)
{
	unsigned at = t->rows < REPORT_ROWS_MAX ? t->rows++ : t->rows - 1;

	(void)snprintf(t->row[at].name, REPORT_NAME_MAX, "%s", name);
	for (unsigned i = 0; i < REPORT_COLUMNS_MAX; i++)
		t->row[at].value[i] = NAN;
	return at;
}

static double worst_of(const struct report_table *t, unsigned from,
		       unsigned until, unsigned column)
{
	double worst = NAN;

	for (unsigned i = from; i < until; i++) {
		double v = t->row[i].value[column];

		if (isnan(v) || !t->column[column].bad)
			continue;
		if (isnan(worst) ||
		    (v > worst) == (t->column[column].bad > 0))
			worst = v;
	}
	return worst;
}

void report_worst(struct report_table *t, unsigned from, const char *name)
{
	unsigned until = t->rows, at;

	if (until < from + 2)
		return;			/* the worst of one is itself */
	at = report_row(t, name);
	for (unsigned i = 0; i < t->columns; i++)
		t->row[at].value[i] = worst_of(t, from, until, i);
}

static void text_json(FILE *out, const char *text)
{
	(void)fputc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			(void)fputc('\\', out);
		if (c < ' ')
			(void)fprintf(out, "\\u%04x", c);
		else
			(void)fputc(c, out);
	}
	(void)fputc('"', out);
}

static void object_begin(struct report *r)
{
	(void)fputs(r->began ? ",\n" : "[\n", r->out);
	r->began = true;
}

static void row_json(FILE *out, const struct report_table *t, unsigned i)
{
	(void)fputs(i ? ",\n  {\"name\": " : "\n  {\"name\": ", out);
	text_json(out, t->row[i].name);
	for (unsigned k = 0; k < t->columns; k++) {
		double v = t->row[i].value[k];

		(void)fputs(", ", out);
		text_json(out, t->column[k].title);
		if (isfinite(v))
			(void)fprintf(out, ": %.9g", v);
		else
			(void)fputs(": null", out);
	}
	(void)fputc('}', out);
}

static void table_json(struct report *r, const struct report_table *t)
{
	object_begin(r);
	(void)fputs(" {\"table\": ", r->out);
	text_json(r->out, t->name);
	(void)fputs(", \"about\": ", r->out);
	text_json(r->out, t->about);
	(void)fputs(", \"rows\": [", r->out);
	for (unsigned i = 0; i < t->rows; i++)
		row_json(r->out, t, i);
	(void)fputs("]}", r->out);
}

static void cell_text(FILE *out, const struct report_column *c, double v)
{
	if (isnan(v))
		(void)fprintf(out, " %*s", c->width, "-");
	else if (isinf(v))
		(void)fprintf(out, " %*s", c->width, "none");
	else
		(void)fprintf(out, " %*.*f", c->width, c->decimals, v);
}

static int names_width(const struct report_table *t)
{
	int widest = 0;

	for (unsigned i = 0; i < t->rows; i++) {
		int width = (int)strlen(t->row[i].name);

		if (width > widest)
			widest = width;
	}
	return widest;
}

void report_write(struct report *r, const struct report_table *t)
{
	int names = names_width(t);

	if (t->rows == 0)
		return;
	if (r->json) {
		table_json(r, t);
		return;
	}
	(void)fprintf(r->out, "%s%s: %s\n%-*s", r->began ? "\n" : "", t->about,
		      t->name, names, "");
	r->began = true;
	for (unsigned i = 0; i < t->columns; i++)
		(void)fprintf(r->out, " %*s", t->column[i].width,
			      t->column[i].title);
	(void)fputc('\n', r->out);
	for (unsigned i = 0; i < t->rows; i++) {
		(void)fprintf(r->out, "%-*s", names, t->row[i].name);
		for (unsigned k = 0; k < t->columns; k++)
			cell_text(r->out, &t->column[k], t->row[i].value[k]);
		(void)fputc('\n', r->out);
	}
}

void report_text(struct report *r, const char *key, const char *text)
{
	if (!r->json) {
		(void)fprintf(r->out, "%s\n", text);
		r->began = true;
		return;
	}
	object_begin(r);
	(void)fputs(" {", r->out);
	text_json(r->out, key);
	(void)fputs(": ", r->out);
	text_json(r->out, text);
	(void)fputc('}', r->out);
}

void report_end(struct report *r)
{
	if (r->json)
		(void)fputs(r->began ? "\n]\n" : "[]\n", r->out);
}
