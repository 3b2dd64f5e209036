/* The judge's arithmetic against known values, the peers' rules on readings
 * made by hand, and the oracle on a course without noise.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "petrel/clock.h"
#include "tests/judge/interval.h"
#include "tests/judge/ledger.h"
#include "tests/judge/oracle.h"
#include "tests/judge/peers.h"
#include "tests/judge/tally.h"

static void near(double value, double wanted, double by)
{
	if (!(fabs(value - wanted) <= by))
		fail_msg("%.9g, expected %.9g", value, wanted);
}

/* --- intervals ----------------------------------------------------------- */

static void test_interval_gamma_is_half_of_chi_square(void **state)
{
	/* Tables of chi-square: p, degrees of freedom, quantile. */
	static const double rows[][3] = {
		{ 0.95, 1, 3.8415 }, { 0.95, 2, 5.9915 },
		{ 0.05, 10, 3.9403 }, { 0.975, 30, 46.9792 },
		{ 0.025, 100, 74.2219 }, { 0.5, 5, 4.3515 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		near(2 * interval_gamma(rows[i][0], rows[i][1] / 2),
		     rows[i][2], 1e-4);
	near(interval_gamma(0, 3), 0, 0);
	assert_true(isinf(interval_gamma(1, 3)));
}

static void test_interval_poisson_is_garwoods(void **state)
{
	/* Garwood's table: count, 95 % limits. */
	static const double rows[][3] = {
		{ 0, 0, 3.6889 }, { 1, 0.0253, 5.5716 }, { 5, 1.6235, 11.6683 },
		{ 10, 4.7954, 18.3904 }, { 100, 81.3640, 121.6269 },
	};
	double low, high;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		interval_poisson(rows[i][0], &low, &high);
		near(low, rows[i][1], 1e-3);
		near(high, rows[i][2], 1e-3);
	}
}

static void test_interval_quantile_goes_between(void **state)
{
	double list[] = { 4, 1, 3, 2 }, far[] = { INFINITY, 1, INFINITY };

	(void)state;
	near(interval_quantile(list, 4, 0.5), 2.5, 0);
	near(interval_quantile(list, 4, 1), 4, 0);
	near(interval_quantile(list, 1, 0.9), 1, 0);
	assert_true(isinf(interval_quantile(far, 3, 0.5)));
	assert_true(isnan(interval_quantile(NULL, 0, 0.5)));
}

/* --- tally --------------------------------------------------------------- */

static void test_tally_trust_has_known_losses(void **state)
{
	static const double told[] = { 0.8, 0.8, 0.3, 1.0 };
	static const bool right[] = { true, false, false, true };
	struct tally_trust t;

	(void)state;
	tally_trust_of(told, right, 4, &t);
	near(t.base_rate, 0.5, 0);
	near(t.brier, (0.04 + 0.64 + 0.09) / 4, 1e-12);
	near(t.log_loss, -(log(0.8) + log(0.2) + log(0.7) + log(0.999)) / 4,
	     1e-12);
	near(t.base_log_loss, log(2), 1e-12);
	near(t.base_brier, 0.25, 0);
	/* Four are one bin: 2.9 told, 2 right. */
	near(t.error, 0.9 / 4, 1e-12);
}

static void test_tally_pools_bins_of_few(void **state)
{
	enum { EACH = 200 };
	static double told[2 * EACH + 1];
	static bool right[2 * EACH + 1];
	struct tally_trust t;

	(void)state;
	for (int i = 0; i < EACH; i++) {
		told[i] = 0.15;			/* all wrong: off by 0.15 */
		told[EACH + i] = 0.85;		/* all right: off by 0.15 */
		right[EACH + i] = true;
	}
	tally_trust_of(told, right, 2 * EACH, &t);
	near(t.error, 0.15, 1e-12);
	tally_trust_of(told, right, 2 * EACH - 1, &t);
	near(t.error, 0.5 / (2 * EACH - 1) / 2, 2e-3);	/* one bin: no gap */
	told[2 * EACH] = 0.95;			/* alone: goes to the last */
	tally_trust_of(told, right, 2 * EACH + 1, &t);
	near(t.error, (30 - 0 + fabs(170.95 - 200)) / (2 * EACH + 1), 1e-9);
}

static struct fault_row *fault_add(struct rows *r, uint8_t pace, float mid_s)
{
	struct fault_row *row = rows_add(r, ROW_FAULT);

	row->at.pace = pace;
	row->signature = row->first_name = SIGNATURE_FEC_TREND;
	row->found = true;
	row->delay_s = mid_s;
	row->delay_warn_s = row->lead_share = NAN;
	row->has_cliff = row->answered = true;
	row->low_s = 50;
	row->mid_s = mid_s;
	row->high_s = 200;
	row->left_s = 100;
	rows_word(row->law, pace ? "square" : "linear");
	return row;
}

static void test_tally_counts_what_the_filter_lets_in(void **state)
{
	struct tally_filter f = TALLY_ALL;
	struct tally_faults t;
	struct rows r;

	(void)state;
	rows_init(&r);
	(void)fault_add(&r, 0, 110);
	(void)fault_add(&r, 0, 140);
	fault_add(&r, 1, 100)->high_s = 60;		/* does not hold it */
	fault_add(&r, 1, 100)->lead_share = 0.5f;
	tally_faults(&r, &f, &t);
	near(t.n, 4, 0);
	near(t.covered, 3, 0);
	near(t.error, 0.05, 1e-6);
	near(t.warned_before, 1, 0);
	near(t.lead_share, 0, 0);	/* no warning is no life left */
	f.pace = 0;
	tally_faults(&r, &f, &t);
	near(t.n, 2, 0);
	near(t.error, 0.25, 1e-6);
	near(t.first_right, 2, 0);
	near(t.last_right, 0, 0);
	f.pace = TALLY_ANY;
	f.law = "square";
	tally_faults(&r, &f, &t);
	near(t.covered, 1, 0);
	f.law_other = true;
	tally_faults(&r, &f, &t);
	near(t.covered, 2, 0);
	rows_fini(&r);
}

/* A pair of which one is of a queue is a pair of no link. */
static void test_tally_leaves_out_pairs_with_a_queue(void **state)
{
	struct tally_filter f = TALLY_ALL;
	struct tally_faults t;
	struct fault_row *row;
	struct rows r;

	(void)state;
	rows_init(&r);
	for (unsigned i = 0; i < 2; i++) {
		row = fault_add(&r, 0, 100);
		row->is_pair = true;
		row->pair_with = i ? SIGNATURE_PFC_STORM : SIGNATURE_LINK_DOWN;
	}
	tally_faults(&r, &f, &t);
	near(t.pairs, 2, 0);
	f.no_queues = true;
	tally_faults(&r, &f, &t);
	near(t.pairs, 1, 0);
	rows_fini(&r);
}

static void test_tally_rates_alarms_by_port_years(void **state)
{
	struct tally_filter f = TALLY_ALL;
	struct exposure_row *e;
	struct tally_findings t;
	struct rows r;

	(void)state;
	rows_init(&r);
	for (int i = 0; i < 2; i++) {
		e = rows_add(&r, ROW_EXPOSURE);
		e->port_s = 31557600;
		rows_word(e->media, i ? "DAC" : "DR4");
		((struct finding_row *)rows_add(&r, ROW_FINDING))->is_false =
			i == 0;
	}
	tally_findings(&r, &f, &t);
	near(t.port_years, 2, 1e-9);
	near(t.rate, 0.5, 1e-9);
	near(t.high, 5.5716 / 2, 1e-3);
	f.media = "DAC";
	tally_findings(&r, &f, &t);
	near(t.port_years, 1, 1e-9);
	near(t.alarms, 0, 0);
	rows_fini(&r);
}

static void test_ledger_pools_the_last_three_runs(void **state)
{
	char path[] = "/tmp/judge-ledger-XXXXXX", text[4096];
	struct ledger_run run = { path, "0123456789abcdef", "all", 1, 4 };
	struct report report = { 0 };
	int fd = mkstemp(path);
	struct rows r;
	size_t n;

	(void)state;
	assert_true(fd >= 0);
	(void)close(fd);
	rows_init(&r);
	for (int i = 0; i < 4; i++) {	/* 1, 3, 5, 7 faults; one found each */
		(void)fault_add(&r, 0, 100);
		assert_int_equal(ledger_append(&run, &r, 0, "a", false, 0), 0);
		fault_add(&r, 0, 100)->found = false;
	}
	run.scope = "part";			/* another key */
	assert_int_equal(ledger_append(&run, &r, 0, "a", false, 0), 0);
	report.out = tmpfile();
	assert_non_null(report.out);
	assert_int_equal(ledger_pooled(path, 3, &report), 0);
	rewind(report.out);
	n = fread(text, 1, sizeof(text) - 1, report.out);
	text[n] = '\0';
	/* 3 + 5 + 7 faults, of which 2 + 3 + 4 were found */
	assert_non_null(strstr(text, "a standard all     3     15  0.600"));
	assert_non_null(strstr(text, "a standard part    1      8  0.500"));
	(void)fclose(report.out);
	(void)unlink(path);
	rows_fini(&r);
}

/* --- peers --------------------------------------------------------------- */

static struct world_port port_of(bool optical, enum fec_mode fec)
{
	struct world_port p = { .optical = optical, .lanes = 4,
				.speed_mbps = 400000, .fec = fec,
				.counter_bits = 64 };

	p.limits.known = true;
	for (unsigned i = 0; i < WORLD_EDGE_COUNT; i++) {
		static const double of[] = { 4, -4, 3, -3 };

		p.limits.temp_c[i] = 40 + 10 * of[i];
		p.limits.vcc_v[i] = 3.3 + 0.1 * of[i];
		p.limits.rx_dbm[i] = p.limits.tx_dbm[i] = of[i];
		p.limits.bias_ma[i] = 60 + 10 * of[i];
	}
	return p;
}

static struct world_reading reading_of(int64_t t_s)
{
	struct world_reading r = { .t_ns = t_s * NS_PER_S, .admin_up = true,
				   .oper_up = true, .present = true,
				   .has_counters = true, .has_bins = true,
				   .has_dom = true, .temp_c = 40,
				   .vcc_v = 3.3 };

	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		r.bias_ma[i] = 60;
	return r;
}

static enum severity step(const struct peer *peer, void *mine,
			  const struct world_port *p,
			  const struct world_reading *r)
{
	double loss = NAN;

	return peer->step(mine, p, r, &loss);
}

static void test_peers_step_knows_wraps_and_restarts(void **state)
{
	(void)state;
	assert_int_equal(peers_step(UINT64_MAX, 5, 64), 0);
	assert_int_equal(peers_step(5, 9, 64), 4);
	assert_int_equal(peers_step(0xfffffff0, 0x10, 32), 0x20);
	assert_int_equal(peers_step(0xfffffff0, 0x10, 64), 0);
	assert_int_equal(peers_step(1000, 10, 32), 0);
}

static void test_xcvrd_fires_beyond_limits_alone(void **state)
{
	struct world_port p = port_of(true, FEC_RS544);
	struct world_reading r = reading_of(1);

	(void)state;
	assert_int_equal(step(&peer_xcvrd, NULL, &p, &r), 0);
	r.rx_dbm[3] = -3.1;
	assert_int_equal(step(&peer_xcvrd, NULL, &p, &r), SEVERITY_WARN);
	r.rx_dbm[3] = NAN;
	r.temp_c = 80.5;
	assert_int_equal(step(&peer_xcvrd, NULL, &p, &r), SEVERITY_CRITICAL);
	r.present = false;
	assert_int_equal(step(&peer_xcvrd, NULL, &p, &r), 0);
	r.present = true;
	r.temp_c = 40;
	r.rx_dbm[4] = -9;		/* a lane that it does not have */
	assert_int_equal(step(&peer_xcvrd, NULL, &p, &r), 0);
}

/* What UFM's table says after two minutes at a bit error ratio. */
static enum severity ufm_at(bool optical, enum fec_mode fec, double ber)
{
	struct world_port p = port_of(optical, fec);
	enum severity s = 0;
	void *mine = calloc(1, peer_ufm.state_size);

	assert_non_null(mine);
	for (int64_t t = 0; t <= 120; t += 10) {
		struct world_reading r = reading_of(1 + t);

		r.fec_corrected_bits = (uint64_t)(ber * 425e9 * (double)t);
		s = step(&peer_ufm, mine, &p, &r);
	}
	free(mine);
	return s;
}

static void test_ufm_goes_by_its_table(void **state)
{
	(void)state;
	assert_int_equal(ufm_at(true, FEC_RS544, 4e-6), 0);
	assert_int_equal(ufm_at(true, FEC_RS544, 6e-6), SEVERITY_WARN);
	assert_int_equal(ufm_at(true, FEC_RS544, 2e-5), SEVERITY_CRITICAL);
	assert_int_equal(ufm_at(false, FEC_RS544, 4e-7), 0);
	assert_int_equal(ufm_at(false, FEC_RS544, 6e-7), SEVERITY_WARN);
	assert_int_equal(ufm_at(true, FEC_RS528, 1e-13), 0);
	assert_int_equal(ufm_at(true, FEC_RS528, 2e-12), SEVERITY_CRITICAL);
}

/* What SONiC foretells where each bin has so many times the one before. */
static enum severity flr_at(double first, double ratio, double *ret_loss)
{
	struct world_port p = port_of(true, FEC_RS544);
	struct world_reading r = reading_of(1);
	void *mine = calloc(1, peer_flr.state_size);
	enum severity s;

	assert_non_null(mine);
	(void)peer_flr.step(mine, &p, &r, ret_loss);
	r.t_ns += 120 * NS_PER_S;
	r.fec_bins[0] = UINT64_C(10000000000);
	for (unsigned i = 1; i < 16; i++, first *= ratio)
		r.fec_bins[i] = (uint64_t)first;
	s = peer_flr.step(mine, &p, &r, ret_loss);
	free(mine);
	return s;
}

static void test_flr_draws_the_line_to_the_last_bins(void **state)
{
	double loss = NAN, sum = 0;

	(void)state;
	assert_int_equal(flr_at(1e8, 1e-4, &loss), 0);
	assert_true(loss < -50);
	assert_int_equal(flr_at(1e8, 0.25, &loss), SEVERITY_WARN);
	for (int i = 16; i <= 20; i++)
		sum += 1e8 * pow(0.25, i - 1) / 1e10;
	near(loss, log10(sum * (1 + 8 * 2) / 8), 0.05);
	loss = NAN;
	assert_int_equal(flr_at(1e8, 1e-8, &loss), 0);	/* one bin: no line */
	assert_true(isnan(loss));
}

static void test_kmeans_fires_at_what_it_never_saw(void **state)
{
	struct world_port p = port_of(true, FEC_RS544);
	void *mine = calloc(1, peer_kmeans.state_size);
	unsigned quiet = 0, loud = 0;
	uint64_t errors = 0;

	(void)state;
	assert_non_null(mine);
	assert_true(peer_kmeans.state_size <= PEERS_STATE_MAX);
	peer_kmeans.start(mine, &p, PACE_FAST);
	srandom(11);
	for (int64_t t = 1; t <= 2400; t++) {
		struct world_reading r = reading_of(t);
		bool jumps = t > 2000 && t % 20 < 10;

		errors += (uint64_t)(random() % 1000 + (jumps ? 50000 : 1000));
		r.fec_corrected_codewords = errors;
		*(t <= 2000 ? &quiet : &loud) +=
			step(&peer_kmeans, mine, &p, &r) >= SEVERITY_WARN;
	}
	assert_true(quiet < 200);	/* it is not silent on noise */
	assert_true(loud > 300);
	free(mine);
}

/* --- oracle -------------------------------------------------------------- */

static void test_oracle_foresees_a_course_that_it_knows(void **state)
{
	struct oracle *o = calloc(1, sizeof(*o));
	struct world_port p = port_of(true, FEC_RS544);
	struct truth t = { .ports = 1, .onset_ns = 1000 * NS_PER_S,
			   .cliff_ns = 3000 * NS_PER_S, .law = "linear",
			   .end_ns = INT64_MAX };
	struct world_reading r = reading_of(0);
	struct setting at = { 0 };
	const struct oracle_row *row;
	double low, mid, high, bits = 0;
	struct rows rows;

	(void)state;
	assert_non_null(o);
	rows_init(&rows);
	oracle_start(o, 3600 * NS_PER_S);
	for (int64_t s = 1; s < 3600; s++) {
		double y = -7 + 3.4 * fmax(0, (double)(s - 1000) / 2000);

		r.t_ns = s * NS_PER_S;
		bits += 425e9 * pow(10, y);
		r.fec_corrected_bits = (uint64_t)bits;
		if (oracle_take(o, 0, &p, &r, r.t_ns))
			oracle_truth(o, 0, y);
	}
	assert_true(oracle_guess(o, 0, &t, 2000 * NS_PER_S, &low, &mid, &high));
	near(mid, 1000, 60);
	assert_true(low <= 1030 && high >= 970 && high < 1300);
	oracle_judge(o, &at, &p, &t, 3600 * NS_PER_S, &rows);
	row = rows_get(&rows, ROW_ORACLE, 0);
	assert_non_null(row);
	assert_true(row->foreseen_share >= 0.7f);
	t.cliff_ns = INT64_MAX;			/* none: nothing to say */
	oracle_judge(o, &at, &p, &t, 3600 * NS_PER_S, &rows);
	assert_int_equal(rows.of[ROW_ORACLE].count, 1);
	rows_fini(&rows);
	free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interval_gamma_is_half_of_chi_square),
		cmocka_unit_test(test_interval_poisson_is_garwoods),
		cmocka_unit_test(test_interval_quantile_goes_between),
		cmocka_unit_test(test_tally_trust_has_known_losses),
		cmocka_unit_test(test_tally_pools_bins_of_few),
		cmocka_unit_test(test_tally_counts_what_the_filter_lets_in),
		cmocka_unit_test(test_tally_leaves_out_pairs_with_a_queue),
		cmocka_unit_test(test_tally_rates_alarms_by_port_years),
		cmocka_unit_test(test_ledger_pools_the_last_three_runs),
		cmocka_unit_test(test_peers_step_knows_wraps_and_restarts),
		cmocka_unit_test(test_xcvrd_fires_beyond_limits_alone),
		cmocka_unit_test(test_ufm_goes_by_its_table),
		cmocka_unit_test(test_flr_draws_the_line_to_the_last_bins),
		cmocka_unit_test(test_kmeans_fires_at_what_it_never_saw),
		cmocka_unit_test(test_oracle_foresees_a_course_that_it_knows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
