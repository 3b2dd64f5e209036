#include "platform/vswitch/root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "petrel/log.h"
#include "platform/vswitch/box.h"
#include "platform/vswitch/rows.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define BPS_PER_MBPS 1000000
#define DEVICE_FOLDER "usr/share/sonic/device/" CONFIG_DB_PLATFORM
#define REBOOT_PLACE "host/reboot-cause/previous-reboot-cause.json"
#define REBOOT_CAUSE "reboot"
#define REBOOT_USER "admin"
#define TIME_MAX 40

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
static int folders_make(int dir_fd, const char *path)
{
	char part[ROOT_PATH_MAX];

	for (const char *at = strchr(path + 1, '/'); at;
	     at = strchr(at + 1, '/')) {
		(void)snprintf(part, sizeof(part), "%.*s", (int)(at - path),
			       path);
		if (mkdirat(dir_fd, part, 0755) < 0 && errno != EEXIST)
			return -errno;
	}
	return 0;
}

int root_replace(int root_fd, const char *path, const void *data, size_t len)
{
	char new[ROOT_PATH_MAX + 8];
	int fd, rc = folders_make(root_fd, path);

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

/* --- files of the image --------------------------------------------------- */

/* The box that the files are for, and the first error. */
struct maker {
	const char *root;
	const struct box *box;
	struct diag *diag;
	int rc;
};

static void file_make(struct maker *m, const char *name, const char *format,
		      ...) __attribute__((format(printf, 3, 4)));

/* Keeps an existing file; after an error no more are made. */
static void file_make(struct maker *m, const char *name, const char *format,
		      ...)
{
	char *text = NULL;
	va_list args;
	int len;

	if (m->rc < 0 || faccessat(m->box->root_fd, name, F_OK, 0) == 0)
		return;
	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0)
		text = NULL;
	m->rc = !text ? -ENOMEM :
		root_replace(m->box->root_fd, name, text, (size_t)len);
	if (m->rc < 0)
		diag_write(m->diag, "%s/%s: %s", m->root, name,
			   strerror(-m->rc));
	free(text);
}

static void database_config(struct maker *m, int asic)
{
	char list[2048], place[16], name[ROOT_PATH_MAX];
	size_t len = 0;

	place_name(asic, place);
	for (size_t i = 0; i < COUNT(dbs); i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len,
			"%s        \"%s\": { \"id\": %u, \"separator\": "
			"\"%c\", \"instance\": \"redis\" }", i ? ",\n" : "",
			dbs[i].name, dbs[i].id, dbs[i].separator);
	(void)snprintf(name, sizeof(name),
		       "var/run/%s/sonic-db/database_config.json", place);
	file_make(m, name, "{\n    \"INSTANCES\": {\n        \"redis\": {\n"
		  "            \"hostname\": \"127.0.0.1\",\n"
		  "            \"port\": 6379,\n            "
		  "\"unix_socket_path\": \"/var/run/%s/redis.sock\",\n"
		  "            \"persistence_for_warm_boot\": \"yes\"\n"
		  "        }\n    },\n    \"DATABASES\": {\n%s\n    },\n"
		  "    \"VERSION\": \"1.0\"\n}\n", place, list);
}

static void database_global(struct maker *m)
{
	char list[BOX_ASICS_MAX * 128];
	size_t len = 0;

	for (unsigned i = 0; i < m->box->asic_count; i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len,
			",\n        { \"namespace\": \"asic%u\", \"include\": "
			"\"../../redis%u/sonic-db/database_config.json\" }", i,
			i);
	file_make(m, "var/run/redis/sonic-db/database_global.json",
		  "{\n    \"INCLUDES\": [\n        { \"include\": "
		  "\"../../redis/sonic-db/database_config.json\" }%s\n    ],\n"
		  "    \"VERSION\": \"1.0\"\n}\n", list);
}

/* Image, hardware, and cause of the start. */
static void identity(struct maker *m)
{
	static const struct { const char *name, *text; } files[] = {
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
		{ "host/machine.conf",
		  "onie_platform=" CONFIG_DB_PLATFORM "\n"
		  "onie_machine=petrel_vswitch\n" },
		{ "host/reboot-cause/reboot-cause.txt", "Unknown" },
		{ DEVICE_FOLDER "/platform_asic", "vs\n" },
		{ DEVICE_FOLDER "/default_sku", CONFIG_DB_HWSKU " t1\n" },
		{ DEVICE_FOLDER "/platform_env.conf",
		  "usemsi=1\ndmasize=32M\n" },
	};

	for (size_t i = 0; i < COUNT(files); i++)
		file_make(m, files[i].name, "%s", files[i].text);
	file_make(m, "etc/hostname", "%s\n", plant_switch_name(m->box->plant));
	file_make(m, DEVICE_FOLDER "/asic.conf", "NUM_ASIC=%u\n",
		  m->box->asic_count);
}

/* The sources of xcvrd's arguments. */
static void daemons(struct maker *m)
{
	const struct cadences *c = &m->box->cadences;

	file_make(m, DEVICE_FOLDER "/pmon_daemon_control.json",
		  "{\n    \"skip_ledd\": true,\n    \"xcvrd\": { "
		  "\"dom_update_interval\": %g, "
		  "\"dom_temperature_poll_interval\": %g }\n}\n",
		  (double)c->modules_ns / (double)NS_PER_S,
		  (double)c->heat_ns / (double)NS_PER_S);
}

/* The front panel, from which the default configuration is made. */
static void panel(struct maker *m)
{
	char *text = NULL, lanes[LINKS_LANES_MAX];
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (size_t i = 0; out && i < m->box->port_count; i++) {
		const struct plant_port_facts *f = &m->box->port[i].facts;

		links_lanes(&m->box->port[i], lanes);
		(void)fprintf(out, "%s %s %s %u %llu\n", f->name, lanes,
			      f->alias, f->module, (unsigned long long)
			      (f->speed_bps / BPS_PER_MBPS));
	}
	if (!out || fclose(out) != 0)
		m->rc = diag_set(m->diag, -ENOMEM, "no memory for "
				 "port_config.ini");
	file_make(m, DEVICE_FOLDER "/" CONFIG_DB_HWSKU "/port_config.ini",
		  "# name lanes alias index speed\n%s", text);
	free(text);
}

int root_open(const char *root, struct box *b, struct diag *d)
{
	struct maker m = { .root = root, .box = b, .diag = d };
	char path[ROOT_PATH_MAX + 1];

	(void)snprintf(path, sizeof(path), "%s/", root);
	m.rc = folders_make(AT_FDCWD, path);
	if (m.rc == 0)
		b->root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (m.rc == 0 && b->root_fd < 0)
		m.rc = -errno;
	if (m.rc < 0)
		return diag_set(d, m.rc, "%s: %s", root, strerror(-m.rc));
	database_config(&m, -1);
	for (unsigned i = 0; b->asic_count > 1 && i < b->asic_count; i++)
		database_config(&m, (int)i);
	if (b->asic_count > 1)
		database_global(&m);
	identity(&m);
	daemons(&m);
	panel(&m);
	return m.rc;
}

/* --- cause of the start --------------------------------------------------- */

/* As in the name of its row in STATE_DB, and as date(1) wrote it then. */
static void times_of(const struct box *b, char name[TIME_MAX],
		     char asked[TIME_MAX])
{
	time_t at = (time_t)b->boot_s;
	struct tm utc;

	(void)gmtime_r(&at, &utc);
	(void)strftime(name, TIME_MAX, "%Y_%m_%d_%H_%M_%S", &utc);
	(void)strftime(asked, TIME_MAX, "%a %b %e %I:%M:%S %p UTC %Y", &utc);
}

void root_reboot(struct box *b)
{
	char name[TIME_MAX], asked[TIME_MAX], text[256];
	int rc;

	b->boot_s = b->host->now_s;
	if (b->root_fd < 0)
		return;
	times_of(b, name, asked);
	(void)snprintf(text, sizeof(text), "{\"gen_time\": \"%s\", \"cause\": "
		       "\"" REBOOT_CAUSE "\", \"user\": \"" REBOOT_USER "\", \"time\": "
		       "\"%s\", \"comment\": \"N/A\"}\n", name, asked);
	rc = root_replace(b->root_fd, REBOOT_PLACE, text, strlen(text));
	if (rc < 0)
		log_warn("vswitch", REBOOT_PLACE " cannot be written: %s",
			 strerror(-rc));
}

void root_reboot_row(struct box *b)
{
	char name[TIME_MAX], asked[TIME_MAX];

	times_of(b, name, asked);
	out_row(b->host, STATE_DB, "REBOOT_CAUSE", name);
	out_text(b->host, "cause", REBOOT_CAUSE);
	out_text(b->host, "time", asked);
	out_text(b->host, "user", REBOOT_USER);
	out_text(b->host, "comment", "N/A");
	out_row_end(b->host);
}
