/* The tables of an answer in protobuf's form (local.proto), both ways, without
 * protobuf-c: a table of queues is twenty thousand small messages, on which
 * its general walk spends more time than all the rest of an answer takes. What
 * is no row goes its way. Any protobuf decoder reads what is written here.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "local.pb-c.h"
#include "petrel/cursor.h"

/* Writes the answer; what does not fit overflows w. Does not change a, but for
 * the time of the call.
 */
void rows_pack(Petrel__Answer *a, struct writer *w);

/* Reads an answer; everything of it comes from memory, the answer first.
 * Returns -EBADMSG: no answer, a row with more cells than its table has
 * columns, or no memory left.
 */
int rows_unpack(const uint8_t *data, size_t len, ProtobufCAllocator *memory,
		Petrel__Answer **ret);
