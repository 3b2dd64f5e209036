/* petrel dump: what a file of records holds, a line a record: a ring of the
 * agent, a segment of its spool, a segment of the collector's, or records one
 * after another. What is damaged is told, and passed over.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "agent/collect/entry.h"

struct invocation;

/* Prints, and returns an exit code. */
int dump_run(const struct invocation *inv);

/* Called in the order of the file; all is borrowed for the call. */
struct record_file_reader {
	void *context;
	/* What follows is of this switch ("": unsaid) and run (0: unsaid). */
	void (*from)(void *context, const struct entry *e);
	void (*record)(void *context, const struct record_header *h,
		       const uint8_t *payload);
	/* From octet at to before end there is what cannot be read. */
	void (*damaged)(void *context, size_t at, size_t end, const char *why);
};

/* Returns how many records there are. */
size_t record_file_walk(const uint8_t *octets, size_t n,
			const struct record_file_reader *reader);
