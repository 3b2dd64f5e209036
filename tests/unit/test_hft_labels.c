#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "platform/sonic/hft/hft_template.h"

/* Copied to the octet, so that ASan sees the end. */
static struct hft_octets octets(const char *text)
{
	struct hft_octets o = { .len = strlen(text) };

	o.data = malloc(o.len + 1);
	assert_non_null(o.data);
	memcpy(o.data, text, o.len);
	o.data = realloc(o.data, o.len ? o.len : 1);
	return o;
}

static int parse(const char *names_text, const char *ids_text,
		 struct hft_labels *ret, struct diag *d)
{
	struct hft_octets names = octets(names_text), ids = octets(ids_text);
	int rc = hft_labels_parse(&names, &ids, ret, d);

	free(names.data);
	free(ids.data);
	return rc;
}

static void test_hft_labels_are_in_order_of_their_numbers(void **state)
{
	struct hft_labels l;

	(void)state;
	assert_int_equal(parse("Ethernet0|3, Ethernet8 ,pool", "9,2,0", &l,
			       NULL), 0);
	assert_int_equal(l.count, 3);
	assert_int_equal(l.list[0].label, 0);
	assert_string_equal(l.list[0].name, "pool");
	assert_string_equal(l.list[1].name, "Ethernet8");
	assert_int_equal(l.list[2].label, 9);
	assert_string_equal(l.list[2].name, "Ethernet0|3");
	free(l.list);
}

static void test_hft_labels_without_numbers_count_from_one(void **state)
{
	struct hft_labels l;

	(void)state;
	assert_int_equal(parse("a,b", "", &l, NULL), 0);
	assert_int_equal(l.list[1].label, 2);
	free(l.list);
	assert_int_equal(parse("", "", &l, NULL), 0);
	assert_int_equal(l.count, 0);
}

static void test_hft_labels_refuse_what_does_not_match(void **state)
{
	static const char *const wrong[][2] = {
		{ "a,b", "1" }, { "a", "1,2" }, { "a,b", "1,1" },
		{ "a,", "1,2" }, { "a,b", "1," }, { "a", "65536" },
		{ "a", "-1" }, { "a", "x" }, { "", "1" },
		{ "a_name_that_is_longer_than_any_object_of_sonic_s_tables_can_have",
		  "1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct hft_labels l = { NULL, 77 };
		struct diag d = { "" };

		assert_int_equal(parse(wrong[i][0], wrong[i][1], &l, &d),
				 -EINVAL);
		assert_int_equal(l.count, 77);
		assert_non_null(strstr(d.text, "object_ids"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hft_labels_are_in_order_of_their_numbers),
		cmocka_unit_test(
			test_hft_labels_without_numbers_count_from_one),
		cmocka_unit_test(test_hft_labels_refuse_what_does_not_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
