/* A page's texts: whatever they are, none of it is markup. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/ctl/chart.h"
#include "agent/ctl/html.h"
#include "agent/ctl/redact.h"
#include "agent/ctl/svg.h"
#include "agent/query/answer.h"
#include "petrel/clock.h"

/* What a page has of it; freed by the caller. */
static char *text_of(struct redact *redact, const char *text)
{
	char *ret = NULL;
	size_t len;
	struct html page = { open_memstream(&ret, &len), redact };

	assert_non_null(page.out);
	html_text(&page, text);
	assert_int_equal(fclose(page.out), 0);
	return ret;
}

static void test_hostile_texts_are_no_markup(void **state)
{
	static const struct {
		const char *text, *told;
	} cases[] = {
		{ "<script>alert(1)</script>",
		  "&lt;script&gt;alert(1)&lt;/script&gt;" },
		{ "\" onload='x' &amp;",
		  "&quot; onload=&#39;x&#39; &amp;amp;" },
		{ "a\001b\033[1mc\177d", "a?b?[1mc?d" },
		{ "a\nb\tc", "a b c" },
		{ "\xff\xc0\xaf\xe2\x82" "x", "?????x" },
		{ "\xe2\x80\xae" "evil", "?evil" },
		{ "5 \xc2\xb0" "C", "5 \xc2\xb0" "C" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *told = text_of(NULL, cases[i].text);

		assert_string_equal(told, cases[i].told);
		free(told);
	}
}

static void test_names_are_replaced_before_they_are_escaped(void **state)
{
	struct redact *r;
	char *told;

	(void)state;
	assert_int_equal(redact_new(true, &r), 0);
	redact_name(r, "leaf<1>&\"co\"");
	told = text_of(r, "at leaf<1>&\"co\" and 192.0.2.7 <b>");
	assert_string_equal(told, "at host-1 and address-1 &lt;b&gt;");
	free(told);
	redact_free(r);
}

static const struct answer_shape hostile = { "hostile", .columns = {
	{ "name", "NAME", CELL_TEXT },
	{ "power", "dBm", CELL_PW },
	{ "<key>", "", CELL_TEXT },
	{ .key = NULL },
} };

/* In content and in attributes; rows for JSON alone are not there. */
static void test_tables_are_escaped(void **state)
{
	char *ret = NULL;
	size_t len;
	struct html page = { open_memstream(&ret, &len), NULL };
	struct answer *a;

	(void)state;
	assert_int_equal(answer_new(65536, &a), 0);
	answer_table(a, &hostile);
	for (unsigned i = 0; i < 2; i++) {
		answer_row(a);
		answer_text(a, i ? "unseen" : "<td>\">");
		answer_integer(a, INT64_C(1000000000));
		answer_text(a, "<i>");
		if (i)
			answer_row_json_only(a);
	}
	answer_note(a, "</p><script>");
	html_table(&page, answer_message(a)->tables[0], false);
	assert_int_equal(fflush(page.out), 0);
	assert_null(strstr(ret, "unseen"));
	answer_message(a)->tables[0]->rows = 1;
	html_table(&page, answer_message(a)->tables[0], true);
	assert_int_equal(fclose(page.out), 0);
	assert_null(strstr(ret, "<script"));
	assert_null(strstr(ret, "<i>"));
	assert_null(strstr(ret, "<key>"));
	assert_null(strstr(ret, "<td>\">"));
	assert_non_null(strstr(ret, "<td data-of=\"NAME\">&lt;td&gt;&quot;&gt;"
			       "</td><td class=\"right\" data-of=\"dBm\">"
			       "0.0</td></tr>\n</tbody>"));
	assert_non_null(strstr(ret, "<dt>&lt;key&gt;</dt>\n<dd>&lt;i&gt;"
			       "</dd>"));
	answer_free(a);
	free(ret);
}

#define POINTS 5

/* What stays at one height is one stroke; a gap and a lone point are seen. */
static void test_curve_is_drawn_as_it_is(void **state)
{
	static const struct chart_rule rule = { "<low>", TINT_WARN, 1 };
	static const struct chart_moment moment = { "\"onset\"", TINT_CRITICAL,
						    20 * NS_PER_S };
	static const int64_t at_s[POINTS] = { 0, 10, 20, 30, 100 };
	struct chart_point points[POINTS];
	struct chart_curve curve = { "", points, POINTS };
	struct chart chart = { .title = "a < b", .least_span = 1,
			       .to_ns = 100 * NS_PER_S, .curves = &curve,
			       .rules = &rule, .moments = &moment,
			       .curve_count = 1, .rule_count = 1,
			       .moment_count = 1 };
	char *ret = NULL;
	size_t len;
	struct html page = { open_memstream(&ret, &len), NULL };

	(void)state;
	for (unsigned i = 0; i < POINTS; i++)
		points[i] = (struct chart_point){ at_s[i] * NS_PER_S,
						  10 * NS_PER_S, 2, 2, 2 };
	points[3].value = points[3].low = points[3].high = 3;
	svg_plot(&page, &chart);
	assert_int_equal(fclose(page.out), 0);
	assert_non_null(strstr(ret, "d=\"M0 500h0H200L300 45M1000 500h0\""));
	assert_non_null(strstr(ret, "&lt;low&gt;"));
	assert_non_null(strstr(ret, "&quot;onset&quot;"));
	assert_non_null(strstr(ret, "x1=\"20.00%\""));
	assert_non_null(strstr(ret, "aria-label=\"a &lt; b\""));
	free(ret);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile_texts_are_no_markup),
		cmocka_unit_test(
			test_names_are_replaced_before_they_are_escaped),
		cmocka_unit_test(test_tables_are_escaped),
		cmocka_unit_test(test_curve_is_drawn_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
