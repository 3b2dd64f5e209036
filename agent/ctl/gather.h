/* Readings of some series, gathered from columns of samples as they pass by,
 * in the order of time. Counters become rates, as petrel shows them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/base/counter.h"
#include "agent/record/decode.h"
#include "petrel/quantity.h"

#define LOOK_BACK_READINGS_MAX (1u << 20)	/* of a series */
#define GATHER_SOURCE_NONE UINT32_MAX

/* One reading, or what a tier keeps of all readings of a span. The values are
 * in the unit of the quantity; of a counter, what it grew by a second, in
 * thousandths of that unit.
 */
struct look_back_reading {
	struct wall wall;	/* when the source took it; the end of a span */
	struct mono mono;	/* the same; ns 0: in a run before this one */
	int64_t value;		/* of a span: the mean */
	int64_t min, max;	/* of one reading: the value */
	int64_t span_ns;	/* 0: one reading */
	int64_t age_ns;		/* how old it was when it was recorded */
	uint8_t quality;	/* enum sample_quality; of a span: the worst */
	uint8_t source;		/* that read it; of a span: 0 */
};

/* True: its readings are rates, in thousandths a second. */
static inline bool look_back_is_rate(const struct quantity_info *q)
{
	return q->kind == KIND_COUNTER;
}

/* Where the gathering of a series stands. */
struct gather_place {
	size_t count;
	struct mono taken;	/* of the newest; ns 0: none */
	uint32_t source;	/* of the newest, or GATHER_SOURCE_NONE */
	struct counter counter;
};

struct gather_series {
	uint32_t id;		/* of the entity, in the records */
	uint16_t quantity, index;
	bool is_rate;
	struct look_back_reading *reading;	/* its own */
	size_t cap;
	struct gather_place place;
	size_t kept;		/* readings at gather_mark() */
	uint32_t row;		/* where it was in the column before */
};

struct gather {
	struct gather_series *series;	/* its own */
	size_t count;
	struct wall from, to;
	struct clock_reading clock;	/* of the records under way */
	bool is_past;			/* they are of another run */
	int rc;				/* -ENOMEM, -E2BIG */
};

/* Room for n series. Returns -ENOMEM. */
int gather_init(struct gather *g, size_t n);
/* What the n-th one is of. */
void gather_want(struct gather *g, size_t n, uint16_t quantity,
		 uint16_t index);
/* Releases all readings. */
void gather_fini(struct gather *g);

/* The records that follow are of this clock's run; ids are set anew. */
void gather_run(struct gather *g, const struct clock_reading *clock,
		bool is_past);
/* The ids of all series, a bit each; those at and above count have none. */
void gather_ids(const struct gather *g, uint8_t *ret, uint32_t count);
/* The row of an entity: where it was, else where it is; c->count: nowhere. */
uint32_t gather_row(const struct decoded_column *c, uint32_t id,
		    uint32_t guess);
/* One more reading. Returns -ENOMEM, -E2BIG. */
int gather_add(struct gather *g, struct gather_series *s,
	       const struct look_back_reading *reading);
/* The next value as a source read it: no reading where it says nothing new, is
 * of a source that the series is not read from, or out of the span; of a
 * counter a rate. Returns -ENOMEM, -E2BIG.
 */
int gather_take(struct gather *g, struct gather_series *s,
		const struct look_back_reading *value);

/* --- a part of the records, that one of several workers reads ------------- */

/* Room for the same series, with the ids that they have. Returns -ENOMEM. */
int gather_part(const struct gather *g, struct gather *ret);
/* What comes from here on is forgotten by gather_back(). */
void gather_mark(struct gather *part);
/* Forgets what came since gather_mark(), which is read once more. */
void gather_back(struct gather *part);
/* A decoded_fn of a part: adds values as they were read. */
int gather_column(void *context, const struct decoded_column *c);
/* Gives what the part has to gather_take() or gather_add(), a series after the
 * other. Returns part->rc, or what that returned.
 */
typedef int gather_fn(struct gather *g, struct gather_series *s,
		      const struct look_back_reading *reading);
int gather_join(struct gather *g, const struct gather *part, gather_fn *fn);
