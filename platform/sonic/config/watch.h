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
 * a hint at a key; the row itself is read by settings.c. A flush makes no
 * event, and a server may have them off: rows are read at intervals as well.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "platform/sonic/redis/channel.h"

struct watch;

/* A key was written or deleted; event: hset, del, … */
typedef void watch_key_fn(struct watch *w, const char *event, const char *key,
			  size_t len);

struct watch {
	struct channel channel;
	watch_key_fn *key;
	void *owner;			/* of key() */
	struct query ask, subscribe;
	char commands[512];
	char event[24];			/* of the message being read */
	uint64_t connects;		/* that was set up */
	bool live;			/* subscribed, and events are on */
	bool refused;			/* the server makes no such events */
	char setting[24];		/* notify-keyspace-events */
};

/* w must stay where it is. */
void watch_init(struct watch *w, const char *word, int root_fd, int epoll_fd,
		watch_key_fn *key, void *owner);
/* Ends the connection. */
void watch_fini(struct watch *w);
/* Connects and subscribes when it is time to. */
void watch_keep(struct watch *w, struct mono now);
