/* What the databases of a switch of two ports hold, for odd_redis: rows as the
 * sonic driver's own tables name them, so that it gets into every state. The
 * values mean nothing.
 */
#pragma once

#include <stddef.h>

#define ODD_PAIRS_MAX 400

/* The names and values of a hash; returns how many texts. */
size_t odd_switch_row(unsigned database, const char *key,
		      const char *ret[static 2 * ODD_PAIRS_MAX]);
/* The keys of a database that a pattern is meant for. */
size_t odd_switch_keys(unsigned database, const char *pattern,
		       const char *ret[static ODD_PAIRS_MAX]);
/* A field's value in a row; NULL: it has none. */
const char *odd_switch_value(const char *key, const char *field);
