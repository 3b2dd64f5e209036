/* The fields of a message of Protocol Buffers, one after another, where they
 * lie. For batches alone: of their many columns most are passed over, and what
 * is read of the rest need not be copied. All else is unpacked by protobuf-c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/cursor.h"

struct proto_field {
	uint32_t number;
	bool has_octets;
	uint64_t value;		/* of a number */
	struct cursor octets;	/* of anything else; borrowed */
};

/* The next field of a message. False: there is none, or it is cut short or of a
 * wire type that proto3 does not have; then the cursor has failed.
 */
bool proto_next(struct cursor *c, struct proto_field *ret);

/* Fields 1 to n - 1 of a message, of which octets has a bit for each that is no
 * number; the last of two counts, and one that is not there is 0 or empty.
 * False: it is no message, or a field is of the other sort.
 */
bool proto_fields(struct cursor c, uint32_t octets, unsigned n,
		  struct proto_field *ret);
