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
#include "agent/ctl/runs.h"
#include "agent/query/server.h"
#include "petrel/local.h"

#define SINCE_DEFAULT_NS (900 * NS_PER_S)

/* The current question. */
struct history_question {
	struct ask ask;
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
	history_begin(&h->query, look_back_reach(h->look_back));
	for (size_t i = 0; i < h->count; i++)
		for (size_t k = 0; k < h->found[i].count; k++)
			history_row(&h->query, &h->series[i],
				    &h->found[i].reading[k]);
	history_end(&h->query);
}

static void csv_row(const struct state *state, const struct history_series *s,
		    const struct history_value *r)
{
	char when[48], of[ENTITY_NAME_MAX];
	const int64_t values[] = { r->value, r->min, r->max };

	wall_rfc3339(r->wall.ns, when, sizeof(when));
	history_of(state, s->entity, of);
	(void)printf("%s,\"%s\",%s,%u", when, of, s->info->name, s->index);
	for (unsigned i = 0; i < 3; i++)
		if (history_is_rate(s->info))
			(void)printf(",%.3f", (double)values[i] / 1e3);
		else if (quantity_is_unsigned(s->info))
			(void)printf(",%llu", (unsigned long long)values[i]);
		else
			(void)printf(",%lld", (long long)values[i]);
	(void)printf(",%s%s,%lld\n",
		     quantity_unit_name((enum quantity_unit)s->info->unit),
		     history_is_rate(s->info) ? "_per_s" : "",
		     (long long)(r->span_ns / NS_PER_S));
}

static void csv_print(const struct history_question *h)
{
	(void)puts("time,of,quantity,index,value,min,max,unit,span_s");
	for (size_t i = 0; i < h->count; i++)
		for (size_t k = 0; k < h->found[i].count; k++)
			csv_row(h->context.state, &h->series[i],
				&h->found[i].reading[k]);
}

/* Reads the series that the words name. Returns an exit code. */
static int history_read(struct history_question *h, struct wall now)
{
	int64_t since_ns = h->ask.request.since_ns;
	struct wall from = { now.ns -
			     (since_ns ? since_ns : SINCE_DEFAULT_NS) };
	struct diag d;
	int code = history_find(&h->query, h->series, &h->count);

	if (code != EXIT_ANSWERED)
		return code;
	for (size_t i = 0; i < h->count; i++)
		h->found[i] = (struct look_back_series){
			.entity = h->series[i].entity,
			.quantity = h->series[i].info->id,
			.index = h->series[i].index };
	if (look_back_read(h->look_back, from, now, h->found, h->count, &d) < 0)
		return answer_error(h->query.a, EXIT_INCOMPLETE, "%s", d.text);
	rows_fill(h);
	return EXIT_ANSWERED;
}

static int history_answer(struct history_question *h, bool csv)
{
	const struct past *p = look_back_past(h->look_back);
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
	is_up = ask_runs(&h->ask.place, &d);
	if (!is_up) {		/* go back from when it ended */
		offline_head(p, h->query.a, now.ns, d.text);
		now = past_wall(p, p->last);
	}
	code = history_read(h, now);
	if (code == EXIT_ANSWERED && !is_up)
		code = EXIT_AGENT_DOWN;
	if (code == EXIT_ANSWERED && !m->complete)
		code = EXIT_INCOMPLETE;
	m->code = (uint32_t)code;
	if (csv && !m->error[0])
		csv_print(h);
	else
		(void)render(&h->ask.screen, &h->ask.how, m);
	return code;
}

int history_run(const struct invocation *inv)
{
	struct history_question h = { .count = 0 };
	bool csv = option_given(inv, OPTION_CSV);
	struct diag d = { "" };
	int code, rc;

	if (option_given(inv, OPTION_COLLECTOR))
		return !csv ? ask_run(inv) :
		       command_failed(EXIT_USAGE, "--csv works for this switch "
				      "only; use --json with --collector");
	if (ask_make(&h.ask, inv, &d) < 0)
		return command_failed(EXIT_USAGE, "%s", d.text);
	if (answer_new(QUERY_ANSWER_OCTETS, &h.query.a) < 0)
		return command_failed(EXIT_INCOMPLETE, "no memory");
	h.query.ctx = &h.context;
	h.query.request = &h.ask.request;
	rc = look_back_open(h.ask.place.run_dir, false, &h.look_back, &d);
	code = rc == 0 ? history_answer(&h, csv) :
			 ask_error_show(&h.ask, rc == -EACCES ?
					EXIT_NOT_PERMITTED : EXIT_UNREACHABLE,
					d.text);	/* no readings */
	answer_free(h.query.a);
	look_back_close(h.look_back);
	return code;
}
