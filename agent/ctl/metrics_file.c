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
#include "agent/ctl/options.h"
#include "agent/query/exposition.h"
#include "agent/query/message.h"
#include "petrel/local.h"

#define FILE_MODE 0644		/* node_exporter has a user of its own */

int metrics_ask(const struct agent_place *place, enum metric_profile profile,
		Petrel__Answer **ret, struct diag *d)
{
	char verb[] = "metrics", word[16], *args[] = { word };
	Petrel__Request request;

	(void)snprintf(word, sizeof(word), "%s", metric_profiles[profile]);
	petrel__request__init(&request);
	request.version = LOCAL_VERSION;
	request.verb = verb;
	request.args = args;
	request.n_args = 1;
	return ask_once(place, &request, CLIENT_TIMEOUT_NS, ret, d);
}

/* --- the file ------------------------------------------------------------ */

/* Beside path, with a name that no collector of *.prom reads. NULL: errno. */
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

/* In its place, whole; rc below 0: taken away. */
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

static int metrics_put(const struct invocation *inv, const Petrel__Answer *a,
		       enum metric_profile profile)
{
	const char *path = inv->value[OPTION_OUT];
	enum exposition how = option_given(inv, OPTION_OPENMETRICS) ?
			      EXPOSITION_OPENMETRICS : EXPOSITION_PROMETHEUS;
	char temporary[PATH_MAX];
	FILE *out = path ? file_begin(path, temporary) : stdout;
	int rc = out ? 0 : -errno;

	if (rc == 0)
		rc = exposition_write(out, how, a, metric_bound(profile));
	if (out && path)
		rc = file_end(out, temporary, path, rc);
	if (rc == 0)
		return EXIT_ANSWERED;
	(void)fprintf(stderr, "petrel: %s: %s\n", path ? path : "metrics",
		      strerror(-rc));
	return ask_file_failed(rc);
}

/* --- the command --------------------------------------------------------- */

/* Nobody answers: petrel_up is 0, in the file as well. */
static int unanswered(const struct invocation *inv, enum metric_profile profile,
		      int err, const char *why)
{
	int code = ask_failed(err);

	(void)fprintf(stderr, "petrel: %s\n", why);
	if (code != EXIT_UNREACHABLE)
		return code;
	code = metrics_put(inv, NULL, profile);
	return code == EXIT_ANSWERED ? EXIT_AGENT_DOWN : code;
}

static int answered(const struct invocation *inv, enum metric_profile profile,
		    const Petrel__Answer *a)
{
	int code = (int)a->code;

	if (code == EXIT_ANSWERED)
		code = metrics_put(inv, a, profile);
	else
		(void)fprintf(stderr, "petrel: %s\n", a->error);
	return code == EXIT_ANSWERED && !a->complete ? EXIT_INCOMPLETE : code;
}

int metrics_run(const struct invocation *inv)
{
	const char *word = inv->value[OPTION_PROFILE];
	int code, profile = word ? names_parse(metric_profiles, PROFILE_COUNT,
					       word) : PROFILE_LINKS;
	struct agent_place place;
	Petrel__Answer *a;
	struct diag d = { "" };
	int rc = 0;

	if (option_given(inv, OPTION_JSON))
		rc = diag_set(&d, -EINVAL, "metrics has forms of its own; "
			      "petrel show --json has values as JSON");
	else if (profile < 0)
		rc = diag_set(&d, -EINVAL, "--profile '%s'; expected findings, "
			      "links, queues or all", word);
	else
		rc = ask_place(inv, &place, &d);
	if (rc < 0) {
		(void)fprintf(stderr, "petrel: %s\n", d.text);
		return EXIT_USAGE;
	}
	rc = metrics_ask(&place, (enum metric_profile)profile, &a, &d);
	if (rc < 0)
		return unanswered(inv, (enum metric_profile)profile, rc,
				  d.text);
	code = answered(inv, (enum metric_profile)profile, a);
	answer_unpacked_free(a);
	return code;
}
