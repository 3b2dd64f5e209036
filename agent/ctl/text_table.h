/* A table of an answer as text: columns aligned, no wider than the screen if
 * possible.
 *
 * If it does not fit, gaps between columns are narrowed first, then digits
 * dropped (short forms), then texts cut and marked with '~'; the last column,
 * if it is text, is wrapped instead.
 */
#pragma once

#include "agent/ctl/screen.h"
#include "local.pb-c.h"

/* apart: prints an empty line before it. Returns false if there is nothing to
 * show.
 */
bool table_print(const struct screen *s, const Petrel__Table *t, bool apart);
