/* Capsules (C8): the samples of a finding's ports, or its queues, from around
 * the moment when it was raised, read from the ring of samples once that period
 * is over, a few records at a time, so that no sample waits. One is made at a
 * time. One that a restart of the core interrupts is begun anew from the rings.
 *
 * Bounded: at most CAPSULES_MAX wait, and all of an hour take at most half of
 * the ring of findings; a finding above that is counted, and has no capsule.
 */
#pragma once

#include "agent/process/journal.h"
#include "agent/record/capsule.h"
#include "agent/state/state.h"

#define CAPSULE_BEFORE_NS (60 * NS_PER_S)
#define CAPSULE_AFTER_NS (30 * NS_PER_S)
#define CAPSULES_MAX 64u
#define CAPSULE_PORTS_MAX 8u

/* A finding that was raised, and has no capsule yet. */
struct capsule_due {
	char id[FINDING_ID_LEN + 1];
	uint32_t entity;	/* its entity */
	struct mono when;
	char ports[FINDING_PORTS_OCTETS];	/* as struct finding has them */
	unsigned ports_kept, port_count;
	bool is_of_queues;
};

struct capsules {
	const struct state *state;
	struct journal *journal;
	const struct ring_set *rings;
	struct capsule_due due[CAPSULES_MAX];	/* oldest first */
	unsigned count;
	uint64_t left_out;
	/* The current capsule, if is_open. */
	bool is_open, is_decoding, is_of_queues;
	struct capsule capsule;
	struct decoder *decoder;
	struct ring_walk walk;
	uint8_t *wanted;	/* a bit per entity */
	uint32_t wanted_count;
	uint64_t reference;	/* where decoding begins; 0: not found yet */
	uint64_t next;		/* the sequence expected next */
	struct mono first, batch;	/* of the batches so far */
	int64_t batches;
	uint8_t *record;
	char name[STATE_SERIES_NAME_MAX];	/* of the current series */
	/* The hour's budget. */
	struct mono hour;
	uint64_t hour_octets;
};

/* All 0 but the first three. Resumes what an earlier core did not finish. */
void capsules_recall(struct capsules *c, struct mono now);
/* Releases what it holds. */
void capsules_fini(struct capsules *c);

/* A change of a finding. */
void capsules_finding(struct capsules *c, const struct finding *f);
/* Each second: does one more step. */
void capsules_step(struct capsules *c, struct mono now);
