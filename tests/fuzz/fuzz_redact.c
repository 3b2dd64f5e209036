/* Texts of strangers: journals, configurations, answers. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/ctl/redact.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void redact(const uint8_t *data, size_t size, bool anonymise)
{
	struct redact *r;
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	if (!f || redact_new(anonymise, &r) < 0)
		abort();
	redact_name(r, "leaf1");
	if (redact_text(r, (const char *)data, size, f) < 0 || fclose(f) != 0)
		abort();
	free(out);
	redact_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	redact(data, size, false);
	redact(data, size, true);
	return 0;
}
