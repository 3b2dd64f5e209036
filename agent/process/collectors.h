/* The collectors that the configuration names. Without mirror one of them at a
 * time gets all records, and the next one takes over if it does not answer;
 * with mirror each gets all, by a position of its own in the rings. Records of
 * earlier runs are sent over connections of their own, so that new records do
 * not wait behind them.
 */
#pragma once

#include "agent/process/control.h"
#include "agent/process/own_key.h"
#include "agent/process/uplink.h"

/* After this many heartbeats without an answer the next collector is tried. */
#define COLLECTORS_OVER_HEARTBEATS 5

/* One collector, or with failover the present one. */
struct collector_way {
	struct uplink live, past;
	uint64_t past_run;	/* the run that past sends, or has sent */
	struct positions past_held;
};

struct collectors {
	struct process_env *env;	/* borrowed, as are the next four */
	const struct config *config;
	struct spool_view *spool;
	const char *switch_name, *switch_id;
	const struct own_key *key;	/* if config has a collector's key */
	unsigned count;			/* number of ways; 0: closed */
	unsigned turn;			/* failover: which collector */
	struct mono since;		/* its turn began, or it answered */
	struct collector_way way[CONFIG_COLLECTORS_MAX];
	uint8_t frame[WIRE_FRAME_MAX];
};

/* Closed at first; adds the loop's timers. moved is called after each step. */
int collectors_init(struct collectors *c, struct process_env *env,
		    struct loop *loop,
		    void (*moved)(void *context, struct mono now),
		    void *context);

/* Opens those that config names; logs one that fails, and opens the others. */
void collectors_open(struct collectors *c, const struct config *config,
		     struct spool_view *spool, const char *switch_name,
		     const char *switch_id, const struct own_key *key,
		     struct mono now);
/* Closes all connections. */
void collectors_close(struct collectors *c);

/* Sends what is waiting. */
void collectors_run(struct collectors *c, struct mono now);
/* The same for earlier runs; the spool may have what they waited for. */
void collectors_run_past(struct collectors *c, struct mono now);
/* Once a second: failover, and earlier runs. */
void collectors_tend(struct collectors *c, struct mono now);

/* What all of them hold of this run. */
struct positions collectors_held(const struct collectors *c);
/* The status of the one of this number in the configuration; false: another one
 * has its turn.
 */
bool collectors_one(const struct collectors *c, unsigned number,
		    struct push_status *ret);
/* The status of all: connected when all are, and where and why for the first
 * that is not. False: they are closed.
 */
bool collectors_status(const struct collectors *c, struct push_status *ret);
