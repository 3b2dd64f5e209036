/* The SQLite file of the roll-ups (C12), beside the database: what each series
 * was in each minute, and in each quarter of an hour. One thread writes; others
 * read by a connection of their own. Spans are known by the wall second that
 * they end with; of a counter values are rates, in thousandths a second.
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

/* Where the file is: petrel-rollups.db of petrel.db. */
#define ROLLUP_PATH_MAX 4096
void rollup_path(const char *database, char ret[static ROLLUP_PATH_MAX]);

/* Returns -EIO with d: no file to be read, not a database, another version. */
int rollup_file_open(const char *path, bool reads_only,
		     struct rollup_file **ret, struct diag *d);
/* An open transaction is thrown away. NULL is allowed. */
void rollup_file_close(struct rollup_file *f);

/* A series of a switch: the names of an entity and those above it, with / in
 * between; a number where there is no name: Ethernet8/queue 3.
 */
#define ROLLUP_ENTITY_MAX 256
struct rollup_series {
	char entity[ROLLUP_ENTITY_MAX];
	const struct quantity_info *info;
	uint16_t index;
};

/* What an entity is, by whoever knows it. */
typedef bool rollup_entity_fn(const void *of, uint32_t id,
			      struct known_entity *ret);
/* Its name there; false: it is not known. */
bool rollup_entity(rollup_entity_fn *fn, const void *of, uint32_t id,
		   char ret[static ROLLUP_ENTITY_MAX]);

/* What it was in a span. */
struct rollup_span {
	int64_t end_s;
	int64_t mean, least, most, last;
	int64_t readings, quality;
	int64_t span_s;		/* as it is read */
};

/* --- writing, in a transaction that is begun when there is none ----------- */

/* How far the spool was read when rows were committed last. */
int rollup_file_cursor(struct rollup_file *f, struct place *ret,
		       struct diag *d);

/* The number of a switch, by its id, made when it is new. */
int rollup_file_switch(struct rollup_file *f, const char *switch_id,
		       const char *name, int64_t *ret, struct diag *d);
/* What was known by another id is this switch. */
int rollup_file_rename(struct rollup_file *f, const char *former_id,
		       const char *switch_id, struct diag *d);

/* Up to which of its batches a run was written, 0: none; and what was. */
int rollup_file_written(struct rollup_file *f, int64_t of, uint64_t run,
			struct mono *ret, struct diag *d);
int rollup_file_written_set(struct rollup_file *f, int64_t of, uint64_t run,
			    struct mono batch, int64_t end_s, struct diag *d);

/* The number of a series of a switch, made when it is new. */
int rollup_file_series(struct rollup_file *f, int64_t of,
		       const struct rollup_series *s, int64_t *ret,
		       struct diag *d);

/* A minute of it; more of one that is there goes into that. */
int rollup_file_minute(struct rollup_file *f, int64_t of, int64_t series,
		       const struct rollup_span *s, struct diag *d);
/* Makes the quarter that ends then of its minutes, for all series of a switch;
 * once more where some came late.
 */
int rollup_file_quarter(struct rollup_file *f, int64_t of, int64_t end_s,
			struct diag *d);

/* Ends the transaction, with the cursor at a place. */
int rollup_file_commit(struct rollup_file *f, struct place at, struct diag *d);
/* Throws it away. */
void rollup_file_back(struct rollup_file *f);

/* How long spans are kept, and how large the file may be: above it less long,
 * by the same share of both.
 */
struct rollup_bounds {
	int64_t minutes_ns, quarters_ns;
	uint64_t octets_max;
};

/* Each minute: removes what is too old, some of it where there is much. */
int rollup_file_tend(struct rollup_file *f, const struct rollup_bounds *b,
		     struct clock_reading now, struct diag *d);

/* --- reading -------------------------------------------------------------- */

typedef int rollup_span_fn(void *context, const struct rollup_span *s);

/* Spans of a series that end behind from_s up to to_s, oldest first: minutes as
 * far back as there are any, before those quarters; of those the last limit.
 * Returns what fn returned but 0, or -EIO with d.
 */
int rollup_file_read(struct rollup_file *f, const char *switch_id,
		     const struct rollup_series *s, int64_t from_s,
		     int64_t to_s, int64_t limit, rollup_span_fn *fn,
		     void *context, struct diag *d);
/* When its first quarter and its first minute end; 0: there is none. */
int rollup_file_reach(struct rollup_file *f, int64_t *ret_quarter_s,
		      int64_t *ret_minute_s, struct diag *d);
