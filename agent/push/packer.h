/* Records from an outbox into the body of one DATA frame, in fair order, with a
 * gap record in place of records that no longer exist.
 *
 * Fair: each stream spends credit, findings get most and samples least; a
 * stream without credit waits until the others ran out of credit or of records.
 * So findings go first, and samples never starve.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/push/outbox.h"
#include "petrel/wire.h"

struct packer {
	struct outbox *outbox;		/* the caller's; all else 0 at first */
	int64_t credit[STREAM_COUNT];	/* octets */
	uint8_t record[RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX];
};

/* The part of one frame that belongs to one stream. */
struct packed {
	uint64_t next;			/* in: first wanted; out: the next */
	uint32_t octets;
	unsigned records, gaps;
	bool held;			/* in: skip this stream */
};

/* Appends records to w until none is left or no more fit. */
void packer_fill(struct packer *p, struct writer *w,
		 struct packed packed[static STREAM_COUNT]);
