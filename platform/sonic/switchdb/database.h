/* The addresses of databases: SONiC's database_config.json.
 *
 * A name (COUNTERS_DB) is an id on an instance, which has a unix socket; a
 * switch may run several instances, so we assume none. The file
 * appears after boot: without it there is one instance with the usual ids.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "petrel/diag.h"

#define DATABASE_CONFIG_PATH "/var/run/redis/sonic-db/database_config.json"
#define DATABASE_SOCKET_DEFAULT "/var/run/redis/redis.sock"
#define DATABASE_PATH_MAX 192
#define NAMESPACE_NAME_MAX 32

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
	bool known;		/* false: the switch has no such database */
	unsigned id;		/* for SELECT */
	char separator;		/* between table and key */
	char socket[DATABASE_PATH_MAX];	/* below the root */
	char password[DATABASE_PATH_MAX];	/* a file; empty: none needed */
};

struct databases {
	struct database of[DATABASE_COUNT];
};

/* True if place and form are the same. */
bool database_is_same(const struct database *a, const struct database *b);

/* Such as COUNTERS_DB. */
const char *database_word(enum database_name name);

/* One instance at socket, with the usual ids and separators; no chassis. */
void databases_default(const char *socket, struct databases *ret);

/* Reads the file's text. A database that it does not name is unknown, and so is
 * that of the chassis if it has no socket here; a malformed entry is a fault.
 * Returns -EINVAL with d.
 */
int databases_parse(const char *json, size_t len, struct databases *ret,
		    struct diag *d);

/* Reads the file below root_fd. Returns -ENOENT if there is none, or as
 * databases_parse().
 */
int databases_read(int root_fd, const char *path, struct databases *ret,
		   struct diag *d);

/* Puts every database on one socket, as set by the operator. */
void databases_override(struct databases *d, const char *socket);

/* The namespaces of a switch with several ASICs: SONiC's database_global.json,
 * which names a database_config.json for each. A switch of one ASIC has no such
 * file.
 */

#define DATABASE_GLOBAL_PATH "/var/run/redis/sonic-db/database_global.json"
#define DATABASE_GLOBAL_MAX 16

struct database_global {
	struct global_namespace {
		char name[NAMESPACE_NAME_MAX];	/* asic0 */
		char config[DATABASE_PATH_MAX];	/* below the root */
	} of[DATABASE_GLOBAL_MAX];
	size_t count;			/* without the host's own */
};

/* Reads the file's text. Includes are relative to the folder of path. An entry
 * with a container instead of a namespace (a DPU) is another switch. Returns
 * -EINVAL with d.
 */
int database_global_parse(const char *json, size_t len, const char *path,
		     struct database_global *ret, struct diag *d);

/* Reads the file below root_fd. Returns -ENOENT if there is none, or as
 * database_global_parse().
 */
int database_global_read(int root_fd, struct database_global *ret,
			 struct diag *d);

/* The few JSON files of SONiC: read as a whole, accessed by name. */

struct json_object;

#define DOCUMENT_OCTETS_MAX (256u << 10)

/* The caller releases *ret with json_object_put(). Returns -EINVAL with d. */
int document_parse(const char *json, size_t len, struct json_object **ret,
		   struct diag *d);

/* The text that an object has under a name; "" if there is none. of may be
 * NULL.
 */
const char *document_text(struct json_object *of, const char *name);
