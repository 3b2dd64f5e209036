#include "tests/support/power_disk.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define FIRST_FD (POWER_DISK_FOLDER + 1)

/* Every operation begins here. */
static int begin(struct power_disk *p)
{
	unsigned number = p->done++;

	if (number >= p->cut_at)
		return -EIO;	/* nobody hears of it */
	if (number == p->fail_at || (p->is_for_good && number > p->fail_at))
		return p->fault;
	return 0;
}

static struct power_name *name_of(struct power_disk *p, const char *name)
{
	struct power_name *n = p->name;

	while (n < p->name + p->name_count && strcmp(n->name, name) != 0)
		n++;
	if (n == p->name + p->name_count) {
		assert(p->name_count++ < POWER_DISK_NAMES);
		(void)snprintf(n->name, sizeof(n->name), "%s", name);
		n->had[0] = -1;
		n->had_count = 1;
	}
	return n;
}

static int file_now(const struct power_name *n)
{
	return n->had[n->had_count - 1];
}

static void name_set(struct power_name *n, int file)
{
	assert(n->had_count < POWER_DISK_FILES);
	n->had[n->had_count++] = file;
}

static int power_open(void *context, int dir_fd, const char *name, int flags,
		      mode_t mode)
{
	struct power_disk *p = context;
	struct power_name *n = name_of(p, name);
	int rc = begin(p);

	(void)mode;
	assert(dir_fd == POWER_DISK_FOLDER &&
	       flags == (O_WRONLY | O_CREAT | O_EXCL));
	if (rc < 0)
		return rc;
	if (file_now(n) >= 0)
		return -EEXIST;
	assert(p->file_count < POWER_DISK_FILES);
	memset(&p->file[p->file_count], 0, sizeof(p->file[0]));
	name_set(n, (int)p->file_count);
	return FIRST_FD + (int)p->file_count++;
}

static ssize_t power_write(void *context, int fd, const void *octets,
			   size_t len)
{
	struct power_disk *p = context;
	struct power_file *f = &p->file[fd - FIRST_FD];
	int rc = begin(p);

	if (rc < 0)
		return rc;
	if (p->room == 0)
		return -ENOSPC;
	len = len < p->chunk ? len : p->chunk;
	len = len < p->room ? len : p->room;
	assert(f->len + len <= POWER_DISK_OCTETS);
	memcpy(f->octets + f->len, octets, len);
	f->len += len;
	p->room -= len;
	return (ssize_t)len;
}

static int power_sync(void *context, int fd)
{
	struct power_disk *p = context;
	int rc = begin(p);

	if (rc < 0)
		return rc;
	if (fd != POWER_DISK_FOLDER) {
		p->file[fd - FIRST_FD].synced = p->file[fd - FIRST_FD].len;
		return 0;
	}
	for (size_t i = 0; i < p->name_count; i++) {
		p->name[i].had[0] = file_now(&p->name[i]);
		p->name[i].had_count = 1;
	}
	return 0;
}

static int power_close(void *context, int fd)
{
	assert(fd >= FIRST_FD);
	return begin(context);
}

static int power_rename(void *context, int dir_fd, const char *from,
			const char *to)
{
	struct power_disk *p = context;
	int rc = begin(p);

	assert(dir_fd == POWER_DISK_FOLDER);
	if (rc < 0)
		return rc;
	if (file_now(name_of(p, from)) < 0)
		return -ENOENT;
	name_set(name_of(p, to), file_now(name_of(p, from)));
	name_set(name_of(p, from), -1);
	return 0;
}

static int power_unlink(void *context, int dir_fd, const char *name)
{
	struct power_disk *p = context;
	int rc = begin(p);

	assert(dir_fd == POWER_DISK_FOLDER);
	if (rc < 0)
		return rc;
	if (file_now(name_of(p, name)) < 0)
		return -ENOENT;
	name_set(name_of(p, name), -1);
	return 0;
}

void power_disk_init(struct power_disk *p)
{
	memset(p, 0, sizeof(*p));
	p->disk = (struct disk){ .context = p, .open = power_open,
				 .write = power_write, .sync = power_sync,
				 .close = power_close, .rename = power_rename,
				 .unlink = power_unlink };
	p->cut_at = p->fail_at = POWER_DISK_NEVER;
	p->room = p->chunk = SIZE_MAX;
}

/* All of it; what was synced; half of the rest; half of it and nulls; nulls. */
enum tear { TEAR_NONE, TEAR_ALL, TEAR_HALF, TEAR_HALF_NULLS, TEAR_NULLS,
	    TEAR_COUNT };

static size_t tear(const struct power_file *f, enum tear how,
		   unsigned char *ret)
{
	size_t half = f->synced + (f->len - f->synced) / 2;
	size_t real[TEAR_COUNT] = { f->len, f->synced, half, half, f->synced };

	memset(ret, 0, f->len);
	memcpy(ret, f->octets, real[how]);
	return how == TEAR_ALL || how == TEAR_HALF ? real[how] : f->len;
}

bool power_disk_found(const struct power_disk *p, const char *name,
		      unsigned variant, unsigned char *ret, size_t *ret_len)
{
	for (size_t i = 0; i < p->name_count; i++) {
		const struct power_name *n = &p->name[i];
		unsigned which = variant / TEAR_COUNT;

		if (strcmp(n->name, name) != 0)
			continue;
		if (which >= n->had_count)
			return false;
		*ret_len = n->had[which] < 0 ? SIZE_MAX :
			   tear(&p->file[n->had[which]],
				(enum tear)(variant % TEAR_COUNT), ret);
		return true;
	}
	return false;
}

void power_disk_on(struct power_disk *p, bool at_last)
{
	for (size_t i = 0; i < p->file_count; i++)
		p->file[i].len = p->file[i].synced;
	for (size_t i = 0; i < p->name_count; i++) {
		struct power_name *n = &p->name[i];

		if (at_last)
			n->had[0] = file_now(n);
		n->had_count = 1;
	}
	p->cut_at = p->fail_at = POWER_DISK_NEVER;
}
