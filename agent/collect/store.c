/* A segment is synced before the next one is created, whose head says that all
 * of it is kept: else a power cut could leave positions without their records.
 */
#include "agent/collect/store.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "agent/base/folder.h"
#include "agent/spool/segment.h"

#define LOCK_MODE 0600		/* whoever may open it could hold it */
#define FILE_MODE 0640
#define FOLDER_MODE 0750

struct store {
	const struct disk *disk;
	int dir_fd;
	bool owns_dir;
	int lock_fd;		/* -1: not held */
	int fd;			/* the newest segment; -1: none yet */
	uint64_t octets_max, segment_octets_max;
	uint64_t octets;	/* of all segments */
	struct place end;
	bool dir_is_dirty;	/* a segment was made since the last sync */
};

/* A parent folder that may not be read needs no sync: nothing can be created
 * there.
 */
static int dir_make(const char *path)
{
	char *above = strdup(path), *last = strdup(path);
	int err = above && last ? 0 : -ENOMEM, fd = -1;

	if (err == 0) {
		fd = open(dirname(above), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		err = fd >= 0 ? disk_folder(&disk_durable, fd, basename(last),
					    FOLDER_MODE) :
		      errno == EACCES && access(path, F_OK) == 0 ? 0 : -errno;
	}
	if (fd >= 0)
		(void)close(fd);	/* it is synced */
	free(above);
	free(last);
	return err;
}

static int dir_open(const char *path, struct diag *d)
{
	int fd, err = dir_make(path);

	if (err < 0)
		return diag_set(d, err, "spool %s: cannot create it: %s", path,
				strerror(-err));
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
		return diag_set(d, fd, "spool %s: cannot create its lock: %s",
				path, strerror(-fd));
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		(void)close(fd);
		return diag_set(d, -EADDRINUSE, "spool %s: another collector "
				"is writing it; expected one for each "
				"folder", path);
	}
	return fd;
}

static void header_write(uint64_t number, uint8_t ret[static STORE_HEADER_LEN])
{
	struct writer w = writer_of(ret, STORE_HEADER_LEN);

	writer_be32(&w, STORE_MAGIC);
	writer_be16(&w, STORE_VERSION);
	writer_be16(&w, 0);
	writer_be64(&w, number);
	assert(writer_ok(&w) && w.pos == STORE_HEADER_LEN);
}

static int segment_new(struct store *s, uint64_t number)
{
	uint8_t header[STORE_HEADER_LEN];
	char name[SEGMENT_NAME_LEN + 1];
	int err, fd;

	segment_name(number, name);
	header_write(number, header);
	fd = s->disk->open(s->disk->context, s->dir_fd, name,
			   O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, FILE_MODE);
	if (fd < 0)
		return fd;
	err = disk_append(s->disk, fd, header, sizeof(header));
	if (err < 0) {
		(void)s->disk->unlink(s->disk->context, s->dir_fd, name);
		(void)s->disk->close(s->disk->context, fd);
		return err;
	}
	if (s->fd >= 0)
		(void)s->disk->close(s->disk->context, s->fd);
	s->fd = fd;
	s->end = (struct place){ number, STORE_HEADER_LEN };
	s->octets += STORE_HEADER_LEN;
	s->dir_is_dirty = true;
	return 0;
}

static uint64_t segment_octets(const struct store *s, uint64_t number)
{
	char name[SEGMENT_NAME_LEN + 1];
	int64_t size = 0;
	int fd;

	segment_name(number, name);
	fd = s->disk->open(s->disk->context, s->dir_fd, name, O_RDONLY, 0);
	if (fd < 0)
		return 0;
	size = s->disk->size(s->disk->context, fd);
	(void)s->disk->close(s->disk->context, fd);	/* read-only */
	return size < 0 ? 0 : (uint64_t)size;
}

/* *ret_from: the segment before the last one, or the last one. That one was
 * synced before the last one was created, so its head is whole: it has the
 * identities and positions of all runs from there on.
 */
static int octets_count(struct store *s, struct store_found *found,
			struct place *ret_from)
{
	uint64_t *list = NULL;
	int count = segment_list(s->disk, s->dir_fd, &list);

	for (int i = 0; i < count; i++)
		s->octets += segment_octets(s, list[i]);
	found->segments = count > 0 ? (uint64_t)count : 0;
	*ret_from = (struct place){ .segment = count < 1 ? 0 :
				    list[count < 2 ? 0 : count - 2] };
	free(list);
	return count < 0 ? count : 0;
}

/* Hands out each entry; stops at the first that is not whole. */
static int entries_scan(struct store *s, struct place from,
			store_entry_fn *each, void *context,
			struct store_found *found)
{
	struct follow *f;
	struct entry e;
	int err = follow_open(s->disk, s->dir_fd, from, &f);

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

/* A power cut can leave the length of a file without its content: zeros are in
 * its place.
 */
static bool header_is_torn(const struct store *s, const char *name)
{
	uint8_t header[STORE_HEADER_LEN], whole[STORE_HEADER_LEN];
	int fd = s->disk->open(s->disk->context, s->dir_fd, name, O_RDONLY, 0);
	int err;

	if (fd < 0)
		return false;
	err = disk_read(s->disk, fd, header, sizeof(header), 0);
	(void)s->disk->close(s->disk->context, fd);	/* read-only */
	header_write(s->end.segment, whole);
	for (unsigned i = 0; err == 0 && i < STORE_HEADER_LEN; i++)
		if (header[i] != 0 && header[i] != whole[i])
			return false;
	return err == 0;
}

/* Opens the last segment, from the end of its whole entries. A file whose own
 * header is torn is rewritten; one with another header is not ours.
 */
static int last_open(struct store *s, struct store_found *found,
		     const char *path, struct diag *d)
{
	char name[SEGMENT_NAME_LEN + 1];
	uint64_t octets = segment_octets(s, s->end.segment);
	int err;

	segment_name(s->end.segment, name);
	if (s->end.offset < STORE_HEADER_LEN) {
		if (octets >= STORE_HEADER_LEN && !header_is_torn(s, name))
			return diag_set(d, -EPROTONOSUPPORT, "spool %s: %s is "
					"not a segment of version "
					"%u", path, name,
					STORE_VERSION);
		s->octets -= octets;
		found->torn_octets = octets;
		err = segment_new(s, s->end.segment);
		return err < 0 ? diag_set(d, err, "spool %s: %s: %s", path,
					  name, strerror(-err)) : 0;
	}
	s->fd = err = s->disk->open(s->disk->context, s->dir_fd, name,
				    O_WRONLY | O_APPEND, 0);
	if (err >= 0)
		err = s->disk->truncate(s->disk->context, s->fd,
					s->end.offset);
	if (err == 0)
		err = s->disk->sync(s->disk->context, s->fd);
	if (err < 0)
		return diag_set(d, err, "spool %s: cannot continue %s: %s",
				path, name, strerror(-err));
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
	err = segment_new(s, first_number > 0 ? first_number : 1);
	return err < 0 ? diag_set(d, err, "spool %s: cannot create a segment: "
					  "%s",
				  path, strerror(-err)) : 0;
}

/* Reads all that is there; then appends after it. */
static int folder_take(struct store *s, const struct store_env *env,
		       struct store_found *found, struct diag *d)
{
	struct place from;
	int err;

	memset(found, 0, sizeof(*found));
	s->octets = 0;
	s->end = (struct place){ 0, 0 };
	err = octets_count(s, found, &from);
	if (err == 0)
		err = entries_scan(s, from, env->each, env->context, found);
	if (err < 0)
		(void)diag_set(d, err, "spool %s: cannot read it: %s",
			       env->path, strerror(-err));
	else
		err = store_start(s, env->first_number, found, env->path, d);
	/* The creator of the segments may not have synced the folder. */
	return err < 0 ? err : s->disk->sync(s->disk->context, s->dir_fd);
}

int store_attach(const struct disk *disk, int dir_fd,
		 const struct store_env *env, struct store_found *found,
		 struct store **ret, struct diag *d)
{
	struct store *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return diag_set(d, -ENOMEM, "spool %s: out of memory",
				env->path);
	s->disk = disk;
	s->dir_fd = dir_fd;
	s->fd = s->lock_fd = -1;
	limits_set(s, env->octets_max);
	err = folder_take(s, env, found, d);
	if (err < 0) {
		store_close(s);
		return err;
	}
	*ret = s;
	return 0;
}

/* Cuts the newest segment to its durable part; in place, for a sink may have it
 * open. After a failed sync, data beyond that may be in memory only, and later
 * syncs do not report it.
 */
static int tail_cut(struct store *s, struct place durable)
{
	bool is_begun = durable.segment == s->end.segment &&
			durable.offset > STORE_HEADER_LEN;
	uint8_t header[STORE_HEADER_LEN];
	char name[SEGMENT_NAME_LEN + 1];
	int err, fd;

	/* Makes the removal of a next segment that failed durable first. */
	err = s->disk->sync(s->disk->context, s->dir_fd);
	if (err < 0)
		return err;
	segment_name(s->end.segment, name);
	fd = s->disk->open(s->disk->context, s->dir_fd, name,
			   O_WRONLY | O_APPEND, 0);
	if (fd < 0)
		return fd;
	err = s->disk->truncate(s->disk->context, fd,
				is_begun ? durable.offset : 0);
	if (err == 0 && !is_begun) {
		header_write(s->end.segment, header);
		err = disk_append(s->disk, fd, header, sizeof(header));
	}
	if (err == 0)
		err = s->disk->sync(s->disk->context, fd);
	(void)s->disk->close(s->disk->context, fd);	/* it is synced */
	return err;
}

int store_mend(struct store *s, struct place durable,
	       const struct store_env *env, struct store_found *found,
	       struct diag *d)
{
	struct place end = s->end;
	int err = tail_cut(s, durable);

	if (err < 0)
		return diag_set(d, err, "spool %s: %s", env->path,
				strerror(-err));
	if (s->fd >= 0)
		(void)s->disk->close(s->disk->context, s->fd);
	s->fd = -1;
	err = folder_take(s, env, found, d);
	if (err < 0)
		s->end = end;	/* it is tried again */
	return err;
}

int store_open(const struct store_env *env, struct store_found *found,
	       struct store **ret, struct diag *d)
{
	int dir_fd = dir_open(env->path, d);
	int lock_fd = dir_fd < 0 ? dir_fd : lock_take(dir_fd, env->path, d);
	int err = lock_fd < 0 ? lock_fd :
		  store_attach(&disk_durable, dir_fd, env, found, ret, d);

	if (err == 0) {
		(*ret)->owns_dir = true;
		(*ret)->lock_fd = lock_fd;
		return 0;
	}
	if (lock_fd >= 0)
		(void)close(lock_fd);
	if (dir_fd >= 0)
		(void)close(dir_fd);
	return err;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		(void)s->disk->close(s->disk->context, s->fd);
	if (s->lock_fd >= 0)
		(void)close(s->lock_fd);
	if (s->owns_dir)
		(void)close(s->dir_fd);
	free(s);
}

int store_dir_fd(const struct store *s)
{
	return s->dir_fd;
}

int store_append_head(struct store *s, const void *entries, size_t len)
{
	int err = disk_append(s->disk, s->fd, entries, len);

	if (err < 0)		/* not -ENOSPC if the tail cannot be cut */
		return s->disk->truncate(s->disk->context, s->fd,
					 s->end.offset) < 0 &&
		       err == -ENOSPC ? -EIO : err;
	s->end.offset += len;
	s->octets += len;
	return 0;
}

int store_append(struct store *s, const void *entries, size_t len,
		 struct place *ret_at)
{
	struct place at = s->end;
	int err = s->octets + len > s->octets_max ? -ENOSPC :
		  store_append_head(s, entries, len);

	if (err == 0)
		*ret_at = at;
	return err;
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
	/* The next segment will say that all of this is kept. */
	int err = s->disk->sync(s->disk->context, s->fd);

	return err < 0 ? err : segment_new(s, s->end.segment + 1);
}

struct store_job store_job(struct store *s)
{
	struct store_job job = { s->disk, s->fd, -1 };

	if (s->dir_is_dirty)
		job.dir_fd = s->dir_fd;
	s->dir_is_dirty = false;
	return job;
}

int store_job_do(const struct store_job *j)
{
	int err = j->disk->sync(j->disk->context, j->fd);

	if (err == 0 && j->dir_fd >= 0)
		err = j->disk->sync(j->disk->context, j->dir_fd);
	return err;
}

unsigned store_trim(struct store *s, uint64_t sink_segment)
{
	uint64_t room = 2 * s->segment_octets_max;
	uint64_t *list = NULL;
	unsigned removed = 0;
	int count;

	if (s->octets + room <= s->octets_max)
		return 0;
	count = segment_list(s->disk, s->dir_fd, &list);
	for (int i = 0; i < count && list[i] < sink_segment &&
			list[i] < s->end.segment &&
			s->octets + room > s->octets_max; i++) {
		char name[SEGMENT_NAME_LEN + 1];
		uint64_t octets = segment_octets(s, list[i]);

		segment_name(list[i], name);
		if (s->disk->unlink(s->disk->context, s->dir_fd, name) < 0)
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
