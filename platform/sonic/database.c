#include "platform/sonic/database.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/path.h"

#define CONFIG_OCTETS_MAX (256u << 10)
#define DATABASE_ID_MAX 9999

/* SONiC's names with the ids and separators that its images ship with. */
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
};

const char *database_word(enum database_name name)
{
	return usual[name].word;
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
		ret->of[i].known = true;
		ret->of[i].id = usual[i].id;
		ret->of[i].separator = usual[i].separator;
	}
	databases_override(ret, socket);
}

static struct json_object *member(struct json_object *of, const char *name,
				  enum json_type type)
{
	struct json_object *value;

	if (!json_object_is_type(of, json_type_object) ||
	    !json_object_object_get_ex(of, name, &value) ||
	    !json_object_is_type(value, type))
		return NULL;
	return value;
}

static int socket_parse(struct json_object *root, const char *instance,
			const char *word, struct database *ret, struct diag *d)
{
	struct json_object *of = member(member(root, "INSTANCES",
					       json_type_object),
					instance, json_type_object);
	struct json_object *path = member(of, "unix_socket_path",
					  json_type_string);
	const char *text = path ? json_object_get_string(path) : NULL;

	if (!of)
		return diag_set(d, -EINVAL, "%s names the instance '%.40s', "
				"which INSTANCES does not have", word,
				instance);
	if (!text || text[0] != '/' || strlen(text) >= sizeof(ret->socket))
		return diag_set(d, -EINVAL, "instance '%.40s' has no "
				"unix_socket_path that is absolute and under "
				"%u octets", instance, DATABASE_PATH_MAX);
	memcpy(ret->socket, text, strlen(text) + 1);
	return 0;
}

static int database_parse(struct json_object *root, struct json_object *of,
			  const char *word, struct database *ret,
			  struct diag *d)
{
	struct json_object *id = member(of, "id", json_type_int);
	struct json_object *sep = member(of, "separator", json_type_string);
	struct json_object *instance = member(of, "instance", json_type_string);
	int64_t number = id ? json_object_get_int64(id) : -1;

	if (number < 0 || number > DATABASE_ID_MAX)
		return diag_set(d, -EINVAL, "%s has no id from 0 to %u", word,
				DATABASE_ID_MAX);
	if (!sep || json_object_get_string_len(sep) != 1)
		return diag_set(d, -EINVAL, "%s has no separator of one octet",
				word);
	if (!instance)
		return diag_set(d, -EINVAL, "%s names no instance", word);
	ret->known = true;
	ret->id = (unsigned)number;
	ret->separator = json_object_get_string(sep)[0];
	return socket_parse(root, json_object_get_string(instance), word, ret,
			    d);
}

static int root_parse(struct json_object *root, struct databases *ret,
		      struct diag *d)
{
	struct json_object *all = member(root, "DATABASES", json_type_object);
	int rc = 0;

	if (!all)
		return diag_set(d, -EINVAL, "there is no object DATABASES");
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
	struct json_tokener *tokener;
	struct json_object *root;
	struct databases found;
	int rc;

	if (len > CONFIG_OCTETS_MAX)
		return diag_set(d, -EINVAL, "it has %zu octets; at most %u are "
				"expected", len, CONFIG_OCTETS_MAX);
	tokener = json_tokener_new();
	if (!tokener)
		return -ENOMEM;
	root = json_tokener_parse_ex(tokener, json, (int)len);
	if (!root)
		rc = diag_set(d, -EINVAL, "it is no JSON: %s",
			      json_tokener_error_desc(
				      json_tokener_get_error(tokener)));
	else
		rc = root_parse(root, &found, d);
	json_object_put(root);
	json_tokener_free(tokener);
	if (rc == 0)
		*ret = found;
	return rc;
}

int databases_read(int root_fd, const char *path, struct databases *ret,
		   struct diag *d)
{
	size_t len;
	char *text;
	int rc = path_read(root_fd, path, CONFIG_OCTETS_MAX, &text, &len);

	if (rc < 0)
		return diag_set(d, rc, "%s: %s", path, strerror(-rc));
	rc = databases_parse(text, len, ret, d);
	free(text);
	return rc < 0 ? diag_prefix(d, rc, "%s", path) : 0;
}
