/* Each cause wins where it should, none where nothing was measured, and a name
 * that stands goes only when two readings say so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "agent/signature/hypothesis.h"
#include "agent/signature/words.h"

/* Light of four lanes, which explains what grew. */
static struct measures lost(float a, float b, float c, float d, enum fall fall)
{
	struct measures m = { .raw = 1.2, .step_share = 0.9, .has_light = true,
			      .has_errors = true, .explained = 1.2,
			      .has_heat = true };
	float lane[4] = { a, b, c, d };

	m.drop = (struct light_drop){ .known = true, .lanes_known = 4,
				      .read = 0xf, .fall = fall,
				      .stood = 100, .shaky = 1 };
	for (unsigned i = 0; i < 4; i++) {
		m.drop.lost_db[i] = lane[i];
		m.drop.worst_db = fmaxf(m.drop.worst_db, lane[i]);
		if (lane[i] > LIGHT_DROP_DB)
			m.drop.lanes |= (uint8_t)(1u << i);
	}
	m.next_db = (double)(a > b ? b : a);
	return m;
}

static enum signature name_of(const struct measures *m)
{
	struct naming n;

	naming_start(&n);
	naming_take(&n, m, (struct mono){ 1 });
	return n.name;
}

static double sure_of(const struct measures *m, enum signature which)
{
	const struct hypothesis *h;
	struct odds o;

	hypotheses_weigh(m, &o);
	for (size_t i = 0; (h = hypothesis_at(i)); i++)
		if (h->signature == which)
			return (double)o.p[i + 1];
	return (double)o.p[0];
}

static void test_hypothesis_each_wins_its_own(void **state)
{
	struct measures m = lost(1.5f, 0, 0, 0, FALL_AT_ONCE);

	(void)state;
	assert_int_equal(name_of(&m), SIGNATURE_CONTAMINATION);
	m = lost(1.5f, 1.4f, 1.6f, 1.5f, FALL_AT_ONCE);
	m.drop.shaky = 5;
	assert_int_equal(name_of(&m), SIGNATURE_BENT_FIBRE);
	m = lost(1.2f, 1.4f, 1.6f, 1.8f, FALL_AT_ONCE);
	m.is_wdm = m.colours_are_far = true;
	m.tilt = 0.2;
	assert_int_equal(name_of(&m), SIGNATURE_BENT_FIBRE);
	m.drop.fall = FALL_SLOWLY;	/* one that is pinched more and more */
	m.step_share = 0.1;
	assert_int_equal(name_of(&m), SIGNATURE_BENT_FIBRE);
	m.tilt = 0;
	assert_int_equal(name_of(&m), SIGNATURE_FAR_LASER);
	m = lost(2.5f, 2.4f, 2.6f, 2.5f, FALL_AT_ONCE);
	assert_int_equal(name_of(&m), SIGNATURE_CONTAMINATION);
	m.drop.relaxed = true;	/* a jacket gives way, dirt stays */
	assert_int_equal(name_of(&m), SIGNATURE_BENT_FIBRE);
	m = lost(1.5f, 1.4f, 1.6f, 1.5f, FALL_SLOWLY);
	assert_int_equal(name_of(&m), SIGNATURE_FAR_LASER);
	assert_true(sure_of(&m, SIGNATURE_CONTAMINATION) > 0.05);
	m = lost(8, 8, 8, 8, FALL_SLOWLY);	/* dirt takes less by itself */
	assert_true(sure_of(&m, SIGNATURE_CONTAMINATION) < 0.03);
	assert_true(sure_of(&m, SIGNATURE_FEC_TREND) < 0.04);
	m = lost(0, 0, 0, 0, FALL_UNCLEAR);
	m.explained = 0;
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
	m.heat_k = 9;
	m.heat_makes = 1.1;
	m.step_share = 0.1;
	assert_int_equal(name_of(&m), SIGNATURE_THERMAL_FEC);
	m = (struct measures){ .copper = true, .raw = 1, .windows = 100 };
	assert_int_equal(name_of(&m), SIGNATURE_COPPER_DEGRADE);
	/* A cable with a module in it may be too warm, too. */
	m = (struct measures){ .copper = true, .raw = 1, .windows = 100,
			       .has_heat = true, .heat_k = 12,
			       .heat_makes = 1.1 };
	assert_int_equal(name_of(&m), SIGNATURE_THERMAL_FEC);
}

/* Errors that no noise makes hide how much margin there is, so that a loss may
 * make far fewer than it would otherwise; more than it can make have another
 * cause.
 */
static void test_hypothesis_fewer_errors_than_the_loss_makes(void **state)
{
	struct measures m = lost(2.6f, 2.5f, 2.7f, 2.9f, FALL_AT_ONCE);

	(void)state;
	m.raw = 2.7;
	m.explained = 7;
	m.explained_least = 4;
	assert_int_equal(name_of(&m), SIGNATURE_CONTAMINATION);
	m.explained = m.explained_least = 0.4;
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
}

/* A cable that is fixed to its modules has no connector to be dirty. */
static void test_hypothesis_of_a_fixed_cable_is_no_dirt(void **state)
{
	struct measures m = lost(2.5f, 2.4f, 2.6f, 2.5f, FALL_AT_ONCE);

	(void)state;
	assert_int_equal(name_of(&m), SIGNATURE_CONTAMINATION);
	m.fixed = true;
	assert_int_not_equal(name_of(&m), SIGNATURE_CONTAMINATION);
	m = lost(2.5f, 0, 0, 0, FALL_AT_ONCE);
	m.fixed = true;
	assert_int_equal(name_of(&m), SIGNATURE_LANE_IMBALANCE);
}

/* What presses on a row of fibres takes more from one side; a lane's own loss,
 * or a loss of some lanes only, shows no such thing.
 */
static void test_hypothesis_a_row_is_pinched_from_one_side(void **state)
{
	struct measures m = lost(1.1f, 1.3f, 1.5f, 1.7f, FALL_AT_ONCE);

	(void)state;
	assert_int_equal(name_of(&m), SIGNATURE_CONTAMINATION);
	m.tilt = 0.12;
	assert_int_equal(name_of(&m), SIGNATURE_BENT_FIBRE);
	m.tilt = -0.12;
	assert_int_equal(name_of(&m), SIGNATURE_BENT_FIBRE);
	m.drop.fall = FALL_SLOWLY;
	m.step_share = 0.1;
	assert_int_equal(name_of(&m), SIGNATURE_BENT_FIBRE);
	m.tilt = 0.02;
	assert_int_equal(name_of(&m), SIGNATURE_FAR_LASER);
	m = lost(0, 1.3f, 1.5f, 1.7f, FALL_SLOWLY);
	m.tilt = 0.3;
	m.step_share = 0.1;
	assert_int_equal(name_of(&m), SIGNATURE_FAR_LASER);
}

/* Dirt takes light of all colours of a fibre; one alone is a lane's own. */
static void test_hypothesis_one_colour_is_a_lane(void **state)
{
	struct measures m = lost(1.5f, 0, 0, 0, FALL_AT_ONCE);

	(void)state;
	m.is_wdm = true;
	assert_int_equal(name_of(&m), SIGNATURE_LANE_IMBALANCE);
	m.drop.fall = FALL_SLOWLY;
	m.step_share = 0.1;
	assert_int_equal(name_of(&m), SIGNATURE_FAR_LASER);
}

/* Errors show how light was lost, where a monitor's noise shows else. */
static void test_hypothesis_errors_show_how_it_fell(void **state)
{
	struct measures m = lost(1.5f, 1.4f, 1.6f, 1.5f, FALL_AT_ONCE);

	(void)state;
	m.step_share = 0.1;
	m.raw = m.explained = 0.35;	/* heat makes as many */
	assert_int_equal(name_of(&m), SIGNATURE_CONTAMINATION);
	m.raw = m.explained = 1;
	assert_int_equal(name_of(&m), SIGNATURE_FAR_LASER);
	m.swings = 2;		/* of another kind: the light stays lost */
	assert_int_equal(name_of(&m), SIGNATURE_FAR_LASER);
	m.drop.returns = 2;	/* but what fades does not come back */
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
}

/* What forbids one, forbids it; shares are of one whole. */
static void test_hypothesis_shares_are_of_one(void **state)
{
	const struct measures all[] = {
		lost(1.5f, 0, 0, 0, FALL_AT_ONCE),
		lost(0, 0, 0, 0, FALL_UNCLEAR), { .copper = true, .raw = 2 },
		{ .raw = 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct odds o;
		double sum = 0;

		hypotheses_weigh(&all[i], &o);
		for (size_t n = 0; n < o.count; n++)
			sum += (double)o.p[n];
		assert_true(fabs(sum - 1) < 1e-6);
	}
	assert_true(sure_of(&all[2], SIGNATURE_CONTAMINATION) <= 0);
	assert_true(sure_of(&all[0], SIGNATURE_COPPER_DEGRADE) <= 0);
	assert_true(sure_of(&all[0], SIGNATURE_THERMAL_FEC) <= 0);
	assert_true(sure_of(&all[3], SIGNATURE_CONTAMINATION) < 0.8);
}

/* What of the noise goes with the signal is not known: a loss may make fewer
 * errors than where none does. Fewer still are not its.
 */
static void test_hypothesis_noise_may_go_with_the_signal(void **state)
{
	struct measures m = lost(1.5f, 0, 0, 0, FALL_AT_ONCE);

	(void)state;
	m.explained = 4;
	m.explained_least = 1;
	m.raw = 4;
	assert_int_equal(name_of(&m), SIGNATURE_CONTAMINATION);
	m.raw = 1;
	assert_int_equal(name_of(&m), SIGNATURE_CONTAMINATION);
	m.explained = m.explained_least = 7;
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
}

/* A loss that is young may be one that comes and goes; so may errors. */
static void test_hypothesis_what_is_young_has_no_name(void **state)
{
	struct measures m = lost(1.5f, 0, 0, 0, FALL_AT_ONCE);

	(void)state;
	m.drop.stood = 4;
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
	m.drop.stood = 24;
	assert_int_equal(name_of(&m), SIGNATURE_CONTAMINATION);
	m = lost(4.0f, 0, 0, 0, FALL_AT_ONCE);
	m.drop.stood = 4;
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
	m.drop.stood = 8;	/* so much does not come and go */
	assert_int_equal(name_of(&m), SIGNATURE_CONTAMINATION);
	m = lost(1.5f, 1.4f, 1.6f, 1.5f, FALL_SLOWLY);
	m.drop.stood = 24;
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
	m.drop.stood = 48;
	assert_int_equal(name_of(&m), SIGNATURE_FAR_LASER);
	m.drop.stood = 5;
	m.apart_min = 10;	/* it stood as long */
	assert_int_equal(name_of(&m), SIGNATURE_FAR_LASER);
	m.drop.stood = 2;
	m.apart_min = 100;
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
	/* A few windows that went with traffic by chance: it stays. */
	m = (struct measures){ .copper = true, .raw = 1, .windows = 48,
			       .traffic = -0.4 };
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
	m.windows = 400;
	assert_int_equal(name_of(&m), SIGNATURE_COPPER_DEGRADE);
	m = (struct measures){ .copper = true, .raw = 1, .windows = 24 };
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
	m.windows = 48;
	assert_int_equal(name_of(&m), SIGNATURE_COPPER_DEGRADE);
	assert_true(sure_of(&m, SIGNATURE_COPPER_DEGRADE) < 0.9);
	m.swings = 1;		/* what wears does not come back, even once */
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
}

/* Light that came back by itself was taken by nothing that lasts. */
static void test_hypothesis_what_returned_has_no_name(void **state)
{
	const enum fall falls[] = { FALL_AT_ONCE, FALL_SLOWLY };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct measures m = lost(1.5f, 1.4f, 1.6f, 1.5f, falls[i]);

		m.drop.returns = 3;
		assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
		m.drop.shaky = 5;	/* a bend shakes, and stays */
		assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
	}
}

/* A loss that explains a tenth of the errors is not their cause. */
static void test_hypothesis_loss_must_explain(void **state)
{
	struct measures m = lost(0.5f, 0.1f, 0, 0, FALL_AT_ONCE);
	double before = sure_of(&m, SIGNATURE_CONTAMINATION);

	(void)state;
	m.raw = 4;
	assert_true(sure_of(&m, SIGNATURE_CONTAMINATION) < before / 2);
	assert_true(sure_of(&m, SIGNATURE_FEC_TREND) > 0.3);
}

static void test_hypothesis_name_goes_by_two_readings(void **state)
{
	struct measures dirt = lost(1.5f, 0, 0, 0, FALL_AT_ONCE);
	struct measures laser = lost(1.5f, 0, 0, 0, FALL_SLOWLY);
	struct measures either = lost(1.5f, 1.4f, 1.5f, 1.5f, FALL_UNCLEAR);
	struct naming n;
	double p;

	(void)state;
	dirt.drop.touch = TOUCH_PLUGGED;
	laser.is_wdm = true;
	laser.step_share = 0.1;
	/* The likeliest has the name where one of them is at work; what need
	 * be none of them has no name.
	 */
	either.step_share = 0.5;
	assert_int_equal(name_of(&either), SIGNATURE_CONTAMINATION);
	assert_true(sure_of(&either, SIGNATURE_CONTAMINATION) < 0.8);
	either.raw = 2.6;
	assert_int_equal(name_of(&either), SIGNATURE_FEC_TREND);
	naming_start(&n);
	assert_int_equal(naming_other(&n, &p), 0);
	naming_take(&n, &dirt, (struct mono){ 10 });
	assert_int_equal(n.name, SIGNATURE_CONTAMINATION);
	assert_true(naming_sure(&n) > 0.8);
	naming_take(&n, &laser, (struct mono){ 20 });
	assert_int_equal(n.name, SIGNATURE_CONTAMINATION);
	naming_take(&n, &laser, (struct mono){ 20 });	/* the same reading */
	assert_int_equal(n.name, SIGNATURE_CONTAMINATION);
	naming_take(&n, &dirt, (struct mono){ 30 });
	naming_take(&n, &laser, (struct mono){ 40 });
	assert_int_equal(n.name, SIGNATURE_CONTAMINATION);
	assert_int_equal(naming_other(&n, &p), SIGNATURE_FAR_LASER);
	naming_take(&n, &laser, (struct mono){ 50 });
	assert_int_equal(n.name, SIGNATURE_CONTAMINATION);
	for (int i = 0; i < 20; i++)
		naming_take(&n, &laser, (struct mono){ 50 });
	assert_int_equal(n.wanted, 0);		/* again the same */
	for (int64_t at = 60; at < 200 && !n.wanted; at += 10)
		naming_take(&n, &laser, (struct mono){ at });
	assert_int_not_equal(n.wanted, 0);	/* by one: two must agree */
	assert_int_equal(n.name, SIGNATURE_CONTAMINATION);
	for (int64_t at = 200; at < 300; at += 10)
		naming_take(&n, &laser, (struct mono){ at });
	assert_int_equal(n.name, SIGNATURE_FAR_LASER);
	assert_true(naming_sure(&n) > 0.7);
}

/* The other one that is told does not come and go with each look. */
static void test_hypothesis_the_other_stays(void **state)
{
	struct measures m = lost(1.5f, 1.5f, 1.5f, 1.5f, FALL_AT_ONCE);
	const struct naming fresh = { .looked = { INT64_MIN } };
	char text[64];
	struct naming n = fresh;
	double p = 0;

	(void)state;
	naming_take(&n, &m, (struct mono){ 1 });
	assert_int_equal(naming_other(&n, &p), n.other);
	m.drop.touch = TOUCH_PLUGGED;
	m.is_wdm = m.colours_are_far = true;
	for (int i = 2; i < 40 && p > 0.1; i++) {
		naming_take(&n, &m, (struct mono){ i });
		(void)naming_other(&n, &p);
	}
	assert_true(p < 0.1);
	naming_other_tell(&n, text, sizeof(text));
	assert_non_null(strstr(text, "(or bent_fibre, "));
	n = fresh;
	for (int i = 2; i < 40; i++)
		naming_take(&n, &m, (struct mono){ i });
	naming_other_tell(&n, text, sizeof(text));
	assert_string_equal(text, "");
}

/* A bend takes light of all fibres of a cable. */
static void test_hypothesis_a_bend_takes_all_fibres(void **state)
{
	struct measures m = lost(0, 1.2f, 0, 0, FALL_AT_ONCE);

	(void)state;
	m.drop.shaky = 5;
	m.drop.relaxed = true;
	assert_true(sure_of(&m, SIGNATURE_BENT_FIBRE) < 0.7);
}

/* … and goes when it is likelier that none of the causes is at work. */
static void test_hypothesis_name_goes_where_none_is_likelier(void **state)
{
	struct measures copper = { .copper = true, .raw = 1, .windows = 100 };
	struct naming n;

	(void)state;
	naming_start(&n);
	naming_take(&n, &copper, (struct mono){ 10 });
	assert_int_equal(n.name, SIGNATURE_COPPER_DEGRADE);
	copper.swings = 5;
	for (int i = 2; i < 9; i++)
		naming_take(&n, &copper, (struct mono){ i * 10 });
	assert_int_equal(n.name, SIGNATURE_FEC_TREND);
}

/* A cause that cannot be at the port takes no share from another: passive
 * copper has nothing to warm.
 */
static void test_hypothesis_passive_copper_has_no_heat(void **state)
{
	struct measures m = { .copper = true, .raw = 1, .windows = 100 };
	double warm = sure_of(&m, SIGNATURE_COPPER_DEGRADE);

	(void)state;
	assert_true(sure_of(&m, SIGNATURE_THERMAL_FEC) > 0);
	m.passive = true;
	assert_true(sure_of(&m, SIGNATURE_THERMAL_FEC) <= 0);
	assert_true(sure_of(&m, SIGNATURE_COPPER_DEGRADE) > warm);
}

/* Each row is one of the words', and says what it needs. */
/* A door that moves the cable: light of longer waves goes most, comes back, and
 * goes again. Light that comes and goes on all colours alike has no name.
 */
static void test_hypothesis_a_bend_comes_and_goes(void **state)
{
	struct measures m = lost(1.2f, 1.4f, 1.6f, 1.8f, FALL_AT_ONCE);

	(void)state;
	m.is_wdm = m.colours_are_far = true;
	m.drop.stood = 2;
	m.drop.returns = 3;
	m.swings = 2;
	m.tilt = 0.2;
	assert_int_equal(name_of(&m), SIGNATURE_BENT_FIBRE);
	m.tilt = 0;
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
}

static struct measures hot(double heat_k, double makes, double raw)
{
	struct measures m = lost(0, 0, 0, 0, FALL_UNCLEAR);

	m.explained = 0;
	m.step_share = 0.1;
	m.heat_k = heat_k;
	m.heat_makes = makes;
	m.raw = raw;
	return m;
}

/* How errors go with heat is known of a few kelvin, and does not tell of many.
 */
static void test_hypothesis_much_heat_needs_no_slope(void **state)
{
	struct measures m = hot(15, 0.4, 2);

	(void)state;
	assert_int_equal(name_of(&m), SIGNATURE_THERMAL_FEC);
	m = hot(9, 0.4, 2);
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
	m = hot(15, 0.4, 2);
	m.step_share = 0.8;		/* no heat comes at once */
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
}

static void test_hypothesis_rows_are_whole(void **state)
{
	const struct hypothesis *h;
	size_t count = 0;

	(void)state;
	for (; (h = hypothesis_at(count)); count++) {
		assert_non_null(signature_words(h->signature));
		assert_ptr_equal(hypothesis_find(h->signature), h);
		assert_true(h->need_count > 0 && h->words && h->weigh &&
			    fault_end_name(h->end) && action_name(h->action));
	}
	assert_in_range(count, 6, HYPOTHESES_MAX - 1);
	assert_null(hypothesis_find(SIGNATURE_FEC_TREND));
	assert_null(hypothesis_find((enum signature)0));
}

static uint8_t lanes_of(const int64_t ber_e18[static 4], unsigned n)
{
	struct inputs k = { .t = { 1 } };

	for (unsigned i = 0; i < n; i++)
		inputs_set(&k, INPUT_LANE_BER_E18 + i, ber_e18[i]);
	return lanes_with_errors(&k);
}

static void test_lane_usual_few_lanes_make_the_errors(void **state)
{
	(void)state;
	assert_int_equal(lanes_of((int64_t[4]){ 1000, 900000, 1100, 900 }, 4),
			 2);
	assert_int_equal(lanes_of((int64_t[4]){ 800000, 1, 900000, 2 }, 4), 5);
	assert_int_equal(lanes_of((int64_t[4]){ 0, 0, 0, 7000 }, 4), 8);
	/* a lane of a healthy module; many lanes; nothing counted */
	assert_int_equal(lanes_of((int64_t[4]){ 100, 700, 200, 100 }, 4), 0);
	assert_int_equal(lanes_of((int64_t[4]){ 9000, 9000, 9000, 1 }, 4), 0);
	assert_int_equal(lanes_of((int64_t[4]){ 0, 0, 0, 0 }, 4), 0);
	assert_int_equal(lanes_of((int64_t[4]){ 9000 }, 1), 0);
	assert_int_equal(lanes_of((int64_t[4]){ 0 }, 0), 0);
}

/* What a port of four lanes shows of them. */
static struct inputs lanes_shown(const int64_t snr_mdb[4],
				 const int64_t ber_e18[4])
{
	struct inputs k = { .t = { 1 } };

	for (unsigned i = 0; i < 4; i++) {
		inputs_set(&k, INPUT_SNR_MDB + i, snr_mdb[i]);
		inputs_set(&k, INPUT_LANE_BER_E18 + i, ber_e18[i]);
	}
	return k;
}

#define EVEN_SNR ((int64_t[4]){ 20000, 20400, 19800, 20100 })
#define EVEN_BER ((int64_t[4]){ 1000000000, 2000000000, 900000000, 1500000000 })

/* Of a port that was quiet with even lanes, and has such errors now. */
static uint8_t left_of(const int64_t snr_mdb[4], const int64_t ber_e18[4],
		       double log_ber)
{
	struct inputs usual = lanes_shown(EVEN_SNR, EVEN_BER);
	struct inputs now = lanes_shown(snr_mdb, ber_e18);
	struct front f = { .dom_good = true, .link = LINK_IS_UP };
	struct ber b = { .t = { 1 }, .code = fec_code_find(FEC_RS544),
			 .log_ber = log_ber,
			 .residual = { .excess = log_ber + 9 } };
	struct lane_usual l;

	lane_usual_start(&l);
	for (unsigned i = 0; i < 8; i++)
		lane_usual_take(&l, &f, &usual, true, i + 1);
	for (unsigned i = 0; i < 64; i++)	/* it learns no fault */
		lane_usual_take(&l, &f, &now, false, i + 9);
	f.link = LINK_IS_DOWN;
	lane_usual_take(&l, &f, &now, true, 73);
	return lane_usual_left(&l, &now, &b);
}

/* Windows of 10 s of a port that sends by turns much and little. follows: its
 * errors do so too, else they move by themselves.
 */
static double traffic_of(unsigned windows, bool follows, double moved)
{
	static const double apart[4] = { 0, 1, 1, 0 };
	struct inputs k = { .t = { 1 } };
	struct ber b = { .windows = 100, .closed = true };
	struct load t;
	int64_t octets = 1000000000;

	load_start(&t);
	for (unsigned i = 0; i < windows; i++) {
		octets += i % 2 ? 50000000000 : 5000000000;
		if (i == 7)
			octets = 0;	/* somebody cleared them */
		inputs_set(&k, INPUT_IN_OCTETS, octets);
		inputs_set(&k, INPUT_OUT_OCTETS, octets / 2);
		b.residual.excess = 1 + moved * (follows ? i % 2 :
						 apart[i % 4]);
		load_follow(&t, &k, &b);
	}
	assert_in_range(t.with + t.against, 0, 32);
	return load_nats(&t);
}

static void test_traffic_is_followed_or_not(void **state)
{
	(void)state;
	assert_true(traffic_of(40, true, 0.5) <= -3.99);
	assert_true(traffic_of(1000, true, 0.5) <= -3.99);
	assert_true(traffic_of(9, true, 0.5) > -2.5);	/* 6 of them count */
	assert_true(traffic_of(40, false, 0.5) > 0);
	assert_true(traffic_of(40, true, 0.05) > -0.01);	/* noise */
	assert_true(traffic_of(1, true, 0.5) > -0.01);
}

/* Contacts that wear do not know of the traffic. */
static void test_what_follows_the_traffic_is_no_wear(void **state)
{
	struct measures m = { .copper = true, .raw = 1, .windows = 100 };

	(void)state;
	assert_int_equal(name_of(&m), SIGNATURE_COPPER_DEGRADE);
	m.traffic = -4;
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
	m = lost(0, 0, 0, 0, FALL_UNCLEAR);
	m.explained = 0;
	m.windows = 100;
	m.odd_lane = 4;
	assert_int_equal(name_of(&m), SIGNATURE_LANE_IMBALANCE);
	m.traffic = -4;
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
}

static void test_lane_usual_one_lane_left(void **state)
{
	(void)state;
	/* by the ratio: it explains the errors, another fell too, it does not
	 * explain them, it hardly fell
	 */
	assert_int_equal(left_of((int64_t[4]){ 20100, 20300, 17800, 20100 },
				 EVEN_BER, -6.7), 4);
	assert_int_equal(left_of((int64_t[4]){ 20100, 19500, 17800, 20100 },
				 EVEN_BER, -6.7), 0);
	assert_int_equal(left_of((int64_t[4]){ 20100, 20300, 17800, 20100 },
				 EVEN_BER, -4.5), 0);
	assert_int_equal(left_of((int64_t[4]){ 20100, 20300, 19400, 20100 },
				 EVEN_BER, -8.9), 0);
	/* by errors: on one lane, on two, on none more than usual */
	assert_int_equal(left_of(EVEN_SNR,
				 (int64_t[4]){ 1000000000, 900000000000,
					       900000000, 1500000000 }, -6.7),
			 2);
	assert_int_equal(left_of(EVEN_SNR,
				 (int64_t[4]){ 1000000000, 900000000000,
					       900000000, 800000000000 },
				 -6.7), 0);
	assert_int_equal(left_of(EVEN_SNR, EVEN_BER, -6.7), 0);
}

/* One lane alone has the errors, and its light is whole. */
static void test_hypothesis_one_lane_has_the_errors(void **state)
{
	struct measures m = lost(0, 0, 0, 0, FALL_UNCLEAR);

	(void)state;
	m.explained = 0;
	m.windows = 100;
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
	m.odd_lane = 4;
	assert_int_equal(name_of(&m), SIGNATURE_LANE_IMBALANCE);
	m.windows = 3;			/* it may go away again … */
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
	m.windows = 100;
	m.swings = 2;			/* … and come back */
	assert_int_equal(name_of(&m), SIGNATURE_FEC_TREND);
	/* light that a lane lost has the causes of light, when it is old */
	for (int old = 0; old < 2; old++) {
		m = lost(1.5f, 0, 0, 0, FALL_AT_ONCE);
		m.drop.stood = old ? 100 : 2;
		m.odd_lane = 1;
		m.windows = 100;
		assert_int_equal(name_of(&m), old ? SIGNATURE_CONTAMINATION :
						    SIGNATURE_FEC_TREND);
	}
}

/* Light that all lanes lost evenly: dirt when somebody plugged before. */
static void test_hypothesis_who_plugs_brings_dirt(void **state)
{
	struct measures m = lost(1.5f, 1.4f, 1.6f, 1.5f, FALL_AT_ONCE);
	struct odds odds;
	float before;

	(void)state;
	hypotheses_weigh(&m, &odds);
	before = odds.p[1];
	m.drop.touch = TOUCH_PLUGGED;
	hypotheses_weigh(&m, &odds);
	assert_true(odds.p[1] > before + .05f);
	assert_int_equal(name_of(&m), SIGNATURE_CONTAMINATION);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lane_usual_one_lane_left),
		cmocka_unit_test(test_traffic_is_followed_or_not),
		cmocka_unit_test(test_what_follows_the_traffic_is_no_wear),
		cmocka_unit_test(test_hypothesis_one_lane_has_the_errors),
		cmocka_unit_test(test_hypothesis_who_plugs_brings_dirt),
		cmocka_unit_test(test_lane_usual_few_lanes_make_the_errors),
		cmocka_unit_test(test_hypothesis_each_wins_its_own),
		cmocka_unit_test(test_hypothesis_a_bend_takes_all_fibres),
		cmocka_unit_test(test_hypothesis_the_other_stays),
		cmocka_unit_test(test_hypothesis_of_a_fixed_cable_is_no_dirt),
		cmocka_unit_test(
			test_hypothesis_fewer_errors_than_the_loss_makes),
		cmocka_unit_test(
			test_hypothesis_a_row_is_pinched_from_one_side),
		cmocka_unit_test(test_hypothesis_one_colour_is_a_lane),
		cmocka_unit_test(test_hypothesis_errors_show_how_it_fell),
		cmocka_unit_test(test_hypothesis_what_is_young_has_no_name),
		cmocka_unit_test(test_hypothesis_what_returned_has_no_name),
		cmocka_unit_test(test_hypothesis_shares_are_of_one),
		cmocka_unit_test(test_hypothesis_noise_may_go_with_the_signal),
		cmocka_unit_test(test_hypothesis_loss_must_explain),
		cmocka_unit_test(test_hypothesis_name_goes_by_two_readings),
		cmocka_unit_test(
		test_hypothesis_name_goes_where_none_is_likelier),
		cmocka_unit_test(
			test_hypothesis_passive_copper_has_no_heat),
		cmocka_unit_test(test_hypothesis_a_bend_comes_and_goes),
		cmocka_unit_test(test_hypothesis_much_heat_needs_no_slope),
		cmocka_unit_test(test_hypothesis_rows_are_whole),
	};

	return cmocka_run_group_tests_name("hypothesis", tests, NULL, NULL);
}
