/* Subscribes to writes in CONFIG_DB and STATE_DB, so that they need not be
 * polled.
 *
 * Exact channels (__keyevent@4__:hset), no patterns: a pattern is matched
 * against every key that anybody writes, including syncd's counters. Measured
 * by tests/bench/bench_sonic_watch.py. SONiC's server publishes these events
 * even without a subscriber.
 *
 * SONiC sets no limit on a subscriber's output buffer: the connection is
 * drained at each wake-up, and closed with its process. An event only names a
 * key; the row itself is read by following_read.c. A flush makes no event, and
 * a server may have events off: rows are read at intervals as well.
 */
#pragma once

#include "platform/sonic/config/following.h"

/* w must stay where it is; channel_fini() ends its connection. */
void watch_init(struct key_watch *w, struct following_side *side, int epoll_fd);
/* Connects to the database's present address and subscribes, when due. All rows
 * are due then: events before that may have been missed.
 */
void watch_keep(struct key_watch *w, struct mono now);
