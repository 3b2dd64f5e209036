/* The part of the configuration in CONFIG_DB (C14): read within a time limit
 * before the start, then followed.
 */
#pragma once

#include <stdbool.h>
#include "agent/config/config.h"
#include "petrel/clock.h"

#define SETTINGS_START_NS (500 * NS_PER_MS)	/* the start waits no longer */

struct settings;

/* files: the configuration without CONFIG_DB, which says whether this may be a
 * SONiC switch, and where its Redis is. If it cannot be one, *ret is NULL.
 * Returns -ENOMEM or another negative errno.
 */
int settings_open(int root_fd, const struct config *files,
		  struct settings **ret);
/* NULL is allowed. */
void settings_close(struct settings *s);

/* Waits until the rows were read, or it is certain that they cannot be. */
void settings_wait(struct settings *s);

/* To poll; -1 where s is NULL. */
int settings_fd(const struct settings *s);
/* Returns true when the rows have changed since the last call, or became valid
 * or invalid.
 */
bool settings_tend(struct settings *s, struct mono now);

/* The configuration of files and CONFIG_DB together; only of the files if s is
 * NULL, or CONFIG_DB was never read. Returns -EINVAL and the like with d, of
 * either; *ret is untouched then.
 */
int settings_config(const struct settings *s, const struct config_keys *k,
		    const char *path, bool optional, struct config *ret,
		    struct diag *d);
