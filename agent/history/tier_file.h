/* The files of the coarser tiers of the history, in one folder: plain records
 * (petrel-record(5)), one after another. Each file begins with run, clock and
 * dictionary, so that it can be read by itself; then come batches, a row of the
 * tier each.
 *
 * In a batch the source tells the kind of value: the mean of the readings of
 * the span that ends when they were taken (for a counter, of its rate), how far
 * the least was below the mean, or how far the highest was above it. Rates are
 * in thousandths a second. One process writes to a folder; any may read it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "agent/spool/disk.h"
#include "petrel/clock.h"
#include "petrel/wire.h"

#define TIER_FOLDER "history"		/* of the state folder */
#define TIER_FILE_OCTETS_MAX (6u << 20)

enum tier { TIER_MINUTE, TIER_QUARTER, TIER_COUNT };

enum tier_source { TIER_MEAN, TIER_BELOW, TIER_ABOVE, TIER_SOURCES };

struct tier_form {
	const char *name;	/* of its files, followed by the begin second */
	int64_t span_ns;	/* of a row */
	int64_t file_ns;	/* of a file */
	int64_t kept_ns;
	/* Share of what all tiers may hold, and write in a day, in twelfths. */
	unsigned held_twelfths, day_twelfths;
};

extern const struct tier_form tier_forms[TIER_COUNT];

/* When the files of a tier begin, wall seconds, oldest first; *ret is the
 * caller's to free. Returns how many, or a negative errno.
 */
int tier_list(const struct disk *d, int dir_fd, enum tier tier,
	      uint64_t **ret);

/* What the tiers of a folder may hold together, and what they write. */
struct tier_budget {
	uint64_t held_octets, day_octets;	/* at most */
	int64_t day;		/* the present UTC day, since 1970 */
	uint64_t written;	/* octets in that day */
};

#define TIER_NAME_MAX 40
/* The name of one. */
void tier_file_name(enum tier tier, uint64_t began_s,
		    char ret[static TIER_NAME_MAX]);

/* --- writing ------------------------------------------------------------- */

struct tier_writer {
	const struct disk *disk;
	int dir_fd;			/* borrowed */
	enum tier tier;
	mode_t mode;
	struct tier_budget *budget;	/* borrowed */
	bool is_short;			/* files were removed too early */
	int fd;				/* below 0: none is open */
	uint64_t began_s, octets;
	uint64_t next[STREAM_COUNT];	/* sequences, of the file */
};

/* How many octets are held, and how many in files from a second on. */
struct tier_held {
	uint64_t octets, since_octets;
	uint64_t began_s;	/* of the oldest file; 0: there is none */
};
/* Returns a negative errno. */
int tier_writer_held(const struct tier_writer *w, uint64_t since_s,
		     struct tier_held *ret);

/* Begins the next file, and removes files that are too old, or the oldest if
 * there is no room. Returns -EDQUOT: the limit for the day is reached; or
 * -errno.
 */
int tier_writer_begin(struct tier_writer *w, struct wall now);
/* The file is full, old, or not there. */
bool tier_writer_is_due(const struct tier_writer *w, struct wall now);
/* Appends a record. Returns a negative errno: then the file is closed. */
int tier_writer_put(struct tier_writer *w, enum stream stream,
		    enum record_kind kind, uint16_t flags,
		    const void *payload, size_t len);
/* Syncs nothing. */
void tier_writer_close(struct tier_writer *w);

/* --- reading ------------------------------------------------------------- */

#define TIER_WALK_ROOM (256u << 10)	/* stays in a processor's cache */

/* A walk over the records of a file. */
struct tier_walk {
	const uint8_t *octets;
	size_t len, at;
	size_t damaged;		/* octets that are no record */
	int fd;			/* to read more from; below 0: no more */
	uint8_t *room;		/* octets, when read from a file */
	int err;		/* negative errno of the reading; else 0 */
};

/* Over octets in memory, borrowed. */
struct tier_walk tier_walk_of(const uint8_t *octets, size_t len);
/* Over a file from its begin, read piece by piece into room of TIER_WALK_ROOM
 * octets. fd and room are borrowed.
 */
struct tier_walk tier_walk_file(int fd, uint8_t *room);
/* The next sound record, wherever it is; *ret_payload is borrowed until the
 * next call. False: there is none.
 */
bool tier_walk_next(struct tier_walk *w, struct record_header *ret,
		    const uint8_t **ret_payload);
