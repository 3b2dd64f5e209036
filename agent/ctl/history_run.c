/* petrel history: past values, read by petrel itself from the rings and from
 * the tiers on disk, so that it works with the agent down as well.
 */
#include <errno.h>
#include <stdio.h>

#include "agent/ctl/cell.h"
#include "agent/ctl/client.h"
#include "agent/ctl/look_back.h"
#include "agent/ctl/offline.h"
#include "agent/ctl/options.h"
#include "agent/ctl/render.h"
#include "agent/ctl/runs.h"
#include "agent/query/history_rows.h"
#include "agent/query/server.h"
#include "petrel/local.h"

#define SINCE_DEFAULT_NS (900 * NS_PER_S)

/* The current question. */
struct history_question {
	const struct invocation *inv;
	struct query query;
	struct query_context context;
	struct look_back *look_back;
	struct history_series series[HISTORY_SERIES_MAX];
	struct look_back_series found[HISTORY_SERIES_MAX];
	size_t count;
};

/* One series after another, each with its oldest reading first: sorting all by
 * time would mix the series.
 */
static void rows_fill(struct history_question *h)
{
	const struct look_back_reach *reach = look_back_reach(h->look_back);

	history_begin(&h->query, &(struct history_reach){
		      reach->full.ns, reach->tiers.ns, reach->why });
	for (size_t i = 0; i < h->count; i++)
		for (size_t k = 0; k < h->found[i].count; k++) {
			const struct look_back_reading *r =
				&h->found[i].reading[k];

			history_row(&h->query, &h->series[i],
				    &(struct history_value){
				    .wall_ns = r->wall.ns, .value = r->value,
				    .min = r->min, .max = r->max,
				    .span_ns = r->span_ns,
				    .age_ns = r->age_ns,
				    .quality = r->quality });
		}
	history_end(&h->query);
}

static void csv_row(const struct history_series *s,
		    const struct inventory_entity *e,
		    const struct look_back_reading *r)
{
	char when[48], of[ENTITY_NAME_MAX + 16] = "";
	const int64_t values[] = { r->value, r->min, r->max };

	wall_rfc3339(r->wall.ns, when, sizeof(when));
	if (e && e->key.name[0])
		(void)snprintf(of, sizeof(of), "%s", e->key.name);
	else if (e)
		(void)snprintf(of, sizeof(of), "%s %u",
			       entity_kind_name(e->key.kind), e->key.number);
	(void)printf("%s,\"%s\",%s,%u", when, of, s->info->name, s->index);
	for (unsigned i = 0; i < 3; i++)
		if (look_back_is_rate(s->info))
			(void)printf(",%.3f", (double)values[i] / 1e3);
		else if (quantity_is_unsigned(s->info))
			(void)printf(",%llu", (unsigned long long)values[i]);
		else
			(void)printf(",%lld", (long long)values[i]);
	(void)printf(",%s%s,%lld\n",
		     quantity_unit_name((enum quantity_unit)s->info->unit),
		     look_back_is_rate(s->info) ? "_per_s" : "",
		     (long long)(r->span_ns / NS_PER_S));
}

static void csv_print(const struct history_question *h)
{
	const struct state *state = h->context.state;

	(void)puts("time,of,quantity,index,value,min,max,unit,span_s");
	for (size_t i = 0; i < h->count; i++)
		for (size_t k = 0; k < h->found[i].count; k++)
			csv_row(&h->series[i],
				state_entity(state, h->series[i].entity),
				&h->found[i].reading[k]);
}

/* Reads the series that the words name. Returns an exit code. */
static int history_read(struct history_question *h, struct wall now,
			int64_t since_ns)
{
	struct diag d;
	int code = history_find(&h->query, h->series, &h->count);

	if (code != EXIT_ANSWERED)
		return code;
	for (size_t i = 0; i < h->count; i++)
		h->found[i] = (struct look_back_series){
			.entity = h->series[i].entity,
			.quantity = h->series[i].info->id,
			.index = h->series[i].index };
	if (look_back_read(h->look_back, (struct wall){ now.ns - since_ns },
			   now, h->found, h->count, &d) < 0)
		return answer_error(h->query.a, EXIT_INCOMPLETE, "%s", d.text);
	rows_fill(h);
	return EXIT_ANSWERED;
}

static int history_answer(struct history_question *h,
			  const struct agent_place *place, int64_t since_ns)
{
	const struct past *p = look_back_past(h->look_back);
	struct screen screen = screen_of(stdout);
	const struct render_how how = {
		.command = h->inv->verb->name,
		.json = option_given(h->inv, OPTION_JSON) };
	Petrel__Answer *m = answer_message(h->query.a);
	struct diag d = { "" };
	struct wall now;
	bool is_up;
	int code;

	h->context = (struct query_context){
		.switch_name = p->switch_name, .version = p->version,
		.state = p->state, .clock = clock_read };
	query_begin(&h->query);
	now = h->query.now.wall;
	is_up = ask_runs(place, &d);
	if (!is_up) {		/* go back from when it ended */
		offline_head(p, h->query.a, now.ns, d.text);
		now = past_wall(p, p->last);
	}
	code = history_read(h, now, since_ns);
	if (code == EXIT_ANSWERED && !is_up)
		code = EXIT_AGENT_DOWN;
	if (code == EXIT_ANSWERED && !m->complete)
		code = EXIT_INCOMPLETE;
	m->code = (uint32_t)code;
	if (option_given(h->inv, OPTION_CSV) && !m->error[0])
		csv_print(h);
	else
		(void)render(&screen, &how, m);
	return code;
}

static int failed(int code, const char *why)
{
	(void)fprintf(stderr, "petrel: %s\n", why);
	return code;
}

/* Without rings there are no readings. */
static int unopened_show(const struct history_question *h, int rc,
			 const char *why)
{
	struct screen screen = screen_of(stdout);
	const struct render_how how = {
		.command = h->inv->verb->name,
		.json = option_given(h->inv, OPTION_JSON) };
	int code = rc == -EACCES ? EXIT_NOT_PERMITTED : EXIT_UNREACHABLE;

	answer_head(h->query.a, "", clock_wall_now().ns);
	(void)answer_error(h->query.a, code, "%s", why);
	(void)render(&screen, &how, answer_message(h->query.a));
	return code;
}

int history_run(const struct invocation *inv)
{
	int64_t since_ns = SINCE_DEFAULT_NS;
	char *args[ARGUMENTS_MAX];
	struct history_question h = { .inv = inv };
	struct agent_place place;
	Petrel__Request request;
	struct answer *a = NULL;
	struct diag d = { "" };
	int code, rc;

	if (option_given(inv, OPTION_COLLECTOR))
		return option_given(inv, OPTION_CSV) ?
		       failed(EXIT_USAGE, "--csv works for this switch only; "
			      "use --json with --collector") : ask_run(inv);
	if (option_duration(inv, OPTION_SINCE, &since_ns, &d) < 0 ||
	    ask_place(inv, &place, &d) < 0)
		return failed(EXIT_USAGE, d.text);
	petrel__request__init(&request);
	for (unsigned i = 0; i < inv->argument_count; i++)
		args[i] = (char *)(uintptr_t)inv->argument[i];
	request.args = args;
	request.n_args = inv->argument_count;
	if (answer_new(QUERY_ANSWER_OCTETS, &a) < 0)
		return failed(EXIT_INCOMPLETE, "no memory");
	h.query = (struct query){ .ctx = &h.context, .request = &request,
				  .a = a };
	rc = look_back_open(place.run_dir, &h.look_back, &d);
	code = rc == 0 ? history_answer(&h, &place, since_ns) :
			 unopened_show(&h, rc, d.text);
	answer_free(a);
	look_back_close(h.look_back);
	return code;
}
