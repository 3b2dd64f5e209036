/* What is known of each run from its records, in the order of the spool: who
 * its switch is, names of entities, the decoder that follows its batches, and
 * of each switch's last run the newest value of everything that it measures. In
 * memory only: made again from the spool after a restart. One thread feeds it;
 * any may ask for values and for a switch.
 *
 * Bounded: of more than KNOWN_RUNS_MAX runs the one that said nothing for
 * longest is forgotten; KNOWN_VALUES_MAX values each, what is above that is
 * left out and counted.
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
	/* The reading before it, so that a counter has a rate. */
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
	uint64_t left_out;	/* values above the bounds */
	uint64_t unreadable;	/* batches */
};

/* Knows nothing yet. */
int known_new(struct known **ret);

/* With all decoders, names and values. */
void known_free(struct known *k);

/* Takes in the newest values of an entry of the spool. Returns -ENOMEM. */
int known_entry(struct known *k, const struct entry *e);

/* A newest value. Returns -ENODATA when there is none. */
int known_value(const struct known *k, const char *switch_id, uint32_t entity,
		uint16_t quantity, uint16_t index, struct known_value *ret);

/* The last run of a switch, and each of its values where fn is not NULL; the
 * feed waits meanwhile. Returns -ENODATA when the switch is not known.
 */
int known_switch(const struct known *k, const char *switch_id,
		 struct known_switch *ret, known_value_fn *fn, void *context);

/* Walks over all runs. */
void known_count(const struct known *k, struct known_count *ret);

/* The run of an entry, with what an ENTRY_POSITIONS says of its switch; NULL:
 * out of memory. Borrowed until the next call.
 */
struct known_run *known_find(struct known *k, const struct entry *e);

/* As it was said last. */
const char *known_switch_name(const struct known_run *r);
/* It is called so until it is said otherwise: where entries do not say. */
void known_switch_named(struct known *k, struct known_run *r, const char *name);
/* The name; NAME/ID where another switch has that name as well. */
const char *known_switch_shown(const struct known_run *r);

/* Takes the names out of a dictionary (entity_list.h). */
void known_dictionary(struct known_run *r, const Petrel__Dictionary *m);
/* Takes entities, and makes no names until the next dictionary. */
void known_entities(struct known_run *r, const Petrel__Dictionary *m);

/* NULL when it is not known. */
const char *known_name(const struct known_run *r, uint32_t entity);

/* False: it is not known. */
bool known_entity(const struct known_run *r, uint32_t id,
		  struct known_entity *ret);

/* What its wall times are by. */
struct run_clock *known_clock(struct known_run *r);

/* A finding with the wall times of this collector's mapping. */
struct known_finding {
	struct finding finding;
	bool is_repeated;	/* by a snapshot: no change */
};

/* Takes a record in of what makes findings and times them. Returns 1: it is a
 * finding, 0: it is none, -EBADMSG: it cannot be read.
 */
int known_finding(struct known_run *r, const struct record_header *h,
		  const uint8_t *payload, struct known_finding *ret);

/* What its user keeps of a run, which free() of known_attach() gets when the
 * run is forgotten.
 */
void **known_attached(struct known_run *r);
/* Before the first run. */
void known_attach(struct known *k, void (*forget)(void *attached));

/* Gives each column of a batch; as decoder_batch(). */
int known_batch(struct known_run *r, const struct record_header *h,
		const uint8_t *payload, decoded_fn *fn, void *context,
		struct diag *d);
/* Takes a record in of what makes samples, names and times them, and gives each
 * column of a batch. Returns -ENOMEM; -EBADMSG: it cannot be read; -EAGAIN: it
 * waits for a reference batch; what fn returned.
 */
int known_samples(struct known_run *r, const struct record_header *h,
		  const uint8_t *payload, decoded_fn *fn, void *context);
/* A gap in the samples: what follows waits for a reference. */
void known_lost(struct known_run *r);
