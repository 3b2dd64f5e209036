#include "agent/collect/fabric_answer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/array.h"
#include "agent/collect/fabric_past.h"
#include "agent/query/answer.h"
#include "agent/query/message.h"
#include "agent/query/verbs.h"
#include "petrel/local.h"

#define FINDINGS_MAX 65536u

/* The query being answered. */
struct inquiry {
	const struct fabric_desk *desk;
	const struct verb *verb;
	const Petrel__Request *request;
	const struct fabric_switch *list;
	size_t count;
	struct answer *ret;
	struct clock_reading now;
	size_t silent;		/* number of silent switches */
};

/* --- tables --------------------------------------------------------------- */

/* The columns of a switch's table, with the switch's name before and its id
 * after them.
 */
static void table_begin(struct answer *a, const Petrel__Table *t)
{
	struct answer_column columns[TABLE_COLUMNS_MAX + 3] = {
		{ "switch", "SWITCH", CELL_TEXT },
	};
	size_t n = 1;

	for (size_t i = 0; i < t->n_columns && n <= TABLE_COLUMNS_MAX; i++) {
		const Petrel__TableColumn *c = t->columns[i];

		columns[n++] = (struct answer_column){
			.key = c->key, .heading = c->heading,
			.unit = (enum cell_unit)c->unit, .right = c->right,
			.wide = c->json_only };
	}
	columns[n++] = (struct answer_column){ "switch_id", "", CELL_TEXT };
	columns[n] = (struct answer_column){ .key = NULL };
	answer_columns(a, t->name, columns, false);
}

static void cell_give(struct answer *a, const struct cell *c, uint32_t unit)
{
	if (c->absent)
		answer_absent(a);
	else if (unit_is_text(unit))
		answer_text(a, c->text);
	else
		answer_pattern(a, c->is_pattern, c->value);
	if (!c->absent && (c->age_ns || c->quality))
		answer_age(a, c->age_ns, c->quality);
}

static void rows_add(struct answer *a, const Petrel__Table *t,
		     const struct fabric_switch *s)
{
	for (size_t row = 0; row < t->rows; row++) {
		answer_row(a);
		if (table_row_is_json_only(t, row))
			answer_row_json_only(a);
		answer_text(a, s->shown);
		for (size_t i = 0; i < t->n_columns; i++) {
			struct cell c = table_cell(t, row, i);

			cell_give(a, &c, t->columns[i]->unit);
		}
		answer_text(a, s->switch_id);
	}
}

/* --- findings ------------------------------------------------------------- */

struct found {
	const struct fabric_switch *of;
	struct finding finding;
};

struct found_list {
	struct found *list;
	size_t count, cap;
	bool is_cut;
};

static void finding_found(void *context, const struct fabric_switch *s,
			  const struct finding *f)
{
	struct found_list *l = context;
	struct found *list = l->count < FINDINGS_MAX ?
		array_room(l->list, &l->cap, l->count + 1, sizeof(*list)) :
		NULL;

	if (!list) {
		l->is_cut = true;
		return;
	}
	l->list = list;
	list[l->count++] = (struct found){ s, *f };
}

/* Worst first, then the oldest. */
static int found_order(const void *left, const void *right)
{
	const struct finding *a = &((const struct found *)left)->finding;
	const struct finding *b = &((const struct found *)right)->finding;

	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	if (a->onset_wall.ns != b->onset_wall.ns)
		return a->onset_wall.ns < b->onset_wall.ns ? -1 : 1;
	return strcmp(a->id, b->id);
}

static int findings_read(struct inquiry *q, const struct fabric_switch *s,
			 struct found_list *ret)
{
	struct diag d;
	int err = fabric_findings(q->desk->fabric, s, finding_found, ret, &d);

	if (err < 0)
		return answer_error(q->ret, EXIT_INCOMPLETE, "%s", d.text);
	if (ret->count)
		qsort(ret->list, ret->count, sizeof(ret->list[0]),
		      found_order);
	answer_message(q->ret)->complete = !ret->is_cut;
	return EXIT_ANSWERED;
}

/* All, or the one whose id begins with the argument, with its capsule; of all
 * switches or one.
 */
static int findings_answer(struct inquiry *q, const struct fabric_switch *s)
{
	const char *prefix = q->request->n_args ? q->request->args[0] : "";
	struct query one = { .a = q->ret, .request = q->request };
	const struct found *last = NULL;
	struct found_list l = { .list = NULL };
	int code = findings_read(q, s, &l);
	size_t shown = 0;

	for (size_t i = 0; code == EXIT_ANSWERED && i < l.count; i++) {
		const struct finding *f = &l.list[i].finding;

		if (strncmp(f->id, prefix, strlen(prefix)) != 0 ||
		    (q->request->top && shown == q->request->top))
			continue;
		answer_finding_of(q->ret, f, l.list[i].of->shown);
		last = &l.list[i];
		shown++;
	}
	if (prefix[0] && shown == 1)
		fabric_past_capsule(q->desk->fabric, last->of,
				    last->finding.id, &one);
	free(l.list);
	if (code == EXIT_ANSWERED && prefix[0] && shown == 0)
		return answer_error(q->ret, EXIT_NO_SUCH, "no open finding "
				    "'%.64s'; %zu are open: see petrel "
				    "findings", prefix, l.count);
	if (code == EXIT_ANSWERED && prefix[0] && shown > 1)
		return answer_error(q->ret, EXIT_NO_SUCH, "'%.64s' begins the "
				    "ids of %zu findings; give more "
				    "characters", prefix, shown);
	return code;
}

/* --- switches ------------------------------------------------------------- */

/* Open findings of a switch, by severity. */
struct tally { int64_t severity[SEVERITY_COUNT]; };

static void switch_row(struct inquiry *q, const struct fabric_switch *s,
		       const struct tally *tally)
{
	struct standing_switch st = { .is_up = false };
	struct answer *a = q->ret;
	char run[17] = "";

	if (standing_get(q->desk->standing, s->switch_id, &st))
		(void)snprintf(run, sizeof(run), "%016" PRIx64, st.run);
	q->silent += !st.is_up;
	answer_row(a);
	answer_text(a, s->shown);
	answer_text(a, st.is_up ? "up" : "silent");
	answer_known(a, st.heard_wall.ns, st.heard.ns ?
		     mono_diff_ns(q->now.mono, st.heard) :
		     q->now.wall.ns - st.heard_wall.ns);
	answer_known(a, st.recorded.ns, q->now.wall.ns - st.recorded.ns);
	answer_integer(a, tally->severity[SEVERITY_CRITICAL]);
	answer_integer(a, tally->severity[SEVERITY_WARN]);
	answer_integer(a, tally->severity[SEVERITY_WATCH]);
	answer_text_if(a, s->version);
	answer_text(a, s->switch_id);
	answer_text_if(a, run);
}

static int switches_answer(struct inquiry *q)
{
	struct query order = { .a = q->ret, .request = q->request,
			       .verb = q->verb };
	struct tally *tally = calloc(q->count + 1, sizeof(*tally));
	struct found_list l = { .list = NULL };
	int code;

	if (!tally)
		return answer_error(q->ret, EXIT_INCOMPLETE, "out of memory");
	code = findings_read(q, NULL, &l);
	for (size_t i = 0; i < l.count; i++)
		tally[l.list[i].of - q->list].severity
			[l.list[i].finding.severity]++;
	if (code == EXIT_ANSWERED) {
		answer_table(q->ret, q->verb->tables[0]);
		for (size_t i = 0; i < q->count; i++)
			switch_row(q, &q->list[i], &tally[i]);
		code = verb_order(&order);
	}
	free(tally);
	free(l.list);
	return code;
}

/* --- all switches, one by one --------------------------------------------- */

/* Asks one switch. Returns an exit code; fills ret accordingly. */
static int switch_ask(const struct inquiry *q, const struct fabric_switch *s,
		      const Petrel__Request *request, struct answer *ret)
{
	struct found_list l = { .list = NULL };
	struct fabric_view v;
	struct query query = { .ctx = &v.ctx, .request = request, .a = ret };
	struct finding *findings = NULL;
	struct diag d = { "" };
	int code, err = fabric_view_make(q->desk->fabric, s, &v, &d);

	answer_clear(ret);
	if (err < 0) {
		answer_head(ret, s->name, q->now.wall.ns);
		return answer_error(ret, err == -ENODATA ? EXIT_NO_SUCH :
				    EXIT_INCOMPLETE, "%s", d.text);
	}
	err = fabric_findings(q->desk->fabric, s, finding_found, &l, &d);
	findings = calloc(l.count + 1, sizeof(*findings));
	for (size_t i = 0; findings && i < l.count; i++)
		findings[i] = l.list[i].finding;
	v.ctx.findings = findings;
	v.ctx.finding_count = findings ? l.count : 0;
	if (fabric_past_is_told(q->verb))
		code = fabric_past_answer(q->desk->fabric, s, q->verb, &query);
	else
		code = verb_answer(q->verb, &query);
	if (err < 0 || !findings || l.is_cut)
		answer_message(ret)->complete = false;
	recorded_fini(&v.recorded);
	free(findings);
	free(l.list);
	return code;
}

/* The first table with rows; tables with one row per switch are left out. */
static const Petrel__Table *table_of(const Petrel__Answer *m)
{
	for (size_t i = 0; i < m->n_tables; i++)
		if (!m->tables[i]->single)
			return m->tables[i];
	return NULL;
}

/* Past events and values are in time order, and top was applied to each switch;
 * all other rows are sorted, and cut, together.
 */
static int rows_order(const struct inquiry *q)
{
	Petrel__Request request = *q->request;
	struct query order = { .a = q->ret, .request = &request,
			       .verb = q->verb };
	char when[] = "when";

	if (fabric_past_is_told(q->verb)) {
		request.top = 0;
		if (q->verb->takes_ports)
			request.sort = when;
	}
	return verb_order(&order);
}

/* Without rows, why there are none: as the last switch says. */
static void none_note(struct inquiry *q, const Petrel__Table *t)
{
	if (answer_message(q->ret)->tables[0]->rows == 0 && t && t->note[0])
		answer_note(q->ret, "%s", t->note);
}

/* A port that a request names need not exist on each switch: an error only if
 * none has it.
 */
static int tables_answer(struct inquiry *q)
{
	Petrel__Request each = *q->request;
	char none[] = "";
	const Petrel__Answer *m = NULL;
	bool is_begun = false;
	int code = EXIT_ANSWERED;

	each.sort = none;
	if (!fabric_past_is_told(q->verb))
		each.top = 0;		/* of all switches together */
	for (size_t i = 0; i < q->count; i++) {
		int one = switch_ask(q, &q->list[i], &each, q->desk->one);
		const Petrel__Table *t;

		m = answer_message(q->desk->one);
		t = table_of(m);
		if (one == EXIT_USAGE)
			return answer_error(q->ret, one, "%s", m->error);
		code = one == EXIT_ANSWERED ? code : one;
		if (one != EXIT_ANSWERED || !t)
			continue;
		if (!is_begun)
			table_begin(q->ret, t);
		is_begun = true;
		rows_add(q->ret, t, &q->list[i]);
		if (!m->complete)
			answer_message(q->ret)->complete = false;
	}
	if (is_begun) {
		none_note(q, table_of(m));
		return rows_order(q);
	}
	if (m)
		return answer_error(q->ret, code, "%s", m->error);
	return answer_error(q->ret, EXIT_NO_SUCH, "no switch is known yet");
}

/* A silent switch must not look healthy. */
static void silent_note(struct inquiry *q)
{
	struct standing_switch st;

	for (size_t i = 0; i < q->count && !q->silent; i++)
		q->silent += !standing_get(q->desk->standing,
					   q->list[i].switch_id, &st) ||
			     !st.is_up;
	if (q->silent && answer_message(q->ret)->n_tables)
		answer_note(q->ret, "silent switches show their last known "
			    "state: see petrel switches");
}

/* The first word of history may be a switch. */
static const char *switch_word(const struct inquiry *q, Petrel__Request *rest)
{
	const struct fabric_switch *s;

	*rest = *q->request;
	if (q->verb->takes_quantity && rest->n_args > 2 &&
	    fabric_find(q->desk->fabric, rest->args[0], &s, NULL) == 0) {
		rest->n_args--;
		return *rest->args++;
	}
	return "";
}

static int one_answer(struct inquiry *q, const char *name)
{
	const struct fabric_switch *s;
	struct diag d = { "" };

	if (fabric_find(q->desk->fabric, name, &s, &d) < 0)
		return answer_error(q->ret, EXIT_NO_SUCH, "%s", d.text);
	if (strcmp(q->verb->name, "findings") == 0)
		return findings_answer(q, s);
	return switch_ask(q, s, q->request, q->ret);
}

static int all_answer(struct inquiry *q)
{
	int code;

	if (q->verb->reach == REACH_ONE)
		return answer_error(q->ret, EXIT_USAGE, "%s shows one switch; "
				    "name it with --switch NAME",
				    q->verb->name);
	if (strcmp(q->verb->name, "switches") == 0)
		return switches_answer(q);
	if (strcmp(q->verb->name, "findings") == 0)
		code = findings_answer(q, NULL);
	else
		code = tables_answer(q);
	if (code == EXIT_ANSWERED)
		silent_note(q);
	return code;
}

int fabric_answer(const struct fabric_desk *desk,
		  const Petrel__Request *request, const char *switch_name,
		  struct answer *ret)
{
	struct inquiry q = { .desk = desk, .request = request, .ret = ret,
			     .verb = verb_find(verb_table, request->verb) };
	struct diag d = { "" };
	Petrel__Request rest;
	int n;

	clock_read(&q.now);
	answer_head(ret, "", q.now.wall.ns);
	if (!q.verb || q.verb->reach == REACH_NONE)
		return answer_error(ret, EXIT_USAGE, "a collector has no "
				    "command '%.64s'; petrel help lists the "
				    "commands that take --collector",
				    request->verb);
	if (request->n_args < q.verb->arguments_min ||
	    request->n_args > q.verb->arguments_max)
		return answer_error(ret, EXIT_USAGE, "usage: petrel %s",
				    q.verb->synopsis);
	n = fabric_switches(desk->fabric, &q.list, &d);
	if (n < 0)
		return answer_error(ret, EXIT_INCOMPLETE, "%s", d.text);
	q.count = (size_t)n;
	if (!switch_name || !switch_name[0]) {
		switch_name = switch_word(&q, &rest);
		q.request = &rest;
	}
	if (switch_name[0])
		return one_answer(&q, switch_name);
	return all_answer(&q);
}
