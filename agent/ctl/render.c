#include "agent/ctl/render.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "agent/ctl/cell.h"
#include "agent/ctl/finding_text.h"
#include "agent/ctl/object.h"
#include "agent/ctl/table.h"
#include "agent/record/decode.h"
#include "agent/record/json.h"

#define ERROR_MAX 640
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
	return true;
}

/* --- text ---------------------------------------------------------------- */

/* Blocks, or lines where changes go by. */
static void findings_print(const struct screen *s, const Petrel__Answer *a,
			   bool lines)
{
	struct finding f;

	for (size_t i = 0; i < a->n_findings; i++) {
		if (finding_of_message(a->findings[i], &f) < 0)
			continue;
		if (lines) {
			finding_print_line(s, &f);
			continue;
		}
		finding_print(s, &f, a->wall_ns);
		(void)fputc('\n', s->out);
	}
}

/* Rows that go by: no heading, as wide as they are. */
static void rows_print(const struct screen *s, const Petrel__Table *t)
{
	char text[CELL_TEXT_MAX];

	for (size_t i = 0; i < t->n_rows; i++) {
		const char *gap = "";

		for (size_t c = 0; c < t->n_head; c++) {
			if (t->head[c]->json_only)
				continue;
			cell_text(t->head[c], t->rows[i]->cells[c], FORM_TABLE,
				  text);
			(void)fprintf(s->out, "%s%s", gap, text);
			gap = "  ";
		}
		(void)fputc('\n', s->out);
	}
}

/* Tables in their order; findings before what is not watched. */
static int render_text(const struct screen *s, const struct render_how *how,
		       const Petrel__Answer *a)
{
	bool printed = false, findings = false;

	for (size_t i = 0; i < a->n_tables; i++) {
		const Petrel__Table *t = a->tables[i];
		bool is_watched = strcmp(t->name, TABLE_WATCHED) == 0;

		if (printed)
			(void)fputc('\n', s->out);
		if (is_watched && !findings) {
			findings_print(s, a, how->lines);
			findings = true;
		}
		if (how->lines)
			rows_print(s, t);
		else
			printed = table_print(s, t);
	}
	if (!findings)
		findings_print(s, a, how->lines);
	return fflush(s->out) == 0 ? 0 : -errno;
}

/* --- JSON ---------------------------------------------------------------- */

static struct json_object *row_json(const Petrel__Table *t,
				    const Petrel__Row *row)
{
	struct json_object *o = json_object_new_object();

	for (size_t i = 0; o && i < t->n_head; i++)
		cell_json(t->head[i], row->cells[i], o);
	return o;
}

static struct json_object *table_json(const Petrel__Table *t)
{
	struct json_object *list;

	if (t->single)
		return t->n_rows ? row_json(t, t->rows[0]) : NULL;
	list = json_object_new_array();
	for (size_t i = 0; list && i < t->n_rows; i++)
		(void)json_object_array_add(list, row_json(t, t->rows[i]));
	return list;
}

static void put_text(struct json_object *o, const char *key, const char *text)
{
	char clean[ERROR_MAX];

	text_clean(text, clean, sizeof(clean));
	(void)json_object_object_add(o, key, json_object_new_string(clean));
}

static struct json_object *findings_json(const Petrel__Answer *a)
{
	struct json_object *list = json_object_new_array();
	struct finding f;

	for (size_t i = 0; list && i < a->n_findings; i++)
		if (finding_of_message(a->findings[i], &f) == 0)
			(void)json_object_array_add(list, finding_json(&f));
	return list;
}

static void notes_add(struct json_object *list, const char *notes)
{
	char line[ERROR_MAX], clean[ERROR_MAX];

	while (*notes) {
		size_t len = strcspn(notes, "\n");

		(void)snprintf(line, sizeof(line), "%.*s", (int)len, notes);
		text_clean(line, clean, sizeof(clean));
		(void)json_object_array_add(list,
					    json_object_new_string(clean));
		notes += len + (notes[len] == '\n');
	}
}

/* What stands below the tables in text, if anything does. */
static void notes_put(struct json_object *o, const Petrel__Answer *a)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; list && i < a->n_tables; i++)
		notes_add(list, a->tables[i]->note);
	if (list && json_object_array_length(list))
		(void)json_object_object_add(o, "notes", list);
	else
		json_object_put(list);
}

static int render_json(const struct screen *s, const struct render_how *how,
		       const Petrel__Answer *a)
{
	struct json_object *o = object_new(&(struct object_head){
		how->command, a->switch_name, a->wall_ns, a->complete,
		(int)a->code });
	char name[96];
	int rc;

	if (!o)
		return -ENOMEM;
	if (a->error[0])
		put_text(o, "error", a->error);
	if (a->cursor[0])
		put_text(o, "cursor", a->cursor);
	for (size_t i = 0; i < a->n_tables; i++) {
		text_clean(a->tables[i]->name, name, sizeof(name));
		(void)json_object_object_add(o, name, table_json(a->tables[i]));
	}
	notes_put(o, a);
	if (a->n_findings || (how->has_findings && !a->error[0]))
		(void)json_object_object_add(o, "findings", findings_json(a));
	rc = json_line(s->out, o);
	json_object_put(o);
	return fflush(s->out) == 0 ? rc : -errno;
}

int render(const struct screen *s, const struct render_how *how,
	   const Petrel__Answer *a)
{
	char error[ERROR_MAX];

	if (a->error[0]) {
		text_clean(a->error, error, sizeof(error));
		(void)fprintf(stderr, "petrel: %s\n", error);
	} else if (!a->complete) {
		(void)fprintf(stderr, "petrel: the answer is not complete: it "
			      "was cut, or some of it is gone\n");
	}
	return how->json ? render_json(s, how, a) : render_text(s, how, a);
}
