/* petrel-test: no-valgrind the real clock does not wait for it */
#include "agent/sample/sampler.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

#define INTERVAL_NS (20 * NS_PER_MS)
#define MINUTE_MS 1200			/* stands for a minute: 60 ticks */
#define MINUTES 6
#define READS_MAX 64

/* A driver of one slow, one pending and one failing source; its instance is
 * the bench.
 */
struct bench {
	struct loop *loop;
	struct sampler *sampler;
	unsigned quick_reads, pending_reads, failing_reads, blocking_reads;
	unsigned slow_reads;
	unsigned ticks, waits;
	int failing_error;
	enum source_state state[MINUTES];
	char reason[MINUTES][SOURCE_REASON_MAX];
	struct mono last_due;
	/* Of the minutes: the ticks of their reads. */
	unsigned minute_reads[MINUTES], minute_tick[MINUTES][READS_MAX];
	struct mono minute_at[MINUTES][READS_MAX];
	unsigned minute_failures;	/* so often the first one fails */
	int minute_error;		/* 0: it ends later, as failed */
};

static int quick_read(void *instance, struct mono now, struct diag *d)
{
	(void)now;
	(void)d;
	((struct bench *)instance)->quick_reads++;
	return 0;
}

static int pending_read(void *instance, struct mono now, struct diag *d)
{
	(void)now;
	(void)d;
	((struct bench *)instance)->pending_reads++;
	return -EINPROGRESS;
}

static int failing_read(void *instance, struct mono now, struct diag *d)
{
	struct bench *b = instance;

	(void)now;
	b->failing_reads++;
	return diag_set(d, b->failing_error, "the reason");
}

static int blocking_read(void *instance, struct mono now, struct diag *d)
{
	(void)now;
	(void)d;
	((struct bench *)instance)->blocking_reads++;
	return 0;
}

static int slow_read(void *instance, struct mono now, struct diag *d)
{
	(void)now;
	(void)d;
	((struct bench *)instance)->slow_reads++;
	return 0;
}

static int minute_read(struct bench *b, unsigned n, struct diag *d)
{
	if (b->minute_reads[n] < READS_MAX) {
		b->minute_tick[n][b->minute_reads[n]] = b->ticks;
		b->minute_at[n][b->minute_reads[n]] = clock_mono_now();
	}
	b->minute_reads[n]++;
	if (n > 0 || b->minute_reads[n] > b->minute_failures)
		return 0;
	return b->minute_error ? diag_set(d, b->minute_error, "the reason") :
				 -EINPROGRESS;
}

#define MINUTE(n)							\
	static int minute##n##_read(void *instance, struct mono now,	\
				    struct diag *d)			\
	{								\
		(void)now;						\
		return minute_read(instance, n, d);			\
	}								\
	static const struct platform_source minute##n = {		\
		.name = "minute" #n, .period_ms = MINUTE_MS,		\
		.read = minute##n##_read }

MINUTE(0);
MINUTE(1);
MINUTE(2);
MINUTE(3);
MINUTE(4);
MINUTE(5);

static const struct platform_source *const minutes[MINUTES + 1] = {
	&minute0, &minute1, &minute2, &minute3, &minute4, &minute5, NULL
};

static const struct platform_source quick = { .name = "quick",
	.period_ms = 1000, .read = quick_read };
static const struct platform_source pending = { .name = "pending",
	.period_ms = 1000, .read = pending_read };
static const struct platform_source failing = { .name = "failing",
	.period_ms = 1000, .read = failing_read };
static const struct platform_source blocking = { .name = "blocking",
	.period_ms = 1000, .blocks = true, .read = blocking_read };
static const struct platform_source slow = { .name = "slow",
	.period_ms = 1100, .read = slow_read };
static const struct platform_source *const sources[] = {
	&quick, &pending, &failing, &blocking, &slow, NULL
};

/* The instance is what the host's context is. */
static int bench_open(const struct platform_env *env, void **ret_instance,
		      struct diag *d)
{
	(void)d;
	*ret_instance = env->host->context;
	return 0;
}

static void bench_close(void *instance)
{
	(void)instance;
}

static const struct platform_driver driver = {
	.abi = PLATFORM_ABI, .size = sizeof(driver), .name = "bench",
	.open = bench_open, .close = bench_close, .sources = sources };

static const struct platform_driver minute_driver = {
	.abi = PLATFORM_ABI, .size = sizeof(minute_driver), .name = "minutes",
	.open = bench_open, .close = bench_close, .sources = minutes };

static void source_note(void *context, unsigned source, enum source_state state,
			int64_t interval_ns, const char *reason)
{
	struct bench *b = context;

	(void)interval_ns;
	b->state[source] = state;
	(void)snprintf(b->reason[source], SOURCE_REASON_MAX, "%s",
		       reason ? reason : "");
}

static int host_get(void *context, const struct platform_driver *d,
		    unsigned *ret_first, struct platform_host *ret)
{
	(void)d;
	*ret_first = 0;
	*ret = (struct platform_host){ .context = context,
				       .source = source_note };
	return 0;
}

static void tick_note(void *context, struct mono due, struct mono now,
		      uint64_t skipped)
{
	struct bench *b = context;

	(void)skipped;
	b->ticks++;
	if (mono_diff_ns(now, due) > INTERVAL_NS / 8)
		b->waits++;
	b->last_due = due;
}

static void bench_make_of(struct bench *b, const struct platform_driver *of,
			  bool blocks)
{
	struct sampler_env env = { .blocking = blocks, .context = b,
				   .host = host_get, .tick = tick_note,
				   .interval_ns = INTERVAL_NS };

	memset(b, 0, sizeof(*b));
	b->failing_error = -ENODATA;
	assert_int_equal(loop_new(8, 8, &b->loop), 0);
	env.loop = b->loop;
	assert_int_equal(sampler_new(&env, &b->sampler), 0);
	assert_true(sampler_driver_add(b->sampler, of, NULL) >= 0);
}

static void bench_make(struct bench *b, bool blocks)
{
	bench_make_of(b, &driver, blocks);
}

static void bench_run(struct bench *b, unsigned ticks)
{
	while (b->ticks < ticks)
		assert_int_equal(loop_once(b->loop, NS_PER_S), 0);
}

static void bench_end(struct bench *b)
{
	sampler_free(b->sampler);
	loop_free(b->loop);
}

static void test_sampler_reads_each_side_its_own_sources(void **state)
{
	struct bench b;

	(void)state;
	bench_make(&b, false);
	bench_run(&b, 3);
	assert_true(b.quick_reads >= 3);
	assert_int_equal(b.blocking_reads, 0);
	bench_end(&b);
	bench_make(&b, true);
	bench_run(&b, 3);
	assert_int_equal(b.quick_reads, 0);
	assert_true(b.blocking_reads >= 3);
	bench_end(&b);
}

static void test_sampler_never_asks_again_while_a_read_is_busy(void **state)
{
	struct bench b;

	(void)state;
	bench_make(&b, false);
	bench_run(&b, 4);
	assert_int_equal(b.pending_reads, 1);
	assert_true(sampler_late(b.sampler) >= 2);
	sampler_ended(b.sampler, 1, false);
	bench_run(&b, 6);
	assert_int_equal(b.pending_reads, 2);
	bench_end(&b);
}

static void test_sampler_waits_for_a_busy_read_only_once(void **state)
{
	struct bench b;

	(void)state;
	bench_make(&b, false);
	bench_run(&b, 6);
	assert_true(b.waits <= 2);	/* the first; one for a noisy machine */
	bench_end(&b);
}

static void test_sampler_backs_off_from_what_is_absent(void **state)
{
	struct bench b;

	(void)state;
	bench_make(&b, false);
	bench_run(&b, 16);
	assert_in_range(b.failing_reads, 2, 6);
	assert_int_equal(b.state[2], SOURCE_ABSENT);
	assert_string_equal(b.reason[2], "the reason");
	bench_end(&b);
}

static void test_sampler_never_asks_again_what_is_unsupported(void **state)
{
	struct bench b;

	(void)state;
	bench_make(&b, false);
	b.failing_error = -EOPNOTSUPP;
	bench_run(&b, 8);
	assert_int_equal(b.failing_reads, 1);
	assert_int_equal(b.state[2], SOURCE_UNSUPPORTED);
	bench_end(&b);
}

static void test_sampler_reload_changes_the_interval(void **state)
{
	struct bench b;
	struct mono before;

	(void)state;
	bench_make(&b, false);
	bench_run(&b, 2);
	sampler_reload(b.sampler, 2 * INTERVAL_NS);
	bench_run(&b, 4);	/* the first may have been due before */
	before = b.last_due;
	bench_run(&b, 8);	/* a late one takes off less than a tick */
	assert_true(mono_diff_ns(b.last_due, before) > 5 * INTERVAL_NS);
	bench_end(&b);
}

/* Deadlines are absolute: within two of its periods and a bit it is read three
 * times, but at most twice where a period is eight times as long.
 */
static void test_c15_sampler_slows_only_what_is_slow(void **state)
{
	struct mono end = { clock_mono_now().ns + 2400 * NS_PER_MS };
	struct bench b;

	(void)state;
	bench_make(&b, false);
	sampler_slow(b.sampler, 3);
	while (mono_diff_ns(end, clock_mono_now()) > 0)
		assert_int_equal(loop_once(b.loop, NS_PER_S), 0);
	bench_end(&b);
	assert_in_range(b.slow_reads, 1, 2);
	assert_true(b.quick_reads > 10);
}

/* Its period was minutes when it was read: now it is due within the new one. */
static void test_c14_sampler_waits_for_no_period_of_before(void **state)
{
	struct mono end;
	struct bench b;

	(void)state;
	bench_make(&b, false);
	sampler_slow(b.sampler, 10);
	bench_run(&b, 2);
	assert_int_equal(b.slow_reads, 1);
	sampler_slow(b.sampler, 0);
	end.ns = clock_mono_now().ns + 10 * NS_PER_S;
	while (b.slow_reads < 2 && mono_diff_ns(end, clock_mono_now()) > 0)
		assert_int_equal(loop_once(b.loop, NS_PER_S), 0);
	assert_int_equal(b.slow_reads, 2);
	bench_end(&b);
}

/* All at once at the start; then each in a tick of its own (two may meet where
 * the machine stood still), and as often as it asks for.
 */
static void test_sampler_spreads_sources_of_one_period(void **state)
{
	unsigned last = 0, met = 0;
	struct bench b;

	(void)state;
	bench_make_of(&b, &minute_driver, false);
	bench_run(&b, 1);
	for (unsigned i = 0; i < MINUTES; i++)
		assert_int_equal(b.minute_reads[i], 1);
	bench_run(&b, 62);
	bench_end(&b);
	for (unsigned i = 0; i < MINUTES; i++) {
		assert_in_range(b.minute_reads[i], 2, 3);
		for (unsigned k = 0; k < i; k++)
			met += b.minute_tick[i][1] == b.minute_tick[k][1];
		last = b.minute_tick[i][1] > last ? b.minute_tick[i][1] : last;
	}
	assert_true(met <= 1);	/* of 15 pairs */
	assert_true(last >= 20);
}

/* The first source's own time, a multiple of its period, is not near: it would
 * be asked then, before its failures have it asked.
 */
static void own_time_is_far(void)
{
	int64_t period_ns = minutes[0]->period_ms * NS_PER_MS;

	while (clock_mono_now().ns % period_ns > period_ns / 2)
		assert_true(usleep(5000) == 0);
}

/* Three failures: after a tick, two and four more, not a minute each. */
static void test_sampler_asks_soon_again_what_failed(void **state)
{
	struct mono began;
	struct bench b;

	(void)state;
	own_time_is_far();
	began = clock_mono_now();
	bench_make_of(&b, &minute_driver, false);
	b.minute_failures = 3;
	b.minute_error = -ENODATA;
	bench_run(&b, 12);
	assert_int_equal(b.minute_reads[0], 4);
	assert_in_range(b.minute_tick[0][1], 1, 2);
	/* By time: ticks that the machine slept through are not counted; and
	 * from the beginning, for the first read may come late, none early.
	 */
	assert_true(mono_diff_ns(b.minute_at[0][3], began) > 5 * INTERVAL_NS);
	assert_in_range(b.minute_tick[0][3], 3, 10);
	assert_int_equal(b.state[0], SOURCE_FRESH);
	bench_end(&b);
}

/* One that never recovers: more seldom, up to its period. */
static void test_sampler_asks_what_keeps_failing_no_more_often(void **state)
{
	struct bench b;

	(void)state;
	bench_make_of(&b, &minute_driver, false);
	b.minute_failures = READS_MAX;
	b.minute_error = -ENODATA;
	bench_run(&b, 70);
	assert_in_range(b.minute_reads[0], 6, 10);
	bench_end(&b);
}

static void test_sampler_asks_soon_again_what_ended_as_failed(void **state)
{
	struct bench b;

	(void)state;
	bench_make_of(&b, &minute_driver, false);
	b.minute_failures = 1;
	bench_run(&b, 2);
	assert_int_equal(b.minute_reads[0], 1);
	sampler_ended(b.sampler, 0, true);
	bench_run(&b, 5);
	assert_in_range(b.minute_reads[0], 2, 3);
	assert_int_equal(b.state[0], SOURCE_FRESH);
	bench_end(&b);
}

/* A driver may read it by itself once its server is back: then it need not
 * wait until its failures would have it read.
 */
static void test_sampler_reads_what_recovered_by_itself(void **state)
{
	struct bench b;
	unsigned reads;

	(void)state;
	bench_make(&b, false);
	bench_run(&b, 12);
	reads = b.failing_reads;
	while (b.failing_reads == reads)	/* the next is 8 ticks away */
		bench_run(&b, b.ticks + 1);
	b.failing_error = 0;
	sampler_ended(b.sampler, 2, false);
	bench_run(&b, b.ticks + 5);
	assert_true(b.failing_reads >= reads + 4);
	bench_end(&b);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sampler_reads_each_side_its_own_sources),
		cmocka_unit_test(
			test_sampler_never_asks_again_while_a_read_is_busy),
		cmocka_unit_test(test_sampler_waits_for_a_busy_read_only_once),
		cmocka_unit_test(test_sampler_backs_off_from_what_is_absent),
		cmocka_unit_test(
			test_sampler_never_asks_again_what_is_unsupported),
		cmocka_unit_test(test_sampler_reload_changes_the_interval),
		cmocka_unit_test(test_c15_sampler_slows_only_what_is_slow),
		cmocka_unit_test(
			test_c14_sampler_waits_for_no_period_of_before),
		cmocka_unit_test(test_sampler_spreads_sources_of_one_period),
		cmocka_unit_test(test_sampler_asks_soon_again_what_failed),
		cmocka_unit_test(
			test_sampler_asks_what_keeps_failing_no_more_often),
		cmocka_unit_test(
			test_sampler_asks_soon_again_what_ended_as_failed),
		cmocka_unit_test(
			test_sampler_reads_what_recovered_by_itself),
	};

	return cmocka_run_group_tests_name("sampler", tests, NULL, NULL);
}
