/* Decodes payloads of records (C9): independent of the encoder, for the
 * collector, for replay, and for petrel with the agent down.
 *
 * All input is hostile: counts and lengths have limits with names, and a
 * capped allocator stands behind protobuf-c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "petrel/finding.h"
#include "petrel/sample.h"
#include "petrel/wire.h"
#include "record.pb-c.h"

#define DECODE_OCTETS_MAX (8u << 20)	/* memory of one unpacked record */
#define DECODE_LISTS_MAX 65536u
#define DECODE_LIST_ENTITIES_MAX 65536u
#define DECODE_SERIES_MAX (1u << 20)	/* remembered, and in a batch */

/* Follows the samples of one run of one switch. */
struct decoder;

/* One value of a batch. */
struct decoded_value {
	struct mono batch;
	struct read_group age;
	uint32_t entity;
	uint16_t quantity, index;
	uint8_t source, quality;
	int64_t value;
};

/* The values of a batch of one quantity and index, from one source: a row for
 * each entity. All is borrowed for the call.
 */
struct decoded_column {
	struct mono batch;
	uint16_t quantity, index;
	uint8_t source;
	uint32_t count;			/* of rows */
	const uint32_t *entity;
	const int64_t *value;
	const uint8_t *quality;
	const int64_t *taken_ns, *window_ns;
	int64_t uncertainty_ns;		/* the largest of them */
};

/* One row of it. */
static inline struct decoded_value decoded_row(const struct decoded_column *c,
					       uint32_t row)
{
	return (struct decoded_value){
		.batch = c->batch,
		.age = { .taken = { c->taken_ns[row] },
			 .uncertainty_ns = c->uncertainty_ns,
			 .window_ns = c->window_ns[row] },
		.entity = c->entity[row],
		.quantity = c->quantity, .index = c->index,
		.source = c->source, .quality = c->quality[row],
		.value = c->value[row] };
}

/* A return value other than 0 ends the calls, and is returned. */
typedef int decoded_fn(void *context, const struct decoded_column *c);

/* Waits for a reference. Returns -ENOMEM. */
int decoder_new(struct decoder **ret);
/* NULL is allowed. */
void decoder_free(struct decoder *d);

/* Gives each column of a batch. Returns -EBADMSG with d (nothing of a bad batch
 * is given, and the decoder waits for a reference), -EAGAIN: no reference yet.
 */
int decoder_batch(struct decoder *d, uint16_t flags, const void *payload,
		  size_t len, decoded_fn *fn, void *context, struct diag *diag);
/* When a batch was made, from its first field; ns 0: not given. */
struct mono batch_mono(const uint8_t *payload, size_t len);
/* After a gap: waits for a reference. */
void decoder_lost(struct decoder *d);
/* The same, and releases its memory until then. */
void decoder_rest(struct decoder *d);

/* From the next reference on gives only columns of this quantity and of those
 * wanted before, and skips most of the rest: for one quantity this is some
 * thirty times as fast.
 */
void decoder_want(struct decoder *d, uint16_t quantity);
/* From the next reference on gives only rows of these entities, a bit for each
 * id: one call for each run of rows that are next to each other. Borrowed; may
 * change, with effect on later lists. Ids from count on are not given.
 */
void decoder_follow(struct decoder *d, const uint8_t *entities, uint32_t count);
/* True: some wanted columns are predicted by columns that were skipped; from
 * the next reference on it reads these too, so the records must be read again.
 */
bool decoder_wants_more(struct decoder *d);

/* Unpacks any kind into *ret, which record_unpacked_free() frees.
 * Returns -EBADMSG, -ENOMEM (above DECODE_OCTETS_MAX).
 */
int record_unpack(enum record_kind kind, const void *payload, size_t len,
		  ProtobufCMessage **ret);
/* NULL is allowed. */
void record_unpacked_free(ProtobufCMessage *m);

/* The plain form of a finding; strings are cut to fit, enumerations checked.
 * Returns -EBADMSG: an enumeration, the id, a count or the confidence is not
 * valid.
 */
int finding_of_message(const Petrel__Finding *m, struct finding *ret);
struct clock_reading clock_of_message(const Petrel__Clock *m);
