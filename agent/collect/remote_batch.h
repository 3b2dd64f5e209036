/* Samples to be sent to an engine: the messages of one remote-write request
 * (version 1); any range of them can be sent by itself.
 *
 *	WriteRequest  1: TimeSeries, repeated
 *	TimeSeries    1: Label, repeated; 2: Sample, repeated
 *	Label         1: name; 2: value
 *	Sample        1: double value; 2: int64 time in ms
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct json_object;

#define REMOTE_LABELS_MAX 12u
/* The value that engines take as the end of a series (staleness marker). */
#define REMOTE_STALE_BITS UINT64_C(0x7ff0000000000002)

struct remote_label {
	const char *name, *value;
};

/* All 0 at first. */
struct remote_batch {
	uint8_t *octets;
	size_t len, cap;
	struct remote_sample {
		size_t offset;		/* of its TimeSeries' field */
		int64_t ms;
	} *sample;
	size_t count, sample_cap;
	char *packed;			/* of the last remote_batch_pack() */
	size_t packed_cap;
};

/* Releases what it holds. */
void remote_batch_fini(struct remote_batch *b);
/* Forgets the samples. */
void remote_batch_empty(struct remote_batch *b);

/* Encodes the labels of a series for a TimeSeries, sorted by name. Returns the
 * length, 0 if there is no room for it.
 */
size_t remote_labels_write(struct remote_label *labels, size_t count,
			   uint8_t *ret, size_t cap);

/* Adds a sample of a series. Returns -ENOMEM. */
int remote_batch_add(struct remote_batch *b, const uint8_t *labels, size_t len,
		     double value, int64_t ms);

/* The samples first to last - 1 as the body of a request, compressed; borrowed
 * until the next call. NULL: no memory.
 */
const char *remote_batch_pack(struct remote_batch *b, size_t first,
			      size_t last, size_t *ret_len);

/* {"labels":{...},"time_ms":...,"value":...} of a sample; NULL: no memory. */
struct json_object *remote_batch_json(const struct remote_batch *b,
				      size_t index);
