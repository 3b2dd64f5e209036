/* What slots.c, slot_groups.c and slot_lists.c share: the columns, the lists of
 * entities that they are of, and the hash of the rows of these lists.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "petrel/sample.h"

#define COLUMNS_MAX 4096u
#define SOURCES_MAX 256u
#define ROWS_FIRST 16u
#define QUANTITY_PLACES 512u

/* The ages of a source's read groups. Groups that are read together have the
 * same age, so each age is kept once, with the number of groups that have it.
 */

/* The age of a group that was never read: taken INT64_MIN. */
#define AGE_NEVER 0u

/* What a rate needs in addition to an age. */
struct age_step {
	uint32_t interval;		/* span_of(): since the reading before;
					 * 0: none */
	uint32_t previous_uncertainty;	/* the same */
};

struct ages {
	uint32_t cap, used;		/* places; those ever taken */
	uint32_t free;			/* the first that was freed; 0 */
	uint32_t recent;		/* the last that was taken */
	struct group_age *age;
	struct age_step *step;		/* of a free place: the next one */
	uint32_t *users;		/* groups; 0: free */
};

/* Makes AGE_NEVER. a is zero. Returns -ENOMEM; ages_fini() all the same. */
int ages_init(struct ages *a);
/* Releases the memory. */
void ages_fini(struct ages *a);

/* The place of such an age, for one more group. Returns -ENOMEM. */
int ages_take(struct ages *a, const struct group_age *age,
	      const struct age_step *step, uint32_t *ret);
/* A group no longer has it. */
void ages_release(struct ages *a, uint32_t which);

/* Arrays that grow together; the view's pointers are to them. */
struct column_rows {
	uint32_t cap;
	uint32_t numbers_cap;	/* of value; more than cap when memory ran out
				 * between the two */
	uint32_t list;		/* number + 1 of its entities'; 0: none yet */
	int64_t *value;
	int64_t *previous;	/* NULL but of counters */
	bool steps;		/* a counter: has them */
	uint8_t *quality;
	uint16_t *mark;		/* see MARK_NONE */
	uint64_t *is_new;	/* see struct sample_column */
	uint32_t guess;		/* the row of the last search */
};

/* The entities of one or more columns, as a source reads several quantities of
 * the same entities. A column of n rows has the first n entities of its list,
 * and moves to another list when its next entity differs.
 */
struct row_list {
	uint32_t *entity;
	uint32_t count, cap;
};

/* Which reading of a group a slot was in last: its mark is the reading's number
 * and a bit for "also in the one before". After the last number the first comes
 * again; slots of the last reading are then marked as of the one before the
 * first, all others as of none.
 */
#define MARK_PREVIOUS 1u
#define MARK_STEP 2u
#define MARK_NONE 0u
#define MARK_BEFORE_FIRST MARK_STEP
#define MARK_LAST (UINT16_MAX & ~MARK_PREVIOUS)

struct group_rows {
	uint32_t cap;
	uint32_t guess;
	uint32_t *entity;
	uint32_t *which;	/* of the ages */
	uint16_t *number;	/* of the reading, as in a mark */
	struct ages ages;
};

/* Four octets each; up to three entries for two rows of a list. */
#define ROW_BITS 19
#define ROWS_MAX (1u << ROW_BITS)	/* of one column */
#define PLACE_MASK (UINT32_MAX >> ROW_BITS)
struct hash_entry {
	uint32_t row : ROW_BITS;
	uint32_t place : 32 - ROW_BITS;	/* of a list, or of read groups;
					 * 0: empty */
};
_Static_assert(COLUMNS_MAX + 1 + SOURCES_MAX <= PLACE_MASK,
	       "each place has a number");

struct slots {
	uint32_t limit, used, layout;
	uint32_t mask, entries;
	struct hash_entry *hash; /* at most three quarters full */
	uint32_t column_count;
	uint16_t *column_place;	       /* number + 1 of the column; 0: none */
	struct sample_column *columns; /* the views */
	struct column_rows *rows;
	struct row_list *lists; /* at most one a column */
	uint32_t list_count;
	struct group_column groups[SOURCES_MAX];
	struct group_rows *group_rows; /* of each source */
	uint32_t group_count;	       /* highest source + 1 */
	/* Bit n: source n has a column of such a quantity, or of its twin. */
	uint64_t sources_of[QUANTITY_PLACES][SOURCES_MAX / 64];
};

/* Grows an array; at: address of its pointer. False: no memory. */
bool slots_grown(void *at, uint32_t count, size_t size);

/* The place of a source's read groups in the hash. */
uint32_t slots_place_of_group(uint8_t source);
/* The entity's entry, or the empty one where it would go. */
struct hash_entry *slots_hash_at(const struct slots *s, uint32_t place,
				 uint32_t entity);
/* Sets the row of the entity. */
void slots_hash_set(struct slots *s, uint32_t place, uint32_t entity,
		    uint32_t row);
/* Builds the hash again from all rows. */
void slots_hash_build(struct slots *s);
/* Makes room for more entries, at most three quarters full. Returns -ENOMEM. */
int slots_hash_room(struct slots *s, uint32_t more);

/* Gives the column another list unless its own has this entity next. Returns
 * -ENOMEM, -ENOSPC.
 */
int slots_list_fit(struct slots *s, uint32_t column, uint32_t entity);
/* Removes entities that are not live; after the columns that have the list. */
void slots_list_drop(struct row_list *l,
		     bool (*is_live)(void *context, uint32_t id),
		     void *context);

/* The mark's reading of the group is the one of this number. */
static inline bool slots_mark_is(uint16_t mark, uint16_t number)
{
	return (mark & ~MARK_PREVIOUS) == number;
}

/* The row of the entity in a column; false when it has none. */
bool slots_row_find(const struct slots *s, uint32_t column, uint32_t entity,
		    uint32_t *ret);
/* The same among a source's read groups. */
bool slots_group_find(const struct slots *s, uint8_t source, uint32_t entity,
		      uint32_t *ret);
