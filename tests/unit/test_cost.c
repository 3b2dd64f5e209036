#include "agent/query/health.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define CPU_PPM 5139
#define VALUES_PER_S 17170

/* Ticks of that interval for a while: a process that beats once a second, out
 * of step, and a source that brings all it has once a second.
 */
static void play(struct cost *c, struct control *control, int64_t interval_ns,
		 int64_t from_ns, int64_t to_ns)
{
	struct control_process *core = &control->process[ROLE_CORE];

	for (int64_t now = from_ns; now <= to_ns; now += interval_ns) {
		int64_t beat = (now - 30 * NS_PER_MS) / NS_PER_S * NS_PER_S +
			       30 * NS_PER_MS;
		uint64_t values = (uint64_t)(now / NS_PER_S * VALUES_PER_S);

		atomic_store(&core->cpu_ns, beat / 1000000 * CPU_PPM);
		atomic_store(&core->heartbeat_ns, beat);
		cost_tick(c, control, values, (struct mono){ now });
	}
}

static void near(double is, double wanted, double share)
{
	if (is < wanted * (1 - share) || is > wanted * (1 + share))
		fail_msg("%f, not %f", is, wanted);
}

static void test_c15_own_cost_is_right_at_any_interval(void **state)
{
	static const int64_t intervals_ms[] = { 100, 200, 700, 1000, 2500,
						10000, 60000 };

	(void)state;
	for (size_t i = 0; i < sizeof(intervals_ms) / sizeof(intervals_ms[0]);
	     i++) {
		struct control control;
		struct cost c = { .values = { 0 } };
		double cpu = 0, values = 0;

		memset(&control, 0, sizeof(control));
		for (unsigned n = 1; n <= 5; n++) {
			play(&c, &control, intervals_ms[i] * NS_PER_MS,
			     n * 120 * NS_PER_S,
			     (n + 1) * 120 * NS_PER_S - 1);
			assert_true(cost_per_s(&c.cpu[ROLE_CORE], &cpu));
			near(cpu / 1000, CPU_PPM, 0.01);
			assert_true(cost_per_s(&c.values, &values));
			near(values, VALUES_PER_S,
			     10000 % intervals_ms[i] ? 0.1 : 0.01);
		}
	}
}

static void test_a_process_that_began_again_counts_anew(void **state)
{
	struct control control;
	struct cost c = { .values = { 0 } };
	double cpu;

	(void)state;
	memset(&control, 0, sizeof(control));
	play(&c, &control, NS_PER_S, 100 * NS_PER_S, 200 * NS_PER_S);
	atomic_store(&control.process[ROLE_CORE].cpu_ns, 7);
	atomic_store(&control.process[ROLE_CORE].heartbeat_ns, 300 * NS_PER_S);
	cost_tick(&c, &control, 0, (struct mono){ 300 * NS_PER_S });
	assert_false(cost_per_s(&c.cpu[ROLE_CORE], &cpu));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c15_own_cost_is_right_at_any_interval),
		cmocka_unit_test(test_a_process_that_began_again_counts_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
