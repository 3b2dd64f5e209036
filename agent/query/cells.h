/* A row of an answer under way: its cells from the state, and how old the
 * oldest of them is (C4).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/query/context.h"
#include "agent/state/state.h"

struct engine_view;

struct cells {
	const struct query_context *ctx;
	struct answer *a;
	struct mono now;
	struct mono oldest;	/* of all values that were given */
};

/* Opens the next row of the answer's table. */
void cells_row(struct cells *c);
/* A value that was given some other way. */
void cells_seen(struct cells *c, struct mono taken);

/* The newest reading, with its age. */
void cells_value(struct cells *c, uint32_t entity, enum quantity q,
		 unsigned index);
/* A counter's rows a second, rounded up: one is not none. Several quantities
 * are summed; ENTITY_NONE or none that is known: absent.
 */
void cells_rate(struct cells *c, uint32_t entity, const enum quantity *q,
		unsigned count);
/* The same, in thousandths. */
void cells_rate_milli(struct cells *c, uint32_t entity, const enum quantity *q,
		      unsigned count);
/* What these have counted since they began, together. */
void cells_total(struct cells *c, uint32_t entity, const enum quantity *q,
		 unsigned count);
/* False when it has no rate; a value behind it is seen. */
bool cells_rate_of(struct cells *c, uint32_t entity, enum quantity q,
		   struct state_rate *ret);
/* Its cell: a rate times scale, rounded; scale 0: not known. */
void cells_rate_cell(struct cells *c, bool is_known,
		     const struct state_rate *rate, double scale);
/* A rate times scale, rounded. */
void cells_scaled_rate(struct cells *c, uint32_t entity, enum quantity q,
		       double scale);
/* The word of a reading that is an enumeration. */
void cells_word(struct cells *c, uint32_t entity, enum quantity q,
		const char *(*word)(unsigned));
/* A text of an entity. */
void cells_attribute(struct cells *c, uint32_t entity, enum attribute which);
/* The switch:port of a peer; absent where both are unknown. */
void cells_peer(struct cells *c, const char *peer_switch,
		const char *peer_port);
/* What the engine says now: a link that is down has neither. From the rings of
 * a dead agent, what its core wrote there.
 */
void cells_margin(struct cells *c, uint32_t port,
		  const struct engine_view *view);
void cells_ber(struct cells *c, uint32_t port, const struct engine_view *view);
/* As old as the oldest value of the row. */
void cells_age(struct cells *c);
/* A value, or absent when it is not known. */
void cells_known(struct cells *c, bool is_known, int64_t value);

/* The link as a cell, marked where its source has stopped telling. */
void cells_link(struct cells *c, uint32_t port);
/* up, dn, ad (shut by configuration); NULL unknown. */
const char *cells_link_mark(const struct query_context *ctx, uint32_t port);

/* Words of enumerations, for cells_word(). */
const char *cells_oper_word(unsigned value);
const char *cells_fec_word(unsigned value);
const char *cells_down_reason_word(unsigned value);
const char *cells_module_state_word(unsigned value);
const char *cells_data_path_word(unsigned value);
