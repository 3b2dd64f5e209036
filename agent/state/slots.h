/* The newest value of each (entity, quantity, index, source), in columns: one
 * column for each (quantity, index, source), one row an entity. Grows only
 * when something new appears; taking in a known value is one hash probe and
 * allocates nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/sample.h"

struct slots;

/* Where a slot is. Good until slots_layout() changes. */
struct slot_place {
	uint32_t column, row;
};

/* What a row holds beside its sample_column. */
struct slot_value {
	int64_t value, previous;
	int64_t taken_ns, previous_taken_ns;	/* 0: none, or no counter */
	uint8_t quality;
	uint32_t tick;
	int64_t window_ns;	/* of a peak; 0: none, or not told */
};

/* limit: slots and read groups together. Returns -ENOMEM. */
int slots_new(uint32_t limit, struct slots **ret);
/* NULL is allowed. */
void slots_free(struct slots *s);

/* Takes in one value. Returns 0, -ENOSPC (limit), -ENOMEM. */
int slots_put(struct slots *s, uint32_t entity, uint16_t quantity,
	      uint16_t index, uint8_t source, int64_t value, uint8_t quality,
	      uint32_t tick, int64_t taken_ns);

/* The window of a peak that was taken in. All peaks of one quantity and source
 * have the same: a source may read others of the same entity in groups that
 * have another window, or none.
 */
void slots_window(struct slots *s, uint16_t quantity, uint16_t index,
		  uint8_t source, int64_t window_ns);

/* Opens a read group. Returns 1 when it is new, 0 when the source took it at
 * the same time as the one before (a repeated reading), or a negative errno.
 */
int slots_group(struct slots *s, uint32_t entity, uint8_t source,
		const struct read_group *group, uint32_t tick);

/* Takes all rows out whose entity is_live() denies. */
void slots_drop(struct slots *s, bool (*is_live)(void *context, uint32_t id),
		void *context);

/* Changes whenever places do. */
uint32_t slots_layout(const struct slots *s);

/* The slot, from whichever source read it last. False when there is none. */
bool slots_find(const struct slots *s, uint32_t entity, uint16_t quantity,
		uint16_t index, struct slot_place *ret);
/* The same slot as another source reads it. False when it does not. */
bool slots_twin(const struct slots *s, struct slot_place at, uint8_t source,
		struct slot_place *ret);
/* The slot's content. */
void slots_get(const struct slots *s, struct slot_place at,
	       struct slot_value *ret);
/* The group that the slot's last reading belonged to. */
bool slots_group_of(const struct slots *s, struct slot_place at,
		    struct read_group *ret);
/* Which source reads it. */
uint8_t slots_source(const struct slots *s, struct slot_place at);

/* All columns, borrowed until the next value. */
size_t slots_columns(const struct slots *s, const struct sample_column **ret);
/* The read groups, by source. */
size_t slots_groups(const struct slots *s, const struct group_column **ret);
/* Slots and groups in use. */
uint32_t slots_count(const struct slots *s);
