/* The table of petrel's verbs: the command line, petreld's socket, help, the
 * completion and petrel-json(7) come from it. A new verb is a row here, and a
 * shape that says where its cells come from.
 */

#include "agent/query/verbs.h"
#pragma once

extern const struct verb verb_table[];

/* At the end of each tick, with all its values: serves waiting clients. */
void verbs_tick(struct query_context *ctx);
