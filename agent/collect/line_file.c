#include "agent/collect/line_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/record/json.h"

#define FILE_MODE 0640
#define TAIL_OCTETS 65536

struct line_file {
	char *path, *former;
	uint64_t octets_max;
	int fd;			/* negative: not open */
	uint64_t size;		/* of a file whose size is limited */
	bool is_torn;		/* its last line has no end */
};

int line_file_new(const char *path, uint64_t octets_max, struct line_file **ret,
		  struct diag *d)
{
	struct line_file *f = calloc(1, sizeof(*f));

	if (!f)
		return diag_set(d, -ENOMEM, "out of memory");
	f->fd = -1;
	f->octets_max = octets_max;
	f->path = strdup(path);
	if (!f->path || asprintf(&f->former, "%s.1", path) < 0) {
		f->former = NULL;
		line_file_free(f);
		return diag_set(d, -ENOMEM, "out of memory");
	}
	*ret = f;
	return 0;
}

static int file_close(struct line_file *f)
{
	int fd = f->fd;

	f->fd = -1;
	if (fd < 0 || fd == STDOUT_FILENO)
		return 0;
	return close(fd) == 0 ? 0 : -errno;
}

void line_file_free(struct line_file *f)
{
	if (!f)
		return;
	(void)file_close(f);
	free(f->path);
	free(f->former);
	free(f);
}

/* Cuts a line without an end, which a kill or a full disk left, off a file of
 * this size. What does not look like one of ours stays.
 */
static void end_mend(struct line_file *f, off_t size)
{
	off_t from = size > TAIL_OCTETS ? size - TAIL_OCTETS : 0;
	int fd = open(f->path, O_RDONLY | O_CLOEXEC);
	char *tail = malloc(TAIL_OCTETS), *end;
	ssize_t len = fd >= 0 && tail ? pread(fd, tail, TAIL_OCTETS, from) : 0;

	if (len > 0 && tail[len - 1] != '\n') {
		end = memrchr(tail, '\n', (size_t)len);
		end = end ? end + 1 : tail;
		f->is_torn = *end != '{' || (end == tail && from > 0) ||
			     ftruncate(f->fd, from + (end - tail)) < 0;
	}
	free(tail);
	if (fd >= 0)
		(void)close(fd);
}

static int file_open(struct line_file *f)
{
	struct stat st;

	if (f->fd >= 0)
		return 0;
	f->size = 0;
	if (strcmp(f->path, "-") == 0) {
		f->fd = STDOUT_FILENO;
		return 0;
	}
	f->fd = open(f->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
		     FILE_MODE);
	if (f->fd < 0)
		return -errno;
	if (fstat(f->fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	if (f->octets_max > 0 && (uint64_t)st.st_size >= f->octets_max) {
		(void)file_close(f);
		if (rename(f->path, f->former) < 0)
			return -errno;
		return file_open(f);
	}
	f->is_torn = false;
	end_mend(f, st.st_size);
	f->size = (uint64_t)st.st_size;
	return 0;
}

/* Takes back the octets of a line that were written when it failed. */
static void line_cut(struct line_file *f, size_t written)
{
	off_t back = (off_t)written;
	struct stat st;

	if (written == 0)
		return;
	f->is_torn = fstat(f->fd, &st) < 0 || !S_ISREG(st.st_mode) ||
		     st.st_size < back ||
		     ftruncate(f->fd, st.st_size - back) < 0 ||
		     lseek(f->fd, -back, SEEK_CUR) < 0;
}

static int octets_put(struct line_file *f, const char *octets, size_t len)
{
	size_t written = 0;

	while (written < len) {
		ssize_t n = write(f->fd, octets + written, len - written);
		int err = n < 0 ? -errno : -EIO;

		if (n > 0) {
			written += (size_t)n;
		} else if (err != -EINTR) {
			line_cut(f, written);
			return err;
		}
	}
	f->size += len;
	f->is_torn = false;
	return 0;
}

/* After a torn line that could not be cut off, a line begins on its own. */
static int line_put(struct line_file *f, struct json_object *o)
{
	char *line;
	int len = asprintf(&line, "%s%s\n", f->is_torn ? "\n" : "",
			   json_line_text(o));
	int err;

	if (len < 0)
		return -ENOMEM;
	err = octets_put(f, line, (size_t)len);
	free(line);
	return err;
}

int line_file_put(struct line_file *f, struct json_object *o, struct diag *d)
{
	int err = file_open(f);

	if (err == 0)
		err = line_put(f, o);
	/* full, or what failed is opened again */
	if (err < 0 || (f->octets_max > 0 && f->size >= f->octets_max))
		(void)file_close(f);
	return err < 0 ? diag_set(d, err, "%s: %s", f->path, strerror(-err)) :
			 0;
}
