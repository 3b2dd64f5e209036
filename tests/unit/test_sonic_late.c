/* The driver is there before what it reads: played time, and a Redis of the
 * test's own that is empty at first. Only counters are asked again meanwhile,
 * as the sampler lets be what has nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "platform/driver.h"
#include "platform/sonic/meaning/table.h"
#include "tests/support/deaf_host.h"
#include "tests/support/odd_redis.h"

#define LONG_S 40

struct bed {
	char root[32];
	int root_fd;
	struct odd_redis redis;
	struct platform_host host;
	void *driver;
	struct mono now;
	uint32_t handles;
	unsigned samples[3];		/* of late[] */
	enum source_state state[SONIC_SOURCE_COUNT];
};

static const char *const folders[] = { "/var", "/var/run", "/var/run/redis" };

static const enum quantity late[] = { Q_QUEUE_DROPPED_FRAMES,
				      Q_PG_DROPPED_FRAMES,
				      Q_IN_DROPPED_FRAMES };

static void on_sample(void *context, enum quantity quantity, unsigned index,
		      int64_t value, enum sample_quality quality)
{
	struct bed *b = context;

	(void)index;
	(void)value;
	(void)quality;
	for (size_t i = 0; i < 3; i++)
		b->samples[i] += quantity == late[i];
}

static int on_entity(void *context, const struct entity_key *key, uint32_t *ret)
{
	struct bed *b = context;

	(void)key;
	*ret = b->handles++;
	return 0;
}

static void on_source(void *context, unsigned source, enum source_state state,
		      int64_t interval_ns, const char *reason)
{
	struct bed *b = context;

	(void)interval_ns;
	(void)reason;
	b->state[source] = state;
}

static const char *no_option(void *context, const char *key)
{
	(void)context;
	(void)key;
	return NULL;
}

static void served(struct bed *b)
{
	do
		sonic_driver.event(b->driver, b->now);
	while (odd_redis_serve(&b->redis));
	sonic_driver.event(b->driver, b->now);
}

static void asked(struct bed *b, enum sonic_source source)
{
	struct diag why = { "" };
	int rc = sonic_driver.sources[source]->read(b->driver, b->now, &why);

	if (rc == -ENODATA)
		b->state[source] = SOURCE_ABSENT;
	served(b);
}

static void second(struct bed *b)
{
	b->now.ns += NS_PER_S;
	asked(b, SONIC_COUNTERS);
}

static void bed_init(struct bed *b)
{
	struct platform_env env = { .abi = PLATFORM_ABI, .size = sizeof(env),
				    .option = no_option };
	char path[96];

	memset(b, 0, sizeof(*b));
	(void)strcpy(b->root, "/tmp/petrel-test-XXXXXX");
	assert_non_null(mkdtemp(b->root));
	for (size_t i = 0; i < 3; i++) {
		(void)snprintf(path, sizeof(path), "%s%s", b->root, folders[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	(void)snprintf(path, sizeof(path), "%s/var/run/redis/redis.sock",
		       b->root);
	odd_redis_init(&b->redis, path);
	b->handles = ENTITY_NONE + 1;
	b->root_fd = open(b->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	b->host = deaf_host(b);
	b->host.entity = on_entity;
	b->host.sample = on_sample;
	b->host.source = on_source;
	b->now.ns = 1000 * NS_PER_S;
	env.root_fd = b->root_fd;
	env.host = &b->host;
	assert_int_equal(sonic_driver.open(&env, &b->driver, NULL), 0);
}

static void bed_fini(struct bed *b)
{
	char path[96];

	sonic_driver.close(b->driver);
	odd_redis_fini(&b->redis);
	(void)close(b->root_fd);
	(void)snprintf(path, sizeof(path), "%s/var/run/redis/redis.sock",
		       b->root);
	(void)unlink(path);
	for (size_t i = 3; i-- > 0;) {
		(void)snprintf(path, sizeof(path), "%s%s", b->root, folders[i]);
		(void)rmdir(path);
	}
	(void)rmdir(b->root);
}

/* Those that have rows in the switch of odd_switch.c. */
static const enum sonic_source with_rows[] = {
	SONIC_COUNTERS, SONIC_QUEUES, SONIC_WATERMARKS, SONIC_PORTS,
	SONIC_TRANSCEIVERS, SONIC_DOM, SONIC_THRESHOLDS, SONIC_STATUS,
	SONIC_RATES, SONIC_VDM, SONIC_SENSORS, SONIC_SETTINGS,
};

#define WITH_ROWS (sizeof(with_rows) / sizeof(with_rows[0]))

static void test_sonic_sources_look_again_when_their_names_come(void **state)
{
	struct bed b;

	(void)state;
	bed_init(&b);
	b.redis.empty = true;
	for (size_t i = 0; i < WITH_ROWS; i++)
		asked(&b, with_rows[i]);
	for (unsigned i = 0; i < LONG_S; i++)
		second(&b);
	for (size_t i = 0; i < WITH_ROWS; i++)
		assert_int_equal(b.state[with_rows[i]], SOURCE_ABSENT);
	b.redis.empty = false;
	second(&b);
	second(&b);
	for (size_t i = 0; i < WITH_ROWS; i++)
		assert_int_equal(b.state[with_rows[i]], SOURCE_FRESH);
	bed_fini(&b);
}

static void test_sonic_a_map_that_comes_later_is_seen(void **state)
{
	struct bed b;
	uint32_t before;

	(void)state;
	bed_init(&b);
	b.redis.without = "COUNTERS_QUEUE_NAME_MAP";
	asked(&b, SONIC_COUNTERS);
	for (unsigned i = 0; i < LONG_S; i++)
		second(&b);
	assert_int_equal(b.state[SONIC_COUNTERS], SOURCE_FRESH);
	before = b.handles;
	b.redis.without = NULL;
	second(&b);
	second(&b);
	assert_true(b.handles > before);	/* the two queues */
	bed_fini(&b);
}

/* Their tables may have no row, but their server must be there. */
static void test_sonic_optional_tables_of_a_dead_server_are_absent(void **state)
{
	static const enum sonic_source optional[] = {
		SONIC_SENSORS, SONIC_VDM, SONIC_NEIGHBORS, SONIC_GEARBOX,
		SONIC_CHASSIS,
	};
	struct diag why = { "" };
	char path[96];
	struct bed b;

	(void)state;
	bed_init(&b);
	for (size_t i = 0; i < 5; i++) {
		asked(&b, optional[i]);
		assert_int_equal(b.state[optional[i]], SOURCE_FRESH);
	}
	(void)snprintf(path, sizeof(path), "%s/var/run/redis/redis.sock",
		       b.root);
	odd_redis_fini(&b.redis);
	(void)unlink(path);
	sonic_driver.event(b.driver, b.now);
	b.now.ns += 10 * NS_PER_S;
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(sonic_driver.sources[optional[i]]->read(
			b.driver, b.now, &why), -ENODATA);
	odd_redis_init(&b.redis, path);
	bed_fini(&b);
}

#define SPACING 3	/* intervals, that syncd needs */

/* Nothing says when syncd wrote. Rows that it has not written again are no
 * readings, unless they stay so for long: then nothing is dropped.
 */
static void test_sonic_late_rows_of_queues_are_read_once(void **state)
{
	unsigned of_entity[] = { 1, 2, 2 };	/* as odd_switch.c has them */
	char count[16];
	struct bed b;

	(void)state;
	bed_init(&b);
	b.redis.counted = count;
	for (unsigned i = 0; i < 10 * SPACING; i++) {
		(void)snprintf(count, sizeof(count), "%u", 1000 + i / SPACING);
		if (i == 4 * SPACING)
			memset(b.samples, 0, sizeof(b.samples));
		second(&b);
		asked(&b, SONIC_QUEUES);
	}
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(b.samples[i], 6 * of_entity[i]);
	memset(b.samples, 0, sizeof(b.samples));
	for (unsigned i = 0; i < 4 * SPACING; i++) {
		second(&b);
		asked(&b, SONIC_QUEUES);
	}
	for (size_t i = 0; i < 3; i++)
		assert_in_range(b.samples[i], of_entity[i],
				3 * SPACING * of_entity[i]);
	bed_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_sonic_sources_look_again_when_their_names_come),
		cmocka_unit_test(test_sonic_a_map_that_comes_later_is_seen),
		cmocka_unit_test(
			test_sonic_optional_tables_of_a_dead_server_are_absent),
		cmocka_unit_test(
			test_sonic_late_rows_of_queues_are_read_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
