/* C1: rows are added, never changed. `test_quantity --golden FILE` appends the
 * rows that the file does not have yet (make golden).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "petrel/quantity.h"

#define GOLDEN "tests/data/quantity.golden"
#define ROW_MAX 160

static const char *const symbols[] = {
#define QUANTITY(id, symbol, ...) #symbol,
#include "petrel/quantity.def"
#undef QUANTITY
};

static const char *const kinds[] = { "counter", "gauge", "flag", "peak" };

/* What must not change: id, symbol, name, unit, scope, kind. */
static void row_of(size_t i, char ret[static ROW_MAX])
{
	size_t count;
	const struct quantity_info *q = &quantity_table(&count)[i];
	const char *unit = quantity_unit_name(q->unit);

	snprintf(ret, ROW_MAX, "0x%04x %s %s %s %s %s", q->id, symbols[i],
		 q->name, *unit ? unit : "-", entity_kind_name(q->scope),
		 kinds[q->kind]);
}

static char *file_read(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t cap = 1 << 20;
	char *text = calloc(1, cap);

	if (file) {
		(void)!fread(text, 1, cap - 1, file);
		fclose(file);
	}
	return text;
}

static bool has_line(const char *text, const char *line)
{
	size_t len = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at++)
		if ((at == text || at[-1] == '\n') && at[len] == '\n')
			return true;
	return false;
}

static bool has_id(const char *text, const char *row)
{
	char id[8] = "";

	memcpy(id, row, 7);		/* 0x1234 and a blank */
	for (const char *at = text; (at = strstr(at, id)); at++)
		if (at == text || at[-1] == '\n')
			return true;
	return false;
}

static void test_c01_no_row_was_changed_or_taken_away(void **state)
{
	char *golden = file_read(GOLDEN), row[ROW_MAX];
	size_t count, lines = 0;

	(void)state;
	(void)quantity_table(&count);
	for (const char *at = golden; (at = strchr(at, '\n')); at++)
		lines++;
	assert_true(lines > 100);
	for (size_t i = 0; i < count; i++) {
		row_of(i, row);
		if (!has_line(golden, row))
			fail_msg("%s: '%s' is not in it: changed, or new and "
				 "`make golden` not run", GOLDEN, row);
	}
	assert_int_equal(lines, count);	/* one that is gone would be left */
	free(golden);
}

static void test_c01_ids_ascend_below_those_of_others(void **state)
{
	size_t count;
	const struct quantity_info *q = quantity_table(&count);

	(void)state;
	assert_int_equal(count, sizeof(symbols) / sizeof(symbols[0]));
	for (size_t i = 0; i < count; i++) {
		assert_true(q[i].id < QUANTITY_EXTERNAL_FIRST);
		assert_true(i == 0 || q[i].id > q[i - 1].id);
	}
}

static void test_c01_each_row_is_found_by_id_and_name(void **state)
{
	size_t count;
	const struct quantity_info *q = quantity_table(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		assert_ptr_equal(quantity_find(q[i].id), &q[i]);
		assert_ptr_equal(quantity_find_name(q[i].name), &q[i]);
		assert_true(q[i].help[0] != '\0');
		assert_non_null(entity_kind_name(q[i].scope));
	}
	assert_null(quantity_find(0));
	assert_null(quantity_find(QUANTITY_EXTERNAL_FIRST));
	assert_null(quantity_find_name("no_such_thing"));
}

/* Only rows with a new id: one whose id is there is a change, for the test. */
static void test_c01_an_index_has_words(void **state)
{
	static const struct {
		enum quantity q;
		unsigned index;
		const char *words;
	} cases[] = {
		{ Q_FEC_CODEWORD_ERRORS, 3, "[3]" },
		{ Q_IF_IN_OCTETS, 0, "" },
		{ Q_LANE_LOOPBACK, 3, "host input" },
		{ Q_MODULE_RX_POWER_THRESHOLD_PW, 0, "high alarm" },
		{ Q_MODULE_RX_POWER_THRESHOLD_PW, 3, "low warning" },
		{ Q_MODULE_RX_POWER_THRESHOLD_PW, 4, "[4]" },
	};
	char words[48];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		quantity_index_words(quantity_find((uint16_t)cases[i].q),
				     cases[i].index, words, sizeof(words));
		assert_string_equal(words, cases[i].words);
	}
	assert_true(quantity_is_indexed(
		quantity_find(Q_FEC_CODEWORD_ERRORS)));
	assert_false(quantity_is_indexed(quantity_find(Q_IF_IN_OCTETS)));
}

static int golden_append(const char *path)
{
	char *golden = file_read(path), row[ROW_MAX];
	FILE *file = fopen(path, "a");
	size_t count;

	if (!file) {
		perror(path);
		return 1;
	}
	(void)quantity_table(&count);
	for (size_t i = 0; i < count; i++) {
		row_of(i, row);
		if (!has_id(golden, row))
			fprintf(file, "%s\n", row);
	}
	free(golden);
	return fclose(file) != 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c01_no_row_was_changed_or_taken_away),
		cmocka_unit_test(test_c01_ids_ascend_below_those_of_others),
		cmocka_unit_test(test_c01_each_row_is_found_by_id_and_name),
		cmocka_unit_test(test_c01_an_index_has_words),
	};

	if (argc == 3 && strcmp(argv[1], "--golden") == 0)
		return golden_append(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
