#include "agent/ctl/json_out.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* What json-c makes of it, which scripts have read so far. */
static void assert_as_json_c(double value, const struct json_value *v)
{
	struct json_object *o = json_object_new_double(value);
	char text[JSON_NUMBER_MAX];

	json_object_set_serializer(o, json_object_double_to_json_string,
				   (void *)(uintptr_t)"%.12g", NULL);
	json_number_text(v, text);
	assert_string_equal(text, json_object_to_json_string(o));
	json_object_put(o);
}

static void test_json_out_decimals_are_as_json_c_writes_them(void **state)
{
	static const unsigned digits[] = { 3, 6, 9, 18 };
	static const double scales[] = { 1e3, 1e6, 1e9, 1e18 };
	uint64_t seed = 20251;

	(void)state;
	for (unsigned n = 0; n < 20000; n++) {
		unsigned which = n % 4;
		struct json_value v = { .kind = JSON_SCALED,
					.digits = digits[which] };

		seed = seed * UINT64_C(6364136223846793005) + 1442695041;
		v.whole = (int64_t)(seed >> (n / 4) % 64);
		v.whole = n % 3 ? v.whole : -v.whole;
		assert_as_json_c((double)v.whole / scales[which], &v);
	}
}

static void test_json_out_round_numbers_are_as_json_c_writes_them(void **state)
{
	(void)state;
	for (int64_t whole = 1; whole < INT64_C(100000000000000000);
	     whole *= 10)
		for (int64_t off = -1; off <= 1; off++) {
			struct json_value v = { .kind = JSON_SCALED,
						.whole = whole + off,
						.digits = 9 };

			assert_as_json_c((double)(whole + off) / 1e9, &v);
		}
}

/* All of it, by json-c's reader. Freed by the caller. */
static struct json_object *read_back(const char *text)
{
	struct json_object *o = json_tokener_parse(text);

	assert_non_null(o);
	return o;
}

static const char *member(struct json_object *o, const char *key)
{
	struct json_object *value = NULL;

	assert_true(json_object_object_get_ex(o, key, &value));
	return json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN |
					      JSON_C_TO_STRING_NOSLASHESCAPE);
}

static void test_json_out_is_read_as_it_was_meant(void **state)
{
	static const char hard[] = "a/\"b\"\\ \b\t\n\f\r\x01\x1f µ";
	struct json_value text = { .kind = JSON_TEXT, .text = hard };
	struct json_value least = { .kind = JSON_SIGNED, .whole = INT64_MIN };
	struct json_value most = { .kind = JSON_UNSIGNED, .whole = -1 };
	struct json_value yes = { .kind = JSON_BOOL, .whole = 1 };
	struct json_out *j = calloc(1, sizeof(*j));
	struct json_object *o, *twin = json_object_new_string(hard);
	char *octets = NULL;
	size_t len;

	(void)state;
	j->buffer.out = open_memstream(&octets, &len);
	json_out_begin(j, NULL, '{');
	json_out_put(j, "text", &text);
	json_out_begin(j, "list", '[');
	json_out_put(j, NULL, &least);
	json_out_put(j, NULL, &most);
	json_out_end(j, ']');
	json_out_put(j, "yes", &yes);
	json_out_object(j, "null", NULL);
	json_out_end(j, '}');
	out_buffer_flush(&j->buffer);
	(void)fclose(j->buffer.out);
	o = read_back(octets);
	assert_string_equal(member(o, "text"), json_object_to_json_string_ext(
		twin, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	assert_string_equal(member(o, "list"),
			    "[-9223372036854775808,18446744073709551615]");
	assert_string_equal(member(o, "yes"), "true");
	assert_string_equal(member(o, "null"), "null");
	json_object_put(o);
	json_object_put(twin);
	free(octets);
	free(j);
}

/* Longer than what is gathered before it is written. */
static void test_json_out_long_texts_are_whole(void **state)
{
	struct json_out *j = calloc(1, sizeof(*j));
	char *octets = NULL, *text = malloc(20001);
	struct json_value v = { .kind = JSON_TEXT, .text = text };
	size_t len;

	(void)state;
	memset(text, 'x', 20000);
	text[20000] = '\0';
	j->buffer.out = open_memstream(&octets, &len);
	json_out_begin(j, NULL, '[');
	for (unsigned i = 0; i < 5; i++) {
		text[i * 1500 + 1000] = '\0';
		json_out_put(j, NULL, &v);
		text[i * 1500 + 1000] = 'x';
	}
	json_out_put(j, NULL, &v);
	json_out_end(j, ']');
	out_buffer_flush(&j->buffer);
	(void)fclose(j->buffer.out);
	assert_int_equal(len, 2 + 5 * 1000 + 1500 * 10 + 20000 + 6 * 2 + 5);
	free(octets);
	free(text);
	free(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_json_out_decimals_are_as_json_c_writes_them),
		cmocka_unit_test(
			test_json_out_round_numbers_are_as_json_c_writes_them),
		cmocka_unit_test(test_json_out_is_read_as_it_was_meant),
		cmocka_unit_test(test_json_out_long_texts_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
