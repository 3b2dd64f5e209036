/* petrel-test: no-valgrind IT PLAYS MILLIONS OF READINGS */
/* petrel-test: no-sanitize ALL OF PLANT B'S CODE RUNS IN TEST_PLANT_B */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/world_span.h"

/* Nothing that comes in bursts: these scatter more than they can be judged. */
static bool is_even(const struct world *w, unsigned port)
{
	const struct truth *t;
	size_t n = plant_b.truths(w, &t);
	bool ret = true;

	for (size_t i = 0; i < n; i++)
		if (t[i].ports >> port & 1)
			ret &= t[i].signature != SIGNATURE_FEC_UNCORRECTABLE &&
			       t[i].signature != SIGNATURE_LOOSE_MODULE &&
			       t[i].signature != SIGNATURE_SHARED_COMPONENT &&
			       t[i].signature != SIGNATURE_BENT_FIBRE;
	return ret;
}

static void test_plant_b_loses_codewords_as_is_true(void **state)
{
	static struct world_span spans[32];
	unsigned judged = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 14; seed++) {
		struct world_case c = world_hour(seed, MIX_FAULTS);
		struct world *w = world_opened(&c);

		memset(spans, 0, sizeof(spans));
		world_span_play(w, c.ports, spans);
		for (unsigned i = 0; i < c.ports; i++) {
			const struct world_span *s = &spans[i];
			double expected = s->loss_sum *
				world_codewords_per_s(&plant_b.ports(w)[i]);
			double told = (double)(
				s->last.fec_uncorrectable_codewords -
				s->first.fec_uncorrectable_codewords);

			if (!is_even(w, i) ||
			    plant_b.ports(w)[i].counter_bits == 32 ||
			    plant_b.ports(w)[i].fec == FEC_NONE)
				continue;
			assert_true(fabs(told - expected) <
				    3 + 6 * sqrt(expected) + 0.1 * expected);
			judged += expected > 5;
		}
		plant_b.close(w);
	}
	assert_true(judged >= 2);
}

/* Light of a lane in the mean, of readings in a window. */
static double light_mean(struct world *w, unsigned port, unsigned lane,
			 int64_t until_ns)
{
	struct world_reading r;
	double sum = 0;
	unsigned n = 0;

	while (plant_b.now_ns(w) < until_ns && plant_b.next(w))
		if (plant_b.read(w, port, &r) && r.has_dom && r.oper_up &&
		    !isnan(r.rx_dbm[lane])) {
			sum += r.rx_dbm[lane];
			n++;
		}
	return n ? sum / n : NAN;
}

static unsigned struck_lane(const struct truth *t, bool is_struck_lane)
{
	unsigned lane = 0;

	while (t->lanes && !(t->lanes >> lane & 1) == is_struck_lane)
		lane++;
	return lane;
}

static void light_judge(const struct world_case *c, size_t index)
{
	for (unsigned struck = 0; struck < 2; struck++) {
		struct world *w = world_opened(c);
		const struct truth *all, *t;
		unsigned port, lane;
		double fell;

		(void)plant_b.truths(w, &all);
		t = &all[index];
		port = (unsigned)__builtin_ctzll(t->ports);
		lane = struck_lane(t, struck);
		if ((t->lanes || struck) &&
		    lane < plant_b.ports(w)[port].lanes) {
			fell = light_mean(w, port, lane, t->onset_ns);
			(void)light_mean(w, port, lane, t->onset_ns +
					 20 * WORLD_SECOND_NS);
			fell -= light_mean(w, port, lane, t->onset_ns +
					   200 * WORLD_SECOND_NS);
			if (!isnan(fell) && struck)
				assert_true(fell > 0.35 && fell < 8.5);
			else if (!isnan(fell))
				assert_true(fabs(fell) < 0.35);
		}
		plant_b.close(w);
	}
}

static void test_plant_b_dirt_takes_light_of_its_lanes(void **state)
{
	unsigned judged = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 10; seed++) {
		struct world_case c = world_hour(seed, MIX_FAULTS);
		struct world *w = world_opened(&c);
		const struct truth *t;
		size_t n = plant_b.truths(w, &t), i;

		for (i = 0; i < n; i++)
			if (t[i].signature == SIGNATURE_CONTAMINATION)
				break;
		assert_true(i == n || t[i].effect_ns == t[i].onset_ns);
		plant_b.close(w);
		if (i == n)
			continue;
		light_judge(&c, i);
		judged++;
	}
	assert_true(judged >= 5);
}

/* Per hour, as the truth's cliff comes; 0 where the link is down then. */
static double lost_at_cliff(const struct world_case *c, size_t index)
{
	struct world *w = world_opened(c);
	const struct truth *t;
	unsigned port;
	double per_s = 0;

	(void)plant_b.truths(w, &t);
	port = (unsigned)__builtin_ctzll(t[index].ports);
	while (plant_b.next(w) && plant_b.now_ns(w) < t[index].cliff_ns)
		per_s = plant_b.true_codeword_loss(w, port) *
			world_codewords_per_s(&plant_b.ports(w)[port]);
	plant_b.close(w);
	return per_s * 3600;
}

static bool grows_to_cliff(const struct world *w, const struct truth *t)
{
	unsigned port = (unsigned)__builtin_ctzll(t->ports);

	return t->law[0] && t->cliff_ns < INT64_MAX &&
	       t->signature != SIGNATURE_FEC_UNCORRECTABLE &&
	       t->cliff_ns > t->onset_ns + 60 * WORLD_SECOND_NS &&
	       __builtin_popcountll(t->ports) == 1 &&
	       plant_b.ports(w)[port].fec != FEC_NONE;
}

/* At its cliff a growing fault loses about a codeword an hour: within two and
 * a half decades, which slow noise of the eye is worth there.
 */
static void test_plant_b_tells_the_cliff(void **state)
{
	unsigned judged = 0, near = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 24; seed++) {
		struct world_case c = world_hour(seed, MIX_FAULTS);
		const struct truth *t;
		struct world *w;
		size_t n, i;
		double lost;

		c.laws = 1;
		w = world_opened(&c);
		n = plant_b.truths(w, &t);
		for (i = 0; i < n && !grows_to_cliff(w, &t[i]);)
			i++;
		plant_b.close(w);
		lost = i < n ? lost_at_cliff(&c, i) : 0;
		judged += lost > 0;
		near += lost > 0.003 && lost < 300;
	}
	assert_true(judged >= 8 && near * 5 >= judged * 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plant_b_loses_codewords_as_is_true),
		cmocka_unit_test(test_plant_b_dirt_takes_light_of_its_lanes),
		cmocka_unit_test(test_plant_b_tells_the_cliff),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
