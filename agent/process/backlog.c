#include "agent/process/backlog.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/folder.h"
#include "agent/base/path.h"
#include "agent/base/ring.h"
#include "agent/process/home.h"
#include "agent/process/remember.h"
#include "petrel/log.h"

#define PATH HOME_STATE_DIR "/" BACKLOG_FOLDER
#define FOLDER_MODE 0700
#define SEGMENT_OCTETS (1u << 20)
#define SEGMENTS_LEAST 16u	/* so that they go one by one */
#define AGAIN_NS (60 * NS_PER_S)
#define NOTE_NS (3600 * NS_PER_S)
#define RECORDS_PER_TURN 4096u	/* between answering reads */
#define STACK_OCTETS (256u << 10)
#define STOP_WAIT_S 5
#define GIVEN_UP_NS (60 * NS_PER_S)	/* then waiting records become a gap */
#define TRIED_NAME "tried"

/* Logs each reason once. */
static void fault_tell(struct backlog *b, int rc)
{
	struct control_spool *c = &b->env->control->spool;
	char why[PATH_REASON_MAX];

	if (rc < 0 && atomic_load(&c->fault) != -rc) {
		path_reason(b->env->root_fd, PATH, rc, why);
		log_warn("spool", "records are not saved in /" PATH ": %s",
			 why);
	}
	if (rc >= 0 && atomic_load(&c->fault))
		log_notice("spool", "records are saved in /" PATH " again");
	atomic_store(&c->fault, rc < 0 ? -rc : 0);
}

static int folder_open(const struct backlog *b)
{
	int fd, rc, state = path_open(b->env->root_fd, HOME_STATE_DIR,
				      O_RDONLY | O_DIRECTORY);

	if (state < 0)
		return state;
	rc = folder_check(state, HOME_STATE_DIR, NULL);
	if (rc == 0)
		rc = disk_folder(&disk_durable, state, BACKLOG_FOLDER,
				 FOLDER_MODE);
	fd = rc < 0 ? rc : openat(state, BACKLOG_FOLDER, O_RDONLY |
				  O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (rc == 0 && fd < 0)
		fd = -errno;
	(void)close(state);	/* read-only */
	rc = fd < 0 ? fd : folder_check(fd, PATH, NULL);
	if (fd >= 0 && rc < 0)
		(void)close(fd);
	return rc < 0 ? rc : fd;
}

static int spool_begin(struct backlog *b, const struct backlog_orders *o,
		       struct mono now)
{
	struct spool_limits limits = {
		.held_octets = o->held_octets,
		.segment_octets = o->held_octets / SEGMENTS_LEAST,
		.day_octets = (int64_t)o->day_octets,
		.budget = &b->env->control->spool.budget };
	int rc;

	if (limits.segment_octets > SEGMENT_OCTETS)
		limits.segment_octets = SEGMENT_OCTETS;
	b->dir_fd = folder_open(b);
	if (b->dir_fd < 0)
		return b->dir_fd;
	rc = spool_open(&disk_durable, b->dir_fd, &limits, now, &b->spool,
			NULL);
	if (rc < 0) {
		(void)close(b->dir_fd);
		b->dir_fd = -1;
	}
	return rc;
}

static void spool_shut(struct backlog *b)
{
	spool_close(b->spool);
	if (b->dir_fd >= 0)
		(void)close(b->dir_fd);
	b->spool = NULL;
	b->dir_fd = -1;
	b->is_dirty = false;
}

/* Opens the spool as wanted now; after a failure retries each minute. */
static void spool_tend(struct backlog *b, const struct backlog_orders *o,
		       struct mono now)
{
	bool is_anew = b->opened != o->opened;

	if (is_anew)
		spool_shut(b);
	b->opened = o->opened;
	if (b->spool || !o->held_octets ||
	    (!is_anew && mono_diff_ns(now, b->tried) < AGAIN_NS))
		return;
	b->tried = b->synced = b->noted = now;
	fault_tell(b, spool_begin(b, o, now));
}

/* The record of a sequence, or the oldest one after it. Returns its length or
 * -EAGAIN: there is none.
 */
static int record_next(struct backlog *b, enum stream stream,
		       uint64_t *inout_sequence)
{
	const struct ring *ring = b->env->rings->ring[stream];
	int len = ring_read(ring, *inout_sequence, &b->hint[stream],
			    b->record, sizeof(b->record));

	if (len != -ESTALE)
		return len < 0 ? -EAGAIN : len;
	*inout_sequence = ring_first(ring);
	len = ring_read(ring, *inout_sequence, &b->hint[stream], b->record,
			sizeof(b->record));
	return len < 0 ? -EAGAIN : len;
}

/* Refused by the spool's own limits, not by the disk, which may be full too. */
static bool is_refused(const struct backlog *b, int rc)
{
	struct spool_status s;

	spool_status(b->spool, &s);
	return s.refusal == -rc;
}

/* Returns 0 when all is copied, -EAGAIN when there is more, or an error. */
static int stream_copy(struct backlog *b, enum stream stream, uint64_t held,
		       unsigned records, struct mono now)
{
	const struct spool_run run = { b->env->rings->run,
				       b->env->rings->previous_run };
	uint64_t spooled = spool_last(spool_index(b->spool), run.run, stream);
	uint64_t next = (spooled > held ? spooled : held) + 1;

	for (; records > 0; records--, next++) {
		int len = record_next(b, stream, &next);
		int rc = len < 0 ? 0 : spool_append(b->spool, &run, b->record,
						    (size_t)len, now);

		if (len < 0)
			return 0;
		if (rc == -EEXIST || (rc < 0 && is_refused(b, rc)))
			return 0;	/* already counted */
		if (rc < 0 && rc != -EBADMSG)
			return rc;
		b->is_dirty |= rc == 0;
	}
	return -EAGAIN;
}

static void status_publish(const struct backlog *b)
{
	struct control_spool *c = &b->env->control->spool;
	struct spool_status s = { .fault = 0 };

	if (b->spool)
		spool_status(b->spool, &s);
	atomic_store(&c->held_octets, s.held_octets);
	atomic_store(&c->segments, s.segments);
	atomic_store(&c->dropped_records, s.dropped_records);
	atomic_store(&c->refusal, s.refusal);
}

static int sync_now(struct backlog *b, struct mono now)
{
	int rc = b->is_dirty ? spool_sync(b->spool) : 0;

	b->is_dirty &= rc < 0;
	b->synced = now;
	return rc;
}

/* Notes where the streams end now, whatever was kept: after a reboot nothing
 * else records it.
 */
static int ends_note(struct backlog *b, struct mono now)
{
	const struct spool_run run = { b->env->rings->run,
				       b->env->rings->previous_run };
	int rc = 0;

	for (unsigned i = 0; i < STREAM_COUNT && rc == 0; i++)
		rc = spool_note_end(b->spool, &run, i,
				    ring_next(b->env->rings->ring[i]) - 1);
	b->noted = now;
	return rc;
}

/* Returns 1 when there is more, or an error. */
static int copy(struct backlog *b, const struct positions *held,
		unsigned records, struct mono now)
{
	uint64_t run = b->env->rings->run;
	uint64_t findings = spool_last(spool_index(b->spool), run,
				       STREAM_FINDINGS);
	int rc = 0, is_more = 0;

	for (unsigned i = 0; i < STREAM_COUNT && rc >= 0; i++) {
		rc = stream_copy(b, i, held->last[i], records, now);
		is_more |= rc == -EAGAIN;
		if (rc == -EAGAIN)
			rc = 0;
	}
	if (rc == 0 && (mono_diff_ns(now, b->synced) >= BACKLOG_SYNC_NS ||
			spool_last(spool_index(b->spool), run,
				   STREAM_FINDINGS) > findings))
		rc = sync_now(b, now);
	if (rc == 0 && mono_diff_ns(now, b->noted) >= NOTE_NS)
		rc = ends_note(b, now);
	return rc < 0 ? rc : is_more;
}

static void flush(struct backlog *b, const struct positions *held,
		  struct mono now)
{
	int rc = 0;

	for (unsigned i = 0; i < STREAM_COUNT && rc >= 0; i++)
		rc = stream_copy(b, i, held->last[i], UINT32_MAX, now);
	if (rc == 0)
		rc = sync_now(b, now);
	fault_tell(b, rc < 0 ? rc : ends_note(b, now));
}

/* Probes a disk that failed and that nothing writes to now. */
static void disk_try(struct backlog *b, struct mono now)
{
	int rc;

	if (!atomic_load(&b->env->control->spool.fault) ||
	    mono_diff_ns(now, b->tried) < AGAIN_NS)
		return;
	b->tried = now;
	rc = disk_put(&disk_durable, b->dir_fd, TRIED_NAME, "", 1);
	(void)disk_durable.unlink(NULL, b->dir_fd, TRIED_NAME);	/* may fail */
	fault_tell(b, rc);
}

/* Saves what the core found out; the core itself writes to no disk. */
static void identity_keep(struct backlog *b)
{
	const struct control *c = b->env->control;
	struct control_identity is;

	if (atomic_load(&c->identity.generation) == b->identity_kept ||
	    !control_identity_get(c, &is) || !is.id[0])
		return;
	b->identity_kept = is.generation;
	home_remember(b->env->root_fd, b->env->run_dir_fd, &is);
}

/* Creates a key if the switch has lost its own. */
static void key_read(struct backlog *b, unsigned wanted)
{
	struct own_key key = { .token = "" };
	struct diag d = { "" };
	struct config c;

	if (b->keys_read == wanted)
		return;
	b->keys_read = wanted;
	(void)control_config(b->env->control, &c);
	if (own_key_load(b->env->root_fd, &c, true, &key, &d) == 0)
		d.text[0] = '\0';
	(void)pthread_mutex_lock(&b->lock);
	b->key = key;
	memcpy(b->key_fault, d.text, sizeof(b->key_fault));
	b->has_key = true;
	(void)pthread_mutex_unlock(&b->lock);
	explicit_bzero(&key, sizeof(key));
	spool_view_tell(b->view);
}

/* --- the thread ----------------------------------------------------------- */

/* Returns true when there is more to do. */
static bool work(struct backlog *b, const struct backlog_orders *o,
		 struct mono now)
{
	int rc = 0;

	key_read(b, o->keys_wanted);
	spool_tend(b, o, now);
	if (b->spool)
		spool_ack(b->spool, b->env->rings->run, &o->held);
	if (b->spool && o->is_last)
		flush(b, &o->held, now);
	else if (b->spool && o->is_outage)
		fault_tell(b, rc = copy(b, &o->held, RECORDS_PER_TURN, now));
	else if (b->spool)
		disk_try(b, now);
	status_publish(b);
	spool_view_serve(b->view, b->spool);
	identity_keep(b);
	if (o->is_last)
		(void)remember_copy_last(b->env, now);
	else if (o->copies)
		remember_copy(b->env, now);
	return rc > 0;
}

static void orders_take(struct backlog *b, struct backlog_orders *ret)
{
	(void)pthread_mutex_lock(&b->lock);	/* our own mutex */
	*ret = b->orders;
	b->orders.copies = b->orders.is_last = false;
	(void)pthread_mutex_unlock(&b->lock);
}

static void *backlog_thread(void *context)
{
	struct backlog *b = context;
	struct control_spool *c = &b->env->control->spool;
	struct backlog_orders o = { .stops = false };
	bool is_more = false;

	while (!o.stops) {
		struct mono now;

		if (!is_more)
			spool_view_wait(b->view);
		orders_take(b, &o);
		now = clock_mono_now();
		atomic_store(&c->busy_ns, now.ns);
		is_more = !o.stops && work(b, &o, now);
		atomic_store(&c->busy_ns, 0);
	}
	spool_shut(b);
	return NULL;
}

/* The loop's thread handles signals. */
static int thread_begin(struct backlog *b)
{
	sigset_t all, before;
	pthread_attr_t attributes;
	int rc;

	(void)sigfillset(&all);
	(void)pthread_attr_init(&attributes);
	(void)pthread_attr_setstacksize(&attributes, STACK_OCTETS);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&b->thread, &attributes, backlog_thread, b);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attributes);
	b->has_thread = rc == 0;
	return -rc;
}

int backlog_start(struct backlog *b, struct process_env *env)
{
	int rc;

	*b = (struct backlog){ .env = env, .dir_fd = -1 };
	(void)pthread_mutex_init(&b->lock, NULL);	/* never fails */
	/* the previous sender may have died while busy */
	atomic_store(&env->control->spool.busy_ns, 0);
	rc = spool_view_new(&b->view);
	return rc < 0 ? rc : thread_begin(b);
}

/* --- the sender's --------------------------------------------------------- */

bool backlog_stop(struct backlog *b)
{
	struct timespec until;

	if (b->has_thread) {
		(void)pthread_mutex_lock(&b->lock);
		b->orders.stops = true;
		(void)pthread_mutex_unlock(&b->lock);
		spool_view_call(b->view);
		(void)clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += STOP_WAIT_S;
		if (pthread_timedjoin_np(b->thread, NULL, &until) != 0)
			return false;
	}
	b->has_thread = false;
	spool_view_free(b->view);
	b->view = NULL;
	explicit_bzero(&b->key, sizeof(b->key));
	return true;
}

void backlog_key_want(struct backlog *b)
{
	(void)pthread_mutex_lock(&b->lock);
	b->orders.keys_wanted++;
	(void)pthread_mutex_unlock(&b->lock);
	spool_view_call(b->view);
}

bool backlog_key_take(struct backlog *b, struct own_key *ret,
		      char fault[static DIAG_MAX])
{
	bool has_key;

	(void)pthread_mutex_lock(&b->lock);
	has_key = b->has_key;
	if (has_key) {
		*ret = b->key;
		memcpy(fault, b->key_fault, sizeof(b->key_fault));
		explicit_bzero(&b->key, sizeof(b->key));
	}
	b->has_key = false;
	(void)pthread_mutex_unlock(&b->lock);
	return has_key;
}

void backlog_open(struct backlog *b, const struct config *c)
{
	(void)pthread_mutex_lock(&b->lock);
	b->orders.opened++;
	b->orders.held_octets = c->collector[0][0] ? c->spool_octets : 0;
	b->orders.day_octets = c->spool_day_octets;
	(void)pthread_mutex_unlock(&b->lock);
	spool_view_doubt(b->view);
	spool_view_call(b->view);
}

/* Logs when the disk hangs, and when it answers again. */
static void hung_tell(struct backlog *b, struct mono now)
{
	int64_t since = atomic_load(&b->env->control->spool.busy_ns);
	bool is_hung = since && now.ns - since >= DISK_HUNG_NS;

	spool_view_give_up(b->view, since && now.ns - since >= GIVEN_UP_NS);
	if (is_hung && !b->hung_told)
		log_warn("spool", "the disk of /" HOME_STATE_DIR " does not "
			 "answer; records wait in the rings");
	if (!is_hung && b->hung_told)
		log_notice("spool", "the disk of /" HOME_STATE_DIR " answers "
			   "again");
	b->hung_told = is_hung;
}

void backlog_tend(struct backlog *b, const struct positions *held,
		  bool is_outage, bool is_beat, struct mono now)
{
	hung_tell(b, now);
	(void)pthread_mutex_lock(&b->lock);
	b->orders.held = *held;
	b->orders.is_outage = is_outage;
	b->orders.copies |= is_beat;
	(void)pthread_mutex_unlock(&b->lock);
	spool_view_call(b->view);
}

void backlog_last(struct backlog *b, const struct positions *held)
{
	(void)pthread_mutex_lock(&b->lock);
	b->orders.held = *held;
	b->orders.is_last = true;
	(void)pthread_mutex_unlock(&b->lock);
	spool_view_call(b->view);
}
