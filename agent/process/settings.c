#include "agent/process/settings.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/process/drivers.h"
#include "petrel/diag.h"
#include "platform/sonic/config/config_db.h"

struct settings {
	struct config_db *db;
	char socket[CONFIG_TEXT_MAX];
	const char *sections[CONFIG_SECTIONS_MAX + 1];
	struct config_settings known, incoming;
	bool is_known, changed;
	bool full;			/* more rows than there are keys */
	char fault[DIAG_MAX];		/* of the rows; empty: none */
};

static void field_take(void *context, const char *section, const char *key,
		       const char *value)
{
	struct settings *s = context;
	struct config_settings *in = &s->incoming;
	struct config_setting *to = in->setting + in->count;

	if (in->count == CONFIG_KEYS_MAX) {
		s->full = true;
		return;
	}
	memset(to, 0, sizeof(*to));	/* it is compared with memcmp() */
	(void)snprintf(to->section, sizeof(to->section), "%s", section);
	(void)snprintf(to->key, sizeof(to->key), "%s", key);
	(void)snprintf(to->value, sizeof(to->value), "%s", value);
	in->count++;
}

static int setting_order(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct config_setting));
}

static void fault_set(struct settings *s, const char *fault)
{
	if (strcmp(s->fault, fault) == 0)
		return;
	(void)snprintf(s->fault, sizeof(s->fault), "%s", fault);
	s->changed = true;
}

/* Redis returns fields in any order: sorted, for comparison. */
static void rows_done(void *context)
{
	struct settings *s = context;
	size_t octets;

	qsort(s->incoming.setting, s->incoming.count,
	      sizeof(s->incoming.setting[0]), setting_order);
	octets = s->incoming.count * sizeof(s->incoming.setting[0]);
	s->is_known = true;
	if (s->known.count != s->incoming.count ||
	    memcmp(s->known.setting, s->incoming.setting, octets) != 0) {
		s->known = s->incoming;
		s->changed = true;
	}
	fault_set(s, s->full ?
		  "CONFIG_DB PETREL: more fields than there are keys" : "");
	s->incoming.count = 0;
	s->full = false;
}

static void rows_failed(void *context, const char *reason)
{
	struct settings *s = context;

	if (reason)
		fault_set(s, reason);
	s->incoming.count = 0;
	s->full = false;
}

int settings_open(int root_fd, const struct config *files,
		  struct settings **ret)
{
	struct config_db_env env = { .root_fd = root_fd, .field = field_take,
				     .done = rows_done,
				     .failed = rows_failed };
	const char *socket = config_option(files, "sonic", "redis");
	struct settings *s;
	int rc;

	*ret = NULL;
	if (!drivers_may_open(files, "sonic"))
		return 0;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	(void)snprintf(s->socket, sizeof(s->socket), "%s",
		       socket ? socket : "");
	config_sections(files->keys, s->sections);
	env.sections = s->sections;
	env.context = s;
	env.socket = s->socket[0] ? s->socket : NULL;
	rc = config_db_open(&env, &s->db);
	if (rc < 0) {
		free(s);
		return rc;
	}
	*ret = s;
	return 0;
}

void settings_close(struct settings *s)
{
	if (!s)
		return;
	config_db_close(s->db);
	free(s);
}

void settings_wait(struct settings *s)
{
	struct mono now = clock_mono_now();
	int64_t end_ns = now.ns + SETTINGS_START_NS;

	if (!s)
		return;
	config_db_event(s->db, now);
	while (config_db_is_waiting(s->db) && now.ns < end_ns) {
		struct pollfd fd = { config_db_fd(s->db), POLLIN, 0 };

		(void)poll(&fd, 1, (int)((end_ns - now.ns) / NS_PER_MS) + 1);
		now = clock_mono_now();
		config_db_event(s->db, now);
	}
}

int settings_fd(const struct settings *s)
{
	return s ? config_db_fd(s->db) : -1;
}

bool settings_tend(struct settings *s, struct mono now)
{
	bool changed;

	if (!s)
		return false;
	config_db_event(s->db, now);
	changed = s->changed;
	s->changed = false;
	return changed;
}

int settings_config(const struct settings *s, const struct config_keys *k,
		    const char *path, bool optional, struct config *ret,
		    struct diag *d)
{
	if (s && s->fault[0])
		return diag_set(d, -EINVAL, "%s", s->fault);
	return config_load(k, s && s->is_known ? &s->known : NULL, path,
			   optional, ret, d);
}
