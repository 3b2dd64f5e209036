/* The SQLite file of the roll-ups (C12), beside the database: each series'
 * values per minute and per quarter of an hour. One thread writes; others read
 * over their own connections. Spans are identified by the wall second at which
 * they end; a counter's values are rates, in thousandths per second.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/collect/follow.h"
#include "agent/collect/known.h"
#include "petrel/clock.h"
#include "petrel/diag.h"

#define ROLLUP_MINUTE_S 60
#define ROLLUP_QUARTER_S 900

struct quantity_info;
struct rollup_file;
struct statement_set;

/* The file's path: petrel-rollups.db for petrel.db. */
#define ROLLUP_PATH_MAX 4096
void rollup_path(const char *database, char ret[static ROLLUP_PATH_MAX]);

/* Returns -EIO with d: it cannot be read, is no database, another version. */
int rollup_file_open(const char *path, bool reads_only,
		     struct rollup_file **ret, struct diag *d);
/* Rolls an open transaction back. NULL is allowed. */
void rollup_file_close(struct rollup_file *f);

/* A series of a switch: the names of an entity and those above it, with / in
 * between; a number if there is no name: Ethernet8/queue 3.
 */
#define ROLLUP_ENTITY_MAX 256
struct rollup_series {
	char entity[ROLLUP_ENTITY_MAX];
	const struct quantity_info *info;
	uint16_t index;
};

/* Looks up an entity. */
typedef bool rollup_entity_fn(const void *of, uint32_t id,
			      struct known_entity *ret);
/* Its name there; false: unknown. */
bool rollup_entity(rollup_entity_fn *fn, const void *of, uint32_t id,
		   char ret[static ROLLUP_ENTITY_MAX]);

/* Its values in a span. */
struct rollup_span {
	int64_t end_s;
	int64_t mean, least, most, last;
	int64_t readings, quality;
	int64_t span_s;		/* as it is read */
};

/* Its statements, and those that rollup.c writes with: the spool's place at the
 * last commit of rows; the number of a switch by its id; the last batch of a
 * run that was written; the number of a series of a switch; a minute, merged
 * into an existing one; the quarter that ends then, from its minutes, for all
 * series of a switch, again if some came late.
 */
enum rollup_statement {
	ROLLUP_CURSOR_GET, ROLLUP_CURSOR_SET, ROLLUP_SWITCH_ADD,
	ROLLUP_SWITCH_RENAME, ROLLUP_SWITCH_GET, ROLLUP_WRITTEN_GET,
	ROLLUP_WRITTEN_SET, ROLLUP_SERIES_ADD, ROLLUP_SERIES_GET,
	ROLLUP_MINUTE_ADD, ROLLUP_QUARTER_MAKE, ROLLUP_MINUTES_REMOVE,
	ROLLUP_QUARTERS_REMOVE, ROLLUP_RUNS_REMOVE, ROLLUP_SERIES_REMOVE,
	ROLLUP_FIRST_QUARTER, ROLLUP_LAST_QUARTER, ROLLUP_FIRST_MINUTE,
	ROLLUP_SPANS_READ,
	ROLLUP_STATEMENTS,
};
/* Borrowed. */
struct statement_set *rollup_file_statements(const struct rollup_file *f);

/* How long spans are kept, and how large the file may be: above that size all
 * spans are kept for a shorter time, reduced by the same share.
 */
struct rollup_bounds {
	int64_t minutes_ns, quarters_ns;
	uint64_t octets_max;
};

/* Each minute: removes old spans, only a part of them if there are many. */
int rollup_file_tend(struct rollup_file *f, const struct rollup_bounds *b,
		     struct clock_reading now, struct diag *d);

/* --- reading -------------------------------------------------------------- */

typedef int rollup_span_fn(void *context, const struct rollup_span *s);

/* Spans of a series that end after from_s up to to_s, oldest first: minutes as
 * far back as they exist, quarters before that; of all these the last limit.
 * Returns nonzero results of fn, or -EIO with d.
 */
int rollup_file_read(struct rollup_file *f, const char *switch_id,
		     const struct rollup_series *s, int64_t from_s,
		     int64_t to_s, int64_t limit, rollup_span_fn *fn,
		     void *context, struct diag *d);
/* When its first quarter and its first minute end; 0: there is none. */
int rollup_file_reach(struct rollup_file *f, int64_t *ret_quarter_s,
		      int64_t *ret_minute_s, struct diag *d);
