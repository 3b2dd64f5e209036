/* Rules between keys of a configuration, and values that one key gives another;
 * the files that keys name.
 */
#include "agent/config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/base/option.h"
#include "agent/base/path.h"
#include "agent/config/table.h"
#include "agent/http/http_place.h"
#include "agent/seal/keys.h"

#define PUSH "Push"

/* Each is a valid key, and the first is set if any other is. */
static int collector_keys_check(const struct config_table *t,
				const struct config *c, struct diag *d)
{
	static const char *const names[CONFIG_COLLECTORS_MAX] = {
		"collector_key", "collector_key_2", "collector_key_3"
	};
	uint8_t key[NOISE_KEY_LEN];
	char origin[CONFIG_ORIGIN_MAX];

	for (unsigned i = 0; i < CONFIG_COLLECTORS_MAX; i++) {
		const char *text = c->collector_key[i];

		table_origin(t, c, PUSH, names[i], origin);
		if (text[0] && key_parse(text, strlen(text), key) < 0)
			return diag_set(d, -EINVAL, "%s: %s = %s: expected a "
					"key: the 44 characters of base64 that "
					"petrel-collector --key prints", origin,
					names[i], text);
		if (text[0] && !c->collector_key[0][0])
			return diag_set(d, -EINVAL, "%s: %s is set; expected "
					"collector_key first", origin,
					names[i]);
	}
	return 0;
}

static int metrics_check(const struct config_table *t, const struct config *c,
			 struct diag *d)
{
	const struct http_settings settings = {
		.listen = c->metrics_listen, .vrf = c->metrics_vrf,
		.cert_file = c->metrics_cert, .key_file = c->metrics_key,
		.token_file = c->metrics_token, .anybody = c->metrics_anybody };
	char origin[CONFIG_ORIGIN_MAX];

	if (!c->metrics_listen[0] || http_settings_check(&settings, d) == 0)
		return 0;
	table_origin(t, c, "Metrics", "listen", origin);
	return diag_prefix(d, -EINVAL, "%s: [Metrics]", origin);
}

const char *config_source(const struct config *c, unsigned collector)
{
	int family = option_family(c->collector[collector]);

	if (c->source[collector][0])
		return c->source[collector];
	return family && family != option_family(c->source[0]) ? "" :
								  c->source[0];
}

const char *config_vrf(const struct config *c, unsigned collector)
{
	const char *vrf = c->vrf[c->vrf[collector][0] ? collector : 0];

	return strcmp(vrf, OPTION_DEVICE_NONE) == 0 ? "" : vrf;
}

/* It has its collector's address family. */
static int source_check(const struct config_table *t, const struct config *c,
			unsigned i, struct diag *d)
{
	static const char *const names[CONFIG_COLLECTORS_MAX] = {
		"source", "source_2", "source_3"
	};
	int wanted = option_family(c->collector[i]);
	char origin[CONFIG_ORIGIN_MAX];

	table_origin(t, c, PUSH, names[i], origin);
	if (!c->source[i][0] || !wanted ||
	    option_family(c->source[i]) == wanted)
		return 0;
	return diag_set(d, -EINVAL, "%s: %s = %s: expected an %s address, as "
			"that of the collector", origin, names[i],
			c->source[i], wanted == AF_INET ? "IPv4" : "IPv6");
}

int config_together(const struct config_table *t, const struct config *c,
		    struct diag *d)
{
	bool has_key = c->collector_key[0][0];
	char origin[CONFIG_ORIGIN_MAX];

	if (!c->collector[0][0] && (c->collector[1][0] || c->collector[2][0]))
		return diag_set(d, -EINVAL, "[Push] collector_2 or collector_3 "
				"is set; expected collector first");
	if (collector_keys_check(t, c, d) < 0 || metrics_check(t, c, d) < 0)
		return -EINVAL;
	for (unsigned i = 0; i < CONFIG_COLLECTORS_MAX; i++)
		if (source_check(t, c, i, d) < 0)
			return -EINVAL;
	table_origin(t, c, PUSH,
		     has_key ? "collector_key" : "collector", origin);
	if (has_key && c->insecure)
		return diag_set(d, -EINVAL, "%s: collector_key is set, and so "
				"is insecure = yes; expected one of them",
				origin);
	if (!c->collector[0][0] || has_key || c->insecure)
		return 0;
	return diag_set(d, -EINVAL, "%s: collector = %s without a key; "
			"expected collector_key = what petrel-collector --key "
			"prints, or insecure = yes to send in the clear",
			origin, c->collector[0]);
}

static int file_check(int root_fd, enum option_form form, const char *path)
{
	int fd = form == OPTION_FILE_BELOW_ROOT ?
		 path_open(root_fd, path, O_RDONLY | O_NONBLOCK) :
		 open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int rc = fd >= 0 ? 0 : form == OPTION_FILE_BELOW_ROOT ? fd : -errno;
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)))
		rc = -EISDIR;
	if (fd >= 0)
		(void)close(fd);
	return rc;
}

int config_named_files(const struct config_table *t, const void *target,
		       int root_fd, struct diag *d)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct config_key *k = &t->keys[i];
		const char *path = (const char *)target + k->offset;
		char origin[CONFIG_ORIGIN_MAX];
		int rc;

		if ((k->is.form != OPTION_FILE && !k->is.is_read &&
		     k->is.form != OPTION_FILE_BELOW_ROOT) || !path[0])
			continue;
		rc = file_check(root_fd, k->is.form, path);
		table_origin(t, target, k->section, k->is.key, origin);
		if (rc < 0)
			return diag_set(d, rc, "%s: %s = %s: %s; expected a "
					"file that can be read", origin,
					k->is.key, path, strerror(-rc));
	}
	return 0;
}
