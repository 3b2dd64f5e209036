/* petrel bugreport: what somebody else needs to understand what this agent
 * did, in one tarball without secrets.
 *
 * A script, packaging/lib/bugreport, gathers the files and packs them. All of
 * it goes through a second petrel, which redacts it and writes the files:
 *
 *	petrel bugreport -> script -> petrel bugreport, with PETREL_REPORT
 *	                    script -> tar(1)
 *
 * The second one reads text. Lines that begin with a mark, which nobody can
 * guess, say what follows:
 *
 *	MARK learn names		JSON to learn names from
 *	MARK file NAME			a file's text, up to the next mark
 *	MARK left NAME WHY		that file, or part of it, is missing
 *	MARK status NAME CODE		its program failed; status.json is from
 *					petrel status: whether the agent answers
 *	MARK end report			the end
 */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/number.h"
#include "agent/config/config.h"
#include "agent/ctl/client.h"
#include "agent/ctl/json_out.h"
#include "agent/ctl/options.h"
#include "agent/ctl/redact.h"
#include "agent/ctl/runs.h"
#include "petrel/clock.h"
#include "petrel/local.h"
#include "petrel/wire.h"

#define FOLDER "PETREL_REPORT"
#define MARK "PETREL_REPORT_MARK"
#define SCRIPT "bugreport"
#define FILE_MODE 0600
#define PART_MAX (4u << 20)	/* of each file: the rest is left out */

/* --- what is gathered ---------------------------------------------------- */

struct report {
	const struct invocation *inv;
	const char *mark;
	struct redact *redact;
	int dir_fd;			/* the folder to pack */
	char *manifest;
	size_t manifest_len;
	FILE *list;			/* writes the manifest */
	char switch_name[SWITCH_NAME_MAX];	/* empty: kept secret */
	bool agent_is_up, is_refused, is_learnt, has_end;
	size_t files, left_out;
	char name[NAME_MAX + 1];	/* of the current part; empty: none */
	size_t len;
	char text[PART_MAX + 2];
};

/* Names of switches, and what may be a serial number: anonymise hides them. */
static void names_learn(struct report *r, struct json_object *o)
{
	static const char *const keys[3] = { "switch", "peer_switch",
					     "switch_id" };

	for (size_t i = 0; json_object_is_type(o, json_type_array) &&
	     i < json_object_array_length(o); i++)
		names_learn(r, json_object_array_get_idx(o, i));
	if (!json_object_is_type(o, json_type_object))
		return;
	json_object_object_foreach(o, key, value) {
		names_learn(r, value);
		for (size_t i = 0; i < 3; i++)
			if (value && strcmp(key, keys[i]) == 0)
				redact_name(r->redact,
					    json_object_get_string(value));
	}
}

/* An answer of petrel's own commands. */
static void answer_learn(struct report *r, const char *line)
{
	struct json_object *o = json_tokener_parse(line), *value;

	names_learn(r, o);
	if (json_object_object_get_ex(o, "processes", &value))
		r->agent_is_up = true;
	if (json_object_object_get_ex(o, "switch", &value) && value &&
	    !option_given(r->inv, OPTION_ANONYMISE))
		(void)snprintf(r->switch_name, sizeof(r->switch_name), "%s",
			       json_object_get_string(value));
	json_object_put(o);
}

static void left_out(struct report *r, const char *name, const char *why)
{
	r->left_out++;
	(void)fprintf(r->list, "left out  %s: ", name);
	(void)redact_text(r->redact, why, strlen(why), r->list);
	(void)fputc('\n', r->list);
}

/* name must not contain a slash. */
static FILE *file_new(const struct report *r, const char *name)
{
	int fd = openat(r->dir_fd, name,
			O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);

	return fd < 0 ? NULL : fdopen(fd, "w");
}

/* Writes the current part. Returns a negative errno. */
static int part_write(struct report *r)
{
	FILE *f = file_new(r, r->name);
	int rc = f ? redact_text(r->redact, r->text, r->len, f) : -errno;

	if (f && fclose(f) != 0 && rc == 0)
		rc = -errno;
	return rc;
}

/* Ends the current part, less the newline that precedes each mark. */
static void part_end(struct report *r)
{
	size_t before = redact_secrets(r->redact), secrets;
	bool is_cut = r->len > PART_MAX;
	int rc;

	if (!r->name[0])
		return;
	r->len -= r->len && r->text[r->len - 1] == '\n';
	r->len = r->len > PART_MAX ? PART_MAX : r->len;
	rc = part_write(r);
	if (rc < 0) {
		left_out(r, r->name, strerror(-rc));
		return;
	}
	secrets = redact_secrets(r->redact) - before;
	r->files++;
	(void)fprintf(r->list, "%8zu  %s", r->len, r->name);
	if (secrets)
		(void)fprintf(r->list, " (%zu secret%s redacted)", secrets,
			      secrets == 1 ? "" : "s");
	(void)fputc('\n', r->list);
	if (is_cut)
		left_out(r, r->name, "all after its first 4194304 octets");
}

static void status_take(struct report *r, const char *name, const char *code)
{
	uint64_t status;

	if (strcmp(name, "status.json") == 0)
		r->is_refused =
			number_parse(code, 0, UINT8_MAX, &status) == 0 &&
			status == EXIT_NOT_PERMITTED;
	(void)fprintf(r->list, "          %s exited with status %s\n", name,
		      code);
}

/* Handles the words after a mark. */
static void mark_take(struct report *r, char *words)
{
	const char *word = strsep(&words, " "), *name = strsep(&words, " ");
	const char *rest = words ? words : "";
	bool is_void = name && strcmp(name, r->name) == 0 && r->len <= 1;

	if (!name)
		return;
	if (strcmp(word, "left") != 0 || !is_void)
		part_end(r);
	r->name[0] = '\0';
	r->len = 0;
	r->is_learnt = strcmp(word, "learn") == 0;
	r->has_end = strcmp(word, "end") == 0;
	if (strcmp(word, "file") == 0)
		(void)snprintf(r->name, sizeof(r->name), "%s", name);
	else if (strcmp(word, "left") == 0)
		left_out(r, name, rest);
	else if (strcmp(word, "status") == 0)
		status_take(r, name, rest);
}

static void line_take(struct report *r, char *line, size_t len)
{
	size_t mark = strlen(r->mark), room = sizeof(r->text) - r->len;

	if (strncmp(line, r->mark, mark) == 0 && line[mark] == ' ') {
		line[strcspn(line, "\n")] = '\0';
		mark_take(r, line + mark + 1);
	} else if (r->is_learnt && line[0] == '{') {
		answer_learn(r, line);
	} else if (r->name[0]) {
		len = len < room ? len : room;
		memcpy(r->text + r->len, line, len);
		r->len += len;
	}
}

static int manifest_write(struct report *r)
{
	FILE *f = file_new(r, "MANIFEST");

	if (!f)
		return -errno;
	(void)fflush(r->list);	/* into memory: sets manifest */
	(void)fprintf(f, "Files of this report, and their octets before "
		      "redaction.\n"
		      "Secrets redacted: %zu; names and addresses replaced: "
		      "%zu.\n\n", redact_secrets(r->redact),
		      redact_names(r->redact));
	(void)fwrite(r->manifest, 1, r->manifest_len, f);
	return fclose(f) == 0 ? 0 : -errno;
}

/* For the user who asked for the report; the script passes it on. */
static void report_print(const struct report *r, int code)
{
	const char *path = r->inv->value[OPTION_OUT];
	struct json_out j;

	if (!option_given(r->inv, OPTION_JSON)) {
		(void)printf("%s: %zu files, %zu left out (its MANIFEST says "
			     "why), %zu secrets redacted\n", path, r->files,
			     r->left_out, redact_secrets(r->redact));
		return;
	}
	json_out_open(&j, stdout, &(struct json_head){
		      r->inv->verb->name,
		      r->switch_name[0] ? r->switch_name : NULL,
		      clock_wall_now().ns, r->agent_is_up, code, NULL });
	json_out_text(&j, "file", path);
	json_out_integer(&j, "files", (int64_t)r->files);
	json_out_integer(&j, "left_out", (int64_t)r->left_out);
	json_out_integer(&j, "secrets", (int64_t)redact_secrets(r->redact));
	(void)json_out_close(&j);	/* main() checks standard output */
}

/* From the first mark to the end. Returns an exit code. */
static int report_read(struct report *r)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int code, rc;

	while ((n = getline(&line, &cap, stdin)) >= 0)
		line_take(r, line, (size_t)n);
	free(line);
	rc = r->has_end ? manifest_write(r) : -EIO;
	if (rc < 0)
		return command_failed(EXIT_INCOMPLETE, "cannot write the "
				      "report: %s", strerror(-rc));
	code = r->agent_is_up ? EXIT_ANSWERED :
	       r->is_refused ? EXIT_NOT_PERMITTED : EXIT_AGENT_DOWN;
	report_print(r, code);
	return code;
}

/* Redacts standard input into the files of a folder. */
static int report_write(const struct invocation *inv, const char *folder,
			const char *mark)
{
	struct report *r = calloc(1, sizeof(*r));
	int code = EXIT_INCOMPLETE;

	if (!r)
		return code;
	r->inv = inv;
	r->mark = mark;
	r->dir_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r->list = open_memstream(&r->manifest, &r->manifest_len);
	if (r->dir_fd >= 0 && r->list &&
	    redact_new(option_given(inv, OPTION_ANONYMISE), &r->redact) == 0)
		code = report_read(r);
	if (r->list)
		(void)fclose(r->list);
	if (r->dir_fd >= 0)
		(void)close(r->dir_fd);
	redact_free(r->redact);
	free(r->manifest);
	free(r);
	return code;
}

/* --- the script ---------------------------------------------------------- */

/* Beside the program in the build tree, else where it is installed:
 * /usr/lib/petrel for /usr/bin.
 */
static int script_find(char *petrel, char *script, size_t cap, struct diag *d)
{
	ssize_t n = readlink("/proc/self/exe", petrel, PATH_MAX - 1);
	int dir;

	if (n < 0)
		return diag_set(d, -errno, "/proc/self/exe: %s",
				strerror(errno));
	petrel[n] = '\0';
	dir = (int)(strrchr(petrel, '/') - petrel);
	(void)snprintf(script, cap, "%.*s/" SCRIPT, dir, petrel);
	if (access(script, R_OK) < 0)
		(void)snprintf(script, cap, "%.*s/../lib/petrel/" SCRIPT, dir,
			       petrel);
	return access(script, R_OK) == 0 ? 0 :
	       diag_set(d, -ENOENT, "%s: %s", script, strerror(errno));
}

/* Named petrel-bugreport-20261121T141500Z.tar.gz: the name of the switch would
 * tell whose it is. A new file, opened for the script to write to.
 */
static int archive_open(const struct invocation *inv, char *path, size_t cap,
			struct diag *d)
{
	time_t now = (time_t)(clock_wall_now().ns / NS_PER_S);
	struct tm tm;
	int fd;

	if (inv->value[OPTION_OUT])
		(void)snprintf(path, cap, "%s", inv->value[OPTION_OUT]);
	else if (!gmtime_r(&now, &tm) ||
		 strftime(path, cap, "petrel-bugreport-%Y%m%dT%H%M%SZ.tar.gz",
			  &tm) == 0)
		(void)snprintf(path, cap, "petrel-bugreport.tar.gz");
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
	return fd < 0 ? diag_set(d, -errno, "%s: %s", path, strerror(errno)) :
			fd;
}

/* Executes the script. Returns -ENOMEM, or why it could not be run. */
static int script_run(const struct invocation *inv,
		      const struct agent_place *place, const char *path,
		      struct diag *d)
{
	char petrel[PATH_MAX], script[PATH_MAX + sizeof("/../lib/petrel/")];
	char words[ARGUMENTS_MAX][64];
	const char *config = inv->value[OPTION_CONFIG];
	const char *argv[ARGUMENTS_MAX + 16] = {
		"sh", script, petrel, place->socket, place->run_dir,
		config ? config : CONFIG_PATH_DEFAULT, path,
		option_given(inv, OPTION_ANONYMISE) ?
		option_given(inv, OPTION_JSON) ? "--json --anonymise" :
						 "--anonymise" :
		option_given(inv, OPTION_JSON) ? "--json" : "",
	};
	size_t n = 8;
	int rc = script_find(petrel, script, sizeof(script), d);

	if (rc < 0)
		return rc;
	for (const struct verb *c = verb_table; c->name; c++) {
		char *text = words[c - verb_table];

		if (!c->report)
			continue;
		(void)snprintf(text, sizeof(words[0]), "%s %s", c->name,
			       c->report);
		argv[n++] = text;
	}
	(void)execv("/bin/sh", (char *const *)(uintptr_t)argv);
	return diag_set(d, -errno, "/bin/sh: %s", strerror(errno));
}

int bugreport_run(const struct invocation *inv)
{
	const char *folder = getenv(FOLDER), *mark = getenv(MARK);
	struct agent_place place;
	char path[PATH_MAX];
	struct diag d;
	int rc, code;

	if (folder && mark && option_given(inv, OPTION_OUT))
		return report_write(inv, folder, mark);
	rc = ask_place(inv, &place, &d);
	if (rc == 0)
		rc = archive_open(inv, path, sizeof(path), &d);
	if (rc >= 0) {
		/* as the script's descriptor 3, in place of any other */
		if (rc == 3 ? fcntl(3, F_SETFD, 0) < 0 : dup2(rc, 3) < 0)
			rc = diag_set(&d, -errno, "%s: %s", path,
				      strerror(errno));
		else
			rc = script_run(inv, &place, path, &d);
		(void)unlink(path);
	}
	code = rc == -EINVAL ? EXIT_USAGE : ask_file_failed(rc);
	if (option_given(inv, OPTION_JSON))
		json_out_failed(inv->verb->name, code, d.text);
	return command_failed(code, "%s", d.text);
}
