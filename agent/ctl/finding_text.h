/* A finding for people: a block that says what, where, since when, why, and
 * what to do; or one line, for a list of changes.
 */
#pragma once

#include <stdint.h>
#include "agent/ctl/screen.h"
#include "petrel/finding.h"

#define FINDING_WHERE_MAX (2 * ENTITY_NAME_MAX + 40)

/* Where the finding is: "Ethernet200 lanes 1,3". */
void finding_where(const struct finding *f, char *ret, size_t cap);
/* Takes one line of a finding; label "": continues the line before. */
typedef void finding_line_fn(void *context, const char *label,
			     const char *text);
/* Gives all lines: since when, why, what to do, evidence. now_wall_ns: to say
 * how long ago.
 */
void finding_lines(const struct finding *f, int64_t now_wall_ns,
		   finding_line_fn *fn, void *context);

/* of: the switch of the finding, shown before the subject; "": not shown. */
void finding_print(const struct screen *s, const struct finding *f,
		   const char *of, int64_t now_wall_ns);
/* One line: when it changed, its id, how, how bad, where, why, what to do. */
void finding_print_line(const struct screen *s, const struct finding *f);

/* "uncorrectable in about 3 h (1 h to 9 h)", or "now"; "": not foreseeable. */
void cliff_text(const struct cliff *c, char *ret, size_t cap);
