/* Whether something is what it was the last time: xcvrd writes whole rows each
 * time, of which nobody can tell those that nothing changed in.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seen {
	uint64_t hash;		/* 0: nothing yet */
};

/* Compares with the last time, and remembers. */
bool seen_again(struct seen *s, const void *data, size_t len);
