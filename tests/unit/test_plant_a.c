/* petrel-test: timeout=240 */
/* petrel-test: no-valgrind IT PLAYS A MILLION READINGS; ASAN RUNS IT TOO */
/* The judge's plant A: a case repeats, each thing that can befall occurs, and
 * what it does can be seen in the readings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "petrel/clock.h"
#include "tests/judge/a_deal.h"
#include "tests/judge/world.h"

#define HOUR_NS (3600 * NS_PER_S)
#define TRUTHS_MAX 512
#define KINDS_MAX 96

static struct world_case case_of(uint64_t seed, enum world_pace pace,
				 enum world_mix mix, int64_t hours)
{
	return (struct world_case){ .seed = seed, .pace = pace, .mix = mix,
				    .ports = 64,
				    .length_ns = hours * HOUR_NS };
}

static struct world *world_of(const struct world_case *c)
{
	struct world *w = NULL;

	assert_int_equal(plant_a.open(c, &w), 0);
	return w;
}

static void test_case_opened_twice_goes_the_same_way(void **state)
{
	static struct world_reading a, b;

	(void)state;
	for (unsigned mix = 0; mix < MIX_COUNT; mix++) {
		struct world_case c = case_of(40 + mix, PACE_FAST, mix, 1);
		struct world *v, *w;
		bool more = true;

		c.hard = mix % 2;
		c.length_ns = HOUR_NS / 4;
		v = world_of(&c);
		w = world_of(&c);
		while (more) {
			more = plant_a.next(v);
			assert_int_equal(plant_a.next(w), more);
			for (unsigned i = 0; i < c.ports && more; i++) {
				bool got = plant_a.read(v, i, &a);

				assert_int_equal(plant_a.read(w, i, &b), got);
				if (got)
					assert_memory_equal(&a, &b, sizeof(a));
			}
		}
		plant_a.close(v);
		plant_a.close(w);
	}
}

static void test_case_that_cannot_be_is_refused(void **state)
{
	struct world_case c = case_of(1, PACE_SLOW, MIX_HEALTHY, 1);
	struct world *w;

	(void)state;
	c.ports = 0;
	assert_int_equal(plant_a.open(&c, &w), -EINVAL);
	c.ports = WORLD_PORTS_MAX + 1;
	assert_int_equal(plant_a.open(&c, &w), -EINVAL);
	c.ports = 1;
	c.length_ns = 0;
	assert_int_equal(plant_a.open(&c, &w), -EINVAL);
	plant_a.close(NULL);
}

static void reading_check(const struct world_port *p,
			  const struct world_reading *r)
{
	assert_int_equal(r->has_dom && !p->limits.known, 0);
	assert_true(!r->has_dom || isfinite(r->temp_c));
	assert_true(!r->oper_up || (r->admin_up && r->present &&
				    r->down == DOWN_UNKNOWN));
	for (unsigned i = p->lanes; i < WORLD_LANES_MAX; i++)
		assert_true(isnan(r->rx_dbm[i]) || r->vcc_v > 6);
	if (p->counter_bits == 32)
		assert_true(r->in_octets <= UINT32_MAX &&
			    r->fec_bins[0] <= UINT32_MAX);
}

static void case_check(const struct world_case *c)
{
	struct world *w = world_of(c);
	const struct world_sensor *s;
	struct world_reading r;

	while (plant_a.next(w)) {
		for (unsigned i = 0; i < c->ports; i++) {
			double loss = plant_a.true_codeword_loss(w, i);

			assert_true(loss >= 0 && loss <= 1);
			assert_true(plant_a.true_log_ber(w, i) < 0);
			if (plant_a.read(w, i, &r))
				reading_check(&plant_a.ports(w)[i], &r);
		}
		for (size_t n = plant_a.sensors(w, &s); n > 0; n--)
			assert_true(isfinite(s[n - 1].value));
	}
	plant_a.close(w);
}

static void test_any_case_can_be_played(void **state)
{
	static const unsigned ports[] = { 1, 2, 3, 5, 13, 32, 63, 64 };

	(void)state;
	for (unsigned i = 0; i < 64; i++) {
		struct world_case c = {
			.seed = 900 + i, .pace = i % 2, .mix = i / 2 % 4,
			.hard = i / 8 % 2, .ports = ports[i / 8],
			.length_ns = i % 2 ? 20 * HOUR_NS : HOUR_NS / 6,
		};

		case_check(&c);
	}
}

/* What occurred, by the plant's own words. */
struct seen {
	unsigned count;
	const char *what[KINDS_MAX];
	unsigned signatures[SIGNATURE_COUNT];
	unsigned laws[32];
};

static void kind_see(struct seen *s, const struct truth *t)
{
	for (unsigned i = 0; i < s->count; i++)
		if (strcmp(s->what[i], t->what) == 0)
			return;
	assert_true(s->count < KINDS_MAX);
	s->what[s->count++] = t->what;
}

static void truth_see(struct seen *s, const struct truth *t)
{
	kind_see(s, t);
	s->signatures[t->signature]++;
	for (unsigned i = 0; plant_a.laws[i]; i++)
		s->laws[i] += strcmp(plant_a.laws[i], t->law) == 0;
}

/* Opens cases of many seeds; checks each truth's times on the way. */
static void seeds_see(struct seen *s, struct world_case c, unsigned seeds)
{
	for (unsigned seed = 1; seed <= seeds; seed++) {
		const struct truth *t;
		struct world *w;
		size_t n;

		c.seed = seed;
		w = world_of(&c);
		n = plant_a.truths(w, &t);
		for (size_t i = 0; i < n; i++) {
			truth_see(s, &t[i]);
			assert_true(t[i].ports != 0);
			assert_true(t[i].effect_ns >= t[i].onset_ns);
			assert_true(t[i].cliff_ns >= t[i].effect_ns);
			assert_true(t[i].cliff_later_ns <= t[i].cliff_ns);
			assert_true(t[i].end_ns >= t[i].onset_ns);
		}
		plant_a.close(w);
	}
}

static void test_each_signature_of_a_link_occurs_about_as_often(void **state)
{
	struct seen s = { 0 };

	(void)state;
	seeds_see(&s, case_of(0, PACE_SLOW, MIX_FAULTS, 96), 60);
	for (unsigned i = 1; i < SIGNATURE_COUNT; i++) {
		bool of_link = i <= SIGNATURE_ENVIRONMENT ||
			i == SIGNATURE_SENSOR_FAULT ||
			i == SIGNATURE_MODULE_CHANGED;

		print_message("# %s %u\n", signature_name(i), s.signatures[i]);
		assert_true(of_link ? s.signatures[i] >= 30 :
			    s.signatures[i] == 0);
	}
	for (unsigned i = 0; plant_a.laws[i]; i++)
		assert_true(s.laws[i] >= 10);
}

static void test_only_laws_that_were_asked_for_occur(void **state)
{
	struct world_case c = case_of(0, PACE_SLOW, MIX_FAULTS, 96);
	struct seen s = { 0 };

	(void)state;
	c.laws = 1u << 2 | 1u << 5;
	seeds_see(&s, c, 10);
	for (unsigned i = 0; plant_a.laws[i]; i++)
		assert_int_equal(s.laws[i] > 0, i == 2 || i == 5);
}

static void test_strange_faults_have_no_name_and_are_five_or_more(void **state)
{
	struct world_case c = case_of(0, PACE_SLOW, MIX_STRANGE, 96);
	unsigned strange = 0;

	(void)state;
	for (unsigned seed = 1; seed <= 5; seed++) {
		struct seen s = { 0 };
		const struct truth *t;
		struct world *w;
		size_t n;

		c.seed = seed;
		w = world_of(&c);
		n = plant_a.truths(w, &t);
		for (size_t i = 0; i < n; i++) {
			if (t[i].benign)
				continue;
			assert_int_equal(t[i].signature, 0);
			kind_see(&s, &t[i]);
		}
		strange = s.count > strange ? s.count : strange;
		plant_a.close(w);
	}
	assert_true(strange >= 5);
}

static void test_two_faults_strike_one_port_one_after_the_other(void **state)
{
	struct world_case c = case_of(3, PACE_SLOW, MIX_TWO, 96);
	struct world *w = world_of(&c);
	const struct truth *t;
	unsigned pairs = 0;
	size_t n = plant_a.truths(w, &t);

	(void)state;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++) {
			if (t[i].benign || t[k].benign ||
			    !(t[i].ports & t[k].ports))
				continue;
			assert_int_not_equal(t[i].signature, t[k].signature);
			assert_true(t[k].onset_ns - t[i].onset_ns >=
				    c.length_ns / 10);
			pairs++;
		}
	assert_true(pairs >= 10);
	plant_a.close(w);
}

/* Sums of a port before and after a moment; monitors as they were shown. */
struct span {
	double rx[WORLD_LANES_MAX], tx, bias, temp, log_ber, bits, expected;
	unsigned doms, readings, up, bad_doms;
	uint64_t lost, downs;
};

struct watched {
	int64_t at_ns;
	struct span part[2];
	struct world_reading last;
	uint64_t downs;
	bool has_last, other_serial;
};

static void dom_add(struct span *s, const struct world_reading *r)
{
	if (!r->has_dom || r->vcc_v > 6 || r->temp_c < 1) {
		s->bad_doms++;
		return;
	}
	s->doms++;
	s->temp += r->temp_c;
	s->tx += r->tx_dbm[0];
	s->bias += r->bias_ma[0];
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		s->rx[i] += r->rx_dbm[i];
}

static void watch_add(struct watched *w, const struct world_port *p,
		      const struct world_reading *r, double log_ber,
		      int64_t now_ns)
{
	const struct world_reading *l = &w->last;
	struct span *s = &w->part[now_ns > w->at_ns];
	uint64_t mask = p->counter_bits == 32 ? UINT32_MAX : UINT64_MAX;

	s->readings++;
	s->up += r->oper_up;
	s->log_ber += log_ber;
	if (p->limits.known && r->oper_up)
		dom_add(s, r);
	/* A reading that is late, or counters that began anew. */
	if (w->has_last && r->t_ns > l->t_ns &&
	    r->fec_uncorrectable_codewords >= l->fec_uncorrectable_codewords) {
		s->lost += (r->fec_uncorrectable_codewords -
			    l->fec_uncorrectable_codewords) & mask;
		w->other_serial |= strcmp(r->serial, l->serial) != 0;
	}
	/* It begins anew never, so what is less is late. */
	if (w->has_last && r->link_down_count > w->downs)
		s->downs += r->link_down_count - w->downs;
	if (r->link_down_count > w->downs)
		w->downs = r->link_down_count;
	w->last = *r;
	w->has_last = true;
}

/* Plays a case; each port is watched about the onset of its first fault. */
static void case_watch(const struct world_case *c, struct world *w,
		       struct watched watch[WORLD_PORTS_MAX])
{
	const struct world_port *p = plant_a.ports(w);
	const struct truth *t;
	size_t n = plant_a.truths(w, &t);
	struct world_reading r;

	memset(watch, 0, WORLD_PORTS_MAX * sizeof(*watch));
	for (unsigned i = 0; i < c->ports; i++)
		watch[i].at_ns = c->length_ns / 2;
	for (size_t i = n; i > 0; i--)
		for (unsigned k = 0; k < c->ports && !t[i - 1].benign; k++)
			if (t[i - 1].ports & UINT64_C(1) << k)
				watch[k].at_ns = t[i - 1].onset_ns;
	while (plant_a.next(w))
		for (unsigned i = 0; i < c->ports; i++)
			if (plant_a.read(w, i, &r))
				watch_add(&watch[i], &p[i], &r,
					  plant_a.true_log_ber(w, i),
					  plant_a.now_ns(w));
}

static double mean_rise(const struct watched *w, size_t offset, bool by_dom)
{
	double mean[2];

	for (unsigned i = 0; i < 2; i++)
		mean[i] = *(const double *)((const char *)&w->part[i] +
					    offset) /
			(by_dom ? w->part[i].doms : w->part[i].readings);
	return mean[1] - mean[0];
}

#define RISE(w, field) mean_rise(w, offsetof(struct span, field), true)

static double light_fell(const struct watched *w, const struct world_port *p)
{
	double most = 0;

	for (unsigned i = 0; i < p->lanes; i++)
		most = fmax(most, -RISE(w, rx[i]));
	return most;
}

/* Whether what a fault does is there. bad: nothing to compare. */
static bool shows(const struct truth *t, const struct watched *w,
		  const struct world_port *p)
{
	double worse = mean_rise(w, offsetof(struct span, log_ber), false);

	switch (t->signature) {
	case SIGNATURE_FEC_TREND:
	case SIGNATURE_COPPER_DEGRADE:
	case SIGNATURE_SHARED_COMPONENT:
		return worse > 0.1;
	case SIGNATURE_CONTAMINATION:
	case SIGNATURE_BENT_FIBRE:
		return light_fell(w, p) > 0.4 || w->part[1].doms == 0;
	case SIGNATURE_FAR_LASER:
		return light_fell(w, p) > 0.1;
	case SIGNATURE_TX_DECAY:
		return t->lanes > 1 || RISE(w, tx) < -0.03 ||
			RISE(w, bias) > 0.01;
	case SIGNATURE_THERMAL_FEC:
		return RISE(w, temp) > 3 && worse > 0.1;
	case SIGNATURE_ENVIRONMENT:
		return strcmp(t->what, "supply_fails") == 0 ||
			!p->limits.known || RISE(w, temp) > 1.5;
	case SIGNATURE_LOOSE_MODULE:
		return w->part[1].lost + w->part[1].bad_doms > 0;
	case SIGNATURE_FEC_UNCORRECTABLE:
		return w->part[1].lost > 0 && w->part[0].lost == 0;
	case SIGNATURE_FLAP_BURST:
		return w->part[1].downs >= 5;
	case SIGNATURE_LINK_DOWN:
		return w->part[1].up < w->part[1].readings;
	case SIGNATURE_SENSOR_FAULT:
		return w->part[1].bad_doms > w->part[1].doms / 12;
	case SIGNATURE_MODULE_CHANGED:
		return w->other_serial;
	default:
		return true;
	}
}

static struct watched ports[WORLD_PORTS_MAX];

/* A fault that begins late, or heals, may show too little: few of them. */
static void test_faults_show_in_the_readings_as_they_should(void **state)
{
	unsigned faults[SIGNATURE_COUNT] = { 0 };
	unsigned shown[SIGNATURE_COUNT] = { 0 };

	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct world_case c = case_of(seed, PACE_SLOW, MIX_FAULTS, 48);
		struct world *w = world_of(&c);
		const struct truth *t;
		size_t n = plant_a.truths(w, &t);

		case_watch(&c, w, ports);
		for (size_t i = 0; i < n; i++) {
			unsigned port = (unsigned)__builtin_ctzll(t[i].ports);

			if (t[i].benign)
				continue;
			faults[t[i].signature]++;
			shown[t[i].signature] += shows(&t[i], &ports[port],
						&plant_a.ports(w)[port]);
		}
		plant_a.close(w);
	}
	for (unsigned i = 1; i < SIGNATURE_COUNT; i++) {
		if (faults[i] == 0)
			continue;
		print_message("# %s shows %u of %u\n", signature_name(i),
			      shown[i], faults[i]);
		assert_true(shown[i] * 4 >= faults[i] * 3);
	}
}

/* What was dealt, as the plant itself has it: sizes are in no truth. */
static void hand_of(const struct world_case *c, struct a_hand *ret)
{
	static struct a_port port[WORLD_PORTS_MAX];
	static struct a_eye eye;

	memset(port, 0, sizeof(port));
	a_eye_init(&eye);
	a_ports_draw(c, &eye, port);
	assert_int_equal(a_deal(c, port, ret), 0);
}

static void lanes_check(const struct a_deed *d, const struct watched *w,
			const struct world_port *p)
{
	for (unsigned i = 0; i < p->lanes; i++) {
		bool struck = d->lanes == 0 || d->lanes & 1u << i;
		double fell = -RISE(w, rx[i]);

		assert_true(fabs(fell - (struck ? d->size : 0)) < 0.25);
	}
}

static void test_light_falls_by_the_loss_of_dirt(void **state)
{
	unsigned judged = 0;

	(void)state;
	for (uint64_t seed = 21; seed <= 26; seed++) {
		struct world_case c = case_of(seed, PACE_SLOW, MIX_FAULTS, 24);
		struct world *w = world_of(&c);
		struct a_hand hand;

		hand_of(&c, &hand);
		case_watch(&c, w, ports);
		for (size_t i = 0; i < hand.count; i++) {
			const struct a_deed *d = &hand.deed[i];
			unsigned n = (unsigned)__builtin_ctzll(d->ports);

			if (strncmp(d->kind->name, "dirt", 4) != 0 ||
			    d->end_ns != INT64_MAX || ports[n].part[1].up == 0)
				continue;
			lanes_check(d, &ports[n], &plant_a.ports(w)[n]);
			judged++;
		}
		a_hand_fini(&hand);
		plant_a.close(w);
	}
	assert_true(judged >= 4);
}

static void test_healthy_ports_stay_as_they_were(void **state)
{
	unsigned healthy = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct world_case c = case_of(seed, PACE_SLOW, MIX_FAULTS, 48);
		struct world *w = world_of(&c);
		const struct truth *t;
		size_t n = plant_a.truths(w, &t);
		uint64_t struck = 0, rack = 0;

		for (size_t i = 0; i < n; i++) {
			if (t[i].ports != UINT64_MAX)
				struck |= t[i].ports;
			else if (strcmp(t[i].what, "rack_event") == 0 ||
				 strcmp(t[i].what, "reboot") == 0)
				rack++;
		}
		assert_true(__builtin_popcountll(struck) <= 32);
		case_watch(&c, w, ports);
		for (unsigned i = 0; i < c.ports; i++) {
			const struct watched *p = &ports[i];

			if (struck & UINT64_C(1) << i)
				continue;
			healthy++;
			assert_int_equal(p->part[0].lost + p->part[1].lost, 0);
			assert_true(p->part[0].downs + p->part[1].downs <=
				    2 * rack);
			assert_true(fabs(mean_rise(p, offsetof(struct span,
					log_ber), false)) < 0.5);
			assert_false(p->other_serial);
		}
		plant_a.close(w);
	}
	assert_true(healthy >= 90);
}

/* Codewords and bits that a port had between two readings. */
struct tally {
	double bits, expected, variance, codewords, due;
};

static uint64_t bins_sum(const struct world_reading *r, unsigned from)
{
	uint64_t sum = 0;

	for (unsigned i = from; i < WORLD_BINS; i++)
		sum += r->fec_bins[i];
	return sum;
}

static void tally_add(struct tally *t, const struct world_port *p,
		      const struct world_reading *l,
		      const struct world_reading *r, double log_ber)
{
	double symbols = p->fec == FEC_RS528 ? 528 : 544;
	double codewords = (double)(bins_sum(r, 0) - bins_sum(l, 0));
	double mean = codewords * symbols * 10 * pow(10, log_ber);

	assert_int_equal(bins_sum(r, 1) - bins_sum(l, 1),
			 r->fec_corrected_codewords -
			 l->fec_corrected_codewords +
			 r->fec_uncorrectable_codewords -
			 l->fec_uncorrectable_codewords);
	t->codewords += codewords;
	t->due += (double)(r->t_ns - l->t_ns) / (double)NS_PER_S *
		(double)p->speed_mbps * 1e6 * 257 / 256 / 5140;
	t->bits += (double)(r->fec_corrected_bits - l->fec_corrected_bits);
	t->expected += mean;
	t->variance += mean;
}

static void test_counters_are_those_of_the_true_error_ratio(void **state)
{
	static struct world_reading last[WORLD_PORTS_MAX];
	static struct tally tally[WORLD_PORTS_MAX];
	struct world_case c = case_of(11, PACE_SLOW, MIX_HEALTHY, 12);
	struct world *w = world_of(&c);
	const struct world_port *p = plant_a.ports(w);
	struct world_reading r;
	unsigned judged = 0;

	(void)state;
	while (plant_a.next(w))
		for (unsigned i = 0; i < c.ports; i++) {
			double log_ber = plant_a.true_log_ber(w, i);

			if (!plant_a.read(w, i, &r) || !r.has_bins ||
			    p[i].counter_bits != 64)
				continue;
			/* One pace apart, up at both, and no new beginning. */
			if (r.oper_up && last[i].oper_up &&
			    llabs(r.t_ns - last[i].t_ns - 60 * NS_PER_S) <
			    3 * NS_PER_S &&
			    r.link_down_count == last[i].link_down_count &&
			    r.fec_bins[0] > last[i].fec_bins[0] &&
			    r.fec_corrected_bits >= last[i].fec_corrected_bits)
				tally_add(&tally[i], &p[i], &last[i], &r,
					  log_ber);
			last[i] = r;
		}
	for (unsigned i = 0; i < c.ports; i++) {
		double slack = 5 * sqrt(tally[i].variance) +
			0.01 * tally[i].expected;

		if (tally[i].codewords <= 0)
			continue;
		judged++;
		assert_true(fabs(tally[i].bits - tally[i].expected) < slack);
		assert_true(fabs(tally[i].codewords / tally[i].due - 1) <
			    1e-3);
	}
	assert_true(judged >= 20);
	plant_a.close(w);
}

/* Codewords that a port lost, by when. */
struct loss {
	int64_t cliff_ns, slack_ns;
	uint64_t last, before, after;
	bool has_last, counts;
};

static void loss_add(struct loss *l, const struct world_reading *r,
		     int64_t now_ns)
{
	uint64_t now = r->fec_uncorrectable_codewords;

	if (l->has_last && now > l->last) {
		if (now_ns < l->cliff_ns - l->slack_ns)
			l->before += now - l->last;
		else
			l->after += now - l->last;
	}
	l->last = now;
	l->has_last = true;
}

static bool has_no_code(const struct world *w, const struct truth *t)
{
	return plant_a.ports(w)[__builtin_ctzll(t->ports)].fec == FEC_NONE;
}

static void test_codewords_are_lost_from_the_cliff_on(void **state)
{
	unsigned cliffs = 0, early = 0, none = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct world_case c = case_of(seed, PACE_SLOW, MIX_FAULTS, 96);
		struct world *w = world_of(&c);
		struct loss loss[WORLD_PORTS_MAX] = { 0 };
		struct world_reading r;
		const struct truth *t;
		size_t n = plant_a.truths(w, &t);

		for (size_t i = 0; i < n; i++) {
			struct loss *l = &loss[__builtin_ctzll(t[i].ports)];

			if (t[i].benign || t[i].onset_ns == 0 ||
			    t[i].cliff_ns > c.length_ns / 100 * 85 ||
			    has_no_code(w, &t[i]))
				continue;
			l->counts = true;
			l->cliff_ns = t[i].cliff_ns;
			l->slack_ns = (t[i].cliff_ns - t[i].onset_ns) / 5;
		}
		while (plant_a.next(w))
			for (unsigned i = 0; i < c.ports; i++)
				if (loss[i].counts && plant_a.read(w, i, &r))
					loss_add(&loss[i], &r,
						 plant_a.now_ns(w));
		for (unsigned i = 0; i < c.ports; i++) {
			cliffs += loss[i].counts;
			early += loss[i].counts && loss[i].before > 3;
			none += loss[i].counts && loss[i].after == 0;
		}
		plant_a.close(w);
	}
	print_message("# %u cliffs, %u lose codewords long before, %u none\n",
		      cliffs, early, none);
	assert_true(cliffs >= 12);
	assert_true(early * 10 <= cliffs);
	assert_true(none * 8 <= cliffs);
}

/* What was seen of a benign change on its first port. */
enum {
	SAW_SHUT = 1, SAW_ABSENT = 2, SAW_DOWN = 4, SAW_GAP = 8,
	SAW_SERIAL = 16, SAW_RESET = 32, SAW_CLOCK = 64, SAW_OLD = 128,
	SAW_GARBAGE = 256, SAW_FALL = 512, SAW_EVENT = 1024, SAW_COLD = 2048,
};

static const struct { const char *what; unsigned needs; } signs[] = {
	{ "load_phase", 0 }, { "hot_day", 0 }, { "warm_up", 0 },
	{ "admin_shut", SAW_SHUT }, { "prbs", SAW_SHUT },
	{ "counters_cleared", SAW_RESET },
	{ "peer_maintenance", SAW_DOWN | SAW_FALL },
	{ "healthy_swap", SAW_SERIAL | SAW_FALL }, { "wrap", SAW_RESET },
	{ "stray_garbage", SAW_GARBAGE }, { "cold_port", SAW_ABSENT },
	{ "reboot", SAW_RESET | SAW_EVENT | SAW_FALL },
	{ "restart", SAW_EVENT | SAW_GAP }, { "rack_event", SAW_FALL },
	{ "clock_step", SAW_CLOCK }, { "gap", SAW_GAP },
	{ "slow_dom", SAW_OLD }, { "frozen_dom", SAW_OLD },
	{ "traffic_away", SAW_EVENT },
};

#define SIGNS (sizeof(signs) / sizeof(signs[0]))

static unsigned reading_signs(const struct world_reading *r,
			      const struct world_reading *l)
{
	unsigned saw = 0;

	saw |= !r->admin_up ? SAW_SHUT : 0;
	saw |= !r->present ? SAW_ABSENT : 0;
	saw |= !r->oper_up ? SAW_DOWN : 0;
	saw |= strcmp(r->serial, l->serial) != 0 ? SAW_SERIAL : 0;
	saw |= r->fec_bins[0] < l->fec_bins[0] ||
		r->in_octets < l->in_octets ||
		r->fec_corrected_bits < l->fec_corrected_bits ? SAW_RESET : 0;
	saw |= llabs(r->t_ns - l->t_ns - 60 * NS_PER_S) > 3 * NS_PER_S &&
		r->t_ns != l->t_ns ? SAW_CLOCK : 0;
	saw |= r->has_dom && r->t_ns - r->dom_t_ns > 190 * NS_PER_S ?
		SAW_OLD : 0;
	saw |= r->vcc_v > 6 ? SAW_GARBAGE : 0;
	return saw | (r->link_down_count > l->link_down_count ? SAW_FALL : 0);
}

static unsigned event_signs(const struct world *w)
{
	const struct world_event *e;

	return plant_a.events(w, &e) > 0 ? SAW_EVENT : 0;
}

/* Plays a case; ret_saw: what was seen while each truth lasted. */
static void case_see(struct world *w, unsigned ret_saw[TRUTHS_MAX])
{
	static struct world_reading last[WORLD_PORTS_MAX];
	const struct truth *t;
	size_t n = plant_a.truths(w, &t);
	struct world_reading r;

	memset(last, 0, sizeof(last));
	assert_true(n <= TRUTHS_MAX);
	while (plant_a.next(w)) {
		int64_t now = plant_a.now_ns(w);
		unsigned saw[WORLD_PORTS_MAX] = { 0 };

		for (unsigned i = 0; i < 64; i++) {
			if (!plant_a.read(w, i, &r)) {
				saw[i] = SAW_GAP;
				continue;
			}
			saw[i] = last[i].t_ns ? reading_signs(&r, &last[i]) :
				0;
			last[i] = r;
		}
		for (size_t i = 0; i < n; i++)
			if (now > t[i].onset_ns && (t[i].end_ns == INT64_MAX ||
			    now < t[i].end_ns + 600 * NS_PER_S))
				ret_saw[i] |= event_signs(w) |
					saw[__builtin_ctzll(t[i].ports)];
	}
}

static void test_benign_changes_show_in_the_readings(void **state)
{
	unsigned many[SIGNS] = { 0 }, good[SIGNS] = { 0 };

	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct world_case c = case_of(seed, PACE_SLOW, MIX_HEALTHY,
					      48);
		struct world *w = world_of(&c);
		static unsigned saw[TRUTHS_MAX];
		const struct truth *t;
		size_t n = plant_a.truths(w, &t);

		memset(saw, 0, sizeof(saw));
		case_see(w, saw);
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < SIGNS; k++) {
				if (strcmp(signs[k].what, t[i].what) != 0)
					continue;
				assert_true(t[i].benign);
				many[k]++;
				good[k] += (saw[i] & signs[k].needs) ==
					signs[k].needs;
			}
		plant_a.close(w);
	}
	for (size_t k = 0; k < SIGNS; k++) {
		print_message("# %s shows %u of %u\n", signs[k].what, good[k],
			      many[k]);
		assert_true(many[k] > 0);
		assert_true(good[k] * 2 >= many[k]);
	}
}

static void test_ports_are_of_all_media(void **state)
{
	static const char *const media[] = { "DR4", "FR4", "LR4", "SR4", "SR8",
					     "AOC", "DAC", "AEC", "ZR" };
	struct world_case c = case_of(1, PACE_FAST, MIX_HEALTHY, 1);
	unsigned narrow = 0, seen = 0;

	(void)state;
	for (c.seed = 1; c.seed <= 5; c.seed++) {
		struct world *w = world_of(&c);
		const struct world_port *p = plant_a.ports(w);

		for (unsigned i = 0; i < c.ports; i++) {
			narrow += p[i].counter_bits == 32;
			for (unsigned m = 0; m < 9; m++)
				if (strcmp(p[i].media, media[m]) == 0)
					seen |= 1u << m;
			assert_int_equal(p[i].coherent, p[i].fec == FEC_NONE);
		}
		plant_a.close(w);
	}
	assert_int_equal(seen, 0x1ff);
	assert_in_range(narrow, 10, 80);
}

/* What a tick costs is told, not judged: other work may share the machine. */
static void test_cost_of_a_port_and_tick_is_told(void **state)
{
	struct world_case c = case_of(5, PACE_SLOW, MIX_HEALTHY, 24);
	struct world *w = world_of(&c);
	struct world_reading r;
	struct timespec t;
	double begin;
	unsigned n = 0;

	(void)state;
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	begin = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
	while (plant_a.next(w))
		for (unsigned i = 0; i < c.ports; i++, n++)
			(void)plant_a.read(w, i, &r);
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	print_message("# %.2f us a port and tick\n",
		      ((double)t.tv_sec + (double)t.tv_nsec / 1e9 - begin) *
		      1e6 / n);
	plant_a.close(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_case_opened_twice_goes_the_same_way),
		cmocka_unit_test(test_case_that_cannot_be_is_refused),
		cmocka_unit_test(test_any_case_can_be_played),
		cmocka_unit_test(
			test_each_signature_of_a_link_occurs_about_as_often),
		cmocka_unit_test(test_only_laws_that_were_asked_for_occur),
		cmocka_unit_test(
			test_strange_faults_have_no_name_and_are_five_or_more),
		cmocka_unit_test(
			test_two_faults_strike_one_port_one_after_the_other),
		cmocka_unit_test(
			test_faults_show_in_the_readings_as_they_should),
		cmocka_unit_test(test_light_falls_by_the_loss_of_dirt),
		cmocka_unit_test(test_healthy_ports_stay_as_they_were),
		cmocka_unit_test(
			test_counters_are_those_of_the_true_error_ratio),
		cmocka_unit_test(test_codewords_are_lost_from_the_cliff_on),
		cmocka_unit_test(test_benign_changes_show_in_the_readings),
		cmocka_unit_test(test_ports_are_of_all_media),
		cmocka_unit_test(test_cost_of_a_port_and_tick_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
