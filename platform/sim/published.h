/* The counters of a port, its queues and its priorities, once for all
 * publishers: the quantity of the sim driver, and the name in SAI, under which
 * petrel-vswitch puts it into SONiC's COUNTERS_DB. The unit is the quantity's.
 * Knows neither a host nor a database.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/plant.h"

/* The object of a table. */
enum published_of {
	PUBLISHED_PORT,
	PUBLISHED_PORT_DROPS,		/* SONiC reads these less often */
	PUBLISHED_PRIORITY,
	PUBLISHED_QUEUE,
	PUBLISHED_TABLES,
};

/* value = one number of the plant's state, minus another. */
struct published {
	uint16_t quantity;		/* enum quantity; 0: only for SONiC */
	uint8_t index;			/* of the quantity */
	uint8_t fec;			/* enum published_fec */
	uint16_t at, less;
	const char *sai;		/* #: the priority; or NULL */
};

/* The rows of a table. */
const struct published *published_rows(enum published_of of, size_t *ret_count);
/* False for ports without the FEC that it needs. */
bool published_has(const struct published *row,
		   const struct plant_port_facts *facts);
/* How long a queue is now: it has no past, and SONiC asks the lossless one. */
bool published_is_gauge(const struct published *row);
/* state: a struct plant_port, plant_priority or plant_queue, by the table. */
uint64_t published_value(const struct published *row, const void *state);
