#include "agent/process/control.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_c18_a_writer_that_died_keeps_no_reader_waiting(void **state)
{
	static struct control c;
	struct control_identity said = { .id = "ABC123", .name = "leaf1" };
	struct control_identity got = { .id = "before" };
	char text[DIAG_MAX];

	(void)state;
	atomic_store(&c.identity.generation, 1);
	atomic_store(&c.publisher.generation, 3);
	c.publisher.state = PUBLISHER_FAILS;
	assert_false(control_identity_get(&c, &got));
	assert_string_equal(got.id, "before");
	assert_false(control_publisher_fault(&c, text));
	control_identity_set(&c, &said);	/* the next writer mends it */
	control_publisher_set(&c.publisher, PUBLISHER_CANNOT, "no library");
	assert_true(control_identity_get(&c, &got));
	assert_string_equal(got.id, "ABC123");
	assert_string_equal(got.name, "leaf1");
	assert_true(control_publisher_fault(&c, text));
	assert_string_equal(text, "no library");
}

static void test_c14_what_is_read_at_the_start_stays(
	void **state)
{
	static struct control c;
	static struct config wanted, is;

	(void)state;
	(void)strcpy(c.config.driver, "auto");
	(void)strcpy(wanted.driver, "sim");
	(void)strcpy(wanted.name, "new");
	control_config_set(&c, &wanted);
	assert_int_equal(control_config(&c, &is), 2);
	assert_string_equal(is.driver, "auto");
	assert_string_equal(is.name, "new");
	control_wanted(&c, &is);
	assert_string_equal(is.driver, "sim");
}

/* Pages of the program that nobody else looks at, nor near them: the kernel
 * brings up to 2 MiB for one.
 */
#define TABLE_OCTETS (16 * 1024 * 1024)
static const char table[TABLE_OCTETS] = { 1, [TABLE_OCTETS / 2] = 7 };

/* proc(5), pagemap: bit 63 is set where the page is held. */
static bool is_held(const void *at)
{
	uint64_t page = (uintptr_t)at / (uintptr_t)sysconf(_SC_PAGESIZE);
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry = 0;

	assert_int_equal(pread(fd, &entry, sizeof(entry),
			       (off_t)(page * sizeof(entry))), sizeof(entry));
	(void)close(fd);
	return entry >> 63;
}

static void test_what_was_needed_once_is_not_held(void **state)
{
	static const char *volatile at = table + TABLE_OCTETS / 2;
	struct control_process p = { .pid = 1 };
	struct mono now = { 1000 * NS_PER_S };

	(void)state;
	atomic_store(&p.started_ns, now.ns);
	assert_int_equal(*at, 7);
	control_beat(&p, now);
	assert_true(is_held(at));		/* it has only begun */
	now.ns += 10 * NS_PER_S;
	control_beat(&p, now);
	assert_false(is_held(at));
	assert_int_equal(*at, 7);		/* and it comes again */
	now.ns += NS_PER_S;
	control_beat(&p, now);
	assert_true(is_held(at));		/* it is not the time */
}

static void test_an_exporter_that_is_off_has_no_fault(void **state)
{
	static struct control c;
	char text[DIAG_MAX];

	(void)state;
	assert_false(control_exporter_fault(&c, text));
	control_text_set(&c.exporter.fault, "listen = 127.0.0.1:1: in use");
	assert_true(control_exporter_fault(&c, text));
	assert_string_equal(text, "listen = 127.0.0.1:1: in use");
	c.process[ROLE_EXPORTER].is_off = 1;
	assert_false(control_exporter_fault(&c, text));
	c.process[ROLE_EXPORTER].is_off = 0;
	control_text_set(&c.exporter.fault, "");
	assert_false(control_exporter_fault(&c, text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_c18_a_writer_that_died_keeps_no_reader_waiting),
		cmocka_unit_test(
			test_c14_what_is_read_at_the_start_stays),
		cmocka_unit_test(test_what_was_needed_once_is_not_held),
		cmocka_unit_test(test_an_exporter_that_is_off_has_no_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
