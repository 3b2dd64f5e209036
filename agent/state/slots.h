/* The newest value of each (entity, quantity, index, source), in columns: one
 * column for each (quantity, index, source), one row an entity. Grows only
 * when something new appears; taking in a known value is one hash probe and
 * allocates nothing.
 *
 * A source here reads an entity all at once: it is a part of a source of
 * platform.h. The time belongs to the read group (source, entity). A value is
 * there as long as the last reading of its group held it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/sample.h"

struct slots;

/* Where a slot is, and its read group. Valid until slots_layout() changes. */
struct slot_place {
	uint32_t column, row, group;
};

/* A slot's value, and what else is known of it. */
struct slot_value {
	int64_t value, previous;
	bool is_there;		/* the last reading of its group held it */
	bool has_previous;	/* and the one before, of a counter */
	bool is_new;		/* it was taken in during the tick */
	uint8_t quality;
	struct mono taken;
	int64_t uncertainty_ns, window_ns;
	int64_t interval_ns;	/* since the reading before; 0: not known */
	int64_t previous_uncertainty_ns;
};

/* limit: slots and read groups together. Returns -ENOMEM. */
int slots_new(uint32_t limit, struct slots **ret);
/* NULL is allowed. */
void slots_free(struct slots *s);

/* A read group that values are put into. */
struct slot_group {
	uint8_t source;
	uint32_t entity, row;
};

/* Opens a read group. With another time than before it begins a new reading,
 * which replaces the last one completely; with the same time it continues it.
 * Returns 1 when it is new, 0 when not, or a negative errno.
 */
int slots_group(struct slots *s, uint32_t entity, uint8_t source,
		const struct read_group *group, struct slot_group *ret);

/* Takes one value into a group. Returns 1; 0: the reading already has it;
 * -ESTALE: the entity went; -ENOSPC (limit), -ENOMEM.
 */
int slots_put(struct slots *s, struct slot_group *group, uint16_t quantity,
	      uint16_t index, int64_t value, uint8_t quality, uint32_t tick);

/* Removes all rows whose entity is not is_live(). */
void slots_drop(struct slots *s, bool (*is_live)(void *context, uint32_t id),
		void *context);

/* Changes whenever slots move. */
uint32_t slots_layout(const struct slots *s);

/* The slot from the source that read it last; if no source has it any more, one
 * that is gone. False when no source ever had it.
 */
bool slots_find(const struct slots *s, uint32_t entity, uint16_t quantity,
		uint16_t index, struct slot_place *ret);
/* The same slot as another source reads it. False when it does not. */
bool slots_twin(const struct slots *s, struct slot_place at, uint8_t source,
		struct slot_place *ret);
/* The same slot from the source that read it last. */
struct slot_place slots_newest(const struct slots *s, struct slot_place at);
/* The slot's content, and whether it was taken in during that tick. */
void slots_get(const struct slots *s, struct slot_place at, uint32_t tick,
	       struct slot_value *ret);
/* Which source reads it. */
uint8_t slots_source(const struct slots *s, struct slot_place at);

/* All columns, borrowed until the next value. */
size_t slots_columns(const struct slots *s, const struct sample_column **ret);
/* The read groups, by source. */
size_t slots_groups(const struct slots *s, const struct group_column **ret);
/* Slots and groups in use. */
uint32_t slots_count(const struct slots *s);
