/* Reasons for people: written, cut at their bound, headed by a file's name. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "petrel/diag.h"

static void test_diag_set_writes_sentence_and_returns_err(void **state)
{
	struct diag d = { "" };

	(void)state;
	assert_int_equal(diag_set(&d, -EINVAL, "'%s' is no port", "Eth"),
			 -EINVAL);
	assert_string_equal(d.text, "'Eth' is no port");
}

static void test_diag_set_allows_nobody_to_listen(void **state)
{
	(void)state;
	assert_int_equal(diag_set(NULL, -ENOENT, "%d", 1), -ENOENT);
	assert_int_equal(diag_prefix(NULL, -ENOENT, "%d", 1), -ENOENT);
}

static void test_diag_set_cuts_at_its_bound(void **state)
{
	char longer[2 * DIAG_MAX];
	struct {
		struct diag d;
		char after;
	} s = { .after = 'x' };

	(void)state;
	memset(longer, 'a', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	(void)diag_set(&s.d, -EIO, "%s", longer);
	assert_int_equal(strlen(s.d.text), DIAG_MAX - 1);
	assert_int_equal(s.after, 'x');
}

static void test_diag_prefix_keeps_what_was_said(void **state)
{
	struct diag d;

	(void)state;
	(void)diag_set(&d, -EINVAL, "no such key 'intervall'");
	assert_int_equal(diag_prefix(&d, -EINVAL, "%s:%d", "petrel.conf", 7),
			 -EINVAL);
	assert_string_equal(d.text,
			    "petrel.conf:7: no such key 'intervall'");
}

static void test_diag_prefix_cuts_at_its_bound(void **state)
{
	char longer[DIAG_MAX];
	struct diag d;

	(void)state;
	memset(longer, 'b', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	(void)diag_set(&d, -EIO, "%s", longer);
	(void)diag_prefix(&d, -EIO, "head");
	assert_int_equal(strlen(d.text), DIAG_MAX - 1);
	assert_memory_equal(d.text, "head: bbb", 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_diag_set_writes_sentence_and_returns_err),
		cmocka_unit_test(test_diag_set_allows_nobody_to_listen),
		cmocka_unit_test(test_diag_set_cuts_at_its_bound),
		cmocka_unit_test(test_diag_prefix_keeps_what_was_said),
		cmocka_unit_test(test_diag_prefix_cuts_at_its_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
