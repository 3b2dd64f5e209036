/* What goes before all counters in the same pipeline: syncd's time stamps, and
 * the map of ports again. When that names other ids than we know, the counters
 * behind it would be another port's: they are dropped, and the maps read anew.
 * So they are when one of the others has more names, or fewer, than were read:
 * it may appear minutes after the ports do.
 */
#pragma once

#include "platform/sonic/poll/reading.h"

/* Asks for time stamps and ids, and how many names the maps have, before a poll
 * of counters. False: the database cannot be asked.
 */
bool guard_ask(struct poll *p);
