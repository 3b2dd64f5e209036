/* Rows of objects as samples: counters and watermarks by object id, which syncd
 * writes, and rows valid at the time of reading. The tables of ports (SAI's
 * statistics, SONiC's rates, the chip's lanes, gearboxes), and of VOQ and
 * fabric switches (links between chips, drops of a chip).
 */
#pragma once

#include "platform/sonic/poll/reading.h"

extern const struct table_list counters_tables;

/* Passes on an object's row, with its port's priorities. */
void counters_row(struct poll *p, struct run *r, struct object *o,
		  const struct row *row);
/* The same for counters: without syncd's stamps, rows that it has not written
 * again are no readings.
 */
void counters_late_row(struct poll *p, struct run *r, struct object *o,
		       const struct row *row);
/* The same with an age of its own. Returns the number of values. */
unsigned counters_row_aged(struct poll *p, const struct run *r,
			   struct object *o, const struct row *row,
			   const struct read_group *age);
/* The entity of a part of an object: itself, or (from 1) a port's priority,
 * reported when first needed. ENTITY_NONE: there is none, or no room.
 */
uint32_t counters_entity_of(struct namespace *s, uint32_t handle,
			    struct port *port, unsigned part);
