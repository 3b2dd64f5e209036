/* What each signature means is said for all of them, without contradiction,
 * and the manual says the same.
 *
 * test_words --print signatures (or causes) prints what belongs between the
 * marks of packaging/man/petrel-signatures.7.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/signature/words.h"
#include "tests/support/manual_page.h"
#include "tests/support/signature_manual.h"

#define PAGE "packaging/man/petrel-signatures.7"

static void test_words_are_there_for_each_signature(void **state)
{
	(void)state;
	assert_null(signature_words((enum signature)0));
	assert_null(signature_words(SIGNATURE_COUNT));
	for (unsigned i = 1; i < SIGNATURE_COUNT; i++) {
		const struct signature_words *w =
			signature_words((enum signature)i);

		assert_non_null(w);
		assert_int_equal(w->signature, i);
		assert_non_null(about_name(w->about));
		assert_true(w->means && w->shows && w->needs && w->without);
		assert_true(w->means[strlen(w->means) - 1] == '.');
		assert_true(!w->over[0] == !w->over_why);
	}
}

static bool is_over(enum signature a, enum signature b, unsigned deep)
{
	const struct signature_words *w = signature_words(a);

	assert_true(deep < SIGNATURE_COUNT);	/* else it runs in circles */
	for (unsigned i = 0; i < WORDS_OVER_MAX && w->over[i]; i++)
		if (w->over[i] == b || is_over(w->over[i], b, deep + 1))
			return true;
	return false;
}

static void test_words_no_name_goes_before_itself(void **state)
{
	(void)state;
	for (unsigned i = 1; i < SIGNATURE_COUNT; i++)
		assert_false(is_over((enum signature)i, (enum signature)i, 0));
}

/* A pair stands once, and says what would separate the two. */
static void test_words_pairs_stand_once(void **state)
{
	bool seen[SIGNATURE_COUNT][SIGNATURE_COUNT] = { { false } };

	(void)state;
	for (unsigned i = 1; i < SIGNATURE_COUNT; i++) {
		const struct signature_words *w =
			signature_words((enum signature)i);

		for (unsigned k = 0; k < WORDS_ALIKE_MAX; k++) {
			unsigned other = w->alike[k].other;

			assert_true(!other == !w->alike[k].separates);
			if (!other)
				break;
			assert_true(other != i && other < SIGNATURE_COUNT);
			assert_false(seen[i][other] || seen[other][i]);
			seen[i][other] = true;
		}
	}
}

static const struct manual_part parts[] = {
	{ "signatures", ".\\\" signatures: begin", ".\\\" signatures: end",
	  signature_manual },
	{ "causes", ".\\\" causes: begin", ".\\\" causes: end", cause_manual },
	{ "benign", ".\\\" benign: begin", ".\\\" benign: end", benign_manual },
};
#define PARTS (sizeof(parts) / sizeof(parts[0]))

static void test_words_are_the_manual_s(void **state)
{
	(void)state;
	manual_parts_agree(PAGE, parts, PARTS);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_are_there_for_each_signature),
		cmocka_unit_test(test_words_no_name_goes_before_itself),
		cmocka_unit_test(test_words_pairs_stand_once),
		cmocka_unit_test(test_words_are_the_manual_s),
	};

	if (argc == 3 && strcmp(argv[1], "--print") == 0) {
		manual_part_print(argv[2], parts, PARTS);
		return 0;
	}
	return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
