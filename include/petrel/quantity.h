/* C1: everything that can be measured, one row each, from quantity.def.
 *
 * Wire ids, CLI names, OpenMetrics names, the manual's table and sampling
 * defaults all come from the row. Ids are never changed or used again:
 * tests/data/quantity.golden breaks the build when one is. Ids from
 * QUANTITY_EXTERNAL_FIRST belong to drivers from outside the tree.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/entity.h"

#define QUANTITY_EXTERNAL_FIRST 0x8000u

struct diag;

enum quantity {
#define QUANTITY(id, symbol, ...) Q_##symbol = (id),
#include "petrel/quantity.def"
#undef QUANTITY
};

enum quantity_kind {
	KIND_COUNTER,	/* only grows, modulo 2^64 */
	KIND_GAUGE,
	KIND_FLAG,	/* 0 or 1, or a small enumeration */
	KIND_PEAK,	/* the maximum over its read group's window */
};

enum quantity_class {	/* how soon it is worth reading again */
	CLASS_FAST,	/* every interval */
	CLASS_MEDIUM,	/* ten seconds */
	CLASS_SLOW,	/* a minute */
	CLASS_STATIC,	/* when it changes */
	CLASS_COUNT
};

enum quantity_unit {
	UNIT_NONE, UNIT_FRAMES, UNIT_OCTETS, UNIT_BITS, UNIT_CODEWORDS,
	UNIT_SYMBOLS, UNIT_EVENTS, UNIT_MBPS, UNIT_OCTETS_PER_S, UNIT_PW,
	UNIT_UA, UNIT_UV, UNIT_MC, UNIT_MDB, UNIT_E18, UNIT_NS, UNIT_US,
	UNIT_RPM, UNIT_UW, UNIT_PPM, UNIT_LOG10_MILLI, UNIT_BOOL, UNIT_ENUM,
	UNIT_PM, UNIT_MHZ, UNIT_GHZ, UNIT_FS, UNIT_FS2, UNIT_PS_PER_NM,
	UNIT_KRAD_PER_S, UNIT_MS, UNIT_FRAMES_PER_S, UNIT_CELLS, UNIT_BITS_SET,
	UNIT_M, UNIT_COUNT,
};

struct quantity_info {
	uint16_t id;
	uint8_t unit;		/* enum quantity_unit */
	uint8_t scope;		/* enum entity_kind */
	uint8_t kind;		/* enum quantity_kind */
	uint8_t speed;		/* enum quantity_class */
	const char *name;	/* snake_case, unit at its end: the CLI's */
	const char *help;	/* with clause or SAI name */
};

/* Suffix of names and word for people of a unit; for example "pw". */
const char *quantity_unit_name(enum quantity_unit unit);

/* True if an entity of this kind can have it: the row's scope. VDM rows, which
 * a module counts by lane, by data path or as a whole, fit all three.
 */
bool quantity_fits(const struct quantity_info *q, enum entity_kind kind);

/* True if its values are 64-bit patterns: never negative. */
bool quantity_is_unsigned(const struct quantity_info *q);

/* True for counts of carried frames, octets or cells, but not of lost or
 * marked ones: there are so many that a small share does not matter.
 */
bool quantity_is_traffic(uint16_t id);

/* True for the occupancy of a buffer in octets: it is counted in cells, so a
 * few octets do not matter.
 */
bool quantity_is_fill(uint16_t id);

/* True if the coarser tiers of the history keep it. */
bool quantity_is_kept(uint16_t id);
/* Order in which quantities are dropped for lack of room: highest first. */
unsigned quantity_kept_rank(uint16_t id);

/* The row of an id; NULL if this build does not know it. */
const struct quantity_info *quantity_find(uint16_t id);

/* The row of a name; NULL if there is none. */
const struct quantity_info *quantity_find_name(const char *name);
/* The same for user input. Returns -EINVAL with the nearest name in d. */
int quantity_parse(const char *name, const struct quantity_info **ret,
		   struct diag *d);

/* True if an entity has several values of it, told apart by an index (a bin, a
 * lane of a register): the help says which. Texts always show the index.
 */
bool quantity_is_indexed(const struct quantity_info *q);

/* What the help calls an index ("high alarm"), else its number in brackets; ""
 * for a quantity without an index.
 */
void quantity_index_words(const struct quantity_info *q, unsigned index,
			  char *ret, size_t cap);

/* The word for a value of an enumeration; NULL if it has none, or if the
 * quantity is not an enumeration.
 */
const char *quantity_word(enum quantity q, int64_t value);
/* The value of such a word, or -EINVAL. */
int quantity_word_value(enum quantity q, const char *word);

/* The whole table, in the order of quantity.def. */
const struct quantity_info *quantity_table(size_t *ret_count);
