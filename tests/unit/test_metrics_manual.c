/* The tables of petrel-metrics(7) are the program's; and no two metrics are one
 * family.
 *
 * test_metrics_manual --print own|quantities prints what belongs between the
 * marks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/metric.h"
#include "agent/query/verbs.h"
#include "tests/support/manual_page.h"

#define PAGE "packaging/man/petrel-metrics.7"

/* The columns of a table that are labels. */
static void labels_print(FILE *out, const struct answer_column *c)
{
	const char *gap = "Labels: ";

	for (; c->key; c++) {
		if (c->unit != CELL_TEXT)
			continue;
		fprintf(out, "%s%s", gap, c->key);
		gap = ",\n";
	}
	if (*gap == ',')
		fprintf(out, ".\n");
}

static void own_print(FILE *out)
{
	fprintf(out, ".Bl -tag -width Ds\n");
	for (size_t i = 0; i < METRICS_OWN_COUNT; i++)
		for (const struct answer_column *c = metrics_own[i]->columns;
		     c->key; c++) {
			if (c->unit == CELL_TEXT)
				continue;
			fprintf(out, ".It Ic " METRIC_PREFIX "%s\n%s.\n",
				c->key, c->heading);
			labels_print(out, metrics_own[i]->columns);
		}
	fprintf(out, ".El\n");
}

static void quantities_print(FILE *out)
{
	size_t n;
	const struct quantity_info *q = quantity_table(&n);

	fprintf(out, ".Bl -column \"petrel_source_frame_loss_ratio_predicted_"
		"ratio\" \"priority_group\"\n"
		".It Sy Metric Ta Sy Of Ta Sy Profiles\n");
	for (size_t i = 0; i < n; i++) {
		const char *label = metric_label(q[i].scope), *gap = "";
		struct metric m;

		metric_of(&q[i], &m);
		fprintf(out, ".It %s Ta %s Ta ", m.name,
			label ? label : "switch");
		for (int p = 0; p < PROFILE_COUNT; p++) {
			if (!metric_is_shown((enum metric_profile)p, &q[i]))
				continue;
			fprintf(out, "%s%s", gap, metric_profiles[p]);
			gap = " ";
		}
		fprintf(out, "\n");
	}
	fprintf(out, ".El\n");
}

static const struct manual_part parts[] = {
	{ "own", ".\\\" own: begin", ".\\\" own: end", own_print },
	{ "quantities", ".\\\" quantities: begin", ".\\\" quantities: end",
	  quantities_print },
};
#define PARTS (sizeof(parts) / sizeof(parts[0]))

static void test_metrics_are_the_manual_s(void **state)
{
	(void)state;
	manual_parts_agree(PAGE, parts, PARTS);
}

/* A key of Petrel's own that a quantity has would be taken for it. */
static void test_own_metrics_have_names_of_their_own(void **state)
{
	size_t n;
	const struct quantity_info *q = quantity_table(&n);

	(void)state;
	for (size_t i = 0; i < METRICS_OWN_COUNT; i++)
		for (const struct answer_column *c = metrics_own[i]->columns;
		     c->key; c++) {
			char name[METRIC_NAME_MAX];

			assert_null(quantity_find_name(c->key));
			(void)snprintf(name, sizeof(name), METRIC_PREFIX "%s",
				       c->key);
			for (size_t k = 0; k < n; k++) {
				struct metric m;

				metric_of(&q[k], &m);
				assert_string_not_equal(m.name, name);
			}
		}
}

/* promtool finds fault with one that has none. */
static void test_every_metric_has_help(void **state)
{
	(void)state;
	for (size_t i = 0; i < METRICS_OWN_COUNT; i++)
		for (const struct answer_column *c = metrics_own[i]->columns;
		     c->key; c++)
			assert_int_equal(c->heading[0] != '\0',
					 c->unit != CELL_TEXT);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_metrics_are_the_manual_s),
		cmocka_unit_test(test_own_metrics_have_names_of_their_own),
		cmocka_unit_test(test_every_metric_has_help),
	};

	if (argc == 3 && strcmp(argv[1], "--print") == 0) {
		manual_part_print(argv[2], parts, PARTS);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
