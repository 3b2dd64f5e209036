#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "platform/sonic/config/rows.h"

struct said {
	char text[1024];
};

static void changed(void *context, const struct kept_row *row,
		    const char *field, const char *from, const char *to)
{
	struct said *s = context;
	size_t len = strlen(s->text);

	(void)snprintf(s->text + len, sizeof(s->text) - len, "[%s %s %s>%s]",
		       row->key, field ? field : "-", from, to);
}

/* fields: "name", "value", …, NULL. */
static void take(struct rows *r, struct said *s, const char *key,
		 uint32_t seen, const char *const fields[])
{
	struct row_text t;

	row_text_clear(&t);
	for (size_t i = 0; fields[i]; i += 2) {
		row_text_name(&t, fields[i], strlen(fields[i]));
		row_text_value(&t, fields[i + 1], strlen(fields[i + 1]));
	}
	s->text[0] = '\0';
	r->changed = changed;
	r->context = s;
	rows_take(r, key, 3, seen, &t);
}

#define F(...) (const char *const[]){ __VA_ARGS__, NULL }

static void test_rows_tell_each_field_that_differs(void **state)
{
	struct rows r = { .count = 0 };
	struct said s = { "" };

	(void)state;
	take(&r, &s, "PORT|a", 1, F("mtu", "9100", "fec", "rs"));
	assert_string_equal(s.text, "[PORT|a - >mtu=9100 fec=rs]");
	take(&r, &s, "PORT|a", 2, F("mtu", "1500", "speed", "4"));
	assert_string_equal(s.text, "[PORT|a mtu 9100>1500][PORT|a speed >4]"
				    "[PORT|a fec rs>]");
	assert_string_equal(rows_field(&r, "PORT|a", "mtu"), "1500");
	assert_string_equal(rows_field(&r, "PORT|a", "fec"), "");
	assert_string_equal(rows_field(&r, "PORT|b", "fec"), "");
	rows_free(&r);
}

static void test_rows_tell_nothing_of_another_order(void **state)
{
	struct rows r = { .count = 0 };
	struct said s = { "" };

	(void)state;
	take(&r, &s, "k", 1, F("a", "1", "b", "2", "NULL", "NULL"));
	take(&r, &s, "k", 2, F("b", "2", "a", "1"));
	assert_string_equal(s.text, "");
	take(&r, &s, "k", 3, F("a", "2", "b", "1"));
	assert_string_equal(s.text, "[k a 1>2][k b 2>1]");
	rows_free(&r);
}

static void test_rows_that_are_not_seen_are_gone(void **state)
{
	struct rows r = { .count = 0 };
	struct said s = { "" };

	(void)state;
	take(&r, &s, "b", 1, F("x", "1"));
	take(&r, &s, "a", 2, F("x", "2"));
	take(&r, &s, "c", 2, F("x", "3"));
	s.text[0] = '\0';
	rows_sweep(&r, 4, 2);	/* of another table */
	assert_string_equal(s.text, "");
	rows_sweep(&r, 3, 2);
	assert_string_equal(s.text, "[b - x=1>]");
	assert_int_equal(r.count, 2);
	assert_null(rows_find(&r, "b"));
	assert_non_null(rows_find(&r, "a"));
	take(&r, &s, "a", 3, (const char *const[]){ NULL });
	assert_string_equal(s.text, "[a - x=2>]");
	rows_free(&r);
}

static void test_rows_are_bounded(void **state)
{
	struct rows r = { .count = 0 };
	struct said s = { "" };
	struct row_text t;
	static char big[ROW_OCTETS_MAX];

	(void)state;
	memset(big, 'x', sizeof(big));
	row_text_clear(&t);
	row_text_name(&t, "a", 1);
	row_text_value(&t, big, sizeof(big));
	assert_true(t.cut && t.len == 0);
	for (int i = 0; i < ROWS_MAX + 10; i++) {
		char key[16];

		(void)snprintf(key, sizeof(key), "k%06d", i);
		take(&r, &s, key, 1, F("a", "1"));
	}
	assert_int_equal(r.count, ROWS_MAX);
	assert_int_equal(r.refused, 10);
	rows_free(&r);
}

static void test_rows_of_many_octets_are_bounded(void **state)
{
	struct rows r = { .count = 0 };
	struct said s = { "" };
	static char value[4096];

	(void)state;
	memset(value, 'y', sizeof(value) - 1);
	for (int i = 0; i < 2000; i++) {
		char key[16];

		(void)snprintf(key, sizeof(key), "k%06d", i);
		take(&r, &s, key, 1, F("a", value));
	}
	assert_true(r.octets <= ROWS_OCTETS_MAX && r.refused > 0);
	r.changed = NULL;
	rows_sweep(&r, 3, 2);
	assert_int_equal(r.octets, 0);
	rows_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_tell_each_field_that_differs),
		cmocka_unit_test(test_rows_tell_nothing_of_another_order),
		cmocka_unit_test(test_rows_that_are_not_seen_are_gone),
		cmocka_unit_test(test_rows_are_bounded),
		cmocka_unit_test(test_rows_of_many_octets_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
