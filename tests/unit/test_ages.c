#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/state/slot_lists.h"

static const struct age_step second = { .interval = 7 };

static uint32_t take(struct ages *a, int64_t taken_ns)
{
	struct group_age age = { .taken = { taken_ns } };
	uint32_t which;

	assert_int_equal(ages_take(a, &age, &second, &which), 0);
	assert_true(which != AGE_NEVER);
	assert_int_equal(a->age[which].taken.ns, taken_ns);
	return which;
}

static void test_ages_of_one_reading_are_one(void **state)
{
	struct ages a = { .cap = 0 };
	uint32_t which[1000];

	(void)state;
	assert_int_equal(ages_init(&a), 0);
	assert_int_equal(a.age[AGE_NEVER].taken.ns, INT64_MIN);
	for (int64_t t = 1; t <= 50; t++)
		for (unsigned i = 0; i < 1000; i++) {
			uint32_t old = t > 1 ? which[i] : AGE_NEVER;

			which[i] = take(&a, t);
			ages_release(&a, old);
			assert_int_equal(which[i], which[0]);
		}
	assert_in_range(a.used, 2, 3);
	ages_fini(&a);
}

/* What differs in anything has a place of its own. */
static void test_ages_that_differ_stand_apart(void **state)
{
	const struct group_age age[] = {
		{ { 5 }, 1, 1 }, { { 6 }, 1, 1 }, { { 5 }, 2, 1 },
		{ { 5 }, 1, 2 }, { { 5 }, 1, 1 }, { { 5 }, 1, 1 },
	};
	const struct age_step step[] = {
		{ 3, 4 }, { 3, 4 }, { 3, 4 }, { 3, 4 }, { 9, 4 }, { 9, 8 },
	};
	struct ages a = { .cap = 0 };
	uint32_t which[6];

	(void)state;
	assert_int_equal(ages_init(&a), 0);
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(ages_take(&a, &age[i], &step[i], &which[i]),
				 0);
		assert_int_equal(which[i], i + 1);
	}
	for (unsigned i = 0; i < 6; i++) {
		assert_memory_equal(&a.age[which[i]], &age[i], sizeof(age[i]));
		assert_memory_equal(&a.step[which[i]], &step[i],
				    sizeof(step[i]));
	}
	ages_fini(&a);
}

/* A place is free again when its last group goes, not before. */
static void test_ages_are_kept_while_one_has_them(void **state)
{
	struct ages a = { .cap = 0 };
	uint32_t first, second_of_it, other;

	(void)state;
	assert_int_equal(ages_init(&a), 0);
	first = take(&a, 1);
	second_of_it = take(&a, 1);
	assert_int_equal(first, second_of_it);
	ages_release(&a, first);
	other = take(&a, 2);
	assert_true(other != first);
	assert_int_equal(a.age[first].taken.ns, 1);
	ages_release(&a, second_of_it);
	assert_int_equal(take(&a, 3), first);
	ages_release(&a, other);
	assert_int_equal(take(&a, 4), other);
	ages_release(&a, AGE_NEVER);
	assert_int_equal(take(&a, 5), 3);
	ages_fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ages_of_one_reading_are_one),
		cmocka_unit_test(test_ages_that_differ_stand_apart),
		cmocka_unit_test(test_ages_are_kept_while_one_has_them),
	};

	return cmocka_run_group_tests_name("ages", tests, NULL, NULL);
}
