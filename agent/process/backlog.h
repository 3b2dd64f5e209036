/* All that the sender asks of a disk, in a thread of its own, so that its loop
 * goes on while a disk hangs: the switch's own key is read (own_key.h); who the
 * switch is, and what was learnt, are copied to the state folder (home.h,
 * remember.h); and while records do not get
 * away they are copied out of the rings into the spool below the state folder,
 * findings at once and the rest each minute. What is left of runs before this
 * one is offered, so that a reboot during an outage loses nothing that was
 * kept.
 *
 * What waits for a disk that hangs waits in the rings; what they drop meanwhile
 * is counted there, and told in gap records. What is on the disk alone is
 * waited for a minute, then it is told as well, so that the present gets away.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include "agent/process/control.h"
#include "agent/process/own_key.h"
#include "agent/spool/spool_view.h"

#define BACKLOG_FOLDER "spool"	/* in the state folder */
#define BACKLOG_AFTER_HEARTBEATS 5	/* of an outage */
#define BACKLOG_SYNC_NS (60 * NS_PER_S)

/* What the sender wants of the thread; the newest stands. */
struct backlog_orders {
	unsigned keys_wanted;	/* counts: read anew */
	unsigned opened;	/* counts: anew, with these limits */
	uint64_t held_octets, day_octets;	/* 0: no spool */
	struct positions held;	/* by every collector */
	bool is_outage;		/* records do not get away */
	bool copies;		/* what was learnt, too */
	bool is_last;		/* the machine may go down: all, now */
	bool stops;
};

struct backlog {
	struct process_env *env;	/* borrowed */
	struct spool_view *view;	/* shared with the sender */
	pthread_t thread;
	bool has_thread;
	bool hung_told;			/* the sender's */
	pthread_mutex_t lock;		/* of the next four */
	struct backlog_orders orders;
	bool has_key;			/* that was not taken yet */
	struct own_key key;
	char key_fault[DIAG_MAX];	/* why it cannot be had; empty */
	/* The thread's own: */
	unsigned keys_read, opened;
	struct spool *spool;	/* NULL: there is none */
	int dir_fd;
	struct mono tried;	/* to open it */
	struct mono synced;
	struct mono noted;	/* where the streams end */
	bool is_dirty;
	uint32_t identity_kept;	/* its generation; even */
	uint64_t hint[STREAM_COUNT];	/* ring_read()'s */
	uint8_t record[RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX];
};

/* Begins the thread, without a spool. Returns a negative errno. */
int backlog_start(struct backlog *b, struct process_env *env);
/* Ends it, and syncs nothing. False: it hangs in the disk, and still has all of
 * this.
 */
bool backlog_stop(struct backlog *b);

/* Has the switch's own key and its token read, as the configuration says now;
 * the view's descriptor is readable when that is done.
 */
void backlog_key_want(struct backlog *b);
/* What was read; fault: why not. False: nothing since the last call. */
bool backlog_key_take(struct backlog *b, struct own_key *ret,
		      char fault[static DIAG_MAX]);

/* Opens the spool, if the configuration wants one and there is a folder for
 * it; what keeps it is logged once, and it is tried again each minute.
 */
void backlog_open(struct backlog *b, const struct config *c);
/* Once a second (is_beat), and in an outage with each record: every collector
 * holds all up to held; is_outage: records do not get away.
 */
void backlog_tend(struct backlog *b, const struct positions *held,
		  bool is_outage, bool is_beat, struct mono now);
/* At the end, before the machine may go down: all that is not acknowledged, and
 * what was learnt; the supervisor waits for it.
 */
void backlog_last(struct backlog *b, const struct positions *held);
