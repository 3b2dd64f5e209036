/* The memory that a simulated module has: octets where the standards put them.
 * Nothing of the decoders is linked here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include "petrel/clock.h"
#include "petrel/plant.h"
#include "platform/sim/eeprom.h"

static struct plant *plant_make(const char *text)
{
	struct plant *p = NULL;
	struct diag d = { "" };

	if (plant_open(text, strlen(text), "t", &p, &d) < 0)
		fail_msg("%s", d.text);
	return p;
}

static uint8_t octet(const struct eeprom *e, unsigned bank, unsigned page,
		     unsigned at)
{
	uint8_t value;

	if (!eeprom_read(e, bank, page, at, &value, 1))
		fail_msg("there is no octet %u of page %02xh", at, page);
	return value;
}

static unsigned word(const struct eeprom *e, unsigned bank, unsigned page,
		     unsigned at)
{
	return (unsigned)octet(e, bank, page, at) << 8 |
		octet(e, bank, page, at + 1);
}

static bool sum_is_right(const struct eeprom *e, unsigned bank, unsigned page,
			 unsigned at, unsigned first, unsigned last)
{
	unsigned sum = 0;

	for (unsigned i = first; i <= last; i++)
		sum += octet(e, bank, page, i);
	return (sum & 0xff) == octet(e, bank, page, at);
}

/* Rounds half away from zero, as none of these is negative. */
static unsigned nearest(double value)
{
	return (unsigned)(value + 0.5);
}

static void test_eeprom_cmis_has_its_monitors_where_they_belong(void **state)
{
	struct plant *p = plant_make("switch ports=2 speed=400G lanes=4 "
				     "media=DR4\n");
	struct plant_port s;
	struct eeprom e;

	(void)state;
	plant_advance(p, 100 * NS_PER_S);
	plant_port(p, 1, &s);
	assert_true(eeprom_write_plant(p, 1, &e));
	assert_int_equal(octet(&e, 0, EEPROM_LOWER, 0), 0x18);
	assert_int_equal(octet(&e, 0, EEPROM_LOWER, 3) >> 1 & 7, 3);
	assert_int_equal(word(&e, 0, EEPROM_LOWER, 14),
			 nearest(s.temp_c * 256));
	assert_int_equal(word(&e, 0, EEPROM_LOWER, 16), nearest(s.vcc_v * 1e4));
	for (unsigned i = 0; i < 4; i++) {
		const struct plant_lane *l = &s.lane[i];

		assert_int_equal(word(&e, 0, 0x11, 154 + 2 * i),
				 nearest(l->tx_mw * 1e4));
		assert_int_equal(word(&e, 0, 0x11, 170 + 2 * i),
				 nearest(l->bias_ma * 500));
		assert_int_equal(word(&e, 0, 0x11, 186 + 2 * i),
				 nearest(l->rx_mw * 1e4));
		assert_int_equal(octet(&e, 0, 0x11, 128 + i / 2) >> i % 2 * 4 &
				 15, 4);
	}
	assert_true(sum_is_right(&e, 0, 0x00, 222, 128, 221));
	assert_true(sum_is_right(&e, 0, 0x01, 255, 130, 254));
	assert_true(sum_is_right(&e, 0, 0x02, 255, 128, 254));
	plant_close(p);
}

static double power_of_ten(int exponent)
{
	double value = 1;

	for (; exponent < 0; exponent++)
		value /= 10;
	return value;
}

static void test_eeprom_vdm_tells_what_each_sample_is(void **state)
{
	struct plant *p = plant_make("switch ports=1 speed=800G lanes=8 "
				     "media=DR8\n");
	struct plant_port s;
	struct eeprom e;
	unsigned lanes = 0;

	(void)state;
	plant_port(p, 0, &s);
	assert_true(eeprom_write_plant(p, 0, &e));
	assert_true(octet(&e, 0, 0x01, 142) & 0x40);
	for (unsigned slot = 0; slot < 64; slot++) {
		unsigned lane = octet(&e, 0, 0x20, 128 + 2 * slot) & 15;
		unsigned raw = word(&e, 0, 0x24, 128 + 2 * slot);
		double ber = (raw & 0x7ff) * power_of_ten((int)(raw >> 11) -
							  24);

		if (octet(&e, 0, 0x20, 129 + 2 * slot) != 15)
			continue;
		assert_true(ber > 0.997 * s.lane[lane].pre_fec_ber &&
			    ber < 1.003 * s.lane[lane].pre_fec_ber);
		lanes |= 1u << lane;
	}
	assert_int_equal(lanes, 0xff);
	plant_close(p);
}

static void test_eeprom_of_a_breakout_has_a_path_for_each_port(void **state)
{
	struct plant *p = plant_make("switch ports=4 breakout=4 lanes=2 "
				     "speed=200G\n");
	struct eeprom e;

	(void)state;
	assert_true(eeprom_write_plant(p, 0, &e));
	assert_int_equal(octet(&e, 0, EEPROM_LOWER, 88), 0x22);
	assert_int_equal(octet(&e, 0, EEPROM_LOWER, 89), 0x55);
	assert_int_equal(octet(&e, 0, 0x11, 206) >> 1 & 7, 0);
	assert_int_equal(octet(&e, 0, 0x11, 213) >> 1 & 7, 6);
	assert_int_equal(octet(&e, 0, 0x00, 210), 0);
	plant_close(p);
}

static void test_eeprom_sff8636_has_four_lanes_below_100h(void **state)
{
	struct plant *p = plant_make("switch ports=1 speed=100G lanes=4 "
				     "media=SR4 fec=rs528\n");
	struct plant_port s;
	struct eeprom e;

	(void)state;
	plant_port(p, 0, &s);
	assert_true(eeprom_write_plant(p, 0, &e));
	assert_int_equal(octet(&e, 0, EEPROM_LOWER, 0), 0x11);
	assert_int_equal(word(&e, 0, EEPROM_LOWER, 22),
			 nearest(s.temp_c * 256));
	assert_int_equal(word(&e, 0, EEPROM_LOWER, 34 + 6),
			 nearest(s.lane[3].rx_mw * 1e4));
	assert_int_equal(word(&e, 0, EEPROM_LOWER, 50),
			 nearest(s.lane[0].tx_mw * 1e4));
	assert_int_equal(word(&e, 0, 0x03, 128), 75 * 256);
	assert_true(sum_is_right(&e, 0, 0x00, 191, 128, 190));
	assert_true(sum_is_right(&e, 0, 0x00, 223, 192, 222));
	plant_close(p);
}

static void test_eeprom_sff8472_has_two_devices(void **state)
{
	struct plant *p = plant_make("switch ports=1 speed=25G lanes=1 "
				     "media=FR1 fec=rs528\n");
	uint8_t file[EEPROM_FILE_MAX];
	struct plant_port s;
	struct eeprom e;
	unsigned rx;

	(void)state;
	plant_port(p, 0, &s);
	rx = nearest(s.lane[0].rx_mw * 1e4);
	assert_true(eeprom_write_plant(p, 0, &e));
	assert_int_equal(octet(&e, 0, EEPROM_LOWER, 0), 0x03);
	assert_int_equal(word(&e, 1, EEPROM_LOWER, 104), rx);
	assert_true(sum_is_right(&e, 0, EEPROM_LOWER, 63, 0, 62));
	assert_true(sum_is_right(&e, 0, EEPROM_LOWER, 95, 64, 94));
	assert_true(sum_is_right(&e, 1, EEPROM_LOWER, 95, 0, 94));
	assert_int_equal(eeprom_file(&e, file), 512);
	assert_int_equal(file[256 + 104] << 8 | file[256 + 105], rx);
	plant_close(p);
}

static void test_eeprom_file_is_laid_out_as_optoe_does(void **state)
{
	struct plant *p = plant_make("switch ports=1 speed=400G lanes=4 "
				     "media=FR4\n");
	uint8_t file[EEPROM_FILE_MAX];
	struct eeprom e;

	(void)state;
	assert_true(eeprom_write_plant(p, 0, &e));
	assert_int_equal(eeprom_file(&e, file), (0x2f + 2) * 128);
	assert_int_equal(file[0], 0x18);
	assert_int_equal(file[148], octet(&e, 0, 0x00, 148));
	assert_int_equal(file[0x11 * 128 + 186], octet(&e, 0, 0x11, 186));
	/* A page that it has not: page 00h, as a module answers. */
	assert_memory_equal(&file[0x05 * 128 + 128], &file[128], 128);
	plant_close(p);
}

static uint64_t long_word(const struct eeprom *e, unsigned at)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value = value << 8 | octet(e, 0, 0x34, at + i);
	return value;
}

static void test_eeprom_coherent_has_one_lane_of_light_for_eight(void **state)
{
	struct plant *p = plant_make("switch ports=1 speed=400G lanes=8 "
				     "media=ZR\n");
	uint8_t file[EEPROM_FILE_MAX];
	struct eeprom e;

	(void)state;
	assert_true(eeprom_write_plant(p, 0, &e));
	assert_int_equal(octet(&e, 0, EEPROM_LOWER, 88), 0x81);
	assert_int_equal(octet(&e, 0, 0x00, 210), 0xfe);
	assert_int_equal(octet(&e, 0, 0x00, 212), 0x10);
	assert_true(octet(&e, 0, 0x01, 155) & 0x40);
	assert_int_equal(octet(&e, 0, 0x11, 131), 0x44);
	assert_int_equal(octet(&e, 0, 0x11, 132), 0xff);
	assert_int_equal(octet(&e, 0, 0x11, 133), 0x01);
	assert_int_equal(word(&e, 0, 0x11, 188), 0);
	assert_true(sum_is_right(&e, 0, 0x04, 255, 128, 254));
	assert_int_equal(eeprom_file(&e, file), (0x35 + 2) * 128);
	assert_int_equal(file[0x35 * 128 + 170], octet(&e, 0, 0x35, 170));
	plant_close(p);
}

static void test_eeprom_coherent_keeps_the_plants_books(void **state)
{
	struct plant *p = plant_make("switch ports=2 speed=400G lanes=4 "
				     "media=ZR seed=7\n");
	const struct plant_stretch *s;
	struct plant_coherent c;
	struct eeprom e;

	(void)state;
	plant_advance(p, 100 * NS_PER_S);
	assert_true(plant_coherent(p, 1, &c));
	assert_true(eeprom_write_plant(p, 1, &e));
	assert_true(long_word(&e, 128) == c.bits && c.bits > 0);
	assert_true(long_word(&e, 144) == c.corrected);
	assert_true(long_word(&e, 152) == c.corrected_min);
	assert_true(long_word(&e, 160) == c.corrected_max);
	assert_true(c.corrected_min < c.corrected_max);
	s = &c.value[COHERENT_OSNR_DB];
	assert_int_equal(word(&e, 0, 0x35, 158), nearest(s->avg * 10));
	assert_int_equal(word(&e, 0, 0x35, 160), nearest(s->min * 10));
	assert_int_equal(word(&e, 0, 0x35, 162), nearest(s->max * 10));
	s = &c.value[COHERENT_DGD_PS];
	assert_true(s->min < s->avg && s->avg < s->max);
	assert_int_equal(word(&e, 0, 0x35, 142), nearest(s->min * 100));
	/* Its laser: channel n of 25 GHz from 193.1 THz on. */
	assert_int_equal(word(&e, 0, 0x12, 136), c.channel & 0xffff);
	assert_true(c.config_ghz > 193100 + 25 * c.channel - 0.1 &&
		    c.config_ghz < 193100 + 25 * c.channel + 0.1);
	plant_close(p);
}

static void test_eeprom_of_copper_is_flat(void **state)
{
	struct plant *p = plant_make("switch ports=1 speed=400G lanes=4 "
				     "media=DAC\n");
	struct eeprom e;

	(void)state;
	assert_true(eeprom_write_plant(p, 0, &e));
	assert_int_equal(octet(&e, 0, EEPROM_LOWER, 2) & 0x80, 0x80);
	assert_int_equal(e.count, 2);
	plant_close(p);
}

static void test_eeprom_is_ones_while_the_bus_hangs_and_none_when_pulled(
	void **state)
{
	struct plant *p = plant_make(
		"switch ports=2 speed=400G lanes=4 media=DR4 dom=1s\n"
		"at 10s Ethernet0 bad_dom\nat 10s Ethernet8 pull\n");
	struct eeprom e;

	(void)state;
	plant_advance(p, 20 * NS_PER_S);
	assert_true(eeprom_write_plant(p, 0, &e));
	assert_int_equal(word(&e, 0, EEPROM_LOWER, 14), 0xffff);
	assert_int_equal(word(&e, 0, 0x11, 186), 0xffff);
	assert_int_equal(octet(&e, 0, EEPROM_LOWER, 0), 0x18);
	assert_false(eeprom_write_plant(p, 1, &e));
	plant_close(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_eeprom_cmis_has_its_monitors_where_they_belong),
		cmocka_unit_test(test_eeprom_vdm_tells_what_each_sample_is),
		cmocka_unit_test(
			test_eeprom_of_a_breakout_has_a_path_for_each_port),
		cmocka_unit_test(test_eeprom_sff8636_has_four_lanes_below_100h),
		cmocka_unit_test(test_eeprom_sff8472_has_two_devices),
		cmocka_unit_test(test_eeprom_file_is_laid_out_as_optoe_does),
		cmocka_unit_test(
			test_eeprom_coherent_has_one_lane_of_light_for_eight),
		cmocka_unit_test(test_eeprom_coherent_keeps_the_plants_books),
		cmocka_unit_test(test_eeprom_of_copper_is_flat),
		cmocka_unit_test(
	test_eeprom_is_ones_while_the_bus_hangs_and_none_when_pulled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
