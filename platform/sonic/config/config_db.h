/* Petrel's own rows of CONFIG_DB: PETREL|<section, in lower case>, a field for
 * each key.
 *
 * Asked again and again, as there are few and HGETALL of a row costs nothing;
 * never waits. While CONFIG_DB is loaded or reloaded (CONFIG_DB_INITIALIZED is
 * not 1), or nobody answers, what was read before stands.
 */
#pragma once

#include <stdbool.h>
#include "petrel/clock.h"

#define CONFIG_DB_PERIOD_NS (2 * NS_PER_S)

struct config_db;

struct config_db_env {
	int root_fd;			/* the switch's "/"; borrowed */
	const char *socket;		/* the operator's, or NULL */
	const char *const *sections;	/* up to the NULL; borrowed */
	void *context;
	/* One field of a row. What a list has (field@) comes under its name. */
	void (*field)(void *context, const char *section, const char *key,
		      const char *value);
	/* All fields came: take them. */
	void (*done)(void *context);
	/* They did not: forget them. reason, for people: a row is no row, or
	 * NULL: nobody answers, or CONFIG_DB is being loaded.
	 */
	void (*failed)(void *context, const char *reason);
};

/* env is copied. Returns -ENOMEM or another negative errno. */
int config_db_open(const struct config_db_env *env, struct config_db **ret);
/* NULL is allowed. */
void config_db_close(struct config_db *c);

/* Readable when config_db_event() is wanted; -1 where c is NULL. */
int config_db_fd(const struct config_db *c);
/* Takes what came, asks when it is time to. Call also once a second. */
void config_db_event(struct config_db *c, struct mono now);
/* True while rows were asked for and did not come yet. */
bool config_db_is_waiting(const struct config_db *c);
