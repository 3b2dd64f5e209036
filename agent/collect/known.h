/* The state of each run from its records, in the order of the spool: its
 * switch, names of entities, the decoder of its batches, and for each switch's
 * last run the newest value of every quantity. In memory only: rebuilt from the
 * spool after a restart. One thread feeds it; any may ask for values and for a
 * switch.
 *
 * Bounded: above KNOWN_RUNS_MAX runs the one that was silent longest is
 * forgotten; KNOWN_VALUES_MAX values each, those above that are left out and
 * counted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/collect/entity_list.h"
#include "agent/collect/sink.h"
#include "agent/record/decode.h"
#include "agent/record/run_clock.h"
#include "petrel/clock.h"

#define KNOWN_RUNS_MAX 20000u
#define KNOWN_VALUES_MAX (1u << 20)

struct known_run;

struct known_value {
	int64_t value;
	struct mono taken;	/* of the run */
	uint8_t quality, source;
	/* The previous reading, to compute a counter's rate. */
	int64_t before;
	struct mono before_taken;	/* ns 0: none */
};

/* What is known of the last run of a switch. */
struct known_switch {
	uint64_t run;
	struct mono batch;	/* its newest batch; ns 0: none */
	struct mono came;	/* when that was taken in, here */
	size_t values;
};

/* One newest value. */
typedef void known_value_fn(void *context, uint32_t entity, uint16_t quantity,
			    uint16_t index, const struct known_value *v);

struct known_count {
	uint64_t switches, values;
	uint64_t left_out;	/* values above the limits */
	uint64_t unreadable;	/* batches */
};

/* Empty at first. */
int known_new(struct known **ret);

/* With all decoders, names and values. */
void known_free(struct known *k);

/* Takes in the newest values of an entry of the spool. Returns -ENOMEM. */
int known_entry(struct known *k, const struct entry *e);

/* A newest value. Returns -ENODATA when there is none. */
int known_value(const struct known *k, const char *switch_id, uint32_t entity,
		uint16_t quantity, uint16_t index, struct known_value *ret);

/* The last run of a switch, and each of its values if fn is not NULL; the feed
 * waits meanwhile. Returns -ENODATA when the switch is not known.
 */
int known_switch(const struct known *k, const char *switch_id,
		 struct known_switch *ret, known_value_fn *fn, void *context);

/* Walks over all runs. */
void known_count(const struct known *k, struct known_count *ret);

/* The run of an entry, with the identity that an ENTRY_POSITIONS gives; NULL:
 * out of memory. Borrowed until the next call.
 */
struct known_run *known_find(struct known *k, const struct entry *e);

/* The latest identity. */
const char *known_switch_name(const struct known_run *r);
/* Sets the name until a later entry sets it: for entries without one. All runs
 * of a switch have the name that came last.
 */
void known_switch_named(struct known *k, struct known_run *r, const char *name);
/* The name; NAME/ID if another switch has the same name. */
const char *known_switch_shown(const struct known_run *r);
/* A run of the switch whose name is from an entry; NULL: there is none. */
const struct known_run *known_switch_find(const struct known *k,
					  const char *switch_id);

/* Takes the names from a dictionary (entity_list.h). */
void known_dictionary(struct known_run *r, const Petrel__Dictionary *m);
/* Takes entities, but makes no names until the next dictionary. */
void known_entities(struct known_run *r, const Petrel__Dictionary *m);

/* NULL when it is not known. */
const char *known_name(const struct known_run *r, uint32_t entity);

/* False: it is not known. */
bool known_entity(const struct known_run *r, uint32_t id,
		  struct known_entity *ret);

/* The mapping for its wall times. */
struct run_clock *known_clock(struct known_run *r);

/* A finding with the wall times of this collector's mapping. */
struct known_finding {
	struct finding finding;
	bool is_repeated;	/* from a snapshot: no change */
};

/* Takes in records that carry findings and their times. Returns 1: a finding,
 * 0: none, -EBADMSG: it cannot be read.
 */
int known_finding(struct known_run *r, const struct record_header *h,
		  const uint8_t *payload, struct known_finding *ret);

/* Data that the user attaches to a run; free() of known_attach() gets it when
 * the run is forgotten.
 */
void **known_attached(struct known_run *r);
/* Call it before the first run. */
void known_attach(struct known *k, void (*forget)(void *attached));

/* Receives each column of a batch; as decoder_batch(). */
int known_batch(struct known_run *r, const struct record_header *h,
		const uint8_t *payload, decoded_fn *fn, void *context,
		struct diag *d);
/* Takes in records that carry samples, their names and times, and passes on
 * each column of a batch. Returns -ENOMEM; -EBADMSG: it cannot be read;
 * -EAGAIN: it needs a reference batch first; or what fn returned.
 */
int known_samples(struct known_run *r, const struct record_header *h,
		  const uint8_t *payload, decoded_fn *fn, void *context);
/* A gap in the samples: what follows waits for a reference. */
void known_lost(struct known_run *r);
