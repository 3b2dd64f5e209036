/* The collector's spool at work: opened and read at the start, then committed
 * in groups: one sync serves all frames that came while the one before it was
 * under way.
 */
#pragma once

#include <stdbool.h>
#include "agent/collect/ledger.h"
#include "agent/collect/store.h"
#include "agent/config/config.h"

struct commit;

struct commit_env {
	const struct collector_config *config;
	struct ledger *ledger;		/* empty; is filled; the caller's */
	struct place database_from;	/* its cursor */
	struct place known_from;	/* out: the reference batches */
};

/* Opens the spool and reads it; says in the log what was found. */
int commit_open(struct commit_env *env, struct commit **ret, struct diag *d);

/* Waits for the sync under way; closes the spool. */
void commit_close(struct commit *c);

/* Readable when a sync has ended. */
int commit_event_fd(const struct commit *c);

/* Borrowed. */
struct store *commit_store(const struct commit *c);

/* Begins to sync what is in the spool. Only while no sync is under way. */
int commit_begin(struct commit *c, struct mono now);

/* True from commit_begin() until commit_take() gave the result. */
bool commit_is_busy(struct commit *c);
/* For how long; 0: it is not. */
int64_t commit_busy_ns(struct commit *c, struct mono now);

/* After a write or a sync that failed, while no sync is under way: makes the
 * ledger and the spool what they would be after a restart. 0, or a negative
 * errno with d, and it is to be called again; what is in the ledger then is of
 * no use.
 */
int commit_mend(struct commit *c, struct diag *d);

/* Takes the result of a sync that ended: 0, and all before *ret_end is durable;
 * or a negative errno; -EAGAIN: none has ended.
 */
int commit_take(struct commit *c, struct place *ret_end);
