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

struct line_file {
	char *path, *former;
	uint64_t octets_max;
	FILE *out;		/* NULL: not open */
};

int line_file_new(const char *path, uint64_t octets_max, struct line_file **ret,
		  struct diag *d)
{
	struct line_file *f = calloc(1, sizeof(*f));

	if (!f)
		return diag_set(d, -ENOMEM, "out of memory");
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
	FILE *out = f->out;

	f->out = NULL;
	if (!out || out == stdout)
		return 0;
	return fclose(out) == 0 ? 0 : -errno;
}

void line_file_free(struct line_file *f)
{
	if (!f)
		return;
	(void)file_close(f);	/* line_file_flush() has reported it */
	free(f->path);
	free(f->former);
	free(f);
}

static int file_open(struct line_file *f)
{
	struct stat st;
	int fd;

	if (f->out)
		return 0;
	if (strcmp(f->path, "-") == 0) {
		f->out = stdout;
		return 0;
	}
	fd = open(f->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
		  FILE_MODE);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && f->octets_max > 0 &&
	    (uint64_t)st.st_size >= f->octets_max) {
		(void)close(fd);
		if (rename(f->path, f->former) < 0)
			return -errno;
		return file_open(f);
	}
	f->out = fdopen(fd, "a");
	return f->out ? 0 : -errno;
}

int line_file_put(struct line_file *f, struct json_object *o, struct diag *d)
{
	int err = file_open(f);

	if (err == 0)
		err = json_line(f->out, o);
	if (err == 0 && f->octets_max > 0 && f->out != stdout &&
	    (uint64_t)ftell(f->out) >= f->octets_max)
		err = file_close(f);
	return err < 0 ? diag_set(d, err, "%s: %s", f->path, strerror(-err)) :
			 0;
}

int line_file_flush(struct line_file *f, struct diag *d)
{
	if (!f->out || fflush(f->out) == 0)
		return 0;
	return diag_set(d, -errno, "%s: %s", f->path, strerror(errno));
}
