/* Port patterns, as --ports and a trace's request give them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/query/pattern.h"

#define TEXT_MAX 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT_MAX];
	struct pattern p;
	struct diag d;

	if (size >= TEXT_MAX)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (pattern_parse(text, &p, &d) < 0)
		return 0;
	if (p.count > PATTERN_ITEMS_MAX)
		abort();
	for (unsigned i = 0; i < p.count; i++)	/* itself, or more */
		if (!p.item[i].is_range &&
		    !pattern_matches(&p, p.item[i].name))
			abort();
	(void)pattern_matches(&p, text);
	return 0;
}
