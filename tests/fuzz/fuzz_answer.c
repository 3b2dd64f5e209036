/* What petrel makes of an answer that is none: unpacked, checked, and shown as
 * text, as JSON and as metrics if it passes.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "agent/ctl/render.h"
#include "agent/query/exposition.h"
#include "agent/query/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show(const Petrel__Answer *a, const struct render_how *how)
{
	FILE *nowhere = fopen("/dev/null", "w");
	struct screen s = { .out = nowhere, .err = nowhere, .width = 80,
			    .table_width = 80, .colour = true };

	if (!nowhere)
		return;
	(void)render(&s, how, a);
	(void)exposition_write(nowhere, EXPOSITION_OPENMETRICS, a, 1000);
	(void)fclose(nowhere);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct render_how text = { .command = "ports" };
	static const struct render_how json = { .command = "ports",
						.json = true };
	static const struct render_how lines = { .command = "findings",
						 .lines = true };
	static char none[] = "";
	Petrel__Answer *a;

	if (answer_unpack(data, size, &a) < 0)
		return 0;
	if (answer_is_sound(a)) {
		char *error = a->error;

		a->error = none;	/* it would go to standard error */
		show(a, &text);
		show(a, &json);
		show(a, &lines);
		a->error = error;
	}
	answer_unpacked_free(a);
	return 0;
}
