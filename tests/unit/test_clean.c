#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/base/clean.h"
#include "tests/support/quick.h"
#include "tests/support/text_judge.h"

static const struct {
	const char *dirty, *clean;
} texts[] = {
	{ "Ethernet8", "Ethernet8" },
	{ "", "" },
	{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", /* ä € and a face */
	  "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80" },
	{ "a\tb\r\nc", "a b  c" },
	{ "\x1b[31mred\x7f", "?[31mred?" },
	{ "\x9b" "31m", "?31m" },		/* C1 as Latin-1 has it */
	{ "\xc2\x9b" "31m", "?31m" },		/* and as UTF-8 */
	{ "\xc2\x85" "x\xe2\x80\xa8y", " x y" },	/* line ends */
	{ "\xe2\x80\xae" "moc\xe2\x80\xac", "?moc?" },	/* U+202E */
	{ "\xd8\x9c\xe2\x80\x8e\xe2\x81\xa6\xe2\x81\xa9", "????" },
	{ "\xc0\xaf", "??" },			/* overlong */
	{ "\xed\xa0\x80", "???" },		/* half a pair */
	{ "\xf4\x90\x80\x80", "????" },		/* beyond Unicode */
	{ "x\xe2\x82", "x??" },			/* cut off */
	{ "\xe2\x82" "abc", "??abc" },
};

static void test_c19_text_is_made_clean(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char out[64], place[64];

		clean_text(out, sizeof(out), texts[i].dirty);
		assert_string_equal(out, texts[i].clean);
		assert_true(text_is_clean(out));
		(void)snprintf(place, sizeof(place), "%s", texts[i].dirty);
		clean_in_place(place);
		assert_string_equal(place, texts[i].clean);
	}
}

static void test_c19_no_character_is_cut_in_two(void **state)
{
	static const char text[] = "a\xe2\x82\xac\xf0\x9f\x98\x80z";
	static const size_t kept[] = { 0, 0, 1, 1, 1, 4, 4, 4, 4, 8, 9, 9 };

	(void)state;
	for (size_t cap = 1; cap < sizeof(kept) / sizeof(kept[0]); cap++) {
		char out[16];

		memset(out, 'X', sizeof(out));
		clean_text(out, cap, text);
		assert_int_equal(strlen(out), kept[cap]);
		assert_int_equal(out[cap], 'X');
	}
}

static void test_c19_each_octet_and_pair_comes_out_clean(void **state)
{
	const unsigned step = quick(1, 61);

	(void)state;
	for (unsigned i = 0; i < 65536; i += step) {
		const char in[2] = { (char)(i >> 8), (char)i };
		char out[8];

		clean_octets(out, sizeof(out), in, 2);
		assert_true(text_is_clean(out));
	}
}

static void test_c19_nothing_is_empty(void **state)
{
	char out[4] = "xyz";

	(void)state;
	clean_text(out, sizeof(out), NULL);
	assert_string_equal(out, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c19_text_is_made_clean),
		cmocka_unit_test(test_c19_no_character_is_cut_in_two),
		cmocka_unit_test(test_c19_each_octet_and_pair_comes_out_clean),
		cmocka_unit_test(test_c19_nothing_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
