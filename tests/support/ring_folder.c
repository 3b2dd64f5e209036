#include "tests/support/ring_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/ring_memory.h"

const size_t ring_sizes[STREAM_COUNT] = { RING_BYTES_MIN, RING_BYTES_MIN,
					  RING_BYTES_MIN };

int ring_folder_make(void **state)
{
	struct ring_folder *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	strcpy(f->path, "/tmp/test_ring.XXXXXX");
	if (!mkdtemp(f->path))
		return -1;
	f->fd = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*state = f;
	return f->fd < 0;
}

void ring_folder_clear(void **state)
{
	char name[RING_NAME_MAX + 4];

	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		ring_file_name(i, name);
		(void)unlinkat(dir_of(state), name, 0);
		strcat(name, ".new");
		(void)unlinkat(dir_of(state), name, 0);
	}
}

int ring_folder_remove(void **state)
{
	struct ring_folder *f = *state;

	ring_folder_clear(state);
	close(f->fd);
	rmdir(f->path);
	free(f);
	return 0;
}

int dir_of(void **state)
{
	return ((struct ring_folder *)*state)->fd;
}

void set_open(void **state, uint64_t run, struct ring_set *ret)
{
	struct diag d = { "" };
	int rc = ring_set_open(dir_of(state), ring_sizes, run, ret, &d);

	if (rc < 0)
		fail_msg("%s", d.text);
}

void set_fill(void **state, uint64_t run)
{
	struct ring_set s;

	set_open(state, run, &s);
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		for (unsigned n = 0; n < 10 * (i + 1); n++)
			append(s.ring[i], n == 0);
	ring_set_close(&s);
}

size_t payload_of(uint64_t sequence, uint8_t ret[static 4096])
{
	size_t len = 1 + sequence * 7919 % 3000;

	for (size_t i = 0; i < len; i++)
		ret[i] = (uint8_t)(sequence * 31 + i);
	return len;
}

void append(struct ring *r, uint16_t flags)
{
	uint8_t payload[4096];
	size_t len = payload_of(ring_next(r), payload);

	assert_int_equal(ring_append(r, RECORD_EVENT, flags, payload, len), 0);
}

int check(const struct ring *r, uint64_t sequence, uint64_t *hint)
{
	static uint8_t octets[RECORD_MAX];
	uint8_t want[4096];
	size_t len = payload_of(sequence, want);
	struct record_header h;
	const uint8_t *payload;
	struct cursor c;
	int rc = ring_read(r, sequence, hint, octets, sizeof(octets));

	if (rc < 0)
		return rc;
	c = cursor_of(octets, (size_t)rc);
	assert_int_equal(record_read(&c, &h, &payload), 0);
	assert_int_equal(h.sequence, sequence);
	assert_int_equal(h.length, len);
	assert_memory_equal(payload, want, len);
	return rc;
}

void check_all(const struct ring *r)
{
	uint64_t hint = 0, next = ring_next(r);

	for (uint64_t s = ring_first(r); s < next; s++)
		assert_true(check(r, s, &hint) > 0);
	assert_int_equal(check(r, next, &hint), -EAGAIN);
}
