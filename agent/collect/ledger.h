/* What the collector has of each run of each switch: positions, dictionary,
 * session. Judges each record by them, so that nothing is kept twice and
 * nothing is missing without a gap record.
 *
 * Bounded: LEDGER_RUNS_MAX runs, LEDGER_SWITCH_RUNS_MAX of one switch; of a
 * switch that has more the one goes that was silent for longest. A full ledger
 * forgets runs of which nothing was ever kept; then older runs of a switch that
 * has a newer one; then runs that were silent for LEDGER_FORGET_NS; else it
 * takes no new one, and does not look again for LEDGER_FULL_NS. Hellos alone,
 * however many, cost no walk over all runs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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
	VERDICT_PART_REPEAT,	/* a gap; what is behind the position is new */
	VERDICT_HOLE,		/* something before it is missing */
	VERDICT_NEED_STATES,	/* the next one, but without its dictionary */
};

struct run {
	char switch_id[SWITCH_NAME_MAX];
	struct entry_identity identity;
	bool has_identity;		/* else the id says it all */
	bool identity_is_told;		/* in the spool, if it has one */
	uint64_t run;
	struct positions kept;		/* in the spool */
	struct positions syncing;	/* what the sync under way covers */
	struct positions durable;	/* synced: what is acknowledged */
	struct dictionary dictionary;
	struct place reference;		/* entry of the last reference batch */
	/* The session: */
	uint64_t session;		/* 0: none */
	uint8_t version;		/* of its frames */
	struct transport_peer peer;
	struct mono heard;
	struct wall recorded;	/* it was kept; ns 0: not since the start */
	bool hole_told[STREAM_COUNT];
	/* The intake's two lists: */
	bool is_dirty, is_syncing;
	struct run *next_dirty, *next_syncing;
	/* Chains of the ledger: */
	struct run *next_of_chain, *next_session;
	struct run *next_new, **link_new;	/* NULL: it is not among them */
};

struct ledger;

/* seed: by chance, so that no peer can aim at one chain. */
int ledger_new(uint64_t seed, struct ledger **ret);

/* Forgets all runs. */
void ledger_clear(struct ledger *l);
/* With all runs. */
void ledger_free(struct ledger *l);

/* NULL when there is none. */
struct run *ledger_find(const struct ledger *l, const char *switch_id,
			uint64_t run);

/* The run of a HELLO: finds it, under the id or under what it was known as
 * before its agent said an id, or adds it; takes the name in. id NULL: version
 * 1, whose identity is the name.
 */
struct run *ledger_greet(struct ledger *l, const char *id, const char *name,
			 uint64_t run, struct mono now);

/* Nothing of it was ever kept. */
bool ledger_run_is_empty(const struct run *r);
/* Runs that had to go for others, since the start. */
uint64_t ledger_forgotten(const struct ledger *l);
/* Runs, with and without a session. */
size_t ledger_count(const struct ledger *l);
/* Each run, in no order, from after NULL to NULL. */
struct run *ledger_next(const struct ledger *l, const struct run *after);

/* Whose session it is; NULL: nobody's (any more). */
struct run *ledger_session_find(const struct ledger *l, uint64_t session);
/* Gives the run a session, new or another run's, which has none then; the one
 * that it had is unknown from now on.
 */
void ledger_session_set(struct ledger *l, struct run *r, uint64_t session);

/* What is to be done with a record. Changes nothing. */
enum verdict ledger_judge(const struct run *r, const struct record_header *h,
			  const void *payload);
/* A record is in the spool now. */
void ledger_take(struct run *r, const struct record_header *h,
		 const void *payload);

/* The ENTRY_POSITIONS of a run, whole: at most ENTRY_POSITIONS_OCTETS. */
void ledger_positions_write(struct writer *w, const struct run *r);

/* Takes in an entry of the spool, at the start. Returns -EBADMSG when the
 * entry is whole but its content is not, -ENOSPC.
 */
int ledger_entry(struct ledger *l, const struct entry *e, struct place at,
		 struct mono now);
