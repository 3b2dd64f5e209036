/* What a dead agent left in its rings: inventory, newest values, findings.
 *
 * Read once, as a whole, without a copy: the rings are mapped read-only, and
 * an agent that starts meanwhile is not disturbed.
 */
#pragma once

#include "agent/state/history.h"
#include "agent/state/state.h"
#include "petrel/finding.h"
#include "petrel/wire.h"

/* One ring, as it was found. */
struct past_stream {
	int err;			/* not 0: it cannot be read */
	bool damaged;			/* it is read up to the damage */
	char why[DIAG_MAX];		/* for both, with file and record */
	uint64_t first, next, acked, dropped;
	size_t octets;
};

struct past {
	struct past_stream stream[STREAM_COUNT];
	uint64_t run;
	char switch_name[SWITCH_NAME_MAX];
	char version[64];
	struct state *state;		/* owned */
	uint32_t *entity;		/* by id in the rings; owned */
	uint32_t ids;			/* ids in the rings are below it */
	struct finding *findings;	/* the open ones; owned */
	size_t finding_count;
	struct history *history;	/* of events; owned */
	struct mono last;		/* of the newest batch; ns 0: none */
	struct clock_reading clock;	/* the newest; mono.ns 0: none */
	char death[SOURCE_REASON_MAX];	/* of the process that died last */
	struct mono death_when;
};

/* In entity: the switch itself. */
#define PAST_SWITCH UINT32_MAX

/* Reads the rings in dir_fd; without values everything but the samples. Returns
 * -ENOENT when there are no rings, or another negative errno, with d.
 */
int past_read(int dir_fd, bool values, struct past *ret, struct diag *d);
/* All of it, for a folder by name; errors mention the name. */
int past_open(const char *run_dir, struct past *ret, struct diag *d);
/* The same, but replays the samples from a time on through the state, one batch
 * after another: calls fn after each (p->last); stops when fn returns other
 * than 0, and returns that.
 */
typedef int past_batch_fn(void *context, struct past *p);
int past_play(int dir_fd, struct wall from, past_batch_fn *fn, void *context,
	      struct past *ret, struct diag *d);
/* Releases state, findings and events; also of a half-made one. */
void past_fini(struct past *p);

/* The state's entity for an id in the rings; ENTITY_NONE: unknown. */
uint32_t past_entity(const struct past *p, uint32_t id);

/* Wall time of a moment of that run; ns 0 if the rings have no clock. */
struct wall past_wall(const struct past *p, struct mono then);
