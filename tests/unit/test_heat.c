/* What is usual for a module's temperature. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/signature/heat.h"

static void minutes(struct heat *h, int n, float temp_c, float most_k)
{
	static struct front f;

	f.dom_good = true;
	f.link = LINK_IS_UP;
	f.temp_c = temp_c;
	if (h->t.ns == 0)
		f.t.ns = 0;
	for (int i = 0; i < n; i++) {
		f.t.ns += 60 * NS_PER_S;
		heat_take(h, &f, most_k, false);
	}
}

/* K above usual, two hours after a module got 15 K warmer. */
static float left_of(float most_k)
{
	struct heat h;

	heat_start(&h);
	minutes(&h, 600, 50, 0);
	minutes(&h, 120, 65, most_k);
	return h.now_c - h.usual_c;
}

/* Heat of most modules becomes usual; heat of one alone hardly does. */
static void test_heat_of_most_becomes_usual(void **state)
{
	(void)state;
	assert_true(left_of(15) < 12);
	assert_true(left_of(0) > 14);
}

/* A module that was just put in is cold: that is not its usual temperature. */
static void test_heat_of_warming_up_is_usual(void **state)
{
	struct heat h;

	(void)state;
	heat_start(&h);
	minutes(&h, 15, 39, 0);
	minutes(&h, 10, 47, 0);
	minutes(&h, 40, 49, 0);
	assert_true(h.now_c - h.usual_c < 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heat_of_most_becomes_usual),
		cmocka_unit_test(test_heat_of_warming_up_is_usual),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
