#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/signature/fec.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void assert_near(double found, double right, double tolerance)
{
	if (fabs(found - right) > tolerance)
		fail_msg("%.6g is not %.6g within %.2g", found, right,
			 tolerance);
}

static void test_fec_q_agrees_with_erfc(void **state)
{
	(void)state;
	for (double q = 2; q < 8.7; q += 0.037) {
		double y = log10(0.375 * erfc(q / sqrt(2)));
		double nrz = log10(0.5 * erfc(q / sqrt(2)));

		assert_near(fec_q(y, true), q, 0.003);
		assert_near(fec_q(nrz, false), q, 0.003);
		assert_near(fec_log_ber_of_q(q, true), y, 0.02);
	}
}

static void test_fec_q_known_points(void **state)
{
	static const struct {
		double log_ber, q;
	} row[] = { { -9, 5.95 }, { -8, 5.56 }, { -7, 5.15 }, { -6, 4.70 },
		    { -5, 4.20 }, { -4, 3.65 } };

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++)
		assert_near(fec_q(row[i].log_ber, true), row[i].q, 0.006);
}

static void test_fec_q_is_clamped_outside_its_table(void **state)
{
	(void)state;
	assert_near(fec_q(-40, true), fec_q(-18, true), 1e-6);
	assert_near(fec_q(0, true), fec_q(-1, true), 1e-6);
	assert_near(fec_q((double)NAN, true), fec_q(-18, true), 1e-6);
	assert_near(fec_log_ber_of_q(99, true), -18, 1e-9);
	assert_near(fec_log_ber_of_q(0, true), -1, 1e-9);
}

/* The table of the binomial's tail: BER, RS(544,514), RS(528,514). */
static void test_fec_codeword_loss_is_the_binomial_tail(void **state)
{
	static const struct {
		double ber, kp4, kr4;
	} row[] = {
		{ 1e-6, 2.2e-50, 1.4e-23 }, { 1e-5, 2.1e-34, 1.4e-15 },
		{ 5e-5, 2.7e-23, 4.4e-10 }, { 1e-4, 1.4e-18, 8.9e-8 },
		{ 2.4e-4, 8.2e-13, 5.2e-5 }, { 1e-3, 1.5e-4, 0.16 },
	};
	const struct fec_code *kp4 = fec_code_find(FEC_RS544);
	const struct fec_code *kr4 = fec_code_find(FEC_RS528);

	(void)state;
	for (size_t i = 0; i < COUNT(row); i++) {
		assert_near(fec_codeword_loss(row[i].ber, kp4) / row[i].kp4,
			    1, 0.08);
		assert_near(fec_codeword_loss(row[i].ber, kr4) / row[i].kr4,
			    1, 0.08);
	}
	assert_true(fec_codeword_loss(0, kp4) == 0);
}

/* The values of IEEE 802.3 at BER 2.4e-4. */
static void test_fec_frame_loss_is_the_standards(void **state)
{
	const struct fec_code *kp4 = fec_code_find(FEC_RS544);
	double codewords = fec_codeword_loss(2.4e-4, kp4);

	(void)state;
	assert_near(codewords * fec_frames_of_codeword(1) / 9.2e-13, 1, 0.01);
	assert_near(codewords * fec_frames_of_codeword(2) / 1.73e-12, 1,
		    0.005);
	assert_int_equal(fec_interleave(100000), 1);
	assert_int_equal(fec_interleave(400000), 2);
	assert_int_equal(fec_interleave(1600000), 4);
}

static void test_fec_margin_from_ber_to_cliff(void **state)
{
	const struct fec_code *kp4 = fec_code_find(FEC_RS544);

	(void)state;
	/* 1.38 dB to 2.4e-4, and a little more to 2.65e-4. */
	assert_near(fec_margin_db(-6, kp4), 1.42, 0.03);
	assert_near(fec_margin_db(-9, kp4), 2.44, 0.04);
	assert_near(fec_margin_db(kp4->cliff_log_ber, kp4), 0, 1e-6);
	assert_true(fec_margin_db(-3, kp4) < 0);
}

static void test_fec_light_lost_moves_the_errors(void **state)
{
	(void)state;
	/* A dB at 1e-7 is 2.7 decades at first, less on the way. */
	assert_near(fec_log_ber_shifted(-7, -0.1, true), -7 + 0.26, 0.02);
	assert_near(fec_log_ber_shifted(-7, 0, true), -7, 1e-3);
}

static void test_fec_exp10_agrees_with_libm(void **state)
{
	(void)state;
	for (double x = -40; x < 40; x += 0.0137)
		assert_near(fec_exp10(x) / pow(10, x), 1, 1e-7);
	assert_true(fec_exp10(-400) == 0);
	assert_true(isfinite(fec_exp10(400)));
}

static void test_fec_modes_without_counts_have_no_code(void **state)
{
	(void)state;
	assert_null(fec_code_find(FEC_NONE));
	assert_null(fec_code_find(FEC_FC));
	assert_null(fec_code_find(FEC_AUTO));
	assert_null(fec_code_of_line("DR4"));
	assert_near((double)fec_code_of_line("ZR")->cliff_log_ber,
		    log10(1.25e-2), 1e-3);
	assert_near((double)fec_code_of_line("ZR400-OFEC-16QAM")->cliff_log_ber,
		    log10(2.0e-2), 1e-3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fec_q_agrees_with_erfc),
		cmocka_unit_test(test_fec_q_known_points),
		cmocka_unit_test(test_fec_q_is_clamped_outside_its_table),
		cmocka_unit_test(test_fec_codeword_loss_is_the_binomial_tail),
		cmocka_unit_test(test_fec_frame_loss_is_the_standards),
		cmocka_unit_test(test_fec_margin_from_ber_to_cliff),
		cmocka_unit_test(test_fec_light_lost_moves_the_errors),
		cmocka_unit_test(test_fec_exp10_agrees_with_libm),
		cmocka_unit_test(test_fec_modes_without_counts_have_no_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
