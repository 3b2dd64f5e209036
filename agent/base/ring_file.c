/* The files behind rings: opened, checked, created, one set per run. */
#include "agent/base/ring.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/base/ring_memory.h"
#include "petrel/cursor.h"

#define MODE_ALL 0644		/* set by fchmod: umask does not apply */
#define MODE_GROUP 0640
#define VERIFY_TRIES 8u		/* a writer may drop groups during the check */

_Static_assert(RING_FIXED_LEN <= RING_LIVE_AT &&
	       RING_LIVE_AT + sizeof(struct ring_live) <= RING_PLACES_AT &&
	       RING_PLACES_AT + sizeof(struct ring_places) <= RING_DATA_AT,
	       "the parts of a ring file do not overlap");

void ring_file_name(enum stream stream, char ret[static RING_NAME_MAX])
{
	(void)snprintf(ret, RING_NAME_MAX, "%s.ring", stream_name(stream));
}

static void new_name(enum stream stream, char ret[static RING_NAME_MAX])
{
	(void)snprintf(ret, RING_NAME_MAX, "%s.ring.new", stream_name(stream));
}

static uint32_t fixed_crc(const uint8_t *octets)
{
	return libdeflate_crc32(0, octets, RING_FIXED_LEN - 4);
}

static void fixed_write(uint8_t *octets, const struct ring_fixed *f)
{
	struct writer w = writer_of(octets, RING_FIXED_LEN);

	writer_be64(&w, RING_MAGIC);
	writer_be32(&w, RING_VERSION);
	writer_be32(&w, f->stream);
	writer_be64(&w, f->bytes);
	writer_be64(&w, f->run);
	writer_be64(&w, f->previous_run);
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		writer_be64(&w, f->previous_last[i]);
	writer_be32(&w, (uint32_t)sizeof(struct ring_live));
	writer_be32(&w, fixed_crc(octets));
}

/* Magic and version first, so that another version is reported as such. */
static int fixed_read(const uint8_t *octets, struct ring_fixed *ret,
		      struct diag *d)
{
	struct cursor c = cursor_of(octets, RING_FIXED_LEN);
	uint64_t magic = cursor_be64(&c);
	uint32_t version = cursor_be32(&c);
	uint32_t live_len, crc;

	if (magic != RING_MAGIC)
		return diag_set(d, -EBADMSG, "not a ring (no magic)");
	if (version != RING_VERSION)
		return diag_set(d, -EBADMSG, "version %u; this build writes %u",
				version, RING_VERSION);
	ret->stream = cursor_be32(&c);
	ret->bytes = cursor_be64(&c);
	ret->run = cursor_be64(&c);
	ret->previous_run = cursor_be64(&c);
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		ret->previous_last[i] = cursor_be64(&c);
	live_len = cursor_be32(&c);
	crc = cursor_be32(&c);
	if (crc != fixed_crc(octets) || live_len != sizeof(struct ring_live) ||
	    ret->bytes < RING_BYTES_MIN ||
	    ret->bytes > RING_BYTES_MAX ||
	    ret->bytes % RING_ALIGN != 0)
		return diag_set(d, -EBADMSG, "damaged header");
	return 0;
}

static int header_read(int fd, enum stream stream, struct ring_fixed *ret,
		       struct diag *d)
{
	uint8_t octets[RING_FIXED_LEN];
	struct stat st;
	int rc;

	if (fstat(fd, &st) < 0)
		return diag_set(d, -errno, "%m");
	if (!S_ISREG(st.st_mode))
		return diag_set(d, -EBADMSG, "not a file");
	if (pread(fd, octets, sizeof(octets), 0) != (ssize_t)sizeof(octets))
		return diag_set(d, -EBADMSG, "cut short in its header: %jd "
				"octets", (intmax_t)st.st_size);
	rc = fixed_read(octets, ret, d);
	if (rc < 0)
		return rc;
	if (ret->stream != stream)
		return diag_set(d, -EBADMSG, "holds stream %u, not %s",
				ret->stream, stream_name(stream));
	if ((uint64_t)st.st_size != RING_DATA_AT + ret->bytes)
		return diag_set(d, -EBADMSG, "cut short: %jd octets of %ju",
				(intmax_t)st.st_size,
				(uintmax_t)(RING_DATA_AT + ret->bytes));
	return 0;
}

void ring_close(struct ring *r)
{
	if (!r)
		return;
	if (r->base)
		(void)munmap(r->base, r->mapped);
	if (r->fd >= 0)
		(void)close(r->fd);
	free(r);
}

static int map(int fd, const struct ring_fixed *fixed, bool read_only,
	       struct ring **ret)
{
	struct ring *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	r->fixed = *fixed;
	r->fd = -1;
	r->mapped = RING_DATA_AT + fixed->bytes;
	r->base = mmap(NULL, r->mapped, read_only ? PROT_READ
						  : PROT_READ | PROT_WRITE,
		       MAP_SHARED, fd, 0);
	if (r->base == MAP_FAILED) {
		err = -errno;
		r->base = NULL;
		ring_close(r);
		return err;
	}
	r->live = (void *)((uint8_t *)r->base + RING_LIVE_AT);
	r->places = (void *)((uint8_t *)r->base + RING_PLACES_AT);
	r->data = (uint8_t *)r->base + RING_DATA_AT;
	*ret = r;
	return 0;
}

static int open_fd(int fd, enum stream stream, bool read_only,
		   struct ring **ret, struct diag *d)
{
	struct ring_fixed fixed = { 0 };
	struct ring_state s;
	struct ring *r = NULL;
	int rc = header_read(fd, stream, &fixed, d);

	if (rc < 0)
		return rc;
	rc = map(fd, &fixed, read_only, &r);
	if (rc < 0)
		return diag_set(d, rc, "cannot be mapped: %s", strerror(-rc));
	assert(r);
	s = ring_state_load(r);
	if (!ring_state_is_sane(r, &s)) {
		ring_close(r);
		return diag_set(d, -EBADMSG, "damaged: its positions "
				"contradict each other");
	}
	*ret = r;
	return 0;
}

static int ring_file_open(int dir_fd, enum stream stream, bool read_only,
		   struct ring **ret, struct diag *d)
{
	char name[RING_NAME_MAX];
	int fd, rc;

	ring_file_name(stream, name);
	fd = openat(dir_fd, name, (read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC |
		    O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return diag_set(d, -errno, "%s: %m", name);
	rc = open_fd(fd, stream, read_only, ret, d);
	if (rc == 0 && read_only)
		(*ret)->fd = fd;
	else
		(void)close(fd);	/* the mapping remains */
	return rc < 0 ? diag_prefix(d, rc, "%s", name) : 0;
}

/* Checks one record for ring_check(). */
static bool slot_is_whole(const struct ring *r, const struct ring_slot *slot,
			  uint64_t sequence)
{
	struct cursor c = cursor_of(r->data + slot->at % r->fixed.bytes,
				    slot->length);
	struct record_header h;
	const uint8_t *payload;

	return record_read(&c, &h, &payload) == 0 && h.sequence == sequence &&
	       h.stream == r->fixed.stream;
}

/* The first record from s->first on that is not whole; s->next when all are.
 * *ret_at: its place.
 */
static uint64_t sound_end(const struct ring *r, const struct ring_state *s,
			  uint64_t *ret_at)
{
	uint64_t sequence = s->first;
	struct ring_slot slot;

	*ret_at = s->tail;
	for (; sequence < s->next; sequence++) {
		if (!ring_slot_at(r, NULL, s, *ret_at, &slot) ||
		    !slot_is_whole(r, &slot, sequence))
			break;
		*ret_at = slot.end;
	}
	return sequence;
}

int ring_check(const struct ring *r, uint64_t *ret_end, struct diag *d)
{
	const char *name = stream_name(r->fixed.stream);
	struct ring_state s = { 0 };
	uint64_t end = 0, at = 0;

	*ret_end = 0;
	for (unsigned i = 0; i < VERIFY_TRIES; i++) {
		s = ring_state_load(r);
		if (!ring_state_is_sane(r, &s))
			return diag_set(d, -EBADMSG, "%s.ring: damaged: its "
					"positions contradict each other",
					name);
		end = sound_end(r, &s, &at);
		if (end == s.next || ring_state_load(r).first <= end)
			break;
	}
	*ret_end = end;
	if (end < s.next)
		return diag_set(d, -EBADMSG,
				"%s.ring: damaged in record %ju of "
				"%ju to %ju",
				name, (uintmax_t)end, (uintmax_t)s.first,
				(uintmax_t)s.next - 1);
	if (at != s.head)
		return diag_set(d, -EBADMSG, "%s.ring: damaged after record "
				"%ju", name, (uintmax_t)s.next - 1);
	return 0;
}

/* Allocates all its space now: a full disk would raise SIGBUS later. */
static int fill(int fd, const struct ring_fixed *fixed)
{
	uint8_t octets[RING_FIXED_LEN];
	int err = posix_fallocate(fd, 0,
				  (off_t)(RING_DATA_AT + fixed->bytes));

	if (err)
		return -err;
	fixed_write(octets, fixed);
	if (pwrite(fd, octets, sizeof(octets), 0) != (ssize_t)sizeof(octets))
		return -EIO;
	return 0;
}

static int make_fd(int fd, const struct ring_fixed *fixed, struct ring **ret)
{
	static const struct ring_state empty = { .next = 1, .first = 1 };
	int rc = fill(fd, fixed);

	if (rc == 0)
		rc = map(fd, fixed, false, ret);
	if (rc == 0)
		ring_state_publish(*ret, &empty);
	return rc;
}

static int ring_file_make(int dir_fd, const struct ring_fixed *fixed,
		   struct ring **ret, struct diag *d)
{
	char name[RING_NAME_MAX];
	int fd, rc;

	new_name(fixed->stream, name);
	(void)unlinkat(dir_fd, name, 0);	/* left by a killed start */
	fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC |
		    O_NOFOLLOW, 0600);
	if (fd < 0)
		return diag_set(d, -errno, "%s: %m", name);
	rc = make_fd(fd, fixed, ret);
	(void)close(fd);
	if (rc < 0) {
		(void)unlinkat(dir_fd, name, 0);
		return diag_set(d, rc, "%s: %ju octets: %s", name,
				(uintmax_t)(RING_DATA_AT + fixed->bytes),
				strerror(-rc));
	}
	return 0;
}

static int ring_file_publish(int dir_fd, enum stream stream, struct diag *d)
{
	char from[RING_NAME_MAX], to[RING_NAME_MAX];

	new_name(stream, from);
	ring_file_name(stream, to);
	if (renameat(dir_fd, from, dir_fd, to) < 0)
		return diag_set(d, -errno, "%s: %m", to);
	return 0;
}

/* Sets the mode before the group, which may be refused: so nobody reads in
 * between whom the mode excludes.
 */
static int fd_share(int fd, bool all, gid_t group)
{
	struct stat st;

	if (fchmod(fd, all ? MODE_ALL : MODE_GROUP) < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (group == (gid_t)-1 || group == st.st_gid)
		return 0;
	return fchown(fd, (uid_t)-1, group) < 0 ? -errno : 0;
}

static int ring_file_share(int dir_fd, enum stream stream, bool all,
			   gid_t group, struct diag *d)
{
	char name[RING_NAME_MAX];
	int fd, rc;

	ring_file_name(stream, name);
	fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
		    O_NONBLOCK);
	if (fd < 0)
		return diag_set(d, -errno, "%s: %m", name);
	rc = fd_share(fd, all, group);
	(void)close(fd);
	return rc < 0 ? diag_set(d, rc, "%s cannot be given mode %04o and "
				 "group %d: %s", name,
				 all ? MODE_ALL : MODE_GROUP, (int)group,
				 strerror(-rc)) : 0;
}

/* --- the three rings of a run --------------------------------------------- */

#define PAGE 4096u

/* What one ring says of the run before a new one. An empty ring reports the
 * previous run that its header names: its own run has no records yet.
 */
struct previous_run {
	uint64_t run;
	uint64_t last[STREAM_COUNT];
	bool has_records;
};

static struct previous_run past_of(const struct ring *r)
{
	struct previous_run p = { .run = r->fixed.previous_run };

	if (ring_next(r) == 1) {
		memcpy(p.last, r->fixed.previous_last, sizeof(p.last));
		return p;
	}
	p.run = r->fixed.run;
	p.last[r->fixed.stream] = ring_next(r) - 1;
	p.has_records = true;
	return p;
}

static uint64_t past_run(const struct previous_run *p, bool has_records)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (p[i].run != 0 && p[i].has_records == has_records)
			return p[i].run;
	return 0;
}

static void past_find(struct ring_set *s)
{
	struct previous_run p[STREAM_COUNT] = { 0 };

	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (s->ring[i])
			p[i] = past_of(s->ring[i]);
	s->previous_run = past_run(p, true);
	if (s->previous_run == 0)
		s->previous_run = past_run(p, false);
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		for (unsigned k = 0; k < STREAM_COUNT; k++)
			if (p[i].run == s->previous_run &&
			    p[i].last[k] > s->previous_last[k])
				s->previous_last[k] = p[i].last[k];
}

void ring_set_close(struct ring_set *s)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		ring_close(s->ring[i]);
		s->ring[i] = NULL;
	}
}

static int take_one(int dir_fd, enum stream stream, struct ring **ret,
		    struct diag *d)
{
	uint64_t end;
	int rc = ring_file_open(dir_fd, stream, false, ret, d);

	if (rc < 0)
		return rc;
	assert(*ret);
	rc = ring_check(*ret, &end, d);
	if (rc < 0) {
		ring_close(*ret);
		*ret = NULL;
	}
	return rc;
}

/* Opens the intact rings. Returns 0 when they are one set; -ENOENT, -EBADMSG
 * when a new run must begin; d then says why. Other errors do not come from the
 * files.
 */
static int take_over(int dir_fd, struct ring_set *s, struct diag *d)
{
	struct diag why;
	int err = 0;

	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		int rc = take_one(dir_fd, i, &s->ring[i], &why);

		if (rc == 0)
			continue;
		if (rc != -ENOENT && rc != -EBADMSG)
			return diag_set(d, rc, "%s", why.text);
		if (err == 0 || (err == -ENOENT && rc == -EBADMSG))
			err = diag_set(d, rc, "%s", why.text);
	}
	for (unsigned i = 1; err == 0 && i < STREAM_COUNT; i++)
		if (ring_run(s->ring[i]) != ring_run(s->ring[0]))
			err = diag_set(d, -EBADMSG, "%s.ring: of run %016jx, "
				       "but %s.ring of run %016jx",
				       stream_name(i),
				       (uintmax_t)ring_run(s->ring[i]),
				       stream_name(0),
				       (uintmax_t)ring_run(s->ring[0]));
	return err;
}

static int make_all(int dir_fd, const size_t *bytes, struct ring_set *s,
		    struct diag *d)
{
	struct ring_fixed fixed = { .run = s->run,
				    .previous_run = s->previous_run };
	int rc = 0;

	memcpy(fixed.previous_last, s->previous_last,
	       sizeof(fixed.previous_last));
	for (unsigned i = 0; rc == 0 && i < STREAM_COUNT; i++) {
		fixed.stream = i;
		fixed.bytes = (bytes[i] + PAGE - 1) / PAGE * PAGE;
		rc = ring_file_make(dir_fd, &fixed, &s->ring[i], d);
	}
	for (unsigned i = 0; rc == 0 && i < STREAM_COUNT; i++)
		rc = ring_file_publish(dir_fd, i, d);
	if (rc < 0)
		ring_set_close(s);
	return rc;
}

static void remove_all(int dir_fd)
{
	char name[RING_NAME_MAX];

	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		ring_file_name(i, name);
		(void)unlinkat(dir_fd, name, 0);
	}
}

/* Creates new files beside the old ones first, so that a kill loses nothing;
 * replaces them directly if there is no space for both.
 */
static int begin(int dir_fd, const size_t *bytes, uint64_t new_run,
		 struct ring_set *s, struct diag *d)
{
	struct diag why = { "" };
	int rc;

	past_find(s);
	ring_set_close(s);
	s->run = new_run;
	s->fresh = true;
	rc = make_all(dir_fd, bytes, s, &why);
	if (rc == -ENOSPC || rc == -EDQUOT) {
		remove_all(dir_fd);
		rc = make_all(dir_fd, bytes, s, &why);
	}
	if (rc < 0)
		return diag_set(d, rc, "%s", why.text);
	return 0;
}

int ring_set_open(int dir_fd, const size_t bytes[static STREAM_COUNT],
		  uint64_t new_run, struct ring_set *ret, struct diag *d)
{
	struct ring_set s = { 0 };
	int rc;

	for (unsigned i = 0; i < STREAM_COUNT; i++)
		if (bytes[i] < RING_BYTES_MIN || bytes[i] > RING_BYTES_MAX)
			return diag_set(d, -EINVAL, "%s.ring: %zu octets; must "
					"be %u to %u", stream_name(i), bytes[i],
					RING_BYTES_MIN, RING_BYTES_MAX);
	rc = take_over(dir_fd, &s, d);
	if (rc == 0) {
		assert(s.ring[0]);
		s.run = ring_run(s.ring[0]);
		s.previous_run = s.ring[0]->fixed.previous_run;
		memcpy(s.previous_last, s.ring[0]->fixed.previous_last,
		       sizeof(s.previous_last));
	} else if (rc == -ENOENT || rc == -EBADMSG) {
		rc = begin(dir_fd, bytes, new_run, &s, d);
	}
	if (rc < 0) {
		ring_set_close(&s);
		return rc;
	}
	*ret = s;
	return 0;
}

int ring_set_share(int dir_fd, bool all, gid_t group, struct diag *d)
{
	int rc = 0;

	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		int one = ring_file_share(dir_fd, i, all, group, d);

		rc = rc < 0 ? rc : one;
	}
	return rc;
}

int ring_look(int dir_fd, enum stream stream, struct ring **ret,
	      struct diag *d)
{
	return ring_file_open(dir_fd, stream, true, ret, d);
}

/* Translates virtual offsets to octets of the file, which may be cut short. */
static void copy_pieces(const struct ring_fixed *fixed,
			const struct ring_state *s, size_t n,
			struct ring_copy *ret)
{
	size_t at = (size_t)(s->tail % fixed->bytes);
	size_t length = (size_t)(s->head - s->tail);
	size_t end = at + length;

	ret->piece[0].at = RING_DATA_AT + at;
	ret->piece[0].end = RING_DATA_AT + end;
	ret->piece[1].at = ret->piece[1].end = RING_DATA_AT;
	if (end > fixed->bytes) {
		ret->piece[0].end = RING_DATA_AT + (size_t)fixed->bytes;
		ret->piece[1].end += end - (size_t)fixed->bytes;
	}
	for (unsigned i = 0; i < 2; i++) {
		size_t whole = ret->piece[i].end;

		if (whole > n)
			ret->piece[i].end = n < ret->piece[i].at ?
					    ret->piece[i].at : n;
		ret->piece[i].lost = whole - ret->piece[i].end;
	}
}

int ring_copy_of(const void *octets, size_t n, struct ring_copy *ret,
		 struct diag *d)
{
	struct ring_state s = { .head = 0 };
	struct ring_live live;
	struct ring r = { .live = &live };
	int rc = n < RING_DATA_AT ? diag_set(d, -EBADMSG, "cut short") :
		 fixed_read(octets, &r.fixed, d);

	if (rc < 0)
		return rc;
	memcpy(&live, (const uint8_t *)octets + RING_LIVE_AT, sizeof(live));
	*ret = (struct ring_copy){ .run = r.fixed.run };
	s = ring_state_load(&r);
	ret->is_torn = !ring_state_is_sane(&r, &s);
	if (ret->is_torn)
		s = (struct ring_state){ .head = r.fixed.bytes };
	copy_pieces(&r.fixed, &s, n, ret);
	return 0;
}
