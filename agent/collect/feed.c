#include "agent/collect/feed.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "petrel/clock.h"
#include "petrel/log.h"

#define ENTRIES_PER_COMMIT 1024
#define RETRY_DOUBLED_MAX 5u

struct feed {
	struct feed_env env;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	/* Under the mutex: */
	struct place allowed, kept;
	/* Where the spool ended at a time: mark until reached, done after. */
	struct place mark, done;
	struct mono marked;
	struct mono down;	/* since; 0: not down */
	struct sink_figures figures;
	bool stop;
	/* The thread's: */
	struct follow *follow;
	struct place committed;
	unsigned failures;	/* in a row */
	bool is_down;		/* and the log says so */
	struct place failed;	/* is behind the place where it failed */
	bool is_owed;		/* commit again what was given */
};

/* When to look again, whatever happens. */
static struct timespec wake_at(const struct feed *f)
{
	unsigned doubled = f->failures < RETRY_DOUBLED_MAX ? f->failures :
							     RETRY_DOUBLED_MAX;
	int64_t ns = clock_mono_now().ns + (doubled == 0 ? NS_PER_S :
		     f->env.retry_ns << (doubled - 1));

	return (struct timespec){ ns / NS_PER_S, (long)(ns % NS_PER_S) };
}

/* Waits until there may be something to read; a second at most, longer after
 * failures. Returns false at the end.
 */
static bool feed_wait(struct feed *f, struct place *ret_end)
{
	struct place at = follow_place(f->follow);
	struct timespec until = wake_at(f);
	bool go_on;

	(void)pthread_mutex_lock(&f->mutex);
	while (!f->stop && (f->failures || !place_is_before(&at, &f->allowed)))
		if (pthread_cond_timedwait(&f->changed, &f->mutex, &until) != 0)
			break;
	go_on = !f->stop;
	*ret_end = f->allowed;
	(void)pthread_mutex_unlock(&f->mutex);
	return go_on;
}

static void figures_publish(struct feed *f, const struct place *kept)
{
	struct sink_count count;

	if (f->env.driver->count)
		f->env.driver->count(f->env.sink, &count);
	else
		count = *(const struct sink_count *)f->env.sink;
	(void)pthread_mutex_lock(&f->mutex);
	f->figures.count = count;
	f->figures.retries += f->failures > 0;
	if (kept) {
		f->kept = *kept;
		f->done = f->committed;
	} else if (f->down.ns == 0) {
		f->down = clock_mono_now();
	}
	(void)pthread_mutex_unlock(&f->mutex);
}

static void rotten_tell(const struct feed *f)
{
	struct place at = follow_place(f->follow);

	log_err("collector", "spool before segment=%llu offset=%llu: damaged "
		"octets were skipped",
		(unsigned long long)at.segment, (unsigned long long)at.offset);
}

/* Reports segments that were removed before they were read. */
static void passed_over(struct feed *f, struct place from)
{
	uint64_t segments = follow_place(f->follow).segment - from.segment - 1;

	log_err("collector", "sink=%s: segments=%llu of the spool were removed "
		"before the sink read them", f->env.driver->name,
		(unsigned long long)segments);
	(void)pthread_mutex_lock(&f->mutex);
	f->figures.passed_over += segments;
	(void)pthread_mutex_unlock(&f->mutex);
}

/* Gives the next entry to the sink. Returns 1: commit; -EAGAIN: none yet. */
static int entry_give(struct feed *f, const struct place *end, struct diag *d)
{
	struct place from = follow_place(f->follow), at;
	struct entry e;
	int err = follow_next(f->follow, end, &e);

	at = follow_place(f->follow);
	if (from.segment > 0 && at.segment > from.segment + 1)
		passed_over(f, from);
	if (err == -EBADMSG) {
		rotten_tell(f);
		return 0;
	}
	if (err < 0)
		return err == -EAGAIN ? err :
		       diag_set(d, err, "the spool cannot be read: %s",
				strerror(-err));
	at.offset -= entry_size(&e);
	return f->env.driver->entry(f->env.sink, &e, at, d);
}

/* Gives the entries before end to the sink, and commits them. */
static int entries_give(struct feed *f, struct place end, struct diag *d)
{
	struct place at, kept;
	int err = f->is_owed ? 1 : 0;

	for (unsigned i = 0; i < ENTRIES_PER_COMMIT && err == 0; i++)
		err = entry_give(f, &end, d);
	if (err < 0 && err != -EAGAIN)
		return err;
	at = follow_place(f->follow);
	if (!f->is_owed && !f->env.driver->ticks &&
	    !place_is_before(&f->committed, &at))
		return 0;
	err = f->env.driver->commit(f->env.sink, at, &kept, d);
	f->is_owed = err == -EAGAIN;
	if (err < 0)
		return err;
	f->committed = at;
	figures_publish(f, &kept);
	return 0;
}

static int follow_again(struct feed *f)
{
	struct place from = f->env.driver->begin(f->env.sink);

	if (place_is_before(&f->env.end, &from)) {
		log_warn("collector", "sink=%s: the spool ends before the "
			 "sink's position: it was cut or replaced",
			 f->env.driver->name);
		from = f->env.end;
		f->failed = from;
	}
	follow_close(f->follow);
	f->follow = NULL;
	f->is_owed = false;
	f->committed = from;
	return follow_open(&disk_durable, f->env.dir_fd, from, &f->follow);
}

static void failure_tell(struct feed *f, const struct diag *d)
{
	struct place at = follow_place(f->follow);

	f->failures++;
	if (!f->is_down)
		log_err("collector", "sink=%s down: %s", f->env.driver->name,
			d->text);
	f->is_down = true;
	if (place_is_before(&f->failed, &at))
		f->failed = at;
	figures_publish(f, NULL);
}

/* It is up once what failed has succeeded: what it reads again before that is
 * no progress.
 */
static void success_tell(struct feed *f)
{
	f->failures = 0;
	if (!f->is_down || place_is_before(&f->committed, &f->failed))
		return;
	f->is_down = false;
	(void)pthread_mutex_lock(&f->mutex);
	f->down.ns = 0;
	(void)pthread_mutex_unlock(&f->mutex);
	log_notice("collector", "sink=%s up", f->env.driver->name);
}

static void *feed_thread(void *context)
{
	struct feed *f = context;
	struct place end;

	while (feed_wait(f, &end)) {
		struct diag d = { "" };
		int err = entries_give(f, end, &d);

		f->env.end = end;
		if (err == 0) {
			success_tell(f);
			continue;
		}
		if (err != -ESTALE)
			failure_tell(f, &d);
		if (err != -EAGAIN && follow_again(f) < 0) {
			log_err("collector", "sink=%s ends: out of memory",
				f->env.driver->name);
			break;
		}
	}
	return NULL;
}

static void feed_release(struct feed *f)
{
	follow_close(f->follow);
	(void)pthread_cond_destroy(&f->changed);
	(void)pthread_mutex_destroy(&f->mutex);
	free(f);
}

int feed_new(const struct feed_env *env, struct feed **ret)
{
	struct feed *f = calloc(1, sizeof(*f));
	pthread_condattr_t attr;
	int err;

	if (!f)
		return -ENOMEM;
	f->env = *env;
	f->figures.name = env->driver->name;
	(void)pthread_mutex_init(&f->mutex, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&f->changed, &attr);
	(void)pthread_condattr_destroy(&attr);
	err = follow_again(f);
	if (err == 0) {
		f->kept = f->done = f->committed;
		err = -pthread_create(&f->thread, NULL, feed_thread, f);
	}
	if (err < 0) {
		feed_release(f);
		return err;
	}
	*ret = f;
	return 0;
}

void feed_free(struct feed *f)
{
	if (!f)
		return;
	(void)pthread_mutex_lock(&f->mutex);
	f->stop = true;
	(void)pthread_cond_signal(&f->changed);
	(void)pthread_mutex_unlock(&f->mutex);
	(void)pthread_join(f->thread, NULL);
	feed_release(f);
}

void feed_allow(struct feed *f, struct place end)
{
	(void)pthread_mutex_lock(&f->mutex);
	f->allowed = end;
	if (!place_is_before(&f->done, &f->mark)) {
		f->mark = end;
		f->marked = clock_mono_now();
	}
	(void)pthread_cond_signal(&f->changed);
	(void)pthread_mutex_unlock(&f->mutex);
}

/* Under the mutex. */
static bool is_given_up(const struct feed *f)
{
	return f->env.give_up_ns > 0 && f->down.ns > 0 &&
	       mono_diff_ns(clock_mono_now(), f->down) > f->env.give_up_ns;
}

uint64_t feed_segment(struct feed *f)
{
	uint64_t segment;

	(void)pthread_mutex_lock(&f->mutex);
	segment = f->env.driver->is_volatile || is_given_up(f) ?
		  UINT64_MAX : f->kept.segment;
	(void)pthread_mutex_unlock(&f->mutex);
	return segment;
}

void feed_figures(struct feed *f, struct sink_figures *ret)
{
	(void)pthread_mutex_lock(&f->mutex);
	*ret = f->figures;
	ret->is_down = f->down.ns > 0;
	ret->is_given_up = is_given_up(f);
	ret->lag_ns = place_is_before(&f->done, &f->mark) ?
		      mono_diff_ns(clock_mono_now(), f->marked) : 0;
	(void)pthread_mutex_unlock(&f->mutex);
}
