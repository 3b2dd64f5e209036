#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/ring.h"
#include "agent/base/ring_memory.h"
#include "tests/support/ring_folder.h"

#define GROUP 10u

/* A ring that has been around a few times, in groups; the reader of it. */
static struct ring *look_at_groups(void **state, unsigned records)
{
	struct ring_set s;
	struct ring *r;

	set_open(state, 7, &s);
	for (unsigned i = 0; i < records; i++)
		append(s.ring[STREAM_SAMPLES],
		       i % GROUP ? 0 : RECORD_FLAG_REFERENCE);
	ring_set_close(&s);
	assert_int_equal(ring_look(dir_of(state), STREAM_SAMPLES, &r, NULL), 0);
	return r;
}

/* Writes over the noted places. */
static void places_set(void **state, uint64_t sequence, uint64_t at)
{
	uint64_t words[2 * RING_PLACES];
	int fd = openat(dir_of(state), "samples.ring", O_WRONLY | O_CLOEXEC);

	for (unsigned i = 0; i < RING_PLACES; i++) {
		words[2 * i] = sequence + i;
		words[2 * i + 1] = at;
	}
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, words, sizeof(words), RING_PLACES_AT),
			 sizeof(words));
	(void)close(fd);
}

/* Each noted reference is one, in order, and its record is found there. */
static unsigned references_check(const struct ring *r)
{
	struct ring_reference ref[RING_REFERENCES_MAX];
	unsigned n = ring_references(r, ref);
	static uint8_t want[4096];

	for (unsigned i = 0; i < n; i++) {
		struct ring_walk w = ring_walk_of(r, ref[i].sequence,
						  UINT64_MAX);
		struct record_header h;
		const uint8_t *payload;

		assert_true(i == 0 || ref[i].sequence > ref[i - 1].sequence);
		assert_int_equal(ref[i].sequence % GROUP, 1);
		w.hint = ref[i].at;
		assert_true(ring_walk_borrow(&w, &h, &payload));
		assert_int_equal(h.sequence, ref[i].sequence);
		assert_true(payload_of(h.sequence, want) >= 16);
		assert_memory_equal(ref[i].payload, want, 16);
	}
	return n;
}

static void test_ring_notes_where_references_are(void **state)
{
	struct ring *r = look_at_groups(state, 3000);

	assert_true(ring_first(r) > 1);
	assert_int_equal(references_check(r),
			 (ring_next(r) - ring_first(r) + GROUP - 1) / GROUP);
	ring_close(r);
}

/* No more than there is room for, the newest. */
static void test_ring_notes_the_newest_references(void **state)
{
	struct ring_reference ref[RING_REFERENCES_MAX];
	struct ring_set s;
	struct ring *r;
	uint64_t last;

	set_open(state, 7, &s);
	for (unsigned i = 0; i < 300; i++)
		assert_int_equal(ring_append(s.ring[STREAM_SAMPLES],
					     RECORD_BATCH,
					     RECORD_FLAG_REFERENCE,
					     "0123456789abcdef", 16), 0);
	last = ring_next(s.ring[STREAM_SAMPLES]) - 1;
	ring_set_close(&s);
	assert_int_equal(ring_look(dir_of(state), STREAM_SAMPLES, &r, NULL), 0);
	assert_int_equal(ring_references(r, ref), RING_REFERENCES_MAX);
	for (unsigned i = 0; i < RING_REFERENCES_MAX; i++)
		assert_int_equal(ref[i].sequence,
				 last - RING_REFERENCES_MAX + 1 + i);
	ring_close(r);
}

/* As an older version left the ring. */
static void test_ring_without_places_notes_none(void **state)
{
	struct ring *r = look_at_groups(state, 3000);

	places_set(state, 0, 0);
	assert_int_equal(references_check(r), 0);
	ring_close(r);
}

/* A place that lies, or has been overwritten, is none. */
static void test_ring_place_is_checked(void **state)
{
	struct ring *r = look_at_groups(state, 3000);
	struct ring_reference ref[RING_REFERENCES_MAX];
	struct ring_walk w = ring_walk_of(r, 0, UINT64_MAX);
	uint64_t first = ring_first(r), at;
	struct record_header h;
	const uint8_t *payload;

	assert_true(ring_references(r, ref) > 1);
	at = ref[1].at;
	assert_true(ring_walk_borrow(&w, &h, &payload));
	places_set(state, first + 1, w.hint);	/* it is no reference */
	assert_int_equal(ring_references(r, ref), 0);
	places_set(state, first + GROUP + 1, at);
	assert_int_equal(ring_references(r, ref), 0);
	places_set(state, first + GROUP, UINT64_MAX - 7);
	assert_int_equal(ring_references(r, ref), 0);
	places_set(state, first + GROUP, at % ring_bytes(r));	/* a lap ago */
	assert_int_equal(ring_references(r, ref), 0);
	places_set(state, first + GROUP, at);
	assert_int_equal(ring_references(r, ref), 1);
	assert_int_equal(ref[0].sequence, first + GROUP);
	ring_close(r);
}

/* The n-th group of those kept, and the place where it ends. */
static struct ring_walk group_of(const struct ring *r, unsigned n,
				 uint64_t *ret_until)
{
	struct ring_reference ref[RING_REFERENCES_MAX];
	struct ring_walk w = ring_walk_of(r, 0, UINT64_MAX);

	assert_true(ring_references(r, ref) > n + 1);
	w.next = ref[n].sequence;
	w.hint = ref[n].at;
	w.end = ref[n + 1].sequence;
	*ret_until = ref[n + 1].at;
	return w;
}

/* Walks to the end; all is what was appended. Returns the records seen. */
static unsigned records_check(struct ring_walk *w)
{
	static uint8_t want[4096];
	struct record_header h;
	const uint8_t *payload;
	unsigned n = 0;

	for (uint64_t next = w->next; ring_walk_borrow(w, &h, &payload);
	     next++, n++) {
		assert_int_equal(h.sequence, next);
		assert_int_equal(h.length, payload_of(next, want));
		assert_memory_equal(payload, want, h.length);
		assert_true(ring_walk_is_whole(w));
	}
	return n;
}

/* Each group by itself, the one across the end of a lap, too. */
static void test_ring_part_holds_what_the_ring_holds(void **state)
{
	struct ring *r = look_at_groups(state, 3000);
	unsigned groups = (unsigned)((ring_next(r) - ring_first(r)) / GROUP);
	struct ring_part part = { 0 };
	uint64_t until;
	struct ring_walk w;

	assert_true(groups > 10);
	for (unsigned n = 0; n + 1 < groups; n++) {
		w = group_of(r, n, &until);
		assert_int_equal(ring_part_copy(&w, until, &part), 0);
		assert_ptr_equal(w.part, &part);
		assert_int_equal(part.end, until);
		assert_int_equal(records_check(&w), GROUP);
	}
	w = ring_walk_of(r, 0, UINT64_MAX);
	assert_int_equal(ring_part_copy(&w, 0, &part), 0);
	assert_int_equal(records_check(&w), ring_next(r) - ring_first(r));
	ring_part_fini(&part);
	ring_close(r);
}

/* The writer takes the ring from under a walk: what is left is copied, and what
 * was copied stays.
 */
static void test_ring_part_begins_at_what_is_left(void **state)
{
	struct ring *r = look_at_groups(state, 3000);
	struct ring_part kept = { 0 }, part = { 0 };
	uint64_t until, first = ring_first(r);
	struct ring_walk before = group_of(r, 0, &until), w = before;
	struct ring_set s;

	assert_int_equal(ring_part_copy(&before, until, &kept), 0);
	set_open(state, 7, &s);
	for (unsigned i = 0; i < 6 * GROUP; i++)
		append(s.ring[STREAM_SAMPLES],
		       i % GROUP ? 0 : RECORD_FLAG_REFERENCE);
	assert_true(ring_first(r) > first);
	w.end = UINT64_MAX;
	assert_int_equal(ring_part_copy(&w, 0, &part), 0);
	assert_int_equal(w.next, ring_first(r));
	assert_int_equal(records_check(&w), ring_next(r) - ring_first(r));
	assert_int_equal(records_check(&before), GROUP);
	ring_part_fini(&kept);
	ring_part_fini(&part);
	ring_set_close(&s);
	ring_close(r);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, ring_folder_make, \
					ring_folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_ring_notes_where_references_are),
		TEST(test_ring_notes_the_newest_references),
		TEST(test_ring_without_places_notes_none),
		TEST(test_ring_place_is_checked),
		TEST(test_ring_part_holds_what_the_ring_holds),
		TEST(test_ring_part_begins_at_what_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
