/* What the outbox does while the spool's disk does not answer: nobody serves
 * the view here.
 */
#include "agent/push/outbox.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/ring_folder.h"
#include "tests/support/sim_disk.h"

#define RUN 7
#define STREAM STREAM_STATES
#define LIMIT_NS (10 * NS_PER_S)

struct bed {
	void *folder;
	struct ring_set rings;
	struct sim_disk disk;
	struct spool_budget budget;
	struct spool *spool;
	struct outbox outbox;
	uint64_t last;
	uint8_t record[RECORD_MAX];
};

/* The ring has dropped what came first; the spool kept some of that. */
static int setup(void **state)
{
	static const struct spool_run its = { RUN, RUN - 1 };
	struct bed *b = calloc(1, sizeof(*b));
	const struct spool_limits limits = {
		.held_octets = 1 << 20, .segment_octets = 4096,
		.day_octets = INT64_C(1) << 40, .budget = &b->budget };
	uint64_t hint = 0;
	struct ring *r;

	sim_disk_init(&b->disk);
	assert_int_equal(ring_folder_make(&b->folder), 0);
	set_open(&b->folder, RUN, &b->rings);
	r = b->rings.ring[STREAM];
	assert_int_equal(spool_open(&b->disk.disk, SIM_DISK_FOLDER, &limits,
				    (struct mono){ 1 }, &b->spool, NULL), 0);
	while (ring_first(r) == 1) {
		int len;

		append(r, RECORD_FLAG_REFERENCE);
		if (ring_next(r) > 4)
			continue;
		len = ring_read(r, ring_next(r) - 1, &hint, b->record,
				sizeof(b->record));
		assert_true(len > 0);
		assert_int_equal(spool_append(b->spool, &its, b->record,
					      (size_t)len, (struct mono){ 1 }),
				 0);
	}
	b->outbox = (struct outbox){ .rings = &b->rings, .run = its };
	assert_int_equal(spool_view_new(&b->outbox.spool), 0);
	outbox_init(&b->outbox);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	spool_view_free(b->outbox.spool);
	spool_close(b->spool);
	ring_set_close(&b->rings);
	(void)ring_folder_remove(&b->folder);
	free(b);
	return 0;
}

static int next_read(struct bed *b)
{
	return outbox_read(&b->outbox, STREAM, 1, b->record, sizeof(b->record),
			   &b->last);
}

static void test_what_waits_for_the_disk_is_not_stuck(void **state)
{
	struct bed *b = *state;
	const struct positions none = { { 0 } };
	struct mono now = { NS_PER_S };

	(void)outbox_begin(&b->outbox, &none, now);
	for (unsigned i = 0; i < 30; i++) {
		now.ns += NS_PER_S;
		assert_int_equal(next_read(b), -EAGAIN);
		assert_false(outbox_is_stuck(&b->outbox, now, LIMIT_NS));
	}
	spool_view_serve(b->outbox.spool, b->spool);
	assert_true(next_read(b) > 0);
	now.ns += LIMIT_NS;
	assert_true(outbox_is_stuck(&b->outbox, now, LIMIT_NS));
}

static void test_what_a_disk_alone_has_is_given_up(void **state)
{
	struct bed *b = *state;
	uint64_t first = ring_first(b->rings.ring[STREAM]);

	assert_int_equal(next_read(b), -EAGAIN);
	spool_view_give_up(b->outbox.spool, true);
	assert_int_equal(next_read(b), -ESTALE);
	assert_int_equal(b->last, first - 1);	/* no more than that */
	spool_view_give_up(b->outbox.spool, false);
	spool_view_serve(b->outbox.spool, b->spool);
	assert_true(next_read(b) > 0);
}

static void test_a_run_that_is_over_waits(void **state)
{
	struct bed *b = *state;

	spool_view_serve(b->outbox.spool, b->spool);
	b->outbox.rings = NULL;
	spool_view_give_up(b->outbox.spool, true);
	assert_int_equal(next_read(b), -EAGAIN);
	spool_view_serve(b->outbox.spool, b->spool);
	assert_true(next_read(b) > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_what_waits_for_the_disk_is_not_stuck),
		TEST(test_what_a_disk_alone_has_is_given_up),
		TEST(test_a_run_that_is_over_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
