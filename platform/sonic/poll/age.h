/* When a source took its values (C4). */
#pragma once

#include "platform/sonic/poll/reading.h"

/* The time from the request to the answer being read. */
int64_t age_late_ns(const struct run *r, const struct poll *p);
/* The time until syncd has finished a write that is about to begin or under
 * way, by its stamps; 0 if there is none. Rows read meanwhile are from one bulk
 * read or the next.
 */
int64_t age_hold_ns(const struct namespace *s, enum sonic_source source,
		    struct mono now);
/* The common age of all rows of an AGE_FLEX run; true if they were passed on
 * before.
 */
bool age_of_flex(struct run *r, const struct poll *p, struct read_group *ret);
/* The age of a row of a module's table; true if it repeats the last one. */
bool age_of_row(const struct run *r, struct poll *p, struct cage_row *before,
		const struct row *row, struct read_group *ret);
/* The age of a sensor's row; true if it is a repeat. */
bool age_of_sensor(const struct poll *p, struct object *o,
		   const struct row *row, const struct field_index *x,
		   struct read_group *ret);
/* Notes if syncd does not write, or has stopped. */
void age_check(struct namespace *s, struct poll *p);
