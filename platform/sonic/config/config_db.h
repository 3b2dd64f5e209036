/* Petrel's own rows of CONFIG_DB: PETREL|<section, in lower case>, a field for
 * each key.
 *
 * Polled, as there are few rows and HGETALL of a row is cheap; never waits.
 * While CONFIG_DB is loaded or reloaded (CONFIG_DB_INITIALIZED is not 1), or
 * does not answer, the rows read before stay in force.
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
	/* One field of a row. A list field (field@) comes under its name. */
	void (*field)(void *context, const char *section, const char *key,
		      const char *value);
	/* All fields have arrived: take them. */
	void (*done)(void *context);
	/* They have not: forget them. reason, for people: the row is malformed;
	 * NULL: no answer, or CONFIG_DB is being loaded.
	 */
	void (*failed)(void *context, const char *reason);
};

/* env is copied. Returns -ENOMEM or another negative errno. */
int config_db_open(const struct config_db_env *env, struct config_db **ret);
/* NULL is allowed. */
void config_db_close(struct config_db *c);

/* Readable if config_db_event() has work; -1 if c is NULL. */
int config_db_fd(const struct config_db *c);
/* Takes replies, and asks when due. Call it once a second as well. */
void config_db_event(struct config_db *c, struct mono now);
/* True while rows are requested and have not arrived. */
bool config_db_is_waiting(const struct config_db *c);
