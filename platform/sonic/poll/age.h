/* When a source took what it shows (C4). */
#pragma once

#include "platform/sonic/poll/reading.h"

/* How long after it was asked the answer that is being read came. */
int64_t age_late_ns(const struct run *r, const struct poll *p);
/* How long until syncd has written what it is about to write, or writes now, as
 * its stamps tell; 0 where it is far from that. Rows that are read meanwhile
 * are of one bulk read or of the next.
 */
int64_t age_hold_ns(const struct namespace *s, enum sonic_source source,
		    struct mono now);
/* The age that all rows of an AGE_FLEX run share; true when they were handed
 * over before.
 */
bool age_of_flex(struct run *r, const struct poll *p, struct read_group *ret);
/* The age of a row of a module's table; true when it is a repeat of the one
 * before.
 */
bool age_of_row(const struct run *r, struct poll *p, struct cage_row *before,
		const struct row *row, struct read_group *ret);
/* The age of a sensor's row; true when it is a repeat. */
bool age_of_sensor(const struct poll *p, struct object *o,
		   const struct row *row, const struct field_index *x,
		   struct read_group *ret);
/* Notes when syncd does not write, or has stopped to. */
void age_check(struct namespace *s, struct poll *p);
