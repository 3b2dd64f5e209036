/* Says whether a text is as C19 wants it; shares nothing with what makes it so.
 */
#pragma once

#include <stdbool.h>

/* Valid UTF-8 without control and bidirectional characters. */
bool text_is_clean(const char *text);
