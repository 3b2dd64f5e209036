#include "platform/sonic/switchdb/database.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/path.h"
#include "platform/sonic/switchdb/document.h"

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
		ret->known = false;	/* reached by TCP alone */
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
