/* Commands as lines of text: a command and its argument. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "petrel/diag.h"

#define COMMAND_LINE_MAX 128

/* Executes the command of a row; argument: the text after its words, or "". */
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

/* rows: borrowed; in the order of the help. */
void command_init(struct command_lines *c, const struct command_row *rows,
		  size_t count, command_fn *fn, void *context);

/* Reads from fd, executes each complete line, and answers with one:
 * {"done":"…"} or {"error":"…"}. Skips empty lines and comments (#). Returns 0
 * at the end of the input.
 */
int command_read(struct command_lines *c, int fd, struct _IO_FILE *out);
