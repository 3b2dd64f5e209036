/* Runs a program and takes what it prints, within a time. No shell. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"

struct program_output {
	bool to_file;		/* into_fd gets it, and text nothing */
	int into_fd;
	size_t octets_max;	/* of text; what comes behind is dropped */
	char *text;		/* the caller frees it */
	size_t len;
	bool cut;
	int status;		/* its exit status; 128 and more: a signal */
};

/* argv ends with NULL and is looked for on the PATH; its errors go into the
 * text, too. Returns -ENOENT (no such program), -ETIMEDOUT (it was killed),
 * with d.
 */
int program_run(const char *const argv[], int64_t timeout_ns,
		struct program_output *out, struct diag *d);
