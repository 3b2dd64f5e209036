/* What the engine learned, as octets: a core that starts later goes on as if
 * there had been no restart. Baselines, the state of each detector, counts of
 * flaps, and the parts of each finding that the ring lacks; the open findings
 * themselves come back by engine_restore().
 *
 * The engine keeps no file: its user writes the octets and reads them back.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>
#include "agent/signature/recalled.h"
#include "petrel/clock.h"

struct engine;

/* An upper bound of what memory_write() needs now. */
size_t memory_size(const struct engine *e);

/* Writes what is worth keeping, versioned, with a CRC at its end; allocates
 * nothing.
 *
 * now, wall: the moment
 * Returns the octets written, or -ENOSPC.
 */
ssize_t memory_write(const struct engine *e, struct mono now, struct wall wall,
		     void *to, size_t size);

/* Are these octets complete, and of a version that this build reads?
 *
 * ret_wall: when they were written; ret_why: static words, when they are not
 * Returns -EBADMSG, -EPROTONOSUPPORT.
 */
int memory_check(const void *from, size_t len, struct wall *ret_wall,
		 const char **ret_why);

/* Keeps a copy, to be taken up as ports, groups and sensors become known: call
 * it before the first engine_port() and engine_sensor(), and engine_restore()
 * after them. A port goes on once its FEC and speed are known (if they differ,
 * its errors are learned anew). Its module is assumed to be the same until a
 * reading shows another serial, as at any time.
 *
 * now, wall: the moment. Wall time bridges the gap, unless the monotonic clock
 * went on meanwhile; where that restarted, so did the switch.
 * Returns as memory_check(), and -ENOMEM.
 */
int engine_recall(struct engine *e, const void *from, size_t len,
		  struct mono now, struct wall wall, const char **ret_why);

/* What became of the ports' memory, since engine_recall(). All 0 where nothing
 * was recalled.
 */
void engine_recalled(const struct engine *e, struct recalled *ret);
