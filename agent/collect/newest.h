/* The newest value of everything that each switch measures, in memory only:
 * made again from the spool after a restart. One thread writes and reads it.
 *
 * Bounded: NEWEST_SWITCHES_MAX switches, of which the one that said nothing for
 * longest goes for a new one; NEWEST_VALUES_MAX values each, what is above that
 * is left out and counted.
 */
#pragma once

#include <stdint.h>
#include "agent/collect/entry.h"
#include "petrel/clock.h"

#define NEWEST_SWITCHES_MAX 20000u
#define NEWEST_VALUES_MAX (1u << 20)

struct newest;

struct newest_value {
	int64_t value;
	struct mono taken;	/* of the run */
	uint8_t quality;
};

struct newest_count {
	uint64_t switches, values;
	uint64_t left_out;	/* values above the bounds */
	uint64_t unreadable;	/* batches */
};

/* Holds nothing yet. */
int newest_new(struct newest **ret);

/* With all values and decoders. */
void newest_free(struct newest *n);

/* Takes in an entry of the spool; a run that is not the switch's last one
 * takes its place. Returns -ENOMEM.
 */
int newest_entry(struct newest *n, const struct entry *e);

/* Returns -ENODATA when there is none. */
int newest_get(const struct newest *n, const char *switch_id,
	       uint32_t entity, uint16_t quantity, uint16_t index,
	       struct newest_value *ret);

/* Walks over all switches. */
void newest_count(const struct newest *n, struct newest_count *ret);
