/* petrel-test: no-valgrind IT PLAYS THOUSANDS OF READINGS; ASAN RUNS IT TOO */
/* The judge's rules: what counts as found, as rightly named, as false. Each
 * test has a truth and findings made by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "petrel/clock.h"
#include "tests/judge/feed.h"
#include "tests/judge/match.h"
#include "tests/judge/peers.h"
#include "tests/judge/plants.h"
#include "tests/judge/tally.h"
#include "tests/judge/trial.h"

#define PORTS 4
#define LENGTH_S 10000

/* A case that a test writes: seconds throughout. */
struct bed {
	struct world_port port[PORTS];
	struct truth truth[4];
	struct told told;
	struct rows rows;
	struct match match;
};

static int set_up(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	for (unsigned i = 0; i < PORTS; i++) {
		(void)snprintf(b->port[i].name, sizeof(b->port[i].name),
			       "Ethernet%u", i);
		(void)strcpy(b->port[i].media, i < 2 ? "DR4" : "DAC");
		(void)strcpy(b->port[i].group, i < 2 ? "core0" : "core1");
	}
	told_init(&b->told);
	told_start(&b->told, b->port, PORTS);
	rows_init(&b->rows);
	b->match = (struct match){ .truth = b->truth, .told = &b->told,
				   .length_ns = LENGTH_S * NS_PER_S };
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *b = *state;

	told_fini(&b->told);
	rows_fini(&b->rows);
	free(b);
	return 0;
}

/* A fault of port 1 from 1000 s on; the test changes what it is about. */
static struct truth *truth_add(struct bed *b, enum signature signature)
{
	struct truth *t = &b->truth[b->match.truths++];

	*t = (struct truth){
		.what = "it", .law = "linear", .signature = signature,
		.ports = 1 << 1, .onset_ns = 1000 * NS_PER_S,
		.effect_ns = INT64_MAX, .cliff_ns = INT64_MAX,
		.cliff_later_ns = INT64_MAX, .end_ns = INT64_MAX,
	};
	return t;
}

static struct finding word_of(const char *id, enum signature signature,
			      enum severity severity)
{
	struct finding f = { .signature = signature, .severity = severity,
			     .state = FINDING_RAISED, .confidence = 0.5f };

	(void)snprintf(f.id, sizeof(f.id), "%s", id);
	(void)strcpy(f.subject, "Ethernet1");
	return f;
}

static void say(struct bed *b, int64_t t_s, struct finding f)
{
	b->told.now_ns = t_s * NS_PER_S;
	told_say(&b->told, &f);
}

static void say_warn(struct bed *b, int64_t t_s, const char *id,
		     enum signature signature)
{
	say(b, t_s, word_of(id, signature, SEVERITY_WARN));
}

static void say_cleared(struct bed *b, int64_t t_s, const char *id,
			enum signature signature)
{
	struct finding f = word_of(id, signature, SEVERITY_WARN);

	f.state = FINDING_CLEARED;
	say(b, t_s, f);
}

static void say_cliff(struct bed *b, int64_t t_s, const char *id, int64_t low_s,
		      int64_t mid_s, int64_t high_s)
{
	struct finding f = word_of(id, SIGNATURE_FEC_TREND, SEVERITY_WARN);

	f.cliff = (struct cliff){ true, low_s, mid_s, high_s };
	say(b, t_s, f);
}

static const struct fault_row *fault(struct bed *b, size_t i)
{
	if (!b->rows.of[ROW_FAULT].count && !b->rows.of[ROW_FINDING].count)
		match_case(&b->match, 1, &b->rows);
	return rows_get(&b->rows, ROW_FAULT, i);
}

static const struct finding_row *finding(struct bed *b, size_t i)
{
	(void)fault(b, 0);
	return rows_get(&b->rows, ROW_FINDING, i);
}

/* --- found --------------------------------------------------------------- */

static void test_match_finds_between_onset_and_a_while_after(void **state)
{
	struct bed *b = *state;
	struct truth *t = truth_add(b, SIGNATURE_FEC_TREND);

	t->end_ns = 2000 * NS_PER_S;
	assert_false(match_fits(t, 1 << 1, 999 * NS_PER_S));
	assert_true(match_fits(t, 1 << 1, 1000 * NS_PER_S));
	assert_true(match_fits(t, 1 << 1, 2900 * NS_PER_S));
	assert_false(match_fits(t, 1 << 1, 2901 * NS_PER_S));
	assert_false(match_fits(t, 1 << 2, 1500 * NS_PER_S));
	assert_true(match_fits(t, 3, 1500 * NS_PER_S));
	/* What is said of a whole switch is not said of this port. */
	assert_false(match_fits(t, 0xffff, 1500 * NS_PER_S));
	t->ports = 0x3f;		/* … but of six ports */
	assert_true(match_fits(t, 0xffff, 1500 * NS_PER_S));
	assert_false(match_fits(t, 1 << 7, 1500 * NS_PER_S));
	t->benign = true;
	assert_false(match_fits(t, 1 << 1, 1500 * NS_PER_S));
}

static void test_match_does_not_find_by_an_older_finding(void **state)
{
	struct bed *b = *state;

	(void)truth_add(b, SIGNATURE_FEC_TREND);
	say(b, 900, word_of("A", SIGNATURE_FEC_TREND, SEVERITY_WATCH));
	say(b, 1100, word_of("A", SIGNATURE_FEC_TREND, SEVERITY_WATCH));
	assert_false(fault(b, 0)->found);
	assert_true(isnan(fault(b, 0)->delay_s));
}

static void test_match_tells_watch_from_warn(void **state)
{
	struct bed *b = *state;

	(void)truth_add(b, SIGNATURE_FEC_TREND);
	say(b, 1100, word_of("A", SIGNATURE_FEC_TREND, SEVERITY_WATCH));
	assert_true(fault(b, 0)->found);
	assert_false(fault(b, 0)->found_warn);
	assert_true(isnan(fault(b, 0)->lead_share));
}

static void test_match_counts_the_delay_from_the_effect(void **state)
{
	struct bed *b = *state;

	truth_add(b, SIGNATURE_FEC_TREND)->effect_ns = 1200 * NS_PER_S;
	(void)truth_add(b, SIGNATURE_FEC_TREND);
	say(b, 1300, word_of("A", SIGNATURE_FEC_TREND, SEVERITY_WATCH));
	say_warn(b, 1500, "A", SIGNATURE_FEC_TREND);
	assert_true(fault(b, 0)->delay_s == 100.0f);
	assert_true(fault(b, 0)->delay_warn_s == 300.0f);
	assert_true(fault(b, 1)->delay_s == 300.0f);	/* no effect: onset */
}

static void test_match_takes_a_group_for_its_ports(void **state)
{
	struct bed *b = *state;
	struct finding f = word_of("A", SIGNATURE_SHARED_COMPONENT,
				   SEVERITY_WARN);

	(void)truth_add(b, SIGNATURE_SHARED_COMPONENT);
	assert_int_equal(told_ports(&b->told, "core1"), 0xc);
	assert_int_equal(told_ports(&b->told, "switch"), 0xf);
	(void)strcpy(f.subject, "core1");
	say(b, 1100, f);
	(void)strcpy(f.subject, "core0");
	(void)strcpy(f.id, "B");
	say(b, 1200, f);
	assert_true(fault(b, 0)->delay_s == 200.0f);
	assert_true(finding(b, 0)->is_false);
	assert_false(finding(b, 1)->is_false);
}

/* Links that fell at once are one finding, of the port that says it. */
static void test_match_takes_the_ports_that_one_lists(void **state)
{
	struct bed *b = *state;
	struct finding f = word_of("A", SIGNATURE_LINK_DOWN, SEVERITY_WARN);

	(void)truth_add(b, SIGNATURE_LINK_DOWN);
	truth_add(b, SIGNATURE_LINK_DOWN)->ports = 1 << 2;
	truth_add(b, SIGNATURE_LINK_DOWN)->ports = 1 << 3;
	finding_port_add(&f, "Ethernet1");
	finding_port_add(&f, "Ethernet2");
	finding_port_add(&f, "core1");		/* no port */
	say(b, 1100, f);
	assert_true(fault(b, 0)->found);
	assert_true(fault(b, 1)->found);
	assert_false(fault(b, 2)->found);
}

static void test_match_takes_ports_that_came_to_a_finding(void **state)
{
	struct bed *b = *state;
	struct finding f = word_of("A", SIGNATURE_LINK_DOWN, SEVERITY_WARN);

	truth_add(b, SIGNATURE_LINK_DOWN)->ports = 1 << 2;
	say(b, 1100, f);
	finding_port_add(&f, "Ethernet2");
	say(b, 1160, f);
	assert_true(fault(b, 0)->found);
}

/* --- named --------------------------------------------------------------- */

static void test_match_takes_the_first_name_and_the_last(void **state)
{
	struct bed *b = *state;

	truth_add(b, SIGNATURE_CONTAMINATION)->cliff_ns = 5000 * NS_PER_S;
	say_warn(b, 1100, "A", SIGNATURE_FEC_TREND);
	say_warn(b, 2000, "A", SIGNATURE_CONTAMINATION);
	say_warn(b, 5100, "A", SIGNATURE_LINK_DOWN);	/* past the cliff */
	assert_int_equal(fault(b, 0)->first_name, SIGNATURE_FEC_TREND);
	assert_int_equal(fault(b, 0)->last_name, SIGNATURE_CONTAMINATION);
	assert_int_equal(finding(b, 0)->renames, 2);
	assert_int_equal(finding(b, 0)->last_name, SIGNATURE_LINK_DOWN);
	assert_false(finding(b, 0)->name_right);
}

/* The peer restarts while the fault stands: that is told beside it. */
static void test_match_takes_no_name_from_a_benign_event(void **state)
{
	struct bed *b = *state;
	struct finding f = word_of("B", SIGNATURE_LINK_DOWN, SEVERITY_WATCH);
	struct truth *t;

	(void)truth_add(b, SIGNATURE_CONTAMINATION);
	t = truth_add(b, 0);
	t->benign = true;
	t->onset_ns = 2000 * NS_PER_S;
	say_warn(b, 1100, "A", SIGNATURE_CONTAMINATION);
	say(b, 2010, f);
	assert_int_equal(fault(b, 0)->last_name, SIGNATURE_CONTAMINATION);
	rows_fini(&b->rows);
	rows_init(&b->rows);
	t->onset_ns = 9000 * NS_PER_S;	/* not yet: it is the fault's */
	assert_int_equal(fault(b, 0)->last_name, SIGNATURE_LINK_DOWN);
}

static void test_match_lets_a_clearing_name_nothing(void **state)
{
	struct bed *b = *state;

	(void)truth_add(b, SIGNATURE_CONTAMINATION);
	say_warn(b, 1100, "A", SIGNATURE_FEC_TREND);
	say_warn(b, 1200, "B", SIGNATURE_CONTAMINATION);
	say_cleared(b, 1300, "A", SIGNATURE_FEC_TREND);
	assert_int_equal(fault(b, 0)->last_name, SIGNATURE_CONTAMINATION);
	assert_true(finding(b, 1)->name_right);
	assert_false(finding(b, 0)->name_right);
}

static void test_match_judges_end_and_first_action(void **state)
{
	struct bed *b = *state;
	struct truth *t = truth_add(b, SIGNATURE_CONTAMINATION);
	struct finding f = word_of("A", SIGNATURE_CONTAMINATION,
				   SEVERITY_WARN);

	t->end = END_PATH;
	t->action = ACTION_CLEAN_NEAR;
	f.action = ACTION_OBSERVE;	/* asks nothing of anybody */
	f.end = END_NEAR;
	say(b, 1100, f);
	f.action = ACTION_CLEAN_NEAR;
	f.end = END_PATH;
	say(b, 1200, f);
	f.action = ACTION_REPLACE_CABLE;
	say(b, 1300, f);
	assert_true(fault(b, 0)->end_asked && fault(b, 0)->end_right);
	assert_true(fault(b, 0)->action_asked && fault(b, 0)->action_right);
}

static void test_match_wants_both_of_two_and_never_a_third(void **state)
{
	struct bed *b = *state;

	(void)truth_add(b, SIGNATURE_CONTAMINATION);
	truth_add(b, SIGNATURE_THERMAL_FEC)->onset_ns = 3000 * NS_PER_S;
	say_warn(b, 1100, "A", SIGNATURE_FEC_TREND);	/* a symptom */
	say_warn(b, 1200, "A", SIGNATURE_CONTAMINATION);
	say_warn(b, 3200, "B", SIGNATURE_THERMAL_FEC);
	assert_false(fault(b, 0)->is_pair);	/* said once, of the second */
	assert_true(fault(b, 1)->is_pair && fault(b, 1)->both_named);
	assert_false(fault(b, 1)->third_named);
}

static void test_match_sees_a_third_name(void **state)
{
	struct bed *b = *state;

	(void)truth_add(b, SIGNATURE_CONTAMINATION);
	truth_add(b, SIGNATURE_THERMAL_FEC)->onset_ns = 3000 * NS_PER_S;
	say_warn(b, 1200, "A", SIGNATURE_CONTAMINATION);
	say_warn(b, 3200, "B", SIGNATURE_LOOSE_MODULE);
	assert_true(fault(b, 1)->third_named);
	assert_false(fault(b, 1)->both_named);
}

static void test_match_lets_what_has_no_name_be_a_symptom(void **state)
{
	struct tally_filter all = TALLY_ALL;
	struct tally_faults t;
	struct bed *b = *state;

	(void)truth_add(b, 0);
	truth_add(b, 0)->ports = 1 << 2;
	say_warn(b, 1100, "A", SIGNATURE_FEC_TREND);
	say_warn(b, 1100, "B", SIGNATURE_FAR_LASER);
	b->told.finding[1].ports = 1 << 2;
	assert_true(finding(b, 0)->name_right);
	assert_false(finding(b, 1)->name_right);
	tally_faults(&b->rows, &all, &t);
	assert_true(t.strange == 2 && t.strange_right == 1);
}

/* --- false alarms -------------------------------------------------------- */

static void test_match_folds_false_alarms_of_ten_minutes(void **state)
{
	struct bed *b = *state;
	struct finding other = word_of("D", SIGNATURE_FEC_TREND,
				       SEVERITY_WARN);

	say_warn(b, 1000, "A", SIGNATURE_FEC_TREND);
	say_warn(b, 1599, "B", SIGNATURE_LINK_DOWN);
	say_warn(b, 1600, "C", SIGNATURE_FLAP_BURST);
	(void)strcpy(other.subject, "Ethernet2");
	say(b, 1601, other);
	assert_true(finding(b, 0)->is_false);
	assert_false(finding(b, 1)->is_false);
	assert_true(finding(b, 2)->is_false);
	assert_true(finding(b, 3)->is_false);
}

static void test_match_holds_watch_to_be_no_alarm(void **state)
{
	struct bed *b = *state;

	say(b, 1000, word_of("A", SIGNATURE_FEC_TREND, SEVERITY_WATCH));
	assert_false(finding(b, 0)->is_false);
	assert_false(finding(b, 0)->fits);
}

static void test_match_names_the_benign_thing_nearby(void **state)
{
	struct bed *b = *state;
	struct truth *t = truth_add(b, 0);
	const struct benign_row *benign;

	t->benign = true;
	t->what = "warm hour";
	t->end_ns = 2000 * NS_PER_S;
	say_warn(b, 3800, "A", SIGNATURE_FEC_TREND);
	say_warn(b, 5000, "B", SIGNATURE_FEC_TREND);
	assert_true(finding(b, 0)->is_false);	/* benign truths never fit */
	assert_string_equal(finding(b, 0)->nearby, "warm hour");
	assert_string_equal(finding(b, 1)->nearby, "nothing");
	assert_null(rows_get(&b->rows, ROW_FAULT, 0));
	benign = rows_get(&b->rows, ROW_BENIGN, 0);
	assert_string_equal(benign->what, "warm hour");
	assert_int_equal(benign->ports, __builtin_popcountll(t->ports));
	assert_float_equal(finding(b, 0)->nearby_s,
			   3800 - (double)t->onset_ns / 1e9, 1);
}

/* A healthy module that came is no fault, and called what it is. */
static void test_match_lets_a_swap_be_named(void **state)
{
	struct bed *b = *state;
	struct truth *t = truth_add(b, 0);

	t->benign = true;
	t->what = "healthy_swap";
	t->end_ns = 1060 * NS_PER_S;
	say_warn(b, 1070, "A", SIGNATURE_MODULE_CHANGED);
	say_warn(b, 1070, "B", SIGNATURE_FEC_TREND);
	say_warn(b, 9000, "C", SIGNATURE_MODULE_CHANGED);
	assert_true(finding(b, 0)->name_right);
	assert_false(finding(b, 0)->fits);
	assert_false(finding(b, 1)->name_right);
	assert_false(finding(b, 2)->name_right);
}

/* --- cliffs -------------------------------------------------------------- */

static void test_match_takes_what_stands_at_half_life(void **state)
{
	struct bed *b = *state;
	const struct fault_row *row;

	truth_add(b, SIGNATURE_FEC_TREND)->cliff_ns = 5000 * NS_PER_S;
	say_cliff(b, 1400, "A", 9000, 9500, 9900);	/* older */
	say_cliff(b, 2000, "A", 1000, 2500, 4000);
	say_cliff(b, 3100, "A", 1, 2, 3);		/* after half life */
	row = fault(b, 0);
	assert_true(row->has_cliff && row->foretold && row->answered);
	assert_true(row->left_s == 2000.0f);
	assert_true(row->low_s == 0.0f && row->mid_s == 1500.0f);
	assert_true(row->high_s == 3000.0f);
	assert_true(fabs((double)row->lead_share - 0.9) < 1e-6);
}

static void test_match_forgets_what_cleared_before_half_life(void **state)
{
	struct bed *b = *state;

	truth_add(b, SIGNATURE_FEC_TREND)->cliff_ns = 5000 * NS_PER_S;
	say_cliff(b, 2000, "A", 1000, 2500, FINDING_NO_UPPER_BOUND);
	say_cleared(b, 2500, "A", SIGNATURE_FEC_TREND);
	assert_true(fault(b, 0)->foretold);
	assert_false(fault(b, 0)->answered);
}

static void test_match_does_not_call_it_foretold_afterwards(void **state)
{
	struct bed *b = *state;

	truth_add(b, SIGNATURE_FEC_TREND)->cliff_ns = 5000 * NS_PER_S;
	say_cliff(b, 5001, "A", 0, 0, 0);
	assert_false(fault(b, 0)->foretold);
	assert_true(fault(b, 0)->lead_share < 0);
}

static void test_match_asks_no_lead_of_a_sudden_cliff(void **state)
{
	static const bool foreseeable[1];	/* the oracle could not */
	struct bed *b = *state;

	truth_add(b, SIGNATURE_CONTAMINATION)->cliff_ns = 1001 * NS_PER_S;
	b->match.foreseeable = foreseeable;
	say_warn(b, 1100, "A", SIGNATURE_CONTAMINATION);
	assert_true(fault(b, 0)->is_sudden && !fault(b, 0)->has_cliff);
	assert_int_equal(fault(b, 0)->last_name, SIGNATURE_CONTAMINATION);
}

static void test_match_sees_a_fault_beside(void **state)
{
	struct bed *b = *state;

	truth_add(b, SIGNATURE_CONTAMINATION)->ports = 1 << 0;
	say_warn(b, 1100, "A", SIGNATURE_FEC_TREND);
	assert_true(finding(b, 0)->is_false);
	assert_string_equal(finding(b, 0)->nearby, "a fault beside");
}

static void test_match_counts_cliffs_that_never_come(void **state)
{
	struct bed *b = *state;

	truth_add(b, SIGNATURE_FEC_TREND)->cliff_later_ns = 12000 * NS_PER_S;
	say_cliff(b, 2000, "A", 1, 2, 5000);	/* by 7000 s: it does not */
	say_cliff(b, 2000, "B", 1, 2, 8001);	/* behind the case's end */
	say_cliff(b, 2000, "C", 1, 2, FINDING_NO_UPPER_BOUND);
	assert_true(finding(b, 0)->due && !finding(b, 0)->came);
	assert_true(finding(b, 0)->due_later && finding(b, 0)->came_later);
	assert_true(!finding(b, 1)->due && finding(b, 1)->due_later);
	assert_true(finding(b, 2)->foretold && !finding(b, 2)->due_later);
}

/* --- peers' alarms, and a whole case ------------------------------------- */

static void test_told_ends_an_alarm_when_it_was_quiet(void **state)
{
	static const struct { int64_t t_s; enum severity severity; } rows[] = {
		{ 100, 0 }, { 200, SEVERITY_WARN }, { 300, SEVERITY_WARN },
		{ 500, 0 }, { 800, SEVERITY_CRITICAL }, { 1399, 0 },
		{ 1401, 0 }, { 1500, SEVERITY_WARN },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		b->told.now_ns = rows[i].t_s * NS_PER_S;
		told_alarm(&b->told, 1, 2, rows[i].severity);
	}
	assert_int_equal(b->told.findings, 2);
	assert_int_equal(b->told.words, 4);	/* up, worse, over, up */
	assert_int_equal(b->told.word[1].severity, SEVERITY_CRITICAL);
	assert_false(b->told.finding[0].is_open);
	assert_true(b->told.finding[1].is_open);
	assert_null(finding(b, 2));
	assert_int_equal(finding(b, 0)->teller, 1);
}

static void test_feed_leaves_out_what_it_is_told_to(void **state)
{
	struct world_reading r = { .has_bins = true, .temp_c = 40 };

	(void)state;
	feed_leave_out(&r, WITHOUT_TEMPERATURE);
	assert_true(isnan(r.temp_c) && r.has_bins && r.rx_dbm[0] == 0);
	feed_leave_out(&r, WITHOUT_HISTOGRAM);
	assert_true(!r.has_bins && r.rx_dbm[0] == 0);
	feed_leave_out(&r, WITHOUT_LIGHT);
	assert_true(isnan(r.rx_dbm[0]) && isnan(r.bias_ma[7]));
}

/* A second of two healthy ports; errors: corrected bits of it. */
static void second_feed(struct feed *f, int64_t t_s, int64_t clock_s,
			uint64_t errors, struct world_reading r[2])
{
	for (unsigned i = 0; i < 2; i++) {
		r[i].t_ns = clock_s * NS_PER_S;
		r[i].fec_corrected_bits += errors;
		r[i].fec_corrected_codewords += errors;
		r[i].fec_symbol_errors += errors;
	}
	feed_tick(f, t_s * NS_PER_S, r, 3, NULL, 0);
}

static void said_count(void *context, const struct finding *f)
{
	(void)f;
	++*(unsigned *)context;
}

static void test_feed_follows_a_clock_that_steps(void **state)
{
	struct world_port port[2] = { { .name = "Ethernet0" },
				      { .name = "Ethernet1" } };
	struct world_reading r[2] = { 0 };
	unsigned said = 0;
	struct feed *f;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		(void)strcpy(port[i].media, "DR4");
		port[i].speed_mbps = 400000;
		port[i].fec = FEC_RS544;
		port[i].counter_bits = 64;
		r[i].admin_up = r[i].oper_up = r[i].present = true;
		r[i].has_counters = true;
	}
	assert_int_equal(feed_open(port, 2, PACE_FAST, said_count, &said, &f),
			 0);
	for (int64_t t = 1; t <= 900; t++) {
		int64_t step = t < 300 ? 0 : t < 600 ? -3600 : 7200;

		second_feed(f, t, t + step, 42500, r);	/* 1e-7 */
	}
	assert_int_equal(said, 0);
	for (int64_t t = 901; t <= 1100; t++)		/* 1e-5 */
		second_feed(f, t, t + (t < 1000 ? 7200 : -9000), 4250000, r);
	assert_true(said >= 2);
	feed_close(f);
}

static void case_run(unsigned without, struct rows *rows)
{
	struct trial_options options = { without, true, true, true };
	struct world_case at = { .seed = 7, .pace = PACE_FAST, .ports = 16,
				 .length_ns = 3600 * NS_PER_S };
	struct trial *trial;

	rows_init(rows);
	assert_int_equal(trial_new(&options, &trial), 0);
	assert_int_equal(trial_run(trial, 7, plants_get(7), &at, rows), 0);
	trial_free(trial);
}

static void test_trial_judges_a_case_the_same_again(void **state)
{
	struct tally_filter all = TALLY_ALL;
	struct tally_faults t;
	struct tally_guess g;
	struct rows one, two;

	(void)state;
	all.teller = TELLER_ENGINE;
	case_run(0, &one);
	case_run(0, &two);
	for (unsigned i = 0; i < ROW_KIND_COUNT; i++)
		assert_int_equal(one.of[i].count, two.of[i].count);
	assert_memory_equal(one.of[ROW_FAULT].row, two.of[ROW_FAULT].row,
			    one.of[ROW_FAULT].count * sizeof(struct fault_row));
	tally_faults(&one, &all, &t);
	assert_true(t.n > 4 && t.found == t.n && t.cliffs > 0);
	tally_oracle(&one, &all, &g);
	assert_true(g.n == t.cliffs && g.error < 0.1);
	rows_fini(&one);
	rows_fini(&two);
}

static void test_rows_come_back_from_a_file(void **state)
{
	struct rows one, two;
	FILE *f = tmpfile();

	(void)state;
	assert_non_null(f);
	case_run(WITHOUT_HISTOGRAM, &one);
	rows_init(&two);
	assert_int_equal(rows_write(&one, f), 0);
	assert_int_equal(rows_write(&one, f), 0);
	rewind(f);
	assert_int_equal(rows_read(&two, f), 0);
	assert_int_equal(rows_read(&two, f), 0);
	assert_true(rows_read(&two, f) < 0);
	for (unsigned i = 0; i < ROW_KIND_COUNT; i++)
		assert_int_equal(two.of[i].count, 2 * one.of[i].count);
	(void)fclose(f);
	rows_fini(&one);
	rows_fini(&two);
}

#define WITH_BED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_BED(test_match_finds_between_onset_and_a_while_after),
		WITH_BED(test_match_does_not_find_by_an_older_finding),
		WITH_BED(test_match_tells_watch_from_warn),
		WITH_BED(test_match_counts_the_delay_from_the_effect),
		WITH_BED(test_match_takes_a_group_for_its_ports),
		WITH_BED(test_match_takes_the_ports_that_one_lists),
		WITH_BED(test_match_takes_ports_that_came_to_a_finding),
		WITH_BED(test_match_takes_the_first_name_and_the_last),
		WITH_BED(test_match_takes_no_name_from_a_benign_event),
		WITH_BED(test_match_lets_a_clearing_name_nothing),
		WITH_BED(test_match_judges_end_and_first_action),
		WITH_BED(test_match_wants_both_of_two_and_never_a_third),
		WITH_BED(test_match_sees_a_third_name),
		WITH_BED(test_match_lets_what_has_no_name_be_a_symptom),
		WITH_BED(test_match_folds_false_alarms_of_ten_minutes),
		WITH_BED(test_match_holds_watch_to_be_no_alarm),
		WITH_BED(test_match_names_the_benign_thing_nearby),
		WITH_BED(test_match_lets_a_swap_be_named),
		WITH_BED(test_match_takes_what_stands_at_half_life),
		WITH_BED(test_match_forgets_what_cleared_before_half_life),
		WITH_BED(test_match_does_not_call_it_foretold_afterwards),
		WITH_BED(test_match_asks_no_lead_of_a_sudden_cliff),
		WITH_BED(test_match_sees_a_fault_beside),
		WITH_BED(test_match_counts_cliffs_that_never_come),
		WITH_BED(test_told_ends_an_alarm_when_it_was_quiet),
		cmocka_unit_test(test_feed_leaves_out_what_it_is_told_to),
		cmocka_unit_test(test_feed_follows_a_clock_that_steps),
		cmocka_unit_test(test_trial_judges_a_case_the_same_again),
		cmocka_unit_test(test_rows_come_back_from_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
