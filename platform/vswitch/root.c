#include "platform/vswitch/root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/vswitch/box.h"
#include "platform/vswitch/groups.h"
#include "platform/vswitch/links.h"
#include "platform/vswitch/settings.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define PANEL_LINE_MAX 160
#define BPS_PER_MBPS 1000000
#define DEVICE_FOLDER "usr/share/sonic/device/" SETTINGS_PLATFORM

static const struct { const char *name; unsigned id; char separator; } dbs[] = {
	{ "APPL_DB", 0, ':' },	       { "ASIC_DB", 1, ':' },
	{ "COUNTERS_DB", 2, ':' },     { "LOGLEVEL_DB", 3, ':' },
	{ "CONFIG_DB", 4, '|' },       { "PFC_WD_DB", 5, ':' },
	{ "FLEX_COUNTER_DB", 5, ':' }, { "STATE_DB", 6, '|' },
	{ "SNMP_OVERLAY_DB", 7, '|' }, { "RESTAPI_DB", 8, '|' },
	{ "GB_ASIC_DB", 9, ':' },      { "GB_COUNTERS_DB", 10, ':' },
	{ "GB_FLEX_COUNTER_DB", 11, ':' }, { "APPL_STATE_DB", 14, ':' },
};

/* "redis" and "redis0": also the folder below /var/run. */
static void place_name(int asic, char ret[16])
{
	if (asic < 0)
		(void)snprintf(ret, 16, "redis");
	else
		(void)snprintf(ret, 16, "redis%d", asic);
}

void root_socket(const char *root, int asic, char ret[ROOT_PATH_MAX])
{
	char place[16];

	place_name(asic, place);
	(void)snprintf(ret, ROOT_PATH_MAX, "%s/var/run/%s/redis.sock", root,
		       place);
}

/* mkdir -p of all but the last part. */
static int folders_make(const char *path)
{
	char part[ROOT_PATH_MAX];

	for (const char *at = strchr(path + 1, '/'); at;
	     at = strchr(at + 1, '/')) {
		(void)snprintf(part, sizeof(part), "%.*s", (int)(at - path),
			       path);
		if (mkdir(part, 0755) < 0 && errno != EEXIST)
			return -errno;
	}
	return 0;
}

/* Whole or not at all: written beside its place, then linked there. */
static int file_write(const char *root, const char *name, const char *text,
		      struct diag *d)
{
	char path[ROOT_PATH_MAX], new[ROOT_PATH_MAX + 8];
	ssize_t len = (ssize_t)strlen(text);
	int fd, rc;

	(void)snprintf(path, sizeof(path), "%s/%s", root, name);
	(void)snprintf(new, sizeof(new), "%s.new", path);
	rc = folders_make(path);
	if (rc < 0)
		return diag_set(d, rc, "%s: %s", path, strerror(-rc));
	if (access(path, F_OK) == 0)
		return 0;
	fd = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return diag_set(d, -errno, "%s: %s", new, strerror(errno));
	rc = write(fd, text, (size_t)len) == len ? 0 : -EIO;
	if (close(fd) < 0 || rc < 0 || rename(new, path) < 0)
		return diag_set(d, -EIO, "%s: cannot be written", path);
	return 0;
}

static int folders_below(int root_fd, const char *path)
{
	char part[ROOT_PATH_MAX];

	for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
		(void)snprintf(part, sizeof(part), "%.*s", (int)(at - path),
			       path);
		if (mkdirat(root_fd, part, 0755) < 0 && errno != EEXIST)
			return -errno;
	}
	return 0;
}

int root_replace(int root_fd, const char *path, const void *data, size_t len)
{
	char new[ROOT_PATH_MAX + 8];
	int fd, rc = folders_below(root_fd, path);

	if (rc < 0)
		return rc;
	(void)snprintf(new, sizeof(new), "%s.new", path);
	fd = openat(root_fd, new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		    0644);
	if (fd < 0)
		return -errno;
	rc = write(fd, data, len) == (ssize_t)len ? 0 : -EIO;
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && renameat(root_fd, new, root_fd, path) < 0)
		rc = -errno;
	return rc;
}

struct text {
	char at[4096];
	size_t len;
};

static void add(struct text *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->at + t->len, sizeof(t->at) - t->len, format, args);
	va_end(args);
	t->len += n > 0 ? (size_t)n : 0;
	if (t->len >= sizeof(t->at))
		t->len = sizeof(t->at) - 1;
}

static int database_config(const char *root, int asic, struct diag *d)
{
	struct text t = { .len = 0 };
	char place[16], name[ROOT_PATH_MAX];

	place_name(asic, place);
	add(&t, "{\n    \"INSTANCES\": {\n        \"redis\": {\n"
	    "            \"hostname\": \"127.0.0.1\",\n"
	    "            \"port\": 6379,\n"
	    "            \"unix_socket_path\": \"/var/run/%s/redis.sock\",\n"
	    "            \"persistence_for_warm_boot\": \"yes\"\n"
	    "        }\n    },\n    \"DATABASES\": {\n", place);
	for (size_t i = 0; i < COUNT(dbs); i++)
		add(&t, "        \"%s\": { \"id\": %u, \"separator\": \"%c\", "
		    "\"instance\": \"redis\" }%s\n", dbs[i].name, dbs[i].id,
		    dbs[i].separator, i + 1 < COUNT(dbs) ? "," : "");
	add(&t, "    },\n    \"VERSION\": \"1.0\"\n}\n");
	(void)snprintf(name, sizeof(name),
		       "var/run/%s/sonic-db/database_config.json", place);
	return file_write(root, name, t.at, d);
}

static int database_global(const char *root, unsigned asics, struct diag *d)
{
	struct text t = { .len = 0 };

	add(&t, "{\n    \"INCLUDES\": [\n"
	    "        { \"include\": \"../../redis/sonic-db/"
	    "database_config.json\" }");
	for (unsigned i = 0; i < asics; i++)
		add(&t, ",\n        { \"namespace\": \"asic%u\", \"include\": "
		    "\"../../redis%u/sonic-db/database_config.json\" }", i, i);
	add(&t, "\n    ],\n    \"VERSION\": \"1.0\"\n}\n");
	return file_write(root, "var/run/redis/sonic-db/database_global.json",
			  t.at, d);
}

/* Which image, which hardware, and why it started. */
static int identity(const char *root, const struct box *b, struct diag *d)
{
	struct text conf = { .len = 0 }, name = { .len = 0 };
	const struct { const char *name, *text; } files[] = {
		{ "etc/sonic/sonic_version.yml",
		  "build_version: 'petrel-vswitch.202605'\n"
		  "debian_version: '12.0'\n"
		  "kernel_version: '6.1.0-sonic'\n"
		  "asic_type: vs\n"
		  "asic_subtype: 'vs'\n"
		  "commit_id: '00000000'\n"
		  "branch: '202605'\n"
		  "release: '202605'\n"
		  "build_date: Fri Nov 20 00:00:00 UTC 2026\n" },
		{ "etc/hostname", name.at },
		{ "host/machine.conf",
		  "onie_platform=" SETTINGS_PLATFORM "\n"
		  "onie_machine=petrel_vswitch\n" },
		{ "host/reboot-cause/reboot-cause.txt", "Unknown" },
		{ DEVICE_FOLDER "/platform_asic", "vs\n" },
		{ DEVICE_FOLDER "/default_sku", SETTINGS_HWSKU " t1\n" },
		{ DEVICE_FOLDER "/asic.conf", conf.at },
		{ DEVICE_FOLDER "/platform_env.conf",
		  "usemsi=1\ndmasize=32M\n" },
	};
	int rc = 0;

	add(&conf, "NUM_ASIC=%u\n", b->asic_count);
	add(&name, "%s\n", plant_switch_name(b->plant));
	for (size_t i = 0; i < COUNT(files) && rc == 0; i++)
		rc = file_write(root, files[i].name, files[i].text, d);
	return rc;
}

/* What xcvrd's arguments are made of. */
static int daemons(const char *root, const struct cadences *c, struct diag *d)
{
	struct text t = { .len = 0 };

	add(&t, "{\n    \"skip_ledd\": true,\n    \"xcvrd\": { "
	    "\"dom_update_interval\": %g, "
	    "\"dom_temperature_poll_interval\": %g }\n}\n",
	    (double)c->modules_ns / (double)NS_PER_S,
	    (double)c->heat_ns / (double)NS_PER_S);
	return file_write(root, DEVICE_FOLDER "/pmon_daemon_control.json",
			  t.at, d);
}

/* The front panel, as the default configuration is made from it. */
static int panel(const char *root, const struct box *b, struct diag *d)
{
	const size_t cap = (b->port_count + 1) * PANEL_LINE_MAX;
	char *text = calloc(1, cap), lanes[LINKS_LANES_MAX];
	size_t len;
	int rc;

	if (!text)
		return diag_set(d, -ENOMEM, "no memory for port_config.ini");
	len = (size_t)snprintf(text, cap, "# name lanes alias index speed\n");
	for (size_t i = 0; i < b->port_count; i++) {
		const struct plant_port_facts *f = &b->port[i].facts;

		links_lanes(&b->port[i], lanes);
		len += (size_t)snprintf(text + len, cap - len,
			"%s %s %s %u %llu\n", f->name, lanes, f->alias,
			f->module,
			(unsigned long long)(f->speed_bps / BPS_PER_MBPS));
	}
	rc = file_write(root, DEVICE_FOLDER "/" SETTINGS_HWSKU
			"/port_config.ini", text, d);
	free(text);
	return rc;
}

int root_write(const char *root, const struct box *b,
	       const struct cadences *c, struct diag *d)
{
	int rc = database_config(root, -1, d);

	for (unsigned i = 0; b->asic_count > 1 && i < b->asic_count && rc == 0;
	     i++)
		rc = database_config(root, (int)i, d);
	if (b->asic_count > 1 && rc == 0)
		rc = database_global(root, b->asic_count, d);
	if (rc == 0)
		rc = identity(root, b, d);
	if (rc == 0)
		rc = daemons(root, c, d);
	return rc < 0 ? rc : panel(root, b, d);
}
