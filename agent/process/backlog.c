#include "agent/process/backlog.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/base/folder.h"
#include "agent/base/path.h"
#include "agent/base/ring.h"
#include "agent/process/home.h"
#include "petrel/log.h"

#define PATH HOME_STATE_DIR "/" BACKLOG_FOLDER
#define FOLDER_MODE 0700
#define SEGMENT_OCTETS (1u << 20)
#define SEGMENTS_LEAST 16u	/* of a small spool: they go one by one */
#define AGAIN_NS (60 * NS_PER_S)
#define NOTE_NS (3600 * NS_PER_S)
#define RECORDS_PER_TURN 4096u	/* then the loop looks at its other work */

/* Once for each reason. */
static void fault_tell(struct backlog *b, int rc)
{
	struct control_spool *c = &b->env->control->spool;
	char why[PATH_REASON_MAX];

	if (rc < 0 && atomic_load(&c->fault) != -rc) {
		path_reason(b->env->root_fd, PATH, rc, why);
		log_warn("spool", "records are not kept in /" PATH ": %s",
			 why);
	}
	if (rc == 0 && atomic_load(&c->fault))
		log_notice("spool", "records are kept in /" PATH " again");
	atomic_store(&c->fault, -rc);
}

static int folder_open(const struct backlog *b)
{
	int fd, rc, state = path_open(b->env->root_fd, HOME_STATE_DIR,
				      O_RDONLY | O_DIRECTORY);

	if (state < 0)
		return state;
	rc = folder_check(state, HOME_STATE_DIR, NULL);
	if (rc == 0 && mkdirat(state, BACKLOG_FOLDER, FOLDER_MODE) < 0 &&
	    errno != EEXIST)
		rc = -errno;
	fd = rc < 0 ? rc : openat(state, BACKLOG_FOLDER, O_RDONLY |
				  O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (rc == 0 && fd < 0)
		fd = -errno;
	(void)close(state);	/* only looked at */
	rc = fd < 0 ? fd : folder_check(fd, PATH, NULL);
	if (fd >= 0 && rc < 0)
		(void)close(fd);
	return rc < 0 ? rc : fd;
}

static int spool_begin(struct backlog *b, const struct config *c,
		       struct mono now)
{
	struct spool_limits limits = {
		.held_octets = c->spool_octets,
		.segment_octets = c->spool_octets / SEGMENTS_LEAST,
		.day_octets = (int64_t)c->spool_day_octets,
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

void backlog_open(struct backlog *b, struct process_env *env,
		  const struct config *c, struct mono now)
{
	*b = (struct backlog){ .env = env, .dir_fd = -1, .tried = now,
			       .synced = now, .noted = now };
	if (c->collector[0][0] && c->spool_octets > 0)
		fault_tell(b, spool_begin(b, c, now));
}

void backlog_close(struct backlog *b)
{
	spool_close(b->spool);
	if (b->dir_fd >= 0)
		(void)close(b->dir_fd);
	b->spool = NULL;
	b->dir_fd = -1;
}

/* The record of a sequence, or the oldest one behind it. Returns its length or
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

/* Returns 0 when all is there, -EAGAIN when there is more, or why not. */
static int stream_copy(struct backlog *b, enum stream stream, uint64_t held,
		       unsigned records, struct mono now)
{
	const struct spool_run run = { b->env->rings->run,
				       b->env->rings->previous_run };
	uint64_t spooled = spool_last(b->spool, run.run, stream);
	uint64_t next = (spooled > held ? spooled : held) + 1;

	for (; records > 0; records--, next++) {
		int len = record_next(b, stream, &next);
		int rc = len < 0 ? 0 : spool_append(b->spool, &run, b->record,
						    (size_t)len, now);

		if (len < 0)
			return 0;
		if (rc == -EDQUOT || rc == -ENOSPC || rc == -EEXIST)
			return 0;	/* it is counted */
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

/* Where the streams end now, whatever of them is kept: after a reboot nobody
 * else knows it.
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

static int copy(struct backlog *b, const struct positions *held,
		unsigned records, struct mono now)
{
	const struct spool_run run = { .run = b->env->rings->run };
	uint64_t findings = spool_last(b->spool, run.run, STREAM_FINDINGS);
	int rc = 0;

	for (unsigned i = 0; i < STREAM_COUNT && rc >= 0; i++) {
		rc = stream_copy(b, i, held->last[i], records, now);
		if (rc == -EAGAIN)
			rc = 0;
	}
	if (rc == 0 && (mono_diff_ns(now, b->synced) >= BACKLOG_SYNC_NS ||
			spool_last(b->spool, run.run, STREAM_FINDINGS) >
			findings))
		rc = sync_now(b, now);
	if (rc == 0 && mono_diff_ns(now, b->noted) >= NOTE_NS)
		rc = ends_note(b, now);
	return rc;
}

void backlog_tend(struct backlog *b, const struct config *c,
		  const struct positions *held, bool is_outage,
		  struct mono now)
{
	if (!b->spool && c->collector[0][0] && c->spool_octets > 0 &&
	    mono_diff_ns(now, b->tried) >= AGAIN_NS) {
		b->tried = now;
		fault_tell(b, spool_begin(b, c, now));
	}
	if (!b->spool)
		return;
	spool_ack(b->spool, b->env->rings->run, held);
	if (is_outage)
		fault_tell(b, copy(b, held, RECORDS_PER_TURN, now));
	status_publish(b);
}

void backlog_flush(struct backlog *b, const struct positions *held,
		   struct mono now)
{
	int rc = 0;

	if (!b->spool)
		return;
	for (unsigned i = 0; i < STREAM_COUNT && rc >= 0; i++)
		rc = stream_copy(b, i, held->last[i], UINT32_MAX, now);
	if (rc == 0)
		rc = sync_now(b, now);
	fault_tell(b, rc < 0 ? rc : ends_note(b, now));
	status_publish(b);
}
