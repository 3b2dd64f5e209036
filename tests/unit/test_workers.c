/* Workers that share jobs: each is done once, by whoever comes first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sched.h>
#include <cmocka.h>

#include "agent/base/workers.h"

#define JOBS 1000u

struct work {
	atomic_uint done[JOBS];
	atomic_uint busy[WORKERS_MAX];
	atomic_uint broken;
};

static void job_do(void *context, unsigned worker, unsigned n)
{
	struct work *w = context;

	if (worker >= WORKERS_MAX || n >= JOBS ||
	    atomic_fetch_add(&w->busy[worker], 1) > 0) {
		atomic_fetch_add(&w->broken, 1);
		return;
	}
	if (n % 16 == 0)
		(void)sched_yield();
	atomic_fetch_add(&w->done[n], 1);
	atomic_fetch_sub(&w->busy[worker], 1);
}

static void test_each_job_is_done_once(void **state)
{
	(void)state;
	for (unsigned workers = 1; workers <= WORKERS_MAX; workers++) {
		static struct work w;

		w = (struct work){ .broken = 0 };
		workers_run(workers, JOBS, job_do, &w);
		assert_int_equal(w.broken, 0);
		for (unsigned n = 0; n < JOBS; n++)
			assert_int_equal(w.done[n], 1);
	}
}

static void test_no_more_workers_than_jobs(void **state)
{
	(void)state;
	assert_int_equal(workers_count(0), 1);
	assert_int_equal(workers_count(1), 1);
	assert_in_range(workers_count(JOBS), 1, WORKERS_MAX);
	workers_run(1, 0, job_do, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_job_is_done_once),
		cmocka_unit_test(test_no_more_workers_than_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
