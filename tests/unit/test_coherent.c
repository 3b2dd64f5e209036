/* A coherent module in the plant (C16): what faults of the line do to it, what
 * the switch's own FEC sees of them, and the books of its interval.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "petrel/clock.h"
#include "petrel/plant.h"

#define HEAD "switch ports=2 speed=400G lanes=8 media=DR8 seed=5 dom=20s\n" \
	     "port Ethernet8 media=ZR\n"
#define ZR 1				/* Ethernet8 */

static struct plant *plant_at(const char *fault, int64_t s)
{
	struct plant *p = NULL;
	struct diag d = { "" };
	char text[512];

	(void)snprintf(text, sizeof(text), HEAD "%s\n", fault);
	if (plant_open(text, strlen(text), "t", &p, &d) < 0)
		fail_msg("%s", d.text);
	plant_advance(p, s * NS_PER_S);
	return p;
}

static struct plant_coherent coherent_of(const struct plant *p)
{
	struct plant_coherent c;

	assert_true(plant_coherent(p, ZR, &c));
	return c;
}

/* The same line with a fault and without, at one time. */
struct pair {
	struct plant *sick_plant, *well_plant;
	struct plant_coherent sick, well;
	struct plant_port sick_port, well_port;
};

static struct pair pair_at(const char *fault, int64_t s)
{
	struct pair p = { .sick_plant = plant_at(fault, s),
			  .well_plant = plant_at("", s) };

	p.sick = coherent_of(p.sick_plant);
	p.well = coherent_of(p.well_plant);
	plant_port(p.sick_plant, ZR, &p.sick_port);
	plant_port(p.well_plant, ZR, &p.well_port);
	return p;
}

static void pair_close(struct pair *p)
{
	plant_close(p->sick_plant);
	plant_close(p->well_plant);
}

/* How much the average of the interval lies above that of the healthy one. */
static double above(const struct pair *p, enum plant_coherent_value which)
{
	return p->sick.value[which].avg - p->well.value[which].avg;
}

static void test_coherent_light_that_is_lost_is_osnr_that_is_lost(void **state)
{
	struct pair p = pair_at("at 30s Ethernet8 dirty loss=4dB", 100);

	(void)state;
	assert_true(fabs(above(&p, COHERENT_SIGNAL_DBM) + 4) < 0.3);
	assert_true(fabs(above(&p, COHERENT_OSNR_DB) + 4) < 0.3);
	assert_true(above(&p, COHERENT_ESNR_DB) < -0.1);
	assert_true(above(&p, COHERENT_EVM_PERCENT) > 0.1);
	assert_true(p.sick.corrected > p.well.corrected);
	/* The fibre is as long as it was, and our laser as bright. */
	assert_true(fabs(above(&p, COHERENT_CD_PS_PER_NM)) < 1e-9);
	assert_true(fabs(above(&p, COHERENT_TX_DBM)) < 1e-9);
	pair_close(&p);
}

static void test_coherent_line_is_not_what_the_switchs_fec_counts(void **state)
{
	struct pair p = pair_at("at 30s Ethernet8 fec_growth to=8e-3 ramp=0s",
				100);

	(void)state;
	assert_true(p.sick_port.lane[0].pre_fec_ber > 7e-3);
	assert_true(p.sick_port.oper_up);
	assert_true(p.sick_port.fec_corrected_bits ==
		    p.well_port.fec_corrected_bits);
	assert_true(p.sick_port.fec_corrected_bits > 0);
	pair_close(&p);
}

static void test_coherent_line_beyond_its_code_is_down(void **state)
{
	struct plant *p = plant_at("at 30s Ethernet8 fec_growth to=2e-2 "
				   "ramp=0s", 100);
	struct plant_port port;

	(void)state;
	plant_port(p, ZR, &port);
	assert_false(port.oper_up);
	assert_int_equal(port.down, PLANT_DOWN_HIGH_BER);
	plant_port(p, 0, &port);
	assert_true(port.oper_up);
	plant_close(p);
}

/* Readings are taken within each 20 s; a dip of 5 s shows as a minimum in one
 * of them and in no later one.
 */
static void test_coherent_dip_between_readings_is_in_the_books(void **state)
{
	struct plant *p = plant_at("at 41s Ethernet8 dirty loss=6dB for=5s",
				   40);
	unsigned with_dip = 0, readings = 0;
	uint64_t before = 0;
	struct plant_coherent c;

	(void)state;
	for (int64_t s = 41; s <= 120; s++) {
		const struct plant_stretch *osnr;

		plant_advance(p, s * NS_PER_S);
		c = coherent_of(p);
		osnr = &c.value[COHERENT_OSNR_DB];
		if (c.corrected == before)
			continue;
		before = c.corrected;
		readings++;
		with_dip += osnr->max - osnr->min > 4;
	}
	assert_in_range(readings, 4, 5);
	assert_int_equal(with_dip, 1);
	plant_close(p);
}

static void test_coherent_books_add_up(void **state)
{
	struct plant *p = plant_at("", 100);
	struct plant_coherent c = coherent_of(p);
	double parts = 20;		/* of a second each */

	(void)state;
	assert_true(fabs((double)c.bits / (double)c.part_bits - parts) < 1e-9);
	assert_true(c.corrected >= parts * (double)c.corrected_min);
	assert_true(c.corrected <= parts * (double)c.corrected_max);
	for (unsigned i = 0; i < PLANT_COHERENT_COUNT; i++) {
		const struct plant_stretch *s = &c.value[i];

		assert_true(s->min <= s->avg + 1e-9);
		assert_true(s->avg <= s->max + 1e-9);
		assert_true(s->min <= s->now && s->now <= s->max);
	}
	/* Healthy: inside of what the module states. */
	for (unsigned i = 0; i < PLANT_COHERENT_COUNT; i++) {
		const double *edge = plant_coherent_edges(
			(enum plant_coherent_value)i);

		assert_true(c.value[i].max < edge[PLANT_HIGH_WARN]);
		assert_true(c.value[i].min >= edge[PLANT_LOW_WARN]);
	}
	plant_close(p);
}

static void test_coherent_swap_keeps_the_fibre_and_the_colour(void **state)
{
	struct pair p = pair_at("at 30s Ethernet8 swap gap=5s", 100);

	(void)state;
	assert_string_not_equal(p.sick_port.serial, p.well_port.serial);
	assert_true(fabs(above(&p, COHERENT_CD_PS_PER_NM)) < 20);
	assert_int_equal(p.sick.channel, p.well.channel);
	assert_true(fabs(above(&p, COHERENT_CFO_MHZ)) > 1);
	pair_close(&p);
}

static void test_coherent_is_told_of_no_other_module(
	void **state)
{
	struct plant *p = plant_at("at 30s Ethernet8 pull", 40);
	struct plant_coherent c;

	(void)state;
	assert_false(plant_coherent(p, ZR, &c));
	assert_false(plant_coherent(p, 0, &c));
	plant_close(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_coherent_light_that_is_lost_is_osnr_that_is_lost),
		cmocka_unit_test(
			test_coherent_line_is_not_what_the_switchs_fec_counts),
		cmocka_unit_test(test_coherent_line_beyond_its_code_is_down),
		cmocka_unit_test(
			test_coherent_dip_between_readings_is_in_the_books),
		cmocka_unit_test(test_coherent_books_add_up),
		cmocka_unit_test(
			test_coherent_swap_keeps_the_fibre_and_the_colour),
		cmocka_unit_test(
			test_coherent_is_told_of_no_other_module),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
