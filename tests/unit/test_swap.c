/* Another module in the cage, and which faults end with the old one; or another
 * one at the far end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/port_play.h"
#include "tests/support/quick.h"

#define COLD_C 35
#define WARM_C 49

static void light_set(struct play *p, double a, double b, double c, double d)
{
	const double dbm[] = { a, b, c, d };

	memcpy(p->rx_dbm, dbm, sizeof(dbm));
}

/* The link is down while somebody puts in another module, which is cold. Its
 * light may be read before its serial number is.
 */
static void swap(struct play *p, const double rx_dbm[4], double log_ber,
		 bool light_first)
{
	p->up = false;
	p->downs++;
	play_for(p, 60);
	memcpy(p->rx_dbm, rx_dbm, 4 * sizeof(rx_dbm[0]));
	p->temp_c = COLD_C;
	if (light_first)
		play_for(p, 60);
	(void)snprintf(p->k.serial, sizeof(p->k.serial), "SN2");
	play_for(p, 60);
	p->up = true;
	p->log_ber = log_ber;
}

static void warm_up(struct play *p, int seconds)
{
	for (; seconds > 0; seconds -= 10) {
		p->temp_c += (WARM_C - p->temp_c) / 90;
		play_for(p, 10);
	}
}

/* Two fibres lose light; found dirty. */
static void dirty(struct play *p)
{
	play_init(p, 10);
	light_set(p, 0, .1, .2, -.9);
	play_for(p, 3600);
	light_set(p, 0, -4.5, -4.7, -.9);
	p->log_ber = -3.4;
	play_for(p, 1800);
	assert_int_equal(play_last(p, SIGNATURE_CONTAMINATION)->lanes, 6);
}

/* The other lanes show how the new module measures. */
static void stays_dirty(const double dbm[4])
{
	const struct finding *f;
	struct play p;

	dirty(&p);
	swap(&p, dbm, -3.2, false);
	warm_up(&p, 7200);
	f = play_last(&p, SIGNATURE_CONTAMINATION);
	assert_int_not_equal(f->state, FINDING_CLEARED);
	assert_int_equal(f->lanes, 6);
	assert_string_equal(f->id, p.said[0].id);
	assert_int_equal(play_said(&p, SIGNATURE_CONTAMINATION,
				   FINDING_CLEARED), 0);
	assert_int_equal(play_said(&p, SIGNATURE_THERMAL_FEC, 0), 0);
	assert_int_equal(play_said(&p, SIGNATURE_MODULE_CHANGED,
				   FINDING_RAISED), 1);
	play_fini(&p);
}

static void test_fibre_stays_dirty(void **state)
{
	static const double alike[] = { .2, -4.4, -5.5, -.7 };
	static const double more[] = { 2.5, -2.1, -2.2, 1.6 };

	(void)state;
	stays_dirty(alike);
	stays_dirty(more);
}

/* All lanes lost light, so that nothing shows how the new module measures. */
static void test_fibre_stays_dirty_on_all_lanes(void **state)
{
	static const double dbm[] = { -1.3, -1.9, -1.8, -2.0 };
	const struct finding *open;
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 3600);
	light_set(&p, -2.5, -2.4, -2.6, -2.5);
	p.log_ber = -4.6;
	play_for(&p, 1800);
	swap(&p, dbm, -4.9, false);
	warm_up(&p, 7200);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->cause_id, p.said[1].cause_id);
	assert_string_equal(open->id, p.said[0].id);
	play_fini(&p);
}

/* The connector was cleaned, or the old module's receiver was at fault. */
static void test_light_that_comes_back_ends_it(void **state)
{
	static const double dbm[] = { -.5, -.8, .4, -1.2 };
	const struct finding *f;
	struct play p;

	(void)state;
	dirty(&p);
	swap(&p, dbm, -7, false);
	play_for(&p, 90);
	f = play_last(&p, SIGNATURE_CONTAMINATION);
	assert_int_equal(f->state, FINDING_CLEARED);
	assert_string_equal(f->cause, "another module was inserted");
	warm_up(&p, 7200);
	assert_int_equal(engine_findings(p.engine, &f), 0);
	play_fini(&p);
}

/* It reads less light on all lanes, as modules do: none was lost before. */
static void test_another_module_reads_less(void **state)
{
	static const double dbm[] = { -1.5, -1.2, -1.9, -1.4 };
	const struct finding *open;
	struct play p;

	(void)state;
	for (int light_first = 0; light_first < 2; light_first++) {
		play_init(&p, 10);
		play_for(&p, 3600);
		swap(&p, dbm, -6.8, light_first);
		warm_up(&p, 60);
		assert_int_equal(engine_findings(p.engine, &open), 1);
		warm_up(&p, 7200);
		assert_int_equal(engine_findings(p.engine, &open), 0);
		play_fini(&p);
	}
}

/* What a cold module shows is not its usual temperature, so that it gets no
 * warmer than usual: with errors from the first, or when they come soon after.
 */
static void test_warming_up_is_no_heat(void **state)
{
	static const double none[4];
	struct play p;

	(void)state;
	for (int late_s = 0; late_s <= 1800; late_s += 300) {
		play_init(&p, 10);
		play_for(&p, 3600);
		swap(&p, none, late_s ? -5 : -3.6, false);
		warm_up(&p, late_s);
		p.log_ber = -3.6;
		warm_up(&p, 3600);
		assert_true(play_said(&p, SIGNATURE_FEC_TREND,
				      FINDING_RAISED) > 0);
		assert_int_equal(play_said(&p, SIGNATURE_THERMAL_FEC, 0), 0);
		play_fini(&p);
	}
}

/* The new module has many errors, and too many once it is warm. */
static void test_errors_of_warming_up_are_no_heat(void **state)
{
	static const double none[4];
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 3600);
	swap(&p, none, -4, false);
	for (int i = 0; i < 720; i++) {
		p.log_ber = -4.05 + .02 * (p.temp_c - COLD_C);
		warm_up(&p, 10);
	}
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_RAISED), 1);
	assert_int_equal(play_said(&p, SIGNATURE_THERMAL_FEC, 0), 0);
	play_fini(&p);
}

/* The far end sends on with another module, after minutes. */
static void far_swap(struct play *p, const double rx_dbm[4], double log_ber)
{
	p->up = false;
	p->downs++;
	play_for(p, 120);
	memcpy(p->rx_dbm, rx_dbm, 4 * sizeof(rx_dbm[0]));
	play_for(p, 120);
	p->up = true;
	p->log_ber = log_ber;
	play_for(p, 3600);
}

/* A far laser that faded is replaced. The new module sends a little less on
 * another lane, and makes a few more errors: that is usual now.
 */
static void test_another_far_module_ends_it(void **state)
{
	static const double less[] = { .6, -.2, -.3, -.9 };
	static const double many[] = { .1, -2.8, -.3, -.2 };
	const unsigned step = quick(1, 3);
	const struct finding *open;
	struct play p;

	(void)state;
	for (int mended = 1; mended >= 0; mended--) {
		play_init(&p, 10 * step);
		p.log_ber = -6.5;
		play_for(&p, 7200);
		for (unsigned i = 0; i < 720; i += step) {
			p.rx_dbm[1] = -3.0 * i / 720;
			p.log_ber = -6.5 + 1.8 * i / 720;
			play_once(&p);
		}
		assert_int_equal(play_last(&p, SIGNATURE_FAR_LASER)->lanes, 2);
		far_swap(&p, mended ? less : many, mended ? -6.2 : -4.9);
		assert_int_equal(engine_findings(p.engine, &open), !mended);
		for (unsigned i = 0; i < p.count; i++)
			assert_int_equal(p.said[i].lanes & 0xd, 0);
		if (mended)
			assert_int_equal(p.said[p.count - 1].signature,
					 SIGNATURE_FAR_LASER);
		play_fini(&p);
	}
}

/* Nothing was wrong before, and nothing is after it; also where errors have
 * always been many, if they are hardly more, but not at the last safe level.
 */
static void test_another_far_module_is_no_fault(void **state)
{
	static const double less[] = { -.1, -.7, -.5, 0 };
	static const struct {
		double before, after;
		bool told;
	} rows[] = {
		{ -5.2, -4.95, false }, { -5.2, -4.6, true },
		{ -4.4, -4.1, true }, { -6.5, -6.25, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct finding *open;
		struct play p;

		play_init(&p, 10);
		p.log_ber = rows[i].before;
		play_for(&p, 20000);
		far_swap(&p, less, rows[i].after);
		assert_int_equal(engine_findings(p.engine, &open),
				 rows[i].told);
		play_fini(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fibre_stays_dirty),
		cmocka_unit_test(test_fibre_stays_dirty_on_all_lanes),
		cmocka_unit_test(test_light_that_comes_back_ends_it),
		cmocka_unit_test(test_another_module_reads_less),
		cmocka_unit_test(test_warming_up_is_no_heat),
		cmocka_unit_test(test_errors_of_warming_up_are_no_heat),
		cmocka_unit_test(test_another_far_module_ends_it),
		cmocka_unit_test(test_another_far_module_is_no_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
