/* Entries of a collector's spool in memory, as a switch of many ports makes
 * them: its dictionary, its clock, and batches in which each value is new.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/collect/entry.h"
#include "agent/record/encode.h"

#define SPOOL_LOAD_PORTS_MAX 1024u
#define SPOOL_LOAD_COLUMNS_MAX 256u
#define SPOOL_LOAD_ENTRIES_MAX 4096u
#define SPOOL_LOAD_PORT_ID 10u

struct quantity_info;

struct spool_load {
	uint32_t columns, ports;
	struct sample_column column[SPOOL_LOAD_COLUMNS_MAX];
	struct group_column group;
	struct group_age age[SPOOL_LOAD_PORTS_MAX];
	uint32_t entity[SPOOL_LOAD_PORTS_MAX];
	uint8_t quality[SPOOL_LOAD_PORTS_MAX];
	int64_t value[SPOOL_LOAD_COLUMNS_MAX][SPOOL_LOAD_PORTS_MAX];
	uint64_t is_new[SPOOL_LOAD_COLUMNS_MAX]
		       [SPOOL_LOAD_PORTS_MAX / SAMPLE_BITS];
	/* How much a value grows by in a tick, at most; 0: by 1 */
	uint32_t growth;
	/* What the encoder made of it: */
	struct entry entry[SPOOL_LOAD_ENTRIES_MAX];
	unsigned entries;
	uint64_t sequence[STREAM_COUNT];
	struct encoder *encoder;
	uint32_t tick;
	struct mono now;
};

/* All that is wanted of the quantities, each indexed one once. False: no
 * memory.
 */
bool spool_load_init(struct spool_load *l, uint32_t ports,
		     bool (*is_wanted)(const struct quantity_info *q));
/* With its entries. */
void spool_load_fini(struct spool_load *l);
/* Without entries it goes on. */
void spool_load_forget(struct spool_load *l);

/* Adds dictionary and clock, which says wall, and so many ticks, the first one
 * a reference. Returns how many samples.
 */
uint64_t spool_load_ticks(struct spool_load *l, unsigned ticks,
			  int64_t step_ns, struct wall wall);
