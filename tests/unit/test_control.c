#include "agent/process/control.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_c18_a_writer_that_died_keeps_no_reader_waiting(void **state)
{
	static struct control c;
	struct control_identity said = { .id = "ABC123", .name = "leaf1" };
	struct control_identity got = { .id = "before" };
	char text[DIAG_MAX];

	(void)state;
	atomic_store(&c.identity.generation, 1);
	atomic_store(&c.herald.generation, 3);
	c.herald.state = HERALD_FAILS;
	assert_false(control_identity_get(&c, &got));
	assert_string_equal(got.id, "before");
	assert_false(control_herald_fault(&c, text));
	control_identity_set(&c, &said);	/* the next writer mends it */
	control_herald_set(&c.herald, HERALD_CANNOT, "no library");
	assert_true(control_identity_get(&c, &got));
	assert_string_equal(got.id, "ABC123");
	assert_string_equal(got.name, "leaf1");
	assert_true(control_herald_fault(&c, text));
	assert_string_equal(text, "no library");
}

static void test_c14_what_is_read_at_the_start_stays(
	void **state)
{
	static struct control c;
	static struct config wanted, is;

	(void)state;
	(void)strcpy(c.config.driver, "auto");
	(void)strcpy(wanted.driver, "sim");
	(void)strcpy(wanted.name, "new");
	control_config_set(&c, &wanted);
	assert_int_equal(control_config(&c, &is), 2);
	assert_string_equal(is.driver, "auto");
	assert_string_equal(is.name, "new");
	control_wanted(&c, &is);
	assert_string_equal(is.driver, "sim");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_c18_a_writer_that_died_keeps_no_reader_waiting),
		cmocka_unit_test(
			test_c14_what_is_read_at_the_start_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
