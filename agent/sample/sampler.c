#include "agent/sample/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "petrel/log.h"

#define BACK_OFF_TICKS 8	/* most wait for a failing fast source */
#define DOUBLINGS_MAX 16
#define FAST_PERIOD_MS 1000	/* a source this fast follows the interval */
#define PATIENCE 4		/* a tick waits a quarter of its interval */

/* One source of one driver. */
struct source_job {
	const struct platform_source *source;
	struct mono due;
	int64_t period_ns;
	int64_t phase_ns;	/* offset in its period; below it */
	unsigned failures;
	bool busy;		/* returned -EINPROGRESS, not ended */
	bool awaited;		/* by the tick that is open */
	bool told_failure;	/* the driver last reported a failure */
	bool never;		/* unsupported here */
};

struct driver {
	struct sampler *sampler;
	const struct platform_driver *table;
	void *instance;
	struct platform_host host;
	unsigned first_source, job_count;
	struct source_job job[PLATFORM_SOURCES_MAX];
	int fd;			/* watched now; -1 none */
	int timer;		/* of its deadline() */
};

struct sampler {
	struct sampler_env env;
	unsigned driver_count;
	struct driver driver[PLATFORM_DRIVERS_MAX];
	int tick_timer, close_timer;
	bool open;		/* a tick waits for its reads */
	unsigned awaited;
	struct mono due;
	uint64_t skipped, late;
	unsigned slowed;	/* steps */
};

static void tick_close(struct sampler *s, struct mono now)
{
	if (!s->open)
		return;
	s->open = false;
	for (unsigned i = 0; i < s->driver_count; i++)
		for (unsigned j = 0; j < s->driver[i].job_count; j++)
			s->driver[i].job[j].awaited = false;
	loop_timer_stop(s->env.loop, s->close_timer);
	if (s->env.tick)
		s->env.tick(s->env.context, s->due, now, s->skipped);
}

static void driver_watch(struct driver *d);

static void driver_ready(void *context, uint32_t events, struct mono now)
{
	struct driver *d = context;

	(void)events;	/* the driver checks by itself */
	d->table->event(d->instance, now);
	driver_watch(d);
}

static void driver_due(void *context, struct mono now, uint64_t skipped)
{
	struct driver *d = context;

	(void)skipped;	/* not periodic */
	d->table->event(d->instance, now);
	driver_watch(d);
}

/* Follows what the driver wants to be woken for. */
static void driver_watch(struct driver *d)
{
	struct loop *loop = d->sampler->env.loop;
	uint32_t want = 0;
	int fd = -1;

	if (d->table->event_fd)
		fd = d->table->event_fd(d->instance, &want);
	if (fd != d->fd)
		loop_fd_remove(loop, d->fd);
	if (fd >= 0 && loop_fd_set(loop, fd, want, driver_ready, d) < 0)
		log_err("sample", "driver=%s descriptor cannot be watched",
			d->table->name);
	d->fd = fd;
	if (d->table->deadline)
		loop_timer_at(loop, d->timer,
			      d->table->deadline(d->instance), 0);
}

/* After a failure the source is read again a tick later, then two, four … but
 * not later than its period: a second's outage should not become a minute's.
 * lets_be: a source that is read every tick is read less often while it fails.
 */
static void job_retry(const struct sampler *s, struct source_job *j,
		      struct mono now, bool lets_be)
{
	int64_t tick = s->env.interval_ns;
	int64_t wait = tick << (j->failures < DOUBLINGS_MAX ? j->failures :
							      DOUBLINGS_MAX);
	int64_t soon = now.ns + wait - tick / 2;	/* at that tick */

	j->failures++;
	if (soon < j->due.ns)
		j->due.ns = soon;
	else if (lets_be && j->period_ns <= tick)
		j->due.ns = wait < BACK_OFF_TICKS * tick ? soon :
			    now.ns + BACK_OFF_TICKS * tick - tick / 2;
}

static void job_failed(struct driver *d, unsigned n, int err,
		       const struct diag *diag, struct mono now)
{
	struct source_job *j = &d->job[n];
	enum source_state state = err == -ENODATA ? SOURCE_ABSENT :
							 SOURCE_BROKEN;

	if (err == -EOPNOTSUPP) {
		j->never = true;
		state = SOURCE_UNSUPPORTED;
	}
	job_retry(d->sampler, j, now, true);
	d->host.source(d->host.context, n, state, 0, diag->text);
}

static void job_read(struct driver *d, unsigned n, struct mono now)
{
	struct source_job *j = &d->job[n];
	struct diag diag = { "" };
	int rc = j->source->read(d->instance, now, &diag);

	if (rc == -EINPROGRESS) {
		j->busy = j->awaited = true;
		d->sampler->awaited++;
	} else if (rc < 0) {
		job_failed(d, n, rc, &diag, now);
	} else if (rc > 0 && j->told_failure) {
		job_retry(d->sampler, j, now, false);
	} else {
		j->failures = 0;
		if (rc == 0)
			d->host.source(d->host.context, n, SOURCE_FRESH, 0,
				       NULL);
	}
}

static void driver_tick(struct driver *d, struct mono now)
{
	bool any = false;

	for (unsigned n = 0; n < d->job_count; n++) {
		struct source_job *j = &d->job[n];

		if (!j->source || j->never || j->due.ns > now.ns)
			continue;
		j->due.ns = loop_next_due_ns(j->phase_ns - j->period_ns,
					     j->period_ns, now.ns);
		if (j->busy) {
			d->sampler->late++;
			continue;
		}
		job_read(d, n, now);
		any = true;
	}
	if (any)
		driver_watch(d);
}

static void tick_open(void *context, struct mono now, uint64_t skipped)
{
	struct sampler *s = context;

	tick_close(s, now);	/* the last one, if its reads never ended */
	s->due = now;
	s->skipped = skipped;
	s->awaited = 0;
	s->open = true;
	for (unsigned i = 0; i < s->driver_count; i++)
		driver_tick(&s->driver[i], now);
	if (s->awaited == 0)
		tick_close(s, now);
	else if (s->open)
		loop_timer_at(s->env.loop, s->close_timer,
			      (struct mono){ now.ns + s->env.interval_ns /
						      PATIENCE }, 0);
}

static void tick_late(void *context, struct mono now, uint64_t skipped)
{
	(void)skipped;	/* not periodic */
	tick_close(context, now);
}

int sampler_new(const struct sampler_env *env, struct sampler **ret)
{
	struct sampler *s = calloc(1, sizeof(*s));
	struct mono first;

	if (!s)
		return -ENOMEM;
	s->env = *env;
	first.ns = loop_next_due_ns(0, env->interval_ns,
				    clock_mono_now().ns);
	s->tick_timer = loop_timer_add(env->loop, first, env->interval_ns,
				       tick_open, s);
	s->close_timer = loop_timer_add(env->loop, (struct mono){ INT64_MAX },
					0, tick_late, s);
	if (s->tick_timer < 0 || s->close_timer < 0) {
		free(s);
		return -ENOSPC;
	}
	*ret = s;
	return 0;
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->driver_count; i++) {
		loop_fd_remove(s->env.loop, s->driver[i].fd);
		s->driver[i].table->close(s->driver[i].instance);
	}
	free(s);
}

static const char *driver_option(void *context, const char *key)
{
	const struct driver *d = context;
	const struct sampler_env *env = &d->sampler->env;

	return env->option(env->context, d->table->name, key);
}

static int64_t period_unslowed(const struct sampler *s,
			       const struct platform_source *source)
{
	int64_t period = source->period_ms * NS_PER_MS;

	if (source->period_ms == 0)
		return 0;	/* it only reports events */
	if (source->period_ms <= FAST_PERIOD_MS || period < s->env.interval_ns)
		return s->env.interval_ns;
	return period;
}

static int64_t period_of(const struct sampler *s,
			 const struct platform_source *source)
{
	int64_t period = period_unslowed(s, source);

	return period > s->env.interval_ns ? period << s->slowed : period;
}

/* The n-th slow job of all drivers; NULL: there are not so many. */
static struct source_job *job_slow(struct sampler *s, unsigned n)
{
	for (unsigned i = 0; i < s->driver_count; i++)
		for (unsigned k = 0; k < s->driver[i].job_count; k++) {
			struct source_job *j = &s->driver[i].job[k];

			if (j->source && j->period_ns > s->env.interval_ns &&
			    n-- == 0)
				return j;
		}
	return NULL;
}

/* Spreads sources with the same period over it, in their order, so that no tick
 * has all of them.
 */
static void phases_spread(struct sampler *s)
{
	struct source_job *j, *other;

	for (unsigned n = 0; (j = job_slow(s, n)); n++) {
		int64_t ticks = j->period_ns / s->env.interval_ns;
		unsigned before = 0, all = 1;

		for (unsigned k = 0; (other = job_slow(s, k)); k++) {
			before += k < n && other->period_ns == j->period_ns;
			all += k != n && other->period_ns == j->period_ns;
		}
		j->phase_ns = ticks * before / all * s->env.interval_ns;
	}
}

/* Makes jobs for the sources that this process reads; all are due at once,
 * except those that only report events, which are never due.
 */
static void jobs_make(struct driver *d)
{
	struct sampler *s = d->sampler;

	for (; d->table->sources[d->job_count]; d->job_count++) {
		const struct platform_source *source =
			d->table->sources[d->job_count];
		struct source_job *j = &d->job[d->job_count];

		if (source->blocks != s->env.blocking || !source->read)
			continue;
		j->source = source;
		j->period_ns = source->period_ms ? period_of(s, source) :
						   s->env.interval_ns;
		j->due.ns = source->period_ms ? 0 : INT64_MAX;
	}
}

/* Also for sources that the other process reads, which slows none down. */
static void periods_tell(const struct driver *d)
{
	const struct sampler_env *env = &d->sampler->env;

	for (unsigned n = 0; env->period && d->table->sources[n]; n++)
		env->period(env->context, d->first_source + n,
			    d->job[n].source ? d->job[n].period_ns :
			    period_unslowed(d->sampler, d->table->sources[n]));
}

int sampler_driver_add(struct sampler *s, const struct platform_driver *driver,
		       struct diag *diag)
{
	struct driver *d = &s->driver[s->driver_count];
	struct platform_env env = {
		.abi = PLATFORM_ABI, .size = sizeof(env),
		.root_fd = s->env.root_fd, .blocking = s->env.blocking,
		.option_context = d, .option = driver_option,
		.host = &d->host };
	int rc;

	if (s->driver_count == PLATFORM_DRIVERS_MAX)
		return diag_set(diag, -ENOSPC, "more than %d drivers",
				PLATFORM_DRIVERS_MAX);
	memset(d, 0, sizeof(*d));
	d->sampler = s;
	d->table = driver;
	d->fd = -1;
	rc = s->env.host(s->env.context, driver, &d->first_source, &d->host);
	if (rc < 0)
		return diag_set(diag, rc, "driver %s: no room for its sources",
				driver->name);
	d->timer = loop_timer_add(s->env.loop, (struct mono){ INT64_MAX }, 0,
				  driver_due, d);
	if (d->timer < 0)
		return diag_set(diag, -ENOSPC, "driver %s: no timer left",
				driver->name);
	rc = driver->open(&env, &d->instance, diag);
	if (rc < 0)
		return rc;
	jobs_make(d);
	rc = driver->inventory ? driver->inventory(d->instance, diag) : 0;
	if (rc < 0 && rc != -ENODATA) {
		driver->close(d->instance);
		return rc;
	}
	driver_watch(d);
	s->driver_count++;
	phases_spread(s);
	periods_tell(d);
	return (int)s->driver_count - 1;
}

/* A source whose period got shorter is due within the new period. */
static void periods_apply(struct sampler *s)
{
	int64_t now_ns = clock_mono_now().ns;

	for (unsigned i = 0; i < s->driver_count; i++) {
		for (unsigned n = 0; n < s->driver[i].job_count; n++) {
			struct source_job *j = &s->driver[i].job[n];

			if (!j->source || !j->source->period_ms)
				continue;
			j->period_ns = period_of(s, j->source);
			if (j->due.ns > now_ns + j->period_ns)
				j->due.ns = now_ns + j->period_ns;
		}
		periods_tell(&s->driver[i]);
	}
	phases_spread(s);
}

void sampler_reload(struct sampler *s, int64_t interval_ns)
{
	if (interval_ns == s->env.interval_ns)
		return;
	s->env.interval_ns = interval_ns;
	loop_timer_at(s->env.loop, s->tick_timer,
		      (struct mono){ loop_next_due_ns(0, interval_ns,
						      clock_mono_now().ns) },
		      interval_ns);
	periods_apply(s);
}

void sampler_slow(struct sampler *s, unsigned steps)
{
	s->slowed = steps;
	periods_apply(s);
}

void sampler_findings(struct sampler *s, const struct finding *open,
		      size_t count, struct mono now)
{
	for (unsigned i = 0; i < s->driver_count; i++) {
		struct driver *d = &s->driver[i];

		if (!d->table->findings)
			continue;
		d->table->findings(d->instance, open, count, now);
		driver_watch(d);
	}
}

/* Its read had returned -EINPROGRESS. */
static void job_ended(struct sampler *s, struct source_job *j)
{
	j->busy = false;
	if (j->told_failure)
		job_retry(s, j, loop_now(s->env.loop), false);
	else
		j->failures = 0;
}

/* The driver has read it by itself, and it is well again: from here on it is
 * read at its own times, not when its failures would have it read.
 */
static void job_recovered(const struct sampler *s, struct source_job *j)
{
	int64_t due_ns = loop_next_due_ns(j->phase_ns - j->period_ns,
					  j->period_ns,
					  loop_now(s->env.loop).ns);

	j->failures = 0;
	if (due_ns < j->due.ns)
		j->due.ns = due_ns;
}

void sampler_ended(struct sampler *s, unsigned source, bool failed)
{
	for (unsigned i = 0; i < s->driver_count; i++) {
		struct driver *d = &s->driver[i];
		struct source_job *j;

		if (source < d->first_source ||
		    source >= d->first_source + d->job_count)
			continue;
		j = &d->job[source - d->first_source];
		j->told_failure = failed;
		if (j->busy)
			job_ended(s, j);
		else if (!failed && j->failures > 0)
			job_recovered(s, j);
		if (!j->awaited)
			return;
		j->awaited = false;
		if (--s->awaited == 0)	/* after what else came in with it */
			loop_timer_at(s->env.loop, s->close_timer,
				      (struct mono){ 0 }, 0);
		return;
	}
}

uint64_t sampler_late(const struct sampler *s)
{
	return s->late;
}
