/* Who is read when, and how long the buses may be busy: the pool with the test
 * for its fetchers, so that a reading takes as long as the test says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "petrel/plant.h"
#include "platform/bus/fetch_pool.h"
#include "platform/sim/eeprom.h"
#include "tests/support/deaf_host.h"

#define CAGES 16u
#define BUDGET_NS (500 * NS_PER_MS)
#define EVENTS 200		/* enough to end all that is under way */

/* --- the fetchers that pool.c is linked with ------------------------------ */

struct fetcher {
	int fd;
	bool busy;
	struct fetch_question question;
};

static struct {
	struct eeprom eeprom;
	int64_t bus_ns[CAGES];		/* that one answer takes */
	unsigned asked[CAGES];		/* questions */
} world;

int fetcher_new(const struct bus_env *env, struct fetcher **ret)
{
	struct fetcher *f = calloc(1, sizeof(*f));

	(void)env;
	assert_non_null(f);
	f->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	*ret = f;
	return 0;
}

int fetcher_free(struct fetcher *f)
{
	if (f)
		(void)close(f->fd);
	free(f);
	return 0;
}

int fetcher_fd(const struct fetcher *f)
{
	return f->fd;
}

int fetcher_ask(struct fetcher *f, const struct fetch_question *q)
{
	assert_false(f->busy);
	f->busy = true;
	f->question = *q;
	world.asked[q->cage]++;
	return 0;
}

int fetcher_take(struct fetcher *f, struct fetch_answer *ret)
{
	if (!f->busy)
		return -EAGAIN;
	f->busy = false;
	*ret = (struct fetch_answer){
		.cage = f->question.cage, .done = f->question.count,
		.bus_ns = world.bus_ns[f->question.cage] };
	for (unsigned i = 0; i < f->question.count; i++) {
		const struct module_read *r = &f->question.read[i];

		(void)eeprom_read(&world.eeprom, r->bank,
				  r->page, r->offset, ret->octets[i], r->len);
	}
	return 0;
}

struct bed {
	struct platform_host host;
	struct bus_env env;
	struct map_cage place[CAGES];
	struct module_cage cage[CAGES];
	struct fetch_pool *pool;
	struct mono now;
};

static void plant_write(void)
{
	static const char text[] = "switch ports=1 speed=400G lanes=4\n";
	struct plant *p = NULL;

	assert_int_equal(plant_open(text, sizeof(text) - 1, "t", &p, NULL), 0);
	assert_true(eeprom_write_plant(p, 0, &world.eeprom));
	plant_close(p);
}

/* Serves all that is under way, and what follows from it. */
static void events(struct bed *b)
{
	for (int i = 0; i < EVENTS; i++)
		fetch_pool_event(b->pool, b->now);
}

/* One tick: monitors of all modules. Returns how many were asked. */
static unsigned tick(struct bed *b)
{
	unsigned n = 0;

	memset(world.asked, 0, sizeof(world.asked));
	b->now.ns += NS_PER_S;
	fetch_pool_round(b->pool, b->now);
	for (unsigned i = 0; i < CAGES; i++)
		b->cage[i].due |= MODULE_MONITORS;
	events(b);
	for (unsigned i = 0; i < CAGES; i++)
		n += world.asked[i] > 0;
	return n;
}

static int set_up(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	memset(&world, 0, sizeof(world));
	plant_write();
	b->host = deaf_host(NULL);
	for (unsigned i = 0; i < CAGES; i++) {
		b->place[i].number = i;
		cage_begin(&b->cage[i], &b->place[i], &b->host);
	}
	assert_int_equal(fetch_pool_new(&b->env, b->cage, CAGES, BUDGET_NS,
				  &b->pool), 0);
	b->now.ns = NS_PER_S;
	/* Identity and what else is read once costs nothing here. */
	fetch_pool_round(b->pool, b->now);
	events(b);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *b = *state;

	fetch_pool_free(b->pool);
	free(b);
	return 0;
}

static void bus_times(int64_t ns)
{
	for (unsigned i = 0; i < CAGES; i++)
		world.bus_ns[i] = ns;
}

static void test_pool_reads_all_while_the_budget_lasts(void **state)
{
	struct bed *b = *state;

	bus_times(10 * NS_PER_MS);
	assert_int_equal(tick(b), CAGES);
	assert_int_equal(fetch_pool_cost(b->pool).bus_ns,
			 CAGES * 10 * NS_PER_MS);
}

static void test_pool_cages_beyond_the_budget_come_first_the_next_time(
	void **state)
{
	struct bed *b = *state;
	bool was_read[CAGES];
	unsigned first;

	bus_times(60 * NS_PER_MS);
	first = tick(b);
	/* Two are under way when the ninth has used it up. */
	assert_in_range(first, 8, 10);
	for (unsigned i = 0; i < CAGES; i++)
		was_read[i] = world.asked[i] > 0;
	(void)tick(b);
	assert_int_equal(fetch_pool_cost(b->pool).waiting, CAGES - first);
	for (unsigned i = 0; i < CAGES; i++)
		assert_true(was_read[i] || world.asked[i] > 0);
}

static void test_pool_slow_module_takes_no_more_than_its_share(void **state)
{
	struct bed *b = *state;
	unsigned slow = 0;

	bus_times(10 * NS_PER_MS);
	world.bus_ns[3] = 400 * NS_PER_MS;
	for (int i = 0; i < 12; i++) {
		unsigned n = tick(b);

		slow += world.asked[3] > 0;
		/* It does not use up what the others have. */
		assert_true(n >= CAGES - 1);
	}
	assert_in_range(slow, 3, 4);
}

static void test_pool_asks_for_what_is_due_and_no_more(void **state)
{
	struct bed *b = *state;

	memset(world.asked, 0, sizeof(world.asked));
	fetch_pool_round(b->pool, b->now);
	events(b);
	for (unsigned i = 0; i < CAGES; i++)
		assert_int_equal(world.asked[i], 0);
	assert_true(fetch_pool_deadline(b->pool).ns == INT64_MAX);
}

#define BED(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BED(test_pool_reads_all_while_the_budget_lasts),
		BED(test_pool_cages_beyond_the_budget_come_first_the_next_time),
		BED(test_pool_slow_module_takes_no_more_than_its_share),
		BED(test_pool_asks_for_what_is_due_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
