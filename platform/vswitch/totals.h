/* What was played, for a test or a person to compare with what was seen: the
 * counters of each port and queue as the databases show them.
 */
#pragma once

struct box;
struct diag;
struct _IO_FILE;

/* How often what happened. */
struct totals {
	unsigned long long plays;	/* of the counters */
	unsigned connects, renumbered, flushed, reloads;
};

/* One JSON object on one line. Returns 0 or -EIO. */
int totals_write(struct _IO_FILE *out, const struct box *b,
		 const struct totals *t);
/* The same into a file; path NULL: nowhere. */
int totals_save(const char *path, const struct box *b, const struct totals *t,
		struct diag *d);
/* Tells the log what it cost: for whoever plays many ports. */
void totals_cost(const struct box *b, const struct totals *t);
