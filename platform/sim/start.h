/* When the scenario began: see sim.h. */
#pragma once

#include "petrel/clock.h"

/* Time 0 for an instance that is opened now. */
struct mono start_find(struct mono now);

/* The start of a process in clock ticks since boot, from the text of its
 * /proc/PID/stat, when its name is name (as the kernel cuts it); -ENOENT when
 * it has another, -EBADMSG when the text is none of the kernel's.
 */
int start_parse(const char *stat, const char *name, int64_t *ret_ticks);
