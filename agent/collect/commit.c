/* What the collector restores at its start from its spool: positions,
 * dictionaries, where the sinks resume; and then group commit: a thread syncs,
 * one job at a time, and meanwhile the next group gathers.
 */
#include "agent/collect/commit.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "petrel/log.h"

enum sync_state { SYNC_IDLE, SYNC_ASKED, SYNC_ENDED, SYNC_STOP };

struct commit {
	struct store *store;
	struct ledger *ledger;
	struct store_env of_store;	/* each and context: during a scan */
	bool is_short_told;	/* lack of descriptors */
	struct place durable;	/* all before it is durable */
	struct place end;	/* end of the present sync */
	struct mono begun;	/* that sync's start */
	int event_fd;		/* written to when a job ends */
	bool has_thread;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	/* Under the mutex: */
	enum sync_state state;
	struct store_job job;
	int result;
};

/* --- the start ------------------------------------------------------------ */

/* State of a scan of the spool. */
struct scan {
	struct ledger *ledger;
	struct mono now;
	uint64_t bad;		/* entries whose content was invalid */
	/* Of the last segment: */
	uint64_t segment;
	size_t positions;
	bool has_records;
};

static void entry_scan(void *context, const struct entry *e, struct place at)
{
	struct scan *scan = context;

	if (at.segment != scan->segment) {
		scan->segment = at.segment;
		scan->positions = 0;
		scan->has_records = false;
	}
	scan->positions += e->kind == ENTRY_POSITIONS;
	scan->has_records |= e->kind == ENTRY_RECORDS;
	if (ledger_entry(scan->ledger, e, at, scan->now) < 0)
		scan->bad++;
}

static int run_compare(const void *a, const void *b)
{
	const struct run *x, *y;
	int order;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	order = strcmp(x->switch_id, y->switch_id);
	if (order != 0)
		return order;
	return place_is_before(&x->reference, &y->reference) ? -1 :
	       place_is_before(&y->reference, &x->reference);
}

/* Where the newest values begin: the oldest of the last reference batches of
 * the switches' last runs; end if there are none.
 */
static int known_begin(const struct ledger *l, struct place end,
			struct place *ret)
{
	const struct run **runs = calloc(ledger_count(l) + 1, sizeof(*runs));
	struct place from = end;
	size_t n = 0;

	if (!runs)
		return -ENOMEM;
	for (const struct run *r = ledger_next(l, NULL); r;
	     r = ledger_next(l, r))
		if (r->reference.segment > 0)
			runs[n++] = r;
	if (n > 0)
		qsort(runs, n, sizeof(*runs), run_compare);
	for (size_t i = 0; i < n; i++) {
		bool is_last = i + 1 == n ||
			       strcmp(runs[i]->switch_id,
				      runs[i + 1]->switch_id) != 0;

		if (is_last && place_is_before(&runs[i]->reference, &from))
			from = runs[i]->reference;
	}
	free(runs);
	*ret = from;
	return 0;
}

static int positions_append(struct store *store, const struct ledger *ledger)
{
	uint8_t octets[ENTRY_POSITIONS_OCTETS];
	int err = 0;

	for (const struct run *r = ledger_next(ledger, NULL); r && err == 0;
	     r = ledger_next(ledger, r)) {
		struct writer w = writer_of(octets, sizeof(octets));

		ledger_positions_write(&w, r);
		err = store_append_head(store, octets, w.pos);
	}
	return err;
}

static void found_tell(const struct store_found *found, uint64_t bad,
		       const char *path)
{
	log_info("collector", "spool=%s segments=%llu entries=%llu", path,
		 (unsigned long long)found->segments,
		 (unsigned long long)found->entries);
	if (found->torn_octets > 0)
		log_warn("collector", "spool=%s torn tail: %llu octets "
			 "removed, which were never acknowledged", path,
			 (unsigned long long)found->torn_octets);
	if (found->rotten > 0 || bad > 0)
		log_err("collector", "spool=%s damaged in %llu places: those "
			"records are lost", path,
			(unsigned long long)(found->rotten + bad));
}

/* The positions at its head may be cut short, unless records follow them. */
static bool head_is_whole(const struct scan *scan)
{
	return scan->has_records ||
	       scan->positions >= ledger_count(scan->ledger);
}

/* Fills the ledger, which is empty; opens the spool if it is not open yet. */
static int spool_read(struct commit *c, struct diag *d)
{
	struct scan scan = { .ledger = c->ledger, .now = clock_mono_now() };
	struct store_env env = c->of_store;
	struct store_found found;
	int err;

	env.context = &scan;
	err = c->store ? store_mend(c->store, c->durable, &env, &found, d) :
			 store_open(&env, &found, &c->store, d);
	if (err < 0)
		return err;
	found_tell(&found, scan.bad, env.path);
	c->durable = store_end(c->store);
	if (found.torn_octets > 0 || !head_is_whole(&scan))
		err = positions_append(c->store, c->ledger);
	return err < 0 ? diag_set(d, err, "spool %s: %s", env.path,
				  strerror(-err)) : 0;
}

static int spool_open(struct commit *c, struct commit_env *env, struct diag *d)
{
	int err;

	c->of_store = (struct store_env){
		.path = env->config->spool,
		.octets_max = env->config->spool_octets,
		.first_number = env->database_from.segment + 1,
		.each = entry_scan };
	err = spool_read(c, d);
	if (err < 0)
		return err;
	err = known_begin(env->ledger, c->durable, &env->known_from);
	return err < 0 ? diag_set(d, err, "out of memory") : 0;
}

/* --- the thread ----------------------------------------------------------- */

static void *sync_thread(void *context)
{
	static const uint64_t one = 1;
	struct commit *c = context;

	(void)pthread_mutex_lock(&c->mutex);
	for (;;) {
		int result;

		while (c->state != SYNC_ASKED && c->state != SYNC_STOP)
			(void)pthread_cond_wait(&c->changed, &c->mutex);
		if (c->state == SYNC_STOP)
			break;
		(void)pthread_mutex_unlock(&c->mutex);
		result = store_job_do(&c->job);
		(void)pthread_mutex_lock(&c->mutex);
		c->result = result;
		if (c->state == SYNC_ASKED)
			c->state = SYNC_ENDED;
		/* an eventfd of one count cannot be full */
		(void)!write(c->event_fd, &one, sizeof(one));
	}
	(void)pthread_mutex_unlock(&c->mutex);
	return NULL;
}

static int thread_start(struct commit *c)
{
	int err;

	c->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->event_fd < 0)
		return -errno;
	err = -pthread_create(&c->thread, NULL, sync_thread, c);
	c->has_thread = err == 0;
	return err;
}

static void thread_end(struct commit *c)
{
	(void)pthread_mutex_lock(&c->mutex);
	c->state = SYNC_STOP;
	(void)pthread_cond_signal(&c->changed);
	(void)pthread_mutex_unlock(&c->mutex);
	(void)pthread_join(c->thread, NULL);
}

int commit_open(struct commit_env *env, struct commit **ret, struct diag *d)
{
	struct commit *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return diag_set(d, -ENOMEM, "out of memory");
	c->ledger = env->ledger;
	c->event_fd = -1;
	(void)pthread_mutex_init(&c->mutex, NULL);
	(void)pthread_cond_init(&c->changed, NULL);
	err = spool_open(c, env, d);
	if (err < 0)
		goto fail;
	err = thread_start(c);
	if (err < 0) {
		(void)diag_set(d, err, "cannot start: %s", strerror(-err));
		goto fail;
	}
	*ret = c;
	return 0;
fail:
	commit_close(c);
	return err;
}

void commit_close(struct commit *c)
{
	if (!c)
		return;
	if (c->has_thread)
		thread_end(c);
	store_close(c->store);
	if (c->event_fd >= 0)
		(void)close(c->event_fd);
	(void)pthread_cond_destroy(&c->changed);
	(void)pthread_mutex_destroy(&c->mutex);
	free(c);
}

int commit_event_fd(const struct commit *c)
{
	return c->event_fd;
}

struct store *commit_store(const struct commit *c)
{
	return c->store;
}

/* A new segment begins with all positions, so that it does not need earlier
 * ones. If no descriptor is left for one, the present one is continued.
 */
static int segment_begin(struct commit *c)
{
	int err = store_roll(c->store);

	if (err == -EMFILE || err == -ENFILE) {
		if (!c->is_short_told)
			log_warn("collector", "no descriptor is left for a new "
				 "segment of the spool: the present one "
				 "continues");
		c->is_short_told = true;
		return 0;
	}
	if (err == 0)
		err = positions_append(c->store, c->ledger);
	return err;
}

int commit_begin(struct commit *c, struct mono now)
{
	int err = store_wants_roll(c->store) ? segment_begin(c) : 0;

	if (err < 0)
		return err;
	c->end = store_end(c->store);
	c->begun = now;
	(void)pthread_mutex_lock(&c->mutex);
	assert(c->state == SYNC_IDLE);
	c->job = store_job(c->store);
	c->state = SYNC_ASKED;
	(void)pthread_cond_signal(&c->changed);
	(void)pthread_mutex_unlock(&c->mutex);
	return 0;
}

bool commit_is_busy(struct commit *c)
{
	bool busy;

	(void)pthread_mutex_lock(&c->mutex);
	busy = c->state != SYNC_IDLE;
	(void)pthread_mutex_unlock(&c->mutex);
	return busy;
}

int64_t commit_busy_ns(struct commit *c, struct mono now)
{
	return commit_is_busy(c) ? mono_diff_ns(now, c->begun) : 0;
}

int commit_take(struct commit *c, struct place *ret_end)
{
	uint64_t count;
	int result = -EAGAIN;

	if (read(c->event_fd, &count, sizeof(count)) < 0)
		return -EAGAIN;
	(void)pthread_mutex_lock(&c->mutex);
	if (c->state == SYNC_ENDED) {
		result = c->result;
		c->state = SYNC_IDLE;
	}
	(void)pthread_mutex_unlock(&c->mutex);
	if (result == 0)
		c->durable = c->end;
	*ret_end = c->end;
	return result;
}

int commit_mend(struct commit *c, struct diag *d)
{
	ledger_clear(c->ledger);
	return spool_read(c, d);
}
