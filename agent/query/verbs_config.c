/* The configuration that is in force, and where each value was said (C14). */
#include "agent/query/verbs.h"

#include <string.h>

#include "agent/process/control.h"
#include "agent/query/answer.h"
#include "agent/query/shapes.h"

static const struct answer_column columns[] = {
	{ "section", "SECTION", CELL_TEXT, false, false },
	{ "key", "KEY", CELL_TEXT, false, false },
	{ "value", "VALUE", CELL_TEXT, false, false },
	{ "origin", "", CELL_TEXT, false, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_config = { "config", columns, false };

static const struct answer_column origin_columns[] = {
	{ "section", "SECTION", CELL_TEXT, false, false },
	{ "key", "KEY", CELL_TEXT, false, false },
	{ "value", "VALUE", CELL_TEXT, false, false },
	{ "origin", "ORIGIN", CELL_TEXT, false, false },
	{ NULL, NULL, 0, false, false },
};
static const struct answer_shape shape_config_origin = {
	"config", origin_columns, false
};

int verbs_config(void *context, struct query_client *client,
		 const Petrel__Request *request, struct answer *a)
{
	const struct query_context *ctx = context;
	const char *what = request->n_args ? request->args[0] : "show";
	bool origin = request->n_args > 1 &&
		      strcmp(request->args[1], "origin") == 0;
	char refused[DIAG_MAX];
	struct config_entry e;
	struct config config;

	(void)client;
	(void)context_begin(ctx, a);
	if (strcmp(what, "show") != 0)
		return answer_error(a, EXIT_USAGE, "config can show, not '%s'",
				    what);
	(void)control_config(ctx->control, &config);
	answer_shaped(a, origin ? &shape_config_origin : &shape_config);
	for (size_t i = 0; config_entry(&config, i, &e); i++) {
		answer_row(a);
		answer_text(a, e.section);
		answer_text(a, e.key);
		answer_text(a, e.value[0] ? e.value : NULL);
		answer_text(a, e.origin);
	}
	if (control_refused(ctx->control, refused))
		answer_note(a, "this is the configuration before; what is "
			    "asked for is refused: %s", refused);
	return EXIT_ANSWERED;
}
