/* The plant's closed forms: eyes, codewords, draws, registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "platform/sim/draw.h"
#include "platform/sim/codewords.h"
#include "tests/support/measure.h"
#include "platform/sim/thermal.h"
#include "platform/sim/values.h"

static void assert_near(double got, double want, double relative)
{
	if (!(fabs(got - want) <= relative * fabs(want)))
		fail_msg("%.6g, expected %.6g within %g", got, want, relative);
}

/* Known Q of PAM4: 3/8 erfc(Q/sqrt 2). */
static void test_eye_has_the_known_q_of_four_levels(void **state)
{
	static const struct { double ber, q; } known[] = {
		{ 1e-9, 5.95 }, { 1e-8, 5.56 }, { 1e-7, 5.15 }, { 1e-6, 4.70 },
		{ 1e-5, 4.20 }, { 1e-4, 3.65 }, { 2.4e-4, 3.41 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_near(eye_q(true, known[i].ber), known[i].q, 0.003);
		assert_near(eye_ber(true, eye_q(true, known[i].ber)),
			    known[i].ber, 1e-9);
	}
}

static void test_eye_of_two_levels_is_the_normal_tail(void **state)
{
	(void)state;
	assert_near(eye_ber(false, 0), 0.5, 1e-12);
	assert_near(eye_ber(false, 6), 9.866e-10, 1e-3);
	assert_near(eye_snr_db(true, 4.7) - eye_snr_db(false, 4.7),
		    6.9897, 1e-4);
}

/* Chance of an uncorrectable codeword, computed elsewhere. */
static void test_codewords_fail_at_the_known_rate(void **state)
{
	static const struct { const char *code; double ber, cer; } known[] = {
		{ "rs544", 1e-6, 2.2e-50 }, { "rs544", 1e-5, 2.1e-34 },
		{ "rs544", 5e-5, 2.7e-23 }, { "rs544", 1e-4, 1.4e-18 },
		{ "rs544", 2.4e-4, 8.2e-13 }, { "rs544", 1e-3, 1.5e-4 },
		{ "rs528", 1e-6, 1.4e-23 }, { "rs528", 5e-5, 4.4e-10 },
		{ "rs528", 1e-3, 0.16 },
	};
	double chance[PLANT_FEC_BINS];

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_near(code_distribution(code_find(known[i].code),
					      code_symbol_error(known[i].ber),
					      chance), known[i].cer, 0.04);
}

static void test_codeword_chances_add_up_to_one(void **state)
{
	static const double bers[] = { 1e-12, 1e-6, 1e-3, 1e-2, 0.1, 0.3 };
	double chance[PLANT_FEC_BINS];

	(void)state;
	for (size_t i = 0; i < sizeof(bers) / sizeof(bers[0]); i++) {
		const struct code *c = code_find("rs544");
		double sum = code_distribution(c, code_symbol_error(bers[i]),
					       chance);

		for (unsigned k = 0; k <= c->corrects; k++)
			sum += chance[k];
		assert_near(sum, 1, 1e-9);
	}
}

static void test_code_rate_is_the_lines(void **state)
{
	(void)state;
	assert_near(code_rate(code_find("rs544"), 400000000000), 7.8125e7,
		    1e-4);
	assert_near(code_rate(code_find("rs528"), 100000000000), 1.953e7,
		    1e-3);
	assert_null(code_find("none"));
	assert_null(code_find("fc"));
}

/* What is drawn must agree with what was expected, in the mean of many. */
static void test_codewords_drawn_follow_their_chances(void **state)
{
	const struct code *c = code_find("rs544");
	struct errors e = { .ber = 2e-4, .dt_s = 1 };
	double chance[PLANT_FEC_BINS], sum[PLANT_FEC_BINS] = { 0 };
	double n = code_rate(c, 400000000000), bits = 0;
	struct codewords w;
	struct draw d;

	(void)state;
	draw_init(&d, 99);
	code_distribution(c, code_symbol_error(e.ber), chance);
	for (int i = 0; i < 200; i++) {
		codewords_draw(c, 400000000000, &e, &d, &w);
		for (unsigned k = 0; k < c->bins; k++)
			sum[k] += (double)w.bin[k];
		bits += (double)w.bits;
	}
	for (unsigned k = 0; k <= 8; k++)
		assert_near(sum[k] / 200, n * chance[k],
			    5 / sqrt(200 * n * chance[k]) + 1e-9);
	/* Nothing is uncorrectable yet, so all wrong bits are counted. */
	assert_near(bits / 200, n * 5440 * e.ber, 1e-3);
}

static void test_bursts_leave_a_geometric_tail(void **state)
{
	const struct code *c = code_find("rs544");
	struct errors e = { .ber = 1e-9, .dt_s = 1000, .burst_rate_hz = 50,
			    .burst_tail = 0.75 };
	struct codewords w;
	struct draw d;

	(void)state;
	draw_init(&d, 5);
	codewords_draw(c, 400000000000, &e, &d, &w);
	for (unsigned k = 3; k <= 15; k++) {
		double n = 50000 * 0.25 * pow(0.75, k - 1);

		assert_near((double)w.bin[k], n, 5 / sqrt(n));
	}
	assert_near((double)w.uncorrectable, 50000 * pow(0.75, 15), 0.15);
}

static void test_drop_needs_three_lost_codewords_in_a_row(void **state)
{
	const struct code *c = code_find("rs544");

	(void)state;
	/* 7.8e7 a second, each lost with 1.5e-4, three of them in a row. */
	assert_near(code_drop_chance(c, 400000000000, 1e-3, 1), 2.8e-4, 0.15);
	assert_near(code_drop_chance(c, 400000000000, 1e-2, 1), 1, 1e-6);
	assert_true(code_drop_chance(c, 400000000000, 2e-4, 86400) < 1e-20);
}

static void poisson_check(double mean, unsigned n)
{
	double sum = 0, squares = 0;
	struct draw d;

	draw_init(&d, draw_key(7, (uint64_t)(mean * 1000), 0, 0));
	for (unsigned i = 0; i < n; i++) {
		double x = (double)draw_poisson(&d, mean);

		sum += x;
		squares += x * x;
	}
	/* Five deviations of the estimates. */
	assert_near(sum / n, mean, 5 / sqrt(n * mean));
	assert_near(squares / n - sum * sum / n / n, mean,
		    5 * sqrt((2 + 1 / mean) / n));
}

static void test_poisson_has_its_mean_and_variance(void **state)
{
	static const double means[] = { 0.01, 0.7, 5, 29, 31, 400, 1e6 };

	(void)state;
	for (size_t i = 0; i < sizeof(means) / sizeof(means[0]); i++)
		poisson_check(means[i], 20000);
}

static void test_draws_repeat_and_keys_differ(void **state)
{
	struct draw a, b, c;

	(void)state;
	draw_init(&a, draw_key(1, 2, 3, 4));
	draw_init(&b, draw_key(1, 2, 3, 4));
	draw_init(&c, draw_key(1, 2, 4, 3));
	for (int i = 0; i < 100; i++) {
		uint64_t x = draw_u64(&a);

		assert_true(x == draw_u64(&b));
		assert_true(x != draw_u64(&c));
	}
}

static void test_wander_is_smooth_and_of_deviation_one(void **state)
{
	double squares = 0, widest = 0, step = 0, last = key_wander(3, 0);

	(void)state;
	for (int i = 1; i <= 40000; i++) {
		/* Many keys, far apart in time. */
		double x = key_wander((uint64_t)i, i * 977.0);
		double next = key_wander(3, i);

		squares += x * x;
		widest = fmax(widest, fabs(x));
		step = fmax(step, fabs(next - last));
		last = next;
	}
	assert_near(sqrt(squares / 40000), 1, 0.1);
	assert_true(widest < 5);
	assert_true(step < 0.3);	/* from one second to the next */
}

static void test_module_warms_up_with_its_delay(void **state)
{
	struct warmth w;
	double cold;

	(void)state;
	warmth_draw(&w, 0, 1);
	cold = warmth_k(&w);
	for (int s = 0; s < (int)(w.delay_s + 0.5); s++)
		warmth_step(&w, 1, 1);
	assert_near(warmth_k(&w) - cold, w.load_k * (1 - exp(-1)), 0.02);
	/* One long step does as much as many short ones. */
	warmth_draw(&w, 0, 1);
	warmth_step(&w, 1, w.delay_s);
	assert_near(warmth_k(&w) - cold, w.load_k * (1 - exp(-1)), 1e-9);
}

static void test_registers_have_their_steps(void **state)
{
	(void)state;
	assert_int_equal(measure_temp_mc(45.001), 45000);
	assert_int_equal(measure_temp_mc(-1.0 / 256), -4);
	assert_int_equal(measure_vcc_uv(3.30004), 3300000);
	assert_int_equal(measure_light_pw(1.00004), 1000000000);
	assert_int_equal(measure_light_pw(0), 0);
	assert_int_equal(measure_light_pw(99), INT64_C(6553400000));
	assert_int_equal(measure_light_dbm_pw(0), 1000000000);
	assert_int_equal(measure_bias_ua(65.0011), 65002);
}

static void test_hung_bus_reads_all_ones(void **state)
{
	struct plant_port p = { .dom_readable = false };
	struct measure m;

	(void)state;
	measure_module(&p, 4, &m);
	assert_true(m.garbage);
	assert_int_equal(m.temp_mc, -4);
	assert_int_equal(m.vcc_uv, 6553500);
	assert_int_equal(m.lane[3].rx_pw, INT64_C(6553500000));
	assert_int_equal(m.lane[3].bias_ua, 131070);
}

static void test_ber_register_keeps_three_digits(void **state)
{
	struct plant_port p = { .dom_readable = true };
	struct measure m;

	(void)state;
	p.lane[0].pre_fec_ber = 1.23456e-7;
	p.lane[1].pre_fec_ber = 0;
	p.lane[0].snr_db = p.lane[1].snr_db = 20;
	measure_module(&p, 2, &m);
	assert_near((double)m.lane[0].ber_e18, 1.23456e11, 1.0 / 1024);
	assert_int_equal(m.lane[1].ber_e18, 0);
	assert_int_equal(m.lane[0].snr_mdb, 20000);
}

static void test_values_need_their_units(void **state)
{
	double v;

	(void)state;
	assert_int_equal(value_parse("k", VALUE_SHARE, "12.5%", 0, 1, &v,
				     NULL), 0);
	assert_near(v, 0.125, 1e-12);
	assert_int_equal(value_parse("k", VALUE_DURATION, "90m", 0, 1e6, &v,
				     NULL), 0);
	assert_near(v, 5400, 1e-12);
	assert_int_equal(value_parse("k", VALUE_BER, "2.4e-4", 0, 1, &v, NULL),
			 0);
	assert_near(v, 2.4e-4, 1e-12);
	assert_true(value_parse("k", VALUE_SHARE, "12.5", 0, 1, &v, NULL) < 0);
	assert_true(value_parse("k", VALUE_SHARE, "%", 0, 1, &v, NULL) < 0);
	assert_true(value_parse("k", VALUE_COUNT, "1.5", 0, 9, &v, NULL) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_eye_has_the_known_q_of_four_levels),
		cmocka_unit_test(test_eye_of_two_levels_is_the_normal_tail),
		cmocka_unit_test(test_codewords_fail_at_the_known_rate),
		cmocka_unit_test(test_codeword_chances_add_up_to_one),
		cmocka_unit_test(test_code_rate_is_the_lines),
		cmocka_unit_test(test_codewords_drawn_follow_their_chances),
		cmocka_unit_test(test_bursts_leave_a_geometric_tail),
		cmocka_unit_test(test_drop_needs_three_lost_codewords_in_a_row),
		cmocka_unit_test(test_poisson_has_its_mean_and_variance),
		cmocka_unit_test(test_draws_repeat_and_keys_differ),
		cmocka_unit_test(test_wander_is_smooth_and_of_deviation_one),
		cmocka_unit_test(test_module_warms_up_with_its_delay),
		cmocka_unit_test(test_registers_have_their_steps),
		cmocka_unit_test(test_hung_bus_reads_all_ones),
		cmocka_unit_test(test_ber_register_keeps_three_digits),
		cmocka_unit_test(test_values_need_their_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
