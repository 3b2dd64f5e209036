/* What the core writes to the rings (C9): run, dictionary, clock, events,
 * findings, batches. Owns the encoder; decides when a snapshot or a reference
 * is due. Wakes the sender once for all records of a moment.
 */
#pragma once

#include <stdint.h>
#include "agent/base/event.h"
#include "agent/base/ring.h"
#include "agent/record/decode.h"
#include "agent/record/encode.h"
#include "agent/state/history.h"
#include "agent/state/state.h"
#include "petrel/finding.h"

#define JOURNAL_CLOCK_EVERY 60	/* ticks */

struct journal;
struct control_identity;

struct journal_env {
	struct ring_set *rings;
	const struct state *state;
	int event_fd;			/* core to sender */
	const struct control_identity *identity;	/* present values */
	uint32_t slots, entities;	/* the state's limits */
	/* Repeats the open findings, for a snapshot. */
	void *context;
	size_t (*findings)(void *context, const struct finding **ret);
};

/* Writes the run's first record when the rings are fresh. */
int journal_new(const struct journal_env *env, struct journal **ret);
/* NULL is allowed. */
void journal_free(struct journal *j);

/* The switch's id or name has changed: writes the run record again, and what is
 * known of it.
 */
void journal_identity(struct journal *j);
/* The end of a tick: dictionary, clock, batch. */
void journal_tick(struct journal *j, struct mono now);
/* An event, after the dictionary entry of its entity. */
void journal_event(struct journal *j, const struct event *event);
/* A change of a finding. */
void journal_finding(struct journal *j, const struct finding *f);
/* Wakes the sender when something was appended since the last call. */
void journal_flush(struct journal *j);

/* Findings that an earlier core left open; the caller frees the array. */
size_t journal_open_findings(const struct ring *findings,
			     struct finding **ret);
/* Events of earlier cores of this run, as far as the ring holds them. */
void journal_past_events(const struct ring *states, struct history *to);
/* encoder_bound_traffic() and encoder_pace(), from the next batch on. */
void journal_settle(struct journal *j, bool bounded,
		    const int64_t span_ns[static CLASS_COUNT]);

/* Where it writes its records; for capsules. */
void journal_sink(struct journal *j, struct record_sink *ret);

typedef void journal_past_fn(void *context, ProtobufCMessage *m);
/* Each record of a kind that a ring still holds, up to where it is damaged. */
void journal_past(const struct ring *ring, enum record_kind kind,
		  journal_past_fn *fn, void *context);

/* For its counts; borrowed. */
const struct encoder *journal_encoder(const struct journal *j);
