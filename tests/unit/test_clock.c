#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "petrel/clock.h"

static const struct mono never = { INT64_MIN }, now = { NS_PER_S };

static void test_clock_a_moment_that_never_was_is_endless_ago(void **state)
{
	(void)state;
	assert_int_equal(mono_diff_ns(now, never), INT64_MAX);
	assert_int_equal(mono_diff_ns(never, now), INT64_MIN);
	assert_int_equal(mono_diff_ns(now, (struct mono){ 1 }), NS_PER_S - 1);
}

static void test_clock_what_is_later_has_an_end(void **state)
{
	(void)state;
	assert_int_equal(mono_after(now, INT64_MAX).ns, INT64_MAX);
	assert_int_equal(mono_after(never, -1).ns, INT64_MIN);
	assert_int_equal(mono_after(now, -1).ns, NS_PER_S - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_clock_a_moment_that_never_was_is_endless_ago),
		cmocka_unit_test(test_clock_what_is_later_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
