#include "agent/ctl/bundle.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/ctl/program.h"
#include "agent/ctl/redact.h"
#include "petrel/clock.h"

#define FILE_MODE 0600
#define MANIFEST "MANIFEST"
#define TAR_NS (120 * NS_PER_S)
#define WHY_MAX 200

struct bundle {
	char above[PATH_MAX];	/* the temporary folder */
	char name[NAME_MAX + 1];	/* of the one in it */
	int dir_fd;		/* of that */
	struct redact *redact;
	char *manifest;
	size_t manifest_len;
	FILE *list;		/* writes the manifest */
	struct bundle_count count;
};

int bundle_open(const char *name, struct redact *redact, struct bundle **ret,
		struct diag *d)
{
	const char *above = getenv("TMPDIR");
	struct bundle *b = calloc(1, sizeof(*b));
	int above_fd = -1, rc;

	if (!b)
		return diag_set(d, -ENOMEM, "no memory");
	b->dir_fd = -1;
	b->redact = redact;
	(void)snprintf(b->name, sizeof(b->name), "%s", name);
	(void)snprintf(b->above, sizeof(b->above), "%s/petrel-bugreport.XXXXXX",
		       above && above[0] == '/' ? above : "/tmp");
	if (!mkdtemp(b->above)) {
		rc = diag_set(d, -errno, "%s: %s", b->above, strerror(errno));
		b->above[0] = '\0';
		goto fail;
	}
	above_fd = open(b->above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (above_fd >= 0 && mkdirat(above_fd, b->name, 0700) == 0)
		b->dir_fd = openat(above_fd, b->name,
				   O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = b->dir_fd < 0 ? diag_set(d, -errno, "%s/%s: %s", b->above,
				      b->name, strerror(errno)) : 0;
	if (above_fd >= 0)
		(void)close(above_fd);
	b->list = open_memstream(&b->manifest, &b->manifest_len);
	if (rc == 0 && !b->list)
		rc = diag_set(d, -ENOMEM, "no memory");
	if (rc < 0)
		goto fail;
	*ret = b;
	return 0;
fail:
	bundle_free(b);
	return rc;
}

/* The files: there are no folders in it. */
static void files_remove(const struct bundle *b)
{
	int fd = dup(b->dir_fd);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!dir && fd >= 0)
		(void)close(fd);
	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			(void)unlinkat(b->dir_fd, e->d_name, 0);
	if (dir)
		(void)closedir(dir);
}

void bundle_free(struct bundle *b)
{
	char path[PATH_MAX + NAME_MAX + 2];

	if (!b)
		return;
	if (b->dir_fd >= 0) {
		files_remove(b);
		(void)close(b->dir_fd);
	}
	if (b->above[0]) {
		(void)snprintf(path, sizeof(path), "%s/%s", b->above, b->name);
		(void)rmdir(path);
		(void)rmdir(b->above);
	}
	if (b->list)
		(void)fclose(b->list);
	free(b->manifest);
	free(b);
}

/* --- what goes in -------------------------------------------------------- */

void bundle_left_out(struct bundle *b, const char *name, const char *format,
		     ...)
{
	char why[WHY_MAX];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	b->count.left_out++;
	(void)fprintf(b->list, "left out  %s: ", name);
	(void)redact_text(b->redact, why, strlen(why), b->list);
	(void)fputc('\n', b->list);
}

/* A slash has no place in a name here. */
static FILE *file_new(const struct bundle *b, const char *name)
{
	int fd = openat(b->dir_fd, name,
			O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f && fd >= 0)
		(void)close(fd);
	return f;
}

void bundle_text(struct bundle *b, const char *name, const char *text,
		 size_t len)
{
	size_t before = redact_secrets(b->redact), secrets;
	FILE *f = file_new(b, name);
	int rc = f ? redact_text(b->redact, text, len, f) : -errno;

	if (f && fclose(f) != 0 && rc == 0)
		rc = -errno;
	if (rc < 0) {
		(void)unlinkat(b->dir_fd, name, 0);
		bundle_left_out(b, name, "%s", strerror(-rc));
		return;
	}
	secrets = redact_secrets(b->redact) - before;
	b->count.files++;
	(void)fprintf(b->list, "%8zu  %s", len, name);
	if (secrets)
		(void)fprintf(b->list, " (%zu secret%s redacted)", secrets,
			      secrets == 1 ? "" : "s");
	(void)fputc('\n', b->list);
}

/* Up to BUNDLE_FILE_MAX octets: files of /proc tell no size. */
static int file_read(const char *path, char **ret, size_t *ret_len)
{
	FILE *f = fopen(path, "re");
	char *text;
	int rc;

	if (!f)
		return -errno;
	text = malloc(BUNDLE_FILE_MAX);
	if (!text) {
		(void)fclose(f);
		return -ENOMEM;
	}
	errno = 0;
	*ret_len = fread(text, 1, BUNDLE_FILE_MAX, f);
	rc = ferror(f) ? -(errno ? errno : EIO) : 0;
	(void)fclose(f);
	if (rc < 0)
		free(text);
	else
		*ret = text;
	return rc;
}

void bundle_file(struct bundle *b, const char *name, const char *path)
{
	size_t len = 0;
	char *text = NULL;
	int rc = file_read(path, &text, &len);

	if (rc < 0) {
		bundle_left_out(b, name, "%s: %s", path, strerror(-rc));
		return;
	}
	if (len == BUNDLE_FILE_MAX)
		bundle_left_out(b, name, "all behind its first %u octets",
				BUNDLE_FILE_MAX);
	bundle_text(b, name, text, len);
	free(text);
}

void bundle_program(struct bundle *b, const char *name,
		    const char *const argv[], struct program_output *ret)
{
	struct program_output out = { .octets_max = BUNDLE_FILE_MAX };
	struct diag d;
	int rc = program_run(argv, BUNDLE_PROGRAM_NS, &out, &d);

	if (rc < 0) {
		bundle_left_out(b, name, "%s", d.text);
		return;
	}
	bundle_text(b, name, out.text, out.len);
	if (out.status)
		(void)fprintf(b->list, "          %s left with exit status "
			      "%d\n", name, out.status);
	if (out.cut)
		bundle_left_out(b, name, "all behind its first %u octets",
				BUNDLE_FILE_MAX);
	if (ret)
		*ret = out;
	else
		free(out.text);
}

/* --- the archive --------------------------------------------------------- */

static int manifest_write(struct bundle *b, struct diag *d)
{
	FILE *f = file_new(b, MANIFEST);
	int rc = 0;

	if (!f)
		return diag_set(d, -errno, "cannot write the manifest: %s",
				strerror(errno));
	(void)fflush(b->list);	/* into memory, which manifest then is */
	(void)fprintf(f, "What this report holds: octets read, and the file.\n"
		      "Secrets redacted: %zu; names and addresses replaced: "
		      "%zu.\n\n", redact_secrets(b->redact),
		      redact_names(b->redact));
	(void)fwrite(b->manifest, 1, b->manifest_len, f);
	if (fclose(f) != 0)
		rc = diag_set(d, -errno, "cannot write the manifest: %s",
			      strerror(errno));
	return rc;
}

/* tar writes into a file that is open: its name is no argument. */
static int tar_run(const struct bundle *b, int fd, struct diag *d)
{
	const char *const argv[] = { "tar", "-C", b->above, "--owner=0",
				     "--group=0", "-czf", "-", "--", b->name,
				     NULL };
	struct program_output out = { .into_fd = fd, .to_file = true };
	int rc = program_run(argv, TAR_NS, &out, d);

	if (rc < 0)
		return rc;
	return out.status ? diag_set(d, -EIO, "tar left with exit status %d",
				     out.status) : 0;
}

int bundle_write(struct bundle *b, const char *path,
		 struct bundle_count *ret_count, struct diag *d)
{
	int fd, rc = manifest_write(b, d);

	if (rc < 0)
		return rc;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
	if (fd < 0)
		return diag_set(d, -errno, "%s: %s", path, strerror(errno));
	rc = tar_run(b, fd, d);
	if (close(fd) < 0 && rc == 0)
		rc = diag_set(d, -errno, "%s: %s", path, strerror(errno));
	if (rc < 0)
		(void)unlink(path);
	else
		*ret_count = b->count;
	return rc;
}
