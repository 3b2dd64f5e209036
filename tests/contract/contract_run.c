#include "tests/contract/contract_run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <sys/epoll.h>
#include "agent/base/number.h"
#include "platform/registry.h"

#define OLDEST_S_MAX 4000000000u

/* The value behind "key=" of a text, or NULL. */
static const char *value_of(const char *text, const char *key)
{
	size_t len = strlen(key);

	if (strncmp(text, key, len) != 0 || text[len] != '=')
		return NULL;
	return text + len + 1;
}

static int argument_parse(const char *text, struct contract_setup *s,
			  struct diag *d)
{
	const char *oldest = value_of(text, "oldest");
	uint64_t oldest_s;

	if (value_of(text, "root")) {
		s->root = value_of(text, "root");
		return 0;
	}
	if (oldest) {
		if (number_parse(oldest, 0, OLDEST_S_MAX, &oldest_s) < 0)
			return diag_set(d, -EINVAL, "'%s': expected seconds",
					text);
		s->oldest_ns = (int64_t)oldest_s * NS_PER_S;
		return 0;
	}
	if (!strchr(text, '=') || s->option_count == CONTRACT_OPTIONS_MAX)
		return diag_set(d, -EINVAL, "'%s': expected at most %d of "
				"key=value", text, CONTRACT_OPTIONS_MAX);
	s->option[s->option_count++] = text;
	return 0;
}

int contract_setup_parse(int argc, char **argv, struct contract_setup *ret,
			 struct diag *d)
{
	struct contract_setup s = { 0 };
	int rc = 0;

	if (argc < 2)
		return diag_set(d, -EINVAL, "expected: DRIVER [root=DIR] "
				"[oldest=SECONDS] [key=value ...]");
	s.driver = registry_find(argv[1]);
	if (!s.driver)
		return diag_set(d, -EINVAL, "'%s' is no driver of this build",
				argv[1]);
	for (int i = 2; i < argc && rc == 0; i++)
		rc = argument_parse(argv[i], &s, d);
	if (rc == 0)
		*ret = s;
	return rc;
}

static const char *option_get(void *context, const char *key)
{
	const struct contract_run *run = context;

	for (unsigned i = 0; i < run->setup->option_count; i++)
		if (value_of(run->setup->option[i], key))
			return value_of(run->setup->option[i], key);
	return NULL;
}

static void fault(struct contract_run *run, unsigned source, const char *what,
		  long long value)
{
	recording_host_fault_add(run->record, "source %s: %s (%lld)",
				 run->setup->driver->sources[source]->name,
				 what, value);
}

void contract_run_open(struct contract_run *run,
		       const struct contract_setup *setup,
		       const struct recording_limits *limits,
		       const struct recording_observer *observer)
{
	struct recording_limits all = *limits;
	const char *root = setup->root ? setup->root : "/";
	int rc;

	all.oldest_ns = setup->oldest_ns;
	*run = (struct contract_run){ .setup = setup };
	rc = recording_host_new(setup->driver, &all, observer, &run->record);
	run->env = (struct platform_env){
		.abi = PLATFORM_ABI, .size = sizeof(run->env),
		.root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC),
		.blocking = limits->blocking, .option_context = run,
		.option = option_get,
	};
	if (rc == 0 && run->env.root_fd < 0)
		rc = diag_set(&run->diag, -errno, "%s: %s", root,
			      strerror(errno));
	if (rc == 0) {
		run->env.host = recording_host_get(run->record);
		rc = setup->driver->open(&run->env, &run->instance,
					 &run->diag);
	}
	run->open_result = rc;
	if (rc < 0)
		run->instance = NULL;
}

void contract_run_close(struct contract_run *run)
{
	if (run->instance)
		run->setup->driver->close(run->instance);
	if (run->env.root_fd >= 0)
		(void)close(run->env.root_fd);
	recording_host_free(run->record);
}

int contract_run_inventory(struct contract_run *run)
{
	int rc;

	if (!run->setup->driver->inventory)
		return 0;
	run->diag.text[0] = '\0';
	rc = run->setup->driver->inventory(run->instance, &run->diag);
	if (rc > 0 || (rc < 0 && run->diag.text[0] == '\0'))
		recording_host_fault_add(run->record, "inventory returned %d "
					 "without a reason", rc);
	return rc;
}

static bool result_is_good(int rc)
{
	return rc == 0 || rc == -EINPROGRESS || rc == -EOPNOTSUPP ||
	       rc == -ENODATA || rc == -EIO;
}

int contract_run_read(struct contract_run *run, unsigned source)
{
	const struct platform_source *s = run->setup->driver->sources[source];
	struct mono before = clock_mono_now();
	int64_t took_ns;
	int rc;

	run->diag.text[0] = '\0';
	recording_host_source_clear(run->record, source);
	rc = s->read(run->instance, before, &run->diag);
	took_ns = mono_diff_ns(clock_mono_now(), before);
	if (!s->blocks && took_ns > CONTRACT_READ_NS)
		fault(run, source, "its read took long though it must not "
		      "wait, ns", took_ns);
	if (!result_is_good(rc))
		fault(run, source, "its read returned", rc);
	if (rc < 0 && rc != -EINPROGRESS && run->diag.text[0] == '\0')
		fault(run, source, "its read failed without a reason", rc);
	if (s->blocks && rc == -EINPROGRESS)
		fault(run, source, "it blocks, yet put off its answer", rc);
	run->waiting[source] = rc == -EINPROGRESS;
	run->asked[source] = before;
	return rc;
}

/* A read has ended when its source was said to be anything but waiting. */
static void ends_note(struct contract_run *run)
{
	enum source_state state;

	for (unsigned i = 0; run->setup->driver->sources[i]; i++)
		if (run->waiting[i] &&
		    recording_host_source(run->record, i, &state) &&
		    state != SOURCE_WAITING && state != SOURCE_IDLE)
			run->waiting[i] = false;
}

/* Waits for the descriptor until then. True when it is ready. */
static bool descriptor_wait(struct contract_run *run, struct mono until)
{
	const struct platform_driver *d = run->setup->driver;
	struct epoll_event event = { 0 };
	int64_t left_ns = mono_diff_ns(until, clock_mono_now());
	int timeout_ms = left_ns > 0 ? (int)(left_ns / NS_PER_MS) + 1 : 0;
	uint32_t want = 0;
	int fd = d->event_fd ? d->event_fd(run->instance, &want) : -1;
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	int ready;

	event.events = want;
	if (fd >= 0 && epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
		recording_host_fault_add(run->record, "descriptor %d cannot "
					 "be polled: %s", fd, strerror(errno));
	ready = epoll_wait(epoll_fd, &event, 1, timeout_ms);
	(void)close(epoll_fd);
	return ready > 0;
}

static struct mono earlier(struct mono a, struct mono b)
{
	return mono_diff_ns(a, b) < 0 ? a : b;
}

/* One wake-up: the descriptor, the deadline or the time given. */
static void turn(struct contract_run *run, struct mono until)
{
	const struct platform_driver *d = run->setup->driver;
	struct mono due = { INT64_MAX }, now, done;
	bool ready;

	if (d->deadline)
		due = d->deadline(run->instance);
	ready = descriptor_wait(run, earlier(until, due));
	now = clock_mono_now();
	if (!d->event || (!ready && mono_diff_ns(now, due) < 0))
		return;
	d->event(run->instance, now);
	done = clock_mono_now();
	if (mono_diff_ns(done, now) > CONTRACT_READ_NS)
		recording_host_fault_add(run->record, "event() took %lld ns, "
					 "though it must not wait",
					 (long long)mono_diff_ns(done, now));
	ends_note(run);
}

void contract_run_wait(struct contract_run *run, int64_t timeout_ns)
{
	struct mono until = { clock_mono_now().ns + timeout_ns };

	do {
		turn(run, until);
	} while (mono_diff_ns(until, clock_mono_now()) > 0);
}

static bool is_waiting(const struct contract_run *run)
{
	for (unsigned i = 0; i < PLATFORM_SOURCES_MAX; i++)
		if (run->waiting[i])
			return true;
	return false;
}

void contract_run_cycle(struct contract_run *run)
{
	const struct platform_source *const *s = run->setup->driver->sources;
	struct mono until = { clock_mono_now().ns + CONTRACT_END_NS };

	for (unsigned i = 0; s[i]; i++)
		if (s[i]->blocks == run->env.blocking && s[i]->period_ms > 0 &&
		    !run->waiting[i])
			(void)contract_run_read(run, i);
	while (is_waiting(run) && mono_diff_ns(until, clock_mono_now()) > 0)
		turn(run, until);
	for (unsigned i = 0; s[i]; i++)
		if (run->waiting[i])
			fault(run, i, "its read did not end within, ns",
			      CONTRACT_END_NS);
}
