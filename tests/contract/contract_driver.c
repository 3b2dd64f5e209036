/* C7: the suite that every platform driver passes.
 *
 *   contract_driver DRIVER [root=DIR] [oldest=SECONDS] [slow=FACTOR]
 *                   [key=value …]
 *
 * root is what the driver gets for "/"; key=value are options of its section;
 * oldest: how much older than its opening a group's values may be (a switch's
 * dump played back is as old as the dump); slow: for valgrind. Run it
 * under valgrind or with
 * SANITIZE=1 to see what close() leaves behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/contract/contract_run.h"

#define CYCLES 3

static const struct recording_limits core = { .blocking = false };
static const struct recording_limits reader = { .blocking = true };
static const struct recording_limits *const both[] = { &core, &reader };

static const struct platform_driver *driver_of(void **state)
{
	const struct contract_setup *setup = *state;

	return setup->driver;
}

/* Fails with all that the driver broke. */
static void no_faults(const struct contract_run *run)
{
	const char *text;

	for (size_t i = 0; (text = recording_host_fault(run->record, i)); i++)
		print_error("%s: %s\n", run->setup->driver->name, text);
	assert_int_equal(recording_host_faults(run->record), 0);
}

static void open_good(struct contract_run *run,
		      const struct contract_setup *setup,
		      const struct recording_limits *limits)
{
	contract_run_open(run, setup, limits);
	if (run->open_result < 0)
		fail_msg("open: %d: %s", run->open_result, run->diag.text);
}

static bool is_name(const char *name)
{
	size_t len = name ? strnlen(name, SOURCE_NAME_MAX) : 0;

	for (size_t i = 0; i < len; i++)
		if (!islower((unsigned char)name[i]) &&
		    !isdigit((unsigned char)name[i]) && name[i] != '_')
			return false;
	return len > 0 && len < SOURCE_NAME_MAX;
}

static void test_c07_driver_begins_with_abi_and_size(void **state)
{
	const struct platform_driver *d = driver_of(state);

	assert_int_equal(offsetof(struct platform_driver, abi), 0);
	assert_int_equal(offsetof(struct platform_driver, size), 4);
	assert_int_equal(d->abi, PLATFORM_ABI);
	assert_int_equal(d->size, sizeof(*d));
	assert_true(is_name(d->name));
	assert_non_null(d->probe);
	assert_non_null(d->open);
	assert_non_null(d->close);
	/* Who has a descriptor or a deadline wants to be called for it. */
	if (d->event_fd || d->deadline)
		assert_non_null(d->event);
}

static void test_c07_sources_are_well_formed(void **state)
{
	const struct platform_source *const *s = driver_of(state)->sources;
	unsigned n = 0;

	assert_non_null(s);
	for (; s[n]; n++) {
		assert_true(n < PLATFORM_SOURCES_MAX);
		assert_int_equal(s[n]->abi, PLATFORM_ABI);
		assert_int_equal(s[n]->size, sizeof(*s[n]));
		assert_true(is_name(s[n]->name));
		assert_true(s[n]->help && s[n]->help[0]);
		/* Rights are the reader's; the core has none to give. */
		if (s[n]->rights)
			assert_true(s[n]->blocks);
		if (s[n]->period_ms > 0)
			assert_non_null(s[n]->read);
		for (unsigned i = 0; i < n; i++)
			assert_string_not_equal(s[i]->name, s[n]->name);
	}
	assert_true(n > 0);
}

static void test_c07_probe_needs_no_host(void **state)
{
	const struct contract_setup *setup = *state;
	struct contract_run run;

	open_good(&run, setup, &core);
	run.env.host = NULL;
	assert_true(setup->driver->probe(&run.env, &run.diag) >= 1);
	assert_true(setup->driver->probe(&run.env, NULL) >= 1);
	contract_run_close(&run);
}

static unsigned descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	(void)closedir(dir);
	return n;
}

static void test_c07_close_gives_back_every_descriptor(void **state)
{
	struct contract_run run;

	for (size_t i = 0; i < 2; i++) {
		unsigned before = descriptors();

		open_good(&run, *state, both[i]);
		(void)contract_run_inventory(&run);
		contract_run_cycle(&run);
		contract_run_close(&run);
		assert_int_equal(descriptors(), before);
	}
}

static void test_c07_close_takes_an_instance_never_used(void **state)
{
	struct contract_run run;

	for (size_t i = 0; i < 2; i++) {
		unsigned before = descriptors();

		open_good(&run, *state, both[i]);
		contract_run_close(&run);
		assert_int_equal(descriptors(), before);
	}
}

static void test_c07_close_takes_an_instance_that_waits(void **state)
{
	const struct platform_source *const *s = driver_of(state)->sources;
	struct contract_run run;

	open_good(&run, *state, &core);
	for (unsigned i = 0; s[i]; i++)
		if (!s[i]->blocks && s[i]->read)
			(void)contract_run_read(&run, i);
	no_faults(&run);
	contract_run_close(&run);
}

static void keys_compare(const struct entity_key *a, const struct entity_key *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->parent, b->parent);
	assert_int_equal(a->number, b->number);
	assert_string_equal(a->name, b->name);
}

/* Entities must come in the same order with the same keys. */
static void entities_compare(const struct contract_run *a,
			     const struct contract_run *b)
{
	const struct recorded_entity *x, *y;
	uint32_t i = 0;

	do {
		i++;
		x = recording_host_entity(a->record, i);
		y = recording_host_entity(b->record, i);
		assert_true((x == NULL) == (y == NULL));
		if (x)
			keys_compare(&x->key, &y->key);
	} while (x && i < UINT16_MAX);
}

static void test_c07_inventory_is_the_same_each_time(void **state)
{
	struct contract_run one, other;

	for (size_t i = 0; i < 2; i++) {
		int rc_one, rc_other;

		open_good(&one, *state, both[i]);
		rc_one = contract_run_inventory(&one);
		no_faults(&one);
		open_good(&other, *state, both[i]);
		rc_other = contract_run_inventory(&other);
		assert_int_equal(rc_one, rc_other);
		if (rc_one == 0)
			entities_compare(&one, &other);
		contract_run_close(&other);
		contract_run_close(&one);
	}
}

/* The promises about each call are checked by the recording host. */
static void test_c07_reads_keep_their_promises(void **state)
{
	struct contract_run run;

	for (size_t i = 0; i < 2; i++) {
		open_good(&run, *state, both[i]);
		(void)contract_run_inventory(&run);
		for (int n = 0; n < CYCLES; n++)
			contract_run_cycle(&run);
		no_faults(&run);
		contract_run_close(&run);
	}
}

static void test_c07_core_hears_of_an_entity_and_its_values(void **state)
{
	const struct platform_source *const *s = driver_of(state)->sources;
	bool has_core = false;
	struct contract_run run;

	for (unsigned i = 0; s[i]; i++)
		has_core = has_core || !s[i]->blocks;
	if (!has_core) {
		print_message("SKIP: no source of this driver is the "
			      "core's\n");
		skip();
	}
	open_good(&run, *state, &core);
	(void)contract_run_inventory(&run);
	contract_run_cycle(&run);
	assert_non_null(recording_host_entity(run.record, 1));
	assert_true(recording_host_samples(run.record) > 0);
	contract_run_close(&run);
}

/* A living entity is made known under its key once more: same handle. */
static void test_c07_same_key_keeps_its_handle(void **state)
{
	const struct recorded_entity *e;
	uint32_t after_one = 0, after_all = 0;
	struct contract_run run;

	open_good(&run, *state, &core);
	(void)contract_run_inventory(&run);
	contract_run_cycle(&run);
	while (recording_host_entity(run.record, after_one + 1))
		after_one++;
	for (int n = 0; n < CYCLES; n++)
		contract_run_cycle(&run);
	while ((e = recording_host_entity(run.record, after_all + 1)) != NULL)
		after_all++;
	/* Nothing was swapped meanwhile, so nothing new came. */
	assert_int_equal(after_one, after_all);
	no_faults(&run);
	contract_run_close(&run);
}

static void test_c07_host_without_room_is_no_disaster(void **state)
{
	static const uint32_t rooms[] = { 1, 2, 5 };
	struct recording_limits limits;
	struct contract_run run;

	for (size_t i = 0; i < 2 * sizeof(rooms) / sizeof(rooms[0]); i++) {
		limits = *both[i % 2];
		limits.entities = rooms[i / 2];
		open_good(&run, *state, &limits);
		(void)contract_run_inventory(&run);
		contract_run_cycle(&run);
		contract_run_cycle(&run);
		no_faults(&run);
		contract_run_close(&run);
	}
}

static void test_c07_event_without_cause_does_nothing(void **state)
{
	const struct platform_driver *d = driver_of(state);
	struct contract_run run;

	if (!d->event) {
		print_message("SKIP: this driver has no events\n");
		skip();
	}
	for (size_t i = 0; i < 2; i++) {
		open_good(&run, *state, both[i]);
		d->event(run.instance, clock_mono_now());
		(void)contract_run_inventory(&run);
		d->event(run.instance, clock_mono_now());
		contract_run_cycle(&run);
		d->event(run.instance, clock_mono_now());
		no_faults(&run);
		contract_run_close(&run);
	}
}

/* What is missing below root is absent now, or a failed open with a reason. */
static void open_below(const char *root, const struct contract_setup *setup)
{
	struct contract_setup elsewhere = *setup;
	struct contract_run run;

	elsewhere.root = root;
	for (size_t i = 0; i < 2; i++) {
		contract_run_open(&run, &elsewhere, both[i]);
		if (run.open_result < 0)
			assert_true(run.diag.text[0] != '\0');
		if (run.instance) {
			(void)contract_run_inventory(&run);
			contract_run_cycle(&run);
		}
		no_faults(&run);
		contract_run_close(&run);
	}
}

static void test_c07_empty_root_is_told_clearly(void **state)
{
	char dir[] = "/tmp/petrel-contract-XXXXXX";

	assert_non_null(mkdtemp(dir));
	open_below(dir, *state);
	assert_int_equal(rmdir(dir), 0);
}

static void test_c07_unset_options_are_told_clearly(void **state)
{
	struct contract_setup bare = *(const struct contract_setup *)*state;
	struct contract_run run;

	bare.option_count = 0;
	for (size_t i = 0; i < 2; i++) {
		contract_run_open(&run, &bare, both[i]);
		if (run.open_result < 0)
			assert_true(run.diag.text[0] != '\0');
		if (run.instance)
			contract_run_cycle(&run);
		no_faults(&run);
		contract_run_close(&run);
	}
}

int main(int argc, char **argv)
{
	struct contract_setup setup;
	struct diag d = { "" };

	if (contract_setup_parse(argc, argv, &setup, &d) < 0) {
		(void)fprintf(stderr, "contract_driver: %s\n", d.text);
		return 64;
	}
#define T(name) cmocka_unit_test_prestate(test_c07_##name, &setup)
	const struct CMUnitTest tests[] = {
		T(driver_begins_with_abi_and_size),
		T(sources_are_well_formed),
		T(probe_needs_no_host),
		T(close_gives_back_every_descriptor),
		T(close_takes_an_instance_never_used),
		T(close_takes_an_instance_that_waits),
		T(inventory_is_the_same_each_time),
		T(reads_keep_their_promises),
		T(core_hears_of_an_entity_and_its_values),
		T(same_key_keeps_its_handle),
		T(host_without_room_is_no_disaster),
		T(event_without_cause_does_nothing),
		T(empty_root_is_told_clearly),
		T(unset_options_are_told_clearly),
	};
#undef T
	return cmocka_run_group_tests_name(setup.driver->name, tests, NULL,
					   NULL);
}
