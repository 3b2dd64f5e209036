/* Fills a row of a table. Columns say where their cells come from (answer.h),
 * some with the functions column_X(): then cells_row() fills the row.
 */
#pragma once

#include <stddef.h>
#include "agent/query/query.h"
#include "agent/signature/engine.h"
#include "agent/signature/port.h"

/* Adds a row of q->shape: a cell for each of the columns, as long as they are
 * shown.
 */
void cells_row(struct query *q);
/* The same for a row with a struct that has columns as its members. */
void cells_members(struct query *q, const void *row);
/* The same for a row that is a port. */
void cells_port_row(struct query *q, uint32_t port);

/* The source of a column that is a member of struct ROW_row. */
#define AT(row, member)                                                       \
	.of = OF_MEMBER, .what = offsetof(struct row##_row, member)
#define MEMBER_ABSENT INT64_MIN

/* A member that may be absent. */
static inline int64_t member_known(bool is_known, int64_t value)
{
	return is_known ? value : MEMBER_ABSENT;
}

/* A text that is absent if it is empty. */
static inline const char *member_text(const char *text)
{
	return text && text[0] ? text : NULL;
}

/* A row that is a port. */
struct port_row {
	const char *name, *media, *group, *peer_switch, *peer_port;
	int64_t speed_mbps, lanes, flaps_24h, temp_high_warn_mc;
	struct mono turned_at;	/* the link; ns 0: not known */
	struct port_facts facts;
	struct engine_view view;
};

/* Makes q's row that port, until another one is set; ret is its struct. */
void cells_port(struct query *q, uint32_t port, struct port_row *ret);

/* what: a quantity. Gives its value; the word of an enumeration, in lower case,
 * without the prefix more if set; its rate per second, or that of all
 * quantities in the list more (ended by 0) if set, by the column's unit: bits
 * per second, millionths of the port's speed or of the time, else rounded up;
 * the total of that list; the window of a peak; the distance to the module's
 * thresholds, and the nearest one.
 */
column_fn column_value, column_word, column_rate, column_total, column_window,
	  column_headroom, column_threshold;
/* The entity's name, its number, its id, its ASIC; what is implausible in the
 * readings of its memory.
 */
column_fn column_name, column_number, column_id, column_asic, column_faults;
column_fn column_asic_name;	/* "asic1:NAME": each ASIC has that name */
/* The age of the oldest value before it in the row. */
column_fn column_age;
/* For a port, from facts and view. A link that is up has no down reason: it
 * would be an old one.
 */
column_fn column_link, column_peer, column_margin, column_ber,
	  column_down_reason;

/* what: the offset in the struct q->row of a time, whose age is given (ns 0:
 * absent).
 */
column_fn member_age;

/* Gives the age of a time of CLOCK_MONOTONIC; 0: absent. */
void cells_age(struct query *q, int64_t then_ns);
/* Counts a value that was given some other way for the row's age. */
void cells_seen(struct query *q, struct mono taken);
/* The newest reading of a quantity, with its age. */
void cells_value(struct query *q, uint32_t entity, enum quantity quantity,
		 unsigned index);
/* False if it has no rate; counts the value for the row's age. */
bool cells_rate(struct query *q, uint32_t entity, enum quantity quantity,
		struct state_rate *ret);
/* Gives a rate times scale, rounded; scale 0: not known. */
void cells_rate_cell(struct query *q, bool is_known,
		     const struct state_rate *rate, double scale);
/* Factor from octets per second to millionths of the port's speed; 0: none. */
double cells_load_scale(const struct query *q);
/* Quality of the engine's BER or margin: stale once the last windows of errors
 * are missing.
 */
enum sample_quality cells_errors_quality(const struct query *q,
					 const struct engine_view *v,
					 enum quantity of);
/* Gives switch:port of a peer; absent if both are unknown. */
void cells_peer(struct query *q, const char *peer_switch,
		const char *peer_port);
/* Why the row's port is down, or NULL. */
const char *cells_down_reason(const struct query *q);

#define FAULT_NOTES_MAX 8u	/* in one answer; the rest is counted */

struct fault_notes {
	size_t told, left_out;
};

/* Adds a note for each part of an entity's memory that is implausible. */
void cells_fault_notes(struct query *q, const char *who, uint32_t entity,
		       struct fault_notes *n);
