/* A file of JSON lines of bounded size: a full one is renamed to NAME.1, in
 * place of the previous one, and a new one begins.
 */
#pragma once

#include <stdint.h>
#include "petrel/diag.h"

struct json_object;
struct line_file;

/* path "-": standard output, without a size limit. octets_max 0: no limit.
 * Nothing is opened before the first line.
 */
int line_file_new(const char *path, uint64_t octets_max, struct line_file **ret,
		  struct diag *d);
/* Closes it. NULL is allowed. */
void line_file_free(struct line_file *f);

/* Appends an object, which stays the caller's. Returns a negative errno with d:
 * nothing of it is in the file then.
 */
int line_file_put(struct line_file *f, struct json_object *o, struct diag *d);
