/* --sort and --top: the rows of an answer's first table in another order. */
#pragma once

#include "agent/query/answer.h"

/* By the request's column, rows without a value last; then the first so many.
 * Returns EXIT_ANSWERED, or the exit code of the error that the answer now
 * holds: there is no such column.
 */
int order_apply(const Petrel__Request *request, struct answer *a);
/* The same; by that column where the request names none. */
int order_apply_by(const Petrel__Request *request, const char *column,
		   struct answer *a);
