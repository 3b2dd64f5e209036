#include "agent/ctl/render.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/clean.h"
#include "agent/ctl/cell.h"
#include "agent/ctl/finding_text.h"
#include "agent/ctl/json_out.h"
#include "agent/ctl/spark.h"
#include "agent/ctl/text_table.h"
#include "agent/record/decode.h"
#include "agent/record/json.h"

#define ERROR_MAX 640
#define NAME_MAX_OCTETS 96
#define TABLE_WATCHED "watched"	/* findings precede it */
#define TABLE_COUNTERS "counters"	/* and a port's lines before that */
#define TABLE_PORT "port"
#define TABLE_PORTS "ports"
#define TABLE_CAPSULE "capsule"

bool answer_is_sound(const Petrel__Answer *a)
{
	struct finding f;

	for (size_t i = 0; i < a->n_tables; i++)
		if (!table_is_sound(a->tables[i]))
			return false;
	for (size_t i = 0; i < a->n_findings; i++)
		if (finding_of_message(a->findings[i], &f) < 0)
			return false;
	return !a->n_finding_switch || a->n_finding_switch == a->n_findings;
}

/* --- text ---------------------------------------------------------------- */

/* The switch of the finding, if not the one that answers; else "". */
static void switch_text(const Petrel__Answer *a, size_t i,
			char ret[static NAME_MAX_OCTETS])
{
	clean_text(ret, NAME_MAX_OCTETS, a->n_finding_switch ?
					 a->finding_switch[i] : "");
}

/* Prints blocks, or lines if changes are followed. */
static void findings_print(const struct screen *s, const Petrel__Answer *a,
			   bool lines)
{
	char of[NAME_MAX_OCTETS];
	struct finding f;

	for (size_t i = 0; i < a->n_findings; i++) {
		if (finding_of_message(a->findings[i], &f) < 0)
			continue;
		switch_text(a, i, of);
		if (lines) {
			finding_print_line(s, &f);
			continue;
		}
		finding_print(s, &f, of, a->wall_ns);
		(void)fputc('\n', s->out);
	}
}

/* Rows as they happen: without a heading, each as wide as it is. */
static void rows_print(const struct screen *s, const Petrel__Table *t)
{
	char text[CELL_TEXT_MAX];

	for (size_t i = 0; i < t->rows; i++) {
		const char *gap = "";

		for (size_t c = 0; c < t->n_columns; c++) {
			struct cell cell = table_cell(t, i, c);

			if (t->columns[c]->json_only)
				continue;
			cell_text(t->columns[c]->unit, &cell, FORM_TABLE, text);
			(void)fprintf(s->out, "%s%s", gap, text);
			gap = "  ";
		}
		(void)fputc('\n', s->out);
	}
}

/* The port of an answer; NULL: it has none. */
static const char *port_of(const Petrel__Answer *a)
{
	for (size_t i = 0; i < a->n_tables; i++) {
		const Petrel__Table *t = a->tables[i];

		if (strcmp(t->name, TABLE_PORT) == 0 && t->rows &&
		    unit_is_text(t->columns[0]->unit) &&
		    !table_cell(t, 0, 0).absent)
			return table_cell(t, 0, 0).text;
	}
	return NULL;
}

/* An answer being shown. */
struct showing {
	const struct screen *screen;
	const Petrel__Answer *answer;
	const struct render_how *how;
	struct sparks *sparks;		/* NULL: draw no sparklines */
	bool printed;			/* an empty line must follow it */
	bool findings;			/* they were shown */
};

/* Each block ends with an empty line, so what follows needs none. If a single
 * finding is shown, its port's sparklines follow it.
 */
static void findings_show(struct showing *w)
{
	const Petrel__Answer *a = w->answer;
	const char *port;
	struct finding f;

	w->findings = true;
	if (a->n_findings == 0)
		return;
	if (w->printed)
		(void)fputc('\n', w->screen->out);
	findings_print(w->screen, a, w->how->lines);
	w->printed = false;
	if (!w->sparks || a->n_findings > 1 || port_of(a) ||
	    finding_of_message(a->findings[0], &f) < 0)
		return;
	port = finding_port(&f, NULL);
	w->printed = sparks_port_print(w->sparks, w->screen, port ? port :
				       f.subject, false);
}

static void table_show(struct showing *w, const Petrel__Table *t)
{
	const char *port = port_of(w->answer);

	if (strcmp(t->name, TABLE_WATCHED) == 0 && !w->findings)
		findings_show(w);
	if (w->sparks && port && strcmp(t->name, TABLE_COUNTERS) == 0 &&
	    sparks_port_print(w->sparks, w->screen, port, w->printed))
		w->printed = true;
	if (w->how->lines)
		rows_print(w->screen, t);
	else if (w->sparks && strcmp(t->name, TABLE_PORTS) == 0)
		w->printed = sparks_table_print(w->sparks, w->screen, t,
						w->printed);
	else if (strcmp(t->name, TABLE_CAPSULE) == 0)
		w->printed |= sparks_capsule_print(w->screen, t, w->printed);
	else if (table_print(w->screen, t, w->printed))
		w->printed = true;
}

/* Shows tables in their order; findings before TABLE_WATCHED. */
static void render_text(const struct screen *s, const struct render_how *how,
			const Petrel__Answer *a)
{
	struct showing w = { .screen = s, .answer = a, .how = how };

	if (how->sparks_of && !a->error[0] &&
	    sparks_read(how->sparks_of, &w.sparks) < 0)
		w.sparks = NULL;	/* no right to read: no sparklines */
	for (size_t i = 0; i < a->n_tables; i++)
		table_show(&w, a->tables[i]);
	if (!w.findings)
		findings_show(&w);
	sparks_free(w.sparks);
}

/* --- JSON ---------------------------------------------------------------- */

/* The keys of a table's columns, cleaned, once for all rows. */
typedef char table_keys[TABLE_COLUMNS_MAX][CELL_KEY_MAX];

/* key: NULL in a list. */
static void row_json(struct json_out *j, const char *key,
		     const Petrel__Table *t, table_keys keys, size_t row)
{
	json_out_begin(j, key, '{');
	for (size_t i = 0; i < t->n_columns; i++) {
		struct cell cell = table_cell(t, row, i);

		json_out_cell(j, keys[i], t->columns[i]->unit, &cell);
	}
	json_out_end(j, '}');
}

static void table_json(struct json_out *j, const Petrel__Table *t)
{
	char name[NAME_MAX_OCTETS];
	table_keys keys;

	for (size_t i = 0; i < t->n_columns; i++)
		clean_text(keys[i], sizeof(keys[i]), t->columns[i]->key);
	clean_text(name, sizeof(name), t->name);
	if (t->single && t->rows) {
		row_json(j, name, t, keys, 0);
	} else if (t->single) {
		json_out_object(j, name, NULL);
	} else {
		json_out_begin(j, name, '[');
		for (size_t i = 0; i < t->rows; i++)
			row_json(j, NULL, t, keys, i);
		json_out_end(j, ']');
	}
}

static void findings_json(struct json_out *j, const Petrel__Answer *a)
{
	char of[NAME_MAX_OCTETS];
	struct json_object *o;
	struct finding f;

	json_out_begin(j, "findings", '[');
	for (size_t i = 0; i < a->n_findings; i++) {
		if (finding_of_message(a->findings[i], &f) < 0)
			continue;
		o = finding_json(&f);
		switch_text(a, i, of);
		if (o && of[0])
			(void)json_object_object_add(o, "switch",
				json_object_new_string(of));
		json_out_object(j, NULL, o);
		json_object_put(o);
	}
	json_out_end(j, ']');
}

static void notes_add(struct json_out *j, const char *notes)
{
	char line[ERROR_MAX];

	while (*notes) {
		size_t len = strcspn(notes, "\n");

		(void)snprintf(line, sizeof(line), "%.*s", (int)len, notes);
		json_out_text(j, NULL, line);
		notes += len + (notes[len] == '\n');
	}
}

/* The notes below the tables in text, if there are any. */
static void notes_put(struct json_out *j, const Petrel__Answer *a)
{
	bool are_some = false;

	for (size_t i = 0; i < a->n_tables; i++)
		are_some = are_some || a->tables[i]->note[0];
	if (!are_some)
		return;
	json_out_begin(j, "notes", '[');
	for (size_t i = 0; i < a->n_tables; i++)
		notes_add(j, a->tables[i]->note);
	json_out_end(j, ']');
}

int render_json(FILE *out, const struct render_how *how,
		const Petrel__Answer *a)
{
	struct json_out j;

	json_out_open(&j, out, &(struct json_head){
		      how->command, a->switch_name, a->wall_ns, a->complete,
		      (int)a->code, a->error });
	if (a->cursor[0])
		json_out_text(&j, "cursor", a->cursor);
	for (size_t i = 0; i < a->n_tables; i++)
		table_json(&j, a->tables[i]);
	notes_put(&j, a);
	if (a->n_findings || (how->has_findings && !a->error[0]))
		findings_json(&j, a);
	return json_out_close(&j);
}

/* On a line of its own for programs; wrapped like the answer if it is printed
 * beside it.
 */
static void error_print(const struct screen *s, const char *error)
{
	(void)fprintf(s->err, "petrel: ");
	if (s->err == s->out)
		screen_wrap(s, 8, 2, error);
	else
		(void)fprintf(s->err, "%s\n", error);
}

int render(const struct screen *s, const struct render_how *how,
	   const Petrel__Answer *a)
{
	char error[ERROR_MAX];

	if (a->error[0]) {
		clean_text(error, sizeof(error), a->error);
		error_print(s, error);
	} else if (!a->complete) {
		error_print(s, "the answer is incomplete: it was cut, or part "
			    "of it is gone");
	}
	if (how->json)
		(void)render_json(s->out, how, a);	/* checked below */
	else
		render_text(s, how, a);
	return fflush(s->out) == 0 && !ferror(s->out) ? 0 : -EIO;
}
