/* Memory for protobuf-c that ends at a bound: a megabyte of empty submessages
 * would otherwise become half a million objects.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <protobuf-c/protobuf-c.h>

struct capped {
	ProtobufCAllocator allocator;
	size_t left;
	bool refused;		/* the bound was met */
};

/* Freeing takes a capped of any bound. It must not move while it is used. */
void capped_init(struct capped *c, size_t octets);
