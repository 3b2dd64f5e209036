/* petrel-test: no-valgrind IT PLAYS THOUSANDS OF READINGS; ASAN RUNS IT TOO */
/* Plant D: what is true agrees with what it shows. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/judge/d_world.h"

#define PORTS 32
#define HOUR_S 3600.0
#define SEEDS 6

extern const struct plant_model plant_d;

static struct world *opened(uint64_t seed, enum world_mix mix, bool hard)
{
	const struct world_case at = { .seed = seed, .mix = mix, .hard = hard,
		.ports = PORTS, .length_ns = 3600 * D_NS };
	struct world *w;

	assert_int_equal(plant_d.open(&at, &w), 0);
	return w;
}

static void test_laws_go_from_nothing_to_all(void **state)
{
	(void)state;
	for (unsigned law = 0; law < D_LAWS; law++) {
		assert_non_null(d_laws[law]);
		for (uint64_t key = 1; key < 20; key++) {
			assert_true(d_law(law, key, 0) == 0);
			assert_float_equal(d_law(law, key, 1), 1, 0.02);
			for (double x = 0; x < 5; x += 0.05)
				assert_true(d_law(law, key, x) >= 0 &&
					    d_law(law, key, x) <= 1.6);
		}
	}
	assert_null(d_laws[D_LAWS]);
}

/* Of RS(544,514) at 2.4e-4, with errors by themselves: about 1e-14 is lost by
 * the binomial; clause 124.1 gives a frame loss of 6.2e-10 for 64 octets.
 */
static void test_codes_lose_more_by_runs_of_errors(void **state)
{
	double chance[D_CHANCES], lost, lost_in_runs, mean = 0, sum = 0;

	(void)state;
	lost = d_code_chances(FEC_RS544, 1e-4, 0.1, chance);
	for (unsigned i = 0; i < D_CHANCES; i++) {
		mean += i * chance[i];
		sum += chance[i];
	}
	assert_float_equal(sum + lost, 1, 1e-9);
	assert_float_equal(mean, 544 * 10e-4 / D_SYMBOL_BITS, 2e-3);
	lost = d_code_chances(FEC_RS544, 2.4e-4, 0, chance);
	assert_true(lost > 1e-13 && lost < 1e-10);
	lost_in_runs = d_code_chances(FEC_RS544, 2.4e-4, 0.1, chance);
	assert_true(lost_in_runs > 10 * lost);
	assert_true(d_code_chances(FEC_NONE, 1e-15, 0.1, chance) > 1e-12);
	assert_true(d_code_chances(FEC_RS544, 0.1, 0, chance) > 0.99);
	for (double log_ber = -18; log_ber < -2; log_ber += 0.5)
		assert_float_equal(d_log_ber(d_q_of(log_ber, true), true),
				    log_ber, 1e-6);
}

static void test_plant_d_refuses_what_is_no_case(void **state)
{
	struct world_case at = { .ports = 0, .length_ns = 3600 * D_NS };
	struct world *w;

	(void)state;
	assert_int_equal(plant_d.open(&at, &w), -EINVAL);
	at.ports = WORLD_PORTS_MAX + 1;
	assert_int_equal(plant_d.open(&at, &w), -EINVAL);
	at.ports = 1;
	at.length_ns = 0;
	assert_int_equal(plant_d.open(&at, &w), -EINVAL);
	at.length_ns = 100 * D_NS;
	assert_int_equal(plant_d.open(&at, &w), 0);
	plant_d.close(w);
	plant_d.close(NULL);
}

static bool same(const struct world_reading *a, const struct world_reading *b)
{
	return a->t_ns == b->t_ns && a->oper_up == b->oper_up &&
	       a->fec_corrected_bits == b->fec_corrected_bits &&
	       a->in_octets == b->in_octets && a->has_dom == b->has_dom &&
	       memcmp(a->rx_dbm, b->rx_dbm, sizeof(a->rx_dbm)) == 0;
}

static void test_plant_d_goes_the_same_way_twice(void **state)
{
	struct world *a = opened(5, MIX_FAULTS, true);
	struct world *b = opened(5, MIX_FAULTS, true);
	struct world *c = opened(6, MIX_FAULTS, true);
	struct world_reading x, y, z;
	unsigned other = 0;

	(void)state;
	while (plant_d.next(a) && plant_d.next(b) && plant_d.next(c))
		for (unsigned i = 0; i < PORTS; i++) {
			bool has = plant_d.read(a, i, &x);

			assert_int_equal(has, plant_d.read(b, i, &y));
			if (has)
				assert_true(same(&x, &y));
			other += has && plant_d.read(c, i, &z) && !same(&x, &z);
		}
	assert_true(other > 1000);
	plant_d.close(a);
	plant_d.close(b);
	plant_d.close(c);
}

/* Every kind has its turn, on half of the ports at most. */
static void test_plant_d_plays_all_kinds(void **state)
{
	const struct d_kind *k;
	size_t n = d_kinds(&k), played = 0;
	bool seen[128] = { false };

	(void)state;
	for (uint64_t i = 0; i < 90; i++) {
		struct world *w = opened(i, (enum world_mix)(i / 4 % MIX_COUNT),
					 false);
		const struct truth *t;
		size_t count = plant_d.truths(w, &t);
		uint64_t struck = 0;

		for (size_t j = 0; j < count; j++) {
			seen[w->fault[j].kind - k] = true;
			struck |= t[j].benign ? 0 : t[j].ports;
			assert_true(t[j].onset_ns >= 0 &&
				    t[j].onset_ns < 3600 * D_NS);
			assert_true(t[j].effect_ns >= t[j].onset_ns &&
				    t[j].cliff_ns >= t[j].onset_ns &&
				    t[j].cliff_ns >= t[j].cliff_later_ns &&
				    t[j].end_ns > t[j].onset_ns);
		}
		assert_true(__builtin_popcountll(struck) <= PORTS / 2);
		plant_d.close(w);
	}
	for (size_t i = 0; i < n; i++)
		played += seen[i];
	assert_int_equal(played, n);
}

static void test_plant_d_strikes_twice(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct world *w = opened(seed, MIX_TWO, false);
		const struct truth *t;
		size_t n = plant_d.truths(w, &t), pairs = 0;

		for (size_t i = 0; i + 1 < n; i++) {
			double gap = (double)(t[i + 1].onset_ns -
					      t[i].onset_ns) / HOUR_S / 1e9;

			if (t[i].benign || t[i].ports != t[i + 1].ports)
				continue;
			pairs++;
			assert_true(gap >= 0.1 && gap <= 0.5);
			assert_int_not_equal(t[i].signature,
					     t[i + 1].signature);
		}
		assert_true(pairs >= 4);
		plant_d.close(w);
	}
}

/* --- readings against truth ---------------------------------------------- */

struct port_seen {
	struct world_reading first, last;	/* of a time with no break */
	bool has;
	double ber_sum;
	unsigned ticks;
	double light_before, light_least;	/* of the struck lanes, dBm */
	double loss_before, loss_after;		/* true, around the cliff */
};

static void light_see(const struct truth *t, const struct world_reading *r,
		      unsigned lanes, struct port_seen *s)
{
	for (unsigned i = 0; i < lanes && r->has_dom; i++) {
		double dbm = r->rx_dbm[i];

		if (isnan(dbm) || dbm <= D_DARK_DBM ||
		    (t->lanes && !(t->lanes >> i & 1)))
			continue;
		if (r->t_ns < t->onset_ns)
			s->light_before = fmin(s->light_before, dbm);
		else if (r->t_ns > t->effect_ns)
			s->light_least = fmin(s->light_least, dbm);
	}
}

static void cliff_see(const struct world *w, unsigned port,
		      const struct truth *t, struct port_seen *s)
{
	int64_t life = t->cliff_ns - t->onset_ns, now = plant_d.now_ns(w);
	double loss = plant_d.true_codeword_loss(w, port) *
		      d_code_rate(plant_d.ports(w)[port].speed_mbps) * HOUR_S;

	if (t->cliff_ns == INT64_MAX || t->law[0] == '\0')
		return;
	if (now < t->onset_ns)
		s->loss_before = fmax(s->loss_before, loss);
	if (now > t->cliff_ns && now < t->cliff_ns + life / 10)
		s->loss_after = fmax(s->loss_after, loss);
}

/* Each port's one truth, whole-switch ones aside; NULL: healthy. */
static const struct truth *truth_of(const struct world *w, unsigned port)
{
	const struct truth *t;
	size_t n = plant_d.truths(w, &t);

	for (size_t i = 0; i < n; i++)
		if (!t[i].benign && t[i].ports >> port & 1)
			return &t[i];
	return NULL;
}

static void port_see(struct world *w, unsigned port, struct port_seen *s)
{
	const struct truth *t = truth_of(w, port);
	struct world_reading r;

	if (!plant_d.read(w, port, &r))
		return;
	if (t) {
		light_see(t, &r, plant_d.ports(w)[port].lanes, s);
		cliff_see(w, port, t, s);
	}
	/* Counted anew, or down: what was before is left out. */
	if (!s->has || r.fec_corrected_bits < s->last.fec_corrected_bits ||
	    !r.oper_up) {
		s->first = s->last = r;
		s->has = true;
		s->ber_sum = 0;
		s->ticks = 0;
		return;
	}
	s->last = r;
	s->ber_sum += pow(10, plant_d.true_log_ber(w, port));
	s->ticks++;
}

static void world_see(struct world *w, struct port_seen *s)
{
	memset(s, 0, PORTS * sizeof(*s));
	for (unsigned i = 0; i < PORTS; i++)
		s[i].light_before = s[i].light_least = 99;
	while (plant_d.next(w))
		for (unsigned i = 0; i < PORTS; i++)
			port_see(w, i, &s[i]);
}

/* Light of a port whose light is said to fall: 1 it fell, -1 not, 0: not so. */
static int light_fell(const struct truth *t, const struct port_seen *s)
{
	if (!t || t->effect_ns == INT64_MAX ||
	    (t->signature != SIGNATURE_CONTAMINATION &&
	     t->signature != SIGNATURE_BENT_FIBRE &&
	     t->signature != SIGNATURE_FAR_LASER) ||
	    s->light_before > 90 || s->light_least > 90)
		return 0;
	return s->light_least < s->light_before - 0.1 ? 1 : -1;
}

static bool counts_errors(const struct world_port *p, const struct truth *t,
			  const struct port_seen *s)
{
	double dt_s = (double)(s->last.t_ns - s->first.t_ns) / 1e9;
	double bits = d_code_rate(p->speed_mbps) * dt_s *
		      (p->fec == FEC_RS544 ? 5440 : 5280);
	double seen = (double)(s->last.fec_corrected_bits -
			       s->first.fec_corrected_bits);

	if (t || p->fec == FEC_NONE || p->coherent || seen < 1e4 ||
	    fabs(dt_s - s->ticks) > 20 || s->ticks < 300)
		return false;
	assert_float_equal(seen / bits / (s->ber_sum / s->ticks), 1, 0.08);
	assert_true(s->last.fec_uncorrectable_codewords < 5);
	return true;
}

static void test_readings_agree_with_truth(void **state)
{
	unsigned light = 0, counted = 0, cliffs = 0, right = 0;
	struct port_seen s[PORTS];

	(void)state;
	for (uint64_t seed = 20; seed < 20 + SEEDS; seed++) {
		struct world *w = opened(seed, MIX_FAULTS, false);

		world_see(w, s);
		for (unsigned i = 0; i < PORTS; i++) {
			const struct truth *t = truth_of(w, i);
			int fell = light_fell(t, &s[i]);

			assert_true(fell >= 0);
			light += fell > 0;
			counted += counts_errors(&plant_d.ports(w)[i], t,
						 &s[i]);
			cliffs += s[i].loss_after > 0;
			right += s[i].loss_after > 1e-3 &&
				 s[i].loss_before < 0.1;
		}
		plant_d.close(w);
	}
	assert_true(light >= 6 && counted >= 20 && cliffs >= 6);
	assert_true(right * 10 >= cliffs * 8);
}

static void test_nothing_is_a_fault_on_healthy_switches(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct world *w = opened(seed, MIX_HEALTHY, true);
		const struct truth *t;
		size_t n = plant_d.truths(w, &t);

		assert_true(n > 10);
		while (n--) {
			assert_true(t[n].benign);
			assert_true(t[n].effect_ns == INT64_MAX);
			assert_true(t[n].signature == 0 || t[n].signature ==
				    SIGNATURE_MODULE_CHANGED);
		}
		plant_d.close(w);
	}
}

/* A fall that begins and ends between two readings counts, once. */
static void test_falls_between_readings_count(void **state)
{
	struct world *w = opened(1, MIX_HEALTHY, false);
	struct d_port *p = &w->state[0];
	uint64_t before = p->now.link_down_count;
	struct d_down down[] = {
		{ D_NS * 101 / 10, D_NS * 103 / 10, DOWN_RX_LOS },
		{ D_NS * 102 / 10, D_NS * 105 / 10, DOWN_RX_LOS },
		{ D_NS * 108 / 10, D_NS * 109 / 10, DOWN_RX_LOS },
	};
	struct d_down *own = p->down;

	(void)state;
	w->actives = w->faults = 0;
	p->down = down;
	p->downs = 3;
	while (plant_d.next(w) && plant_d.now_ns(w) < 12 * D_NS)
		assert_true(p->now.oper_up);
	assert_int_equal(p->now.link_down_count, before + 2);
	p->down = own;
	plant_d.close(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_laws_go_from_nothing_to_all),
		cmocka_unit_test(test_codes_lose_more_by_runs_of_errors),
		cmocka_unit_test(test_plant_d_refuses_what_is_no_case),
		cmocka_unit_test(test_plant_d_goes_the_same_way_twice),
		cmocka_unit_test(test_plant_d_plays_all_kinds),
		cmocka_unit_test(test_plant_d_strikes_twice),
		cmocka_unit_test(test_readings_agree_with_truth),
		cmocka_unit_test(test_nothing_is_a_fault_on_healthy_switches),
		cmocka_unit_test(test_falls_between_readings_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
