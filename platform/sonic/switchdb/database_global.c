#include "platform/sonic/switchdb/database_global.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/path.h"
#include "platform/sonic/switchdb/document.h"

/* "include", put behind the folder of the file that has it. */
static int path_join(const char *file, const char *include,
		     char ret[DATABASE_PATH_MAX])
{
	const char *slash = strrchr(file, '/');
	int folder = slash ? (int)(slash - file) + 1 : 0;
	int n;

	if (include[0] == '/')
		folder = 0;
	n = snprintf(ret, DATABASE_PATH_MAX, "%.*s%s", folder, file, include);
	return n < DATABASE_PATH_MAX ? 0 : -EINVAL;
}

static int entry_parse(struct json_object *entry, const char *path,
		       struct database_global *ret, struct diag *d)
{
	const char *name = document_text(entry, "namespace");
	const char *include = document_text(entry, "include");
	struct global_namespace *n = &ret->of[ret->count];

	if (!name[0])
		return 0;	/* the host's, or a DPU's container */
	if (!include[0])
		return diag_set(d, -EINVAL, "namespace '%.31s' includes no "
				"file", name);
	if (ret->count == DATABASE_GLOBAL_MAX)
		return diag_set(d, -EINVAL, "it has more than %d namespaces",
				DATABASE_GLOBAL_MAX);
	if (strlen(name) >= sizeof(n->name) ||
	    path_join(path, include, n->config) < 0)
		return diag_set(d, -EINVAL, "namespace '%.40s' or its path "
				"'%.80s' is too long", name, include);
	for (size_t i = 0; i < ret->count; i++)
		if (strcmp(ret->of[i].name, name) == 0)
			return diag_set(d, -EINVAL, "namespace '%s' stands "
					"there twice", name);
	memcpy(n->name, name, strlen(name) + 1);
	ret->count++;
	return 0;
}

int database_global_parse(const char *json, size_t len, const char *path,
		     struct database_global *ret, struct diag *d)
{
	struct database_global found = { .count = 0 };
	struct json_object *root = NULL, *list;
	int rc = document_parse(json, len, &root, d);

	list = document_member(root, "INCLUDES", json_type_array);
	if (rc == 0 && !list)
		rc = diag_set(d, -EINVAL, "there is no array INCLUDES");
	for (size_t i = 0; rc == 0 && i < json_object_array_length(list); i++)
		rc = entry_parse(json_object_array_get_idx(list, i), path,
				 &found, d);
	json_object_put(root);
	if (rc == 0)
		*ret = found;
	return rc;
}

int database_global_read(int root_fd, struct database_global *ret,
			 struct diag *d)
{
	size_t len;
	char *text;
	int rc = path_read(root_fd, DATABASE_GLOBAL_PATH, DOCUMENT_OCTETS_MAX,
			   &text, &len);

	if (rc < 0)
		return path_diag(d, root_fd, DATABASE_GLOBAL_PATH, rc);
	rc = database_global_parse(text, len, DATABASE_GLOBAL_PATH, ret, d);
	free(text);
	return rc < 0 ? diag_prefix(d, rc, "%s", DATABASE_GLOBAL_PATH) : 0;
}
