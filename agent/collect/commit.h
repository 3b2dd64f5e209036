/* The collector's spool: opened and read at the start, then committed in
 * groups: one sync serves all frames that came during the previous one.
 */
#pragma once

#include <stdbool.h>
#include "agent/collect/ledger.h"
#include "agent/collect/store.h"
#include "agent/config/config.h"

struct commit;

struct commit_env {
	const struct collector_config *config;
	struct ledger *ledger;		/* empty; filled here; the caller's */
	struct place database_from;	/* its cursor */
	struct place known_from;	/* out: the reference batches */
};

/* Opens the spool and reads it; logs what was found. */
int commit_open(struct commit_env *env, struct commit **ret, struct diag *d);

/* Waits for the present sync; closes the spool. */
void commit_close(struct commit *c);

/* Readable when a sync has ended. */
int commit_event_fd(const struct commit *c);

/* Borrowed. */
struct store *commit_store(const struct commit *c);

/* Starts a sync of the spool. Only while no other is running. */
int commit_begin(struct commit *c, struct mono now);

/* True from commit_begin() until commit_take() gave the result. */
bool commit_is_busy(struct commit *c);
/* For how long; 0: it is not busy. */
int64_t commit_busy_ns(struct commit *c, struct mono now);

/* After a failed write or sync, while no sync is running: brings the ledger and
 * the spool to the state after a restart. 0, or a negative errno with d: call
 * it again; the ledger is not usable until it succeeds.
 */
int commit_mend(struct commit *c, struct diag *d);

/* The result of a sync that ended: 0, and all before *ret_end is durable; or a
 * negative errno; -EAGAIN: none has ended.
 */
int commit_take(struct commit *c, struct place *ret_end);
