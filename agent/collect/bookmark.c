#include "agent/collect/bookmark.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"
#include "petrel/log.h"

#define TEXT_MAX 160
#define NUMBERS 4

static void file_name(const char *name, char ret[static DISK_NAME_MAX])
{
	int len = snprintf(ret, DISK_NAME_MAX, "%s.bookmark", name);

	assert(len > 0 && len < DISK_NAME_MAX);
}

/* Four integers and the start in a line. */
static int text_read(char *text, struct bookmark *ret)
{
	struct bookmark b = { .engine_start = "" };
	uint64_t n[NUMBERS];
	char *rest = text, *word;

	for (unsigned i = 0; i < NUMBERS; i++) {
		word = strsep(&rest, " ");
		if (!word || number_parse(word, 0, UINT64_MAX, &n[i]) < 0)
			return -EBADMSG;
	}
	word = strsep(&rest, "\n");
	if (!word || !rest || strlen(word) >= BOOKMARK_START_MAX)
		return -EBADMSG;
	b.at = (struct place){ n[0], n[1] };
	b.kept = (struct place){ n[2], n[3] };
	if (place_is_before(&b.at, &b.kept))
		return -EBADMSG;
	(void)strcpy(b.engine_start, word);
	*ret = b;
	return 0;
}

void bookmark_read(int dir_fd, const char *name, struct bookmark *ret)
{
	const struct disk *disk = &disk_durable;
	char path[DISK_NAME_MAX], text[TEXT_MAX];
	ssize_t len;
	int fd;

	*ret = (struct bookmark){ .engine_start = "" };
	file_name(name, path);
	fd = disk->open(disk->context, dir_fd, path, O_RDONLY, 0);
	if (fd == -ENOENT)
		return;
	len = fd < 0 ? fd : disk->read(disk->context, fd, text,
				       sizeof(text) - 1, 0);
	if (fd >= 0)
		(void)disk->close(disk->context, fd);	/* only read */
	if (len >= 0) {
		text[len] = '\0';
		len = text_read(text, ret);
	}
	if (len < 0)
		log_warn("collector", "sink=%s: %s cannot be read: it begins "
			 "where the spool does", name, path);
}

int bookmark_write(int dir_fd, const char *name, const struct bookmark *b)
{
	char path[DISK_NAME_MAX], text[TEXT_MAX];
	int len;

	file_name(name, path);
	len = snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64 " %" PRIu64
		       " %" PRIu64 " %s\n", b->at.segment, b->at.offset,
		       b->kept.segment, b->kept.offset, b->engine_start);
	return disk_put(&disk_volatile, dir_fd, path, text, (size_t)len);
}
