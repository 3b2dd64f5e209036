/* An answer as text or as JSON. */
#pragma once

#include <stdbool.h>
#include "agent/ctl/screen.h"
#include "local.pb-c.h"

/* How the command wants it shown. */
struct render_how {
	const char *command;	/* names the schema: petrel/<command>/1 */
	bool json;
	bool has_findings;	/* the list is printed even when empty */
	bool lines;		/* changes are followed: one line each */
	/* Where the rings for sparklines are; NULL: draws none. */
	const char *sparks_of;
};

/* True if tables, findings and numbers of an answer are consistent. */
bool answer_is_sound(const Petrel__Answer *a);

/* Prints it as a JSON object on a line. Returns -EIO: cannot be written. */
int render_json(FILE *out, const struct render_how *how,
		const Petrel__Answer *a);
/* Shows a sound answer. An error goes to the screen's err (and into the JSON).
 * Returns 0 or a negative errno.
 */
int render(const struct screen *s, const struct render_how *how,
	   const Petrel__Answer *a);
