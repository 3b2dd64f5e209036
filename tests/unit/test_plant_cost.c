/* petrel-test: alone */
/* petrel-test: no-sanitize it measures time */
/* petrel-test: no-valgrind it measures time */
/* What the plant costs: 512 ports of 8 lanes, moved on each second, must stay
 * well below a tenth of a core.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <time.h>
#include "petrel/clock.h"
#include "petrel/plant.h"

#define TICKS 60
#define SHARE_MOST 0.05

static double cpu_s(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void test_plant_of_512_ports_costs_under_5_percent_of_a_core(void **s)
{
	static const char text[] =
		"switch ports=512 lanes=8 speed=800G media=DR8 queues=8\n"
		"at 1s all fec_growth to=1e-4 ramp=10s\n";
	struct plant *p = NULL;
	double begin, share;

	(void)s;
	assert_int_equal(plant_open(text, strlen(text), "t", &p, NULL), 0);
	begin = cpu_s();
	for (int i = 1; i <= TICKS; i++)
		plant_advance(p, i * NS_PER_S);
	share = (cpu_s() - begin) / TICKS;
	print_message("# %.2f %% of a core, %.2f us a port and step\n",
		      100 * share, share * 1e6 / 512);
	assert_true(share < SHARE_MOST);
	plant_close(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    test_plant_of_512_ports_costs_under_5_percent_of_a_core),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
