/* The few JSON files that SONiC keeps: read whole, looked into by name. */
#pragma once

#include <json-c/json.h>
#include <stddef.h>
#include "petrel/diag.h"

#define DOCUMENT_OCTETS_MAX (256u << 10)

/* The caller releases *ret with json_object_put(). Returns -EINVAL with d. */
int document_parse(const char *json, size_t len, struct json_object **ret,
		   struct diag *d);

/* What an object has under a name, when it is of that type; else NULL. of may
 * be NULL.
 */
struct json_object *document_member(struct json_object *of, const char *name,
				    enum json_type type);

/* The same of a text; "" where there is none. */
const char *document_text(struct json_object *of, const char *name);
