/* Reads the fields of a Protocol Buffers message one after another, in place.
 * Only for batches: most of their many columns are skipped, and the rest need
 * not be copied. All else is unpacked by protobuf-c.
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
 * wire type that proto3 does not have; in these cases the cursor has failed.
 */
bool proto_next(struct cursor *c, struct proto_field *ret);

/* Reads fields 1 to n - 1 of a message; octets: a bit for each that is not a
 * number. The last of several counts, and a missing field is 0 or empty. False:
 * it is no message, or a field has the other type.
 */
bool proto_fields(struct cursor c, uint32_t octets, unsigned n,
		  struct proto_field *ret);
