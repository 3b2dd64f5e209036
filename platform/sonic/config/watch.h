/* Told by Redis of what is written in CONFIG_DB and STATE_DB, so that it need
 * not be asked again and again.
 *
 * Exact channels (__keyevent@4__:hset), no patterns: a pattern is matched
 * against every key that anybody writes, syncd's counters included. Measured
 * by tests/bench/bench_sonic_watch.py; see there. SONiC's server publishes
 * these events whether anybody listens or not.
 *
 * SONiC sets no bound for what waits for a subscriber: the connection is
 * drained at each wake-up, and closed with its process. What comes is only
 * a hint at a key; the row itself is read by following_read.c. A flush makes no
 * event, and a server may have them off: rows are read at intervals as well.
 */
#pragma once

#include "platform/sonic/config/following.h"

/* w must stay where it is. */
void watch_init(struct key_watch *w, struct following_side *side, int epoll_fd);
/* Ends the connection. */
void watch_fini(struct key_watch *w);
/* Connects to where the database is now and subscribes, when it is time to. All
 * rows are due then: what was not heard meanwhile may have been missed.
 */
void watch_keep(struct key_watch *w, struct mono now);
