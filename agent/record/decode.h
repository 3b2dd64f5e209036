/* Payloads of records back to what they say (C9): the independent way, used by
 * the collector, by replay, and by petrel with the agent down.
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

/* What it returns but 0 ends the giving, and is returned. */
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
/* When a batch was made, which it begins with; ns 0: it does not say. */
struct mono batch_mono(const uint8_t *payload, size_t len);
/* After a gap: what follows waits for a reference. */
void decoder_lost(struct decoder *d);
/* The same, where it comes later: gives its memory back until then. */
void decoder_rest(struct decoder *d);

/* From the next reference on it gives the columns of this quantity, and of
 * those wanted before, alone, and passes over most of the rest: for one, some
 * thirty times as fast.
 */
void decoder_want(struct decoder *d, uint16_t quantity);
/* From the next reference on rows of these entities alone are given, a bit for
 * each id: a column comes in as many calls as they lie apart. Borrowed, and may
 * change: lists that come later are by it. Ids above the count are not given.
 */
void decoder_follow(struct decoder *d, const uint8_t *entities, uint32_t count);
/* True: some of them were told by columns that were passed over; from the next
 * reference on it reads these as well, so that the records are to be read once
 * more.
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
 * Returns -EBADMSG: an enumeration, the id, a count or the confidence is none.
 */
int finding_of_message(const Petrel__Finding *m, struct finding *ret);
struct clock_reading clock_of_message(const Petrel__Clock *m);
