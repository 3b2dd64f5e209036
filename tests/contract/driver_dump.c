/* Runs one driver on one root for a time and prints all it says as NDJSON:
 * entities, attributes, groups, samples, events, sources; and how long its
 * longest call took. What a driver may
 * not do by the contract (C7) is a line of type "fault", and exit status 1.
 * SIGTERM ends it sooner, and all is printed still.
 *
 *   driver_dump DRIVER --root DIR [--for SECONDS] [--period-ms N] [--blocking]
 *               [--quiet] [KEY=VALUE …]
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent/base/number.h"
#include "petrel/platform.h"
#include "platform/registry.h"
#include "tests/support/recorder.h"

#define EXIT_USAGE 64

struct options {
	const char *driver, *root;
	int64_t run_ns;
	int64_t period_ns;		/* 0: each source's own */
	bool blocking, quiet;
	char **pairs;			/* KEY=VALUE, NULL-terminated */
};

struct dump {
	struct recorder *recorder;
	const struct platform_driver *driver;
	void *instance;
	struct mono due[PLATFORM_SOURCES_MAX];
	int dead[PLATFORM_SOURCES_MAX];	/* -EOPNOTSUPP: not asked again */
	int64_t longest_ns;		/* a call of read() or event() */
	int end_fd;			/* SIGTERM; -1 none */
};

static const char *option_get(void *context, const char *key)
{
	char **pair = context;
	size_t len = strlen(key);

	for (; *pair; pair++)
		if (strncmp(*pair, key, len) == 0 && (*pair)[len] == '=')
			return *pair + len + 1;
	return NULL;
}

static int number_option(const char *text, int64_t unit_ns, int64_t *ret)
{
	return number_parse_scaled(text, strlen(text), (uint64_t)unit_ns, ret);
}

static int options_parse(int argc, char **argv, struct options *ret)
{
	int rc = 0;

	*ret = (struct options){ .run_ns = 2 * NS_PER_S };
	if (argc < 2)
		return -EINVAL;
	ret->driver = argv[1];
	for (argv += 2; *argv && strncmp(*argv, "--", 2) == 0; argv++) {
		if (strcmp(*argv, "--blocking") == 0)
			ret->blocking = true;
		else if (strcmp(*argv, "--quiet") == 0)
			ret->quiet = true;
		else if (!argv[1])
			return -EINVAL;
		else if (strcmp(*argv, "--root") == 0)
			ret->root = *++argv;
		else if (strcmp(*argv, "--for") == 0)
			rc = number_option(*++argv, NS_PER_S, &ret->run_ns);
		else if (strcmp(*argv, "--period-ms") == 0)
			rc = number_option(*++argv, NS_PER_MS, &ret->period_ns);
		else
			return -EINVAL;
		if (rc < 0)
			return rc;
	}
	ret->pairs = argv;
	return ret->root ? 0 : -EINVAL;
}

static enum source_state state_of(int rc)
{
	switch (rc) {
	case 0:
		return SOURCE_FRESH;
	case -ENODATA:
		return SOURCE_ABSENT;
	case -EOPNOTSUPP:
		return SOURCE_UNSUPPORTED;
	default:
		return SOURCE_BROKEN;
	}
}

/* How long the call took that began at the dump's present. */
static void call_timed(struct dump *d, struct mono began)
{
	int64_t ns = mono_diff_ns(clock_mono_now(), began);

	if (ns > d->longest_ns)
		d->longest_ns = ns;
}

static void source_read(struct dump *d, unsigned n)
{
	const struct platform_source *s = d->driver->sources[n];
	struct platform_host host;
	struct mono began = clock_mono_now();
	struct diag why = { "" };
	int rc;

	d->recorder->waiting[n] = 1;
	rc = s->read(d->instance, d->recorder->now, &why);
	call_timed(d, began);
	if (rc == -EINPROGRESS)
		return;		/* told later */
	d->recorder->waiting[n] = 0;
	if (rc == 1)
		return;		/* told by the driver itself */
	recorder_host(d->recorder, &host);
	d->dead[n] = rc == -EOPNOTSUPP;
	host.source(host.context, n, state_of(rc), 0, rc < 0 ? why.text : NULL);
}

/* Reads what is due; returns when the next one is. */
static struct mono sources_serve(struct dump *d, const struct options *o)
{
	struct mono next = { INT64_MAX };

	for (unsigned i = 0; d->driver->sources[i]; i++) {
		const struct platform_source *s = d->driver->sources[i];
		int64_t period_ns = o->period_ns ? o->period_ns :
				    s->period_ms * NS_PER_MS;

		if (s->blocks != o->blocking || d->dead[i] || !s->read ||
		    s->period_ms == 0)
			continue;
		if (d->due[i].ns <= d->recorder->now.ns) {
			d->due[i].ns = d->recorder->now.ns + period_ns;
			if (!d->recorder->waiting[i])
				source_read(d, i);
		}
		if (d->due[i].ns < next.ns)
			next = d->due[i];
	}
	return next;
}

/* False: it is to end. */
static bool driver_wait(struct dump *d, struct mono until)
{
	struct pollfd p[] = { { .fd = -1 },
			      { .fd = d->end_fd, .events = POLLIN } };
	uint32_t want = 0;
	int64_t ms;

	if (d->driver->event_fd)
		p[0].fd = d->driver->event_fd(d->instance, &want);
	p[0].events = (short)want;
	if (d->driver->deadline) {
		struct mono due = d->driver->deadline(d->instance);

		if (due.ns < until.ns)
			until = due;
	}
	ms = (until.ns - d->recorder->now.ns + NS_PER_MS - 1) / NS_PER_MS;
	(void)poll(p, 2, ms < 0 ? 0 : ms > 1000 ? 1000 : (int)ms);
	d->recorder->now = clock_mono_now();
	if (d->driver->event && (p[0].revents || !d->driver->deadline ||
				 d->driver->deadline(d->instance).ns <=
				 d->recorder->now.ns)) {
		d->driver->event(d->instance, d->recorder->now);
		call_timed(d, d->recorder->now);
	}
	return !p[1].revents;
}

static void dump_run(struct dump *d, const struct options *o)
{
	struct mono end, next;

	d->recorder->now = clock_mono_now();
	end.ns = d->recorder->now.ns + o->run_ns;
	do {
		next = sources_serve(d, o);
		(void)fflush(d->recorder->out);
	} while (driver_wait(d, next.ns < end.ns ? next : end) &&
		 d->recorder->now.ns < end.ns);
}

static int term_fd(void)
{
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &term, NULL);
	return signalfd(-1, &term, SFD_CLOEXEC);
}

static int dump_open(struct dump *d, const struct options *o, int root_fd,
		     struct platform_host *host)
{
	struct platform_env env = {
		.abi = PLATFORM_ABI,
		.size = sizeof(env),
		.root_fd = root_fd,
		.blocking = o->blocking,
		.option_context = o->pairs,
		.option = option_get,
		.host = host,
	};
	struct diag why = { "" };
	int rc = d->driver->open(&env, &d->instance, &why);

	if (rc < 0)
		fprintf(stderr, "%s: %s\n", o->driver, why.text);
	else if (d->driver->inventory)
		(void)d->driver->inventory(d->instance, NULL);
	return rc;
}

int main(int argc, char **argv)
{
	struct options o;
	struct dump d = { 0 };
	struct platform_host host;
	int root_fd, faults;

	if (options_parse(argc, argv, &o) < 0) {
		fprintf(stderr, "usage: driver_dump DRIVER --root DIR [--for "
			"SECONDS] [--period-ms N] [--blocking] [--quiet] "
			"[KEY=VALUE …]\n");
		return EXIT_USAGE;
	}
	d.end_fd = term_fd();
	d.driver = registry_find(o.driver);
	root_fd = open(o.root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	d.recorder = calloc(1, sizeof(*d.recorder));
	if (!d.driver || root_fd < 0 || !d.recorder) {
		fprintf(stderr, "no driver %s, or no folder %s\n", o.driver,
			o.root);
		free(d.recorder);
		return EXIT_USAGE;
	}
	d.recorder->out = stdout;
	d.recorder->quiet = o.quiet;
	d.recorder->driver = d.driver;
	recorder_host(d.recorder, &host);
	if (dump_open(&d, &o, root_fd, &host) == 0) {
		dump_run(&d, &o);
		printf("{\"type\":\"longest_call\",\"ns\":%" PRId64 "}\n",
		       d.longest_ns);
		d.driver->close(d.instance);
	} else {
		d.recorder->faults++;
	}
	faults = d.recorder->faults;
	free(d.recorder);
	close(root_fd);
	return faults ? EXIT_FAILURE : EXIT_SUCCESS;
}
