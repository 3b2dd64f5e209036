/* Groups of syncd's flex counter: the interval of each, what the switch's own
 * settings hide, and the command that would change it. Petrel only reports it:
 * it changes nothing by itself.
 */
#pragma once

#include "platform/sonic/poll/reading.h"

/* In FLEX_COUNTER_DB and COUNTERS:TIME_STAMP. */
const char *flex_group_name(enum flex_group group);
/* SONiC's default, if the switch has no setting. */
int64_t flex_group_interval_ns(enum flex_group group);

/* Notes what the switch's settings hide of this source, if no fault is noted.
 */
void flex_note(struct poll *p);

/* Sends the guard, before all counters in the same pipeline: syncd's time
 * stamps, the map of ports again, and the sizes of the other maps. If the map
 * has other ids than ours, the counters after it would be of other ports: they
 * are dropped, and the maps read again. The same if another map has more or
 * fewer names than were read: it may appear minutes after the ports. False: the
 * database cannot be asked.
 */
bool guard_ask(struct poll *p);
