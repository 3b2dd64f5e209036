/* The row of a table that is being filled. Columns say where their cells are
 * from (answer.h), some by the functions column_X(): then cells_row() fills it.
 */
#pragma once

#include "agent/query/query.h"

/* The next row of q->shape: a cell for each of the columns, while somebody sees
 * them.
 */
void cells_row(struct query *q);
/* The same of a row that is a struct, of which the columns are members. */
void cells_members(struct query *q, const void *row);
/* The same of a row that is a port. */
void cells_port_row(struct query *q, uint32_t port);

/* what: a quantity. Its value; the word of an enumeration, in small letters
 * without the prefix more where there is one; its rate a second, of all
 * quantities of the list more (ended by 0) where there is one, by the column's
 * unit: bits a second, millionths of the port's speed or of the time, else
 * rounded up; the total of that list; the window of a peak; how far it is from
 * the module's thresholds, and the nearest of those.
 */
column_fn column_value, column_word, column_rate, column_total, column_window,
	  column_headroom, column_threshold;
/* The entity's name, its number, its id, its ASIC; what is implausible in what
 * was read of its memory.
 */
column_fn column_name, column_number, column_id, column_asic, column_faults;
/* Of the oldest value before it in the row. */
column_fn column_age;
/* Of a port, from facts and view. A reason for a link that is up is from
 * before, and none.
 */
column_fn column_port, column_link, column_speed, column_media, column_peer,
	  column_peer_switch, column_peer_port, column_lanes, column_margin,
	  column_ber, column_flaps, column_down_reason;

/* what: the offset of a time in the struct q->row, whose age is given (ns 0:
 * absent).
 */
column_fn member_age;
#define MEMBER_ABSENT INT64_MIN

/* A value that was given some other way counts for the row's age. */
void cells_seen(struct query *q, struct mono taken);
/* The newest reading of a quantity, with its age. */
void cells_value(struct query *q, uint32_t entity, enum quantity quantity,
		 unsigned index);
/* False when it has no rate; a value behind it is seen. */
bool cells_rate(struct query *q, uint32_t entity, enum quantity quantity,
		struct state_rate *ret);
/* A rate times scale, rounded; scale 0: not known. */
void cells_rate_cell(struct query *q, bool is_known,
		     const struct state_rate *rate, double scale);
/* From octets a second to millionths of the port's speed; 0: not known. */
double cells_load_scale(const struct query *q);
/* The switch:port of a peer; absent where both are unknown. */
void cells_peer(struct query *q, const char *peer_switch,
		const char *peer_port);
/* Why the row's port is down, or NULL. */
const char *cells_down_reason(const struct query *q);

#define FAULT_NOTES_MAX 8u	/* of one answer; the rest is counted */

struct fault_notes {
	size_t told, left_out;
};

/* Adds a note for each part of an entity's memory that is implausible. */
void cells_fault_notes(struct query *q, const char *who, uint32_t entity,
		       struct fault_notes *n);
