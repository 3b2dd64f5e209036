/* All disk work of the sender, in a thread of its own, so that its loop
 * continues while a disk hangs. It reads the switch's own key (own_key.h), and
 * copies the switch's identity and what was learnt to the state folder (home.h,
 * remember.h). While records cannot be delivered, it copies them from the rings
 * to the spool below the state folder, findings at once and the rest each
 * minute. It offers the records of earlier runs, so that a reboot during an
 * outage loses nothing that was kept.
 *
 * Records for a disk that hangs wait in the rings; what the rings drop
 * meanwhile is counted there, and reported in gap records. For records that
 * only the disk has the sender waits a minute, then reports a gap, so that new
 * records get out.
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

/* The sender's orders to the thread; the newest apply. */
struct backlog_orders {
	unsigned keys_wanted;	/* counter: a change means reread */
	unsigned opened;	/* counter: a change means reopen */
	uint64_t held_octets, day_octets;	/* 0: no spool */
	struct positions held;	/* by every collector */
	bool is_outage;		/* records are not delivered */
	bool copies;		/* copy what was learnt, too */
	bool is_last;		/* the machine may go down: write all now */
	bool stops;
};

struct backlog {
	struct process_env *env;	/* borrowed */
	struct spool_view *view;	/* shared with the sender */
	pthread_t thread;
	bool has_thread;
	bool hung_told;			/* the sender's */
	pthread_mutex_t lock;		/* for the next four */
	struct backlog_orders orders;
	bool has_key;			/* not taken yet */
	struct own_key key;
	char key_fault[DIAG_MAX];	/* why there is none; or empty */
	/* The thread's own: */
	unsigned keys_read, opened;
	struct spool *spool;	/* NULL: there is none */
	int dir_fd;
	struct mono tried;	/* opening it */
	struct mono synced;
	struct mono noted;	/* noting where the streams end */
	bool is_dirty;
	uint32_t identity_kept;	/* its generation when saved; even */
	uint64_t hint[STREAM_COUNT];	/* ring_read()'s */
	uint8_t record[RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX];
};

/* Starts the thread, without a spool. Returns a negative errno. */
int backlog_start(struct backlog *b, struct process_env *env);
/* Stops it, without a sync. False: it hangs in the disk, and still uses *b. */
bool backlog_stop(struct backlog *b);

/* Orders a read of the switch's own key and token, as configured now; the
 * view's descriptor becomes readable when that is done.
 */
void backlog_key_want(struct backlog *b);
/* What was read; fault: why not. False: nothing new since the last call. */
bool backlog_key_take(struct backlog *b, struct own_key *ret,
		      char fault[static DIAG_MAX]);

/* Opens the spool, if the configuration wants one and its folder exists; a
 * failure is logged once, and retried each minute.
 */
void backlog_open(struct backlog *b, const struct config *c);
/* Once a second (is_beat), and in an outage with each record: every collector
 * holds all up to held; is_outage: records are not delivered.
 */
void backlog_tend(struct backlog *b, const struct positions *held,
		  bool is_outage, bool is_beat, struct mono now);
/* At the end, before the machine may go down: saves all that is not
 * acknowledged, and what was learnt; the supervisor waits for it.
 */
void backlog_last(struct backlog *b, const struct positions *held);
