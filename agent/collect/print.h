/* petrel-collector --print: the records of a spool as NDJSON, one object a
 * record. Reads the folder alone, so it works with the collector running, down
 * or on another machine.
 */
#pragma once

#include <stdbool.h>
#include "petrel/diag.h"

struct _IO_FILE;

/* follow: at the end, waits for more, until a signal ends the program.
 * Returns 0, -ENOENT with d (no such folder), -EIO (out cannot be written).
 */
int print_run(const char *spool, bool follow, struct _IO_FILE *out,
	      struct diag *d);
