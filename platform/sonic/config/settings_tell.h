/* What a change of a followed row is to the host: an event, or what is so for
 * the switch as a whole.
 */
#pragma once

#include "platform/sonic/switchdb/namespace.h"

/* A row differs from what it was: a row_changed_fn; context: its side. */
void settings_tell_row(void *context, const struct kept_row *row,
		       const char *field, const char *from, const char *to);
/* An event that is of all of the namespace. */
void settings_tell(struct namespace *s, enum platform_event what,
		   const char *item, const char *from, const char *to);
/* What was too much to be told one by one, and what is so for the switch. */
void settings_tell_rest(struct namespace *s);
