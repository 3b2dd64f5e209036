/* Groups of syncd's flex counter: how often each is read, what the switch's own
 * settings make impossible to see, and the command that would change it. Petrel
 * only says it: it changes nothing by itself.
 */
#pragma once

#include "platform/sonic/poll/reading.h"

/* In FLEX_COUNTER_DB and COUNTERS:TIME_STAMP. */
const char *flex_group_name(enum flex_group group);
/* SONiC's default, where nothing is told. */
int64_t flex_group_interval_ns(enum flex_group group);

/* Notes what the switch's settings hide of this source, where nothing worse is
 * noted.
 */
void flex_note(struct poll *p);

/* Asks for what goes before all counters in the same pipeline: syncd's time
 * stamps, the map of ports again, and how many names the other maps have. When
 * that names other ids than we know, the counters behind it would be another
 * port's: they are dropped, and the maps read anew. So they are when one of the
 * others has more names, or fewer, than were read: it may appear minutes after
 * the ports do. False: the database cannot be asked.
 */
bool guard_ask(struct poll *p);
