/* Records from the rings into the body of one DATA frame, in fair order, with
 * a gap record in the place of what a ring no longer has.
 *
 * Fair: each stream spends credit, findings get most and samples least; who
 * has none waits until the others ran out of credit or of records. So findings
 * go first, and samples never starve.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/base/ring.h"
#include "petrel/wire.h"

struct packer {
	struct ring_set *rings;		/* the caller's */
	int64_t credit[STREAM_COUNT];	/* octets */
	uint64_t hint[STREAM_COUNT];	/* ring_read()'s */
	uint8_t record[RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX];
};

/* What one frame holds of one stream. */
struct packed {
	uint64_t next;			/* in: first wanted; out: behind it */
	uint32_t octets;
	unsigned records, gaps;
	bool held;			/* in: nothing of it, please */
};

/* The rings stay the caller's. */
void packer_init(struct packer *p, struct ring_set *rings);

/* Appends records to w until nothing is left or nothing more fits. */
void packer_fill(struct packer *p, struct writer *w,
		 struct packed packed[static STREAM_COUNT]);
