/* The configuration that is in force, and where each value was said (C14). */
#include "agent/query/verbs.h"

#include <string.h>

#include "agent/process/control.h"
#include "agent/query/answer.h"
#include "agent/query/shapes.h"

#define COLUMNS(origin_heading, origin_hidden)				\
	{ "section", "SECTION", CELL_TEXT, false, false },		\
	{ "key", "KEY", CELL_TEXT, false, false },			\
	{ "value", "VALUE", CELL_TEXT, false, false },			\
	{ "changes", "CHANGES", CELL_TEXT, false, false },		\
	{ "origin", origin_heading, CELL_TEXT, false, origin_hidden },	\
	{ "waiting", "", CELL_TEXT, false, true },			\
	{ NULL, NULL, 0, false, false }

static const struct answer_column columns[] = { COLUMNS("", true) };
const struct answer_shape shape_config = { "config", columns, false };

static const struct answer_column origin_columns[] = {
	COLUMNS("ORIGIN", false)
};
static const struct answer_shape shape_config_origin = {
	"config", origin_columns, false
};

static const struct answer_column waiting_columns[] = {
	{ "section", "SECTION", CELL_TEXT, false, false },
	{ "key", "KEY", CELL_TEXT, false, false },
	{ "value", "IN FORCE", CELL_TEXT, false, false },
	{ "waiting", "WAITING", CELL_TEXT, false, false },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_waiting = {
	"waiting", waiting_columns, false
};

static void text_cell(struct answer *a, const char *text)
{
	answer_text(a, text[0] ? text : NULL);
}

void verbs_waiting(const struct query_context *ctx, struct answer *a)
{
	struct config config, wanted;
	struct config_entry e;
	unsigned n = 0;

	(void)control_config(ctx->control, &config);
	control_wanted(ctx->control, &wanted);
	answer_shaped(a, &shape_waiting);
	for (size_t i = 0; config_entry(&config, &wanted, i, &e); i++) {
		if (!e.waits)
			continue;
		answer_row(a);
		answer_text(a, e.section);
		answer_text(a, e.key);
		text_cell(a, e.value);
		text_cell(a, e.waiting);
		n++;
	}
	if (n)
		answer_note(a, "%u key%s: in force when petreld is started "
			    "again; all else is in force now", n,
			    n == 1 ? "" : "s");
}

static void entry_row(struct answer *a, const struct config_entry *e)
{
	answer_row(a);
	answer_text(a, e->section);
	answer_text(a, e->key);
	text_cell(a, e->value);
	answer_text(a, e->at_start ? "at start" : "at reload");
	answer_text(a, e->origin);
	text_cell(a, e->waits ? e->waiting : "");
	if (e->waits)
		answer_note(a, "[%s] %s = %s waits until petreld is started "
			    "again", e->section, e->key, e->waiting);
}

int verbs_config(void *context, struct query_client *client,
		 const Petrel__Request *request, struct answer *a)
{
	const struct query_context *ctx = context;
	const char *what = request->n_args ? request->args[0] : "show";
	bool origin = request->n_args > 1 &&
		      strcmp(request->args[1], "origin") == 0;
	char refused[DIAG_MAX];
	struct config_entry e;
	struct config config, wanted;

	(void)client;
	(void)context_begin(ctx, a);
	if (strcmp(what, "show") != 0)
		return answer_error(a, EXIT_USAGE, "config can show, not '%s'",
				    what);
	(void)control_config(ctx->control, &config);
	answer_shaped(a, origin ? &shape_config_origin : &shape_config);
	control_wanted(ctx->control, &wanted);
	for (size_t i = 0; config_entry(&config, &wanted, i, &e); i++)
		entry_row(a, &e);
	if (control_refused(ctx->control, refused))
		answer_note(a, "this is the configuration before; what is "
			    "asked for is refused: %s", refused);
	return EXIT_ANSWERED;
}
