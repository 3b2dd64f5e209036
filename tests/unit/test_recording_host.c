/* The checker is checked: each broken promise is told, and a driver that keeps
 * them all is not accused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "petrel/link.h"
#include "tests/support/recording_host.h"

static const struct platform_source core_source = { .name = "core" };
static const struct platform_source reader_source = { .name = "reader",
						      .blocks = true };
static const struct platform_source *const sources[] = {
	&core_source, &reader_source, NULL,
};
static const struct platform_driver driver = { .sources = sources };

struct bed {
	struct recording_host *record;
	const struct platform_host *host;
	uint32_t port;
};

static int set_up(void **state)
{
	const struct recording_limits limits = { .entities = 4 };
	const struct entity_key key = { .kind = ENTITY_PORT,
					.name = "Ethernet0" };
	struct bed *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	assert_int_equal(recording_host_new(&driver, &limits, &b->record), 0);
	b->host = recording_host_get(b->record);
	assert_int_equal(b->host->entity(b->host->context, &key, &b->port), 0);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *b = *state;

	recording_host_free(b->record);
	free(b);
	return 0;
}

static struct read_group fresh(void)
{
	return (struct read_group){ .taken = clock_mono_now() };
}

static void group(struct bed *b, unsigned source, struct read_group age)
{
	b->host->group(b->host->context, source, b->port, &age);
}

static void sample(struct bed *b, enum quantity q, int64_t value)
{
	b->host->sample(b->host->context, q, 0, value, QUALITY_GOOD);
}

/* Exactly so many faults, the last of which says this. */
static void faults(const struct bed *b, uint64_t count, const char *says)
{
	const char *text = NULL;

	assert_int_equal(recording_host_faults(b->record), count);
	for (size_t i = 0; recording_host_fault(b->record, i); i++)
		text = recording_host_fault(b->record, i);
	if (!says)
		return;
	assert_non_null(text);
	if (!strstr(text, says))
		fail_msg("'%s' does not say '%s'", text, says);
}

static void test_recording_host_accuses_no_good_driver(void **state)
{
	struct bed *b = *state;

	group(b, 0, fresh());
	sample(b, Q_OPER_STATUS, OPER_UP);
	sample(b, Q_IF_IN_OCTETS, -2);	/* a counter near its wrap */
	b->host->event(b->host->context, b->port, EVENT_LINK_UP, 1,
		       clock_mono_now(), NULL);
	b->host->source(b->host->context, 0, SOURCE_FRESH, 0, NULL);
	b->host->gone(b->host->context, b->port);
	faults(b, 0, NULL);
	assert_int_equal(recording_host_samples(b->record), 2);
}

static void test_recording_host_wants_an_open_group(void **state)
{
	struct bed *b = *state;

	sample(b, Q_OPER_STATUS, OPER_UP);
	faults(b, 1, "without an open group");
}

static void test_recording_host_wants_times_that_can_be(void **state)
{
	struct bed *b = *state;
	struct read_group age = fresh();

	age.taken.ns += NS_PER_S;
	group(b, 0, age);
	faults(b, 1, "in the future");
	age.taken.ns -= 3 * NS_PER_S;
	group(b, 0, age);
	faults(b, 2, "before what is credible");
	age.uncertainty_ns = 3 * NS_PER_S;	/* it says so itself */
	group(b, 0, age);
	faults(b, 2, NULL);
	age.uncertainty_ns = -1;
	group(b, 0, age);
	faults(b, 3, "negative");
}

static void test_recording_host_wants_time_to_go_on(void **state)
{
	struct bed *b = *state;
	struct read_group age = fresh();

	age.uncertainty_ns = NS_PER_S;
	group(b, 0, age);
	sample(b, Q_OPER_STATUS, OPER_UP);
	age.taken.ns -= 1;
	group(b, 0, age);
	sample(b, Q_OPER_STATUS, OPER_UP);
	faults(b, 1, "back in time");
}

static void test_recording_host_wants_each_value_once(void **state)
{
	struct bed *b = *state;

	group(b, 0, fresh());
	sample(b, Q_OPER_STATUS, OPER_UP);
	sample(b, Q_OPER_STATUS, OPER_UP);
	faults(b, 1, "twice in one group");
}

static void test_recording_host_wants_values_of_the_table(void **state)
{
	struct bed *b = *state;

	group(b, 0, fresh());
	sample(b, (enum quantity)0x7abc, 1);
	faults(b, 1, "is not known");
	sample(b, Q_SENSOR_TEMP_MC, 1);
	faults(b, 2, "another kind of entity");
	sample(b, Q_IF_IN_OCTETS, -1);
	faults(b, 3, "absent");
	sample(b, Q_ADMIN_STATUS, 2);
	faults(b, 4, "neither 0 nor 1");
	sample(b, Q_OPER_STATUS, 99);
	faults(b, 5, "enumeration");
	b->host->sample(b->host->context, Q_MTU_OCTETS, 0, 1,
			SAMPLE_QUALITY_COUNT);
	faults(b, 6, "quality");
}

static void test_recording_host_wants_a_window_of_a_peak(void **state)
{
	const struct entity_key key = { .kind = ENTITY_POOL, .name = "pool" };
	struct bed *b = *state;

	assert_int_equal(b->host->entity(b->host->context, &key, &b->port), 0);
	group(b, 0, fresh());
	sample(b, Q_POOL_WATERMARK_OCTETS, 1);
	faults(b, 1, "over no window");
}

static void test_recording_host_wants_the_right_process(void **state)
{
	struct bed *b = *state;

	group(b, 1, fresh());
	faults(b, 1, "wrong process");
	b->host->source(b->host->context, 1, SOURCE_FRESH, 0, NULL);
	faults(b, 2, "wrong process");
	group(b, 2, fresh());
	faults(b, 3, "no source");
}

static void test_recording_host_wants_living_handles(void **state)
{
	struct bed *b = *state;
	struct read_group age = fresh();

	b->host->gone(b->host->context, b->port);
	b->host->gone(b->host->context, b->port);
	faults(b, 1, "gone");
	b->host->group(b->host->context, 0, b->port, &age);
	faults(b, 2, "no living handle");
	b->host->attribute(b->host->context, 77, ATTRIBUTE_ALIAS, "x");
	faults(b, 3, "attribute");
	b->host->event(b->host->context, b->port, EVENT_LINK_UP, 1,
		       clock_mono_now(), NULL);
	faults(b, 4, "event");
}

static void test_recording_host_takes_children_with_their_parent(void **state)
{
	struct entity_key key = { .kind = ENTITY_QUEUE, .number = 3 };
	struct bed *b = *state;
	struct read_group age = fresh();
	uint32_t queue;

	key.parent = b->port;
	assert_int_equal(b->host->entity(b->host->context, &key, &queue), 0);
	b->host->gone(b->host->context, b->port);
	b->host->group(b->host->context, 0, queue, &age);
	faults(b, 1, "no living handle");
}

static void test_recording_host_wants_good_keys(void **state)
{
	struct entity_key key = { .kind = ENTITY_PORT, .name = "Eth\n0" };
	struct bed *b = *state;
	uint32_t handle;

	assert_int_equal(b->host->entity(b->host->context, &key, &handle),
			 -EINVAL);
	faults(b, 1, "control characters");
	key = (struct entity_key){ .kind = ENTITY_KIND_COUNT };
	assert_int_equal(b->host->entity(b->host->context, &key, &handle),
			 -EINVAL);
	faults(b, 2, "is none");
	key = (struct entity_key){ .kind = ENTITY_LANE, .parent = 9 };
	assert_int_equal(b->host->entity(b->host->context, &key, &handle),
			 -EINVAL);
	faults(b, 3, "parent");
}

static void test_recording_host_gives_one_key_one_handle(void **state)
{
	struct entity_key key = { .kind = ENTITY_PORT, .name = "Ethernet0" };
	struct bed *b = *state;
	uint32_t handle;

	assert_int_equal(b->host->entity(b->host->context, &key, &handle), 0);
	assert_int_equal(handle, b->port);
	b->host->gone(b->host->context, handle);
	assert_int_equal(b->host->entity(b->host->context, &key, &handle), 0);
	assert_int_not_equal(handle, b->port);
}

static void test_recording_host_refuses_what_has_no_room(void **state)
{
	struct entity_key key = { .kind = ENTITY_PORT };
	struct bed *b = *state;
	uint32_t handle;

	for (key.number = 1; key.number < 4; key.number++)
		assert_int_equal(b->host->entity(b->host->context, &key,
						 &handle), 0);
	assert_int_equal(b->host->entity(b->host->context, &key, &handle),
			 -ENOSPC);
	assert_int_equal(recording_host_refused(b->record), 1);
	faults(b, 0, NULL);
}

static void test_recording_host_wants_reasons(void **state)
{
	struct bed *b = *state;

	b->host->source(b->host->context, 0, SOURCE_ABSENT, 0, NULL);
	faults(b, 1, "without a reason");
	b->host->source(b->host->context, 0, SOURCE_STATE_COUNT, 0, "x");
	faults(b, 2, "out of range");
}

int main(void)
{
#define T(name)								\
	cmocka_unit_test_setup_teardown(test_recording_host_##name, set_up, \
					tear_down)
	const struct CMUnitTest tests[] = {
		T(accuses_no_good_driver),
		T(wants_an_open_group),
		T(wants_times_that_can_be),
		T(wants_time_to_go_on),
		T(wants_each_value_once),
		cmocka_unit_test_setup_teardown(
			test_c04_recording_host_wants_one_value_a_reading,
			set_up, tear_down),
		T(wants_values_of_the_table),
		T(wants_a_window_of_a_peak),
		T(wants_the_right_process),
		T(wants_living_handles),
		T(takes_children_with_their_parent),
		T(wants_good_keys),
		T(gives_one_key_one_handle),
		T(refuses_what_has_no_room),
		T(wants_reasons),
	};
#undef T
	return cmocka_run_group_tests(tests, NULL, NULL);
}
