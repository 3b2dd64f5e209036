/* Which database lies where: SONiC's database_config.json.
 *
 * A name (COUNTERS_DB) is an id on an instance, which has a unix socket; a
 * switch may run several instances, so none is taken for granted. The file
 * appears after boot: without it there is one instance with the usual ids.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"

#define DATABASE_CONFIG_PATH "/var/run/redis/sonic-db/database_config.json"
#define DATABASE_SOCKET_DEFAULT "/var/run/redis/redis.sock"
#define DATABASE_PATH_MAX 192

enum database_name {
	DATABASE_APPL,
	DATABASE_COUNTERS,
	DATABASE_CONFIG,
	DATABASE_FLEX_COUNTER,
	DATABASE_STATE,
	DATABASE_GB_COUNTERS,	/* of gearboxes */
	DATABASE_CHASSIS_STATE,	/* of all cards; its server is elsewhere */
	DATABASE_COUNT,
};

struct database {
	bool known;		/* false: this switch has none of that name */
	unsigned id;		/* for SELECT */
	char separator;		/* between table and key */
	char socket[DATABASE_PATH_MAX];	/* below the root */
	char password[DATABASE_PATH_MAX];	/* a file; empty: none needed */
};

struct databases {
	struct database of[DATABASE_COUNT];
};

/* The same place and form. */
bool database_is_same(const struct database *a, const struct database *b);

/* COUNTERS_DB and the like. */
const char *database_word(enum database_name name);

/* One instance at socket, the usual ids and separators; no chassis. */
void databases_default(const char *socket, struct databases *ret);

/* Reads the file's text. A database that it does not name is not known, nor
 * is the chassis' where it has no socket here; one that it names wrongly is a
 * fault.
 * Returns -EINVAL with d.
 */
int databases_parse(const char *json, size_t len, struct databases *ret,
		    struct diag *d);

/* Reads the file below root_fd. Returns -ENOENT where there is none, or as
 * databases_parse().
 */
int databases_read(int root_fd, const char *path, struct databases *ret,
		   struct diag *d);

/* Puts every database on one socket: the operator's word. */
void databases_override(struct databases *d, const char *socket);
