/* Sentences that are put together from parts: "one, two". */
#pragma once

#include <stddef.h>

/* Adds to a text, after between unless the text is empty; cut where it is
 * full.
 */
void joined_add(char *text, size_t cap, const char *between,
		const char *format, ...) __attribute__((format(printf, 4, 5)));
