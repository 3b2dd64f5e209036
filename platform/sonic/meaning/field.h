/* A row of a database as values: which field is which quantity is a table.
 *
 * Adding a statistic is adding a row to a table of its subject. Redis answers
 * the fields of one table in much the same order each time, so a name is first
 * compared with what stood in its place before, then looked up by its hash.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/entity.h"
#include "petrel/platform.h"

#define FIELDS_MAX 320		/* of one table */
#define FIELD_TEXTS_MAX 28	/* of one table */
#define ROW_PARTS_MAX 9		/* whose faults are kept: 0, and eight lanes */

enum field_form {
	FIELD_COUNTER,	/* u64 */
	FIELD_SCALED,	/* decimal times scale */
	FIELD_DBM,	/* to pW */
	FIELD_RATIO,	/* of bits, times 1e18 */
	FIELD_SHARE,	/* of frames, the same */
	FIELD_BOOL,
	FIELD_UTC,	/* a time, to ms since 1970 */
	FIELD_WORD,	/* scale: enum words */
	FIELD_LANES,	/* a list: lanes_parse(); scale: enum lanes_kind */
	FIELD_SENTENCE,	/* 1: it says something, kept as text in slot scale */
	FIELD_TEXT,	/* kept as text in slot index; no sample. scale: 1 +
			 * the attribute that it is; 0: none */
};

struct field {
	const char *name;	/* "": filled by the list before it */
	uint16_t quantity;
	uint8_t index;		/* of the quantity, or the text's slot */
	uint8_t part;		/* 0: of the object; n: of its n-th child */
	uint8_t form;		/* enum field_form */
	uint64_t scale;
};

/* Tables that name the same things: the quantities of the one follow from
 * those of the other.
 */
enum facet {
	FACET_PLAIN,		/* as the fields say */
	FACET_CHANGES,		/* how often flags changed */
	FACET_SET_TIMES,	/* when they were last set, cleared */
	FACET_CLEAR_TIMES,
	FACET_VDM_VALUES,	/* the fields being VDM flags */
	FACET_VDM_THRESHOLDS,
	FACET_VDM_FLAGS,
	FACET_VDM_CHANGES,
	FACET_VDM_SET_TIMES,
	FACET_VDM_CLEAR_TIMES,
};

/* Fields of one part stand together, part 0 first. */
struct fields {
	const struct field *list;
	unsigned count;
	uint8_t facet;		/* enum facet */
	uint8_t edge;		/* 0 to 3, of VDM's thresholds and flags */
	int16_t shift;		/* of the quantities: another table's fields */
};

/* Finds fields by name. */
struct field_index {
	const struct field *fields;
	unsigned count;
	uint8_t facet, edge;		/* as in struct fields */
	int16_t shift;
	unsigned slots, places;		/* a power of two; of a reply */
	uint16_t *slot;			/* 1 + place in fields; 0 empty */
	uint16_t *seen;			/* 1 + what stood in this place last */
	uint16_t *other;		/* 1 + an older name of the same; 0 */
	uint8_t *len;
};

/* What one reply brought. */
struct row {
	uint64_t present[FIELDS_MAX / 64];
	int64_t value[FIELDS_MAX];
	unsigned values;		/* how many are present */
	unsigned texts;			/* how many texts are not empty */
	unsigned bad;			/* texts that are no value */
	const struct field *bad_field;	/* the first of them */
	char bad_text[24];
	uint64_t doubted[FIELDS_MAX / 64];	/* they say what cannot be */
	uint16_t fault[ROW_PARTS_MAX];	/* bits of enum reading_fault */
	char text[FIELD_TEXTS_MAX][ATTRIBUTE_TEXT_MAX];
};

/* The list is kept by reference. Returns -ENOMEM. */
int field_index_init(struct field_index *x, const struct fields *fields);
/* Releases what it holds; twice does no harm. */
void field_index_fini(struct field_index *x);

/* What a field is in this table. */
uint16_t field_quantity(const struct field_index *x, const struct field *f);
unsigned field_number(const struct field_index *x, const struct field *f);

/* The text of a field that is one number, flag or word. Returns -ENODATA for a
 * word of absence, -EINVAL, -ERANGE.
 */
int field_parse(const struct field *f, const char *text, int64_t *ret);

/* The place of a field in the table, -1 when it is not there. position: its
 * place in the reply.
 */
int field_find(struct field_index *x, const char *name, size_t len,
	       unsigned position);

/* Nothing is present any more. */
void row_clear(struct row *r);

/* Takes the text of field number which in. A word of absence leaves it out; a
 * text that is no value too, and is counted.
 */
void row_take(struct row *r, const struct field_index *x, unsigned which,
	      const char *text, size_t len);

static inline bool row_has(const struct row *r, unsigned which)
{
	return r->present[which / 64] >> (which % 64) & 1;
}

/* Does it exceed the physical maximum? */
bool field_is_beyond(const struct field *f, int64_t value);

/* The value of a quantity in part 0; false when it is absent. */
bool row_value(const struct row *r, const struct field_index *x,
	       enum quantity quantity, int64_t *ret);

/* A hash of all values, to tell a repeated row. */
uint64_t row_hash(const struct row *r, const struct field_index *x);

/* Tells the texts that are attributes of the row's entity. even_empty: also of
 * one that is not there; else what was told of it stays.
 */
void row_attributes(const struct row *r, const struct field_index *x,
		    const struct platform_host *host, uint32_t handle,
		    bool even_empty);

/* What of a module's row cannot be so: judge_row(). */
struct judged {
	uint16_t fault[ROW_PARTS_MAX];		/* bits of reading_fault */
	uint64_t without[FIELDS_MAX / 64];	/* fields that are no values */
};

/* Where a row's samples go. */
struct row_target {
	const struct platform_host *host;
	unsigned source;
	/* The entity of a part; ENTITY_NONE: its samples are left out. */
	uint32_t (*entity)(void *context, unsigned part);
	void *context;
	enum sample_quality quality;	/* of all that is not worse */
	const struct judged *judged;	/* NULL: nobody judged it */
	unsigned judged_index;		/* enum reading_of */
	/* The parts that the row before gave, a bit each, kept by the caller:
	 * one that this row gives nothing of is given empty. NULL: not so.
	 */
	uint64_t *parts;
	struct read_group age;
};

/* Hands the samples over, a read group for each part. Returns how many. */
unsigned row_emit(const struct row *r, const struct field_index *x,
		  const struct row_target *to);

/* Which of a module's published values cannot be so. xcvrd publishes what a
 * register holds, whatever that is: what a bus that nobody drives reads as, or
 * the end of the register, comes as a number like any other.
 */

/* Judges a row of which part 0 is the module, the others its lanes. What is
 * found of a lane counts for the module too. A threshold, which is no reading,
 * may stand where no reading can be: it is never crossed.
 */
void judge_row(const struct row *r, const struct field_index *x,
	       bool is_reading, struct judged *ret);
