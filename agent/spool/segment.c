#include "agent/spool/segment.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/array.h"
#include "agent/base/number.h"

#define HEADER_MAGIC 0x50545253u	/* PTRS */
#define SEAL_MAGIC 0x50545245u		/* PTRE */
#define VERSION 1u
#define CRC_LEN 4u
#define FILE_MODE 0600

/* --- names ---------------------------------------------------------------- */

void segment_name(uint64_t number, char ret[static SEGMENT_NAME_LEN + 1])
{
	(void)snprintf(ret, SEGMENT_NAME_LEN + 1, "%016llx.seg",
		       (unsigned long long)number);
}

/* The number in a segment's file name, 0 for any other name. */
static uint64_t segment_number(const char *name)
{
	char text[2 + 16 + 1] = "0x";
	uint64_t number;

	if (strlen(name) != SEGMENT_NAME_LEN || strcmp(name + 16, ".seg") != 0)
		return 0;
	memcpy(text + 2, name, 16);
	return number_parse(text, 1, UINT64_MAX, &number) < 0 ? 0 : number;
}

static int number_compare(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x < y ? -1 : x > y;
}

struct numbers {
	uint64_t *list;
	size_t cap;
	int count;
	bool no_memory;
};

static void number_add(void *to, const char *name)
{
	struct numbers *n = to;
	uint64_t number = segment_number(name), *list;

	if (number == 0 || n->no_memory)
		return;
	list = array_room(n->list, &n->cap, (size_t)n->count + 1,
			  sizeof(*list));
	n->no_memory = !list;
	if (!list)
		return;
	n->list = list;
	n->list[n->count++] = number;
}

int segment_list(const struct disk *d, int dir_fd, uint64_t **ret)
{
	struct numbers n = { .list = NULL };
	int err = d->list(d->context, dir_fd, number_add, &n);

	if (err < 0 || n.no_memory) {
		free(n.list);
		return err < 0 ? err : -ENOMEM;
	}
	if (n.list)
		qsort(n.list, (size_t)n.count, sizeof(*n.list), number_compare);
	*ret = n.list;
	return n.count;
}

/* --- header and seal ------------------------------------------------------ */

static void header_write(const struct segment *s,
			 uint8_t ret[static SEGMENT_HEADER_LEN])
{
	struct writer w = writer_of(ret, SEGMENT_HEADER_LEN);

	writer_be32(&w, HEADER_MAGIC);
	writer_be16(&w, VERSION);
	writer_u8(&w, (uint8_t)s->stream);
	writer_u8(&w, 0);
	writer_be64(&w, s->number);
	writer_be64(&w, s->run);
	writer_be64(&w, s->previous_run);
	writer_be64(&w, s->first);
	writer_be32(&w, 0);
	writer_be32(&w, libdeflate_crc32(0, ret, w.pos));
	assert(writer_ok(&w) && w.pos == SEGMENT_HEADER_LEN);
}

static int header_read(const uint8_t octets[static SEGMENT_HEADER_LEN],
		       uint64_t number, struct segment *ret)
{
	struct cursor c = cursor_of(octets, SEGMENT_HEADER_LEN);
	struct segment s = { .is_sealed = false };
	uint32_t magic = cursor_be32(&c), crc;
	uint16_t version = cursor_be16(&c);
	uint8_t stream = cursor_u8(&c);

	(void)cursor_u8(&c);	/* reserved, as is the next word */
	s.number = cursor_be64(&c);
	s.run = cursor_be64(&c);
	s.previous_run = cursor_be64(&c);
	s.first = cursor_be64(&c);
	(void)cursor_be32(&c);
	crc = cursor_be32(&c);
	if (magic != HEADER_MAGIC || version != VERSION ||
	    stream >= STREAM_COUNT || s.number != number || s.first == 0 ||
	    crc != libdeflate_crc32(0, octets, SEGMENT_HEADER_LEN - CRC_LEN))
		return -EBADMSG;
	s.stream = stream;
	s.last = s.first - 1;
	s.octets = SEGMENT_HEADER_LEN;
	*ret = s;
	return 0;
}

static void seal_write(const struct segment *s,
		       uint8_t ret[static SEGMENT_SEAL_LEN])
{
	uint8_t header[SEGMENT_HEADER_LEN];
	struct writer w = writer_of(ret, SEGMENT_SEAL_LEN);
	uint32_t crc;

	header_write(s, header);
	writer_be32(&w, SEAL_MAGIC);
	writer_be32(&w, 0);
	writer_be64(&w, s->last);
	writer_be64(&w, s->octets);
	writer_be32(&w, 0);
	crc = libdeflate_crc32(0, header, sizeof(header));
	crc = libdeflate_crc32(crc, ret, w.pos);
	writer_be32(&w, crc);
	assert(writer_ok(&w) && w.pos == SEGMENT_SEAL_LEN);
}

/* True when these last octets of a file of size are the segment's seal. */
static bool seal_take(const uint8_t octets[static SEGMENT_SEAL_LEN],
		      uint64_t size, struct segment *s)
{
	uint8_t expected[SEGMENT_SEAL_LEN];
	struct segment sealed = *s;
	struct cursor c = cursor_of(octets, SEGMENT_SEAL_LEN);

	(void)cursor_be64(&c);	/* compared below with all the rest */
	sealed.last = cursor_be64(&c);
	sealed.octets = size - SEGMENT_SEAL_LEN;
	seal_write(&sealed, expected);
	if (sealed.last < sealed.first ||
	    memcmp(octets, expected, sizeof(expected)) != 0)
		return false;
	sealed.is_sealed = true;
	*s = sealed;
	return true;
}

/* True when the file, of size octets, ends with the seal of this segment. */
static bool seal_read(const struct disk *d, int fd, uint64_t size,
		      struct segment *s)
{
	uint8_t octets[SEGMENT_SEAL_LEN];

	return size >= SEGMENT_HEADER_LEN + SEGMENT_SEAL_LEN &&
	       disk_read(d, fd, octets, sizeof(octets),
			 size - SEGMENT_SEAL_LEN) == 0 &&
	       seal_take(octets, size, s);
}

int segment_of(const uint8_t *octets, size_t n, struct segment *ret)
{
	struct cursor c = cursor_of(octets, n);

	(void)cursor_be64(&c);	/* magic and version: header_read() */
	if (n < SEGMENT_HEADER_LEN ||
	    header_read(octets, cursor_be64(&c), ret) < 0)
		return -EBADMSG;
	ret->octets = n;
	if (n >= SEGMENT_HEADER_LEN + SEGMENT_SEAL_LEN)
		(void)seal_take(octets + n - SEGMENT_SEAL_LEN, n, ret);
	return 0;
}

/* --- a file --------------------------------------------------------------- */

int segment_make(const struct disk *d, int dir_fd, struct segment *s)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND;
	uint8_t header[SEGMENT_HEADER_LEN];
	char name[SEGMENT_NAME_LEN + 1];
	int err, fd;

	segment_name(s->number, name);
	fd = d->open(d->context, dir_fd, name, flags, FILE_MODE);
	/* Left by a failed creation that could not be removed. */
	if (fd == -EEXIST && d->unlink(d->context, dir_fd, name) == 0)
		fd = d->open(d->context, dir_fd, name, flags, FILE_MODE);
	if (fd < 0)
		return fd;
	header_write(s, header);
	err = disk_append(d, fd, header, sizeof(header));
	if (err < 0) {
		(void)d->close(d->context, fd);
		(void)d->unlink(d->context, dir_fd, name);
		return err;
	}
	s->last = s->first - 1;
	s->octets = SEGMENT_HEADER_LEN;
	s->is_sealed = false;
	return fd;
}

int segment_seal(const struct disk *d, int fd, struct segment *s)
{
	uint8_t seal[SEGMENT_SEAL_LEN];
	int err = d->sync(d->context, fd);

	if (err < 0)
		return err;
	seal_write(s, seal);
	s->is_sealed = disk_append(d, fd, seal, sizeof(seal)) == 0;
	return 0;
}

int segment_note(const struct disk *d, int dir_fd, struct segment *s)
{
	uint8_t seal[SEGMENT_SEAL_LEN];
	char name[SEGMENT_NAME_LEN + 1];
	int err, fd = segment_make(d, dir_fd, s);

	if (fd < 0)
		return fd;
	s->last = s->first;
	seal_write(s, seal);
	err = disk_append(d, fd, seal, sizeof(seal));
	if (err == 0)
		err = d->sync(d->context, fd);
	s->is_sealed = err == 0;
	(void)d->close(d->context, fd);	/* synced, or it will be removed */
	segment_name(s->number, name);
	if (err < 0)
		(void)d->unlink(d->context, dir_fd, name);
	return err;
}

bool segment_is_note(const struct segment *s)
{
	return s->is_sealed && s->octets == SEGMENT_HEADER_LEN &&
	       s->last >= s->first;
}

int segment_record(const struct disk *d, int fd, uint64_t offset, void *ret,
		   size_t cap, struct record_header *ret_header)
{
	struct cursor c = cursor_of(ret, RECORD_HEADER_LEN);
	const uint8_t *payload;
	size_t len;
	int err;

	if (cap < RECORD_HEADER_LEN)
		return -ENOBUFS;
	err = disk_read(d, fd, ret, RECORD_HEADER_LEN, offset);
	if (err < 0)
		return err == -ENODATA ? -EBADMSG : err;
	len = cursor_be32(&c);
	if (len > RECORD_PAYLOAD_MAX)
		return -EBADMSG;
	if (len > cap - RECORD_HEADER_LEN)
		return -ENOBUFS;
	err = disk_read(d, fd, (uint8_t *)ret + RECORD_HEADER_LEN, len,
			offset + RECORD_HEADER_LEN);
	if (err < 0)
		return err == -ENODATA ? -EBADMSG : err;
	c = cursor_of(ret, RECORD_HEADER_LEN + len);
	err = record_read(&c, ret_header, &payload);
	return err < 0 ? err : (int)(RECORD_HEADER_LEN + len);
}

/* Advances as far as whole records follow each other. */
static int records_scan(const struct disk *d, int fd, struct segment *s)
{
	uint8_t record[RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX];
	struct record_header h;

	for (;;) {
		int len = segment_record(d, fd, s->octets, record,
					 sizeof(record), &h);

		if (len == -EBADMSG)
			return 0;
		if (len < 0)
			return len;
		if (h.stream != s->stream || h.sequence != s->last + 1 ||
		    h.last != h.sequence)
			return 0;
		s->last = h.last;
		s->octets += (uint64_t)len;
	}
}

static int file_look(const struct disk *d, int fd, uint64_t number,
		     struct segment *ret)
{
	uint8_t header[SEGMENT_HEADER_LEN];
	int64_t size = d->size(d->context, fd);
	int err = size < 0 ? (int)size :
		  disk_read(d, fd, header, sizeof(header), 0);

	if (err == 0)
		err = header_read(header, number, ret);
	if (err < 0)
		return err == -ENODATA ? -EBADMSG : err;
	if (seal_read(d, fd, (uint64_t)size, ret))
		return 0;
	err = records_scan(d, fd, ret);
	if (err < 0)
		return err;
	if (ret->last < ret->first)
		return -EBADMSG;
	err = ret->octets < (uint64_t)size ?
	      d->truncate(d->context, fd, ret->octets) : 0;
	return err < 0 ? err : segment_seal(d, fd, ret);
}

int segment_look(const struct disk *d, int dir_fd, uint64_t number,
		 struct segment *ret)
{
	char name[SEGMENT_NAME_LEN + 1];
	int fd, err;

	segment_name(number, name);
	fd = d->open(d->context, dir_fd, name, O_RDWR | O_APPEND, 0);
	if (fd < 0)
		return fd;
	err = file_look(d, fd, number, ret);
	(void)d->close(d->context, fd);	/* synced, or only read */
	return err;
}
