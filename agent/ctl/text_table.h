/* A table of an answer as text: columns aligned, never wider than the screen
 * where that can be helped.
 *
 * When it does not fit, blanks between columns go first, then digits (short
 * forms), then the ends of texts, each cut marked with '~'; the last column,
 * if it is text, is broken into lines instead.
 */
#pragma once

#include "agent/ctl/screen.h"
#include "local.pb-c.h"

/* apart: an empty line goes before it. Returns false when there was nothing to
 * show.
 */
bool table_print(const struct screen *s, const Petrel__Table *t, bool apart);
