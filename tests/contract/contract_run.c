#include "tests/contract/contract_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/epoll.h>
#include "agent/base/number.h"
#include "platform/registry.h"

#define OLDEST_S_MAX 4000000000u
#define SLOW_MAX 1000u

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
	const char *slow = value_of(text, "slow");
	uint64_t number;

	if (value_of(text, "root")) {
		s->root = value_of(text, "root");
		return 0;
	}
	if (oldest) {
		if (number_parse(oldest, 0, OLDEST_S_MAX, &number) < 0)
			return diag_set(d, -EINVAL, "'%s': expected seconds",
					text);
		s->oldest_ns = (int64_t)number * NS_PER_S;
		return 0;
	}
	if (slow) {
		if (number_parse(slow, 1, SLOW_MAX, &number) < 0)
			return diag_set(d, -EINVAL, "'%s': expected 1 to %u",
					text, SLOW_MAX);
		s->slow = (int64_t)number;
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
	struct contract_setup s = { .slow = 1 };
	int rc = 0;

	if (argc < 2)
		return diag_set(d, -EINVAL, "expected: DRIVER [root=DIR] "
				"[oldest=SECONDS] [slow=FACTOR] "
				"[key=value ...]");
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
		       const struct recording_limits *limits)
{
	struct recording_limits all = *limits;
	const char *root = setup->root ? setup->root : "/";
	int rc;

	all.oldest_ns = setup->oldest_ns;
	*run = (struct contract_run){ .setup = setup };
	rc = recording_host_new(setup->driver, &all, &run->record);
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

/* Of the calling thread: its CPU, and how long it was kept from it. */
struct work {
	int64_t cpu_ns, kept_ns;
	struct mono at;
};

/* The second number of schedstat: ns in the queue of a processor. */
static int64_t kept_ns_now(void)
{
	FILE *f = fopen("/proc/thread-self/schedstat", "re");
	char line[128] = "", *second;
	uint64_t ns = 0;

	if (f && fgets(line, sizeof(line), f) &&
	    (second = strchr(line, ' ')) != NULL) {
		second++;
		(void)number_parse_n(second, strcspn(second, " "), 0,
				     INT64_MAX, &ns);
	}
	if (f)
		(void)fclose(f);
	return (int64_t)ns;
}

static struct work work_now(void)
{
	struct work w = { .kept_ns = kept_ns_now() };
	struct timespec cpu;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	w.cpu_ns = cpu.tv_sec * NS_PER_S + cpu.tv_nsec;
	w.at = clock_mono_now();
	return w;
}

/* Calls of this process that took more CPU than they may, by source; the last
 * are those of event().
 */
static unsigned heavy_calls[PLATFORM_SOURCES_MAX + 1];

/* A call that must not wait: asleep, or long by its own work. One that was
 * only kept off the processor by others is not to blame; nor is what happened
 * only now and then, as a virtual machine's time is counted as ours while its
 * host runs another.
 */
static void promptness_check(struct contract_run *run, const struct work *since,
			     unsigned call, const char *what)
{
	struct mono end = clock_mono_now();
	struct work now = work_now();
	int64_t limit_ns = CONTRACT_CALL_NS * run->setup->slow;
	int64_t took_ns = mono_diff_ns(end, since->at);
	int64_t cpu_ns = now.cpu_ns - since->cpu_ns;
	int64_t asleep_ns = took_ns - cpu_ns - (now.kept_ns - since->kept_ns);

	heavy_calls[call] += cpu_ns > limit_ns;
	if (heavy_calls[call] > CONTRACT_HEAVY_MAX || asleep_ns > limit_ns)
		recording_host_fault_add(run->record, "%s: took %lld ns, %lld "
					 "of them CPU and %lld asleep, though "
					 "it must not wait; call %u that was "
					 "long by itself", what,
					 (long long)took_ns,
					 (long long)cpu_ns,
					 (long long)asleep_ns,
					 heavy_calls[call]);
}

static bool result_is_good(int rc)
{
	return rc == 0 || rc == 1 || rc == -EINPROGRESS || rc == -EOPNOTSUPP ||
	       rc == -ENODATA || rc == -EIO;
}

int contract_run_read(struct contract_run *run, unsigned source)
{
	const struct platform_source *s = run->setup->driver->sources[source];
	struct work before = work_now();
	int rc;

	run->diag.text[0] = '\0';
	recording_host_source_clear(run->record, source);
	rc = s->read(run->instance, before.at, &run->diag);
	if (!s->blocks)
		promptness_check(run, &before, source, s->name);
	if (!result_is_good(rc))
		fault(run, source, "its read returned", rc);
	if (rc < 0 && rc != -EINPROGRESS && run->diag.text[0] == '\0')
		fault(run, source, "its read failed without a reason", rc);
	if (s->blocks && rc == -EINPROGRESS)
		fault(run, source, "it blocks, yet put off its answer", rc);
	run->waiting[source] = rc == -EINPROGRESS;
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
	struct mono due = { INT64_MAX };
	struct work before;
	bool ready;

	if (d->deadline)
		due = d->deadline(run->instance);
	ready = descriptor_wait(run, earlier(until, due));
	before = work_now();
	if (!d->event || (!ready && mono_diff_ns(before.at, due) < 0))
		return;
	d->event(run->instance, before.at);
	promptness_check(run, &before, PLATFORM_SOURCES_MAX, "event()");
	ends_note(run);
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
	int64_t limit_ns = CONTRACT_END_NS * run->setup->slow;
	struct mono until = { clock_mono_now().ns + limit_ns };

	for (unsigned i = 0; s[i]; i++)
		if (s[i]->blocks == run->env.blocking && s[i]->period_ms > 0 &&
		    !run->waiting[i])
			(void)contract_run_read(run, i);
	while (is_waiting(run) && mono_diff_ns(until, clock_mono_now()) > 0)
		turn(run, until);
	for (unsigned i = 0; s[i]; i++)
		if (run->waiting[i])
			fault(run, i, "its read did not end within, ns",
			      limit_ns);
}
