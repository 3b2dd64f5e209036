/* A finding for people: a block that says what, where, since when, why, and
 * what to do; or one line of it, where changes go by.
 */
#pragma once

#include <stdint.h>
#include "agent/ctl/screen.h"
#include "petrel/finding.h"

/* of: the switch that it is of, shown before the subject; "": not shown.
 * now_wall_ns: to tell how long ago.
 */
void finding_print(const struct screen *s, const struct finding *f,
		   const char *of, int64_t now_wall_ns);
/* One line: when it changed, its id, how, how bad, where, why, what to do. */
void finding_print_line(const struct screen *s, const struct finding *f);

/* "uncorrectable in about 3 h (1 h to 9 h)"; "" when not foreseeable. */
void cliff_text(const struct cliff *c, char *ret, size_t cap);
