/* petrel-test: no-valgrind IT PLAYS THOUSANDS OF READINGS; ASAN RUNS IT TOO */
/* Plant G: its codes, eyes, laws and noise against closed forms, and its cases
 * as a whole.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/judge/g_codes.h"
#include "tests/judge/g_dice.h"
#include "tests/judge/g_eye.h"
#include "tests/judge/g_growth.h"
#include "tests/judge/g_kinds.h"
#include "tests/judge/world.h"

#define NS_S INT64_C(1000000000)
#define HOUR_S 3600

static const struct world_case an_hour = {
	.seed = 1, .pace = PACE_FAST, .ports = WORLD_PORTS_MAX,
	.length_ns = HOUR_S * NS_S,
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

static void test_code_loses_what_a_binomial_tail_says(void **state)
{
	(void)state;
	for (double log_ber = -4.2; log_ber < -2.9; log_ber += 0.2) {
		double ber = pow(10, log_ber), p = -expm1(10 * log1p(-ber));
		double kp4 = g_codes_loss(FEC_RS544, ber, 0);
		double kr4 = g_codes_loss(FEC_RS528, ber, 0);

		assert_true(fabs(log10(kp4 / binomial_beyond(544, 15, p))) <
			    0.35);
		assert_true(fabs(log10(kr4 / binomial_beyond(528, 7, p))) <
			    0.25);
	}
}

/* Runs of errors keep the mean, and make the tail heavier. */
static void test_code_shares_are_whole_and_keep_the_mean(void **state)
{
	double last_loss = 0;

	(void)state;
	for (double chain = 0; chain < 0.5; chain += 0.1) {
		double share[WORLD_BINS], sum = 0, mean = 0;
		double loss = g_codes_loss(FEC_RS544, 1e-4, chain);

		g_codes_shares(FEC_RS544, 1e-4, chain, share);
		for (unsigned i = 0; i < WORLD_BINS; i++) {
			sum += share[i];
			mean += i * share[i];
		}
		assert_true(fabs(sum - 1) < 1e-6);
		/* 544 symbols of ten bits. */
		assert_true(fabs(mean / 0.54376 - 1) < 0.005);
		assert_true(loss > last_loss);
		last_loss = loss;
	}
}

static void test_code_rate_is_that_of_the_standard(void **state)
{
	(void)state;
	/* 425 Gb/s in codewords of 5440 bits. */
	assert_true(fabs(g_codes_rate(FEC_RS544, 400000) / 78.125e6 - 1) <
		    0.001);
}

static void test_eye_has_the_ratio_of_erfc_and_its_inverse(void **state)
{
	static struct g_eyes eyes;

	(void)state;
	g_eyes_fill(&eyes);
	for (double q = 2; q < 8; q += 0.37) {
		double ber = 0.375 * erfc(q / sqrt(2));

		assert_true(fabs(log10(g_eyes_ber(&eyes, true, q) / ber)) <
			    1e-3);
		assert_true(fabs(g_eyes_q(&eyes, true, ber) - q) < 1e-3);
	}
}

static void test_growth_begins_at_nothing_and_ends_at_one(void **state)
{
	uint64_t dice = 3;

	(void)state;
	for (unsigned i = 0; g_growth_laws[i]; i++)
		for (unsigned k = 0; k < 20; k++) {
			struct g_growth g = g_growth_draw(&dice, 1u << i, 100);

			assert_int_equal(g.law, i);
			assert_true(g_growth_at(&g, -1) == 0);
			assert_true(g_growth_at(&g, 0.001) < 0.05);
			assert_true(fabs(g_growth_at(&g, 100) - 1) < 1e-9);
			assert_true(g_growth_at(&g, 1e9) < 5);
		}
}

static void test_wander_has_about_one_rms(void **state)
{
	double sum = 0, squares = 0;
	unsigned n = 200000;

	(void)state;
	for (unsigned i = 0; i < n; i++) {
		double x = g_wander(7, i * 31.7, 8, 5);

		sum += x;
		squares += x * x;
	}
	assert_true(fabs(sum / n) < 0.1);
	assert_true(fabs(sqrt(squares / n) - 1) < 0.15);
}

static void test_counts_are_poisson(void **state)
{
	static const double means[] = { 0.01, 3, 29, 400 };
	uint64_t dice = 5;

	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		double sum = 0, squares = 0, mean = means[k];
		unsigned n = 100000;

		for (unsigned i = 0; i < n; i++) {
			double x = g_count(&dice, mean);

			sum += x;
			squares += (x - mean) * (x - mean);
		}
		assert_true(fabs(sum / n - mean) < 5 * sqrt(mean / n));
		assert_true(fabs(squares / n / mean - 1) < 0.15);
	}
}

/* --- cases --------------------------------------------------------------- */

static struct world *opened(const struct world_case *c)
{
	struct world *w = NULL;

	assert_int_equal(plant_g.open(c, &w), 0);
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

	for (unsigned i = 0; i < ticks && plant_g.next(w); i++)
		for (unsigned k = 0; k < c->ports; k++) {
			if (!plant_g.read(w, k, &r))
				continue;
			sum = mixed(sum, r.fec_corrected_bits);
			sum = mixed(sum, (uint64_t)r.t_ns);
			sum = mixed(sum, r.has_dom ? (uint64_t)r.dom_t_ns : 1);
		}
	plant_g.close(w);
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

static void truth_check(const struct truth *t, const struct world_case *c)
{
	int64_t length_ns = c->length_ns;


	assert_true(t->ports != 0 && t->what && t->law);
	assert_true(t->onset_ns > 0 && t->onset_ns < length_ns);
	assert_true(t->end_ns >= t->onset_ns);
	assert_true(t->effect_ns >= t->onset_ns);
	assert_true(t->cliff_later_ns >= t->onset_ns);
	assert_true(t->cliff_ns == t->cliff_later_ns ||
		    t->cliff_ns == INT64_MAX);
	if (t->benign)
		assert_true(t->signature == 0 && t->action == 0 &&
			    t->effect_ns == INT64_MAX &&
			    t->cliff_later_ns == INT64_MAX);
	else if (t->signature)
		assert_true(t->action != 0);
	/* What grows is seen before it costs codewords; where there are two,
	 * the second may only add what was missing.
	 */
	if (c->mix != MIX_TWO && t->law[0] && t->cliff_ns != INT64_MAX)
		assert_true(t->effect_ns <= t->cliff_ns);
}

/* Names, a bit each, of all faults of a mix; half of the ports at most. */
static uint32_t names_of(struct world_case c, enum world_mix mix)
{
	uint32_t names = 0;

	c.mix = mix;
	for (c.seed = 1; c.seed <= 16; c.seed++) {
		struct world *w = opened(&c);
		const struct truth *t;
		size_t n = plant_g.truths(w, &t);
		uint64_t struck = 0;

		for (size_t i = 0; i < n; i++) {
			truth_check(&t[i], &c);
			if (t[i].benign)
				continue;
			names |= UINT32_C(1) << t[i].signature;
			struck |= t[i].ports;
		}
		assert_true(__builtin_popcountll(struck) <= (int)c.ports / 2);
		plant_g.close(w);
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

static void test_second_fault_follows_on_the_same_port(void **state)
{
	struct world_case c = an_hour;
	const struct truth *t;
	struct world *w;
	size_t n;

	(void)state;
	c.mix = MIX_TWO;
	w = opened(&c);
	n = plant_g.truths(w, &t);
	for (size_t i = 0; i + 1 < n && !t[i].benign; i += 2) {
		int64_t after_ns = t[i + 1].onset_ns - t[i].onset_ns;

		assert_true(t[i].ports == t[i + 1].ports);
		assert_true(t[i].signature != t[i + 1].signature);
		assert_true(after_ns * 10 >= c.length_ns - NS_S &&
			    after_ns * 2 <= c.length_ns);
	}
	plant_g.close(w);
}

static void test_laws_are_those_that_were_asked_for(void **state)
{
	struct world_case c = an_hour;

	(void)state;
	for (unsigned i = 0; g_growth_laws[i]; i++) {
		const struct truth *t;
		struct world *w;
		size_t n;

		c.laws = 1u << i;
		w = opened(&c);
		n = plant_g.truths(w, &t);
		for (size_t k = 0; k < n; k++)
			if (t[k].law[0])
				assert_string_equal(t[k].law,
						    g_growth_laws[i]);
		plant_g.close(w);
	}
}

static void test_strange_faults_are_of_eight_kinds_or_more(void **state)
{
	unsigned n = 0;

	(void)state;
	while (g_kinds_strange[n].what)
		n++;
	assert_true(n >= 8);
}

/* A healthy link loses codewords when it falls, and none else. */
static void test_healthy_ports_stay_far_from_the_cliff(void **state)
{
	struct world_case c = an_hour;

	(void)state;
	c.mix = MIX_HEALTHY;
	c.hard = true;
	for (c.seed = 1; c.seed <= 4; c.seed++) {
		struct world *w = opened(&c);

		while (plant_g.next(w))
			for (unsigned i = 0; i < c.ports; i++)
				assert_true(plant_g.true_codeword_loss(w, i) <
					    1e-12);
		plant_g.close(w);
	}
}

static bool is_cleared(const struct world *w)
{
	const struct world_event *e;
	size_t n = plant_g.events(w, &e);

	for (size_t i = 0; i < n; i++)
		if (e[i].kind == WORLD_RELOAD ||
		    e[i].kind == WORLD_COUNTERS_CLEARED)
			return true;
	return false;
}

/* But for late readings, and where somebody cleared them. */
static void test_counters_only_rise(void **state)
{
	static uint64_t last[WORLD_PORTS_MAX];
	static int64_t last_ns[WORLD_PORTS_MAX];
	struct world *w = opened(&an_hour);
	const struct world_port *p = plant_g.ports(w);
	struct world_reading r;

	(void)state;
	memset(last, 0, sizeof(last));
	while (plant_g.next(w)) {
		if (is_cleared(w))
			memset(last, 0, sizeof(last));
		for (unsigned i = 0; i < WORLD_PORTS_MAX; i++) {
			if (!plant_g.read(w, i, &r) || r.t_ns < last_ns[i] ||
			    p[i].counter_bits != 64)
				continue;
			last_ns[i] = r.t_ns;
			assert_true(r.fec_corrected_bits >= last[i] ||
				    is_cleared(w));
			last[i] = r.fec_corrected_bits;
		}
	}
	plant_g.close(w);
}

static void test_bins_come_to_the_words_that_were_mended(void **state)
{
	struct world_case c = an_hour;
	struct world_reading r;
	struct world *w;

	(void)state;
	c.mix = MIX_HEALTHY;
	w = opened(&c);
	for (unsigned i = 0; i < 60; i++)
		assert_true(plant_g.next(w));
	for (unsigned i = 0; i < c.ports; i++) {
		uint64_t words = 0, symbols = 0;

		if (!plant_g.read(w, i, &r) || !r.has_bins)
			continue;
		for (unsigned k = 1; k < WORLD_BINS - 1; k++) {
			words += r.fec_bins[k];
			symbols += k * r.fec_bins[k];
		}
		assert_true(words == r.fec_corrected_codewords);
		assert_true(symbols == r.fec_symbol_errors);
	}
	plant_g.close(w);
}

static void test_hard_readings_miss_and_monitors_are_old(void **state)
{
	struct world_case c = an_hour;
	unsigned missing = 0, all = 0;
	struct world_reading r;
	struct world *w;

	(void)state;
	c.mix = MIX_HEALTHY;
	c.hard = true;
	w = opened(&c);
	/* Before anything befalls. */
	for (unsigned i = 0; i < 140; i++) {
		assert_true(plant_g.next(w));
		for (unsigned k = 0; k < c.ports; k++, all++) {
			if (!plant_g.read(w, k, &r))
				missing++;
			else if (r.has_dom)
				assert_true(r.t_ns - r.dom_t_ns >= 60 * NS_S);
		}
	}
	assert_true(missing > all / 50 && missing < all / 20);
	plant_g.close(w);
}

/* The lowest light of a port's lanes in the mean of a minute from there on. */
static double lowest_light(struct world *w, unsigned port, unsigned lanes,
			   int64_t from_ns)
{
	double sum[WORLD_LANES_MAX] = { 0 }, low = 99;
	struct world_reading r;
	unsigned n = 0;

	while (plant_g.next(w) && plant_g.now_ns(w) < from_ns + 60 * NS_S) {
		if (plant_g.now_ns(w) < from_ns ||
		    !plant_g.read(w, port, &r) || !r.has_dom)
			continue;
		n++;
		for (unsigned i = 0; i < lanes; i++)
			sum[i] += r.rx_dbm[i];
	}
	for (unsigned i = 0; i < lanes; i++)
		low = fmin(low, sum[i] / n);
	return n ? low : (double)NAN;
}

static void dirt_check(const struct world_case *c, const struct truth *t)
{
	struct world *w = opened(c);
	unsigned port = (unsigned)__builtin_ctzll(t->ports);
	unsigned lanes = plant_g.ports(w)[port].lanes;
	double before, after;

	before = lowest_light(w, port, lanes, t->onset_ns - 90 * NS_S);
	after = lowest_light(w, port, lanes, t->onset_ns + 120 * NS_S);
	/* What else befalls the whole switch may hide it. */
	if (before > -30 && after > -30 && t->lanes == 0)
		assert_true(after < before - 0.4);
	plant_g.close(w);
}

static void test_light_is_lower_behind_dirt(void **state)
{
	struct world_case c = an_hour;
	unsigned n = 0;

	(void)state;
	for (c.seed = 1; n < 4 && c.seed < 40; c.seed++) {
		struct world *w = opened(&c);
		const struct truth *t;
		size_t all = plant_g.truths(w, &t);

		for (size_t i = 0; i < all; i++)
			if (t[i].signature == SIGNATURE_CONTAMINATION &&
			    !t[i].law[0] && !t[i].lanes) {
				dirt_check(&c, &t[i]);
				n++;
			}
		plant_g.close(w);
	}
	assert_true(n >= 4);
}

/* The truths are whole from the start; the world must keep to them. */
static void test_cliff_is_where_true_loss_passes_one_an_hour(void **state)
{
	struct world *w = opened(&an_hour);
	const struct world_port *p = plant_g.ports(w);
	const struct truth *t;
	size_t n = plant_g.truths(w, &t);
	unsigned seen = 0;

	(void)state;
	while (plant_g.next(w))
		for (size_t i = 0; i < n; i++) {
			unsigned port = (unsigned)__builtin_ctzll(t[i].ports);
			int64_t since_ns = plant_g.now_ns(w) - t[i].cliff_ns;
			double lost = plant_g.true_codeword_loss(w, port) *
				HOUR_S * g_codes_rate(p[port].fec,
						      p[port].speed_mbps);

			if (!t[i].law[0] || t[i].ports & (t[i].ports - 1))
				continue;
			if (t[i].cliff_ns != INT64_MAX && since_ns < -15 * NS_S)
				assert_true(lost < 1.5);
			if (since_ns >= 0 && since_ns < NS_S) {
				assert_true(lost > 0.5);
				seen++;
			}
		}
	assert_true(seen > 2);
	plant_g.close(w);
}

static void test_case_that_cannot_be_is_refused(void **state)
{
	struct world_case c = an_hour;
	struct world *w;

	(void)state;
	c.ports = WORLD_PORTS_MAX + 1;
	assert_int_equal(plant_g.open(&c, &w), -EINVAL);
	c.ports = 0;
	assert_int_equal(plant_g.open(&c, &w), -EINVAL);
	c = an_hour;
	c.length_ns = 0;
	assert_int_equal(plant_g.open(&c, &w), -EINVAL);
	plant_g.close(NULL);
}

static void test_switch_of_few_ports_can_be(void **state)
{
	struct world_case c = an_hour;

	(void)state;
	for (c.ports = 1; c.ports < 20; c.ports += 3)
		for (unsigned m = 0; m < MIX_COUNT; m++) {
			c.mix = m;
			(void)case_sum(&c, 100);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code_loses_what_a_binomial_tail_says),
		cmocka_unit_test(test_code_shares_are_whole_and_keep_the_mean),
		cmocka_unit_test(test_code_rate_is_that_of_the_standard),
		cmocka_unit_test(
			test_eye_has_the_ratio_of_erfc_and_its_inverse),
		cmocka_unit_test(test_growth_begins_at_nothing_and_ends_at_one),
		cmocka_unit_test(test_wander_has_about_one_rms),
		cmocka_unit_test(test_counts_are_poisson),
		cmocka_unit_test(test_case_goes_the_same_way_again),
		cmocka_unit_test(test_faults_have_all_names_of_links),
		cmocka_unit_test(test_second_fault_follows_on_the_same_port),
		cmocka_unit_test(test_laws_are_those_that_were_asked_for),
		cmocka_unit_test(
			test_strange_faults_are_of_eight_kinds_or_more),
		cmocka_unit_test(test_healthy_ports_stay_far_from_the_cliff),
		cmocka_unit_test(test_counters_only_rise),
		cmocka_unit_test(test_bins_come_to_the_words_that_were_mended),
		cmocka_unit_test(test_hard_readings_miss_and_monitors_are_old),
		cmocka_unit_test(test_light_is_lower_behind_dirt),
		cmocka_unit_test(
			test_cliff_is_where_true_loss_passes_one_an_hour),
		cmocka_unit_test(test_case_that_cannot_be_is_refused),
		cmocka_unit_test(test_switch_of_few_ports_can_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
