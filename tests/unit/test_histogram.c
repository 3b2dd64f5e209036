#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "agent/signature/histogram.h"

#define SENT 1e10

static void assert_near(double found, double right, double tolerance)
{
	if (fabs(found - right) > tolerance)
		fail_msg("%.6g is not %.6g within %.2g", found, right,
			 tolerance);
}

/* Random errors alone, as many in each bin as are expected. */
static void random_make(struct fec_counts *c, const struct fec_code *code,
			double s)
{
	double p = exp(code->symbols * log1p(-s));

	memset(c, 0, sizeof(*c));
	c->seconds = 120;
	c->sent = SENT;
	for (unsigned k = 0; k <= code->correctable; k++) {
		c->bin[k] = floor(SENT * p + 0.5);
		c->bits += k * c->bin[k];
		p *= (code->symbols - k) / (k + 1.0) * s / (1 - s);
	}
}

static void test_histogram_symbol_ratio_is_exact(void **state)
{
	const struct fec_code *kp4 = fec_code_find(FEC_RS544);
	struct fec_counts c;

	(void)state;
	for (double s = 1e-6; s < 4e-3; s *= 3) {
		random_make(&c, kp4, s);
		assert_near(histogram_symbol_ratio(&c, kp4) / s, 1, 1e-5);
	}
}

static void test_histogram_of_random_errors_has_no_bursts(void **state)
{
	const struct fec_code *kp4 = fec_code_find(FEC_RS544);
	struct loss_share l;
	struct fec_counts c;

	(void)state;
	for (double s = 1e-6; s < 4e-3; s *= 3) {
		random_make(&c, kp4, s);
		assert_false(histogram_bursts(&c, kp4, s, &l));
	}
}

/* A few more than random errors make in the uppermost bin are chance. */
static void test_histogram_chance_is_no_burst(void **state)
{
	const struct fec_code *kp4 = fec_code_find(FEC_RS544);
	struct loss_share l;
	struct fec_counts c;
	unsigned top = 15;

	(void)state;
	random_make(&c, kp4, 1e-3);
	while (c.bin[top] < 1)
		top--;
	c.bin[top] += 2;
	assert_false(histogram_bursts(&c, kp4, 1e-3, &l));
}

/* What falls by a constant factor sums up to a / (1 - factor). */
static void test_histogram_of_geometric_bursts(void **state)
{
	const struct fec_code *kp4 = fec_code_find(FEC_RS544);
	struct loss_share l = { 0 };
	struct fec_counts c;

	(void)state;
	random_make(&c, kp4, 1e-5);
	for (unsigned k = 1; k <= 15; k++)
		c.bin[k] += floor(1e5 * pow(0.5, k) + 0.5);
	c.lost = 3;
	assert_true(histogram_bursts(&c, kp4, 1e-5, &l));
	assert_near(l.mid, log10(1e5 * pow(0.5, 15) / SENT), 0.15);
	assert_true(l.low < l.mid && l.mid < l.high);
	assert_true(l.high - l.low < 1);
}

/* One codeword lost is no surprise to it, and none of that many is. */
static void test_histogram_counts_what_was_lost(void **state)
{
	const struct fec_code *kr4 = fec_code_find(FEC_RS528);
	struct loss_share none = { 0 }, some = { 0 };
	struct fec_counts c;

	(void)state;
	random_make(&c, kr4, 1e-6);
	for (unsigned k = 3; k <= 7; k++)
		c.bin[k] += 2;
	assert_true(histogram_bursts(&c, kr4, 1e-6, &none));
	c.lost = 8;
	assert_true(histogram_bursts(&c, kr4, 1e-6, &some));
	assert_true(some.mid > none.mid + 0.2);
	assert_true(some.low < log10(8 / SENT) && some.high > log10(8 / SENT));
}

/* Windows of 10 s, with counters that go up evenly. */
struct port {
	struct histogram h;
	struct inputs k;
	uint64_t bin[PORT_FEC_BINS];
};

static void port_start(struct port *p)
{
	memset(p, 0, sizeof(*p));
	histogram_start(&p->h);
	for (unsigned i = 0; i < PORT_FEC_BINS; i++)
		p->bin[i] = UINT32_MAX - 5u;	/* wraps what is kept of it */
}

static void port_window(struct port *p, const struct fec_code *code,
			const struct fec_counts *c, double lost)
{
	struct fec_counts w = { .seconds = 10, .sent = c->sent / 12,
				.bits = c->bits / 12, .lost = lost };

	for (unsigned i = 0; i <= code->correctable; i++) {
		p->bin[i] += (uint64_t)c->bin[i] / 12;
		inputs_set(&p->k, INPUT_FEC_BIN + i, (int64_t)p->bin[i]);
	}
	histogram_take(&p->h, code, &w, &p->k, true);
}

static void test_histogram_of_a_port_is_random(void **state)
{
	const struct fec_code *kp4 = fec_code_find(FEC_RS544);
	double ber = 3.3e-4, s = -expm1(10 * log1p(-ber));
	struct fec_counts c;
	struct loss_share l;
	struct port p;

	(void)state;
	random_make(&c, kp4, s);
	port_start(&p);
	for (int i = 0; i < 13; i++)
		port_window(&p, kp4, &c, 0);
	histogram_loss(&p.h, kp4, log10(ber), 2, &l);
	assert_near(l.mid, log10(fec_codeword_loss(ber, kp4) * 2.125), 0.1);
	assert_false(l.bursty);
	assert_false(l.observed);
}

static void test_histogram_of_a_port_with_bursts(void **state)
{
	const struct fec_code *kp4 = fec_code_find(FEC_RS544);
	struct fec_counts c;
	struct loss_share l;
	struct port p;

	(void)state;
	random_make(&c, kp4, 1e-5);
	for (unsigned k = 1; k <= 15; k++)
		c.bin[k] += 12 * floor(2e4 * pow(0.5, k) + 0.5);
	port_start(&p);
	for (int i = 0; i < 13; i++)
		port_window(&p, kp4, &c, i < 7);	/* one before */
	histogram_loss(&p.h, kp4, -6, 1, &l);
	assert_near(l.mid, log10(2.4e5 * pow(0.5, 15) / SENT * 1.125),
		    0.2);
	assert_true(l.bursty);
}

static void test_histogram_takes_what_was_lost_from_ten(void **state)
{
	const struct fec_code *kp4 = fec_code_find(FEC_RS544);
	struct fec_counts c;
	struct loss_share l;
	struct port p;

	(void)state;
	random_make(&c, kp4, 1e-5);
	port_start(&p);
	port_window(&p, kp4, &c, 0);
	for (int i = 0; i < 12; i++)
		port_window(&p, kp4, &c, i < 11);
	histogram_loss(&p.h, kp4, -6, 1, &l);
	assert_true(l.observed);
	assert_near(l.mid, log10(11 / SENT * 1.125), 0.01);
	/* Poisson's own interval of 11: 6.2 to 18.2. */
	assert_near(l.low, log10(6.17 / SENT * 1.125), 0.01);
	assert_near(l.high, log10(18.21 / SENT * 1.125), 0.01);
}

static void test_histogram_without_bins_goes_by_bits(void **state)
{
	const struct fec_code *kp4 = fec_code_find(FEC_RS544);
	struct loss_share l;
	struct histogram h;

	(void)state;
	histogram_start(&h);
	histogram_loss(&h, kp4, log10(3e-4), 2, &l);
	assert_near(l.mid, log10(fec_codeword_loss(3e-4, kp4) * 2.125), 0.3);
	assert_true(l.low < l.mid && l.mid < l.high);
	histogram_loss(&h, kp4, -1, 4, &l);
	assert_true(l.mid <= 0 && l.high <= 0);	/* never more than all */
}

/* Bins that count more than was sent are another clock's, or were cleared. */
static void test_histogram_refuses_impossible_bins(void **state)
{
	const struct fec_code *kp4 = fec_code_find(FEC_RS544);
	struct fec_counts c;
	struct port p;

	(void)state;
	random_make(&c, kp4, 1e-5);
	port_start(&p);
	port_window(&p, kp4, &c, 0);
	p.bin[1] -= 2 * (uint64_t)c.bin[1];	/* … less than before */
	for (int i = 0; i < 4; i++)
		port_window(&p, kp4, &c, 0);
	assert_true(p.h.symbols_per_bit <= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_histogram_symbol_ratio_is_exact),
		cmocka_unit_test(test_histogram_of_random_errors_has_no_bursts),
		cmocka_unit_test(test_histogram_chance_is_no_burst),
		cmocka_unit_test(test_histogram_of_geometric_bursts),
		cmocka_unit_test(test_histogram_counts_what_was_lost),
		cmocka_unit_test(test_histogram_of_a_port_is_random),
		cmocka_unit_test(test_histogram_of_a_port_with_bursts),
		cmocka_unit_test(test_histogram_takes_what_was_lost_from_ten),
		cmocka_unit_test(test_histogram_without_bins_goes_by_bits),
		cmocka_unit_test(test_histogram_refuses_impossible_bins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
