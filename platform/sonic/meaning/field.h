/* A row of a database as values: a table maps fields to quantities.
 *
 * A new statistic is a new row in the table of its subject. Redis returns the
 * fields of one table in much the same order each time, so a name is first
 * compared with the last one at its position, then looked up by its hash.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/entity.h"
#include "petrel/platform.h"

#define FIELDS_MAX 320		/* of one table */
#define FIELD_TEXTS_MAX 28	/* of one table */
#define FIELD_LONG_MAX 1024	/* octets, with a NUL */
#define ROW_PARTS_MAX 9		/* with faults: 0, and eight lanes */

enum field_form {
	FIELD_COUNTER,	/* u64 */
	FIELD_SCALED,	/* decimal times scale */
	FIELD_DBM,	/* to pW */
	FIELD_RATIO,	/* of bits, times 1e18 */
	FIELD_SHARE,	/* of frames, the same */
	FIELD_BOOL,
	FIELD_UTC,	/* a time, to ms since 1970 */
	FIELD_WORD,	/* scale: enum words */
	FIELD_HEAT,	/* degrees times 1000, of a sensor of the switch */
	FIELD_FAN,	/* percent times scale; revolutions a minute go to the
			 * nameless field after it, if there is one */
	FIELD_LANES,	/* a list: lanes_parse(); scale: enum lanes_kind */
	FIELD_SENTENCE,	/* 1: not empty; kept as text in slot scale */
	FIELD_TEXT,	/* kept as text in slot index; no sample. scale: 1 + its
			 * attribute; 0: none */
	FIELD_LONG_TEXT,	/* kept as the row's only long text */
};

struct field {
	const char *name;	/* "": filled by a list before it */
	uint16_t quantity;
	uint8_t index;		/* of the quantity, or the text's slot */
	uint8_t part;		/* 0: the object; n: its n-th child */
	uint8_t form;		/* enum field_form */
	uint64_t scale;
};

/* Tables with the same names of fields: the quantities of one follow from those
 * of the other.
 */
enum facet {
	FACET_PLAIN,		/* as in the fields */
	FACET_CHANGES,		/* how often flags changed */
	FACET_SET_TIMES,	/* when they were last set, cleared */
	FACET_CLEAR_TIMES,
	FACET_VDM_VALUES,	/* the fields are VDM flags */
	FACET_VDM_THRESHOLDS,
	FACET_VDM_FLAGS,
	FACET_VDM_CHANGES,
	FACET_VDM_SET_TIMES,
	FACET_VDM_CLEAR_TIMES,
};

/* Fields of one part are adjacent, part 0 first. */
struct fields {
	const struct field *list;
	unsigned count;
	uint8_t facet;		/* enum facet */
	uint8_t edge;		/* 0 to 3, of VDM's thresholds and flags */
	int16_t shift;		/* of quantities: fields of another table */
};

/* Finds fields by name. */
struct field_index {
	const struct field *fields;
	unsigned count;
	uint8_t facet, edge;		/* as in struct fields */
	int16_t shift;
	unsigned slots, places;		/* a power of two; of a reply */
	uint16_t *slot;			/* 1 + index in fields; 0 empty */
	uint16_t *seen;			/* 1 + last field at this position */
	uint16_t *other;		/* 1 + older name of the same; 0 */
	uint8_t *len;
};

/* The contents of one reply. */
struct row {
	uint64_t present[FIELDS_MAX / 64];
	int64_t value[FIELDS_MAX];
	unsigned values;		/* how many are present */
	unsigned texts;			/* how many texts are not empty */
	unsigned bad;			/* texts that are not values */
	const struct field *bad_field;	/* the first of them */
	char bad_text[24];
	uint64_t doubted[FIELDS_MAX / 64];	/* implausible ones */
	uint16_t fault[ROW_PARTS_MAX];	/* bits of enum reading_fault */
	char text[FIELD_TEXTS_MAX][ATTRIBUTE_TEXT_MAX];
	char long_text[FIELD_LONG_MAX];	/* to search, not to show */
};

/* The list is kept by reference. Returns -ENOMEM. */
int field_index_init(struct field_index *x, const struct fields *fields);
/* Releases its memory; calling it twice is harmless. */
void field_index_fini(struct field_index *x);

/* The quantity of a field in this table. */
uint16_t field_quantity(const struct field_index *x, const struct field *f);
unsigned field_number(const struct field_index *x, const struct field *f);

/* Parses the text of a field that is one number, flag or word. Returns -ENODATA
 * for a word that means absent, -EINVAL, -ERANGE.
 */
int field_parse(const struct field *f, const char *text, int64_t *ret);

/* The index of a field in the table, -1 if it has none. position: its position
 * in the reply.
 */
int field_find(struct field_index *x, const char *name, size_t len,
	       unsigned position);

/* Marks all values as absent. */
void row_clear(struct row *r);

/* Takes the text of field number which. A word that means absent is skipped; so
 * is a text that is not a value, which is counted.
 */
void row_take(struct row *r, const struct field_index *x, unsigned which,
	      const char *text, size_t len);

/* Sets a value, or takes one out again, as another field says what it means. */
void row_set(struct row *r, unsigned which, int64_t value);
void row_drop(struct row *r, unsigned which);

/* Counts a text that is not a value, or means nothing, and keeps the first. */
void row_complain(struct row *r, const struct field *f, const char *text,
		  size_t len);

/* Takes a value out again, as the text of another field (why) makes it
 * unreadable; it is counted.
 */
void row_refuse(struct row *r, unsigned which, const struct field *why,
		const char *text);

static inline bool row_has(const struct row *r, unsigned which)
{
	return r->present[which / 64] >> (which % 64) & 1;
}

/* Does it exceed the physical maximum? */
bool field_is_beyond(const struct field *f, int64_t value);

/* The value of a quantity in part 0; false if absent. */
bool row_value(const struct row *r, const struct field_index *x,
	       enum quantity quantity, int64_t *ret);

/* A hash of all values, to recognise a repeated row. */
uint64_t row_hash(const struct row *r, const struct field_index *x);

/* Reports the texts that are attributes of the row's entity. even_empty: also
 * removes those that are missing; else their last texts stay.
 */
void row_attributes(const struct row *r, const struct field_index *x,
		    const struct platform_host *host, uint32_t handle,
		    bool even_empty);

/* Implausible values in a module's row: judge_row(). */
struct judged {
	uint16_t fault[ROW_PARTS_MAX];		/* bits of reading_fault */
	uint64_t without[FIELDS_MAX / 64];	/* fields without a value */
};

/* The destination of a row's samples. */
struct row_target {
	const struct platform_host *host;
	unsigned source;
	/* The entity of a part; ENTITY_NONE: its samples are skipped. */
	uint32_t (*entity)(void *context, unsigned part);
	void *context;
	enum sample_quality quality;	/* the best quality */
	const struct judged *judged;	/* NULL: not judged */
	unsigned judged_index;		/* enum reading_of */
	/* The parts with values in the last row, a bit each, kept by the
	 * caller: those without any now are given empty. NULL: not done.
	 */
	uint64_t *parts;
	struct read_group age;
};

/* Passes the samples on, a read group for each part. Returns their number. */
unsigned row_emit(const struct row *r, const struct field_index *x,
		  const struct row_target *to);

/* Finds implausible values that were published for a module. xcvrd publishes
 * whatever a register holds: a reading from an undriven bus, or the limit of
 * the register, is published as a number like any other.
 */

/* Judges a row whose part 0 is the module, the others its lanes. A lane's fault
 * counts for the module, too. A threshold is not a reading and may be outside
 * the range of readings: then it is never crossed.
 */
void judge_row(const struct row *r, const struct field_index *x,
	       bool is_reading, struct judged *ret);
