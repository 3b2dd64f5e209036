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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_c18_a_writer_that_died_keeps_no_reader_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
