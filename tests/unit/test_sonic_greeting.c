/* What is said to a database first: its password, and which it is.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "platform/sonic/redis/channel.h"

static const struct database plain = { .known = true, .id = 4 };
static const struct database guarded = { .known = true, .id = 12,
					 .password = "/passwd" };

/* The greeting where a file "passwd" holds this; its error otherwise. */
static int greet(const struct database *of, const char *password, size_t len,
		 struct greeting *ret, struct diag *d)
{
	char folder[] = "/tmp/petrel-greeting-XXXXXX", path[64];
	int root, rc;
	FILE *f;

	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/passwd", folder);
	if (password) {
		f = fopen(path, "w");
		assert_non_null(f);
		assert_int_equal(fwrite(password, 1, len, f), len);
		assert_int_equal(fclose(f), 0);
	}
	root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(root >= 0);
	rc = greeting_write(root, of, ret, d);
	close(root);
	(void)unlink(path);
	assert_int_equal(rmdir(folder), 0);
	return rc;
}

static void test_greeting_selects_the_database(void **state)
{
	static const char want[] = "*2\r\n$6\r\nSELECT\r\n$1\r\n4\r\n";
	struct greeting g;

	(void)state;
	assert_int_equal(greet(&plain, NULL, 0, &g, NULL), 0);
	assert_int_equal(g.count, 1);
	assert_int_equal(g.len, strlen(want));
	assert_memory_equal(g.text, want, g.len);
}

static void test_greeting_gives_the_password_first(void **state)
{
	static const char want[] = "*2\r\n$4\r\nAUTH\r\n$6\r\na b\r\nc\r\n"
				   "*2\r\n$6\r\nSELECT\r\n$2\r\n12\r\n";
	struct greeting g;

	(void)state;
	assert_int_equal(greet(&guarded, "a b\r\nc\n", 7, &g, NULL), 0);
	assert_int_equal(g.count, 2);
	assert_int_equal(g.len, strlen(want));
	assert_memory_equal(g.text, want, g.len);
	greeting_forget(&g);
	for (size_t i = 0; i < strlen(want); i++)
		assert_int_equal(g.text[i], 0);
}

static void test_greeting_tells_which_password_cannot_be_read(void **state)
{
	static const struct {
		const char *password;
		size_t len;
		const char *word;
	} cases[] = {
		{ NULL, 0, "No such file" },
		{ "", 0, "empty" },
		{ "\n", 1, "empty" },
		{ "a\0b", 3, "empty" },
	};
	struct greeting g;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct diag d = { "" };

		assert_true(greet(&guarded, cases[i].password, cases[i].len, &g,
				  &d) < 0);
		assert_non_null(strstr(d.text, "/passwd"));
		assert_non_null(strstr(d.text, cases[i].word));
	}
}

static void test_greeting_takes_a_password_of_any_length_up_to_its_limit(
	void **state)
{
	char text[GREETING_PASSWORD_MAX + 1];
	struct greeting g;

	(void)state;
	memset(text, 'x', sizeof(text));
	assert_int_equal(greet(&guarded, text, GREETING_PASSWORD_MAX, &g, NULL),
			 0);
	assert_true(g.len > GREETING_PASSWORD_MAX && g.len < GREETING_MAX);
	assert_int_equal(greet(&guarded, text, sizeof(text), &g, NULL),
			 -EFBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_greeting_selects_the_database),
		cmocka_unit_test(test_greeting_gives_the_password_first),
		cmocka_unit_test(
			test_greeting_tells_which_password_cannot_be_read),
		cmocka_unit_test(
		test_greeting_takes_a_password_of_any_length_up_to_its_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
