#include "tests/support/register_manual.h"

#include <string.h>

#include "platform/module/registers.h"

struct out {
	FILE *file;
	const char *standard;
};

static void row_print(void *context, const struct register_row *row)
{
	struct out *o = context;

	if (strcmp(row->standard, o->standard) != 0)
		return;
	(void)fprintf(o->file, ".It Li %s\n%s:%s;\n%s, scale %s, unit %s;\n"
		      "%s%s%s%s\n", row->name, row->page, row->byte, row->type,
		      row->scale, row->unit, row->gate[0] ? "if " : "",
		      row->gate, row->gate[0] ? ";\n" : "", row->clause);
}

void register_manual(FILE *out, const char *standard)
{
	struct out o = { out, standard };

	registers_list(row_print, &o);
}
