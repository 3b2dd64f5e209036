/* petrel-test: no-valgrind IT PLAYS MILLIONS OF READINGS; ASAN RUNS IT TOO */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/world_span.h"

#define SEEDS 12
#define WHAT_MAX 96

static const enum signature link_signatures[] = {
	SIGNATURE_FEC_TREND, SIGNATURE_FEC_UNCORRECTABLE,
	SIGNATURE_CONTAMINATION, SIGNATURE_BENT_FIBRE, SIGNATURE_FAR_LASER,
	SIGNATURE_TX_DECAY, SIGNATURE_THERMAL_FEC, SIGNATURE_LOOSE_MODULE,
	SIGNATURE_COPPER_DEGRADE, SIGNATURE_LANE_IMBALANCE,
	SIGNATURE_FLAP_BURST, SIGNATURE_LINK_DOWN, SIGNATURE_SHARED_COMPONENT,
	SIGNATURE_ENVIRONMENT, SIGNATURE_SENSOR_FAULT,
	SIGNATURE_MODULE_CHANGED,
};

/* All but what befalls a whole switch without a fault in it. */
static bool is_struck(const struct world *w, unsigned port)
{
	const struct truth *t;
	size_t n = plant_b.truths(w, &t);

	for (size_t i = 0; i < n; i++)
		if (t[i].ports >> port & 1 &&
		    (!t[i].benign ||
		     __builtin_popcountll(t[i].ports) < 32))
			return true;
	return false;
}

static bool has_clock_step(const struct world *w)
{
	const struct truth *t;
	size_t n = plant_b.truths(w, &t);
	bool ret = false;

	for (size_t i = 0; i < n; i++)
		ret |= !strcmp(t[i].what, "clock_step");
	return ret;
}

static uint64_t hashed(uint64_t h, const void *data, size_t n)
{
	const uint8_t *at = data;

	for (size_t i = 0; i < n; i++)
		h = (h ^ at[i]) * 0x100000001b3ull;
	return h;
}

static uint64_t life_hash(const struct world_case *c)
{
	struct world *w = world_opened(c);
	uint64_t h = 0xcbf29ce484222325ull;
	static struct world_reading r;
	double true_ber;

	while (plant_b.next(w))
		for (unsigned i = 0; i < c->ports; i++) {
			bool is_read = plant_b.read(w, i, &r);

			true_ber = plant_b.true_log_ber(w, i);
			h = hashed(h, &is_read, sizeof(is_read));
			h = hashed(h, &true_ber, sizeof(true_ber));
			if (is_read)
				h = hashed(h, &r, sizeof(r));
		}
	plant_b.close(w);
	return h;
}

static void test_plant_b_goes_the_same_way_twice(void **state)
{
	(void)state;
	for (int mix = 0; mix < MIX_COUNT; mix++) {
		struct world_case c = world_hour(7, (enum world_mix)mix), d = c;

		c.length_ns = d.length_ns = WORLD_HOUR_NS / 6;
		d.seed = 8;
		assert_int_equal(life_hash(&c), life_hash(&c));
		assert_int_not_equal(life_hash(&c), life_hash(&d));
	}
}

static void test_plant_b_refuses_what_is_no_case(void **state)
{
	struct world_case c = world_hour(1, MIX_FAULTS);
	struct world *w;

	(void)state;
	c.ports = 0;
	assert_int_equal(plant_b.open(&c, &w), -22);
	c.ports = WORLD_PORTS_MAX + 1;
	assert_int_equal(plant_b.open(&c, &w), -22);
	plant_b.close(NULL);
	c = world_hour(1, MIX_FAULTS);
	for (c.ports = 1; c.ports < 9; c.ports++)
		plant_b.close(world_opened(&c));
}

static unsigned words_add(const char **words, unsigned n, const char *word)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(words[i], word))
			return n;
	words[n] = word;
	return n + 1;
}

/* How many words there are among the truths of many worlds. */
static unsigned words_of(enum world_mix mix, bool is_benign,
			 unsigned *ret_signatures)
{
	const char *words[WHAT_MAX];
	unsigned n = 0;

	for (uint64_t seed = 0; seed < 4 * SEEDS; seed++) {
		struct world_case c = world_hour(seed, mix);
		struct world *w = world_opened(&c);
		const struct truth *t;
		size_t count = plant_b.truths(w, &t);

		for (size_t i = 0; i < count; i++) {
			if (t[i].benign != is_benign)
				continue;
			n = words_add(words, n, t[i].what);
			ret_signatures[t[i].signature]++;
			assert_true(t[i].ports);
			assert_true(t[i].onset_ns < c.length_ns);
			assert_true(t[i].end_ns > t[i].onset_ns);
		}
		plant_b.close(w);
	}
	return n;
}

static void test_plant_b_has_each_signature(void **state)
{
	unsigned seen[SIGNATURE_COUNT] = { 0 }, none[SIGNATURE_COUNT] = { 0 };

	(void)state;
	assert_true(words_of(MIX_FAULTS, false, seen) > 28);
	for (size_t i = 0; i < sizeof(link_signatures) /
			       sizeof(link_signatures[0]); i++)
		assert_true(seen[link_signatures[i]] >= 2);
	assert_int_equal(seen[0], 0);
	assert_int_equal(words_of(MIX_HEALTHY, false, none), 0);
	assert_true(words_of(MIX_STRANGE, false, none) >= 5);
	for (unsigned i = 1; i < SIGNATURE_COUNT; i++)
		assert_int_equal(none[i], 0);
}

static void test_plant_b_has_each_benign_change(void **state)
{
	static const char *const all[] = {
		"diurnal_heat", "load_phases", "shut", "peer_reboot",
		"warm_up", "module_swap", "counters_cleared", "counter_reset",
		"readings_miss", "readings_late", "dom_stale", "dom_still",
		"dom_garbage", "prbs", "cold_port", "recabling", "rack", "clock_step",
		"pause", "reboot", "maintenance",
	};
	unsigned seen[sizeof(all) / sizeof(all[0])] = { 0 };

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct world_case c = world_hour(seed, MIX_HEALTHY);
		struct world *w = world_opened(&c);
		const struct truth *t;
		size_t n = plant_b.truths(w, &t);

		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < sizeof(all) / sizeof(all[0]);
			     j++)
				seen[j] += !strcmp(all[j], t[i].what);
		plant_b.close(w);
	}
	for (size_t j = 0; j < sizeof(all) / sizeof(all[0]); j++)
		assert_true(seen[j] >= SEEDS / 2);
}

/* Bit errors, codewords and bins of a span against what is true. */
static void span_judge(const struct world_span *s, const struct world_port *p)
{
	double time_s = (double)(s->last.t_ns - s->first.t_ns) / 1e9;
	double codewords = world_codewords_per_s(p) * time_s;
	double bits = codewords * (p->fec == FEC_RS544 ? 5440 : 5280);
	double told = (double)(s->last.fec_corrected_bits -
			       s->first.fec_corrected_bits);
	double expected = s->ber_sum / s->ticks * bits;
	uint64_t sum = 0, corrected = 0, symbols = 0;

	assert_true(fabs(told - expected) < 8 * sqrt(expected + 1) +
		    0.02 * expected);
	if (!s->last.has_bins)
		return;
	for (unsigned k = 0; k < WORLD_BINS; k++) {
		uint64_t d = s->last.fec_bins[k] - s->first.fec_bins[k];
		bool is_lost = k > (p->fec == FEC_RS544 ? 15 : 7);

		sum += d;
		corrected += k && !is_lost ? d : 0;
		symbols += is_lost ? 0 : k * d;
	}
	assert_true(fabs((double)sum - codewords) < 3);
	assert_int_equal(corrected, s->last.fec_corrected_codewords -
			 s->first.fec_corrected_codewords);
	assert_int_equal(symbols, s->last.fec_symbol_errors -
			 s->first.fec_symbol_errors);
}

static void test_plant_b_counts_what_is_true(void **state)
{
	static struct world_span spans[32];
	unsigned judged = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 14; seed++) {
		struct world_case c = world_hour(seed, MIX_FAULTS);
		struct world *w;

		c.length_ns = 600 * WORLD_SECOND_NS;
		memset(spans, 0, sizeof(spans));
		w = world_opened(&c);
		world_span_play(w, c.ports, spans);
		for (unsigned i = 0; i < c.ports; i++) {
			const struct world_port *p = &plant_b.ports(w)[i];

			if (spans[i].is_broken || is_struck(w, i) ||
			    p->counter_bits == 32 || p->fec == FEC_NONE ||
			    spans[i].first.t_ns > 5 * WORLD_SECOND_NS ||
			    spans[i].last.t_ns < 595 * WORLD_SECOND_NS ||
			    spans[i].last.t_ns > 601 * WORLD_SECOND_NS ||
			    has_clock_step(w))
				continue;
			span_judge(&spans[i], p);
			judged++;
		}
		plant_b.close(w);
	}
	assert_true(judged > 30);
}

static void test_plant_b_tells_events_and_sensors(void **state)
{
	unsigned events[WORLD_EVENT_KIND_COUNT] = { 0 }, fans = 0, bad = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 12; seed++) {
		struct world_case c = world_hour(seed, seed % 2 ? MIX_HEALTHY :
							       MIX_FAULTS);
		struct world *w = world_opened(&c);
		const struct world_event *e;
		const struct world_sensor *s;
		const struct truth *t;
		size_t n = plant_b.truths(w, &t);

		for (size_t i = 0; i < n; i++)
			fans += !strcmp(t[i].what, "fan_dead");
		while (plant_b.next(w)) {
			n = plant_b.events(w, &e);
			for (size_t i = 0; i < n; i++) {
				events[e[i].kind]++;
				assert_in_range(e[i].t_ns,
						plant_b.now_ns(w) -
						WORLD_SECOND_NS,
						plant_b.now_ns(w));
			}
		}
		n = plant_b.sensors(w, &s);
		for (size_t i = 0; i < n; i++)
			bad += s[i].kind == WORLD_FAN && !s[i].ok;
		plant_b.close(w);
	}
	for (unsigned i = 0; i < WORLD_EVENT_KIND_COUNT; i++)
		assert_true(events[i] >= 3);
	assert_true(fans > 0 && bad > 0 && bad <= fans);
}

/* A port that nothing strikes stays within its slow noise and heat. */
static void test_plant_b_leaves_the_healthy_alone(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 4; seed++) {
		struct world_case c = world_hour(seed, MIX_FAULTS);
		struct world *w = world_opened(&c);
		double low[32], high[32];

		for (unsigned i = 0; i < 32; i++) {
			low[i] = 0;
			high[i] = -40;
		}
		while (plant_b.next(w))
			for (unsigned i = 0; i < 32; i++) {
				double x = plant_b.true_log_ber(w, i);

				low[i] = fmin(low[i], x);
				high[i] = fmax(high[i], x);
				if (!is_struck(w, i))
					assert_true(plant_b.true_codeword_loss(
						w, i) < 1e-13);
			}
		for (unsigned i = 0; i < 32; i++)
			if (!is_struck(w, i))
				assert_true(high[i] - low[i] < 1.2);
		plant_b.close(w);
	}
}

static void test_plant_b_grows_by_the_laws_asked_for(void **state)
{
	unsigned count = 0;

	(void)state;
	while (plant_b.laws[count])
		count++;
	assert_true(count >= 5);
	for (unsigned law = 0; law < count; law++) {
		struct world_case c = world_hour(3, MIX_TWO);
		struct world *w;
		const struct truth *t;
		size_t n;

		c.laws = 1u << law;
		w = world_opened(&c);
		n = plant_b.truths(w, &t);
		for (size_t i = 0; i < n; i++)
			assert_true(!t[i].law[0] ||
				    !strcmp(t[i].law, plant_b.laws[law]));
		plant_b.close(w);
	}
}

static void test_plant_b_strikes_twice(void **state)
{
	struct world_case c = world_hour(11, MIX_TWO);
	struct world *w = world_opened(&c);
	const struct truth *t;
	size_t n = plant_b.truths(w, &t);
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
	assert_true(pairs >= 6);
	plant_b.close(w);
}

/* Dirt of counters and clocks, over some worlds. */
struct dirt {
	unsigned wraps, anew, backward, missing, readings, old_dom, dom;
};

static void dirt_look(struct world *w, unsigned ports, struct dirt *d)
{
	static struct world_reading r, last[WORLD_PORTS_MAX];

	memset(last, 0, sizeof(last));
	while (plant_b.next(w))
		for (unsigned i = 0; i < ports; i++) {
			const struct world_port *p = &plant_b.ports(w)[i];

			d->readings++;
			if (!plant_b.read(w, i, &r)) {
				d->missing++;
				continue;
			}
			d->backward += r.t_ns < last[i].t_ns;
			if (r.in_octets < last[i].in_octets)
				*(p->counter_bits == 32 ? &d->wraps :
				  &d->anew) += 1;
			assert_true(p->counter_bits == 64 ||
				    r.in_octets <= UINT32_MAX);
			d->dom += r.has_dom;
			d->old_dom += r.has_dom && r.t_ns - r.dom_t_ns >
				      55 * WORLD_SECOND_NS;
			last[i] = r;
		}
}

static void test_plant_b_is_dirty(void **state)
{
	struct dirt easy = { 0 }, hard = { 0 };

	(void)state;
	for (uint64_t seed = 0; seed < 4; seed++) {
		struct world_case c = world_hour(seed, MIX_HEALTHY);
		struct world *w = world_opened(&c);

		dirt_look(w, c.ports, &easy);
		plant_b.close(w);
		c.hard = true;
		w = world_opened(&c);
		dirt_look(w, c.ports, &hard);
		plant_b.close(w);
	}
	assert_true(easy.wraps > 10 && easy.anew > 10 && easy.backward > 10);
	assert_true(easy.missing < easy.readings / 5);
	assert_true(hard.missing > easy.missing + easy.readings / 60);
	assert_true(easy.old_dom < easy.dom / 4);
	assert_true(hard.old_dom > hard.dom / 2);
}

static void test_plant_b_plays_slowly_too(void **state)
{
	struct world_case c = world_hour(21, MIX_FAULTS);
	static struct world_reading r;
	unsigned reads = 0, ticks = 0;
	struct world *w;

	(void)state;
	c.pace = PACE_SLOW;
	c.length_ns = 24 * WORLD_HOUR_NS;
	w = world_opened(&c);
	for (; plant_b.next(w); ticks++)
		for (unsigned i = 0; i < c.ports; i++)
			reads += plant_b.read(w, i, &r);
	assert_int_equal(ticks, 24 * 60);
	assert_true(reads > 24 * 60 * 32 * 9 / 10);
	plant_b.close(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plant_b_goes_the_same_way_twice),
		cmocka_unit_test(test_plant_b_refuses_what_is_no_case),
		cmocka_unit_test(test_plant_b_has_each_signature),
		cmocka_unit_test(test_plant_b_has_each_benign_change),
		cmocka_unit_test(test_plant_b_counts_what_is_true),
		cmocka_unit_test(test_plant_b_tells_events_and_sensors),
		cmocka_unit_test(test_plant_b_leaves_the_healthy_alone),
		cmocka_unit_test(test_plant_b_grows_by_the_laws_asked_for),
		cmocka_unit_test(test_plant_b_strikes_twice),
		cmocka_unit_test(test_plant_b_is_dirty),
		cmocka_unit_test(test_plant_b_plays_slowly_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
