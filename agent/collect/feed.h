/* The thread that reads the spool behind the sync and feeds what lies there to
 * the SQLite sink and to the newest values. A database that cannot be written
 * is told once and tried again; the spool waits for it.
 */
#pragma once

#include <stdint.h>
#include "agent/collect/follow.h"
#include "agent/collect/known.h"
#include "agent/collect/sink.h"

struct feed;

struct feed_env {
	int dir_fd;		/* the spool's, the caller's */
	struct sink *sink;	/* the feed's while it runs; caller frees */
	struct known *known;	/* the same */
	struct place sink_from;	/* its cursor */
	struct place known_from;
};

struct feed_count {
	struct sink_count sink;
	struct known_count known;
	struct place place;	/* committed */
};

/* Starts the thread; it reads nothing before feed_allow(). */
int feed_new(const struct feed_env *env, struct feed **ret);
/* Commits what it has and ends. */
void feed_free(struct feed *f);

/* All before this place is synced and may be read. */
void feed_allow(struct feed *f, struct place end);

/* The segment that must not be removed: all before it are done with. */
uint64_t feed_segment(struct feed *f);

/* Written between transactions: may lag. */
void feed_count(struct feed *f, struct feed_count *ret);
