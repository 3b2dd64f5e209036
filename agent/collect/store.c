/* A segment is synced before the next one is made, whose head says that all of
 * it is kept: else a power cut could leave positions without their records.
 */
#include "agent/collect/store.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/base/folder.h"

#define LOCK_MODE 0600		/* who may open it could hold it */

struct store {
	int dir_fd, lock_fd;
	int fd;			/* the newest segment; -1: none yet */
	int sync_fd;		/* the one that is being synced */
	uint64_t octets_max, segment_octets_max;
	uint64_t octets;	/* of all segments */
	struct place end;
	bool dir_is_dirty;	/* a segment was made since the last sync */
};

static int dir_open(const char *path, struct diag *d)
{
	int fd;

	if (mkdir(path, 0750) < 0 && errno != EEXIST)
		return diag_set(d, -errno, "spool %s: cannot make it: %s", path,
				strerror(errno));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return diag_set(d, -errno, "spool %s: cannot open it: %s", path,
				strerror(errno));
	if (folder_check(fd, path, d) < 0) {
		(void)close(fd);
		return diag_prefix(d, -EPERM, "spool");
	}
	return fd;
}

static int lock_take(int dir_fd, const char *path, struct diag *d)
{
	int fd = folder_file(dir_fd, "lock", LOCK_MODE);

	if (fd < 0)
		return diag_set(d, fd, "spool %s: cannot make its lock: %s",
				path, strerror(-fd));
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		(void)close(fd);
		return diag_set(d, -EADDRINUSE, "spool %s: another collector "
				"is writing it; expected one a folder", path);
	}
	return fd;
}

static int segment_make(struct store *s, uint64_t number)
{
	uint8_t header[SEGMENT_HEADER_LEN];
	struct writer w = writer_of(header, sizeof(header));
	char name[SEGMENT_NAME_LEN + 1];
	int fd;

	segment_name(number, name);
	writer_be32(&w, SEGMENT_MAGIC);
	writer_be16(&w, SEGMENT_VERSION);
	writer_be16(&w, 0);
	writer_be64(&w, number);
	assert(writer_ok(&w) && w.pos == SEGMENT_HEADER_LEN);
	fd = openat(s->dir_fd, name,
		    O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC |
		    O_NOFOLLOW, 0640);
	if (fd < 0)
		return -errno;
	if (write(fd, header, sizeof(header)) != (ssize_t)sizeof(header)) {
		(void)unlinkat(s->dir_fd, name, 0);
		(void)close(fd);
		return -ENOSPC;
	}
	if (s->fd >= 0)
		(void)close(s->fd);
	s->fd = fd;
	s->end = (struct place){ number, SEGMENT_HEADER_LEN };
	s->octets += SEGMENT_HEADER_LEN;
	s->dir_is_dirty = true;
	return 0;
}

static uint64_t segment_octets(int dir_fd, uint64_t number)
{
	char name[SEGMENT_NAME_LEN + 1];
	struct stat st;

	segment_name(number, name);
	return fstatat(dir_fd, name, &st, 0) < 0 ? 0 : (uint64_t)st.st_size;
}

static void octets_count(struct store *s, struct store_found *found)
{
	uint64_t *list = NULL;
	int count = segment_list(s->dir_fd, &list);

	for (int i = 0; i < count; i++)
		s->octets += segment_octets(s->dir_fd, list[i]);
	found->segments = count > 0 ? (uint64_t)count : 0;
	free(list);
}

/* Hands out each entry; ends where no whole one follows. */
static int entries_scan(struct store *s, store_entry_fn *each, void *context,
			struct store_found *found)
{
	struct follow *f;
	struct entry e;
	int err = follow_open(s->dir_fd, (struct place){ 0, 0 }, &f);

	if (err < 0)
		return err;
	do {
		err = follow_next(f, NULL, &e);
		if (err == 0) {
			struct place at = follow_place(f);

			at.offset -= entry_size(&e);
			each(context, &e, at);
			found->entries++;
		}
		found->rotten += err == -EBADMSG;
	} while (err == 0 || err == -EBADMSG);
	s->end = follow_place(f);
	follow_close(f);
	return err == -EAGAIN ? 0 : err;
}

/* The last segment, from the place where its whole entries end. A file whose
 * own header is torn begins anew; one with another header is not ours.
 */
static int last_open(struct store *s, struct store_found *found,
		     const char *path, struct diag *d)
{
	char name[SEGMENT_NAME_LEN + 1];
	uint64_t octets = segment_octets(s->dir_fd, s->end.segment);
	int err;

	segment_name(s->end.segment, name);
	if (s->end.offset < SEGMENT_HEADER_LEN) {
		if (octets >= SEGMENT_HEADER_LEN)
			return diag_set(d, -EPROTONOSUPPORT, "spool %s: %s is "
					"no segment of version %u", path, name,
					SEGMENT_VERSION);
		s->octets -= octets;
		found->torn_octets = octets;
		err = segment_make(s, s->end.segment);
		return err < 0 ? diag_set(d, err, "spool %s: %s: %s", path,
					  name, strerror(-err)) : 0;
	}
	s->fd = openat(s->dir_fd, name, O_WRONLY | O_APPEND | O_CLOEXEC |
		       O_NOFOLLOW);
	if (s->fd < 0 || ftruncate(s->fd, (off_t)s->end.offset) < 0 ||
	    fdatasync(s->fd) < 0)
		return diag_set(d, -errno, "spool %s: cannot go on with %s: %s",
				path, name, strerror(errno));
	found->torn_octets = octets - s->end.offset;
	s->octets -= found->torn_octets;
	return 0;
}

static void limits_set(struct store *s, uint64_t octets_max)
{
	s->octets_max = octets_max;
	s->segment_octets_max = octets_max / STORE_SEGMENTS;
	if (s->segment_octets_max > STORE_SEGMENT_OCTETS_MAX)
		s->segment_octets_max = STORE_SEGMENT_OCTETS_MAX;
}

static int store_start(struct store *s, uint64_t first_number,
		       struct store_found *found, const char *path,
		       struct diag *d)
{
	int err;

	if (s->end.segment > 0)
		return last_open(s, found, path, d);
	err = segment_make(s, first_number > 0 ? first_number : 1);
	return err < 0 ? diag_set(d, err, "spool %s: cannot make a segment: %s",
				  path, strerror(-err)) : 0;
}

int store_open(const char *path, uint64_t octets_max, uint64_t first_number,
	       store_entry_fn *each, void *context, struct store_found *found,
	       struct store **ret, struct diag *d)
{
	struct store *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return diag_set(d, -ENOMEM, "spool %s: out of memory", path);
	memset(found, 0, sizeof(*found));
	s->fd = s->lock_fd = s->sync_fd = -1;
	limits_set(s, octets_max);
	err = s->dir_fd = dir_open(path, d);
	if (err < 0)
		goto fail;
	err = s->lock_fd = lock_take(s->dir_fd, path, d);
	if (err < 0)
		goto fail;
	octets_count(s, found);
	err = entries_scan(s, each, context, found);
	if (err < 0) {
		(void)diag_set(d, err, "spool %s: cannot read it: %s", path,
			       strerror(-err));
		goto fail;
	}
	err = store_start(s, first_number, found, path, d);
	if (err < 0)
		goto fail;
	s->sync_fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
	if (s->sync_fd < 0) {
		err = diag_set(d, -errno, "spool %s: %s", path,
			       strerror(errno));
		goto fail;
	}
	*ret = s;
	return 0;
fail:
	store_close(s);
	return err;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		(void)close(s->fd);
	if (s->sync_fd >= 0)
		(void)close(s->sync_fd);
	if (s->lock_fd >= 0)
		(void)close(s->lock_fd);
	if (s->dir_fd >= 0)
		(void)close(s->dir_fd);
	free(s);
}

int store_dir_fd(const struct store *s)
{
	return s->dir_fd;
}

int store_append(struct store *s, const void *entries, size_t len,
		 struct place *ret_at)
{
	ssize_t n;

	if (s->octets + len > s->octets_max)
		return -ENOSPC;
	n = write(s->fd, entries, len);
	if (n != (ssize_t)len) {
		int err = n < 0 ? -errno : -ENOSPC;

		/* a tail that stays is cut off at the next start */
		return ftruncate(s->fd, (off_t)s->end.offset) < 0 ? -EIO : err;
	}
	*ret_at = s->end;
	s->end.offset += len;
	s->octets += len;
	return 0;
}

struct place store_end(const struct store *s)
{
	return s->end;
}

bool store_wants_roll(const struct store *s)
{
	return s->end.offset >= s->segment_octets_max;
}

int store_roll(struct store *s)
{
	/* The next one will say that all of this is kept. */
	if (fdatasync(s->fd) < 0)
		return -errno;
	return segment_make(s, s->end.segment + 1);
}

int store_sync_fd(struct store *s, bool *ret_new)
{
	if (dup3(s->fd, s->sync_fd, O_CLOEXEC) < 0)
		return -errno;
	*ret_new = s->dir_is_dirty;
	s->dir_is_dirty = false;
	return s->sync_fd;
}

unsigned store_trim(struct store *s, uint64_t sink_segment)
{
	uint64_t room = 2 * s->segment_octets_max;
	uint64_t *list = NULL;
	unsigned removed = 0;
	int count;

	if (s->octets + room <= s->octets_max)
		return 0;
	count = segment_list(s->dir_fd, &list);
	for (int i = 0; i < count && list[i] < sink_segment &&
			list[i] < s->end.segment &&
			s->octets + room > s->octets_max; i++) {
		char name[SEGMENT_NAME_LEN + 1];
		uint64_t octets = segment_octets(s->dir_fd, list[i]);

		segment_name(list[i], name);
		if (unlinkat(s->dir_fd, name, 0) < 0)
			break;
		s->octets -= octets;
		removed++;
	}
	free(list);
	return removed;
}

uint64_t store_octets(const struct store *s)
{
	return s->octets;
}
