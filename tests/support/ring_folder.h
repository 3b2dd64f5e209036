/* A folder with the three rings, and records whose octets follow from their
 * sequence, so that each can be checked by itself.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "agent/base/ring.h"

#define RECORD_MAX (RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX)

struct ring_folder {
	char path[64];
	int fd;
};

extern const size_t ring_sizes[STREAM_COUNT];	/* the least */

/* Set-up and tear-down of cmocka; *state is a struct ring_folder. */
int ring_folder_make(void **state);
int ring_folder_remove(void **state);
/* Its descriptor. */
int dir_of(void **state);
void ring_folder_clear(void **state);

/* Opens the set or fails the test. */
void set_open(void **state, uint64_t run, struct ring_set *ret);
/* Puts 10, 20 and 30 records into the three and closes them. */
void set_fill(void **state, uint64_t run);

size_t payload_of(uint64_t sequence, uint8_t ret[static 4096]);
/* Appends the record that belongs to the next sequence. */
void append(struct ring *r, uint16_t flags);
/* Reads a record and compares it; returns ring_read()'s answer. */
int check(const struct ring *r, uint64_t sequence, uint64_t *hint);
/* Every record from first to next. */
void check_all(const struct ring *r);
