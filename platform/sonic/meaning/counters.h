/* Rows of objects as samples: counters and watermarks by object id, which syncd
 * writes, and what is so at the time of reading. The tables of ports (SAI's
 * statistics, SONiC's rates, the chip's lanes, gearboxes), and of VOQ and
 * fabric switches (links between the chips, what a chip drops).
 */
#pragma once

#include "platform/sonic/poll/reading.h"

extern const struct table_list counters_tables;

/* Hands an object's row over, with its port's priorities. */
void counters_row(struct poll *p, struct run *r, struct object *o,
		  const struct row *row);
/* The same with an age of its own. Returns how many values were given. */
unsigned counters_row_aged(struct poll *p, const struct run *r,
			   struct object *o, const struct row *row,
			   const struct read_group *age);
/* The entity of a part of an object: itself, or (from 1) a port's priority,
 * made known when it is first needed. ENTITY_NONE: there is none, or no room.
 */
uint32_t counters_entity_of(struct namespace *s, uint32_t handle,
			    struct port *port, unsigned part);
