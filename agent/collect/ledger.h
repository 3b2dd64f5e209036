/* The collector's state of each run of each switch: positions, dictionary,
 * session. Judges each record by it, so that nothing is kept twice and nothing
 * is missing without a gap record.
 *
 * Bounded: LEDGER_RUNS_MAX runs, LEDGER_SWITCH_RUNS_MAX of one switch; if a
 * switch has more, the one silent longest is dropped. A full ledger drops runs
 * of which nothing was ever kept; then older runs of a switch that has a newer
 * one; then runs that were silent for LEDGER_FORGET_NS; else it takes no new
 * one, and does not look again for LEDGER_FULL_NS. Hellos alone, however many,
 * cause no walk over all runs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include "agent/collect/dictionary_version.h"
#include "agent/collect/entry.h"
#include "agent/collect/follow.h"
#include "agent/push/transport.h"
#include "petrel/clock.h"
#include "petrel/wire.h"

#define LEDGER_RUNS_MAX 20000u
#define LEDGER_SWITCH_RUNS_MAX 8u
#define LEDGER_FORGET_NS (3600 * NS_PER_S)
#define LEDGER_FULL_NS NS_PER_S

enum verdict {
	VERDICT_KEEP,
	VERDICT_REPEAT,		/* kept already */
	VERDICT_PART_REPEAT,	/* a gap; partly new */
	VERDICT_HOLE,		/* records before it are missing */
	VERDICT_NEED_STATES,	/* the next one, but lacks its dictionary */
};

struct run {
	char switch_id[SWITCH_NAME_MAX];
	struct entry_identity identity;
	bool has_identity;		/* else known only by its id */
	bool identity_is_told;		/* written to the spool */
	uint64_t run;
	struct positions kept;		/* in the spool */
	struct positions syncing;	/* covered by the present sync */
	struct positions durable;	/* synced: may be acknowledged */
	struct dictionary dictionary;
	struct place reference;		/* entry of the last reference batch */
	/* The session: */
	uint64_t session;		/* 0: none */
	uint8_t version;		/* of its frames */
	struct transport_peer peer;
	struct mono heard;
	/* Frames after which another run of the switch was heard, on another
	 * connection, before the next one.
	 */
	unsigned turns;
	struct wall recorded;	/* last kept; ns 0: none since the start */
	bool hole_told[STREAM_COUNT];
	/* The intake's two lists: */
	bool is_dirty, is_syncing;
	struct run *next_dirty, *next_syncing;
	/* Chains of the ledger: */
	LIST_ENTRY(run) of_switch, of_session;
	TAILQ_ENTRY(run) of_new;	/* of those added, in order */
	bool is_new;			/* in that list */
};

struct ledger;

/* seed: random, so that no peer can aim at one chain. */
int ledger_new(uint64_t seed, struct ledger **ret);

/* Forgets all runs. */
void ledger_clear(struct ledger *l);
/* Frees all runs too. */
void ledger_free(struct ledger *l);

/* NULL when there is none. */
struct run *ledger_find(const struct ledger *l, const char *switch_id,
			uint64_t run);

/* The run of a HELLO: finds it, under the id or under its earlier identity
 * before its agent had an id, or adds it; takes the name over. id NULL: version
 * 1, whose identity is the name.
 */
struct run *ledger_greet(struct ledger *l, const char *id, const char *name,
			 uint64_t run, struct mono now);

/* Another run of its switch that was heard later; NULL: none was. */
const struct run *ledger_heard_later(const struct ledger *l,
				     const struct run *r);
/* Nothing of it was ever kept. */
bool ledger_run_is_empty(const struct run *r);
/* Runs that were dropped for others, since the start. */
uint64_t ledger_forgotten(const struct ledger *l);
/* Number of runs, with and without a session. */
size_t ledger_count(const struct ledger *l);
/* Walks over all runs, in no order, from after NULL to NULL. */
struct run *ledger_next(const struct ledger *l, const struct run *after);

/* The run of a session; NULL: unknown, or ended. */
struct run *ledger_session_find(const struct ledger *l, uint64_t session);
/* Gives the run a session, new or taken from another run; the run's former
 * session is unknown from now on.
 */
void ledger_session_set(struct ledger *l, struct run *r, uint64_t session);

/* Lets a switch tell its states and open findings again: samples are taken only
 * after that.
 */
void ledger_states_lost(struct ledger *l, const char *switch_id);

/* The verdict on a record. Changes nothing. */
enum verdict ledger_judge(const struct run *r, const struct record_header *h,
			  const void *payload);
/* Records that a record is in the spool now. */
void ledger_take(struct run *r, const struct record_header *h,
		 const void *payload);

/* Writes the whole ENTRY_POSITIONS of a run: at most ENTRY_POSITIONS_OCTETS. */
void ledger_positions_write(struct writer *w, const struct run *r);

/* Takes in an entry of the spool, at the start. Returns -EBADMSG when the
 * entry is whole but its content is not, -ENOSPC.
 */
int ledger_entry(struct ledger *l, const struct entry *e, struct place at,
		 struct mono now);
