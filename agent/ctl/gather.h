/* Readings of some series, gathered from columns of samples in the order of
 * time. Counters become rates, as petrel shows them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/base/counter.h"
#include "agent/query/history_rows.h"
#include "agent/record/decode.h"

#define LOOK_BACK_READINGS_MAX (1u << 20)	/* per series */
#define GATHER_SOURCE_NONE UINT32_MAX
#define GATHER_IDS_MAX 8u

/* How far the gathering of a series has come. */
struct gather_place {
	size_t count;
	struct mono taken;	/* of the newest; ns 0: none */
	uint32_t source;	/* of the newest, or GATHER_SOURCE_NONE */
	struct counter counter;
};

struct gather_series {
	uint32_t entity;	/* in the state */
	/* Of the entity in the records, which number it anew when the agent
	 * restarts; of more than fit the first are forgotten.
	 */
	uint32_t ids[GATHER_IDS_MAX];
	uint32_t id_count;
	uint16_t quantity, index;
	bool is_rate;
	struct history_value *reading;	/* owned */
	size_t cap;
	struct gather_place place;
	size_t kept;		/* readings at gather_mark() */
	uint32_t row;		/* its row in the previous column */
};

struct gather {
	struct gather_series *series;	/* owned */
	size_t count;
	struct wall from, to;
	struct clock_reading clock;	/* of the current records */
	bool is_past;			/* they are of another run */
	int rc;				/* -ENOMEM, -E2BIG */
};

/* Room for n series. Returns -ENOMEM. */
int gather_init(struct gather *g, size_t n);
/* Sets what the n-th series is. */
void gather_want(struct gather *g, size_t n, uint32_t entity, uint16_t quantity,
		 uint16_t index);
/* Releases all readings. */
void gather_fini(struct gather *g);

/* The records that follow are of this clock's run; clears the ids. */
void gather_run(struct gather *g, const struct clock_reading *clock,
		bool is_past);
/* Adds an id of the series. */
void gather_id(struct gather_series *s, uint32_t id);
/* The ids of all series, one bit each; ids from count on are left out. */
void gather_ids(const struct gather *g, uint8_t *ret, uint32_t count);
/* Whether the column has a row of the series. */
bool gather_row(struct gather_series *s, const struct decoded_column *c,
		uint32_t *ret);
/* Adds a reading. Returns -ENOMEM, -E2BIG. */
int gather_add(struct gather *g, struct gather_series *s,
	       const struct history_value *reading);
/* Takes the next value as a source read it. Adds no reading if it is not new,
 * from a source that the series is not read from, or out of the span; converts
 * a counter to a rate. Returns -ENOMEM, -E2BIG.
 */
int gather_take(struct gather *g, struct gather_series *s,
		const struct history_value *value);

/* --- a part of the records, that one of several workers reads ------------- */

/* gather_back() drops what is added from here on. */
void gather_mark(struct gather *part);
/* Drops what was added since gather_mark(); it is read again. */
void gather_back(struct gather *part);
/* A decoded_fn of a part: adds values as they were read. */
int gather_column(void *context, const struct decoded_column *c);

/* How the records are read: in pieces, each into a part for the same series and
 * ids.
 */
struct gather_work {
	void *context;
	/* Makes what the worker needs, before any piece is read. */
	int (*begin)(void *context, unsigned worker);
	int (*read)(void *context, unsigned worker, unsigned piece,
		    struct gather *part);
	/* gather_take() or gather_add(): takes the readings of all parts, in
	 * the order of the pieces.
	 */
	int (*take)(struct gather *g, struct gather_series *s,
		    const struct history_value *reading);
};

/* Reads that many pieces with several workers. Returns -ENOMEM, -E2BIG, or what
 * a function returned.
 */
int gather_pieces(struct gather *g, const struct gather_work *work,
		  unsigned pieces);
