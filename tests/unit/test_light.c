/* How a lane loses light: at once or slowly, steady or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "agent/signature/light.h"

static struct light light;
static struct front front;
static int64_t t_s;
static double errors;
static unsigned seed;

static double noise(double db)
{
	seed = seed * 1103515245u + 12345u;
	return db * ((seed >> 8) % 2001 / 1000.0 - 1);
}

/* One reading of two lanes. */
static void take(double a, double b, bool quiet)
{
	struct inputs k = { .dom_t = { ++t_s * 10 * NS_PER_S } };

	inputs_set(&k, INPUT_RX_PW, llround(1e9 * pow(10, a / 10)));
	inputs_set(&k, INPUT_RX_PW + 1, llround(1e9 * pow(10, b / 10)));
	front.dom_good = true;
	front.link = LINK_IS_UP;
	front.t = k.dom_t;
	light_take(&light, &front, &k, quiet, errors);
}

static int usual(void **state)
{
	(void)state;
	t_s = 0;
	errors = 0;
	seed = 7;
	front_start(&front);
	light_start(&light);
	for (int i = 0; i < 100; i++)
		take(-1 + noise(.03), -2 + noise(.03), true);
	return 0;
}

static void test_light_is_usual(void **state)
{
	struct light_drop d;

	(void)state;
	light_drop(&light, &d);
	assert_true(d.known && d.lanes_known == 2 && d.read == 3);
	assert_int_equal(d.lanes, 0);
	assert_int_equal(d.fall, FALL_UNCLEAR);
	assert_true(d.worst_db < .1f);
}

static void test_light_lost_at_once_and_steady(void **state)
{
	struct light_drop d;

	(void)state;
	for (int i = 0; i < 30; i++)
		take(-2.5 + noise(.03), -2 + noise(.03), true);
	light_drop(&light, &d);
	assert_int_equal(d.lanes, 1);
	assert_int_equal(d.fall, FALL_AT_ONCE);
	assert_true(d.worst_db > 1.2f && d.worst_db < 1.6f);
	assert_true(d.shaky > 0 && d.shaky < 2);
}

/* A bend gives back a little, slowly; noise does not look like it, nor what is
 * less of a great loss, nor a reading that is far off when light falls.
 */
static void test_light_that_a_jacket_gives_back(void **state)
{
	(void)state;
	for (int relaxes = 0; relaxes < 4; relaxes++) {
		double dbm = relaxes != 2 ? -4 : -9;
		double back = relaxes == 1 || relaxes == 2 ? .4 : 0;
		double off = relaxes == 3 ? -.4 : 0;
		struct light_drop d;

		(void)usual(NULL);
		errors = 2;	/* the first reading counts */
		for (int i = 0; i < 90; i++)
			take(dbm + noise(.03) + back * -expm1(-i / 24.) +
			     (i == 0 ? off : 0), -2 + noise(.03), false);
		light_drop(&light, &d);
		assert_int_equal(d.fall, FALL_AT_ONCE);
		assert_int_equal(d.relaxed, relaxes == 1);
	}
}

/* Both lanes lost light, and one of them wanders back. */
static void test_light_that_one_lane_gives_back(void **state)
{
	(void)state;
	for (int both = 0; both < 2; both++) {
		struct light_drop d;

		(void)usual(NULL);
		for (int i = 0; i < 90; i++) {
			double back = .4 * -expm1(-i / 24.);

			take(-4 + back + noise(.03),
			     -5 + both * back + noise(.03), false);
		}
		light_drop(&light, &d);
		assert_int_equal(d.lanes, 3);
		assert_int_equal(d.relaxed, both);
	}
}

/* What somebody cleans comes back in one reading: what is left is neither
 * unsteady nor a jacket's.
 */
static void test_light_that_is_cleaned_in_part(void **state)
{
	struct light_drop d;

	(void)state;
	for (int i = 0; i < 30; i++)
		take(-3 + noise(.03), -2, false);
	for (int i = 0; i < 6; i++)
		take(-2.2 + noise(.03), -2, false);
	light_drop(&light, &d);
	assert_int_equal(d.lanes, 1);
	assert_int_equal(d.fall, FALL_AT_ONCE);
	assert_false(d.relaxed);
	assert_true(d.shaky > 0 && d.shaky < 2);
}

/* A little that had drifted away before does not make it slow. */
static void test_light_lost_at_once_after_a_drift(void **state)
{
	struct light_drop d;

	(void)state;
	for (int i = 0; i < 60; i++)
		take(-1.25 + noise(.03), -2 + noise(.03), true);
	for (int i = 0; i < 30; i++)
		take(-5 + noise(.03), -2 + noise(.03), false);
	light_drop(&light, &d);
	assert_int_equal(d.lanes, 1);
	assert_int_equal(d.fall, FALL_AT_ONCE);
}

static void test_light_lost_slowly(void **state)
{
	struct light_drop d;

	(void)state;
	for (int i = 0; i < 100; i++)
		take(-1 - i * .015 + noise(.03), -2 - i * .015, false);
	light_drop(&light, &d);
	assert_int_equal(d.lanes, 3);
	assert_int_equal(d.fall, FALL_SLOWLY);
}

/* The first reading is no fall, nor is one that is far off; where the next one
 * is off as well, light fell when the first was read.
 */
static void test_light_of_one_reading_far_off(void **state)
{
	struct light_drop d;

	(void)state;
	assert_int_equal(light.fell_at.ns, 0);
	for (int i = 0; i < 9; i++) {
		take(-2.5 + (i & 1) * 3, -2, true);
		light_drop(&light, &d);
		assert_true(d.worst_db < .1f && !d.returns);
		take(-1, -2, true);
	}
	assert_int_equal(light.fell_at.ns, 0);
	take(-2.2, -2.8, false);
	assert_int_equal(light.fell_at.ns, 0);
	take(-2.2, -2.8, false);
	assert_int_equal(light.fell_at.ns, (t_s - 1) * 10 * NS_PER_S);
	light_drop(&light, &d);
	assert_int_equal(d.lanes, 3);
}

/* A loss is believed at once when errors came with it, or somebody plugged. */
static void test_light_far_off_for_a_reason(void **state)
{
	struct light_drop d;

	(void)state;
	errors = 2;
	take(-2.5, -2, false);
	light_drop(&light, &d);
	assert_int_equal(d.lanes, 1);
	(void)usual(NULL);
	front.down_since.ns = t_s * 10 * NS_PER_S;
	t_s += 4;
	front.turned_at.ns = t_s * 10 * NS_PER_S;
	take(-2.5, -2, false);
	light_drop(&light, &d);
	assert_int_equal(d.lanes, 1);
	assert_int_equal(d.touch, TOUCH_PLUGGED);
}

/* The errors of a loss are not those of light that was whole. */
static void test_light_far_off_keeps_the_errors_before(void **state)
{
	(void)state;
	errors = .4;
	take(-2.5, -2, false);
	errors = 2;
	take(-2.5, -2, false);
	assert_true(light.errors < .1f && light.errors_before < .1f);
}

/* How much light moves shows from the first readings after it fell. */
static void test_light_that_moves_from_the_first(void **state)
{
	struct light_drop d;

	(void)state;
	for (int i = 0; i < 7; i++)
		take(-3 - (i & 1), -2, false);
	light_drop(&light, &d);
	assert_true(d.shaky > 10);
}

/* … and no step of what fades, nor the first that shows. */
static void test_light_that_fades_with_a_reading_far_off(void **state)
{
	for (int off = 20; off < 32; off++) {
		struct light_drop d;

		(void)usual(state);
		for (int i = 0; i < 120; i++)
			take(-1 - fmin(i * .01, .55) + noise(.03) -
			     (i == off ? .8 : 0), -2, false);
		light_drop(&light, &d);
		assert_int_equal(d.lanes, 1);
		assert_int_equal(d.fall, FALL_SLOWLY);
		assert_int_equal(light.fell_at.ns, 0);
	}
}

/* A step that goes on falling was none. */
static void test_light_that_goes_on_falling_was_lost_slowly(void **state)
{
	struct light_drop d;

	(void)state;
	for (int i = 0; i < 10; i++)
		take(-1.8 + noise(.03), -2, false);
	light_drop(&light, &d);
	assert_int_equal(d.fall, FALL_AT_ONCE);
	for (int i = 0; i < 60; i++)
		take(-1.8 - i * .02 + noise(.03), -2, false);
	light_drop(&light, &d);
	assert_int_equal(d.fall, FALL_SLOWLY);
}

static void test_light_that_does_not_settle(void **state)
{
	struct light_drop d;

	(void)state;
	for (int i = 0; i < 30; i++)
		take(-2.5 + noise(.5), -3.5 + noise(.5), false);
	light_drop(&light, &d);
	assert_int_equal(d.fall, FALL_AT_ONCE);
	assert_true(d.shaky > 4);
}

/* A quarter of a dB each reading is far more than its noise, but even. */
static void test_light_that_fades_evenly_is_not_shaky(void **state)
{
	struct light_drop d;

	(void)state;
	for (int i = 0; i < 20; i++)
		take(-1 - i * .25 + noise(.03), -2, false);
	light_drop(&light, &d);
	assert_int_equal(d.fall, FALL_SLOWLY);
	assert_true(d.shaky > 0 && d.shaky < LIGHT_SHAKY);
}

/* Each step is larger than the one before. */
static void test_light_that_fades_ever_faster_is_not_shaky(void **state)
{
	struct light_drop d;

	(void)state;
	for (int i = 0; i < 20; i++)
		take(-1 - i * .2 - i * i * .02 + noise(.03), -2, false);
	light_drop(&light, &d);
	assert_int_equal(d.fall, FALL_SLOWLY);
	assert_true(d.shaky > 0 && d.shaky < LIGHT_SHAKY);
}

/* What was lost is not learned away, and what came back is not lost. */
static void test_light_lost_stays_lost(void **state)
{
	struct light_drop d;

	(void)state;
	for (int i = 0; i < 300; i++)
		take(-2, -2, true);
	light_drop(&light, &d);
	assert_true(d.lost_db[0] > .7f);
	for (int i = 0; i < 20; i++)
		take(-1, -2, true);
	light_drop(&light, &d);
	assert_int_equal(d.lanes, 0);
	assert_int_equal(d.fall, FALL_UNCLEAR);
}

/* What comes back by itself is counted, and that it shakes is no return; when
 * somebody was there, what came back before says nothing.
 */
static void test_light_that_returns(void **state)
{
	struct light_drop d;

	(void)state;
	for (int i = 0; i < 90; i++)
		take(-1 - (1 - cos(i * M_PI / 15)), -2, true);
	light_drop(&light, &d);
	assert_int_equal(d.returns, 3);
	for (int i = 0; i < 5; i++)
		take(-3, -2, true);
	light_drop(&light, &d);
	assert_in_range(d.stood, 4, 5);
	front.down_since.ns = t_s * 10 * NS_PER_S;
	t_s += 4;
	front.turned_at.ns = t_s * 10 * NS_PER_S;
	for (int i = 0; i < 5; i++)
		take(-3, -2, true);
	light_drop(&light, &d);
	assert_int_equal(d.returns, 0);
	for (int i = 0; i < 200; i++)
		take(-3 + noise(.7), -2, true);
	light_drop(&light, &d);
	assert_int_equal(d.returns, 0);
}

/* A great loss that ends at once came back once. */
static void test_light_that_returns_at_once(void **state)
{
	struct light_drop d;

	(void)state;
	for (int i = 0; i < 40; i++)
		take(-7, -2, false);
	for (int i = 0; i < 20; i++)
		take(-1 + noise(.03), -2, false);
	light_drop(&light, &d);
	assert_int_equal(d.returns, 1);
}

/* After more than a day without a loss the next one is another; each day it is
 * the same.
 */
static void test_light_that_was_whole_for_long(void **state)
{
	struct light_drop d;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		for (int j = 0; j < 20; j++)
			take(-3, -2, true);
		for (int j = 0; j < 8000; j++)
			take(-1 + noise(.03), -2, true);
		light_drop(&light, &d);
		assert_true(d.returns > i);
	}
	for (int j = 0; j < 3000; j++)
		take(-1 + noise(.03), -2, true);
	light_drop(&light, &d);
	assert_int_equal(d.returns, 0);
}

/* A second step is another loss, and so is one after somebody cleaned a part of
 * it. A lane that nobody cleaned may fade in more.
 */
static void test_light_that_is_lost_again(void **state)
{
	static const struct {
		double dbm[4];
		enum fall fall;
	} rows[] = {
		{ { -2.2, -3.5, -3.5, -3.5 }, FALL_AT_ONCE },
		{ { -2.2, -3.5, -5, -6.5 }, FALL_SLOWLY },
		{ { -2.2, -3.5, -2.2, -2.2 }, FALL_AT_ONCE },
		{ { -3, -2.2, -3.5, -5 }, FALL_AT_ONCE },
	};

	(void)state;
	for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct light_drop d;

		(void)usual(NULL);
		for (int i = 0; i < 120; i++)
			take(rows[r].dbm[i / 30] + noise(.03), -2, false);
		light_drop(&light, &d);
		assert_int_equal(d.fall, rows[r].fall);
	}
}

/* What awaits the new module's reading is no touch. */
static void test_light_that_awaits_a_reading_was_not_touched(void **state)
{
	struct light_drop d;

	(void)state;
	for (int i = 0; i < 30; i++)
		take(-3 + noise(.03), -2, false);
	light_swapped(&light);
	assert_true(light_awaits(&light));
	light_drop(&light, &d);
	assert_int_equal(d.lanes, 1);
	assert_int_equal(d.touch, TOUCH_NONE);
}

/* Both lanes lose light at once; later the first fades: that is a loss of its
 * own, and its size is what was lost since.
 */
static void test_light_of_a_lane_that_fades_later(void **state)
{
	struct light_drop d;

	(void)state;
	for (int i = 0; i < 30; i++)
		take(-3 + noise(.03), -4 + noise(.03), false);
	assert_false(light_drop_since(&light, &d));
	for (int i = 0; i < 100; i++)
		take(-3 - i * .018 + noise(.03), -4 + noise(.03), false);
	assert_true(light_drop_since(&light, &d));
	assert_int_equal(d.lanes, 1);
	assert_int_equal(d.fall, FALL_SLOWLY);
	assert_true(d.worst_db > 1.5f && d.worst_db < 2);
	for (int i = 0; i < 100; i++)
		take(-4.8 + noise(.03), -4 - i * .018 + noise(.03), false);
	assert_false(light_drop_since(&light, &d));	/* none stands */
}

/* A loss that came at once, and one reading of it far lower, much later: it has
 * not gone on.
 */
static void test_light_of_a_loss_read_far_off_once(void **state)
{
	struct light_drop d;

	(void)state;
	for (int i = 0; i < 100; i++)
		take(-1.8 - .6 * (i == 60) + noise(.15), -2, false);
	light_drop(&light, &d);
	assert_int_equal(d.fall, FALL_AT_ONCE);
}

/* A bend takes more of one lane than of the other, and moves: one loss. */
static void test_light_of_a_bend_that_moves(void **state)
{
	struct light_drop d;

	(void)state;
	for (int i = 0; i < 30; i++)
		take(-6 + noise(.03), -2.45 + noise(.03), false);
	for (int i = 0; i < 30; i++)
		take(-4.3 + noise(.03), -2.3 + noise(.03), false);
	for (int i = 0; i < 100; i++) {
		take(-4.3 - i * .02 + noise(.03), -2.3 - i * .0018 + noise(.03),
		     false);
		assert_false(light_drop_since(&light, &d));
	}
}

/* Two lanes fade; the one that was last lost in a step has only its level since
 * then: that it has not changed since says nothing of the other.
 */
static void test_light_of_a_lane_that_stands_for_a_moment(void **state)
{
	struct light_drop d;

	(void)state;
	for (int i = 0; i < 100; i++)
		take(-1 - i * .018 + noise(.03), -2 - i * .008 + noise(.03),
		     false);
	for (int i = 0; i < 30; i++) {
		take(-2.8 + noise(.03), -3.6 + noise(.03), false);
		assert_false(light_drop_since(&light, &d));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_light_that_is_cleaned_in_part,
				       usual),
		cmocka_unit_test_setup(test_light_is_usual, usual),
		cmocka_unit_test_setup(test_light_lost_at_once_and_steady,
				       usual),
		cmocka_unit_test(test_light_that_a_jacket_gives_back),
		cmocka_unit_test(test_light_that_one_lane_gives_back),
		cmocka_unit_test_setup(test_light_lost_at_once_after_a_drift,
				       usual),
		cmocka_unit_test_setup(test_light_lost_slowly, usual),
		cmocka_unit_test_setup(
			test_light_that_awaits_a_reading_was_not_touched,
			usual),
		cmocka_unit_test_setup(test_light_of_a_lane_that_fades_later,
				       usual),
		cmocka_unit_test_setup(test_light_of_a_bend_that_moves, usual),
		cmocka_unit_test_setup(test_light_of_a_loss_read_far_off_once,
				       usual),
		cmocka_unit_test_setup(
			test_light_of_a_lane_that_stands_for_a_moment, usual),
		cmocka_unit_test_setup(test_light_of_one_reading_far_off,
				       usual),
		cmocka_unit_test_setup(test_light_far_off_for_a_reason, usual),
		cmocka_unit_test_setup(
			test_light_far_off_keeps_the_errors_before, usual),
		cmocka_unit_test_setup(test_light_that_moves_from_the_first,
				       usual),
		cmocka_unit_test(test_light_that_fades_with_a_reading_far_off),
		cmocka_unit_test_setup(
			test_light_that_goes_on_falling_was_lost_slowly,
			usual),
		cmocka_unit_test_setup(test_light_that_does_not_settle, usual),
		cmocka_unit_test_setup(
			test_light_that_fades_evenly_is_not_shaky, usual),
		cmocka_unit_test_setup(
			test_light_that_fades_ever_faster_is_not_shaky, usual),
		cmocka_unit_test_setup(test_light_lost_stays_lost, usual),
		cmocka_unit_test_setup(test_light_that_returns, usual),
		cmocka_unit_test_setup(test_light_that_returns_at_once, usual),
		cmocka_unit_test_setup(test_light_that_was_whole_for_long,
				       usual),
		cmocka_unit_test(test_light_that_is_lost_again),
	};

	return cmocka_run_group_tests_name("light", tests, NULL, NULL);
}
