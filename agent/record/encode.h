/* Columns, groups, dictionary and findings to the payloads of records (C9).
 *
 * All buffers are allocated at encoder_new(), sized by the limits; encoding
 * allocates nothing. Payloads above RECORD_PAYLOAD_MAX go in numbered parts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "petrel/entity.h"
#include "petrel/finding.h"
#include "petrel/quantity.h"
#include "petrel/sample.h"
#include "petrel/wire.h"

#define REFERENCE_EVERY 60	/* batches; C9: at least every 60th */

struct encoder;
struct event;

/* Takes a finished payload, one call a record, in order. Returns 0 or a
 * negative errno, which ends the encoding. sequence(): that the record will
 * get, for its "number".
 */
struct record_sink {
	void *context;
	int (*put)(void *context, enum stream stream, enum record_kind kind,
		   uint16_t flags, const void *payload, size_t len);
	uint64_t (*sequence)(void *context, enum stream stream);
};

struct encoder_limits {
	uint32_t slots;		/* values in one batch, at most */
	uint32_t columns, lists, entities;
};

/* Returns -ENOMEM. */
int encoder_new(const struct encoder_limits *limits,
		const struct record_sink *sink, struct encoder **ret);
/* NULL is allowed. */
void encoder_free(struct encoder *e);

/* The next batch is a reference batch. */
void encoder_want_reference(struct encoder *e);

/* From the next batch on, counters of traffic (quantity_is_traffic()) may be
 * off by one part in RICE_SHARE of what they grew by, between two references,
 * and how full buffers are (quantity_is_fill()) is rounded to FILL_OCTETS. At
 * first they are exact, as all else always is.
 */
#define FILL_OCTETS 64	/* less than the cell of any switch */
void encoder_bound_traffic(struct encoder *e, bool bounded);

/* From the next batch on, readings of quantities of a class are recorded once
 * in a span at most (see pace.h); 0: each of them, as at first.
 */
void encoder_pace(struct encoder *e, enum quantity_class class,
		  int64_t span_ns);

/* One tick: rows of the columns whose tick is tick_number. No record if nothing
 * is new. Returns 0; -EINVAL: a new value has no read group (C4); -ENOSPC:
 * above the limits; or the sink's error. After an error the next batch is a
 * reference.
 */
int encoder_batch(struct encoder *e, struct mono now, uint32_t tick_number,
		  uint32_t dictionary_version,
		  const struct sample_column *columns, size_t column_count,
		  const struct group_column *groups, size_t group_count);

/* The entities and sources of a dictionary, as the state holds them. */
struct encoder_entity {
	uint32_t id;
	const struct entity_key *key;
	const char *const *attribute;	/* ATTRIBUTE_COUNT, NULL unknown */
	bool gone;
};
struct encoder_source {
	unsigned number;
	const char *name;
	int64_t interval_ns;
};

/* A snapshot (with RECORD_FLAG_REFERENCE on its first part) or a change. */
int encoder_dictionary(struct encoder *e, uint32_t version, bool snapshot,
		       const struct encoder_entity *entities, size_t n,
		       const struct encoder_source *sources, size_t n_sources);

/* Whose records these are. All is borrowed. */
struct encoder_origin {
	uint64_t run, previous_run;
	const uint64_t *previous_last;	/* STREAM_COUNT of them */
	const char *switch_id, *switch_name;	/* id "": not known yet */
	const char *version;
	const struct clock_reading *clock;
};

/* The first record of a run, and again when id or name change; a dictionary
 * snapshot must follow.
 */
int encoder_run(struct encoder *e, const struct encoder_origin *from);
/* C5: how the two clocks stand. */
int encoder_clock(struct encoder *e, const struct clock_reading *clock);
/* What happened. */
int encoder_event(struct encoder *e, const struct event *event);
/* A record that depends on no earlier one: each is a group of its own. */
int encoder_finding(struct encoder *e, const struct finding *f,
		    bool repeated_state);

#define FINDING_ENCODED_MAX 4096u

/* The message of a finding outside a record; returns its length, 0 when it is
 * longer.
 */
size_t finding_encode(const struct finding *f,
		      uint8_t ret[static FINDING_ENCODED_MAX]);

/* The payload of a gap record; returns its length, 0 when cap is too small. */
size_t gap_encode(enum stream stream, uint64_t first, uint64_t last,
		  void *ret, size_t cap);

/* Octets and values of the batches made so far, for make bench. */
struct encoder_count {
	uint64_t batches, references, values, changed, octets;
};
/* The counts since encoder_new(). */
void encoder_count(const struct encoder *e, struct encoder_count *ret);
