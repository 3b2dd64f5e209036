/* petrel-test: no-valgrind IT PLAYS THOUSANDS OF READINGS; ASAN RUNS IT TOO */
/* Plant F: its codes and laws against closed forms, and its cases as a whole.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/judge/f_codes.h"
#include "tests/judge/f_dice.h"
#include "tests/judge/f_growth.h"
#include "tests/judge/world.h"

#define NS_S INT64_C(1000000000)

static const struct world_case an_hour = {
	.seed = 1, .pace = PACE_FAST, .ports = WORLD_PORTS_MAX,
	.length_ns = 3600 * NS_S,
};

/* More than so many of n, each with chance p. */
static double binomial_beyond(unsigned n, unsigned most, double p)
{
	double term = exp(n * log1p(-p)), sum = 0;

	for (unsigned k = 0; k < most + 40; k++) {
		sum += k > most ? term : 0;
		term *= p / (1 - p) * (n - k) / (k + 1);
	}
	return sum;
}

/* Without clumps the symbols in error are nearly binomial. */
static void test_code_loses_what_a_binomial_tail_says(void **state)
{
	struct f_code kp4 = f_code_of(FEC_RS544, false, 0);
	struct f_code kr4 = f_code_of(FEC_RS528, false, 0);

	(void)state;
	for (double log_ber = -4.2; log_ber < -2.9; log_ber += 0.2) {
		double ber = pow(10, log_ber), p = -expm1(10 * log1p(-ber));

		assert_true(fabs(log10(f_code_loss(&kp4, ber) /
				       binomial_beyond(544, 15, p))) < 0.35);
		assert_true(fabs(log10(f_code_loss(&kr4, ber) /
				       binomial_beyond(528, 7, p))) < 0.25);
	}
}

static void test_code_level_is_the_loss_turned_about(void **state)
{
	struct f_code c = f_code_of(FEC_RS544, false, 0.05);
	double log_ber = f_code_log_ber(&c, 1e-9);

	(void)state;
	assert_true(fabs(log10(f_code_loss(&c, pow(10, log_ber))) + 9) < 0.01);
}

static void test_code_counts_as_many_as_it_was_given(void **state)
{
	struct f_code c = f_code_of(FEC_RS544, false, 0.1);
	uint64_t dice = 7, class[F_CLASSES], sum = 0, symbols = 0;

	(void)state;
	f_code_count(&c, 1e-4, 1e8, &dice, class);
	for (unsigned i = 0; i < F_CLASSES; i++) {
		sum += class[i];
		symbols += i * class[i];
	}
	assert_int_equal(sum, 100000000);
	/* 544 symbols of ten bits. */
	assert_true(fabs((double)symbols / 1e8 / 0.5438 - 1) < 0.005);
}

static void test_eye_has_the_ratio_of_erfc(void **state)
{
	static struct f_eyes eyes;

	(void)state;
	f_eyes_fill(&eyes);
	for (double q = 2; q < 8; q += 0.37)
		assert_true(fabs(f_eyes_log_ber(&eyes, true, q) -
				 log10(0.375 * erfc(q / sqrt(2)))) < 1e-3);
}

static void test_growth_begins_at_nothing_and_ends_at_one(void **state)
{
	uint64_t dice = 3;

	(void)state;
	for (unsigned i = 0; f_growth_laws[i]; i++)
		for (unsigned k = 0; k < 20; k++) {
			struct f_growth g = f_growth_draw(&dice, 1u << i, 100);
			double end = f_growth_at(&g, 100);

			assert_string_equal(f_growth_name(&g),
					    f_growth_laws[i]);
			assert_true(f_growth_at(&g, -1) == 0);
			assert_true(f_growth_at(&g, 0.0001) < 0.05);
			if (strcmp(f_growth_laws[i], "stopping") == 0)
				assert_true(end >= 0.35 && end <= 0.8);
			else
				assert_true(fabs(end - 1) < 1e-9);
		}
}

/* --- cases --------------------------------------------------------------- */

static struct world *opened(const struct world_case *c)
{
	struct world *w = NULL;

	assert_int_equal(plant_f.open(c, &w), 0);
	return w;
}

static uint64_t mixed(uint64_t sum, uint64_t value)
{
	return (sum ^ value) * UINT64_C(1099511628211);
}

/* What all readings of some ticks come to. */
static uint64_t case_sum(const struct world_case *c, unsigned ticks)
{
	struct world *w = opened(c);
	struct world_reading r;
	uint64_t sum = 0;

	for (unsigned i = 0; i < ticks && plant_f.next(w); i++)
		for (unsigned k = 0; k < c->ports; k++) {
			if (!plant_f.read(w, k, &r))
				continue;
			sum = mixed(sum, r.fec_corrected_bits);
			sum = mixed(sum, (uint64_t)r.t_ns);
			sum = mixed(sum, r.has_dom ? (uint64_t)r.dom_t_ns : 1);
		}
	plant_f.close(w);
	return sum;
}

static void test_case_goes_the_same_way_again(void **state)
{
	struct world_case other = an_hour;

	(void)state;
	other.seed = 2;
	assert_true(case_sum(&an_hour, 200) == case_sum(&an_hour, 200));
	assert_true(case_sum(&an_hour, 200) != case_sum(&other, 200));
}

static void truth_check(const struct truth *t)
{
	assert_true(t->ports != 0);
	assert_true(t->end_ns >= t->onset_ns);
	assert_true(t->effect_ns >= t->onset_ns);
	assert_true(t->cliff_ns >= t->onset_ns);
	assert_true(t->cliff_later_ns <= t->cliff_ns);
	if (t->benign)
		assert_true(t->signature == 0 && t->action == 0 &&
			    t->effect_ns == INT64_MAX);
	else if (t->signature)
		assert_true(t->action != 0);
}

/* Names, a bit each, of all faults of a mix. */
static uint32_t names_of(struct world_case c, enum world_mix mix)
{
	uint32_t names = 0;

	c.mix = mix;
	for (c.seed = 1; c.seed <= 12; c.seed++) {
		struct world *w = opened(&c);
		const struct truth *t;
		size_t n = plant_f.truths(w, &t);

		for (size_t i = 0; i < n; i++) {
			truth_check(&t[i]);
			if (!t[i].benign)
				names |= UINT32_C(1) << t[i].signature;
		}
		plant_f.close(w);
	}
	return names;
}

static void test_faults_have_all_names_of_links(void **state)
{
	uint32_t links = (UINT32_C(2) << SIGNATURE_ENVIRONMENT) - 2;

	(void)state;
	links |= UINT32_C(1) << SIGNATURE_SENSOR_FAULT |
		 UINT32_C(1) << SIGNATURE_MODULE_CHANGED;
	assert_int_equal(names_of(an_hour, MIX_FAULTS), links);
	assert_int_equal(names_of(an_hour, MIX_HEALTHY), 0);
	assert_int_equal(names_of(an_hour, MIX_STRANGE), 1);
	assert_true((names_of(an_hour, MIX_TWO) & ~links) == 0);
}

/* A healthy link loses codewords when it falls, and none else. */
static void test_healthy_ports_stay_far_from_the_cliff(void **state)
{
	struct world_case c = an_hour;
	struct world *w;

	(void)state;
	c.mix = MIX_HEALTHY;
	c.hard = true;
	w = opened(&c);
	while (plant_f.next(w))
		for (unsigned i = 0; i < c.ports; i++)
			assert_true(plant_f.true_codeword_loss(w, i) < 1e-10);
	plant_f.close(w);
}

static void test_case_that_cannot_be_is_refused(void **state)
{
	struct world_case c = an_hour;
	struct world *w;

	(void)state;
	c.ports = WORLD_PORTS_MAX + 1;
	assert_int_equal(plant_f.open(&c, &w), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code_loses_what_a_binomial_tail_says),
		cmocka_unit_test(test_code_level_is_the_loss_turned_about),
		cmocka_unit_test(test_code_counts_as_many_as_it_was_given),
		cmocka_unit_test(test_eye_has_the_ratio_of_erfc),
		cmocka_unit_test(test_growth_begins_at_nothing_and_ends_at_one),
		cmocka_unit_test(test_case_goes_the_same_way_again),
		cmocka_unit_test(test_faults_have_all_names_of_links),
		cmocka_unit_test(test_healthy_ports_stay_far_from_the_cliff),
		cmocka_unit_test(test_case_that_cannot_be_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
