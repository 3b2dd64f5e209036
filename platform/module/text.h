/* What a module says of itself as text: names, codes as words, and what
 * follows from several registers.
 */
#pragma once

#include "platform/module/tables.h"

/* Hands over a text of the table, when there is one. */
void text_decode(const struct text_field *t, const struct view *v,
		 const struct module_sink *sink);
