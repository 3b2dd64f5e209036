/* petrel-test: timeout=120 */
/* petrel-test: no-valgrind IT PLAYS DAYS OF A SWITCH; ASAN RUNS IT TOO */
/* The plant as a whole (C16): the same whenever it is asked, and each fault
 * changes what it should and nothing on other ports.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "petrel/clock.h"
#include "petrel/plant.h"

#define HEAD "switch ports=8 seed=5 tick=1s dom=1s phase=1h name=t\n"
#define COPPER HEAD "port Ethernet8 media=DAC\n"

static struct plant *plant_of(const char *head, const char *fault)
{
	struct plant *p = NULL;
	struct diag d = { "" };
	char text[1024];

	(void)snprintf(text, sizeof(text), "%s%s%s", head, fault ? fault : "",
		       fault ? "\n" : "");
	if (plant_open(text, strlen(text), "t", &p, &d) < 0)
		fail_msg("%s", d.text);
	return p;
}

static struct plant_port port_at(struct plant *p, size_t port, int64_t s)
{
	struct plant_port ret;

	plant_advance(p, s * NS_PER_S);
	plant_port(p, port, &ret);
	return ret;
}

/* Two switches that differ by one fault on Ethernet8, at one time. */
struct twins {
	struct plant *sick, *well;
	struct plant_port now, healthy;	/* of Ethernet8 */
	struct plant_port before;	/* of the sick one, before the fault */
};

/* The fault must stand in the line with "at 100s Ethernet8". */
static struct twins twins_open(const char *head, const char *fault)
{
	struct twins t;

	t.sick = plant_of(head, fault);
	t.well = plant_of(head, NULL);
	t.before = port_at(t.sick, 1, 99);
	/* Peaks are those since the call before: both are asked together. */
	t.healthy = port_at(t.well, 1, 99);
	return t;
}

/* Moves both on and holds that all other ports are the same in every octet. */
static void twins_at(struct twins *t, int64_t s)
{
	for (size_t i = 0; i < plant_port_count(t->sick); i++) {
		struct plant_port a = port_at(t->sick, i, s);
		struct plant_port b = port_at(t->well, i, s);

		if (i != 1)
			assert_memory_equal(&a, &b, sizeof(a));
	}
	t->now = port_at(t->sick, 1, s);
	t->healthy = port_at(t->well, 1, s);
}

static void twins_close(struct twins *t)
{
	plant_close(t->sick);
	plant_close(t->well);
}

static double dbm(double mw)
{
	return 10 * log10(mw);
}

/* Light lost on a lane of Ethernet8, in dB. */
static double rx_lost(const struct twins *t, unsigned lane)
{
	return dbm(t->healthy.lane[lane].rx_mw) - dbm(t->now.lane[lane].rx_mw);
}

static double worst_ber(const struct plant_port *p)
{
	double worst = 0;

	for (unsigned i = 0; i < 4; i++)
		worst = fmax(worst, p->lane[i].pre_fec_ber);
	return worst;
}

static void assert_between(double value, double low, double high)
{
	if (!(value >= low && value <= high))
		fail_msg("%g is not within %g to %g", value, low, high);
}

static void test_c16_plant_answers_the_same_twice(void **state)
{
	static const char text[] =
		"at 5s all microburst\nat 9s Ethernet8 fec_growth to=1e-3 "
		"ramp=20s\nat 11s Ethernet16 loose every=10s";
	struct plant *a = plant_of(HEAD, text), *b = plant_of(HEAD, text);

	(void)state;
	/* One is asked each second, the other only at the end. */
	for (int64_t s = 0; s <= 300; s++)
		(void)port_at(a, 0, s);
	for (size_t i = 0; i < plant_port_count(a); i++) {
		struct plant_port x = port_at(a, i, 300);
		struct plant_port y = port_at(b, i, 300);

		for (unsigned q = 0; q < PLANT_QUEUES_MAX; q++)
			x.queue[q].peak_octets = y.queue[q].peak_octets;
		assert_memory_equal(&x, &y, sizeof(x));
	}
	plant_close(a);
	plant_close(b);
}

static void test_c16_plant_differs_by_seed(void **state)
{
	struct plant *a = plant_of("switch ports=1 seed=1\n", NULL);
	struct plant *b = plant_of("switch ports=1 seed=2\n", NULL);
	struct plant_port x = port_at(a, 0, 10), y = port_at(b, 0, 10);

	(void)state;
	assert_string_not_equal(x.serial, y.serial);
	assert_true(x.in_octets != y.in_octets);
	plant_close(a);
	plant_close(b);
}

static void test_c16_plant_never_goes_back(void **state)
{
	struct plant *p = plant_of(HEAD, NULL);

	(void)state;
	plant_advance(p, 10 * NS_PER_S + NS_PER_S / 2);
	assert_int_equal(plant_now_ns(p), 10 * NS_PER_S);
	plant_advance(p, 3 * NS_PER_S);
	assert_int_equal(plant_now_ns(p), 10 * NS_PER_S);
	plant_close(p);
}

static void assert_grown(const struct plant_port *a, const struct plant_port *b)
{
	assert_true(b->in_octets > a->in_octets);
	assert_true(b->out_octets > a->out_octets);
	assert_true(b->in_frames > a->in_frames);
	assert_true(b->fec_bins[0] > a->fec_bins[0]);
	assert_true(b->link_down_count >= a->link_down_count);
	for (unsigned k = 1; k < PLANT_FEC_BINS; k++)
		assert_true(b->fec_bins[k] >= a->fec_bins[k]);
	for (unsigned q = 0; q < 8; q++)
		assert_true(b->queue[q].octets > a->queue[q].octets);
	for (unsigned k = 0; k < PLANT_SIZE_BINS; k++)
		assert_true(b->in_size_frames[k] > a->in_size_frames[k]);
}

static uint64_t sum_of(const uint64_t *values, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

static void test_counters_only_grow_and_agree_with_each_other(void **state)
{
	struct plant *p = plant_of(HEAD, NULL);
	struct plant_port last = port_at(p, 3, 0);

	(void)state;
	for (int64_t s = 1; s <= 120; s++) {
		struct plant_port now = port_at(p, 3, s);
		uint64_t octets = 0;

		assert_grown(&last, &now);
		for (unsigned q = 0; q < 8; q++)
			octets += now.queue[q].octets;
		assert_int_equal(octets, now.out_octets);
		assert_int_equal(sum_of(now.in_size_frames, PLANT_SIZE_BINS),
				 now.in_frames);
		assert_int_equal(sum_of(now.out_size_frames, PLANT_SIZE_BINS),
				 now.out_frames);
		assert_int_equal(now.fec_corrected_codewords,
				 sum_of(now.fec_bins + 1, 15));
		last = now;
	}
	/* 400 Gb/s is 50 GB/s; the load is 30 to 90 %. */
	assert_between((double)last.in_octets / 120, 0.28 * 50e9, 0.93 * 50e9);
	assert_between((double)sum_of(last.fec_bins, PLANT_FEC_BINS) / 120,
		       7.81e7, 7.83e7);
	plant_close(p);
}

static void test_healthy_switch_stays_healthy_for_a_day(void **state)
{
	struct plant *p = plant_of("switch ports=16 seed=8 tick=60s dom=60s\n",
				   NULL);

	(void)state;
	for (int64_t s = 0; s <= 86400; s += 600)
		for (size_t i = 0; i < 16; i++) {
			struct plant_port now = port_at(p, i, s);

			assert_true(now.oper_up && now.present);
			assert_int_equal(now.fec_uncorrectable_codewords, 0);
			assert_int_equal(now.link_down_count, 0);
			assert_between(now.temp_c, 30, 60);
			assert_between(worst_ber(&now), 1e-11, 2e-6);
			assert_between(dbm(now.lane[0].rx_mw), -4, 4);
		}
	plant_close(p);
}

static double mean_ber(const struct plant_port *p)
{
	double sum = 0;

	for (unsigned i = 0; i < 4; i++)
		sum += p->lane[i].pre_fec_ber;
	return sum / 4;
}

static void test_measured_errors_are_those_of_the_ber(void **state)
{
	struct plant *p = plant_of("switch ports=8 dom=1s ber=1e-6..2e-6\n",
				   NULL);
	double bits = 60 * 7.8125e7 * 5440;

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		int64_t s = 10 + 100 * (int64_t)i;
		struct plant_port a = port_at(p, i, s);
		struct plant_port b = port_at(p, i, s + 60);
		double ber = (double)(b.fec_corrected_bits -
				      a.fec_corrected_bits) / bits;

		/* It drifts a little within the minute. */
		assert_between(ber / mean_ber(&b), 0.85, 1.18);
	}
	plant_close(p);
}

static void test_fault_fec_growth_raises_errors_and_no_light(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 fec_growth "
				    "to=1e-4 ramp=100s");

	(void)state;
	twins_at(&t, 150);
	assert_true(worst_ber(&t.now) > 1.5 * worst_ber(&t.healthy));
	assert_true(worst_ber(&t.now) < 1e-4);
	twins_at(&t, 220);
	for (unsigned i = 0; i < 4; i++) {
		assert_between(t.now.lane[i].pre_fec_ber, 0.9e-4, 1.1e-4);
		assert_true(fabs(rx_lost(&t, i)) < 1e-9);
	}
	assert_true(t.now.fec_corrected_bits > 10 *
		    t.healthy.fec_corrected_bits);
	/* What FEC corrects does not touch the traffic. */
	assert_int_equal(t.now.in_octets, t.healthy.in_octets);
	assert_int_equal(t.now.out_octets, t.healthy.out_octets);
	twins_close(&t);
}

static void test_fault_on_one_lane_leaves_the_others(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8.3 fec_growth "
				    "to=1e-3 ramp=0s");

	(void)state;
	twins_at(&t, 110);
	for (unsigned i = 0; i < 4; i++)
		if (i == 2)
			assert_between(t.now.lane[i].pre_fec_ber, 9e-4, 1.1e-3);
		else
			assert_true(t.now.lane[i].pre_fec_ber ==
				    t.healthy.lane[i].pre_fec_ber);
	twins_close(&t);
}

static void test_fault_dirty_takes_light_from_its_lanes(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 dirty loss=3dB "
				    "lanes=2");
	unsigned struck = 0;

	(void)state;
	twins_at(&t, 101);
	for (unsigned i = 0; i < 4; i++) {
		bool is = plant_fault_lanes(t.sick, 0, 1) >> i & 1;

		assert_between(rx_lost(&t, i), is ? 2.9 : -0.01,
			       is ? 3.1 : 0.01);
		assert_int_equal(t.now.lane[i].pre_fec_ber >
				 1.5 * t.healthy.lane[i].pre_fec_ber, is);
		struck += is;
	}
	assert_int_equal(struck, 2);
	assert_int_equal(plant_fault_lanes(t.sick, 0, 2), 0);
	twins_close(&t);
}

static void test_fault_bend_dims_all_lanes_and_shakes(void **state)
{
	struct twins t = twins_open(HEAD "port Ethernet8 media=FR4\n",
				    "at 100s Ethernet8 bend loss=4dB");
	double sum = 0, squares = 0;

	(void)state;
	for (int64_t s = 101; s <= 200; s++) {
		twins_at(&t, s);
		for (unsigned i = 0; i < 4; i++)
			assert_true(rx_lost(&t, i) > 1.5);
		/* The longest wavelength loses the most. */
		sum += rx_lost(&t, 3) - rx_lost(&t, 0);
		squares += rx_lost(&t, 0) * rx_lost(&t, 0);
	}
	assert_between(sum / 100, 1.0, 1.8);
	assert_true(squares / 100 - 3.3 * 3.3 > 0.05);
	twins_close(&t);
}

static void test_fault_tx_decay_is_ours_and_not_our_receivers(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8.2 tx_decay "
				    "bias=40% loss=1dB ramp=100s");

	(void)state;
	twins_at(&t, 250);
	assert_between(t.now.lane[1].bias_ma / t.healthy.lane[1].bias_ma, 1.38,
		       1.42);
	assert_between(dbm(t.healthy.lane[1].tx_mw) -
		       dbm(t.now.lane[1].tx_mw), 0.99, 1.01);
	assert_true(t.now.lane[0].bias_ma == t.healthy.lane[0].bias_ma);
	for (unsigned i = 0; i < 4; i++)
		assert_true(t.now.lane[i].pre_fec_ber ==
			    t.healthy.lane[i].pre_fec_ber);
	twins_close(&t);
}

static void test_fault_far_decay_is_seen_by_our_receiver(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8.2 far_decay "
				    "loss=3dB ramp=100s");

	(void)state;
	twins_at(&t, 150);
	assert_between(rx_lost(&t, 1), 1.4, 1.6);
	twins_at(&t, 250);
	assert_between(rx_lost(&t, 1), 2.9, 3.1);
	assert_true(t.now.lane[1].tx_mw == t.healthy.lane[1].tx_mw);
	assert_true(t.now.lane[1].pre_fec_ber >
		    2 * t.healthy.lane[1].pre_fec_ber);
	twins_close(&t);
}

static void test_fault_hot_warms_the_module_and_costs_margin(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 hot rise=20K "
				    "ramp=60s");

	(void)state;
	twins_at(&t, 200);
	assert_between(t.now.temp_c - t.healthy.temp_c, 19.9, 20.1);
	assert_true(worst_ber(&t.now) > 1.3 * worst_ber(&t.healthy));
	assert_true(fabs(rx_lost(&t, 0)) < 1e-9);
	twins_close(&t);
}

static void test_fault_fan_stops_a_fan_and_warms_the_air(void **state)
{
	struct plant *p = plant_of(HEAD, "at 100s all fan rise=8K ramp=10s");
	struct plant_port before = port_at(p, 1, 99), after;
	struct plant_sensor fan, inlet;

	(void)state;
	plant_sensor(p, 6, &fan);
	assert_true(fan.fan_rpm > 8000 && isnan(fan.temp_c));
	after = port_at(p, 1, 130);
	assert_between(after.temp_c - before.temp_c, 7, 9);
	plant_sensor(p, 6, &fan);
	plant_sensor(p, 0, &inlet);
	assert_true(fan.fan_rpm == 0);
	assert_string_equal(inlet.name, "inlet");
	assert_between(inlet.temp_c, 30, 36);
	plant_close(p);
}

static void test_fault_loose_spikes_and_clears_by_itself(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 loose every=60s "
				    "last=10s decades=3 for=10m");
	unsigned spiked = 0, unreadable = 0;

	(void)state;
	for (int64_t s = 100; s < 700; s++) {
		twins_at(&t, s);
		if (!t.now.dom_readable)
			unreadable++;
		spiked += worst_ber(&t.now) > 100 * worst_ber(&t.healthy);
	}
	assert_between(spiked, 90, 110);	/* ten times ten seconds */
	assert_between(unreadable, 10, 90);
	twins_at(&t, 701);
	assert_true(worst_ber(&t.now) == worst_ber(&t.healthy));
	twins_close(&t);
}

static void test_fault_burst_fills_high_bins(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 burst rate=50 "
				    "tail=75%");

	(void)state;
	twins_at(&t, 300);
	assert_int_equal(t.healthy.fec_bins[8], 0);
	assert_between((double)t.now.fec_bins[8], 200, 500);
	twins_close(&t);
}

static void test_fault_group_droops_the_supply_of_its_ports(void **state)
{
	struct plant *p = plant_of(HEAD, "at 100s Ethernet8-24 group "
				   "droop=60mV decades=2");

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		struct plant_port was = port_at(p, i, 99);

		(void)was;
		assert_between(was.vcc_v, 3.29, 3.31);
	}
	for (size_t i = 0; i < 8; i++) {
		struct plant_port now = port_at(p, i, 101);
		bool is = i >= 1 && i <= 3;

		assert_between(now.vcc_v, is ? 3.23 : 3.29, is ? 3.25 : 3.31);
	}
	plant_close(p);
}

static void test_fault_flap_drops_the_link_so_often(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 flap count=4 "
				    "every=7s last=2s");
	unsigned down = 0;

	(void)state;
	for (int64_t s = 100; s < 140; s++) {
		twins_at(&t, s);
		down += !t.now.oper_up;
	}
	assert_int_equal(t.now.link_down_count, 4);
	assert_int_equal(down, 8);
	assert_true(t.now.oper_up);
	assert_true(t.now.in_octets < t.healthy.in_octets);
	twins_close(&t);
}

/* A flap shorter than a step of the physics is counted all the same. */
static void test_fault_short_flap_is_counted(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 flap count=10 "
				    "every=300ms last=50ms");

	(void)state;
	twins_at(&t, 110);
	assert_int_equal(t.now.link_down_count, 10);
	twins_close(&t);
}

static void down_check(const char *head, const char *fault,
		       enum plant_down reason)
{
	struct twins t = twins_open(head, fault);
	struct plant_port at_once;

	assert_true(t.before.oper_up && t.before.down == PLANT_IS_UP);
	twins_at(&t, 100);
	at_once = t.now;
	assert_false(at_once.oper_up);
	assert_int_equal(at_once.down, reason);
	assert_int_equal(at_once.link_down_count, 1);
	twins_at(&t, 120);
	assert_int_equal(t.now.in_octets, at_once.in_octets);
	assert_int_equal(t.now.link_down_count, 1);
	twins_at(&t, 140);	/* for=30s, then training */
	assert_true(t.now.oper_up);
	twins_close(&t);
}

static void test_fault_down_has_its_reason_and_ends(void **state)
{
	(void)state;
	down_check(HEAD, "at 100s Ethernet8 down reason=light for=30s",
		   PLANT_DOWN_NO_LIGHT);
	down_check(HEAD, "at 100s Ethernet8 down reason=remote for=30s",
		   PLANT_DOWN_REMOTE);
	down_check(HEAD, "at 100s Ethernet8 shut for=30s", PLANT_DOWN_ADMIN);
	down_check(HEAD, "at 100s Ethernet8 pull for=30s",
		   PLANT_DOWN_NO_MODULE);
	down_check(COPPER, "at 100s Ethernet8 down reason=light for=30s",
		   PLANT_DOWN_NO_LIGHT);
}

static void test_fault_shut_turns_our_laser_off_and_not_theirs(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 shut");

	(void)state;
	twins_at(&t, 101);
	assert_false(t.now.admin_up);
	assert_true(t.now.lane[0].tx_mw == 0 && t.now.lane[0].bias_ma == 0);
	assert_true(t.now.lane[0].rx_mw > 0.5);
	twins_close(&t);
}

static void test_too_many_errors_take_the_link_down(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 fec_growth "
				    "to=8e-3 ramp=0s for=60s");
	bool told = false;

	(void)state;
	for (int64_t s = 100; s < 160; s++) {
		twins_at(&t, s);
		told = told || t.now.down == PLANT_DOWN_HIGH_BER;
	}
	assert_true(told);
	assert_true(t.now.link_down_count >= 5);	/* up, and down again */
	assert_true(t.now.fec_uncorrectable_codewords > 0 ||
		    t.now.in_errors == 0);
	twins_at(&t, 170);
	assert_true(t.now.oper_up);
	twins_close(&t);
}

static void test_lost_codewords_lose_frames(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 fec_growth "
				    "to=7e-4 ramp=0s for=60s");

	(void)state;
	twins_at(&t, 160);
	assert_true(t.now.fec_uncorrectable_codewords > 1000);
	assert_between((double)t.now.in_errors /
		       (double)t.now.fec_uncorrectable_codewords, 0.3, 2);
	assert_int_equal(t.healthy.in_errors, 0);
	twins_close(&t);
}

static void test_fault_swap_brings_another_module(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 swap gap=20s");

	(void)state;
	assert_string_equal(t.before.serial, port_at(t.well, 1, 99).serial);
	twins_at(&t, 110);
	assert_false(t.now.present);
	assert_string_equal(t.now.serial, "");
	twins_at(&t, 140);
	assert_true(t.now.present && t.now.oper_up);
	assert_string_not_equal(t.now.serial, t.before.serial);
	assert_true(fabs(rx_lost(&t, 0)) > 0.01);
	twins_close(&t);
}

static void test_fault_pull_and_back_is_the_same_module(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 pull for=20s");

	(void)state;
	twins_at(&t, 140);
	assert_string_equal(t.now.serial, t.before.serial);
	assert_true(fabs(rx_lost(&t, 0)) < 1e-9);
	twins_close(&t);
}

static void test_fault_bad_dom_strikes_its_share_of_readings(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 bad_dom "
				    "share=30% for=1000s");
	unsigned bad = 0;

	(void)state;
	for (int64_t s = 100; s < 1100; s++) {
		twins_at(&t, s);
		bad += !t.now.dom_readable;
	}
	assert_between(bad, 230, 370);
	assert_true(t.now.oper_up);
	twins_close(&t);
}

static void test_fault_freeze_dom_stops_its_clock_alone(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 freeze_dom "
				    "for=60s");

	(void)state;
	twins_at(&t, 150);
	assert_int_equal(t.now.dom_ns, t.before.dom_ns);
	assert_true(t.now.temp_c == t.before.temp_c);
	assert_int_equal(t.now.in_octets, t.healthy.in_octets);
	twins_at(&t, 162);
	assert_int_equal(t.now.dom_ns, t.healthy.dom_ns);
	twins_close(&t);
}

static void test_fault_microburst_fills_the_queue_and_marks(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 microburst "
				    "rate=5 peak=60%");

	(void)state;
	twins_at(&t, 101);
	twins_at(&t, 102);
	assert_true(t.now.queue[3].peak_octets > 10000000);
	assert_true(t.healthy.queue[3].peak_octets < 2000000);
	assert_true(t.now.queue[3].ecn_marked_frames >
		    t.healthy.queue[3].ecn_marked_frames + 1000);
	assert_int_equal(t.now.in_octets, t.healthy.in_octets);
	twins_close(&t);
}

static void test_fault_ecn_marks_its_share(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 ecn share=5%");
	struct plant_queue before;

	(void)state;
	before = t.before.queue[3];
	twins_at(&t, 160);
	assert_between((double)(t.now.queue[3].ecn_marked_frames -
				before.ecn_marked_frames) /
		       (double)(t.now.queue[3].frames - before.frames),
		       0.045, 0.055);
	twins_close(&t);
}

static void test_fault_pfc_storm_pauses_and_starves(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 pfc_storm "
				    "priority=3 share=90%");
	uint64_t paused;

	(void)state;
	twins_at(&t, 199);
	paused = t.now.priority[3].pfc_rx_pause_us -
		t.before.priority[3].pfc_rx_pause_us;
	assert_between((double)paused / 100e6, 0.89, 0.91);
	assert_true(t.now.priority[3].pfc_rx_frames > 1000000);
	assert_true(t.now.queue[3].octets - t.before.queue[3].octets <
		    (t.healthy.queue[3].octets -
		     t.before.queue[3].octets) / 5);
	assert_int_equal(t.now.priority[4].pfc_rx_frames, 0);
	twins_close(&t);
}

static void test_fault_missing_hides_counters_that_go_on(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 missing for=10s");

	(void)state;
	twins_at(&t, 105);
	assert_false(t.now.counters_readable);
	twins_at(&t, 111);
	assert_true(t.now.counters_readable);
	assert_int_equal(t.now.in_octets, t.healthy.in_octets);
	twins_close(&t);
}

static void test_fault_reset_counters_begins_from_0(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 reset_counters");

	(void)state;
	twins_at(&t, 100);
	assert_int_equal(t.now.in_octets, 0);
	assert_int_equal(t.now.queue[3].octets, 0);
	assert_true(t.now.oper_up);
	twins_at(&t, 110);
	/* The same traffic as the twin's since then. */
	assert_between((double)t.now.in_octets, 1,
		       (double)t.healthy.in_octets / 5);
	twins_close(&t);
}

static void wrap_check(const char *fault, uint64_t mask)
{
	struct twins t = twins_open(HEAD, fault);
	uint64_t last, wrapped_at = 0;

	twins_at(&t, 100);
	last = t.now.in_frames;
	assert_true(last > mask - (mask >> 2) && last <= mask);
	for (int64_t s = 101; s < 140; s++) {
		twins_at(&t, s);
		if (t.now.in_frames < last)
			wrapped_at = (uint64_t)s;
		assert_true(t.now.in_frames <= mask);
		last = t.now.in_frames;
	}
	/* Its rate noise moves the wrap by a second or two. */
	assert_between((double)wrapped_at, 117, 123);
	twins_close(&t);
}

static void test_fault_wrap_comes_when_it_was_said(void **state)
{
	(void)state;
	wrap_check("at 100s Ethernet8 wrap bits=32 left=20s", UINT32_MAX);
	wrap_check("at 100s Ethernet8 wrap bits=64 left=20s", UINT64_MAX);
}

static void test_fault_load_phase_moves_traffic_and_then_heat(void **state)
{
	struct twins t = twins_open(HEAD "port Ethernet8 load=20..20\n",
				    "at 100s Ethernet8 load_phase load=95%");
	struct plant_port soon;

	(void)state;
	twins_at(&t, 110);
	soon = t.now;
	assert_true(soon.temp_c - t.healthy.temp_c < 1);
	twins_at(&t, 111);
	assert_between((double)(t.now.out_octets - soon.out_octets) / 50e9,
		       0.9, 1);
	twins_at(&t, 1500);
	assert_between(t.now.temp_c - t.healthy.temp_c, 2.5, 7.5);
	assert_true(t.now.oper_up);
	assert_int_equal(t.now.fec_uncorrectable_codewords, 0);
	twins_close(&t);
}

static void test_fault_diurnal_warms_and_cools(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 diurnal "
				    "swing=4K period=400s");

	(void)state;
	twins_at(&t, 200);
	assert_between(t.now.temp_c - t.healthy.temp_c, 3.8, 4.2);
	twins_at(&t, 400);
	assert_between(t.now.temp_c - t.healthy.temp_c, -4.2, -3.8);
	twins_close(&t);
}

static void test_fault_reboot_silences_and_clears(void **state)
{
	struct twins t = twins_open(HEAD, "at 100s Ethernet8 reboot gap=30s");

	(void)state;
	twins_at(&t, 110);
	assert_false(t.now.counters_readable);
	assert_int_equal(t.now.down, PLANT_DOWN_STARTING);
	assert_int_equal(t.now.in_octets, 0);
	twins_at(&t, 150);
	assert_true(t.now.counters_readable && t.now.oper_up);
	assert_true(t.now.in_octets < t.healthy.in_octets / 3);
	assert_string_equal(t.now.serial, t.before.serial);
	twins_close(&t);
}

static void test_fault_copper_growth_raises_a_cables_errors(void **state)
{
	struct twins t = twins_open(COPPER, "at 100s Ethernet8 copper_growth "
				    "to=1e-4 ramp=60s");

	(void)state;
	assert_true(t.before.lane[0].rx_mw == 0);
	twins_at(&t, 200);
	assert_between(worst_ber(&t.now), 0.9e-4, 1.1e-4);
	assert_true(t.now.oper_up);
	twins_close(&t);
}

/* A row that no test above plants would be a row that nobody checked. */
static void test_c16_each_fault_does_something(void **state)
{
	const struct plant_fault_info *rows;
	size_t count;

	(void)state;
	rows = plant_faults(&count);
	for (size_t i = 0; i < count; i++) {
		bool copper = strstr(rows[i].name, "copper") != NULL;
		struct plant_port a, b;
		struct plant *sick, *well;
		bool differs = false;
		char text[128];

		(void)snprintf(text, sizeof(text), "at 100s Ethernet8 %s",
			       rows[i].name);
		sick = plant_of(copper ? COPPER : HEAD, text);
		well = plant_of(copper ? COPPER : HEAD, NULL);
		for (int64_t s = 99; s < 1100 && !differs; s++) {
			a = port_at(sick, 1, s);
			b = port_at(well, 1, s);
			differs = memcmp(&a, &b, sizeof(a)) != 0;
			assert_false(differs && s < 100);
		}
		if (!differs)
			fail_msg("%s changes nothing", rows[i].name);
		plant_close(sick);
		plant_close(well);
	}
}

static void test_breakout_shares_a_module(void **state)
{
	struct plant *p = plant_of("switch ports=8 breakout=4 lanes=2 dom=1s "
				   "speed=100G\n",
				   "at 10s Ethernet2 pull\n"
				   "at 10s Ethernet10.2 dirty loss=4dB");
	struct plant_port_facts f;
	struct plant_port a, b;

	(void)state;
	plant_port_facts(p, 1, &f);
	assert_string_equal(f.name, "Ethernet2");
	assert_int_equal(f.module, 1);
	assert_int_equal(f.first_lane, 3);
	plant_port_facts(p, 4, &f);
	assert_string_equal(f.name, "Ethernet8");
	assert_int_equal(f.module, 2);
	assert_int_equal(f.first_lane, 1);
	a = port_at(p, 4, 9);
	b = port_at(p, 5, 9);
	assert_string_equal(a.serial, b.serial);
	assert_true(fabs(a.temp_c - b.temp_c) < 0.5);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(port_at(p, i, 11).present, i >= 4);
	assert_true(port_at(p, 5, 11).lane[1].rx_mw < b.lane[1].rx_mw / 2);
	assert_true(port_at(p, 4, 11).lane[1].rx_mw > a.lane[1].rx_mw / 1.2);
	plant_close(p);
}

static void test_c16_plant_tells_what_was_planted(void **state)
{
	struct plant *p = plant_of(HEAD, "at 90s Ethernet8.2 dirty for=1m");
	struct plant_fault f;

	(void)state;
	assert_int_equal(plant_fault_count(p), 1);
	plant_fault(p, 0, &f);
	assert_int_equal(f.start_ns, 90 * NS_PER_S);
	assert_int_equal(f.end_ns, 150 * NS_PER_S);
	assert_string_equal(f.where, "Ethernet8.2");
	assert_string_equal(f.fault, "dirty");
	assert_string_equal(f.line, "at 90s Ethernet8.2 dirty for=1m");
	assert_int_equal(f.line_number, 2);
	assert_int_equal(plant_fault_lanes(p, 0, 1), 2);
	assert_string_equal(plant_switch_name(p), "t");
	plant_close(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c16_plant_answers_the_same_twice),
		cmocka_unit_test(test_c16_plant_differs_by_seed),
		cmocka_unit_test(test_c16_plant_never_goes_back),
		cmocka_unit_test(
			test_counters_only_grow_and_agree_with_each_other),
		cmocka_unit_test(test_healthy_switch_stays_healthy_for_a_day),
		cmocka_unit_test(test_measured_errors_are_those_of_the_ber),
		cmocka_unit_test(
			test_fault_fec_growth_raises_errors_and_no_light),
		cmocka_unit_test(test_fault_on_one_lane_leaves_the_others),
		cmocka_unit_test(test_fault_dirty_takes_light_from_its_lanes),
		cmocka_unit_test(test_fault_bend_dims_all_lanes_and_shakes),
		cmocka_unit_test(
			test_fault_tx_decay_is_ours_and_not_our_receivers),
		cmocka_unit_test(test_fault_far_decay_is_seen_by_our_receiver),
		cmocka_unit_test(
			test_fault_hot_warms_the_module_and_costs_margin),
		cmocka_unit_test(test_fault_fan_stops_a_fan_and_warms_the_air),
		cmocka_unit_test(test_fault_loose_spikes_and_clears_by_itself),
		cmocka_unit_test(test_fault_burst_fills_high_bins),
		cmocka_unit_test(
			test_fault_group_droops_the_supply_of_its_ports),
		cmocka_unit_test(test_fault_flap_drops_the_link_so_often),
		cmocka_unit_test(test_fault_short_flap_is_counted),
		cmocka_unit_test(test_fault_down_has_its_reason_and_ends),
		cmocka_unit_test(
			test_fault_shut_turns_our_laser_off_and_not_theirs),
		cmocka_unit_test(test_too_many_errors_take_the_link_down),
		cmocka_unit_test(test_lost_codewords_lose_frames),
		cmocka_unit_test(test_fault_swap_brings_another_module),
		cmocka_unit_test(test_fault_pull_and_back_is_the_same_module),
		cmocka_unit_test(
			test_fault_bad_dom_strikes_its_share_of_readings),
		cmocka_unit_test(test_fault_freeze_dom_stops_its_clock_alone),
		cmocka_unit_test(
			test_fault_microburst_fills_the_queue_and_marks),
		cmocka_unit_test(test_fault_ecn_marks_its_share),
		cmocka_unit_test(test_fault_pfc_storm_pauses_and_starves),
		cmocka_unit_test(test_fault_missing_hides_counters_that_go_on),
		cmocka_unit_test(test_fault_reset_counters_begins_from_0),
		cmocka_unit_test(test_fault_wrap_comes_when_it_was_said),
		cmocka_unit_test(
			test_fault_load_phase_moves_traffic_and_then_heat),
		cmocka_unit_test(test_fault_diurnal_warms_and_cools),
		cmocka_unit_test(test_fault_reboot_silences_and_clears),
		cmocka_unit_test(
			test_fault_copper_growth_raises_a_cables_errors),
		cmocka_unit_test(test_c16_each_fault_does_something),
		cmocka_unit_test(test_breakout_shares_a_module),
		cmocka_unit_test(test_c16_plant_tells_what_was_planted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
