/* IPFIX messages as high-frequency telemetry sends them: header, template
 * sets, data sets, several messages back to back. Knows the frame (RFC 7011),
 * but not the values.
 *
 * A wrong length ends only the enclosing unit: a bad set ends its message, a
 * bad message ends these octets. Each is counted.
 */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "petrel/clock.h"
#include "petrel/cursor.h"

#define IPFIX_HEADER_LEN 16u
#define IPFIX_DATA_ID_MIN 256u		/* ids below are kinds of sets */
#define IPFIX_FIELD_VARIABLE 65535u	/* a length given in each record */

/* A field of a template. */
struct ipfix_field {
	uint32_t enterprise;	/* 0: the element is IANA's */
	uint16_t element;	/* without the enterprise bit */
	uint16_t length;
};

struct ipfix_template {
	uint32_t domain;	/* observation domain */
	uint16_t id;
	uint16_t count;		/* of fields; 0: the id is withdrawn */
	struct cursor fields;	/* all present, for ipfix_field_read() */
};

struct ipfix_set {
	uint32_t domain;
	uint16_t id;		/* of its template */
	const uint8_t *data;	/* records and padding; borrowed */
	size_t len;
};

struct ipfix_counts {
	uint64_t messages, data_sets, templates;	/* well formed */
	uint64_t bad_messages;	/* not version 10, or a wrong length */
	uint64_t bad_sets;
	uint64_t skipped_sets;	/* of options or of reserved kinds */
};

struct ipfix_taker {
	void *context;
	/* Either may be NULL. */
	void (*template)(void *context, const struct ipfix_template *t);
	void (*data)(void *context, const struct ipfix_set *s);
};

/* Walks all messages in these octets, and adds to counts. */
void ipfix_walk(const void *octets, size_t len, const struct ipfix_taker *to,
		struct ipfix_counts *counts);

/* The next field of a template. */
struct ipfix_field ipfix_field_read(struct cursor *c);

/* When a record was taken, by its fields (C4).
 *
 * The 64-bit time is nanoseconds, since the epoch (above 10^18) or of the
 * chip's own clock, which starts anywhere. The chip's time is mapped by the
 * shortest delay that a record ever had; so is the epoch's if it disagrees with
 * ours. It takes precedence over a time in seconds, as in countersyncd.
 */

#define HFT_UNCERTAINTY_NS (10 * NS_PER_MS)	/* of the delay to us */

/* When octets arrived, on both clocks. */
struct hft_now {
	struct mono mono;
	struct wall wall;
};

/* The place of the time in a record. length 0: not there. */
struct hft_time_place {
	uint16_t ns_offset, ns_length;	/* observationTimeNanoseconds (325) */
	uint16_t s_offset, s_length;	/* observationTimeSeconds (322) */
};

struct hft_clock {
	bool known;
	int64_t offset_ns;		/* monotonic minus the chip's */
	struct mono newest;		/* last comparison with ours */
};

/* Notes the field if it is a time; false if it is not. */
bool hft_time_field(struct hft_time_place *p, const struct ipfix_field *f,
		    unsigned offset);

/* The time of a record; never later than now. */
struct mono hft_time_of(const struct hft_time_place *p, struct hft_clock *c,
			const uint8_t *record, const struct hft_now *now);

/* A big-endian number of 1 to 8 octets, of a record whose end was checked. */
uint64_t hft_load(const uint8_t *at, unsigned length);

/* The same for 8 octets, which nearly all values have. */
static inline uint64_t hft_load8(const uint8_t at[static 8])
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return be64toh(value);
}
