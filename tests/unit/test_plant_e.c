/* petrel-test: no-valgrind IT PLAYS THOUSANDS OF READINGS; ASAN RUNS IT TOO */
/* Plant E: what is true agrees with what it shows. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/judge/e_world.h"

#define PORTS 32
#define HOUR_S 3600.0
#define SEEDS 6

static struct world *opened(uint64_t seed, enum world_mix mix, bool hard)
{
	const struct world_case at = { .seed = seed, .mix = mix, .hard = hard,
		.ports = PORTS, .length_ns = 3600 * E_NS };
	struct world *w;

	assert_int_equal(plant_e.open(&at, &w), 0);
	return w;
}

/* One of them stops before its size or beyond it; all others reach it. */
static void test_laws_go_from_nothing_to_all(void **state)
{
	unsigned least = 0;

	(void)state;
	for (unsigned law = 0; law < E_LAWS; law++) {
		bool ends_elsewhere = strcmp(e_laws[law], "arrested") == 0;

		for (uint64_t key = 1; key < 20; key++) {
			double at_1 = e_law(law, key, 1);

			assert_true(e_law(law, key, 0) == 0);
			assert_true(ends_elsewhere || fabs(at_1 - 1) < 0.02);
			least += at_1 < 0.9;
			for (double x = 0; x < 5; x += 0.05)
				assert_true(e_law(law, key, x) >= 0 &&
					    e_law(law, key, x) <= 1.5);
		}
	}
	assert_true(least > 5);
	assert_null(e_laws[E_LAWS]);
}

/* How far it goes back, and for how long it stands still, at most. */
static void growth_see(unsigned law, uint64_t key, double *ret_back,
		       double *ret_still)
{
	double most = 0, since = 0, y;

	for (double x = 0; x <= 1; x += 0.005) {
		y = e_law(law, key, x);
		if (y > most + 1e-9) {
			most = y;
			since = x;
		}
		*ret_back = fmax(*ret_back, most - y);
		*ret_still = fmax(*ret_still, x - since);
	}
}

static void test_growth_pauses_and_goes_back(void **state)
{
	(void)state;
	for (unsigned law = 0; law < E_LAWS; law++) {
		double back = 0, still = 0;

		for (uint64_t key = 1; key < 20; key++)
			growth_see(law, key, &back, &still);
		assert_int_equal(back > 0.05,
				 strcmp(e_laws[law], "reversing") == 0);
		if (strcmp(e_laws[law], "pausing") == 0 ||
		    strcmp(e_laws[law], "stairs") == 0)
			assert_true(still > 0.08);
	}
}

/* Falls of a stretch are those of its parts; a link is up before each. */
static void test_falls_do_not_hang_on_the_tick(void **state)
{
	static const struct e_kind kind = { .course = E_STEP };
	struct e_happening h = { .kind = &kind, .key = 7, .end_ns = E_NEVER,
				 .size = { [E_FALLS] = 60, [E_DOWN] = 20 } };
	int64_t until_ns = 0, last_ns = 0;
	unsigned sum = 0, all = e_falls(&h, 0, 7200 * E_NS, &until_ns);

	(void)state;
	for (int64_t t = 0; t < 7200 * E_NS; t += E_NS) {
		unsigned n = e_falls(&h, t, t + E_NS, &until_ns);

		assert_true(n <= 1);
		assert_true(n == 0 || t + E_NS > last_ns);
		if (n)
			last_ns = until_ns;
		sum += n;
	}
	assert_int_equal(sum, all);
	assert_true(all > 30 && all < 240);
}

static void test_codes_lose_more_by_runs_of_errors(void **state)
{
	struct e_media m = { .fec = FEC_RS544, .speed_mbps = 400000,
			     .traits = E_PAM4 | E_CODED, .lanes = 4 };
	double chance[E_BINS], lost, mean = 0, sum = 0;

	(void)state;
	lost = e_code(&m, 1e-4, 0.1, chance);
	for (unsigned i = 0; i < E_BINS; i++) {
		mean += i * chance[i];
		sum += chance[i];
	}
	assert_float_equal(sum + lost, 1, 1e-9);
	assert_float_equal(mean, 544 * 10e-4 / E_SYMBOL_BITS, 2e-3);
	/* 1e-13 to 1e-10 at 2.4e-4, the limit of clause 124. */
	lost = e_code(&m, 2.4e-4, 1e-4, chance);
	assert_true(lost > 1e-13 && lost < 1e-10);
	assert_true(e_code(&m, 2.4e-4, 0.1, chance) > 10 * lost);
	assert_true(e_code(&m, 0.1, 0.1, chance) > 0.99);
	m.fec = FEC_NONE;
	assert_true(e_code(&m, 1e-15, 0.1, chance) > 1e-12);
	m.traits = E_COHERENT;
	assert_float_equal(e_code(&m, 0.0125, 0.1, chance), 1e-15, 1e-16);
	for (double log_ber = -18; log_ber < -2; log_ber += 0.5)
		assert_float_equal(log10(e_ber_of(e_snr_of(log_ber, E_PAM4),
						  E_PAM4)), log_ber, 1e-5);
}

static void test_plant_e_refuses_what_is_no_case(void **state)
{
	struct world_case at = { .ports = 0, .length_ns = 3600 * E_NS };
	struct world *w;

	(void)state;
	assert_int_equal(plant_e.open(&at, &w), -EINVAL);
	at.ports = WORLD_PORTS_MAX + 1;
	assert_int_equal(plant_e.open(&at, &w), -EINVAL);
	at.ports = 1;
	at.length_ns = 0;
	assert_int_equal(plant_e.open(&at, &w), -EINVAL);
	at.length_ns = 100 * E_NS;
	assert_int_equal(plant_e.open(&at, &w), 0);
	plant_e.close(w);
	plant_e.close(NULL);
}

static bool same(const struct world_reading *a, const struct world_reading *b)
{
	return a->t_ns == b->t_ns && a->oper_up == b->oper_up &&
	       a->fec_corrected_bits == b->fec_corrected_bits &&
	       a->in_octets == b->in_octets && a->has_dom == b->has_dom &&
	       memcmp(a->rx_dbm, b->rx_dbm, sizeof(a->rx_dbm)) == 0;
}

static void test_plant_e_goes_the_same_way_twice(void **state)
{
	struct world *a = opened(5, MIX_FAULTS, true);
	struct world *b = opened(5, MIX_FAULTS, true);
	struct world *c = opened(6, MIX_FAULTS, true);
	struct world_reading x, y, z;
	unsigned other = 0;

	(void)state;
	while (plant_e.next(a) && plant_e.next(b) && plant_e.next(c))
		for (unsigned i = 0; i < PORTS; i++) {
			bool has = plant_e.read(a, i, &x);

			assert_int_equal(has, plant_e.read(b, i, &y));
			if (has)
				assert_true(same(&x, &y));
			other += has && plant_e.read(c, i, &z) && !same(&x, &z);
		}
	assert_true(other > 1000);
	plant_e.close(a);
	plant_e.close(b);
	plant_e.close(c);
}

/* Before anything befalls, no port is near the cliff. */
static void test_healthy_ports_lose_next_to_nothing(void **state)
{
	const struct e_stress none = { .load = 1 };
	double chance[E_BINS];

	(void)state;
	for (uint64_t seed = 0; seed < 30; seed++) {
		struct world *w = opened(seed, MIX_HEALTHY, false);

		for (unsigned i = 0; i < PORTS; i++) {
			const struct e_port *p = &w->state[i];
			double ber = e_ber(p, &none, 50, 0, NULL);

			assert_true(e_codewords_hz(p->media) * HOUR_S *
				    e_code(p->media, ber, p->excess, chance) <
				    0.1);
		}
		plant_e.close(w);
	}
}

/* A link that cannot bear its errors stays down: it falls once. */
static void test_a_link_falls_once_for_its_errors(void **state)
{
	struct world *w = opened(1, MIX_HEALTHY, false);
	struct e_port *p = &w->state[0];
	uint64_t before = p->now.link_down_count;

	(void)state;
	w->happenings = 0;
	assert_true(plant_e.next(w) && p->now.oper_up);
	for (unsigned i = 0; i < p->media->lanes; i++)
		p->snr[i] = 1;
	for (unsigned i = 0; i < 20; i++)
		assert_true(plant_e.next(w) && !p->now.oper_up);
	assert_int_equal(p->now.link_down_count, before + 1);
	assert_true(plant_e.true_codeword_loss(w, 0) == 0);
	plant_e.close(w);
}

/* Every kind has its turn, on half of the ports at most. */
static void test_plant_e_plays_all_kinds(void **state)
{
	const struct e_kind *k;
	size_t n = e_menu(&k), played = 0;
	bool seen[128] = { false };

	(void)state;
	for (uint64_t i = 0; i < 90; i++) {
		struct world *w = opened(i, (enum world_mix)(i / 4 % MIX_COUNT),
					 false);
		const struct truth *t;
		size_t count = plant_e.truths(w, &t);
		uint64_t struck = 0;

		for (size_t j = 0; j < count; j++) {
			seen[w->happening[j].kind - k] = true;
			struck |= t[j].benign ? 0 : t[j].ports;
			assert_true(t[j].onset_ns >= 0 &&
				    t[j].onset_ns < 3600 * E_NS);
			assert_true(t[j].effect_ns >= t[j].onset_ns &&
				    t[j].cliff_ns >= t[j].onset_ns &&
				    t[j].cliff_ns >= t[j].cliff_later_ns &&
				    t[j].end_ns > t[j].onset_ns);
		}
		assert_true(__builtin_popcountll(struck) <= PORTS / 2);
		plant_e.close(w);
	}
	for (size_t i = 0; i < n; i++)
		played += seen[i];
	assert_int_equal(played, n);
}

static void test_plant_e_strikes_twice(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct world *w = opened(seed, MIX_TWO, false);
		const struct truth *t;
		size_t n = plant_e.truths(w, &t), pairs = 0;

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
		plant_e.close(w);
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

		if (isnan(dbm) || dbm <= E_DARK_DBM ||
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
	int64_t life = t->cliff_ns - t->onset_ns, now = plant_e.now_ns(w);
	double loss = plant_e.true_codeword_loss(w, port) *
		      e_codewords_hz(w->state[port].media) * HOUR_S;

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
	size_t n = plant_e.truths(w, &t);

	for (size_t i = 0; i < n; i++)
		if (!t[i].benign && t[i].ports >> port & 1)
			return &t[i];
	return NULL;
}

static void port_see(struct world *w, unsigned port, struct port_seen *s)
{
	const struct truth *t = truth_of(w, port);
	struct world_reading r;

	if (!plant_e.read(w, port, &r))
		return;
	if (t) {
		light_see(t, &r, plant_e.ports(w)[port].lanes, s);
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
	s->ber_sum += pow(10, plant_e.true_log_ber(w, port));
	s->ticks++;
}

static void world_see(struct world *w, struct port_seen *s)
{
	memset(s, 0, PORTS * sizeof(*s));
	for (unsigned i = 0; i < PORTS; i++)
		s[i].light_before = s[i].light_least = 99;
	while (plant_e.next(w))
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

static bool counts_errors(const struct world_port *p, const struct e_media *m,
			  const struct truth *t, const struct port_seen *s)
{
	double dt_s = (double)(s->last.t_ns - s->first.t_ns) / 1e9;
	double bits = e_codewords_hz(m) * dt_s *
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
			counted += counts_errors(&plant_e.ports(w)[i],
						 w->state[i].media, t, &s[i]);
			cliffs += s[i].loss_after > 0;
			right += s[i].loss_after > 1e-3 &&
				 s[i].loss_before < 0.1;
		}
		plant_e.close(w);
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
		size_t n = plant_e.truths(w, &t);

		assert_true(n > 10);
		while (n--) {
			assert_true(t[n].benign);
			assert_true(t[n].effect_ns == INT64_MAX);
			assert_true(t[n].signature == 0 || t[n].signature ==
				    SIGNATURE_MODULE_CHANGED);
		}
		plant_e.close(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_laws_go_from_nothing_to_all),
		cmocka_unit_test(test_growth_pauses_and_goes_back),
		cmocka_unit_test(test_falls_do_not_hang_on_the_tick),
		cmocka_unit_test(test_codes_lose_more_by_runs_of_errors),
		cmocka_unit_test(test_plant_e_refuses_what_is_no_case),
		cmocka_unit_test(test_plant_e_goes_the_same_way_twice),
		cmocka_unit_test(test_healthy_ports_lose_next_to_nothing),
		cmocka_unit_test(test_a_link_falls_once_for_its_errors),
		cmocka_unit_test(test_plant_e_plays_all_kinds),
		cmocka_unit_test(test_plant_e_strikes_twice),
		cmocka_unit_test(test_readings_agree_with_truth),
		cmocka_unit_test(test_nothing_is_a_fault_on_healthy_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
