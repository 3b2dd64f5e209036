/* The thread of one sink: reads the synced part of the spool and gives it to
 * the sink. A failure of the sink is logged once and retried at growing
 * intervals; the spool waits for the sink, until it is given up.
 */
#pragma once

#include <stdint.h>
#include "agent/collect/sink.h"

struct feed;

struct feed_env {
	const struct sink_driver *driver;
	void *sink;		/* the feed's while it runs; caller closes */
	int dir_fd;		/* the spool's, the caller's */
	struct place end;	/* of the spool */
	int64_t retry_ns;	/* after a failure; doubled with each */
	int64_t give_up_ns;	/* 0: never */
};

/* Starts the thread; it reads nothing until feed_allow(). */
int feed_new(const struct feed_env *env, struct feed **ret);
/* Commits what it has, once, and ends. NULL is allowed. */
void feed_free(struct feed *f);

/* All before this place is synced and may be read. */
void feed_allow(struct feed *f, struct place end);

/* The oldest segment that must not be removed. UINT64_MAX: it needs none. */
uint64_t feed_segment(struct feed *f);

/* Updated between commits: may lag. */
void feed_figures(struct feed *f, struct sink_figures *ret);
