/* Records of a spool as JSON objects, one per record: the output of
 * petrel-collector --print and of the NDJSON sink. It needs only the folder, so
 * it works with the collector running, down or on another machine.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/collect/known.h"

struct _IO_FILE;
struct json_object;

/* Which records, and which values of a batch. All 0: findings and events. */
struct print_filter {
	unsigned streams;	/* 1 << enum stream, each that is wanted */
	unsigned kinds;		/* 1 << enum record_kind, likewise */
	const char *switch_name;	/* or its id; NULL or "": any */
	const char *port;	/* includes what is below it */
	const char *quantity;	/* of batches; selects these, too */
	int64_t since_wall_ns;	/* 0: from the start */
	bool is_live;		/* records come as they are made */
};

struct print_options {
	bool follow;		/* at the end, wait for more until a signal */
	struct print_filter filter;
};

/* The filter's kinds for "all" or the name of a kind; 0: unknown. */
unsigned print_kinds(const char *name);

/* The object stays the caller's. Returns a negative errno to stop. */
typedef int print_fn(void *context, struct json_object *o);

/* Passes on each wanted record of an entry. Returns what fn did, -ENOMEM. */
int print_entry(struct known *k, const struct entry *e,
		const struct print_filter *filter, print_fn *fn,
		void *context);

/* Returns 0, -ENOENT with d (no such folder), -EIO (out cannot be written). */
int print_run(const char *spool, const struct print_options *o,
	      struct _IO_FILE *out, struct diag *d);
