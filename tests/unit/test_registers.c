/* The list of registers is whole: each quantity of a module is in it, nothing
 * that SONiC publishes is missing, and the manual prints the same rows.
 *
 * test_registers --print STANDARD prints what belongs between that standard's
 * marks in packaging/man/petrel-registers.7.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <stdio.h>

#include "platform/module/registers.h"
#include "platform/module/register_tables.h"
#include "platform/module/vdm_type.h"
#include "tests/support/manual_page.h"
#include "tests/support/register_manual.h"

#define PAGE_FILE "packaging/man/petrel-registers.7"
#define XCVRD_FILE "tests/data/xcvrd.fields"

static const char *const standards[] = { "CMIS", "SFF-8636", "SFF-8472" };

#define NAMES_MAX 2048

/* What a register is listed for. */
struct names {
	size_t count;
	const char *name[NAMES_MAX];
};

static void row_take(void *context, const struct register_row *row)
{
	struct names *n = context;

	assert_true(n->count < NAMES_MAX);
	n->name[n->count++] = row->name;
}

static void names_take(struct names *ret)
{
	ret->count = 0;
	registers_list(row_take, ret);
}

static bool is_listed(const struct names *n, const char *name)
{
	for (size_t i = 0; i < n->count; i++)
		if (strcmp(n->name[i], name) == 0)
			return true;
	return false;
}

static void row_check(void *context, const struct register_row *row)
{
	++*(unsigned *)context;
	assert_string_not_equal(row->name, "?");
	assert_true(row->page[0] && row->byte[0] && row->type[0] &&
		    row->scale[0] && row->unit[0]);
	/* either a clause was read, or it says so and where it is from */
	assert_non_null(row->clause);
	if (strncmp(row->clause, "unread", 6) == 0)
		assert_true(strlen(row->clause) > strlen("unread; "));
}

static void test_each_register_says_all_about_itself(void **state)
{
	unsigned rows = 0;

	(void)state;
	registers_list(row_check, &rows);
	assert_true(rows > 400);
}

/* Quantities of modules and lanes that no register has: counters and times that
 * xcvrd keeps, what it says of itself, and what all of them together tell. An
 * external laser source is a module of its own: its registers are those of one.
 */
static bool is_of_sonic_only(const struct quantity_info *q)
{
	return strstr(q->name, "_changes") || strstr(q->name, "_xcvr_") ||
	       strstr(q->name, "_time_ms") ||
	       strstr(q->name, "_reading_faults") ||
	       strncmp(q->name, "module_els_", 11) == 0 ||
	       q->id == Q_MODULE_PRESENT;
}

static void test_each_quantity_of_a_module_has_a_register(void **state)
{
	size_t count;
	const struct quantity_info *q = quantity_table(&count);
	unsigned checked = 0;
	struct names listed;

	(void)state;
	names_take(&listed);
	for (size_t i = 0; i < count; i++) {
		if (q[i].id < 0x0600 || q[i].id >= 0x0f00 ||
		    (q[i].id >= 0x0800 && q[i].id < 0x0900) ||
		    is_of_sonic_only(&q[i]))
			continue;
		if (!is_listed(&listed, q[i].name))
			fail_msg("%s is in no register table", q[i].name);
		checked++;
	}
	assert_true(checked > 250);
}

static void test_vdm_types_name_their_quantities(void **state)
{
	size_t count;
	const struct vdm_type *t = vdm_types(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		if (!t[i].type)
			continue;
		assert_int_equal(t[i].type, i);
		assert_non_null(quantity_find(t[i].value));
		assert_non_null(quantity_find(t[i].threshold));
		assert_non_null(quantity_find(t[i].flag));
		assert_int_equal(quantity_find(t[i].threshold)->unit,
				 quantity_find(t[i].value)->unit);
	}
}

/* A row fits its page, and its lanes and indices stay within. */
static void test_rows_lie_within_their_pages(void **state)
{
	static const struct module_tables *const all[] = {
		&cmis_tables, &sff8636_tables, &sff8472_tables,
	};

	(void)state;
	for (size_t i = 0; i < TABLE_COUNT(all); i++) {
		for (size_t k = 0; k < all[i]->text_count; k++) {
			const struct text_field *t = &all[i]->texts[k];
			unsigned first = place_page(t->place) == MODULE_LOWER ?
					 0 : 128;

			assert_in_range(t->byte, first, first + 127);
			assert_true(t->byte + t->len <= first + 128u);
		}
		for (size_t k = 0; k < all[i]->field_count; k++) {
			const struct register_field *f = &all[i]->fields[k];
			unsigned first = place_page(f->place) == MODULE_LOWER ?
					 0 : 128;

			assert_in_range(f->byte, first, first + 127);
			assert_non_null(quantity_find(f->quantity));
		}
	}
}

/* A line of the file: table, field, names. */
static unsigned line_check(const struct names *listed, char *line)
{
	char *save = NULL, *table = strtok_r(line, " \n", &save);
	char *field = strtok_r(NULL, " \n", &save), *name;
	unsigned names = 0;

	assert_non_null(table);
	assert_non_null(field);
	while ((name = strtok_r(NULL, " \n", &save))) {
		names++;
		if (strcmp(name, "-") != 0 && !is_listed(listed, name))
			fail_msg("%s %s: no register for %s", table, field,
				 name);
	}
	assert_true(names > 0);
	return 1;
}

static void test_nothing_that_xcvrd_publishes_is_missing(void **state)
{
	FILE *f = fopen(XCVRD_FILE, "re");
	char line[256];
	unsigned fields = 0;
	struct names listed;

	(void)state;
	names_take(&listed);
	if (!f) {
		print_message("SKIP no " XCVRD_FILE " below this folder\n");
		skip();
	}
	while (fgets(line, sizeof(line), f)) {
		if (line[0] != '#')
			fields += line_check(&listed, line);
	}
	(void)fclose(f);
	assert_true(fields > 200);
}

static void manual_check(const char *page, const char *standard)
{
	char mark[64], *made = NULL;
	size_t len;
	FILE *f = open_memstream(&made, &len);

	assert_non_null(f);
	register_manual(f, standard);
	(void)fclose(f);
	(void)snprintf(mark, sizeof(mark), ".\\\" registers %s: begin",
		       standard);
	manual_page_has(page, mark, ".\\\" registers: end", made);
	free(made);
}

static void test_manual_has_the_registers(void **state)
{
	char *page = manual_page(PAGE_FILE);

	(void)state;
	for (size_t i = 0; i < TABLE_COUNT(standards); i++)
		manual_check(page, standards[i]);
	free(page);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_register_says_all_about_itself),
		cmocka_unit_test(test_each_quantity_of_a_module_has_a_register),
		cmocka_unit_test(test_vdm_types_name_their_quantities),
		cmocka_unit_test(test_rows_lie_within_their_pages),
		cmocka_unit_test(test_nothing_that_xcvrd_publishes_is_missing),
		cmocka_unit_test(test_manual_has_the_registers),
	};

	if (argc > 2 && strcmp(argv[1], "--print") == 0) {
		register_manual(stdout, argv[2]);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
