#include "tests/support/sim_disk.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define FIRST_FD (SIM_DISK_FOLDER + 1)
#define NONE (-1)

/* Every operation that changes something begins here. */
static int begin(struct sim_disk *p)
{
	unsigned number = p->done++;

	if (p->before)
		p->before(p->before_context);
	if (number >= p->cut_at)
		return -EIO;	/* nobody hears of it */
	if (number == p->fail_at || (p->is_for_good && number > p->fail_at))
		return p->fault;
	return 0;
}

static int file_now(const struct sim_name *n)
{
	return n->had[n->had_count - 1];
}

static void name_set(struct sim_name *n, int file)
{
	assert(n->had_count < SIM_DISK_HAD);
	n->had[n->had_count++] = file;
}

static struct sim_name *name_find(struct sim_disk *p, const char *name)
{
	for (size_t i = 0; i < p->name_count; i++)
		if (strcmp(p->name[i].name, name) == 0)
			return &p->name[i];
	return NULL;
}

static bool is_forgotten(const struct sim_name *n)
{
	return n->had_count == 1 && n->had[0] == NONE;
}

/* Names of which nothing may be found any more make room. */
static struct sim_name *name_of(struct sim_disk *p, const char *name)
{
	struct sim_name *n = name_find(p, name);

	for (size_t i = 0; !n && i < p->name_count; i++)
		if (is_forgotten(&p->name[i]))
			n = &p->name[i];
	if (!n) {
		assert(p->name_count < SIM_DISK_NAMES);
		n = &p->name[p->name_count++];
		n->had[0] = NONE;
		n->had_count = 1;
	}
	(void)snprintf(n->name, sizeof(n->name), "%s", name);
	return n;
}

static void files_forget(struct sim_disk *p)
{
	bool used[SIM_DISK_FILES] = { false };

	for (size_t i = 0; i < p->name_count; i++)
		for (size_t k = 0; k < p->name[i].had_count; k++)
			if (p->name[i].had[k] != NONE)
				used[p->name[i].had[k]] = true;
	for (int i = 0; i < SIM_DISK_FILES; i++)
		p->file[i].is_used = used[i] || p->file[i].opened > 0;
}

static int file_new(struct sim_disk *p)
{
	int i = 0;

	files_forget(p);
	while (i < SIM_DISK_FILES && p->file[i].is_used)
		i++;
	assert(i < SIM_DISK_FILES);
	p->file[i].is_used = true;
	p->file[i].len = p->file[i].synced_len = 0;
	return i;
}

static int sim_open(void *context, int dir_fd, const char *name, int flags,
		    mode_t mode)
{
	struct sim_disk *p = context;
	struct sim_name *n = name_find(p, name);
	int file = n ? file_now(n) : NONE, rc;

	(void)mode;
	assert(dir_fd == SIM_DISK_FOLDER);
	if (!(flags & O_CREAT)) {
		if (file == NONE)
			return -ENOENT;
		p->file[file].opened++;
		return FIRST_FD + file;
	}
	rc = begin(p);
	if (rc < 0)
		return rc;
	if (file != NONE && flags & O_EXCL)
		return -EEXIST;
	if (file == NONE) {
		file = file_new(p);
		name_set(name_of(p, name), file);
	}
	if (flags & O_TRUNC)
		p->file[file].len = 0;
	p->file[file].opened++;
	return FIRST_FD + file;
}

static struct sim_file *file_of(struct sim_disk *p, int fd)
{
	assert(fd >= FIRST_FD && fd < FIRST_FD + SIM_DISK_FILES &&
	       p->file[fd - FIRST_FD].opened > 0);
	return &p->file[fd - FIRST_FD];
}

static ssize_t sim_write(void *context, int fd, const void *octets, size_t len)
{
	struct sim_disk *p = context;
	struct sim_file *f = file_of(p, fd);
	int rc = begin(p);

	if (rc < 0)
		return rc;
	if (p->room == 0)
		return -ENOSPC;
	len = len < p->chunk ? len : p->chunk;
	len = len < p->room ? len : p->room;
	assert(f->len + len <= SIM_DISK_OCTETS);
	memcpy(f->octets + f->len, octets, len);
	f->len += len;
	p->room -= len;
	return (ssize_t)len;
}

static ssize_t sim_overwrite(void *context, int fd, const void *octets,
			     size_t len)
{
	struct sim_disk *p = context;
	struct sim_file *f = file_of(p, fd);
	int rc = begin(p);

	if (rc < 0)
		return rc;
	assert(len <= SIM_DISK_OCTETS);
	memcpy(f->octets, octets, len);
	f->len = f->len > len ? f->len : len;
	return (ssize_t)len;
}

static ssize_t sim_read(void *context, int fd, void *ret, size_t len,
			uint64_t offset)
{
	const struct sim_file *f = file_of(context, fd);

	if (offset >= f->len)
		return 0;
	len = len < f->len - offset ? len : f->len - offset;
	memcpy(ret, f->octets + offset, len);
	return (ssize_t)len;
}

static int64_t sim_size(void *context, int fd)
{
	return (int64_t)file_of(context, fd)->len;
}

static int sim_truncate(void *context, int fd, uint64_t len)
{
	struct sim_file *f = file_of(context, fd);
	int rc = begin(context);

	if (rc == 0 && len < f->len)
		f->len = len;
	return rc;
}

static bool is_clean(const struct sim_file *f)
{
	return f->len == f->synced_len &&
	       memcmp(f->octets, f->synced, f->len) == 0;
}

static bool is_dirty(struct sim_disk *p, int fd)
{
	if (fd != SIM_DISK_FOLDER)
		return !is_clean(file_of(p, fd));
	for (size_t i = 0; i < p->name_count; i++)
		if (file_now(&p->name[i]) != p->name[i].had[0])
			return true;
	return false;
}

static int sim_sync(void *context, int fd)
{
	struct sim_disk *p = context;
	int rc = begin(p);

	if (rc < 0)
		return rc;
	if (p->syncs++ == p->skipped_sync) {
		p->was_needed = is_dirty(p, fd);
		return 0;
	}
	if (fd != SIM_DISK_FOLDER) {
		struct sim_file *f = file_of(p, fd);

		memcpy(f->synced, f->octets, f->len);
		f->synced_len = f->len;
		return 0;
	}
	for (size_t i = 0; i < p->name_count; i++) {
		p->name[i].had[0] = file_now(&p->name[i]);
		p->name[i].had_count = 1;
	}
	return 0;
}

static int sim_close(void *context, int fd)
{
	file_of(context, fd)->opened--;
	return begin(context);
}

static int sim_rename(void *context, int dir_fd, const char *from,
		      const char *to)
{
	struct sim_disk *p = context;
	int rc = begin(p), file;

	assert(dir_fd == SIM_DISK_FOLDER);
	if (rc < 0)
		return rc;
	file = name_find(p, from) ? file_now(name_find(p, from)) : NONE;
	if (file == NONE)
		return -ENOENT;
	name_set(name_of(p, to), file);
	name_set(name_find(p, from), NONE);
	return 0;
}

static int sim_unlink(void *context, int dir_fd, const char *name)
{
	struct sim_disk *p = context;
	struct sim_name *n = name_find(p, name);
	int rc = begin(p);

	assert(dir_fd == SIM_DISK_FOLDER);
	if (rc < 0)
		return rc;
	if (!n || file_now(n) == NONE)
		return -ENOENT;
	name_set(n, NONE);
	return 0;
}

/* A folder within it has a name, and nothing else. */
static int sim_make(void *context, int dir_fd, const char *name, mode_t mode)
{
	struct sim_disk *p = context;
	struct sim_name *n = name_find(p, name);
	int rc = begin(p);

	(void)mode;
	assert(dir_fd == SIM_DISK_FOLDER);
	if (rc == 0 && n && file_now(n) != NONE)
		return -EEXIST;
	if (rc == 0)
		name_set(name_of(p, name), file_new(p));
	return rc;
}

static int sim_list(void *context, int dir_fd, disk_name_fn *each, void *to)
{
	struct sim_disk *p = context;

	assert(dir_fd == SIM_DISK_FOLDER);
	for (size_t i = 0; i < p->name_count; i++)
		if (file_now(&p->name[i]) != NONE)
			each(to, p->name[i].name);
	return 0;
}

/* Files keep what they have: they are set when they are made. */
void sim_disk_init(struct sim_disk *p)
{
	p->disk = (struct disk){
		.context = p, .open = sim_open, .write = sim_write,
		.overwrite = sim_overwrite, .read = sim_read,
		.size = sim_size, .truncate = sim_truncate,
		.sync = sim_sync, .close = sim_close, .rename = sim_rename,
		.unlink = sim_unlink, .make = sim_make, .list = sim_list };
	p->before = NULL;
	p->done = p->syncs = 0;
	p->was_needed = false;
	p->cut_at = p->fail_at = p->skipped_sync = SIM_DISK_NEVER;
	p->fault = 0;
	p->is_for_good = false;
	p->room = p->chunk = SIZE_MAX;
	p->name_count = 0;
	for (int i = 0; i < SIM_DISK_FILES; i++) {
		p->file[i].is_used = false;
		p->file[i].opened = 0;
	}
}

/* --- a cut ---------------------------------------------------------------- */

enum variant { ALL_WRITTEN, SYNCED_ALONE, NAMES_ALONE, CONTENT_ALONE,
	       NAMES_AND_NULLS, NAMES_AND_HALF };

static uint64_t draw(uint64_t *seed)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static int name_choose(const struct sim_name *n, uint64_t variant,
		       uint64_t *seed)
{
	switch (variant) {
	case SYNCED_ALONE:
	case CONTENT_ALONE:
		return n->had[0];
	case ALL_WRITTEN:
	case NAMES_ALONE:
	case NAMES_AND_NULLS:
	case NAMES_AND_HALF:
		return file_now(n);
	default:
		return n->had_count == 1 ? n->had[0] :
		       n->had[draw(seed) % n->had_count];
	}
}

static size_t length_choose(const struct sim_file *f, uint64_t *seed)
{
	size_t low = f->len < f->synced_len ? f->len : f->synced_len;
	size_t high = f->len + f->synced_len - low;

	switch (draw(seed) % 4) {
	case 0:
		return f->synced_len;
	case 1:
		return f->len;
	default:
		return low + draw(seed) % (high - low + 1);
	}
}

/* The file with the sectors from..len that reached the disk. */
static void content_choose(const struct sim_file *f, uint64_t variant,
			   uint64_t *seed, struct sim_file *to)
{
	bool is_all = variant == ALL_WRITTEN || variant == CONTENT_ALONE ||
		      is_clean(f);

	to->len = variant < SIM_DISK_PLAIN_VARIANTS ? f->len :
		  length_choose(f, seed);
	if (variant == SYNCED_ALONE || variant == NAMES_ALONE)
		to->len = f->synced_len;
	if (variant == NAMES_AND_HALF)
		to->len = (f->len + f->synced_len) / 2;
	if (is_all && to->len > f->len)
		to->len = f->len;
	memset(to->octets, 0, to->len);
	memcpy(to->octets, is_all ? f->octets : f->synced,
	       is_all || to->len < f->synced_len ? to->len : f->synced_len);
	for (size_t at = 0; !is_all && at < f->len && at < to->len;
	     at += SIM_DISK_SECTOR) {
		size_t n = to->len < f->len ? to->len - at : f->len - at;
		bool is_there = variant == NAMES_AND_HALF ||
			(variant >= SIM_DISK_PLAIN_VARIANTS && draw(seed) & 1);

		if (is_there)
			memcpy(to->octets + at, f->octets + at,
			       n < SIM_DISK_SECTOR ? n : SIM_DISK_SECTOR);
	}
	to->synced_len = to->len;
	memcpy(to->synced, to->octets, to->len);
}

static uint64_t hash(uint64_t h, const unsigned char *octets, size_t len)
{
	uint64_t word;

	for (; len >= sizeof(word); len -= sizeof(word)) {
		memcpy(&word, octets, sizeof(word));
		octets += sizeof(word);
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	for (; len > 0; len--)
		h = (h ^ *octets++) * UINT64_C(0x100000001b3);
	return h;
}

uint64_t sim_disk_cut(const struct sim_disk *p, uint64_t variant,
		      struct sim_disk *ret)
{
	uint64_t seed = variant, h = 0;
	int copied[SIM_DISK_FILES];
	int count = 0;

	sim_disk_init(ret);
	memset(copied, 0xff, sizeof(copied));
	for (size_t i = 0; i < p->name_count; i++) {
		const struct sim_name *n = &p->name[i];
		int file = name_choose(n, variant, &seed);

		if (file == NONE)
			continue;
		if (copied[file] < 0) {
			copied[file] = count++;
			ret->file[copied[file]].is_used = true;
			content_choose(&p->file[file], variant, &seed,
				       &ret->file[copied[file]]);
		}
		name_set(name_of(ret, n->name), copied[file]);
		name_find(ret, n->name)->had[0] = copied[file];
		name_find(ret, n->name)->had_count = 1;
		h = hash(h ^ ret->file[copied[file]].len,
			 ret->file[copied[file]].octets,
			 ret->file[copied[file]].len);
		h = hash(h, (const unsigned char *)n->name, strlen(n->name));
	}
	return h;
}

const struct sim_file *sim_disk_file(const struct sim_disk *p,
				     const char *name)
{
	for (size_t i = 0; i < p->name_count; i++)
		if (strcmp(p->name[i].name, name) == 0 &&
		    file_now(&p->name[i]) != NONE)
			return &p->file[file_now(&p->name[i])];
	return NULL;
}
