#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "platform/sonic/meaning/delay.h"

#define SPEED 100000		/* Mb/s: 12.5 octets a ns */
#define NEVER INT64_MIN

/* What delay_tell() said last, by quantity. */
struct told {
	int64_t delay, p50, p99, max;	/* NEVER: not told */
	enum sample_quality quality;
};

static void on_sample(void *context, enum quantity quantity, unsigned index,
		      int64_t value, enum sample_quality quality)
{
	struct told *t = context;

	assert_int_equal(index, 0);
	t->quality = quality;
	switch (quantity) {
	case Q_QUEUE_DELAY_NS:
		t->delay = value;
		break;
	case Q_QUEUE_DELAY_P50_NS:
		t->p50 = value;
		break;
	case Q_QUEUE_DELAY_P99_NS:
		t->p99 = value;
		break;
	case Q_QUEUE_DELAY_MAX_NS:
		t->max = value;
		break;
	default:
		fail_msg("quantity 0x%04x", (unsigned)quantity);
	}
}

static struct told tell(struct delay *d)
{
	struct told t = { NEVER, NEVER, NEVER, NEVER, QUALITY_STALE };
	const struct platform_host host = { .context = &t,
					    .sample = on_sample };

	delay_tell(d, &host);
	return t;
}

static struct delay_reading reading(int64_t taken_ms)
{
	return (struct delay_reading){ .taken = { taken_ms * NS_PER_MS },
				       .delay_ns = -1, .occupancy_octets = -1,
				       .watermark_octets = -1,
				       .sent_octets = -1,
				       .speed_mbps = SPEED };
}

static void take_occupancy(struct delay *d, int64_t taken_ms, int64_t octets,
			   int64_t sent)
{
	struct delay_reading r = reading(taken_ms);

	r.occupancy_octets = octets;
	r.sent_octets = sent;
	delay_take(d, &r);
}

static struct delay fresh(void)
{
	return (struct delay){ .before_octets = -1, .before_sent = -1 };
}

static void test_delay_is_occupancy_over_the_ports_speed(void **state)
{
	struct delay d = fresh();
	struct told t;

	(void)state;
	take_occupancy(&d, 1000, 125000, -1);
	t = tell(&d);
	assert_int_equal(t.delay, 10000);
	assert_int_equal(t.quality, QUALITY_ESTIMATED);
	assert_int_equal(t.max, 10000);
	assert_true(t.p50 == NEVER);		/* of one reading */
	assert_true(tell(&d).delay == NEVER);	/* nothing new */
}

/* Fewer octets left than stood there: the queue was never empty. */
static void test_delay_of_a_standing_queue_is_by_its_own_rate(void **state)
{
	struct delay d = fresh();

	(void)state;
	take_occupancy(&d, 1000, 1000000, 5000000);
	(void)tell(&d);
	take_occupancy(&d, 1010, 1000000, 5100000);	/* 10 octets a us */
	assert_int_equal(tell(&d).delay, 100 * NS_PER_MS);
}

static void test_delay_of_a_paused_queue_adds_the_pause(void **state)
{
	struct delay d = fresh();

	(void)state;
	take_occupancy(&d, 1000, 125000, 700);
	(void)tell(&d);
	take_occupancy(&d, 1010, 125000, 700);
	assert_int_equal(tell(&d).delay, 10 * NS_PER_MS + 10000);
}

/* More left than stood there, or octets that vanished: nothing is proven. */
static void test_delay_of_a_queue_that_was_empty_is_the_least(void **state)
{
	struct delay d = fresh();

	(void)state;
	take_occupancy(&d, 1000, 1250, 0);
	(void)tell(&d);
	take_occupancy(&d, 1010, 1250, 1250);
	assert_int_equal(tell(&d).delay, 100);
	take_occupancy(&d, 1020, 125, 1300);	/* 1075 were dropped */
	assert_int_equal(tell(&d).delay, 10);
}

static void test_delay_of_the_chip_is_good_and_told_elsewhere(void **state)
{
	struct delay d = fresh();
	struct delay_reading r = reading(1);
	struct told t;

	(void)state;
	r.delay_ns = 777;
	r.occupancy_octets = 99999;
	r.speed_mbps = -1;
	delay_take(&d, &r);
	t = tell(&d);
	assert_true(t.delay == NEVER);
	assert_int_equal(t.max, 777);
	assert_int_equal(t.quality, QUALITY_GOOD);
}

static void test_delay_needs_the_ports_speed(void **state)
{
	struct delay d = fresh();
	struct delay_reading r = reading(1);

	(void)state;
	r.occupancy_octets = 5000;
	r.speed_mbps = -1;
	assert_false(delay_reading_is_any(&r));
	delay_take(&d, &r);
	assert_true(tell(&d).max == NEVER);
	r.speed_mbps = SPEED;
	assert_true(delay_reading_is_any(&r));
}

static void test_delay_of_a_lesser_source_waits(void **state)
{
	struct delay d = fresh();
	struct delay_reading r = reading(2000);

	(void)state;
	take_occupancy(&d, 1000, 125000, -1);
	(void)tell(&d);
	r.watermark_octets = 12500000;
	delay_take(&d, &r);
	assert_true(tell(&d).delay == NEVER);
	r.taken.ns = 1000 * NS_PER_MS + DELAY_HOLD_NS;
	delay_take(&d, &r);
	assert_int_equal(tell(&d).delay, 1000000);
	assert_int_equal(d.few[0].count, 1);	/* of the other none */
}

static void test_delay_forgets_after_two_halves(void **state)
{
	struct delay d = fresh();
	struct told t;

	(void)state;
	take_occupancy(&d, 0, 12500000, -1);
	for (int64_t ms = 1000; ms <= 121000; ms += 500)
		take_occupancy(&d, ms, 1250, -1);
	t = tell(&d);
	assert_int_equal(t.max, 100);
	assert_in_range(t.p50, 94, 106);
	assert_in_range(t.p99, 94, 106);
	assert_non_null(d.half);	/* it is read often */
	delay_fini(&d);
}

/* Read each second it needs an octet a reading; the first that is too many
 * takes those before it along.
 */
static void test_delay_of_few_readings_is_small(void **state)
{
	struct delay d = fresh();
	struct told few, many;

	(void)state;
	for (int64_t s = 0; s <= 200; s++)
		take_occupancy(&d, s * 1000, s * 1250, -1);
	assert_null(d.half);
	few = tell(&d);
	for (int64_t ms = 200000; !d.half; ms++)
		take_occupancy(&d, ms, 250000, -1);
	many = tell(&d);
	assert_int_equal(few.max, 20000);
	assert_int_equal(many.max, 20000);
	assert_true(few.p50 > 10000 && many.p50 > few.p50);
	delay_fini(&d);
}

/* With one reading in 10 s a half lasts until it has 64. */
static void test_delay_keeps_more_time_where_readings_are_few(void **state)
{
	struct delay d = fresh();

	(void)state;
	take_occupancy(&d, 0, 12500000, -1);
	for (int64_t s = 10; s <= 1200; s += 10)
		take_occupancy(&d, s * 1000, 1250, -1);
	assert_int_equal(tell(&d).max, 1000000);
	assert_in_range(tell(&d).p99, NEVER, NEVER);
}

static void test_delays_find_queues_and_make_room_of_idle_ones(void **state)
{
	struct delays all = { 0 };
	struct mono now = { NS_PER_S };
	struct delay *d;

	(void)state;
	for (uint32_t h = DELAYS_MAX; h > 0; h--) {
		d = delays_get(&all, h * 7, now);
		assert_non_null(d);
		assert_int_equal(d->handle, h * 7);
	}
	assert_ptr_equal(delays_get(&all, 70, now), delays_get(&all, 70, now));
	assert_null(delays_get(&all, 1, now));
	delays_get(&all, 14, now)->taken.ns = DELAY_IDLE_NS;
	now.ns += DELAY_IDLE_NS;
	assert_non_null(delays_get(&all, 1, now));
	assert_int_equal(all.count, 2);
	assert_true(all.drops > 0);
	delays_fini(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_delay_is_occupancy_over_the_ports_speed),
		cmocka_unit_test(
			test_delay_of_a_standing_queue_is_by_its_own_rate),
		cmocka_unit_test(test_delay_of_a_paused_queue_adds_the_pause),
		cmocka_unit_test(
			test_delay_of_a_queue_that_was_empty_is_the_least),
		cmocka_unit_test(
			test_delay_of_the_chip_is_good_and_told_elsewhere),
		cmocka_unit_test(test_delay_needs_the_ports_speed),
		cmocka_unit_test(test_delay_of_a_lesser_source_waits),
		cmocka_unit_test(test_delay_forgets_after_two_halves),
		cmocka_unit_test(test_delay_of_few_readings_is_small),
		cmocka_unit_test(
			test_delay_keeps_more_time_where_readings_are_few),
		cmocka_unit_test(
			test_delays_find_queues_and_make_room_of_idle_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
