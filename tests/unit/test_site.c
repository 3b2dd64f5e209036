/* The middle of what ports show is that of their values in order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "agent/signature/site.h"
#include "tests/support/port_play.h"

static struct play p;
static float value[PLAY_PORTS_MAX];

static float value_of(const struct engine_port *port,
		      const struct site_asks *a)
{
	size_t i = 0;

	(void)a;
	while (p.engine->ports[i] != port)
		i++;
	return value[i];
}

static int order(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static float middle_of(unsigned count)
{
	const struct site_asks asks = { .air = NULL };

	for (unsigned i = count; i < PLAY_PORTS_MAX; i++)
		value[i] = NAN;
	return site_middle(p.engine, value_of, &asks);
}

static void test_the_middle_is_that_of_values_in_order(void **state)
{
	uint32_t random = 1;

	(void)state;
	for (unsigned n = 0; n < 20000; n++) {
		unsigned count = 4 + n % (PLAY_PORTS_MAX - 3);
		unsigned kinds = 1 + n % 23;
		float middle;

		for (unsigned i = 0; i < count; i++) {
			random = random * 1664525 + 1013904223;
			value[i] = (float)(random >> 16) -
				   (float)((random >> 16) / kinds * kinds);
		}
		middle = middle_of(count);
		qsort(value, count, sizeof(value[0]), order);
		assert_true(middle == value[count / 2]);
	}
}

static void test_few_values_have_no_middle(void **state)
{
	(void)state;
	value[0] = value[1] = value[2] = 1;
	assert_true(isnan(middle_of(3)));
}

static int ports_make(void **state)
{
	uint32_t port;

	(void)state;
	play_init(&p, 1);
	for (unsigned i = 1; i < PLAY_PORTS_MAX; i++) {
		(void)snprintf(p.facts.name, sizeof(p.facts.name), "Eth%u", i);
		if (engine_port(p.engine, &p.facts, &port) < 0)
			return -1;
	}
	return 0;
}

static int ports_end(void **state)
{
	(void)state;
	play_fini(&p);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_middle_is_that_of_values_in_order),
		cmocka_unit_test(test_few_values_have_no_middle),
	};

	return cmocka_run_group_tests(tests, ports_make, ports_end);
}
