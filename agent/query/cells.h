/* A row of an answer under way: its cells from the state, and how old the
 * oldest of them is (C4).
 *
 * A table whose columns all say where they are from is filled by cells_fill();
 * the functions for column_fn come first here, then what those of one table's
 * own are made of.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/query/context.h"
#include "agent/state/state.h"

struct answer_column;
struct engine_view;
struct port_facts;

/* Which entity of a row a column is of. */
enum of { OF_ROW, OF_PORT, OF_MODULE, OF_PRIORITY, OF_COUNT };

struct cells {
	const struct query_context *ctx;
	struct answer *a;
	struct mono now;
	struct mono oldest;	/* of all values that were given */
	uint32_t of[OF_COUNT];	/* ENTITY_NONE: the row has none such */
	const void *own;	/* what the table's own functions want */
	/* Of rows that are ports; NULL elsewhere. */
	const struct port_facts *facts;
	const struct engine_view *view;
};

/* The next row: a cell for each of the columns, while somebody sees them. */
void cells_fill(struct cells *c, const struct answer_column *columns);

/* The same of a row that is a port. */
void cells_port_row(struct cells *c, uint32_t port,
		    const struct answer_column *columns);

/* what: a quantity. Its newest value; the word of an enumeration, where more is
 * a prefix without it and in small letters; its rate a second, of all
 * quantities of the list more (ended by 0) where there is one, by the column's
 * unit: bits a second, millionths of the port's speed or of the time, else
 * rounded up; the total of that list; the window of a peak; how far it is from
 * the module's thresholds.
 */
void column_value(struct cells *c, const struct answer_column *col);
void column_word(struct cells *c, const struct answer_column *col);
void column_rate(struct cells *c, const struct answer_column *col);
void column_total(struct cells *c, const struct answer_column *col);
void column_window(struct cells *c, const struct answer_column *col);
void column_headroom(struct cells *c, const struct answer_column *col);
/* what: an attribute. */
void column_attribute(struct cells *c, const struct answer_column *col);
/* The entity's name, its number, its ASIC. */
void column_name(struct cells *c, const struct answer_column *col);
void column_number(struct cells *c, const struct answer_column *col);
void column_asic(struct cells *c, const struct answer_column *col);
/* Of the oldest value before it in the row. */
void column_age(struct cells *c, const struct answer_column *col);
/* Of a port, from facts and view. */
void column_port(struct cells *c, const struct answer_column *col);
void column_link(struct cells *c, const struct answer_column *col);
void column_speed(struct cells *c, const struct answer_column *col);
void column_media(struct cells *c, const struct answer_column *col);
void column_peer(struct cells *c, const struct answer_column *col);
void column_peer_switch(struct cells *c, const struct answer_column *col);
void column_peer_port(struct cells *c, const struct answer_column *col);
void column_lanes(struct cells *c, const struct answer_column *col);
void column_margin(struct cells *c, const struct answer_column *col);
void column_ber(struct cells *c, const struct answer_column *col);
void column_flaps(struct cells *c, const struct answer_column *col);
/* Why the link is down; a reason from before is none now. */
void column_down_reason(struct cells *c, const struct answer_column *col);
const char *cells_down_reason(const struct cells *c);

/* Opens the next row of the answer's table. */
void cells_row(struct cells *c);
/* A value that was given some other way. */
void cells_seen(struct cells *c, struct mono taken);

/* The newest reading, with its age. */
void cells_value(struct cells *c, uint32_t entity, enum quantity q,
		 unsigned index);
/* False when it has no rate; a value behind it is seen. */
bool cells_rate_of(struct cells *c, uint32_t entity, enum quantity q,
		   struct state_rate *ret);
/* A rate times scale, rounded; scale 0: not known. */
void cells_rate_cell(struct cells *c, bool is_known,
		     const struct state_rate *rate, double scale);
/* From octets a second to millionths of the port's speed; 0: not known. */
double cells_load_scale(const struct cells *c);
/* The switch:port of a peer; absent where both are unknown. */
void cells_peer(struct cells *c, const char *peer_switch,
		const char *peer_port);
/* A value, or absent when it is not known. */
void cells_known(struct cells *c, bool is_known, int64_t value);

/* up, dn, ad (shut by configuration); NULL unknown. */
const char *cells_link_mark(const struct query_context *ctx, uint32_t port);
