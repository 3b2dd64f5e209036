#include "agent/spool/spool_view.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define READS_MAX 18u	/* three collectors, two runs, three streams */
#define PIECE_OCTETS WIRE_BODY_MAX	/* most octets fetched at a time */

/* A piece of a stream, from first on. */
struct view_read {
	bool is_wanted;		/* the thread's until it is answered */
	uint64_t used;		/* when, counted in reads; 0: never */
	uint64_t run;
	enum stream stream;
	uint64_t first, next;	/* next == first: not there, but */
	uint64_t from;		/* this one is; 0: none */
	uint64_t given;		/* copied last; it lies at given_at */
	size_t given_at;
	size_t len;
	uint8_t *octets;	/* PIECE_OCTETS, of the view's room */
};

struct spool_view {
	pthread_mutex_t lock;	/* for all but answered_fd */
	pthread_cond_t called;
	bool is_called;
	bool is_known;		/* the thread has set it */
	bool has_spool;
	bool is_given_up;
	int answered_fd;
	uint64_t reads;
	struct spool_run past;	/* acknowledged up to past_held; run 0: none */
	struct positions past_held;
	struct view_read read[READS_MAX];
	uint8_t *room;
	struct spool_index index;
};

int spool_view_new(struct spool_view **ret)
{
	struct spool_view *v = calloc(1, sizeof(*v));
	int err = -ENOMEM;

	if (!v)
		return err;
	v->room = malloc((size_t)READS_MAX * PIECE_OCTETS);
	v->answered_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (v->answered_fd < 0)
		err = -errno;
	if (v->answered_fd < 0 || !v->room)
		goto fail;
	for (unsigned i = 0; i < READS_MAX; i++)
		v->read[i].octets = v->room + (size_t)i * PIECE_OCTETS;
	(void)pthread_mutex_init(&v->lock, NULL);	/* never fails */
	(void)pthread_cond_init(&v->called, NULL);
	*ret = v;
	return 0;
fail:
	if (v->answered_fd >= 0)
		(void)close(v->answered_fd);
	free(v->room);
	free(v);
	return err;
}

void spool_view_free(struct spool_view *v)
{
	if (!v)
		return;
	free(v->room);
	(void)pthread_mutex_destroy(&v->lock);
	(void)pthread_cond_destroy(&v->called);
	(void)close(v->answered_fd);
	free(v);
}

static void lock(struct spool_view *v)
{
	(void)pthread_mutex_lock(&v->lock);	/* ours, and initialised */
}

static void unlock(struct spool_view *v)
{
	(void)pthread_mutex_unlock(&v->lock);	/* the same */
}

/* --- the sender's --------------------------------------------------------- */

int spool_view_fd(const struct spool_view *v)
{
	return v->answered_fd;
}

void spool_view_answered(struct spool_view *v)
{
	uint64_t count;

	(void)!read(v->answered_fd, &count, sizeof(count));	/* or none */
}

/* Under the lock. */
static void call(struct spool_view *v)
{
	v->is_called = true;
	(void)pthread_cond_signal(&v->called);
}

void spool_view_call(struct spool_view *v)
{
	lock(v);
	call(v);
	unlock(v);
}

void spool_view_doubt(struct spool_view *v)
{
	lock(v);
	v->is_known = false;
	unlock(v);
}

void spool_view_give_up(struct spool_view *v, bool is_given_up)
{
	lock(v);
	v->is_given_up = is_given_up;
	unlock(v);
}

bool spool_view_is_given_up(struct spool_view *v)
{
	bool is_given_up;

	lock(v);
	is_given_up = v->is_given_up;
	unlock(v);
	return is_given_up;
}

uint64_t spool_view_end(struct spool_view *v, uint64_t run,
			enum stream stream)
{
	uint64_t end;

	lock(v);
	end = spool_end(&v->index, run, stream);
	unlock(v);
	return end;
}

uint64_t spool_view_from(struct spool_view *v, uint64_t run,
			 enum stream stream, uint64_t sequence)
{
	uint64_t from;

	lock(v);
	from = spool_from(&v->index, run, stream, sequence);
	unlock(v);
	return from;
}

bool spool_view_past(struct spool_view *v, uint64_t present,
		     struct spool_run *ret)
{
	bool is_there;

	lock(v);
	is_there = spool_past(&v->index, present, ret);
	unlock(v);
	return is_there;
}

void spool_view_ack(struct spool_view *v, uint64_t run,
		    const struct positions *held)
{
	lock(v);
	v->past.run = run;
	v->past_held = *held;
	call(v);
	unlock(v);
}

/* The piece that has this record, or is asked for it; NULL: none. */
static struct view_read *read_find(struct spool_view *v, uint64_t run,
				   enum stream stream, uint64_t sequence)
{
	for (unsigned i = 0; i < READS_MAX; i++) {
		struct view_read *r = &v->read[i];

		if (!r->used || r->run != run || r->stream != stream)
			continue;
		if (r->first == sequence ||	/* next is being set */
		    (!r->is_wanted && r->first < sequence &&
		     sequence < r->next))
			return r;
	}
	return NULL;
}

/* Requests a piece in the slot that was used longest ago. */
static void read_ask(struct spool_view *v, uint64_t run, enum stream stream,
		     uint64_t sequence)
{
	struct view_read *oldest = NULL;

	for (unsigned i = 0; i < READS_MAX; i++) {
		struct view_read *r = &v->read[i];

		if (!r->is_wanted && (!oldest || r->used < oldest->used))
			oldest = r;
	}
	if (!oldest)
		return;		/* the caller asks again */
	oldest->is_wanted = true;
	oldest->used = ++v->reads;
	oldest->run = run;
	oldest->stream = stream;
	oldest->first = oldest->next = sequence;
	oldest->given = oldest->given_at = oldest->len = 0;
	call(v);
}

/* Whether the piece has it. */
static int record_copy(struct view_read *r, uint64_t sequence, void *ret,
		       size_t cap)
{
	size_t len = 0, at = sequence >= r->given ? r->given_at : 0;
	struct cursor c = cursor_of(r->octets + at, r->len - at);
	struct record_header h = { .sequence = 0 };
	const uint8_t *payload;

	while (h.sequence != sequence) {
		at += len;
		if (record_read(&c, &h, &payload) < 0)
			return -ESTALE;	/* it was checked when it was read */
		len = RECORD_HEADER_LEN + h.length;
	}
	if (len > cap)
		return -ENOBUFS;
	r->given = sequence;
	r->given_at = at;
	memcpy(ret, r->octets + at, len);
	return (int)len;
}

/* Under the lock. */
static int read_now(struct spool_view *v, uint64_t run, enum stream stream,
		    uint64_t sequence, void *ret, size_t cap,
		    uint64_t *ret_from)
{
	struct view_read *r = read_find(v, run, stream, sequence);

	if (!r)
		read_ask(v, run, stream, sequence);
	if (!r || r->is_wanted)
		return -EAGAIN;
	r->used = ++v->reads;
	if (sequence < r->next)
		return record_copy(r, sequence, ret, cap);
	*ret_from = r->from;
	r->used = 0;
	return -ESTALE;
}

int spool_view_read(struct spool_view *v, uint64_t run, enum stream stream,
		    uint64_t sequence, void *ret, size_t cap,
		    uint64_t *ret_from)
{
	int len = -EAGAIN;

	*ret_from = 0;
	lock(v);
	if (v->is_known && !v->has_spool)
		len = -ESTALE;
	else
		len = read_now(v, run, stream, sequence, ret, cap, ret_from);
	unlock(v);
	return len;
}

/* --- the thread's --------------------------------------------------------- */

void spool_view_wait(struct spool_view *v)
{
	lock(v);
	while (!v->is_called)
		(void)pthread_cond_wait(&v->called, &v->lock);
	v->is_called = false;
	unlock(v);
}

void spool_view_tell(struct spool_view *v)
{
	static const uint64_t one = 1;

	(void)!write(v->answered_fd, &one, sizeof(one));
}

static void index_copy(struct spool_view *v, const struct spool *s)
{
	const struct spool_index *index = s ? spool_index(s) : NULL;

	lock(v);
	v->index.count = index ? index->count : 0;
	if (index)
		memcpy(v->index.segment, index->segment,
		       index->count * sizeof(index->segment[0]));
	v->has_spool = s;
	v->is_known = true;
	unlock(v);
}

/* No lock: while it is wanted nobody else uses it. */
static void read_fill(struct view_read *r, struct spool *s)
{
	uint64_t next = r->first;
	int len = 0;

	while (s && len >= 0) {
		len = spool_read(s, r->run, r->stream, next,
				 r->octets + r->len, PIECE_OCTETS - r->len);
		r->len += len > 0 ? (size_t)len : 0;
		next += len > 0;
	}
	r->from = s ? spool_from(spool_index(s), r->run, r->stream,
				 r->first + 1) : 0;
	r->next = next;
}

void spool_view_serve(struct spool_view *v, struct spool *s)
{
	struct positions held;
	bool any = false;
	uint64_t past;

	lock(v);
	past = v->past.run;
	held = v->past_held;
	v->past.run = 0;
	unlock(v);
	if (s && past)
		spool_ack(s, past, &held);
	index_copy(v, s);
	for (unsigned i = 0; i < READS_MAX; i++) {
		struct view_read *r = &v->read[i];
		bool is_wanted;

		lock(v);
		is_wanted = r->is_wanted;
		unlock(v);
		if (!is_wanted)
			continue;
		read_fill(r, s);
		lock(v);
		r->is_wanted = false;
		unlock(v);
		any = true;
	}
	if (any)
		spool_view_tell(v);
}
