/* C12: the interface of a sink of the spool's entries. sinks.c has the table of
 * all kinds.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/collect/follow.h"
#include "agent/config/config.h"
#include "petrel/diag.h"

struct database;
struct known;
struct standing;

/* Since the start, where the kind of sink counts it. */
struct sink_count {
	uint64_t applied;	/* records, samples, alerts accepted */
	uint64_t repeats;
	uint64_t unreadable;	/* payloads that could not be decoded */
	uint64_t misnumbered;	/* their number differs from their sequence */
	uint64_t refused;	/* by the engine, for good: set aside */
	uint64_t held_back;	/* above a configured limit */
	uint64_t replays;	/* the engine lost it, and got it again */
};

/* What sinks need; the caller keeps it for as long as they exist. */
struct sink_env {
	const struct collector_config *config;
	struct database *database;
	struct standing *standing;	/* NULL: not to be kept */
	struct known *known;		/* the newest values */
	struct place database_from, known_from;
	struct place end;		/* of the spool */
	int spool_fd;			/* its folder: bookmarks lie there */
};

/* One kind. All but check, open and close run in the feed's thread. */
struct sink_driver {
	const char *name;		/* in the log and in metrics */
	/* Commits each second even without entries: it repeats something. */
	bool ticks;
	/* Never holds up the spool. */
	bool is_volatile;
	/* What would keep it from starting; NULL: no check. */
	int (*check)(const struct collector_config *config, struct diag *d);
	/* *ret NULL: it is not configured. */
	int (*open)(const struct sink_env *env, void **ret, struct diag *d);
	void (*close)(void *sink);
	/* Where reading begins, and resumes after a failure, which discards
	 * what was not committed.
	 */
	struct place (*begin)(void *sink);
	/* Takes an entry, which begins at a place. Returns a negative errno
	 * with d: begin again; 1: commit before the next.
	 */
	int (*entry)(void *sink, const struct entry *e, struct place at,
		     struct diag *d);
	/* All before a place was given: makes it permanent. *ret_kept: the
	 * first place that will ever be read again. Returns -EAGAIN with d:
	 * call again later, and give nothing until then; -ESTALE: begin again,
	 * for the engine has lost something; another errno with d: begin again.
	 */
	int (*commit)(void *sink, struct place at, struct place *ret_kept,
		      struct diag *d);
	/* NULL: the sink begins with its struct sink_count. */
	void (*count)(const void *sink, struct sink_count *ret);
};

/* All kinds, each in the file of its name. */
extern const struct sink_driver database_driver, rollup_driver, known_driver,
	remote_write_driver, alertmanager_driver, webhook_driver,
	ndjson_driver;

/* The status of a sink. */
struct sink_figures {
	const char *name;
	struct sink_count count;
	bool is_down, is_given_up;
	int64_t lag_ns;		/* age of the oldest waiting entry */
	uint64_t retries, passed_over;	/* passed_over: segments never read */
};
