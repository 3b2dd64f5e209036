/* What others would send for the values of a batch: bare encodings, as small as
 * their formats allow, for bench_wire.
 */
#pragma once

#include <stdint.h>
#include "agent/record/decode.h"

enum wire_other { OTHER_JSON, OTHER_PROTOBUF, OTHER_SFLOW, OTHER_REMOTE_WRITE,
		  OTHER_COUNT };

struct wire_others {
	uint64_t values, octets[OTHER_COUNT];
	/* The remote-write request under way. */
	uint8_t *request, *packed;
	size_t request_len;
	unsigned series;
	uint32_t *seen;		/* tick of the last sFlow record, by entity */
};

/* Returns -ENOMEM. */
int wire_others_init(struct wire_others *o);
/* Sends what is under way, and releases all. */
void wire_others_fini(struct wire_others *o);

/* One value of an entity of that name, at a wall time, in a tick. */
void wire_others_add(struct wire_others *o, const char *name,
		     const struct decoded_value *v, struct wall wall,
		     uint32_t tick);
/* Its name for people. */
const char *wire_other_name(enum wire_other which);
