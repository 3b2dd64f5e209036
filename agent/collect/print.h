/* petrel-collector --print: the records of a spool as NDJSON, one object a
 * record. Reads the folder alone, so it works with the collector running, down
 * or on another machine.
 */
#pragma once

#include <stdbool.h>
#include "petrel/diag.h"

struct _IO_FILE;

struct print_options {
	bool follow;		/* at the end, wait for more until a signal */
	unsigned streams;	/* 1 << enum stream, each that is printed */
};

/* Returns 0, -ENOENT with d (no such folder), -EIO (out cannot be written). */
int print_run(const char *spool, const struct print_options *o,
	      struct _IO_FILE *out, struct diag *d);
