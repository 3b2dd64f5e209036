/* Which namespaces a switch of several ASICs has: SONiC's
 * database_global.json, which names a database_config.json for each. A switch
 * of one ASIC has no such file.
 */
#pragma once

#include <stddef.h>
#include "petrel/diag.h"
#include "platform/sonic/switchdb/database.h"
#include "platform/sonic/switchdb/namespace.h"

#define DATABASE_GLOBAL_PATH "/var/run/redis/sonic-db/database_global.json"
#define DATABASE_GLOBAL_MAX 16

struct database_global {
	struct global_namespace {
		char name[NAMESPACE_NAME_MAX];	/* asic0 */
		char config[DATABASE_PATH_MAX];	/* below the root */
	} of[DATABASE_GLOBAL_MAX];
	size_t count;			/* without the host's own */
};

/* Reads the file's text. Includes are relative to the folder of path. What
 * names a container instead of a namespace (a DPU) is another switch's.
 * Returns -EINVAL with d.
 */
int database_global_parse(const char *json, size_t len, const char *path,
		     struct database_global *ret, struct diag *d);

/* Reads the file below root_fd. Returns -ENOENT where there is none, or as
 * database_global_parse().
 */
int database_global_read(int root_fd, struct database_global *ret,
			 struct diag *d);
