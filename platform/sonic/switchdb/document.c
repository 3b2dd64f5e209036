#include "platform/sonic/switchdb/document.h"

#include <errno.h>

struct json_object *document_member(struct json_object *of, const char *name,
				    enum json_type type)
{
	struct json_object *value;

	if (!json_object_is_type(of, json_type_object) ||
	    !json_object_object_get_ex(of, name, &value) ||
	    !json_object_is_type(value, type))
		return NULL;
	return value;
}

const char *document_text(struct json_object *of, const char *name)
{
	struct json_object *value = document_member(of, name,
						    json_type_string);

	return value ? json_object_get_string(value) : "";
}

int document_parse(const char *json, size_t len, struct json_object **ret,
		   struct diag *d)
{
	struct json_tokener *tokener;
	int rc = 0;

	if (len > DOCUMENT_OCTETS_MAX)
		return diag_set(d, -EINVAL, "it has %zu octets; at most %u are "
				"expected", len, DOCUMENT_OCTETS_MAX);
	tokener = json_tokener_new();
	if (!tokener)
		return -ENOMEM;
	*ret = json_tokener_parse_ex(tokener, json, (int)len);
	if (!*ret)
		rc = diag_set(d, -EINVAL, "it is no JSON: %s",
			      json_tokener_error_desc(
				      json_tokener_get_error(tokener)));
	json_tokener_free(tokener);
	return rc;
}
