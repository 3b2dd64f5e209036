/* The collectors that the configuration names. Without mirror one of them at a
 * time gets what there is, and the next one takes over where it does not
 * answer; with mirror each gets all, by a position of its own in the rings.
 * What is left of runs before this one goes over connections of its own, so
 * that nothing new waits behind it.
 */
#pragma once

#include "agent/process/control.h"
#include "agent/process/own_key.h"
#include "agent/process/uplink.h"

/* Without an answer for so long, while there is another one: it is asked. */
#define COLLECTORS_OVER_HEARTBEATS 5

/* One of them, or of failover whichever has its turn. */
struct collector_way {
	struct uplink live, past;
	uint64_t past_run;	/* that past is of, or that it has all of */
	struct positions past_held;
};

struct collectors {
	struct process_env *env;	/* borrowed, as are the next four */
	const struct config *config;
	struct spool_view *spool;
	const char *switch_name, *switch_id;
	const struct own_key *key;	/* where config has a collector's */
	unsigned count;			/* of ways; 0: closed */
	unsigned turn;			/* of failover: which collector */
	struct mono since;		/* its turn, or its last answer */
	struct collector_way way[CONFIG_COLLECTORS_MAX];
	uint8_t frame[WIRE_FRAME_MAX];
};

/* Closed; for the loop's timers. moved is called after each step. */
int collectors_init(struct collectors *c, struct process_env *env,
		    struct loop *loop,
		    void (*moved)(void *context, struct mono now),
		    void *context);

/* As config says; one that cannot be had is logged, and the others go on. */
void collectors_open(struct collectors *c, const struct config *config,
		     struct spool_view *spool, const char *switch_name,
		     const char *switch_id, const struct own_key *key,
		     struct mono now);
/* Closes all connections. */
void collectors_close(struct collectors *c);

/* Sends what there is. */
void collectors_run(struct collectors *c, struct mono now);
/* The same of runs before this one; the spool may have what they waited for. */
void collectors_run_past(struct collectors *c, struct mono now);
/* Once a second: turns, and runs before this one. */
void collectors_tend(struct collectors *c, struct mono now);

/* What all of them hold of this run. */
struct positions collectors_held(const struct collectors *c);
/* How the one of this number in the configuration stands; false: another one
 * has its turn.
 */
bool collectors_one(const struct collectors *c, unsigned number,
		    struct push_status *ret);
/* All of them in one: connected when all are, and of the first that is not
 * where it stands and why. False: they are closed.
 */
bool collectors_status(const struct collectors *c, struct push_status *ret);
