/* What modules raise, spelled out. */
#pragma once

#include "agent/query/choice.h"
#include "agent/query/context.h"

/* The table "flags": a row for each that is raised on a lane or the module of
 * the ports; and a note when none is, or nothing tells of any.
 */
void flags_table(const struct query_context *ctx, const struct choice *wanted,
		 struct answer *a);
