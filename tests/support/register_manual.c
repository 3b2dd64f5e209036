#include "tests/support/register_manual.h"

#include <string.h>

#include "platform/module/registers.h"

#define LINE_MAX_OCTETS 72u

struct out {
	FILE *file;
	const char *standard;
};

/* On lines that mandoc does not call too long, broken behind commas. */
static void gate_print(FILE *out, const char *gate)
{
	const char *more = gate[0] ? "if " : NULL;

	while (more) {
		size_t len = strlen(gate);

		while (len > LINE_MAX_OCTETS) {
			const char *comma = memrchr(gate, ',', len - 1);

			if (!comma)
				break;
			len = (size_t)(comma - gate) + 1;
		}
		(void)fprintf(out, "%s%.*s%s\n", more, (int)len, gate,
			      gate[len] ? "" : ";");
		gate += len + strspn(gate + len, " ");
		more = gate[0] ? "" : NULL;
	}
}

static void row_print(void *context, const struct register_row *row)
{
	struct out *o = context;

	if (strcmp(row->standard, o->standard) != 0)
		return;
	(void)fprintf(o->file, ".It Li %s\n%s:%s;\n%s, scale %s, unit %s;\n",
		      row->name, row->page, row->byte, row->type, row->scale,
		      row->unit);
	gate_print(o->file, row->gate);
	(void)fprintf(o->file, "%s\n", row->clause);
}

void register_manual(FILE *out, const char *standard)
{
	struct out o = { out, standard };

	registers_list(row_print, &o);
}
