/* The field Accept of whoever reaches the exporter. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/query/exposition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);

	if (text && exposition_accepted(text) == EXPOSITION_OPENMETRICS &&
	    !strcasestr(text, "openmetrics"))
		abort();
	free(text);
	return 0;
}
