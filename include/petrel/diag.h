/* The reason of a failure, for people; the return value is for code.
 *
 * Owned by the caller, passed down, may be NULL. It holds one sentence that
 * names the thing, what was found, and what would be right.
 */
#pragma once

#include <stddef.h>

#define DIAG_MAX 320

struct diag {
	char text[DIAG_MAX];
};

/* Writes the sentence, cut at DIAG_MAX. Returns err, so that a failure is one
 * statement: return diag_set(d, -EINVAL, …).
 */
int diag_set(struct diag *d, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before what stands there, for the layer that knows the
 * file's name. Returns err.
 */
int diag_prefix(struct diag *d, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
