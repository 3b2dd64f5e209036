#include "agent/ctl/metrics_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/base/names.h"
#include "agent/ctl/client.h"
#include "agent/ctl/json_out.h"
#include "agent/ctl/options.h"
#include "agent/query/exposition.h"
#include "agent/query/message.h"
#include "petrel/clock.h"
#include "petrel/local.h"

#define FILE_MODE 0644		/* node_exporter runs as another user */

int metrics_ask(const struct agent_place *place, enum metric_profile profile,
		Petrel__Answer **ret, struct diag *d)
{
	char *args[] = { ask_word(metric_profiles[profile]) };
	Petrel__Request request;

	ask_request(&request, "metrics", args, 1);
	return ask_once(place, &request, ret, d);
}

/* --- the file ------------------------------------------------------------ */

/* Creates a file beside path that no *.prom collector reads. NULL: errno. */
static FILE *file_begin(const char *path, char temporary[static PATH_MAX])
{
	FILE *out;
	int fd;

	if (snprintf(temporary, PATH_MAX, "%s.XXXXXX", path) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	fd = mkostemp(temporary, O_CLOEXEC);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out && fd >= 0)
		(void)close(fd);
	return out;
}

/* Moves the complete file into place; removes it if rc is below 0. */
static int file_end(FILE *out, const char *temporary, const char *path, int rc)
{
	if (rc == 0 && fchmod(fileno(out), FILE_MODE) < 0)
		rc = -errno;
	if (ferror(out) && rc == 0)
		rc = -EIO;
	if (fclose(out) != 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && rename(temporary, path) < 0)
		rc = -errno;
	if (rc < 0)
		(void)unlink(temporary);
	return rc;
}

static int file_put(const struct invocation *inv, const Petrel__Answer *a,
		    enum exposition how, size_t bound)
{
	const char *path = inv->value[OPTION_OUT];
	char temporary[PATH_MAX];
	FILE *out = path ? file_begin(path, temporary) : stdout;
	int rc = out ? 0 : -errno;

	if (rc == 0)
		rc = exposition_write(out, how, a, bound);
	if (out && path)
		rc = file_end(out, temporary, path, rc);
	if (rc == 0)
		return 0;
	return command_failed(ask_file_failed(rc), "%s: %s",
			      path ? path : "metrics", strerror(-rc));
}

/* --- JSON ---------------------------------------------------------------- */

/* The same lines, in a list. */
static int json_put(const Petrel__Answer *a, enum exposition how, size_t bound,
		    const struct json_head *head)
{
	char *text = NULL, *at, *line;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int rc = out ? exposition_write(out, how, a, bound) : -ENOMEM;
	struct json_out j;

	if (out && fclose(out) != 0)
		rc = -ENOMEM;
	if (rc == 0) {
		json_out_open(&j, stdout, head);
		json_out_begin(&j, "lines", '[');
		at = text;
		while ((line = strsep(&at, "\n")) && at)
			json_out_text(&j, NULL, line);
		json_out_end(&j, ']');
		(void)json_out_close(&j);	/* main() checks it */
	}
	free(text);
	return rc == 0 ? 0 : EXIT_INCOMPLETE;
}

/* --- the command --------------------------------------------------------- */

/* a: sound, or NULL: nobody answers, and petrel_up is 0, in a file as well.
 * why: the error, or NULL. Returns the exit code.
 */
static int metrics_show(const struct invocation *inv, const Petrel__Answer *a,
			size_t bound, int code, const char *why)
{
	enum exposition how = option_given(inv, OPTION_OPENMETRICS) ?
			      EXPOSITION_OPENMETRICS : EXPOSITION_PROMETHEUS;
	bool is_told = code == EXIT_ANSWERED || code == EXIT_INCOMPLETE ||
		       code == EXIT_AGENT_DOWN;
	struct json_head head = {
		"metrics", a ? a->switch_name : "",
		a ? a->wall_ns : clock_wall_now().ns, code == EXIT_ANSWERED,
		code, why };
	int rc = 0;

	if (why)
		(void)command_failed(code, "%s", why);
	if (option_given(inv, OPTION_JSON))
		rc = json_put(a, how, bound, &head);
	else if (is_told)
		rc = file_put(inv, a, how, bound);
	return rc ? rc : code;
}

static int metrics_answer(const struct invocation *inv,
			  enum metric_profile profile,
			  const struct agent_place *place)
{
	size_t bound = metric_bound(profile);
	Petrel__Answer *a;
	struct diag d;
	int code, rc = metrics_ask(place, profile, &a, &d);

	if (rc < 0) {
		ask_why_down(place, rc, &d);
		code = ask_failed(rc);
		return metrics_show(inv, NULL, bound,
				    code == EXIT_UNREACHABLE ? EXIT_AGENT_DOWN :
				    code, d.text);
	}
	code = (int)a->code;
	if (code == EXIT_ANSWERED && !a->complete)
		code = EXIT_INCOMPLETE;
	code = metrics_show(inv, a, bound, code,
			    a->error[0] ? a->error : NULL);
	answer_unpacked_free(a);
	return code;
}

int metrics_run(const struct invocation *inv)
{
	const char *word = inv->value[OPTION_PROFILE];
	int profile = word ? names_parse(metric_profiles, PROFILE_COUNT, word) :
			     PROFILE_LINKS;
	struct agent_place place;
	struct diag d = { "" };
	int rc = 0;

	if (option_given(inv, OPTION_JSON) && option_given(inv, OPTION_OUT))
		rc = diag_set(&d, -EINVAL, "-o and --json exclude each other: "
			      "Prometheus reads no JSON");
	else if (profile < 0)
		rc = diag_set(&d, -EINVAL, "--profile '%s'; expected findings, "
			      "links, queues or all", word);
	else
		rc = ask_place(inv, &place, &d);
	return rc < 0 ? command_failed(EXIT_USAGE, "%s", d.text) :
			metrics_answer(inv, (enum metric_profile)profile,
				       &place);
}
