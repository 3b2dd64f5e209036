/* petrel-test: no-valgrind IT PLAYS 100,000 READINGS; ASAN RUNS IT TOO */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/judge/c_world.h"

#define PORTS 32
#define SECOND_NS 1000000000ll
#define HOUR_NS (3600 * SECOND_NS)

extern const struct plant_model plant_c;

static struct world_case hour(uint64_t seed, enum world_mix mix)
{
	return (struct world_case){ .seed = seed, .mix = mix, .ports = PORTS,
				    .length_ns = HOUR_NS };
}

static struct world *opened(const struct world_case *c)
{
	struct world *w = NULL;

	assert_int_equal(plant_c.open(c, &w), 0);
	return w;
}

/* --- physics -------------------------------------------------------------- */

static struct c_eye eye_of(enum c_medium medium)
{
	const struct c_media_row *m = c_media_row(medium);

	return (struct c_eye){ .hiss = 0.7, .shot = 0.1, .beat = 0.2,
			       .q_least = m->q_least,
			       .ber_share = m->ber_share };
}

static void test_an_eye_at_its_least_errs_as_its_standard_says(void **state)
{
	static const struct {
		enum c_medium medium;
		double ber;
	} rows[] = { { C_DR4, 2.4e-4 }, { C_LR4_100G, 5e-5 },
		     { C_ZR, 1.25e-2 } };
	struct c_strain none = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct c_eye e = eye_of(rows[i].medium);
		double ber = c_eye_ber(&e, &none);

		assert_true(fabs(ber / rows[i].ber - 1) < 0.04);
	}
}

/* With all noise from the amplifier a decibel of light is two of Q; with all
 * of it beating with the signal it is none.
 */
static void test_light_counts_by_what_the_noise_is_made_of(void **state)
{
	struct c_strain none = { 0 }, lost = { .lost_db = 3 }, shut = {
		.shut_db = 6 };
	struct c_eye e = eye_of(C_DR4);

	(void)state;
	e.margin_db = 4;
	e.hiss = 1;
	e.shot = e.beat = 0;
	assert_true(fabs(c_eye_ber(&e, &lost) / c_eye_ber(&e, &shut) - 1) <
		    1e-9);
	e.hiss = 0;
	e.beat = 1;
	assert_true(fabs(c_eye_ber(&e, &lost) / c_eye_ber(&e, &none) - 1) <
		    1e-9);
}

/* Without runs the tail is the binomial's, as far as Poisson's is. */
static void test_codewords_are_lost_as_the_binomial_has_it(void **state)
{
	static const enum fec_mode modes[] = { FEC_RS528, FEC_RS544 };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct c_code code = *c_code_of(modes[i]);
		double ber = i ? 2.2e-4 : 4e-5, p, sum = 0;
		unsigned n = code.symbols;
		struct c_hits hits;

		code.bits_an_error = 1;
		hits = c_code_hits(&code, ber, 0);
		p = -expm1(10 * log1p(-ber));
		for (unsigned k = code.mends + 1; k < code.mends + 30; k++)
			sum += exp(lgamma(n + 1.) - lgamma(k + 1.) -
				   lgamma(n - k + 1.) + k * log(p) +
				   (n - k) * log1p(-p));
		assert_true(fabs(log10(c_code_loss(&code, &hits) / sum)) <
			    0.15);
	}
}

static void test_runs_keep_the_mean_and_fatten_the_tail(void **state)
{
	const struct c_code *code = c_code_of(FEC_RS544);
	struct c_hits alone = c_code_hits(code, 1e-4, 0);
	struct c_hits runs = c_code_hits(code, 1e-4, 0.3);
	double p[60], mean = 0, sum = 0;

	(void)state;
	c_code_chances(&runs, p, 60);
	for (unsigned k = 0; k < 60; k++) {
		sum += p[k];
		mean += k * p[k];
	}
	assert_true(fabs(sum - 1) < 1e-9);
	assert_true(fabs(mean / alone.events - 1) < 1e-6);
	assert_true(c_code_loss(code, &runs) > 3 * c_code_loss(code, &alone));
}

static void test_laws_begin_at_nothing_and_grow_to_all(void **state)
{
	(void)state;
	for (unsigned law = 0; law < C_LAW_COUNT; law++)
		for (uint64_t mark = 1; mark < 20; mark++) {
			double at_end = c_law_growth((enum c_law)law, 1, mark);

			assert_true(c_law_growth((enum c_law)law, 0, mark) <
				    1e-9);
			assert_true(at_end > 0.75 && at_end < 1.25);
		}
	assert_null(c_law_names[C_LAW_COUNT]);
}

/* A bend takes more of longer waves; dirt of all alike. */
static void test_bends_and_dirt_take_light_their_own_way(void **state)
{
	unsigned seen = 0;

	(void)state;
	for (const struct c_kind *k = c_faults; k->what; k++) {
		struct c_happening h = { .kind = k, .end_ns = C_NEVER,
					 .mark = 77, .size = 3, .span_s = 1,
					 .law = C_STOPS, .lane_count = 4 };
		struct c_stress e = { 0 };

		if (k->signature != SIGNATURE_BENT_FIBRE &&
		    k->signature != SIGNATURE_CONTAMINATION)
			continue;
		h.lane_nm = 20;
		c_kind_add(&e, &h, 5 * SECOND_NS, 1, false);
		if (k->signature == SIGNATURE_BENT_FIBRE)
			assert_true(e.lost_db[3] > 1.6 * e.lost_db[0]);
		else
			assert_true(e.lost_db[3] > 0.85 * e.lost_db[0] &&
				    e.lost_db[0] > 0.85 * e.lost_db[3]);
		seen++;
	}
	assert_int_equal(seen, 5);
}

/* --- what is played ------------------------------------------------------- */

static uint64_t life_hash(const struct world_case *c)
{
	struct world *w = opened(c);
	uint64_t h = 0xcbf29ce484222325ull;
	static struct world_reading r;

	while (plant_c.next(w))
		for (unsigned i = 0; i < c->ports; i++) {
			bool is_read = plant_c.read(w, i, &r);
			const uint8_t *at = (const uint8_t *)&r;

			for (size_t k = 0; is_read && k < sizeof(r); k++)
				h = (h ^ at[k]) * 0x100000001b3ull;
			h = c_mark(h, is_read);
		}
	plant_c.close(w);
	return h;
}

static void test_plant_c_goes_the_same_way_twice(void **state)
{
	(void)state;
	for (int mix = 0; mix < MIX_COUNT; mix++) {
		struct world_case c = hour(5, (enum world_mix)mix), d;

		c.ports = 4;
		c.length_ns = 120 * SECOND_NS;
		d = c;
		d.seed = 6;
		assert_int_equal(life_hash(&c), life_hash(&c));
		assert_int_not_equal(life_hash(&c), life_hash(&d));
	}
}

static void test_plant_c_refuses_what_is_no_case(void **state)
{
	struct world_case c = hour(1, MIX_FAULTS);
	struct world *w;

	(void)state;
	for (c.ports = 1; c.ports < 5; c.ports++)
		plant_c.close(opened(&c));
	c.ports = WORLD_PORTS_MAX + 1;
	assert_int_equal(plant_c.open(&c, &w), -22);
	c.ports = 0;
	assert_int_equal(plant_c.open(&c, &w), -22);
	c = hour(1, MIX_COUNT);
	assert_int_equal(plant_c.open(&c, &w), -22);
	plant_c.close(NULL);
}

/* What shows in readings alone need not be felt. */
static bool must_be_felt(const struct truth *t)
{
	return t->signature != SIGNATURE_ENVIRONMENT &&
	       t->signature != SIGNATURE_SENSOR_FAULT;
}

static void truth_judge(const struct truth *t, const struct world_case *c)
{
	assert_true(t->ports && t->onset_ns >= 0);
	assert_true(t->onset_ns < c->length_ns && t->end_ns > t->onset_ns);
	assert_true(t->effect_ns >= t->onset_ns);
	assert_true(t->cliff_ns == C_NEVER || t->cliff_ns == t->cliff_later_ns);
	assert_true(!must_be_felt(t) || t->effect_ns < c->length_ns);
}

/* Returns the media that were played, a bit each. */
static unsigned truths_judge(enum world_mix mix, uint64_t seeds,
			     unsigned seen[SIGNATURE_COUNT])
{
	unsigned media = 0;

	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct world_case c = hour(seed, mix);
		const struct truth *t;
		struct world *w = opened(&c);
		size_t n = plant_c.truths(w, &t);

		for (size_t i = 0; i < n; i++) {
			if (t[i].benign)
				continue;
			truth_judge(&t[i], &c);
			seen[t[i].signature]++;
		}
		for (unsigned i = 0; i < PORTS; i++)
			media |= C_BIT(w->port[i].medium);
		plant_c.close(w);
	}
	return media;
}

static void test_plant_c_plays_each_signature_till_it_is_felt(void **state)
{
	unsigned seen[SIGNATURE_COUNT] = { 0 }, other[SIGNATURE_COUNT] = { 0 };

	(void)state;
	assert_int_equal(truths_judge(MIX_FAULTS, 9, seen), C_ANY);
	for (unsigned i = SIGNATURE_FEC_TREND; i <= SIGNATURE_ENVIRONMENT; i++)
		assert_true(seen[i] >= 1);
	assert_true(seen[SIGNATURE_SENSOR_FAULT] >= 2 &&
		    seen[SIGNATURE_MODULE_CHANGED] >= 2);
	assert_int_equal(seen[0], 0);
	(void)truths_judge(MIX_HEALTHY, 1, other);
	assert_int_equal(other[0], 0);
	(void)truths_judge(MIX_STRANGE, 2, other);
	assert_true(other[0] >= 8);
	for (unsigned i = 1; i < SIGNATURE_COUNT; i++)
		assert_int_equal(other[i], 0);
}

static void test_plant_c_strikes_twice(void **state)
{
	struct world_case c = hour(3, MIX_TWO);
	struct world *w = opened(&c);
	const struct truth *t;
	size_t n = plant_c.truths(w, &t);
	unsigned pairs = 0;

	(void)state;
	for (size_t i = 0; i + 1 < n; i++)
		if (!t[i].benign && !t[i + 1].benign &&
		    t[i].ports & t[i + 1].ports) {
			int64_t after_ns = t[i + 1].onset_ns - t[i].onset_ns;

			assert_int_not_equal(t[i].signature,
					     t[i + 1].signature);
			assert_in_range(after_ns, c.length_ns / 10,
					c.length_ns / 2);
			pairs++;
		}
	assert_true(pairs >= 8);
	plant_c.close(w);
}

/* What one port counted while nothing befell it. */
struct span {
	struct world_reading first, last;
	double ber_sum, high, low, loss;
	unsigned ticks;
};

static void span_judge(const struct span *s, const struct world_port *p)
{
	double words_per_s = (double)p->speed_mbps * 1e6 / 5140 * 257 / 256;
	double time_s = (double)(s->last.t_ns - s->first.t_ns) / 1e9;
	double expected = s->ber_sum / s->ticks * words_per_s * time_s *
			  (p->fec == FEC_RS544 ? 5440 : 5280);
	double told = (double)(s->last.fec_corrected_bits -
			       s->first.fec_corrected_bits);
	uint64_t words = 0;

	assert_true(s->loss < 1e-13 && s->high - s->low < 0.9);
	if (p->counter_bits == 32)
		return;
	if (!p->coherent)
		assert_true(fabs(told - expected) < 10 * sqrt(expected + 1) +
						    0.03 * expected);
	for (unsigned i = 0; i < WORLD_BINS; i++)
		words += s->last.fec_bins[i] - s->first.fec_bins[i];
	assert_true(!s->last.has_bins ||
		    fabs((double)words - words_per_s * time_s) < 3);
}

static bool is_let_be(const struct world *w, unsigned port)
{
	const struct truth *t;
	size_t n = plant_c.truths(w, &t);
	bool ret = true;

	for (size_t i = 0; i < n; i++)
		ret &= !(t[i].ports >> port & 1) || (t[i].benign &&
			(!strcmp(t[i].what, "day_and_coolers") ||
			 !strcmp(t[i].what, "jobs_pause") ||
			 t[i].onset_ns > 600 * SECOND_NS));
	return ret;
}

static void test_plant_c_leaves_the_healthy_alone_and_counts_them(void **state)
{
	static struct span span[PORTS];
	struct world_reading r;
	unsigned judged = 0;

	(void)state;
	for (uint64_t seed = 30; seed < 32; seed++) {
		struct world_case c = hour(seed, MIX_FAULTS);
		struct world *w = opened(&c);

		memset(span, 0, sizeof(span));
		for (unsigned k = 0; k < 300 && plant_c.next(w); k++)
			for (unsigned i = 0; i < PORTS; i++) {
				struct span *s = &span[i];
				double x = plant_c.true_log_ber(w, i);

				s->high = s->ticks ? fmax(s->high, x) : x;
				s->low = s->ticks ? fmin(s->low, x) : x;
				s->loss = fmax(s->loss,
					plant_c.true_codeword_loss(w, i));
				s->ber_sum += pow(10, x);
				s->ticks++;
				if (!plant_c.read(w, i, &r))
					continue;
				if (!s->first.t_ns)
					s->first = r;
				s->last = r;
			}
		for (unsigned i = 0; i < PORTS; i++) {
			if (!is_let_be(w, i))
				continue;
			span_judge(&span[i], &plant_c.ports(w)[i]);
			judged++;
		}
		plant_c.close(w);
	}
	assert_true(judged > 12);
}

/* Lost an hour as the truth's cliff comes; 0: the link is down then. */
static double lost_at_cliff(const struct world_case *c, size_t index)
{
	struct world *w = opened(c);
	const struct truth *t;
	unsigned port;
	double lost = 0;

	(void)plant_c.truths(w, &t);
	port = (unsigned)__builtin_ctzll(t[index].ports);
	while (plant_c.next(w) && plant_c.now_ns(w) < t[index].cliff_ns)
		lost = plant_c.true_codeword_loss(w, port) *
		       w->port[port].words_per_s * 3600;
	plant_c.close(w);
	return lost;
}

/* What grows loses about a codeword an hour at its cliff: within two decades,
 * which slow noise and heat are worth there.
 */
static void test_plant_c_tells_the_cliff(void **state)
{
	unsigned judged = 0, near = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 24; seed++) {
		struct world_case c = hour(seed, MIX_FAULTS);
		const struct truth *t;
		struct world *w;
		double lost = 0;
		size_t n;

		c.ports = 6;
		c.length_ns = HOUR_NS / 3;
		w = opened(&c);
		n = plant_c.truths(w, &t);
		for (size_t i = 0; i < n; i++)
			if (t[i].law[0] && t[i].cliff_ns < c.length_ns &&
			    t[i].cliff_ns > t[i].onset_ns + 60 * SECOND_NS)
				lost = lost_at_cliff(&c, i);
		plant_c.close(w);
		judged += lost > 0;
		near += lost > 0.01 && lost < 100;
	}
	assert_true(judged >= 3 && near * 5 >= judged * 4);
}

/* A peer that boots is one fall, though its faults and its dark are two. */
static void test_plant_c_counts_a_reboot_of_the_peer_once(void **state)
{
	struct world_case c = hour(1, MIX_HEALTHY);
	struct world *w;
	struct c_port *p;
	uint64_t before;

	(void)state;
	c.ports = 1;
	w = opened(&c);
	p = &w->port[0];
	p->outages = 0;
	p->plans = w->plans = 0;
	p->outage[p->outages++] = (struct c_outage){ 5 * SECOND_NS,
		9 * SECOND_NS, .reason = DOWN_MAC_REMOTE_FAULT };
	p->outage[p->outages++] = (struct c_outage){ 9 * SECOND_NS,
		20 * SECOND_NS, .reason = DOWN_RX_LOS };
	p->is_up = true;
	before = p->falls;
	while (plant_c.next(w) && plant_c.now_ns(w) < 60 * SECOND_NS)
		;
	assert_int_equal(p->falls, before + 1);
	assert_true(p->is_up);
	plant_c.close(w);
}

/* A day of a reading a minute, healthy and hard. */
static void test_plant_c_is_dirty(void **state)
{
	static struct world_reading r, last[PORTS];
	unsigned anew = 0, missing = 0, old_dom = 0, dom = 0, readings = 0;
	struct world_case c = hour(5, MIX_HEALTHY);
	struct world *w;

	(void)state;
	c.pace = PACE_SLOW;
	c.hard = true;
	c.length_ns = 12 * HOUR_NS;
	w = opened(&c);
	while (plant_c.next(w))
		for (unsigned i = 0; i < PORTS; i++) {
			readings++;
			if (!plant_c.read(w, i, &r)) {
				missing++;
				continue;
			}
			anew += r.in_octets < last[i].in_octets;
			dom += r.has_dom;
			old_dom += r.has_dom && r.t_ns - r.dom_t_ns >
				   50 * SECOND_NS;
			last[i] = r;
		}
	plant_c.close(w);
	assert_true(anew >= PORTS / 2);
	assert_true(missing > readings / 40 && missing < readings / 5);
	assert_true(old_dom > dom / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_an_eye_at_its_least_errs_as_its_standard_says),
		cmocka_unit_test(
			test_light_counts_by_what_the_noise_is_made_of),
		cmocka_unit_test(
			test_codewords_are_lost_as_the_binomial_has_it),
		cmocka_unit_test(test_runs_keep_the_mean_and_fatten_the_tail),
		cmocka_unit_test(test_laws_begin_at_nothing_and_grow_to_all),
		cmocka_unit_test(test_bends_and_dirt_take_light_their_own_way),
		cmocka_unit_test(test_plant_c_goes_the_same_way_twice),
		cmocka_unit_test(test_plant_c_refuses_what_is_no_case),
		cmocka_unit_test(
			test_plant_c_plays_each_signature_till_it_is_felt),
		cmocka_unit_test(test_plant_c_strikes_twice),
		cmocka_unit_test(
			test_plant_c_leaves_the_healthy_alone_and_counts_them),
		cmocka_unit_test(test_plant_c_tells_the_cliff),
		cmocka_unit_test(test_plant_c_counts_a_reboot_of_the_peer_once),
		cmocka_unit_test(test_plant_c_is_dirty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
