#include "platform/sonic/switchdb/database.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/path.h"

/* --- a JSON file ---------------------------------------------------------- */

static struct json_object *document_member(struct json_object *of,
					  const char *name,
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
	enum json_tokener_error error;
	int rc = 0;

	if (len > DOCUMENT_OCTETS_MAX)
		return diag_set(d, -EINVAL, "it has %zu octets; at most %u are "
				"expected", len, DOCUMENT_OCTETS_MAX);
	tokener = json_tokener_new();
	if (!tokener)
		return -ENOMEM;
	*ret = json_tokener_parse_ex(tokener, json, (int)len);
	error = json_tokener_get_error(tokener);
	if (!*ret)
		rc = diag_set(d, -EINVAL, "it is not JSON: %s",
			      error == json_tokener_continue ?
				      "it ends too early" :
				      json_tokener_error_desc(error));
	json_tokener_free(tokener);
	return rc;
}

/* --- database_config.json ------------------------------------------------- */

#define DATABASE_ID_MAX 9999

/* SONiC's names, with the ids and separators in its images. */
static const struct {
	const char *word;
	unsigned id;
	char separator;
} usual[DATABASE_COUNT] = {
	[DATABASE_APPL] = { "APPL_DB", 0, ':' },
	[DATABASE_COUNTERS] = { "COUNTERS_DB", 2, ':' },
	[DATABASE_CONFIG] = { "CONFIG_DB", 4, '|' },
	[DATABASE_FLEX_COUNTER] = { "FLEX_COUNTER_DB", 5, ':' },
	[DATABASE_STATE] = { "STATE_DB", 6, '|' },
	[DATABASE_GB_COUNTERS] = { "GB_COUNTERS_DB", 10, ':' },
	[DATABASE_CHASSIS_STATE] = { "CHASSIS_STATE_DB", 13, '|' },
};

const char *database_word(enum database_name name)
{
	return usual[name].word;
}

bool database_is_same(const struct database *a, const struct database *b)
{
	return a->known == b->known && a->id == b->id &&
	       a->separator == b->separator &&
	       strcmp(a->socket, b->socket) == 0 &&
	       strcmp(a->password, b->password) == 0;
}

void databases_override(struct databases *d, const char *socket)
{
	for (size_t i = 0; i < DATABASE_COUNT; i++)
		(void)snprintf(d->of[i].socket, sizeof(d->of[i].socket), "%s",
			       socket);	/* longer ones do not connect */
}

void databases_default(const char *socket, struct databases *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < DATABASE_COUNT; i++) {
		ret->of[i].known = i != DATABASE_CHASSIS_STATE;
		ret->of[i].id = usual[i].id;
		ret->of[i].separator = usual[i].separator;
	}
	databases_override(ret, socket);
}

static int socket_parse(struct json_object *root, const char *instance,
			const char *word, struct database *ret, struct diag *d)
{
	struct json_object *all = document_member(root, "INSTANCES",
						  json_type_object);
	struct json_object *of = document_member(all, instance,
						 json_type_object);
	const char *text = document_text(of, "unix_socket_path");
	const char *password = document_text(of, "password_path");

	if (!of)
		return diag_set(d, -EINVAL, "%s names the instance '%.40s', "
				"which INSTANCES does not have", word,
				instance);
	if (!text[0] && strcmp(word, "CHASSIS_STATE_DB") == 0) {
		ret->known = false;	/* reachable only by TCP */
		return 0;
	}
	if (text[0] != '/' || strlen(text) >= sizeof(ret->socket))
		return diag_set(d, -EINVAL, "instance '%.40s' has no "
				"unix_socket_path that is absolute and under "
				"%u octets", instance, DATABASE_PATH_MAX);
	if (strlen(password) >= sizeof(ret->password))
		return diag_set(d, -EINVAL, "instance '%.40s' has a "
				"password_path of %u octets or more", instance,
				DATABASE_PATH_MAX);
	memcpy(ret->socket, text, strlen(text) + 1);
	memcpy(ret->password, password, strlen(password) + 1);
	return 0;
}

static int database_parse(struct json_object *root, struct json_object *of,
			  const char *word, struct database *ret,
			  struct diag *d)
{
	struct json_object *id = document_member(of, "id", json_type_int);
	const char *separator = document_text(of, "separator");
	const char *instance = document_text(of, "instance");
	int64_t number = id ? json_object_get_int64(id) : -1;

	if (number < 0 || number > DATABASE_ID_MAX)
		return diag_set(d, -EINVAL, "%s has no id from 0 to %u", word,
				DATABASE_ID_MAX);
	if (strlen(separator) != 1)
		return diag_set(d, -EINVAL, "%s has no separator of one octet",
				word);
	if (!instance[0])
		return diag_set(d, -EINVAL, "%s names no instance", word);
	ret->known = true;
	ret->id = (unsigned)number;
	ret->separator = separator[0];
	return socket_parse(root, instance, word, ret, d);
}

static int root_parse(struct json_object *root, struct databases *ret,
		      struct diag *d)
{
	struct json_object *all = document_member(root, "DATABASES",
						  json_type_object);
	int rc = 0;

	if (!all)
		return diag_set(d, -EINVAL, "it has no object DATABASES");
	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < DATABASE_COUNT && rc == 0; i++) {
		struct json_object *of;

		if (json_object_object_get_ex(all, usual[i].word, &of))
			rc = database_parse(root, of, usual[i].word,
					    &ret->of[i], d);
	}
	return rc;
}

int databases_parse(const char *json, size_t len, struct databases *ret,
		    struct diag *d)
{
	struct json_object *root = NULL;
	struct databases found;
	int rc = document_parse(json, len, &root, d);

	if (rc == 0)
		rc = root_parse(root, &found, d);
	json_object_put(root);
	if (rc == 0)
		*ret = found;
	return rc;
}

int databases_read(int root_fd, const char *path, struct databases *ret,
		   struct diag *d)
{
	size_t len;
	char *text;
	int rc = path_read(root_fd, path, DOCUMENT_OCTETS_MAX, &text, &len);

	if (rc < 0)
		return path_diag(d, root_fd, path, rc);
	rc = databases_parse(text, len, ret, d);
	free(text);
	return rc < 0 ? diag_prefix(d, rc, "%s", path) : 0;
}

/* --- the namespaces of several ASICs -------------------------------------- */

/* "include", relative to the folder of the file that has it. */
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
			return diag_set(d, -EINVAL, "namespace '%s' is "
					"named twice", name);
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
		rc = diag_set(d, -EINVAL, "it has no array INCLUDES");
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
