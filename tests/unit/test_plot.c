/* Pictures of fixed data, as tests/data/plot.golden has them: looked at, at the
 * smallest and the largest size. `test_plot --print` prints them anew.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/ctl/plot.h"
#include "petrel/clock.h"

#define GOLDEN "tests/data/plot.golden"
#define POINTS 900
#define BEGAN_NS (INT64_C(1763866800) * NS_PER_S)	/* 03:00:00 UTC */

static struct chart_point points[8][POINTS];

static void point_set(struct chart_point *p, size_t i, int64_t span_s,
		      double value, double half)
{
	*p = (struct chart_point){ BEGAN_NS + (int64_t)i * span_s * NS_PER_S,
				  span_s * NS_PER_S, value, value - half,
				  value + half };
}

/* Errors that step up after ten minutes, with a clean time before; a gap of
 * two minutes; zeros.
 */
static void ber_plot(const struct screen *s, unsigned rows)
{
	static const struct chart_rule cliff = { "cliff 2.4e-04", TINT_CRITICAL,
						2.4e-4 };
	static const struct chart_moment onset = {
		"4jmq", TINT_WARN, BEGAN_NS + 600 * NS_PER_S };
	struct chart_curve curve = { "", points[0], 0 };
	struct chart p = { .title = "bit error ratio before FEC",
			  .is_log = true, .from_ns = BEGAN_NS,
			  .to_ns = BEGAN_NS + POINTS * NS_PER_S,
			  .has_time_axis = true, .curves = &curve,
			  .rules = &cliff, .moments = &onset,
			  .curve_count = 1, .rule_count = 1,
			  .moment_count = 1 };

	for (size_t i = 0; i < POINTS; i++)
		if (i < 300 || i > 420)
			point_set(&points[0][curve.count++], i, 1,
				  i >= 100 && i < 110 ? 0 :
				  (i < 600 ? 2e-6 : 1.6e-4) *
					  (1 + 0.3 * sin((double)i / 7)), 0);
	assert_int_equal(plot_print(&p, s, rows), 0);
}

/* Four lanes, one of which loses light; a threshold in reach and one not. */
static void light_plot(const struct screen *s, unsigned rows)
{
	static const struct chart_rule rules[] = {
		{ "low warning -4.0", TINT_WARN, -4 },
		{ "low alarm -12.0", TINT_CRITICAL, -12 },
	};
	struct chart_curve curves[4];
	struct chart p = { .title = "light received, dBm, by lane",
			  .has_sides = true, .least_span = 2,
			  .from_ns = BEGAN_NS,
			  .to_ns = BEGAN_NS + 900 * NS_PER_S,
			  .curves = curves, .rules = rules, .curve_count = 4,
			  .rule_count = 2 };

	for (unsigned c = 0; c < 4; c++) {
		curves[c] = (struct chart_curve){ "", points[c], 15 };
		(void)snprintf(curves[c].label, sizeof(curves[c].label), "%u",
			       c + 1);
		for (size_t i = 0; i < 15; i++)
			point_set(&points[c][i], i, 60, c == 2 ?
				  -1.0 - (double)i / 6 : -0.4 * c, 0);
	}
	assert_int_equal(plot_print(&p, s, rows), 0);
}

/* A day in minutes, with what was seen in each. */
static void load_plot(const struct screen *s, unsigned rows)
{
	struct chart_curve curve = { "", points[0], 96 };
	struct chart p = { .title = "load in, bit/s", .is_from_zero = true,
			  .least_span = 1e9, .from_ns = BEGAN_NS,
			  .to_ns = BEGAN_NS + 86400 * NS_PER_S,
			  .has_time_axis = true, .curves = &curve,
			  .curve_count = 1 };

	for (size_t i = 0; i < 96; i++) {
		double v = 2e11 + 1.5e11 * sin((double)i / 12);

		point_set(&points[0][i], i, 900, v, 3e10);
	}
	assert_int_equal(plot_print(&p, s, rows), 0);
}

/* Nothing but one value, and then not even that. */
static void scant_plot(const struct screen *s, unsigned rows)
{
	struct chart_curve curve = { "", points[0], 1 };
	struct chart p = { .title = "temperature, °C", .least_span = 5,
			  .from_ns = BEGAN_NS, .to_ns = BEGAN_NS + NS_PER_S,
			  .has_time_axis = true, .curves = &curve,
			  .curve_count = 1 };

	point_set(&points[0][0], 0, 1, 41.5, 0);
	assert_int_equal(plot_print(&p, s, rows), 0);
	curve.count = 0;
	assert_int_equal(plot_print(&p, s, rows), 0);
}

static void sparks(const struct screen *s, unsigned rows)
{
	double values[100];
	char text[PLOT_SPARK_MAX];

	for (size_t i = 0; i < 100; i++)
		values[i] = i < 40 || i > 60 ? 40 + (double)i / 8 : NAN;
	plot_spark(s, values, 100, 5, text);
	(void)fprintf(s->out, "[%s]\n", text);
	plot_spark(s, values, 100, 100, text);
	(void)fprintf(s->out, "[%s]\n", text);
	plot_spark(s, values, rows ? 3 : 0, 5, text);
	(void)fprintf(s->out, "[%s]\n", text);
}

static void all_print(FILE *out)
{
	static const struct {
		const char *name;
		void (*draw)(const struct screen *s, unsigned rows);
	} pictures[] = { { "ber", ber_plot },	{ "light", light_plot },
			 { "load", load_plot }, { "scant", scant_plot },
			 { "sparks", sparks } };
	static const struct {
		unsigned width, rows;
		bool is_plain, colour;
	} screens[] = { { 40, 9, false, false }, { 40, 9, true, false },
			{ 80, 12, false, false }, { 80, 12, true, false },
			{ 80, 6, false, true },   { 200, 30, false, false } };

	for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++)
		for (size_t p = 0; p < sizeof(pictures) / sizeof(pictures[0]);
		     p++) {
			struct screen s = { .out = out,
					    .width = screens[i].width,
					    .is_plain = screens[i].is_plain,
					    .colour = screens[i].colour };

			(void)fprintf(out, "--- %s %ux%u%s%s\n",
				      pictures[p].name, s.width,
				      screens[i].rows,
				      s.is_plain ? " plain" : "",
				      s.colour ? " colour" : "");
			pictures[p].draw(&s, screens[i].rows);
		}
}

static void test_pictures_are_as_they_were_looked_at(void **state)
{
	FILE *golden = fopen(GOLDEN, "r"), *out;
	char *text = NULL, *line = NULL, *at;
	size_t len, cap = 0;

	(void)state;
	assert_non_null(golden);
	out = open_memstream(&text, &len);
	all_print(out);
	(void)fclose(out);
	at = text;
	while (getline(&line, &cap, golden) > 0) {
		if (strncmp(at, line, strlen(line)) != 0)
			print_error("expected: %s", line);
		assert_memory_equal(at, line, strlen(line));
		at += strlen(line);
	}
	assert_string_equal(at, "");
	free(line);
	free(text);
	(void)fclose(golden);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pictures_are_as_they_were_looked_at),
	};

	(void)setenv("TZ", "UTC", 1);
	if (argc == 2 && strcmp(argv[1], "--print") == 0) {
		all_print(stdout);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
