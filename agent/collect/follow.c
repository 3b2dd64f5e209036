/* A segment followed by another one does not grow any more: octets in it that
 * are no whole entry are damaged. In the last segment they may be an entry that
 * is still being written, so the reader waits; not if they are before a given
 * end, which was synced.
 */
#include "agent/collect/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "agent/spool/segment.h"

#define WINDOW_OCTETS (2 * ENTRY_MAX)

struct follow {
	const struct disk *disk;
	int dir_fd;		/* the caller's */
	int fd;			/* the segment at place; -1: none open */
	bool is_checked;	/* its header was read and is good */
	struct place place;
	uint64_t window_at;	/* offset of window[0] in the segment */
	size_t window_len;
	uint8_t window[WINDOW_OCTETS];
};

bool place_is_before(const struct place *a, const struct place *b)
{
	return a->segment < b->segment ||
	       (a->segment == b->segment && a->offset < b->offset);
}

int follow_open(const struct disk *disk, int dir_fd, struct place from,
		struct follow **ret)
{
	struct follow *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->disk = disk;
	f->dir_fd = dir_fd;
	f->fd = -1;
	f->place = from;
	*ret = f;
	return 0;
}

void follow_close(struct follow *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		(void)f->disk->close(f->disk->context, f->fd);
	free(f);
}

struct place follow_place(const struct follow *f)
{
	return f->place;
}

/* The lowest number from at_least on. Returns -EAGAIN: none; or why the folder
 * cannot be read, which must not cause an immediate retry.
 */
static int segment_from(const struct follow *f, uint64_t at_least,
			uint64_t *ret)
{
	uint64_t *list = NULL;
	int count = segment_list(f->disk, f->dir_fd, &list);
	int err = count < 0 ? count : -EAGAIN;

	for (int i = 0; list && i < count && err < 0; i++) {
		if (list[i] < at_least)
			continue;
		*ret = list[i];
		err = 0;
	}
	free(list);
	return err;
}

/* Opens the segment at the place, or the next one that exists. */
static int segment_open(struct follow *f, uint64_t at_least)
{
	char name[SEGMENT_NAME_LEN + 1];
	uint64_t number;
	int fd, err = segment_from(f, at_least, &number);

	if (err < 0)
		return err;
	segment_name(number, name);
	fd = f->disk->open(f->disk->context, f->dir_fd, name, O_RDONLY, 0);
	if (fd < 0)
		return fd == -ENOENT ? -EAGAIN : fd;
	if (f->fd >= 0)
		(void)f->disk->close(f->disk->context, f->fd);
	f->fd = fd;
	if (f->place.segment != number)
		f->place = (struct place){ .segment = number };
	f->is_checked = false;
	f->window_len = 0;
	return 0;
}

/* n octets at an offset of the segment, NULL when they are not there (yet). */
static const uint8_t *octets_at(struct follow *f, uint64_t offset, size_t n)
{
	ssize_t got;

	if (offset >= f->window_at &&
	    offset + n <= f->window_at + f->window_len)
		return f->window + (offset - f->window_at);
	got = f->disk->read(f->disk->context, f->fd, f->window,
			    sizeof(f->window), offset);
	f->window_at = offset;
	f->window_len = got < 0 ? 0 : (size_t)got;
	return f->window_len >= n ? f->window : NULL;
}

static int header_check(struct follow *f)
{
	const uint8_t *octets = octets_at(f, 0, STORE_HEADER_LEN);
	struct cursor c = cursor_of(octets, octets ? STORE_HEADER_LEN : 0);
	uint32_t magic = cursor_be32(&c);
	uint16_t version = cursor_be16(&c);
	uint64_t number;

	(void)cursor_be16(&c);	/* reserved */
	number = cursor_be64(&c);
	if (!cursor_ok(&c))
		return -EAGAIN;
	if (magic != STORE_MAGIC || version != STORE_VERSION ||
	    number != f->place.segment)
		return -EBADMSG;
	if (f->place.offset < STORE_HEADER_LEN)
		f->place.offset = STORE_HEADER_LEN;
	f->is_checked = true;
	return 0;
}

/* Returns -EAGAIN: it is incomplete; -EBADMSG. */
static int entry_at_place(struct follow *f, struct entry *ret)
{
	const uint8_t *octets;
	struct cursor c;
	size_t len;
	int err = f->is_checked ? 0 : header_check(f);

	if (err < 0)
		return err;
	octets = octets_at(f, f->place.offset, ENTRY_HEADER_LEN);
	if (!octets)
		return -EAGAIN;
	err = entry_length(octets, &len);
	if (err < 0)
		return err;
	octets = octets_at(f, f->place.offset, len);
	if (!octets)
		return -EAGAIN;
	c = cursor_of(octets, len);
	err = entry_read(&c, ret);
	if (err == 0)
		f->place.offset += len;
	return err;
}

/* No whole entry is at the place, and more segments follow: none will come.
 * Returns 0 to continue there, -EBADMSG when octets were skipped.
 */
static int segment_leave(struct follow *f)
{
	bool at_end = !octets_at(f, f->place.offset, 1);
	int err = segment_open(f, f->place.segment + 1);

	if (err < 0)
		return err;
	return at_end ? 0 : -EBADMSG;
}

int follow_next(struct follow *f, const struct place *end, struct entry *ret)
{
	int err = f->fd < 0 ? segment_open(f, f->place.segment) : 0;
	uint64_t next;

	while (err == 0) {
		if (end && !place_is_before(&f->place, end))
			return -EAGAIN;
		err = entry_at_place(f, ret);
		if (err == 0 || (err != -EAGAIN && err != -EBADMSG))
			return err;
		f->window_len = 0;	/* read the file again */
		if (end && f->place.segment == end->segment) {
			if (!place_is_before(&f->place, end))
				return -EAGAIN;
			f->place = *end;	/* it was whole when synced */
			return -EBADMSG;
		}
		err = segment_from(f, f->place.segment + 1, &next);
		if (err < 0)
			return err;
		if (entry_at_place(f, ret) == 0)
			return 0;	/* it was completed meanwhile */
		err = segment_leave(f);
	}
	return err;
}
