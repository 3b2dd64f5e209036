/* Internals of the decoder, only for decode_batch.c, decode_lists.c and
 * decode_values.c; decode.h is the interface.
 */
#pragma once

#include <errno.h>
#include "agent/record/array.h"
#include "agent/record/decode.h"
#include "agent/record/proto.h"
#include "agent/record/rice.h"

/* A piece of one of the growing arrays below. */
struct piece {
	uint32_t at, count;
};

struct known_list {
	struct piece rows;	/* of entities */
	struct piece runs;	/* of rows that are followed */
};

struct column_key {
	uint32_t quantity, index, source;
};

struct known_column {
	struct column_key key;
	enum predictor predictor;	/* PREDICTORS: none yet */
	bool bounded;		/* with that predictor last */
	bool unread;		/* its encoding is not known, or it is not
				 * wanted */
	bool wanted;
	bool settled;		/* one more of the same values changes none of
				 * its series */
	uint32_t list;		/* of the view; INDEX_NONE at first */
	struct piece view;	/* indices of the rows' series; count: of the
				 * longest list so far */
};

struct staged_group {
	uint32_t source, list;
	struct cursor taken, windows;	/* where they are, until read */
	bool is_read;
	struct piece ages;	/* of taken and window */
	int64_t uncertainty_ns, window_ns;
};

struct staged_column {
	struct column_key key;
	uint32_t list, group;
	struct piece rows;	/* of value and quality */
};

#define TELLING_MAX 256u
#define VIEW_PASSED (UINT32_C(1) << 31)

struct decoder {
	/* Quantities that are wanted, a bit each, and columns that predict
	 * those of wanted ones.
	 */
	bool wants_all;
	uint64_t wanted[(UINT16_MAX + 1) / 64];
	struct column_key telling[TELLING_MAX];
	unsigned telling_count;
	bool wants_more;
	const uint8_t *followed;	/* borrowed; NULL: all entities are */
	uint32_t followed_count;
	bool has_reference;
	uint64_t number;	/* sequence of the record before; 0 unknown */
	/* Known since the reference. */
	struct array lists;	/* struct known_list, by id */
	struct array entities;	/* uint32_t */
	struct array runs;	/* struct piece, of a list's rows */
	struct array columns;	/* struct known_column */
	struct array views;	/* uint32_t: index into series, or VIEW_PASSED
				 * and one into levels */
	struct array series;	/* struct known_series */
	struct array levels;	/* uint32_t: of series that nobody follows */
	struct index_map map;	/* columns, and series within one */
	/* Of the present record. */
	struct mono now;
	struct array fields;	/* struct proto_field: lists to known */
	struct cursor still;
	struct array groups;	/* struct staged_group */
	struct array taken, window;	/* int64_t */
	struct array staged;	/* struct staged_column */
	struct array values;	/* int64_t */
	struct array qualities;	/* uint8_t */
};

static inline bool decoder_wants(const struct decoder *d, uint32_t quantity)
{
	return d->wants_all ||
	       d->wanted[quantity / 64 % (UINT16_MAX / 64 + 1)] >>
		       quantity % 64 & 1;
}

static inline bool decoder_follows(const struct decoder *d, uint32_t entity)
{
	return !d->followed || (entity < d->followed_count &&
				d->followed[entity / 8] >> entity % 8 & 1);
}

static inline struct known_list *list_at(const struct array *a, uint32_t id)
{
	return (struct known_list *)a->items + id;
}

static inline struct piece *piece_at(const struct array *a, uint32_t i)
{
	return (struct piece *)a->items + i;
}

static inline struct known_column *column_at(const struct array *a, uint32_t i)
{
	return (struct known_column *)a->items + i;
}

static inline struct known_series *series_at(const struct array *a, uint32_t i)
{
	return (struct known_series *)a->items + i;
}

static inline struct staged_group *group_at(const struct array *a, uint32_t i)
{
	return (struct staged_group *)a->items + i;
}

static inline struct staged_column *staged_at(const struct array *a, uint32_t i)
{
	return (struct staged_column *)a->items + i;
}

static inline uint32_t *level_at(const struct decoder *d, uint32_t view)
{
	return array_u32(&d->levels, view & ~VIEW_PASSED);
}

/* The indices of the series of a column's rows, in the order of its list. */
static inline const uint32_t *view_of(const struct decoder *d, uint32_t column)
{
	return array_u32(&d->views, column_at(&d->columns, column)->view.at);
}

/* -EBADMSG with diag: there are more of them than max. */
static inline int decoder_full(struct diag *diag, const char *what,
			       uint32_t max)
{
	return diag_set(diag, -EBADMSG, "more than %u %s", max, what);
}

/* Takes an entity list. Returns -EBADMSG with diag. */
int decoder_list_take(struct decoder *d, struct cursor c, struct diag *diag);
/* NULL with diag when the list is not known. */
const struct known_list *decoder_list(const struct decoder *d, uint32_t id,
				      struct diag *diag);
/* Takes a read group. If all is wanted it is read at once, else with its first
 * column. Returns -EBADMSG with diag.
 */
int decoder_group_take(struct decoder *d, struct cursor c, struct diag *diag);
/* Reads when it was taken, a number for each entity. */
int decoder_group_read(struct decoder *d, struct staged_group *g,
		       struct diag *diag);
/* INDEX_NONE: there is none of that source and list. */
uint32_t decoder_group_find(const struct decoder *d, uint32_t source,
			    uint32_t list);

/* Spatial differences (read groups); false: not n of them. */
bool values_spatial(struct cursor c, int64_t first_from, int64_t *ret,
		    uint32_t n);
/* Runs of qualities; false: there are not n, or one is unknown. */
bool values_quality(struct cursor c, uint8_t *ret, uint32_t n);
/* Reads the n values of a column, and updates its series; or marks it unread,
 * as its encoding or its base is not known. Returns -EBADMSG: there are not n
 * values, or the data is malformed.
 */
int values_read(struct decoder *d, uint64_t encoding, struct cursor *c,
		uint32_t column, int64_t *ret, uint32_t n, struct diag *diag);
