/* What a port, its queues and its priorities count, once for all who publish
 * it: the quantity that the sim driver gives, and the name that SAI has for it,
 * under which petrel-vswitch puts it into SONiC's COUNTERS_DB. The unit is the
 * quantity's. Knows neither a host nor a database.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/plant.h"

/* Of what a table tells. */
enum published_of {
	PUBLISHED_PORT,
	PUBLISHED_PORT_DROPS,		/* SONiC reads these less often */
	PUBLISHED_PRIORITY,
	PUBLISHED_QUEUE,
	PUBLISHED_TABLES,
};

/* value = one number of the plant's state, less another. */
struct published {
	uint16_t quantity;		/* enum quantity; 0: SONiC's alone */
	uint8_t index;			/* of the quantity */
	uint8_t fec;			/* enum published_fec */
	uint16_t at, less;
	const char *sai;		/* #: the priority; or NULL */
};

/* The rows of a table. */
const struct published *published_rows(enum published_of of, size_t *ret_count);
/* Ports without that FEC do not have it. */
bool published_has(const struct published *row,
		   const struct plant_port_facts *facts);
/* How long a queue is now: it has no past, and SONiC asks the lossless one. */
bool published_is_gauge(const struct published *row);
/* state: a struct plant_port, plant_priority or plant_queue, by the table. */
uint64_t published_value(const struct published *row, const void *state);
