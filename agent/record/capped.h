/* An allocator for protobuf-c with a limit: a megabyte of empty submessages
 * would otherwise become half a million objects.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <protobuf-c/protobuf-c.h>

struct capped {
	ProtobufCAllocator allocator;
	size_t left;
	bool refused;		/* the limit was reached */
};

/* A capped of any limit can free. It must not move while it is in use. */
void capped_init(struct capped *c, size_t octets);
