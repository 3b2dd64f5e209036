/* Commands by lines of text: which, with what behind it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "petrel/diag.h"

#define COMMAND_LINE_MAX 128

/* Does the command of a row; argument: what stood behind the words, or "". */
typedef int command_fn(void *context, size_t row, const char *argument,
		       struct diag *d);

struct command_row {
	const char *words;
	bool has_argument;
};

struct command_lines {
	const struct command_row *rows;
	size_t count;
	command_fn *fn;
	void *context;
	size_t len;
	bool too_long;		/* the rest of a line is dropped */
	char line[COMMAND_LINE_MAX];
};

struct _IO_FILE;

/* rows: borrowed; the order is that of the help. */
void command_init(struct command_lines *c, const struct command_row *rows,
		  size_t count, command_fn *fn, void *context);

/* Reads what has come from fd, does each whole line, and answers on one:
 * {"done":"…"} or {"error":"…"}. An empty line and a comment (#) are passed
 * over. Returns 0 at its end.
 */
int command_read(struct command_lines *c, int fd, struct _IO_FILE *out);
