#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "platform/sonic/meaning/counters.h"
#include "platform/sonic/poll/age.h"
#include "platform/sonic/poll/run.h"
#include "platform/sonic/switchdb/namespace.h"

/* When rows may be read, and what their time is, against syncd's stamps. */

static struct namespace *namespace_of(int64_t stamp_ms, int64_t interval_ms)
{
	struct namespace *s = calloc(1, sizeof(*s));
	const struct table *t = &counters_tables.list[0];

	assert_non_null(s);
	s->flex[t->group] = (struct flex_state){
		.interval_ns = interval_ms * NS_PER_MS, .known = true,
		.stamp_ns = stamp_ms * NS_PER_MS };
	s->run[0].namespace = s;
	s->run[0].table = t;
	s->run_count = 1;
	return s;
}

static int64_t hold_ms(const struct namespace *s, int64_t now_ms)
{
	return age_hold_ns(s, SONIC_COUNTERS,
			   (struct mono){ now_ms * NS_PER_MS }) / NS_PER_MS;
}

/* The next bulk read comes a second after the last one, and each second. */
static void test_c04_poll_waits_while_syncd_is_about_to_write(void **state)
{
	struct namespace *s = namespace_of(5000, 1000);

	(void)state;
	assert_int_equal(hold_ms(s, 5300), 0);
	assert_int_equal(hold_ms(s, 5899), 0);
	assert_int_equal(hold_ms(s, 5950), 200);
	assert_int_equal(hold_ms(s, 6990), 160);
	assert_int_equal(hold_ms(s, 7040), 110);	/* it writes now */
	assert_int_equal(hold_ms(s, 6100), 0);
	assert_int_equal(hold_ms(s, 9000), 0);	/* it has stopped */
	s->flex[s->run[0].table->group].disabled = true;
	assert_int_equal(hold_ms(s, 5950), 0);
	free(s);
	s = namespace_of(5000, 10000);
	assert_int_equal(hold_ms(s, 5400), 150);	/* half a second */
	free(s);
	s = namespace_of(5000, 60000);
	assert_int_equal(hold_ms(s, 5400), 650);	/* one, at most */
	free(s);
}

static int64_t uncertainty_ms(struct namespace *s, int64_t asked_ms,
			      int64_t answered_ms)
{
	struct poll p = { .namespace = s,
			  .asked = { asked_ms * NS_PER_MS } };
	struct read_group age = { .part = 0 };

	s->channel[DATABASE_COUNTERS].now.ns = answered_ms * NS_PER_MS;
	(void)age_of_flex(&s->run[0], &p, &age);
	return age.uncertainty_ns / NS_PER_MS;
}

/* Rows are of the stamp that came before them, unless syncd may have written
 * again in between: then their time is not known.
 */
static void test_c04_rows_that_may_be_of_two_reads_have_no_time(void **state)
{
	struct namespace *s = namespace_of(5000, 1000);

	(void)state;
	assert_int_equal(uncertainty_ms(s, 5300, 5310), 10);
	assert_int_equal(uncertainty_ms(s, 5300, 5980), 10);
	assert_true(uncertainty_ms(s, 5300, 6020) > 2000);
	assert_true(uncertainty_ms(s, 5995, 6000) > 2000);
	/* half written */
	assert_true(uncertainty_ms(s, 5050, 5055) > 2000);
	assert_true(uncertainty_ms(s, 5300, 31000) > 2000);
	free(s);
}

/* Without a stamp: anywhere in the interval; of a late answer nothing. */
static void test_c04_rows_without_a_stamp_have_a_rough_time(void **state)
{
	struct namespace *s = namespace_of(0, 1000);

	(void)state;
	assert_int_equal(hold_ms(s, 5950), 0);
	assert_int_equal(uncertainty_ms(s, 5300, 5310), 500);
	assert_true(uncertainty_ms(s, 5300, 6000) > 2000);
	free(s);
}

/* syncd writes each pace_ms, and is read each second: the longest and the
 * shortest time between two guesses, once the pace is known, per mille of it.
 */
static void guess(int64_t pace_ms, int64_t *ret_least, int64_t *ret_most)
{
	struct run *r = calloc(1, sizeof(*r));
	struct mono last = { 0 }, written = { 0 };
	int64_t seen = 0;

	assert_non_null(r);
	*ret_least = INT64_MAX;
	*ret_most = 0;
	for (int64_t s = 1; s < 120; s++) {
		struct mono asked = { s * NS_PER_S };
		int64_t writes = s * 1000 / pace_ms;

		if (writes > seen) {
			int64_t step;

			run_guess_write(r, asked);
			assert_in_range(r->write.ns, r->read.ns, asked.ns);
			step = (r->write.ns - last.ns) / NS_PER_MS * 1000 /
			       ((writes - seen) * pace_ms);
			if (s > 60 && step < *ret_least)
				*ret_least = step;
			if (s > 60 && step > *ret_most)
				*ret_most = step;
			last = r->write;
			if (written.ns)
				run_pace(r, asked.ns - written.ns);
			written = asked;
			seen = writes;
		}
		r->read = asked;
	}
	free(r);
}

static void test_c04_writes_are_placed_by_the_pace_of_syncd(void **state)
{
	static const int64_t paces_ms[] = { 1000, 1070, 1300, 1500, 1900,
					    2700, 3300, 5000 };

	(void)state;
	for (size_t i = 0; i < sizeof(paces_ms) / sizeof(paces_ms[0]); i++) {
		int64_t least, most;

		guess(paces_ms[i], &least, &most);
		assert_in_range(least, 900, 1000);
		assert_in_range(most, 1000, 1100);
	}
}

/* Thresholds that never change would be gone from Prometheus after five
 * minutes, and from a collector that was restarted for ever.
 */
static void test_what_does_not_change_is_given_again(void **state)
{
	static const struct table table = { .age = AGE_CHANGE };
	struct run *r = calloc(1, sizeof(*r));
	struct poll *p = calloc(1, sizeof(*p));
	struct row *row = calloc(1, sizeof(*row));
	struct cage_row before = { .stamp = 0 };
	struct read_group age;
	unsigned given = 0;

	(void)state;
	assert_true(r && p && row);
	r->table = &table;
	for (int64_t s = 1000; s < 1600; s += 60) {
		p->asked.ns = s * NS_PER_S;
		given += !age_of_row(r, p, &before, row, &age);
	}
	assert_int_equal(given, 3);	/* at 1000, 1240 and 1480 s */
	free(row);
	free(p);
	free(r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_c04_poll_waits_while_syncd_is_about_to_write),
		cmocka_unit_test(
			test_c04_rows_that_may_be_of_two_reads_have_no_time),
		cmocka_unit_test(
			test_c04_rows_without_a_stamp_have_a_rough_time),
		cmocka_unit_test(
			test_c04_writes_are_placed_by_the_pace_of_syncd),
		cmocka_unit_test(test_what_does_not_change_is_given_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
