/* A ring file of any octets, looked at, checked, walked to its end, which is
 * no further off than there is room for records, and, with bit 1 of the first
 * octet, taken over by a writer. Input: with bit 0 the beginning of the file;
 * else places (u16) and 8 octets each, to be changed in the live part or the
 * data of a sound ring.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/ring.h"
#include "agent/base/ring_memory.h"

#define RECORDS_MAX (RING_BYTES_MIN / RECORD_HEADER_LEN)
#define FILE_LEN (RING_DATA_AT + RING_BYTES_MIN)
#define HEAD_LEN (RING_DATA_AT - RING_LIVE_AT)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const size_t sizes[STREAM_COUNT] = { RING_BYTES_MIN, RING_BYTES_MIN,
					    RING_BYTES_MIN };
static char path[] = "/tmp/fuzz_ring.XXXXXX";
static int dir_fd = -1;
static uint8_t sound[FILE_LEN];		/* findings.ring as a writer left it */

static void folder_remove(void)
{
	(void)unlinkat(dir_fd, "findings.ring", 0);
	(void)unlinkat(dir_fd, "states.ring", 0);
	(void)unlinkat(dir_fd, "samples.ring", 0);
	(void)rmdir(path);
}

static void file_copy(void *octets, bool is_write)
{
	int fd = openat(dir_fd, "findings.ring", O_RDWR | O_CLOEXEC);
	ssize_t n = is_write ? pwrite(fd, octets, FILE_LEN, 0)
			     : pread(fd, octets, FILE_LEN, 0);

	if (n != FILE_LEN)
		abort();
	close(fd);
}

static void folder_make(void)
{
	static const uint8_t payload[4000];
	struct ring_set s;

	dir_fd = mkdtemp(path) ? open(path, O_RDONLY | O_DIRECTORY) : -1;
	if (dir_fd < 0 || ring_set_open(dir_fd, sizes, 1, &s, NULL) < 0)
		abort();
	(void)atexit(folder_remove);
	for (unsigned i = 0; i < 120; i++)
		if (ring_append(s.ring[0], RECORD_FINDING, i % 5 == 0, payload,
				100 + 25 * i) < 0)
			abort();
	ring_set_close(&s);
	file_copy(sound, false);
}

static void spoil(uint8_t *file, const uint8_t *data, size_t len)
{
	struct cursor c = cursor_of(data, len);

	if (cursor_u8(&c) & 1) {
		memcpy(file, data, len < FILE_LEN ? len : FILE_LEN);
		return;
	}
	while (cursor_left(&c) >= 10) {
		uint16_t at = cursor_be16(&c);	/* in the data, or before */
		const uint8_t *octets = cursor_bytes(&c, 8);

		if (at & 0x8000)
			memcpy(file + RING_DATA_AT + (at & 0x7ff8) * 8, octets,
			       8);
		else
			memcpy(file + RING_LIVE_AT + at % HEAD_LEN / 8 * 8,
			       octets, 8);
	}
}

/* What is noted, and a copy from the last of it. */
static void copy(const struct ring *r)
{
	struct ring_walk w = ring_walk_of(r, 0, UINT64_MAX);
	struct ring_part part = { 0 };
	struct record_header h;
	const uint8_t *payload;
	struct ring_reference noted[RING_REFERENCES_MAX];
	unsigned n = ring_references(r, noted);
	uint64_t walked = 0;

	if (n > 0) {
		w.next = noted[n - 1].sequence;
		w.hint = noted[n - 1].at;
	}
	if (ring_part_copy(&w, 0, &part) == 0)
		for (; ring_walk_borrow(&w, &h, &payload); walked++)
			assert(walked < RECORDS_MAX);
	ring_part_fini(&part);
}

static void look(void)
{
	static uint8_t octets[RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX];
	uint64_t hint = 0, sequence, end, walked = 0;
	struct ring_walk w;
	struct ring *r;
	int n;

	if (ring_look(dir_fd, STREAM_FINDINGS, &r, NULL) < 0)
		return;
	assert(ring_check(r, &end, NULL) == -EBADMSG || end == ring_next(r));
	w = ring_walk_of(r, 0, UINT64_MAX);
	for (; (n = ring_walk_next(&w, octets, sizeof(octets))) > 0; walked++)
		assert(walked < RECORDS_MAX);
	assert(n == 0 || n == -EBADMSG);
	assert(ring_first(r) + walked >= end);
	for (sequence = end; sequence < ring_next(r); sequence++) {
		n = ring_read(r, sequence, &hint, octets, sizeof(octets));
		assert(n > 0 || n == -EBADMSG);
		assert(sequence - ring_first(r) <= RECORDS_MAX);
	}
	(void)ring_wants_reference(r);
	copy(r);
	ring_close(r);
}

static void take_over(void)
{
	static const uint8_t payload[3000];
	struct ring_set s;

	if (ring_set_open(dir_fd, sizes, 1, &s, NULL) < 0)
		abort();
	for (unsigned i = 0; i < 10; i++)
		if (ring_append(s.ring[0], RECORD_FINDING, 0, payload,
				sizeof(payload)) < 0)
			abort();
	ring_set_close(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static uint8_t file[FILE_LEN];

	if (dir_fd < 0)
		folder_make();
	memcpy(file, sound, sizeof(file));
	spoil(file, data, len);
	file_copy(file, true);
	look();
	if (len > 0 && data[0] & 2)	/* which costs much more */
		take_over();
	return 0;
}
