#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "agent/signature/front.h"

static struct front front;
static struct inputs k;
static int second;

static int fresh(void **state)
{
	(void)state;
	front_start(&front);
	memset(&k, 0, sizeof(k));
	second = 1000;
	return 0;
}

static bool take(void)
{
	k.t.ns = ++second * NS_PER_S;
	k.dom_t = k.t;
	k.dom_new = true;
	return front_take(&front, &k);
}

static void module(int64_t temp_mc, int64_t vcc_uv, int64_t rx_pw)
{
	inputs_set(&k, INPUT_TEMP_MC, temp_mc);
	inputs_set(&k, INPUT_VCC_UV, vcc_uv);
	inputs_set(&k, INPUT_RX_PW + 0, rx_pw);
}

static void test_front_takes_no_older_reading(void **state)
{
	(void)state;
	assert_true(take());
	second--;
	assert_false(take());
	second -= 5;
	assert_false(take());
}

static void test_front_period_is_the_usual_one(void **state)
{
	(void)state;
	for (int i = 0; i < 50; i++)
		(void)take();
	second += 500;
	(void)take();
	assert_in_range(front.period_ns, NS_PER_S * 9 / 10,
			NS_PER_S * 12 / 10);
}

static void test_front_refuses_module_readings_that_cannot_be(void **state)
{
	static const struct {
		int64_t temp_mc, vcc_uv, rx_pw;
	} bad[] = {
		{ -4, 6553500, 6553500000 },	/* all ones */
		{ 48000, 6553500, 500000000 },
		{ 48000, 3300000, 6553500000 },
		{ 0, 0, 0 },			/* all zeroes */
		{ 48000, 0, 500000000 },
		{ -128000, 3300000, 500000000 },
		{ 127000, 3300000, 500000000 },
		{ 48000, 3300000, 100000 },	/* dark, and the link is up */
	};

	(void)state;
	inputs_set(&k, INPUT_OPER, OPER_UP);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		module(bad[i].temp_mc, bad[i].vcc_uv, bad[i].rx_pw);
		assert_true(take());
		assert_false(front.dom_good);
		assert_true(isnan(front_temp_c(&front)));
	}
	assert_int_equal(front.dom_bad, sizeof(bad) / sizeof(bad[0]));
	module(48000, 3300000, 500000000);
	(void)take();
	assert_true(front.dom_good);
}

/* Copper with electronics may tell -40 dBm: it gets no light. */
static void test_front_believes_copper_that_is_dark(void **state)
{
	(void)state;
	front.unlit = true;
	inputs_set(&k, INPUT_OPER, OPER_UP);
	module(48000, 3300000, 100000);
	(void)take();
	assert_true(front.dom_good);
}

/* No laser sends light by no current, unless the module never told of any. */
static void test_front_refuses_light_of_no_current(void **state)
{
	(void)state;
	inputs_set(&k, INPUT_OPER, OPER_UP);
	inputs_set(&k, INPUT_TX_PW, 900000000);
	for (int64_t ua = 0; ua < 100000; ua += 62000) {
		module(48000, 3300000, 500000000);
		inputs_set(&k, INPUT_BIAS_UA, ua);
		(void)take();
		assert_true(front.dom_good);
	}
	inputs_set(&k, INPUT_BIAS_UA, 0);
	(void)take();
	assert_false(front.dom_good);
	inputs_set(&k, INPUT_TX_PW, 100000);
	(void)take();
	assert_true(front.dom_good);
}

/* A coherent module's lasers take 150 to 280 mA. */
static void test_front_believes_the_current_of_a_coherent_laser(void **state)
{
	static const struct {
		int64_t ua;
		bool is_good;
	} bias[] = { { 62000, true }, { 131070, false }, { 150000, true },
		     { 262140, false }, { 280000, true }, { 524280, false } };

	(void)state;
	inputs_set(&k, INPUT_OPER, OPER_UP);
	for (size_t i = 0; i < sizeof(bias) / sizeof(bias[0]); i++) {
		module(48000, 3300000, 500000000);
		inputs_set(&k, INPUT_BIAS_UA, bias[i].ua);
		assert_true(take());
		assert_int_equal(front.dom_good, bias[i].is_good);
	}
}

static void test_front_dark_is_believed_when_the_link_is_down(void **state)
{
	(void)state;
	inputs_set(&k, INPUT_OPER, OPER_DOWN);
	module(48000, 3300000, 100000);
	(void)take();
	assert_true(front.dom_good);
}

/* What was read before the link fell says nothing of it. */
static void test_front_light_of_the_far_end_is_from_after_the_fall(void **state)
{
	const struct port_facts facts = { .lanes = 4 };

	(void)state;
	module(48000, 3300000, 500000000);
	inputs_set(&k, INPUT_OPER, OPER_UP);
	(void)take();
	inputs_set(&k, INPUT_OPER, OPER_DOWN);
	k.t.ns = ++second * NS_PER_S;
	k.dom_t.ns = k.t.ns - NS_PER_S / 2;	/* not looked at before */
	(void)front_take(&front, &k);
	front_light_take(&front, &facts, &k);
	assert_int_equal(front.far_light, FAR_LIGHT_UNREAD);
	(void)take();
	front_light_take(&front, &facts, &k);
	assert_int_equal(front.far_light, FAR_LIGHT_THERE);
	module(48000, 3300000, 100000);
	(void)take();
	front_light_take(&front, &facts, &k);
	assert_int_equal(front.far_light, FAR_LIGHT_NONE);
	inputs_set(&k, INPUT_OPER, OPER_UP);
	for (int i = 0; i < 40; i++)
		(void)take();
	front_light_take(&front, &facts, &k);
	assert_int_equal(front.far_light, FAR_LIGHT_UNREAD);
}

/* A fall that nobody saw is over since the reading before, at the longest. */
static void test_front_fall_between_readings_was_short(void **state)
{
	(void)state;
	inputs_set(&k, INPUT_OPER, OPER_UP);
	inputs_set(&k, INPUT_LINK_DOWN_COUNT, 7);
	(void)take();
	(void)take();
	inputs_set(&k, INPUT_LINK_DOWN_COUNT, 8);
	(void)take();
	assert_int_equal(front.drops, 1);
	assert_int_equal(front.turned_at.ns, front.t.ns);
	assert_int_equal(front.down_since.ns, front.t.ns - front.dt_ns);
}

/* No link falls so often: one wrong reading, and the right one after it. */
static void test_front_count_that_cannot_be_is_no_fall(void **state)
{
	(void)state;
	inputs_set(&k, INPUT_OPER, OPER_UP);
	inputs_set(&k, INPUT_LINK_DOWN_COUNT, 7);
	(void)take();
	(void)take();
	inputs_set(&k, INPUT_LINK_DOWN_COUNT, 4294967290);
	(void)take();
	assert_int_equal(front.drops, 0);
	inputs_set(&k, INPUT_LINK_DOWN_COUNT, 7);
	(void)take();
	assert_int_equal(front.drops, 0);
	inputs_set(&k, INPUT_LINK_DOWN_COUNT, 9);
	(void)take();
	assert_int_equal(front.drops, 1);	/* within a second */
}

static void test_front_jump_of_heat_is_believed_the_second_time(void **state)
{
	(void)state;
	module(48000, 3300000, 500000000);
	(void)take();
	module(80000, 3300000, 500000000);
	(void)take();
	assert_false(front.dom_good);
	assert_true(fabs(front_temp_c(&front) - 48) < 0.01);
	(void)take();
	assert_true(front.dom_good);
	assert_true(fabs(front_temp_c(&front) - 80) < 0.01);
}

/* A module that is read each few minutes may have warmed so much meanwhile. */
static void test_front_heat_between_far_readings_is_no_jump(void **state)
{
	(void)state;
	module(48000, 3300000, 500000000);
	(void)take();
	second += 119;
	module(70000, 3300000, 500000000);
	(void)take();
	assert_true(front.dom_good);
	second += 119;
	module(100000, 3300000, 500000000);
	(void)take();
	assert_false(front.dom_good);
}

static void test_front_repeated_module_reading_is_not_new(void **state)
{
	(void)state;
	module(48000, 3300000, 500000000);
	(void)take();
	k.t.ns = ++second * NS_PER_S;
	k.dom_new = false;
	(void)front_take(&front, &k);
	assert_false(front.dom_good);
}

static void test_front_temperature_grows_old(void **state)
{
	(void)state;
	module(48000, 3300000, 500000000);
	(void)take();
	k.dom_new = false;
	k.t.ns = (second + 700) * NS_PER_S;
	(void)front_take(&front, &k);
	assert_true(isnan(front_temp_c(&front)));
}

static void test_front_is_not_settled_until_half_a_minute_after(void **state)
{
	(void)state;
	inputs_set(&k, INPUT_OPER, OPER_UP);
	(void)take();
	(void)take();
	assert_true(front_settled(&front));
	inputs_set(&k, INPUT_OPER, OPER_DOWN);
	(void)take();
	assert_false(front_settled(&front));
	inputs_set(&k, INPUT_OPER, OPER_UP);
	for (int i = 0; i < 31; i++) {
		(void)take();
		assert_false(front_settled(&front));
	}
	(void)take();
	assert_true(front_settled(&front));
}

static void test_front_state_not_read_is_as_it_was(void **state)
{
	(void)state;
	inputs_set(&k, INPUT_OPER, OPER_UP);
	(void)take();
	memset(k.valid, 0, sizeof(k.valid));
	(void)take();
	assert_int_equal(front.link, LINK_IS_UP);
	assert_int_equal(front.drops, 0);
}

static void test_front_sees_another_module(void **state)
{
	(void)state;
	memcpy(k.serial, "A", 2);
	(void)take();
	assert_false(front.module_changed);
	k.serial[0] = '\0';		/* not read: not another one */
	(void)take();
	assert_false(front.module_changed);
	memcpy(k.serial, "B", 2);
	(void)take();
	assert_true(front.module_changed);
	(void)take();
	assert_false(front.module_changed);
}

/* The reader hangs while one is swapped: what it tells anew is the former's. */
static void test_front_waits_for_the_new_modules_reading(void **state)
{
	(void)state;
	memcpy(k.serial, "A", 2);
	module(50000, 3300000, 500000000);
	(void)take();
	(void)take();
	assert_true(front.dom_good);	/* of one that stays all is believed */
	memcpy(k.serial, "B", 2);
	for (unsigned i = 0; i < 100; i++) {
		(void)take();
		assert_false(front.dom_good);
	}
	assert_int_equal(front.dom_bad, 0);
	module(50000, 3300000, 500000001);
	for (unsigned i = 0; i < 2; i++) {
		(void)take();
		assert_true(front.dom_good);
	}
}

/* The link falls with the module out of its cage, for so many readings of each.
 * Returns whether the module seems to have been put in again.
 */
static bool comes_back(int period_s, int out, int down)
{
	bool ret = false;

	fresh(NULL);
	for (int i = -30; i <= down; i++) {
		inputs_set(&k, INPUT_OPER, i >= 0 && i < down ? OPER_DOWN :
								OPER_UP);
		inputs_set(&k, INPUT_PRESENT, i < 0 || i >= out);
		second += period_s - 1;
		(void)take();
		assert_int_equal(front.blinked, i == out && out * period_s < 5);
		ret = front_reseated(&front);
	}
	return ret;
}

/* By hand that takes a while: of the module, not only of the link. */
static void test_front_reseat_takes_a_while(void **state)
{
	(void)state;
	assert_false(comes_back(1, 1, 4));
	assert_false(comes_back(1, 1, 40));
	assert_true(comes_back(1, 15, 40));
	assert_true(comes_back(10, 1, 1));
	assert_false(comes_back(5, 1, 1));	/* the link was not down long */
}

#define TEST(name) cmocka_unit_test_setup(name, fresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_front_takes_no_older_reading),
		TEST(test_front_reseat_takes_a_while),
		TEST(test_front_period_is_the_usual_one),
		TEST(test_front_refuses_module_readings_that_cannot_be),
		TEST(test_front_believes_the_current_of_a_coherent_laser),
		TEST(test_front_dark_is_believed_when_the_link_is_down),
		TEST(test_front_light_of_the_far_end_is_from_after_the_fall),
		TEST(test_front_fall_between_readings_was_short),
		TEST(test_front_count_that_cannot_be_is_no_fall),
		TEST(test_front_jump_of_heat_is_believed_the_second_time),
		TEST(test_front_refuses_light_of_no_current),
		TEST(test_front_believes_copper_that_is_dark),
		TEST(test_front_heat_between_far_readings_is_no_jump),
		TEST(test_front_repeated_module_reading_is_not_new),
		TEST(test_front_temperature_grows_old),
		TEST(test_front_is_not_settled_until_half_a_minute_after),
		TEST(test_front_state_not_read_is_as_it_was),
		TEST(test_front_sees_another_module),
		TEST(test_front_waits_for_the_new_modules_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
