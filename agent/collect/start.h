/* What the collector knows again at its start, from its spool: positions,
 * dictionaries, where the sinks go on.
 */
#pragma once

#include "agent/collect/ledger.h"
#include "agent/collect/sink.h"
#include "agent/collect/store.h"
#include "agent/config/config.h"

struct start_env {
	const struct collector_config *config;
	struct sink *sink;
	struct ledger *ledger;		/* empty; is filled */
	/* Out: */
	struct place sink_from;		/* the cursor */
	struct place newest_from;	/* the reference batches in force */
};

/* Opens the spool and reads it; says in the log what was found. */
int start_store_open(struct start_env *env, struct store **ret,
		     struct diag *d);

/* Appends the positions of all runs: the head of a segment. */
int start_positions_append(struct store *store, const struct ledger *ledger);
