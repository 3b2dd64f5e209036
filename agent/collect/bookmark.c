#include "agent/collect/bookmark.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"
#include "petrel/log.h"

#define TEXT_MAX (64u << 20)
#define NUMBERS 4
#define FILE_MODE 0600

static void file_name(const char *name, char ret[static DISK_NAME_MAX])
{
	int len = snprintf(ret, DISK_NAME_MAX, "%s.bookmark", name);

	assert(len > 0 && len < DISK_NAME_MAX);
}

/* Four integers and the engine's start on one line, padded with spaces to a
 * fixed length; then the sink's own text.
 */
static int text_read(char *text, struct bookmark *ret, char **ret_more)
{
	struct bookmark b = { .engine_start = "" };
	uint64_t n[NUMBERS];
	char *rest = text, *line = strsep(&rest, "\n");

	for (unsigned i = 0; i < NUMBERS; i++) {
		char *word;

		line += strspn(line, " ");
		word = strsep(&line, " ");
		if (!line || number_parse(word, 0, UINT64_MAX, &n[i]) < 0)
			return -EBADMSG;
	}
	if (!rest || strcspn(line, " ") >= BOOKMARK_START_MAX)
		return -EBADMSG;
	b.at = (struct place){ n[0], n[1] };
	b.kept = (struct place){ n[2], n[3] };
	if (place_is_before(&b.at, &b.kept))
		return -EBADMSG;
	(void)sprintf(b.engine_start, "%.*s", (int)strcspn(line, " "), line);
	*ret = b;
	if (ret_more && rest[0])
		*ret_more = strdup(rest);
	return 0;
}

/* The whole file, with a NUL; NULL with *ret_err. */
static char *file_read(const struct disk *disk, int dir_fd, const char *path,
		       int *ret_err)
{
	int fd = disk->open(disk->context, dir_fd, path, O_RDONLY, 0);
	int64_t size = fd < 0 ? fd : disk->size(disk->context, fd);
	char *text = NULL;

	*ret_err = size < 0 ? (int)size : -EFBIG;
	if (size >= 0 && size < TEXT_MAX) {
		text = calloc(1, (size_t)size + 1);
		*ret_err = text ? disk_read(disk, fd, text, (size_t)size, 0) :
			   -ENOMEM;
	}
	if (fd >= 0)
		(void)disk->close(disk->context, fd);	/* read-only */
	if (*ret_err < 0) {
		free(text);
		return NULL;
	}
	return text;
}

void bookmark_read(const struct disk *disk, int dir_fd, const char *name,
		   struct bookmark *ret, char **ret_more)
{
	char path[DISK_NAME_MAX];
	char *text;
	int err;

	*ret = (struct bookmark){ .engine_start = "" };
	if (ret_more)
		*ret_more = NULL;
	file_name(name, path);
	text = file_read(disk, dir_fd, path, &err);
	if (text)
		err = text_read(text, ret, ret_more);
	free(text);
	if (err < 0 && err != -ENOENT)
		log_warn("collector", "sink=%s: %s cannot be read: starting at "
			 "the beginning of the spool", name, path);
}

/* Overwrites one sector in place: a rename would wait for the disk. */
static int line_put(const struct disk *disk, int dir_fd, const char *path,
		    const char *line, size_t len)
{
	int fd = disk->open(disk->context, dir_fd, path, O_WRONLY | O_CREAT,
			    FILE_MODE);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = disk->overwrite(disk->context, fd, line, len);
	(void)disk->close(disk->context, fd);	/* no sync needed */
	return n == (ssize_t)len ? 0 : n < 0 ? (int)n : -EIO;
}

int bookmark_write(const struct disk *disk, int dir_fd, const char *name,
		   const struct bookmark *b, const char *more, struct diag *d)
{
	char path[DISK_NAME_MAX];
	char *text = NULL;
	int len, err;

	file_name(name, path);
	len = asprintf(&text, "%20" PRIu64 " %20" PRIu64 " %20" PRIu64
		       " %20" PRIu64 " %-*s\n%s", b->at.segment, b->at.offset,
		       b->kept.segment, b->kept.offset,
		       BOOKMARK_START_MAX, b->engine_start, more ? more : "");
	err = len < 0 ? -ENOMEM :
	      more ? disk_put(disk, dir_fd, path, text, (size_t)len) :
		     line_put(disk, dir_fd, path, text, (size_t)len);
	if (len >= 0)
		free(text);
	return err < 0 ? diag_set(d, err, "its bookmark: %s",
				  strerror(-err)) : 0;
}
