/* Two readers, one pass: the sink goes on from its cursor, the newest values
 * from the reference batches that were in force, which lie before it. Each
 * entry is given to whoever has not had it. A failed transaction goes back to
 * the cursor; the newest values do not see its entries again.
 */
#include "agent/collect/feed.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "petrel/log.h"

#define ENTRIES_PER_COMMIT 1024
#define RETRY_S 1

struct feed {
	struct feed_env env;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	/* Under the mutex: */
	struct place allowed;
	struct feed_count count;
	bool stop;
	/* The thread's: */
	struct follow *follow;
	bool is_down;		/* the database; told */
};

/* Waits until something may be read, or for a while after a failure. Returns
 * false when it is time to end.
 */
static bool feed_wait(struct feed *f, const struct place *at,
		      bool after_failure, struct place *ret_end)
{
	struct timespec until;
	bool go_on;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += RETRY_S;
	(void)pthread_mutex_lock(&f->mutex);
	while (!f->stop && after_failure &&
	       pthread_cond_timedwait(&f->changed, &f->mutex, &until) == 0)
		;
	while (!f->stop && !place_is_before(at, &f->allowed))
		(void)pthread_cond_wait(&f->changed, &f->mutex);
	go_on = !f->stop;
	*ret_end = f->allowed;
	(void)pthread_mutex_unlock(&f->mutex);
	return go_on;
}

static void progress_publish(struct feed *f, struct place at)
{
	struct feed_count count;

	sink_count(f->env.sink, &count.sink);
	known_count(f->env.known, &count.known);
	count.place = at;
	(void)pthread_mutex_lock(&f->mutex);
	f->count = count;
	(void)pthread_mutex_unlock(&f->mutex);
}

static int rotten_tell(const struct feed *f)
{
	struct place at = follow_place(f->follow);

	log_err("collector", "spool before segment=%llu offset=%llu: octets "
		"that are no entry were skipped",
		(unsigned long long)at.segment, (unsigned long long)at.offset);
	return 0;
}

static void database_down(struct feed *f, const struct diag *d)
{
	sink_back(f->env.sink);
	if (!f->is_down)
		log_err("collector", "sink=sqlite down: %s", d->text);
	f->is_down = true;
}

/* Gives an entry to whoever has not taken it in yet. */
static int entry_feed(struct feed *f, const struct entry *e, struct diag *d)
{
	struct place behind = follow_place(f->follow), at = behind;
	int err = 0;

	at.offset -= entry_size(e);
	if (!place_is_before(&at, &f->env.known_from)) {
		(void)known_entry(f->env.known, e);	/* it counts */
		f->env.known_from = behind;
	}
	if (!place_is_before(&at, &f->env.sink_from))
		err = sink_entry(f->env.sink, e, d);
	return err;
}

/* What lies between place and end, one transaction.
 * Returns -EIO when the database failed: start again from its cursor.
 */
static int entries_feed(struct feed *f, struct place end, struct diag *d)
{
	struct place at;
	struct entry e;
	int err = 0;

	for (unsigned i = 0; i < ENTRIES_PER_COMMIT && err == 0; i++) {
		err = follow_next(f->follow, &end, &e);
		if (err == 0)
			err = entry_feed(f, &e, d);
		else if (err == -EBADMSG)
			err = rotten_tell(f);
		else if (err != -EAGAIN)
			err = diag_set(d, err, "the spool cannot be read: %s",
				       strerror(-err));
	}
	if (err < 0 && err != -EAGAIN)
		return err;
	at = follow_place(f->follow);
	if (!place_is_before(&f->env.sink_from, &at))
		return 0;
	err = sink_commit(f->env.sink, at, d);
	if (err == 0)
		f->env.sink_from = at;
	return err;
}

static int follow_again(struct feed *f)
{
	struct place from = f->env.sink_from;

	if (place_is_before(&f->env.known_from, &from))
		from = f->env.known_from;
	follow_close(f->follow);
	return follow_open(&disk_durable, f->env.dir_fd, from, &f->follow);
}

static void *feed_thread(void *context)
{
	struct feed *f = context;
	struct place at = follow_place(f->follow), end;
	bool failed = false;

	while (feed_wait(f, &at, failed, &end)) {
		struct diag d;
		int err = entries_feed(f, end, &d);

		failed = err < 0;
		if (failed) {
			database_down(f, &d);
			if (follow_again(f) < 0)
				log_err("collector", "sink=sqlite cannot "
					"read the spool");
		} else if (f->is_down) {
			f->is_down = false;
			log_notice("collector", "sink=sqlite up");
		}
		at = follow_place(f->follow);
		if (!failed)
			progress_publish(f, at);
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
	(void)pthread_mutex_init(&f->mutex, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&f->changed, &attr);
	(void)pthread_condattr_destroy(&attr);
	err = follow_again(f);
	if (err == 0) {
		f->count.place = follow_place(f->follow);
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
	(void)pthread_cond_signal(&f->changed);
	(void)pthread_mutex_unlock(&f->mutex);
}

uint64_t feed_segment(struct feed *f)
{
	uint64_t segment;

	(void)pthread_mutex_lock(&f->mutex);
	segment = f->count.place.segment;
	(void)pthread_mutex_unlock(&f->mutex);
	return segment;
}

void feed_count(struct feed *f, struct feed_count *ret)
{
	(void)pthread_mutex_lock(&f->mutex);
	*ret = f->count;
	(void)pthread_mutex_unlock(&f->mutex);
}
