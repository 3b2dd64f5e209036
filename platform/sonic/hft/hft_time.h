/* When a record was taken, from what its fields say (C4).
 *
 * The 64-bit time is nanoseconds, of the epoch (above 10^18) or of a clock of
 * the chip's own, which starts anywhere. The chip's is mapped by the shortest
 * way that a record ever took; so is the epoch's where it disagrees with ours.
 * Where it stands beside a time of seconds it is the one that counts, as
 * countersyncd has it.
 */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "petrel/clock.h"
#include "platform/sonic/hft/hft_ipfix.h"

#define HFT_UNCERTAINTY_NS (10 * NS_PER_MS)	/* of the way to us */

/* When octets were received, on both clocks. */
struct hft_now {
	struct mono mono;
	struct wall wall;
};

/* Where a record has its time. length 0: it has none there. */
struct hft_time_place {
	uint16_t ns_offset, ns_length;	/* observationTimeNanoseconds (325) */
	uint16_t s_offset, s_length;	/* observationTimeSeconds (322) */
};

struct hft_clock {
	bool known;
	int64_t offset_ns;		/* monotonic minus the chip's */
	struct mono newest;		/* when it was last held against ours */
};

/* Notes the field if it is a time; false when it is none. */
bool hft_time_field(struct hft_time_place *p, const struct ipfix_field *f,
		    unsigned offset);

/* The time of a record; never later than now. */
struct mono hft_time_of(const struct hft_time_place *p, struct hft_clock *c,
			const uint8_t *record, const struct hft_now *now);

/* A big-endian number of 1 to 8 octets, of a record whose end was checked. */
uint64_t hft_load(const uint8_t *at, unsigned length);

/* The same of 8 octets, which nearly all values have. */
static inline uint64_t hft_load8(const uint8_t at[static 8])
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return be64toh(value);
}
