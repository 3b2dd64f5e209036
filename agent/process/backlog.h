/* The sender's spool at work: while records do not get away they are copied out
 * of the rings into segments below the state folder, findings at once and the
 * rest each minute; and what is left of runs before this one is offered, so
 * that a reboot during an outage loses nothing that was kept.
 */
#pragma once

#include <stdbool.h>
#include "agent/process/control.h"
#include "agent/spool/spool.h"

#define BACKLOG_FOLDER "spool"	/* in the state folder */
#define BACKLOG_AFTER_HEARTBEATS 5	/* of an outage */
#define BACKLOG_SYNC_NS (60 * NS_PER_S)

struct backlog {
	struct process_env *env;	/* borrowed */
	struct spool *spool;	/* NULL: there is none */
	int dir_fd;
	struct mono tried;	/* to open it */
	struct mono synced;
	struct mono noted;	/* where the streams end */
	bool is_dirty;
	uint64_t hint[STREAM_COUNT];	/* ring_read()'s */
	uint8_t record[RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX];
};

/* Opens the spool, if the configuration wants one and there is a folder for
 * it; what keeps it is logged once, and it is tried again each minute.
 */
void backlog_open(struct backlog *b, struct process_env *env,
		  const struct config *c, struct mono now);
/* Syncs nothing. */
void backlog_close(struct backlog *b);

/* Once a second, and in an outage with each record: every collector holds all
 * up to held; is_outage: records do not get away.
 */
void backlog_tend(struct backlog *b, const struct config *c,
		  const struct positions *held, bool is_outage,
		  struct mono now);
/* At the end, before the machine may go down: all that is not acknowledged. */
void backlog_flush(struct backlog *b, const struct positions *held,
		   struct mono now);
