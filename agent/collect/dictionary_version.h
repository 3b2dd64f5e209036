/* Which version of a run's dictionary the collector holds (C2), read from the
 * first fields of a payload: no unpacking, no allocation.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dictionary {
	bool is_known;		/* a whole snapshot came, and no gap since */
	uint32_t version;
	/* A snapshot in parts, incomplete so far: */
	uint32_t next_part;	/* 0: none */
	uint32_t next_version;
};

/* A RECORD_DICTIONARY was kept. */
void dictionary_take(struct dictionary *d, const void *payload, size_t len);
/* Some states are missing: unknown until a snapshot. */
void dictionary_lost(struct dictionary *d);
/* True when a batch can be read with it. */
bool dictionary_serves(const struct dictionary *d, const void *batch,
		       size_t len);
