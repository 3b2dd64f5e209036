/* What modules raise, spelled out. */
#pragma once

#include "agent/query/choice.h"
#include "agent/query/context.h"

/* The table "flags": a row for each that is raised on the module of a port, or
 * on some of its lanes; warnings beside their alarm are for JSON only. A note
 * says when none is, or when nothing tells of them.
 */
void flags_table(const struct query_context *ctx, const struct choice *wanted,
		 struct answer *a);
