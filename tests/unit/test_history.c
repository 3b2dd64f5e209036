#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "agent/state/history.h"
#include "petrel/platform.h"

static void add(struct history *h, unsigned what, const char *text)
{
	history_add(h, &(struct event){ .what = what, .text = text,
					.when = { 7 }, .value = -1 });
}

static void test_history_keeps_what_it_is_given(void **state)
{
	const struct history_event *e;
	struct history *h;

	(void)state;
	assert_int_equal(history_new(4, &h), 0);
	assert_int_equal(history_first(h), 1);
	assert_int_equal(history_next(h), 1);
	assert_null(history_get(h, 1));
	history_add(h, &(struct event){ .what = EVENT_LINK_UP, .value = -5,
					.when = { 9 }, .text = "text",
					.subject = "Ethernet0" });
	e = history_get(h, 1);
	assert_non_null(e);
	assert_int_equal(e->what, EVENT_LINK_UP);
	assert_true(e->value == -5 && e->when.ns == 9);
	assert_string_equal(e->text, "text");
	assert_string_equal(e->subject, "Ethernet0");
	add(h, EVENT_OVERRUN, NULL);
	assert_string_equal(history_get(h, 2)->text, "");
	assert_string_equal(history_get(h, 2)->subject, "");
	history_free(h);
}

static void test_history_drops_the_oldest_and_says_so(void **state)
{
	struct history *h;
	char text[16];

	(void)state;
	assert_int_equal(history_new(4, &h), 0);
	for (int i = 1; i <= 10; i++) {
		(void)snprintf(text, sizeof(text), "%d", i);
		add(h, EVENT_LINK_UP, text);
	}
	assert_int_equal(history_first(h), 7);
	assert_int_equal(history_next(h), 11);
	assert_null(history_get(h, 6));
	assert_null(history_get(h, 11));
	assert_string_equal(history_get(h, 7)->text, "7");
	assert_string_equal(history_get(h, 10)->text, "10");
	history_free(h);
}

static void test_history_finds_the_newest_of_a_kind(void **state)
{
	struct history *h;

	(void)state;
	assert_int_equal(history_new(4, &h), 0);
	assert_null(history_newest(h, EVENT_REBOOTED));
	add(h, EVENT_REBOOTED, "one");
	add(h, EVENT_REBOOTED, "two");
	add(h, EVENT_LINK_UP, "");
	assert_string_equal(history_newest(h, EVENT_REBOOTED)->text, "two");
	for (int i = 0; i < 4; i++)
		add(h, EVENT_LINK_UP, "");
	assert_null(history_newest(h, EVENT_REBOOTED));
	history_free(h);
}

/* A slow source's event comes after younger ones, and the ring has wrapped. */
static void test_history_lists_the_oldest_first(void **state)
{
	static const int64_t when[] = { 90, 1, 5, 3, 4, 4 };
	uint16_t order[HISTORY_EVENTS_MAX];
	struct history *h;
	int64_t got[4];

	(void)state;
	assert_int_equal(history_new(4, &h), 0);
	assert_int_equal(history_by_time(h, order), 0);
	for (size_t i = 0; i < sizeof(when) / sizeof(when[0]); i++)
		history_add(h, &(struct event){ .when = { when[i] },
						.value = (int64_t)i });
	assert_int_equal(history_by_time(h, order), 4);
	for (size_t i = 0; i < 4; i++)
		got[i] = history_get(h, history_first(h) + order[i])->value;
	assert_memory_equal(got, ((int64_t[]){ 3, 4, 5, 2 }), sizeof(got));
	history_free(h);
}

static void test_history_cuts_what_is_too_long(void **state)
{
	struct history *h;
	char text[3 * CHANGE_TEXT_MAX];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(history_new(1, &h), 0);
	history_add(h, &(struct event){ .text = text, .subject = text });
	assert_int_equal(strlen(history_get(h, 1)->text), CHANGE_TEXT_MAX - 1);
	assert_int_equal(strlen(history_get(h, 1)->subject),
			 ENTITY_NAME_MAX - 1);
	history_free(h);
}

/* Words of all lengths, over many rounds: each event that is kept has its own,
 * and as many are kept as there is room for.
 */
static void test_history_keeps_words_whole(void **state)
{
	static const size_t lengths[] = { 0, 1, 30, 150, 191, 3, 64, 99 };
	char text[CHANGE_TEXT_MAX], subject[16];
	struct history *h;
	size_t least = 64;

	(void)state;
	assert_int_equal(history_new(64, &h), 0);
	for (unsigned i = 1; i < 5000; i++) {
		size_t len = lengths[i * 2654435761u >> 29];

		memset(text, 'a' + (int)(i % 26), len);
		text[len] = '\0';
		(void)snprintf(subject, sizeof(subject), "Ethernet%u", i);
		history_add(h, &(struct event){ .text = text, .value = i,
						.subject = subject });
		if (i > 64 && i - history_first(h) + 1 < least)
			least = i - history_first(h) + 1;
		for (uint64_t n = history_first(h); n < history_next(h); n++) {
			const struct history_event *e = history_get(h, n);

			(void)snprintf(subject, sizeof(subject), "Ethernet%u",
				       (unsigned)n);
			assert_string_equal(e->subject, subject);
			len = lengths[(unsigned)n * 2654435761u >> 29];
			assert_int_equal(strlen(e->text), len);
			assert_true(len == 0 || (e->text[0] == 'a' +
				    (int)(n % 26) && e->text[len - 1] ==
				    e->text[0]));
		}
	}
	assert_in_range(least, 20, 64);
	history_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_history_keeps_what_it_is_given),
		cmocka_unit_test(test_history_drops_the_oldest_and_says_so),
		cmocka_unit_test(test_history_finds_the_newest_of_a_kind),
		cmocka_unit_test(test_history_lists_the_oldest_first),
		cmocka_unit_test(test_history_cuts_what_is_too_long),
		cmocka_unit_test(test_history_keeps_words_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
