/* petrel dump: prints a file of records, one record per line: a ring of the
 * agent, a segment of its spool, a segment of the collector's, or records one
 * after another. Damaged parts are reported and skipped.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "agent/collect/entry.h"

struct invocation;

/* Prints, and returns an exit code. */
int dump_run(const struct invocation *inv);

/* Called in the order of the file; all arguments are borrowed. */
struct record_file_reader {
	void *context;
	/* What follows is of this switch ("": unknown) and run (0: unknown). */
	void (*from)(void *context, const struct entry *e);
	void (*record)(void *context, const struct record_header *h,
		       const uint8_t *payload);
	/* The octets from at to before end cannot be read, or (from the end of
	 * the file on) are not there.
	 */
	void (*damaged)(void *context, size_t at, size_t end, const char *why);
};

/* Returns how many records there are. */
size_t record_file_walk(const uint8_t *octets, size_t n,
			const struct record_file_reader *reader);
