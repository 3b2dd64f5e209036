#include "agent/ctl/render.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/clean.h"
#include "agent/ctl/cell.h"
#include "agent/ctl/finding_text.h"
#include "agent/ctl/json_out.h"
#include "agent/ctl/text_table.h"
#include "agent/record/decode.h"
#include "agent/record/json.h"

#define ERROR_MAX 640
#define NAME_MAX_OCTETS 96
#define TABLE_WATCHED "watched"	/* findings stand before it */

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

/* Whose the finding is, where that is not who answers; else "". */
static void switch_text(const Petrel__Answer *a, size_t i,
			char ret[static NAME_MAX_OCTETS])
{
	clean_text(ret, NAME_MAX_OCTETS, a->n_finding_switch ?
					 a->finding_switch[i] : "");
}

/* Blocks, or lines where changes go by. */
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

/* Rows that go by: no heading, as wide as they are. */
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

/* Each ends with an empty line: what follows needs none. Returns whether it
 * does.
 */
static bool findings_apart(const struct screen *s, const Petrel__Answer *a,
			   const struct render_how *how, bool printed)
{
	if (a->n_findings == 0)
		return printed;
	if (printed)
		(void)fputc('\n', s->out);
	findings_print(s, a, how->lines);
	return false;
}

/* Tables in their order; findings before what is not watched. */
static void render_text(const struct screen *s, const struct render_how *how,
			const Petrel__Answer *a)
{
	bool printed = false, findings = false;

	for (size_t i = 0; i < a->n_tables; i++) {
		const Petrel__Table *t = a->tables[i];
		bool is_watched = strcmp(t->name, TABLE_WATCHED) == 0;

		if (is_watched && !findings) {
			printed = findings_apart(s, a, how, printed);
			findings = true;
		}
		if (how->lines)
			rows_print(s, t);
		else if (table_print(s, t, printed))
			printed = true;
	}
	if (!findings)
		(void)findings_apart(s, a, how, printed);
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

/* What stands below the tables in text, if anything does. */
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

/* On a line of its own for programs; where people see it beside the answer it
 * is broken into lines as that is.
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
		error_print(s, "the answer is incomplete: cut, or part of it "
			    "is no longer there");
	}
	if (how->json)
		(void)render_json(s->out, how, a);	/* looked at below */
	else
		render_text(s, how, a);
	return fflush(s->out) == 0 && !ferror(s->out) ? 0 : -EIO;
}
