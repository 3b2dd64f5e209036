#include "agent/ctl/bugreport.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/config/config.h"
#include "agent/ctl/ask.h"
#include "agent/ctl/bundle.h"
#include "agent/ctl/cell.h"
#include "agent/ctl/command.h"
#include "agent/ctl/object.h"
#include "agent/ctl/options.h"
#include "agent/ctl/program.h"
#include "agent/ctl/redact.h"
#include "agent/record/json.h"
#include "petrel/clock.h"
#include "petrel/local.h"
#include "petrel/wire.h"

#define SELF "/proc/self/exe"
#define RING_HEAD 256		/* octets of each ring */

/* A report under way. */
struct report {
	const struct invocation *inv;
	struct agent_place place;
	struct redact *redact;
	struct bundle *bundle;
	char name[NAME_MAX + 1], path[PATH_MAX];
	char switch_name[SWITCH_NAME_MAX];	/* empty: not to be told */
	bool agent_is_up;
};

/* The text needs no NUL. */
static struct json_object *text_parse(const char *text, size_t len)
{
	struct json_tokener *t = json_tokener_new();
	struct json_object *o;

	if (!t)
		return NULL;
	o = json_tokener_parse_ex(t, text, (int)len);
	json_tokener_free(t);
	return o;
}

/* --- the agent's own answers --------------------------------------------- */

/* petrel VERB … --json by this very program: with the agent down it reads the
 * rings by itself.
 */
static void answer_add(struct report *r, const char *name, const char *command,
		       const char *argument, struct program_output *ret)
{
	const char *argv[] = { SELF, "--socket", r->place.socket, command,
			       "--json", argument, NULL };

	bundle_program(r->bundle, name, argv, ret);
}

/* All commands whose row in the table has words for a report. */
static void answers_add(struct report *r)
{
	char name[NAME_MAX + 1];

	for (const struct command *c = r->inv->table; c->name; c++) {
		if (!c->report)
			continue;
		(void)snprintf(name, sizeof(name), "%s.json", c->name);
		answer_add(r, name, c->name, c->report[0] ? c->report : NULL,
			   NULL);
	}
}

/* Names of switches, which anonymise is to hide. */
static void names_of(struct report *r, struct json_object *answer)
{
	struct json_object *value, *links;

	if (json_object_object_get_ex(answer, "switch", &value)) {
		redact_name(r->redact, json_object_get_string(value));
		if (!option_given(r->inv, OPTION_ANONYMISE))
			(void)snprintf(r->switch_name, sizeof(r->switch_name),
				       "%s", json_object_get_string(value));
	}
	if (!json_object_object_get_ex(answer, "links", &links) ||
	    !json_object_is_type(links, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(links); i++)
		if (json_object_object_get_ex(
			    json_object_array_get_idx(links, i), "peer_switch",
			    &value) && value)
			redact_name(r->redact, json_object_get_string(value));
}

/* The id may be a serial number. */
static void id_learn(struct report *r)
{
	const char *argv[] = { SELF, "--socket", r->place.socket, "status",
			       "--json", NULL };
	struct program_output out = { .octets_max = BUNDLE_FILE_MAX };
	struct json_object *answer, *agent, *id;
	struct diag d;

	if (program_run(argv, BUNDLE_PROGRAM_NS, &out, &d) < 0)
		return;		/* status.json will say so */
	answer = text_parse(out.text, out.len);
	if (answer && json_object_object_get_ex(answer, "agent", &agent) &&
	    json_object_object_get_ex(agent, "switch_id", &id) && id)
		redact_name(r->redact, json_object_get_string(id));
	json_object_put(answer);
	free(out.text);
}

/* Before anything is written: who this is, and who its neighbours are. */
static void names_learn(struct report *r)
{
	const char *argv[] = { SELF, "--socket", r->place.socket, "links",
			       "--json", NULL };
	struct program_output out = { .octets_max = BUNDLE_FILE_MAX };
	struct json_object *answer = NULL;
	char host[HOST_NAME_MAX + 1] = "";
	struct diag d;

	if (gethostname(host, sizeof(host) - 1) == 0)
		redact_name(r->redact, host);
	id_learn(r);
	if (program_run(argv, BUNDLE_PROGRAM_NS, &out, &d) < 0) {
		bundle_left_out(r->bundle, "links.json", "%s", d.text);
		return;
	}
	answer = text_parse(out.text, out.len);
	if (answer)
		names_of(r, answer);
	bundle_text(r->bundle, "links.json", out.text, out.len);
	json_object_put(answer);
	free(out.text);
}

/* --- the processes ------------------------------------------------------- */

/* What /proc knows of one of them. */
static void process_add(struct report *r, const char *role, int pid)
{
	static const char *const files[] = { "status", "stat", "limits", "io",
					     "smaps_rollup", "cgroup" };
	char name[96], path[64];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		(void)snprintf(path, sizeof(path), "/proc/%d/%s", pid,
			       files[i]);
		(void)snprintf(name, sizeof(name), "proc-%.16s-%s", role,
			       files[i]);
		bundle_file(r->bundle, name, path);
	}
}

/* A role is a word of ours; whatever else stands there is no file's name. */
static bool is_role(const char *text)
{
	return text[0] && strspn(text, "abcdefghijklmnopqrstuvwxyz") ==
			  strlen(text);
}

static void processes_of(struct report *r, struct json_object *status)
{
	struct json_object *list, *role, *pid;

	if (!json_object_object_get_ex(status, "processes", &list) ||
	    !json_object_is_type(list, json_type_array))
		return;
	r->agent_is_up = true;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *p = json_object_array_get_idx(list, i);

		if (json_object_object_get_ex(p, "process", &role) &&
		    json_object_object_get_ex(p, "pid", &pid) && role && pid &&
		    is_role(json_object_get_string(role)))
			process_add(r, json_object_get_string(role),
				    json_object_get_int(pid));
	}
}

static void processes_add(struct report *r)
{
	struct program_output out = { .text = NULL };
	struct json_object *status;

	answer_add(r, "status.json", "status", NULL, &out);
	status = out.text ? text_parse(out.text, out.len) : NULL;
	if (status)
		processes_of(r, status);
	if (!r->agent_is_up)
		bundle_left_out(r->bundle, "proc-*", "the agent's processes "
				"are not known: no status");
	json_object_put(status);
	free(out.text);
}

/* --- files --------------------------------------------------------------- */

/* The configuration as it is written, secrets redacted like anywhere. */
static void config_add(struct report *r)
{
	const char *file = r->inv->value[OPTION_CONFIG];
	char folder[PATH_MAX], path[PATH_MAX + NAME_MAX + 2], name[NAME_MAX];
	const struct dirent *e;
	const char *slash;
	DIR *dir;

	file = file ? file : CONFIG_PATH_DEFAULT;
	slash = strrchr(file, '/');
	bundle_file(r->bundle, "petrel.conf", file);
	(void)snprintf(folder, sizeof(folder), "%.*sconf.d",
		       slash ? (int)(slash - file + 1) : 0, file);
	dir = opendir(folder);
	while (dir && (e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		(void)snprintf(name, sizeof(name), "conf.d-%.200s", e->d_name);
		bundle_file(r->bundle, name, path);
	}
	if (dir)
		(void)closedir(dir);
	else
		bundle_left_out(r->bundle, "conf.d", "%s: %s", folder,
				strerror(errno));
}

static void machine_add(struct report *r)
{
	static const struct {
		const char *name, *path;
	} files[] = {
		{ "os-release", "/etc/os-release" },
		{ "sonic_version.yml", "/etc/sonic/sonic_version.yml" },
		{ "kernel", "/proc/version" },
		{ "uptime", "/proc/uptime" },
		{ "loadavg", "/proc/loadavg" },
		{ "meminfo", "/proc/meminfo" },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		bundle_file(r->bundle, files[i].name, files[i].path);
}

static void journal_add(struct report *r)
{
	static const char *const argv[] = {
		"journalctl", "--no-pager", "-o", "short-iso", "-n", "5000",
		"-u", "petrel*", NULL };

	bundle_program(r->bundle, "journal", argv, NULL);
}

/* The first octets of a ring, in hexadecimal: its version, run, and marks. */
static void ring_print(FILE *out, int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	unsigned char head[RING_HEAD];
	struct stat st = { .st_size = 0 };
	ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof(head), 0);

	if (fd < 0 || n < 0 || fstat(fd, &st) < 0)
		(void)fprintf(out, "%s: %s\n", name, strerror(errno));
	else
		(void)fprintf(out, "%s: %lld octets\n", name,
			      (long long)st.st_size);
	for (ssize_t i = 0; i < n; i++)
		(void)fprintf(out, "%02x%s", head[i], i % 32 == 31 ? "\n" : "");
	if (fd >= 0)
		(void)close(fd);
}

static void rings_add(struct report *r)
{
	static const char *const rings[] = { "findings.ring", "states.ring",
					     "samples.ring" };
	int dir_fd = open(r->place.run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *text = NULL;
	size_t len;
	FILE *out;

	if (dir_fd < 0) {
		bundle_left_out(r->bundle, "rings", "%s: %s", r->place.run_dir,
				strerror(errno));
		return;
	}
	out = open_memstream(&text, &len);
	for (size_t i = 0; out && i < 3; i++)
		ring_print(out, dir_fd, rings[i]);
	(void)close(dir_fd);
	if (out && fclose(out) == 0)
		bundle_text(r->bundle, "rings", text, len);
	free(text);
}

/* --- the report ---------------------------------------------------------- */

/* petrel-bugreport-20261121T141500Z: a switch's name would tell whose it is. */
static void name_make(struct report *r)
{
	const char *out = r->inv->value[OPTION_OUT];
	time_t now = (time_t)(clock_wall_now().ns / NS_PER_S);
	struct tm tm;

	if (!gmtime_r(&now, &tm) ||
	    strftime(r->name, sizeof(r->name),
		     "petrel-bugreport-%Y%m%dT%H%M%SZ", &tm) == 0)
		(void)snprintf(r->name, sizeof(r->name), "petrel-bugreport");
	if (out)
		(void)snprintf(r->path, sizeof(r->path), "%s", out);
	else
		(void)snprintf(r->path, sizeof(r->path), "%s.tar.gz", r->name);
}

static void put(struct json_object *o, const char *key,
		struct json_object *value)
{
	(void)json_object_object_add(o, key, value);
}

static void report_print(const struct report *r, const struct bundle_count *n)
{
	struct json_object *o;

	if (!option_given(r->inv, OPTION_JSON)) {
		(void)printf("%s: %zu files, %zu left out (its MANIFEST says "
			     "why), %zu secrets redacted\n", r->path, n->files,
			     n->left_out, redact_secrets(r->redact));
		return;
	}
	o = object_new(&(struct object_head){
		.command = r->inv->command->name,
		.switch_name = r->switch_name[0] ? r->switch_name : NULL,
		.wall_ns = clock_wall_now().ns, .complete = r->agent_is_up,
		.code = r->agent_is_up ? EXIT_ANSWERED : EXIT_AGENT_DOWN });
	put(o, "file", json_object_new_string(r->path));
	put(o, "files", json_object_new_uint64(n->files));
	put(o, "left_out", json_object_new_uint64(n->left_out));
	put(o, "secrets", json_object_new_uint64(redact_secrets(r->redact)));
	(void)json_line(stdout, o);
	json_object_put(o);
}

static int report_make(struct report *r, struct diag *d)
{
	struct bundle_count count;
	int rc;

	name_make(r);
	rc = redact_new(option_given(r->inv, OPTION_ANONYMISE), &r->redact);
	if (rc < 0)
		return diag_set(d, rc, "no memory");
	rc = bundle_open(r->name, r->redact, &r->bundle, d);
	if (rc < 0)
		return rc;
	names_learn(r);
	processes_add(r);
	answers_add(r);
	config_add(r);
	machine_add(r);
	journal_add(r);
	rings_add(r);
	rc = bundle_write(r->bundle, r->path, &count, d);
	if (rc == 0)
		report_print(r, &count);
	return rc;
}

int bugreport_run(const struct invocation *inv)
{
	struct report r = { .inv = inv };
	struct diag d;
	int rc = ask_place(inv, &r.place, &d);

	if (rc == 0)
		rc = report_make(&r, &d);
	bundle_free(r.bundle);
	redact_free(r.redact);
	if (rc == 0)
		return r.agent_is_up ? EXIT_ANSWERED : EXIT_AGENT_DOWN;
	(void)fprintf(stderr, "petrel: %s\n", d.text);
	return rc == -EINVAL ? EXIT_USAGE : ask_file_failed(rc);
}
