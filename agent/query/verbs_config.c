/* The configuration in force, where each value comes from (C14), and how a new
 * one is put into force.
 */
#include "agent/query/verbs.h"

#include <string.h>
#include <unistd.h>

#include "agent/process/control.h"
#include "agent/query/follow.h"
#include "petrel/local.h"

const struct answer_shape shape_config = { "config", .columns = {
	{ "section", "SECTION", CELL_TEXT },
	{ "key", "KEY", CELL_TEXT },
	{ "value", "VALUE", CELL_TEXT },
	{ "changes", "CHANGES", CELL_TEXT },
	{ "origin", "ORIGIN", CELL_TEXT, .wide = true },
	{ "waiting", "", CELL_TEXT },
	{ .key = NULL },
} };

const struct answer_shape shape_waiting = { "waiting", .columns = {
	{ "section", "SECTION", CELL_TEXT },
	{ "key", "KEY", CELL_TEXT },
	{ "value", "IN FORCE", CELL_TEXT },
	{ "waiting", "WAITING", CELL_TEXT },
	{ .key = NULL },
} };

static void entry_row(struct answer *a, const struct config_entry *e)
{
	answer_row(a);
	answer_text(a, e->section);
	answer_text(a, e->key);
	answer_text_if(a, e->value);
	answer_text(a, e->at_start ? "at start" : "at reload");
	answer_text(a, e->origin);
	answer_text_if(a, e->waits ? e->waiting : "");
	if (e->waits)
		answer_note(a, "[%s] %s = %s takes effect when petreld "
			    "restarts", e->section, e->key, e->waiting);
}

int verbs_config(struct query *q)
{
	const Petrel__Request *r = q->request;
	const char *what = r->n_args ? r->args[0] : "show";
	char refused[DIAG_MAX];
	struct config_entry e;
	struct config config, wanted;

	if (strcmp(what, "show") != 0)
		return answer_error(q->a, EXIT_USAGE, "config takes show, not "
				    "'%s'", what);
	(void)control_config(q->ctx->control, &config);
	control_wanted(q->ctx->control, &wanted);
	if (r->n_args > 1 && strcmp(r->args[1], "origin") == 0)
		answer_show(q->a, "origin");
	answer_table(q->a, &shape_config);
	for (size_t i = 0; config_entry(&config, &wanted, i, &e); i++)
		entry_row(q->a, &e);
	if (control_text_get(&q->ctx->control->refused, refused))
		answer_note(q->a, "this is the previous configuration; the "
			    "new one was refused: %s", refused);
	return EXIT_ANSWERED;
}

/* --- reload -------------------------------------------------------------- */

/* Keys whose new value takes effect when petreld restarts. */
static void waiting_table(struct query *q)
{
	struct config config, wanted;
	struct config_entry e;
	unsigned n = 0;

	(void)control_config(q->ctx->control, &config);
	control_wanted(q->ctx->control, &wanted);
	answer_table(q->a, &shape_waiting);
	for (size_t i = 0; config_entry(&config, &wanted, i, &e); i++) {
		if (!e.waits)
			continue;
		answer_row(q->a);
		answer_text(q->a, e.section);
		answer_text(q->a, e.key);
		answer_text_if(q->a, e.value);
		answer_text_if(q->a, e.waiting);
		n++;
	}
	if (n)
		answer_note(q->a, "%u key%s: in force when petreld restarts; "
			    "all others are in force now", n,
			    n == 1 ? "" : "s");
}

static int reload_answer(struct query *q)
{
	const struct control *c = q->ctx->control;

	if (c->reload_result < 0)
		return answer_error(q->a, EXIT_USAGE, "%.*s; the previous "
				    "configuration stays in force",
				    DIAG_MAX - 1, c->reload_diag.text);
	waiting_table(q);
	return EXIT_ANSWERED;
}

/* A reload also serves requests with lower numbers. */
static void reload_send(struct query_context *ctx, struct waiting *w)
{
	struct query q;

	if ((int32_t)(ctx->control->reload_done - w->reload) < 0 ||
	    !follow_begin(ctx, w, &q))
		return;
	answer_message(q.a)->code = (uint32_t)reload_answer(&q);
	w->kind = FOLLOW_NOTHING;
	(void)query_answer(q.client, q.a, false);
}

void verbs_reload_done(struct query_context *ctx)
{
	follow_each(ctx, FOLLOW_RELOAD, reload_send);
}

int verbs_reload(struct query *q)
{
	static const uint64_t one = 1;
	struct waiting *w = follow_new(q, FOLLOW_RELOAD);

	if (!w)
		return EXIT_INCOMPLETE;
	w->reload = ++q->ctx->control->reload_asked;
	if (write(q->ctx->reload_event_fd, &one, sizeof(one)) < 0) {
		w->kind = FOLLOW_NOTHING;
		return answer_error(q->a, EXIT_INCOMPLETE, "the supervisor "
				    "cannot be asked");
	}
	return QUERY_LATER;
}
