#include "agent/spool/spool.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define DAY_NS (24 * 3600 * NS_PER_S)
/* The cost of a sync beside whole pages: inode and journal. */
#define PAGE_OCTETS 4096
#define EXTRA_OCTETS (2 * PAGE_OCTETS)

/* The segment being written for a stream; fd -1: none. */
struct spool_writer {
	int fd;
	uint64_t number;
	uint64_t synced;	/* sequence */
	uint64_t unsynced_octets;
	bool is_dirty;
};

/* The position being read in a stream; fd -1: none. */
struct spool_reader {
	int fd;
	uint64_t number;
	uint64_t next, offset;
};

struct spool {
	const struct disk *disk;
	int dir_fd;
	struct spool_limits limits;
	bool dir_is_dirty;	/* a segment was made since the last sync */
	bool saves[STREAM_COUNT];	/* saves up for a segment */
	uint64_t next_number;
	struct spool_writer writer[STREAM_COUNT];
	struct spool_reader reader[STREAM_COUNT];
	struct spool_status status;
	struct spool_index index;
};

/* --- segments ------------------------------------------------------------- */

static struct segment *segment_find(struct spool *s, uint64_t number)
{
	for (size_t i = s->index.count; i > 0; i--)
		if (s->index.segment[i - 1].number == number)
			return &s->index.segment[i - 1];
	return NULL;
}

static void fd_close(struct spool *s, int *fd)
{
	if (*fd >= 0)
		(void)s->disk->close(s->disk->context, *fd);
	*fd = -1;
}

static void segment_drop(struct spool *s, struct segment *seg)
{
	struct spool_writer *w = &s->writer[seg->stream];
	struct spool_reader *r = &s->reader[seg->stream];
	char name[SEGMENT_NAME_LEN + 1];

	if (w->fd >= 0 && w->number == seg->number)
		fd_close(s, &w->fd);
	if (r->fd >= 0 && r->number == seg->number)
		fd_close(s, &r->fd);
	segment_name(seg->number, name);
	/* if that fails, it is found again and acknowledged again */
	(void)s->disk->unlink(s->disk->context, s->dir_fd, name);
	s->status.held_octets -= seg->octets;
	s->index.count--;
	memmove(seg, seg + 1,
		(size_t)(s->index.segment + s->index.count - seg) *
		sizeof(*seg));
}

/* The oldest segment of the least valuable stream, no more valuable than this
 * one; NULL: none. A note is dropped only if the index is full.
 */
static struct segment *least_find(struct spool *s, enum stream stream)
{
	struct segment *least = NULL;

	for (size_t i = 0; i < s->index.count; i++) {
		struct segment *seg = &s->index.segment[i];

		if (seg->stream >= stream && !segment_is_note(seg) &&
		    (!least || seg->stream > least->stream))
			least = seg;
	}
	if (!least && s->index.count == SPOOL_SEGMENTS_MAX &&
	    segment_is_note(s->index.segment))
		return s->index.segment;
	return least;
}

/* Makes room; a note keeps the fact that there were such records. */
static void segment_forget(struct spool *s, struct segment *seg)
{
	struct spool_run run = { seg->run, seg->previous_run };
	enum stream stream = seg->stream;
	uint64_t last = seg->last;
	bool is_note = segment_is_note(seg);

	s->status.dropped_records += is_note ? 0 : last + 1 - seg->first;
	segment_drop(s, seg);
	if (!is_note)
		(void)spool_note_end(s, &run, stream, last);
}

/* Makes room for so many more octets of a stream; drops less valuable ones. */
static int room_make(struct spool *s, enum stream stream, size_t len,
		     bool is_new)
{
	while (s->status.held_octets + len > s->limits.held_octets ||
	       (is_new && s->index.count == SPOOL_SEGMENTS_MAX)) {
		struct segment *seg = least_find(s, stream);

		if (!seg)
			return -ENOSPC;
		segment_forget(s, seg);
	}
	return 0;
}

/* --- budget of writes ----------------------------------------------------- */

static void budget_count(const struct spool_limits *l, struct mono now)
{
	int64_t most = l->day_octets / 2;
	int64_t ns = mono_diff_ns(now, l->budget->counted);
	int64_t more = ns >= DAY_NS ? most :
		       ns / NS_PER_MS * most / (DAY_NS / NS_PER_MS);

	if (more <= 0)
		return;		/* the time goes on counting */
	l->budget->octets += more;
	if (l->budget->octets > most)
		l->budget->octets = most;
	l->budget->counted = now;
}

/* A quarter is reserved for states and findings, half of that for findings. */
static bool budget_has(const struct spool_limits *l, enum stream stream,
		       size_t len)
{
	static const int64_t kept_back[STREAM_COUNT] = {
		[STREAM_STATES] = 16, [STREAM_SAMPLES] = 8,
	};
	int64_t back = kept_back[stream] ?
		       l->day_octets / kept_back[stream] : 0;

	return l->budget->octets - (int64_t)len >= back;
}

/* The same; a refused stream waits for a whole segment, findings do not. */
static bool budget_allows(struct spool *s, const struct record_header *h,
			  size_t len)
{
	int64_t most = s->limits.day_octets / 64;
	size_t wanted = len;

	if (s->saves[h->stream]) {
		if ((int64_t)s->limits.segment_octets < most)
			most = (int64_t)s->limits.segment_octets;
		if (h->stream == STREAM_SAMPLES &&
		    !(h->flags & RECORD_FLAG_REFERENCE))
			return false;
		wanted += (size_t)most;
	}
	s->saves[h->stream] = !budget_has(&s->limits, h->stream, wanted) &&
			      h->stream != STREAM_FINDINGS;
	return budget_has(&s->limits, h->stream, wanted);
}

/* Charges what is there as written: a boot gives only the rest, and what is
 * reserved for states and findings.
 */
static void budget_begin(struct spool *s, struct mono now)
{
	struct spool_budget *b = s->limits.budget;
	int64_t rest = s->limits.day_octets / 2 -
		       (int64_t)s->status.held_octets;
	int64_t least = s->limits.day_octets / 8;

	if (b->counted.ns != 0)
		return;
	b->octets = rest > least ? rest : least;
	b->counted = now;
}

static void budget_take(const struct spool_limits *l, uint64_t octets)
{
	l->budget->octets -= (int64_t)octets;
	l->budget->written += octets;
}

/* --- writing -------------------------------------------------------------- */

/* Otherwise the next start would find data that may be in memory only; no later
 * sync reports it.
 */
static void tail_cut(struct spool *s, const struct spool_writer *w,
		     struct segment *seg)
{
	uint64_t synced = seg->octets - w->unsynced_octets;

	seg->last = w->synced;
	if (s->disk->truncate(s->disk->context, w->fd, synced) < 0)
		return;		/* the disk is gone, or faulty throughout */
	s->status.held_octets -= w->unsynced_octets;
	seg->octets = synced;
}

/* The disk failed: what is not synced may be lost. */
static int writer_give_up(struct spool *s, struct spool_writer *w, int err)
{
	struct segment *seg = segment_find(s, w->number);

	s->status.fault = -err;
	if (seg && w->synced >= seg->first)
		tail_cut(s, w, seg);
	fd_close(s, &w->fd);
	w->is_dirty = false;
	if (seg && w->synced < seg->first)
		segment_drop(s, seg);
	return err;
}

static int writer_sync(struct spool *s, struct spool_writer *w)
{
	struct segment *seg = segment_find(s, w->number);
	uint64_t pages = (w->unsynced_octets + PAGE_OCTETS - 1) / PAGE_OCTETS;
	int err = s->disk->sync(s->disk->context, w->fd);

	assert(seg);		/* the writer's own */
	if (err < 0)
		return writer_give_up(s, w, err);
	budget_take(&s->limits, pages * PAGE_OCTETS + EXTRA_OCTETS -
		    w->unsynced_octets);
	w->unsynced_octets = 0;
	w->is_dirty = false;
	w->synced = seg->last;
	return 0;
}

/* Closes it to further records. */
static int writer_end(struct spool *s, struct spool_writer *w)
{
	struct segment *seg = segment_find(s, w->number);
	int err;

	if (w->fd < 0)
		return 0;
	err = segment_seal(s->disk, w->fd, seg);
	if (err < 0)
		return writer_give_up(s, w, err);
	w->is_dirty = false;
	w->unsynced_octets = 0;
	fd_close(s, &w->fd);
	return 0;
}

static int writer_begin(struct spool *s, const struct spool_run *run,
			const struct record_header *h)
{
	struct spool_writer *w = &s->writer[h->stream];
	struct segment seg = { .number = s->next_number, .run = run->run,
			       .previous_run = run->previous_run,
			       .first = h->sequence, .stream = h->stream };
	int fd = room_make(s, h->stream, SEGMENT_HEADER_LEN, true);

	if (fd == 0)
		fd = segment_make(s->disk, s->dir_fd, &seg);
	if (fd < 0)
		return fd;
	*w = (struct spool_writer){ .fd = fd, .number = s->next_number++ };
	s->index.segment[s->index.count++] = seg;
	s->status.held_octets += seg.octets;
	s->dir_is_dirty = true;
	return 0;
}

/* True when the record begins a segment. Samples begin one where they can be
 * read without earlier ones, so that what is dropped is self-contained.
 */
static bool is_begun(const struct spool *s, const struct segment *seg,
		     const struct spool_run *run, const struct record_header *h)
{
	uint64_t limit = s->limits.segment_octets;

	if (!seg || seg->run != run->run || h->sequence != seg->last + 1)
		return true;
	if (h->stream == STREAM_SAMPLES && !(h->flags & RECORD_FLAG_REFERENCE))
		limit *= 2;
	return seg->octets >= limit;
}

static int record_write_out(struct spool *s, const struct record_header *h,
			    const void *record, size_t len)
{
	struct spool_writer *w = &s->writer[h->stream];
	struct segment *seg = segment_find(s, w->number);
	int err = disk_append(s->disk, w->fd, record, len);

	if (err < 0) {
		if (s->disk->truncate(s->disk->context, w->fd, seg->octets) < 0)
			return writer_give_up(s, w, err);
		s->status.fault = -err;
		return err;
	}
	seg->octets += len;
	seg->last = h->last;
	s->status.held_octets += len;
	w->unsynced_octets += len;
	w->is_dirty = true;
	budget_take(&s->limits, len);
	return 0;
}

static int refused(struct spool *s, int err)
{
	s->status.refusal = -err;
	return err;
}

int spool_append(struct spool *s, const struct spool_run *run,
		 const void *record, size_t len, struct mono now)
{
	struct cursor c = cursor_of(record, len);
	struct spool_writer *w;
	struct record_header h;
	const uint8_t *payload;
	int err = record_read(&c, &h, &payload);

	if (err < 0 || cursor_left(&c) > 0 || h.last != h.sequence)
		return -EBADMSG;
	if (h.sequence <= spool_last(&s->index, run->run, h.stream))
		return -EEXIST;
	budget_count(&s->limits, now);
	if (!budget_allows(s, &h, len))
		return refused(s, -EDQUOT);
	if (room_make(s, h.stream, len + SEGMENT_SEAL_LEN, false) < 0)
		return refused(s, -ENOSPC);
	w = &s->writer[h.stream];
	if (w->fd < 0 || is_begun(s, segment_find(s, w->number), run, &h)) {
		err = writer_end(s, w);
		if (err == 0)
			err = writer_begin(s, run, &h);
		if (err < 0) {
			s->status.fault = -err;
			return err;
		}
	}
	s->status.refusal = 0;
	return record_write_out(s, &h, record, len);
}

int spool_sync(struct spool *s)
{
	int err = 0;

	for (unsigned i = 0; i < STREAM_COUNT && err == 0; i++)
		if (s->writer[i].fd >= 0 && s->writer[i].is_dirty)
			err = writer_sync(s, &s->writer[i]);
	if (err == 0 && s->dir_is_dirty) {
		err = s->disk->sync(s->disk->context, s->dir_fd);
		s->dir_is_dirty = err < 0;
	}
	s->status.fault = -err;
	return err;
}

static struct segment *note_find(struct spool *s, uint64_t run,
				 enum stream stream)
{
	for (size_t i = 0; i < s->index.count; i++) {
		struct segment *seg = &s->index.segment[i];

		if (segment_is_note(seg) && seg->run == run &&
		    seg->stream == stream)
			return seg;
	}
	return NULL;
}

int spool_note_end(struct spool *s, const struct spool_run *run,
		   enum stream stream, uint64_t last)
{
	struct segment seg = { .number = s->next_number, .run = run->run,
			       .previous_run = run->previous_run,
			       .first = last, .stream = stream };
	struct segment *before = note_find(s, run->run, stream);
	int err;

	if (last <= spool_end(&s->index, run->run, stream))
		return spool_sync(s);	/* they may be unsynced */
	if (!before && s->index.count == SPOOL_SEGMENTS_MAX)
		return -ENOSPC;
	err = segment_note(s->disk, s->dir_fd, &seg);
	if (err == 0)
		err = s->disk->sync(s->disk->context, s->dir_fd);
	if (err < 0) {
		s->status.fault = -err;
		return err;
	}
	s->next_number++;
	budget_take(&s->limits, PAGE_OCTETS + EXTRA_OCTETS);
	if (before)
		segment_drop(s, before);
	s->index.segment[s->index.count++] = seg;
	s->status.held_octets += seg.octets;
	return 0;
}

/* --- reading -------------------------------------------------------------- */

const struct spool_index *spool_index(const struct spool *s)
{
	return &s->index;
}

uint64_t spool_last(const struct spool_index *x, uint64_t run,
		    enum stream stream)
{
	uint64_t last = 0;

	for (size_t i = 0; i < x->count; i++)
		if (x->segment[i].run == run &&
		    x->segment[i].stream == stream &&
		    !segment_is_note(&x->segment[i]) &&
		    x->segment[i].last > last)
			last = x->segment[i].last;
	return last;
}

uint64_t spool_end(const struct spool_index *x, uint64_t run,
		   enum stream stream)
{
	uint64_t end = 0;

	for (size_t i = 0; i < x->count; i++)
		if (x->segment[i].run == run &&
		    x->segment[i].stream == stream && x->segment[i].last > end)
			end = x->segment[i].last;
	return end;
}

/* The segment that has this sequence, else the one with the next above it. */
static const struct segment *segment_from(const struct spool_index *x,
					  uint64_t run, enum stream stream,
					  uint64_t sequence)
{
	const struct segment *found = NULL;

	for (size_t i = 0; i < x->count; i++) {
		const struct segment *seg = &x->segment[i];

		if (seg->run == run && seg->stream == stream &&
		    seg->last >= sequence && seg->last >= seg->first &&
		    !segment_is_note(seg) &&
		    (!found || seg->first < found->first))
			found = seg;
	}
	return found;
}

uint64_t spool_from(const struct spool_index *x, uint64_t run,
		    enum stream stream, uint64_t sequence)
{
	const struct segment *seg = segment_from(x, run, stream, sequence);

	if (!seg)
		return 0;
	return seg->first > sequence ? seg->first : sequence;
}

static int reader_begin(struct spool *s, struct spool_reader *r,
			const struct segment *seg)
{
	char name[SEGMENT_NAME_LEN + 1];

	if (r->fd >= 0 && r->number != seg->number)
		fd_close(s, &r->fd);
	if (r->fd < 0) {
		segment_name(seg->number, name);
		r->fd = s->disk->open(s->disk->context, s->dir_fd, name,
				      O_RDONLY, 0);
		if (r->fd < 0)
			return r->fd;
	}
	r->number = seg->number;
	r->next = seg->first;
	r->offset = SEGMENT_HEADER_LEN;
	return 0;
}

/* Reads on up to a sequence. */
static int reader_go(struct spool *s, struct spool_reader *r,
		     uint64_t sequence, void *ret, size_t cap)
{
	for (;;) {
		struct record_header h;
		int len = segment_record(s->disk, r->fd, r->offset, ret, cap,
					 &h);

		if (len < 0)
			return len;
		if (h.sequence != r->next || h.last != r->next)
			return -EBADMSG;
		r->offset += (uint64_t)len;
		r->next++;
		if (h.sequence == sequence)
			return len;
	}
}

int spool_read(struct spool *s, uint64_t run, enum stream stream,
	       uint64_t sequence, void *ret, size_t cap)
{
	const struct segment *seg = segment_from(&s->index, run, stream,
						 sequence);
	struct spool_reader *r = &s->reader[stream];
	struct segment *bad;
	int err = 0;

	if (!seg || seg->first > sequence)
		return -ESTALE;
	if (r->fd < 0 || r->number != seg->number || r->next > sequence)
		err = reader_begin(s, r, seg);
	if (err == 0)
		err = reader_go(s, r, sequence, ret, cap);
	if (err >= 0 || err == -ENOBUFS)
		return err;
	/* The rest of this segment is unreadable; the file stays. */
	s->status.fault = -err;
	fd_close(s, &r->fd);
	bad = segment_find(s, seg->number);
	if (bad)
		bad->last = sequence - 1;
	return -ESTALE;
}

/* --- opening -------------------------------------------------------------- */

void spool_ack(struct spool *s, uint64_t run, const struct positions *held)
{
	for (size_t i = s->index.count; i > 0; i--) {
		struct segment *seg = &s->index.segment[i - 1];

		if (seg->run == run && seg->last <= held->last[seg->stream])
			segment_drop(s, seg);
	}
}

bool spool_past(const struct spool_index *x, uint64_t present,
		struct spool_run *ret)
{
	for (size_t i = 0; i < x->count; i++) {
		if (x->segment[i].run == present)
			continue;
		*ret = (struct spool_run){ x->segment[i].run,
					   x->segment[i].previous_run };
		return true;
	}
	return false;
}

void spool_status(const struct spool *s, struct spool_status *ret)
{
	*ret = s->status;
	ret->segments = s->index.count;
}

/* Lists what is in the folder; drops the excess, oldest first. */
static int segments_take(struct spool *s)
{
	uint64_t *list = NULL;
	int count = segment_list(s->disk, s->dir_fd, &list), err = 0;

	for (int i = 0; i < count && err == 0; i++) {
		struct segment seg;
		char name[SEGMENT_NAME_LEN + 1];

		s->next_number = list[i] + 1;
		segment_name(list[i], name);
		err = segment_look(s->disk, s->dir_fd, list[i], &seg);
		if (err == 0 && s->index.count == SPOOL_SEGMENTS_MAX)
			segment_forget(s, s->index.segment);
		if (err == 0) {
			s->index.segment[s->index.count++] = seg;
			s->status.held_octets += seg.octets;
		} else if (err == -EBADMSG) {
			err = s->disk->unlink(s->disk->context, s->dir_fd,
					      name);
		}
	}
	free(list);
	if (err < 0 || count <= 0)
		return err < 0 ? err : count;
	/* The creator of the segments may not have synced the folder. */
	return s->disk->sync(s->disk->context, s->dir_fd);
}

int spool_open(const struct disk *disk, int dir_fd,
	       const struct spool_limits *limits, struct mono now,
	       struct spool **ret, struct diag *d)
{
	struct spool *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return diag_set(d, -ENOMEM, "out of memory");
	s->disk = disk;
	s->dir_fd = dir_fd;
	s->limits = *limits;
	s->next_number = 1;
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		s->writer[i].fd = s->reader[i].fd = -1;
	err = segments_take(s);
	budget_begin(s, now);
	if (err < 0) {
		spool_close(s);
		return diag_set(d, err, "%s", strerror(-err));
	}
	*ret = s;
	return 0;
}

void spool_close(struct spool *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		fd_close(s, &s->writer[i].fd);
		fd_close(s, &s->reader[i].fd);
	}
	free(s);
}
