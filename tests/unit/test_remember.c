/* When what was learnt is written, where, and which copy is taken up. */
#include "agent/process/remember.h"

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

#include "agent/signature/engine.h"
#include "agent/signature/memory.h"
#include "agent/spool/disk.h"

#define RUN 0
#define STATE 1
#define OCTETS_MAX 65536

struct bed {
	char path[64];
	int dir_fd[2];		/* RUN, STATE */
	struct control control;
	struct process_env env;
	struct engine *engine;
	struct remember core;
	int64_t wall_s;		/* when the test began */
};

static void emit(void *context, const struct finding *f)
{
	(void)context;
	(void)f;
}

static void engine_begin(struct bed *b)
{
	struct port_facts facts = { .name = "Ethernet0" };
	uint32_t port;

	assert_int_equal(engine_new(4, "leaf1", emit, NULL, &b->engine), 0);
	assert_int_equal(engine_port(b->engine, &facts, &port), 0);
	b->core = (struct remember){ .env = &b->env, .engine = b->engine };
}

static int set_up(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	(void)strcpy(b->path, "/tmp/test_remember.XXXXXX");
	assert_non_null(mkdtemp(b->path));
	b->env = (struct process_env){ .control = &b->control };
	b->env.root_fd = open(b->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(mkdirat(b->env.root_fd, "run", 0755), 0);
	assert_int_equal(mkdirat(b->env.root_fd, "var", 0755), 0);
	assert_int_equal(mkdirat(b->env.root_fd, "var/lib", 0755), 0);
	assert_int_equal(mkdirat(b->env.root_fd, "var/lib/petrel", 0700), 0);
	b->dir_fd[RUN] = openat(b->env.root_fd, "run",
				O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	b->dir_fd[STATE] = openat(b->env.root_fd, "var/lib/petrel",
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	b->env.run_dir_fd = b->dir_fd[RUN];
	b->wall_s = clock_wall_now().ns / NS_PER_S;
	engine_begin(b);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = { KEEP_NAME, KEEP_NAME ".new",
					     KEEP_REFUSED_NAME };
	static const char *const folders[] = { "var/lib/petrel", "var/lib",
					       "var", "run" };
	struct bed *b = *state;

	for (unsigned i = 0; i < 6; i++)
		if (unlinkat(b->dir_fd[i % 2], names[i / 2], 0) < 0)
			(void)unlinkat(b->dir_fd[i % 2], names[i / 2],
				       AT_REMOVEDIR);
	for (unsigned i = 0; i < 4; i++)
		(void)unlinkat(b->env.root_fd, folders[i], AT_REMOVEDIR);
	(void)close(b->dir_fd[RUN]);
	(void)close(b->dir_fd[STATE]);
	(void)close(b->env.root_fd);
	assert_int_equal(rmdir(b->path), 0);
	engine_free(b->engine);
	free(b);
	return 0;
}

static struct mono at_s(int64_t s)
{
	return (struct mono){ (1000 + s) * NS_PER_S };
}

static struct wall wall_s(const struct bed *b, int64_t s)
{
	return (struct wall){ (b->wall_s + s) * NS_PER_S };
}

/* A whole one, written then. */
static void copy_put(const struct bed *b, int where, int64_t s)
{
	char octets[OCTETS_MAX];
	ssize_t n = memory_write(b->engine, at_s(s), wall_s(b, s), octets,
				 sizeof(octets));

	assert_true(n > 0);
	assert_int_equal(disk_put(&disk_volatile, b->dir_fd[where], KEEP_NAME,
				  octets, (size_t)n), 0);
}

/* When the one that is there was written; -1: there is none that is whole. */
static int64_t copy_s(const struct bed *b, int where)
{
	char octets[OCTETS_MAX];
	const char *why;
	struct wall wall;
	int fd = openat(b->dir_fd[where], KEEP_NAME, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, octets, sizeof(octets));

	if (fd >= 0)
		(void)close(fd);
	if (n < 0 || memory_check(octets, (size_t)n, &wall, &why) < 0)
		return -1;
	return wall.ns / NS_PER_S - b->wall_s;
}

static void copy_tear(const struct bed *b, int where)
{
	int fd = openat(b->dir_fd[where], KEEP_NAME, O_WRONLY | O_CLOEXEC);
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(ftruncate(fd, st.st_size - 1), 0);
	(void)close(fd);
}

/* --- core ----------------------------------------------------------------- */

static void tend(struct bed *b, int64_t s)
{
	remember_tend(&b->core, true, at_s(s), wall_s(b, s));
}

static void test_core_writes_60_s_after_the_first_port_and_each_60(
	void **state)
{
	struct bed *b = *state;

	remember_recall(&b->core, at_s(0), wall_s(b, 0));
	remember_tend(&b->core, false, at_s(100), wall_s(b, 100));
	tend(b, 200);
	tend(b, 259);
	assert_int_equal(copy_s(b, RUN), -1);
	tend(b, 260);
	assert_int_equal(copy_s(b, RUN), 260);
	assert_int_equal(b->control.memory.run.written_ns, at_s(260).ns);
	tend(b, 319);
	assert_int_equal(copy_s(b, RUN), 260);
	tend(b, 320);
	assert_int_equal(copy_s(b, RUN), 320);
	assert_int_equal(copy_s(b, STATE), -1);
}

static void test_core_writes_when_a_finding_changed_each_10_s_at_most(
	void **state)
{
	struct bed *b = *state;

	tend(b, 0);
	remember_changed(&b->core, false);
	tend(b, 1);
	assert_int_equal(copy_s(b, RUN), 1);
	assert_int_equal(b->control.memory.pressing, 0);
	remember_changed(&b->core, true);
	tend(b, 10);
	assert_int_equal(copy_s(b, RUN), 1);
	tend(b, 11);
	assert_int_equal(copy_s(b, RUN), 11);
	assert_int_equal(b->control.memory.pressing, 1);
	tend(b, 70);
	assert_int_equal(copy_s(b, RUN), 11);
}

/* Not all ports are back after a second. */
static void test_core_keeps_what_it_took_up_until_all_ports_are_there(
	void **state)
{
	struct bed *b = *state;

	copy_put(b, RUN, -30);
	remember_recall(&b->core, at_s(0), wall_s(b, 0));
	assert_true(b->core.recalled);
	tend(b, 1);
	remember_changed(&b->core, true);
	tend(b, 60);
	b->control.memory.asked = ROLE_CORE;
	assert_true(remember_last(&b->core, at_s(60), wall_s(b, 60)));
	assert_int_equal(b->control.memory.done, ROLE_CORE);
	assert_int_equal(copy_s(b, RUN), -30);
	tend(b, 61);
	assert_int_equal(copy_s(b, RUN), 61);
}

static void test_core_writes_once_more_when_it_is_asked(void **state)
{
	struct bed *b = *state;

	tend(b, 0);
	assert_false(remember_last(&b->core, at_s(5), wall_s(b, 5)));
	assert_int_equal(copy_s(b, RUN), -1);
	b->control.memory.asked = ROLE_CORE;
	assert_true(remember_last(&b->core, at_s(6), wall_s(b, 6)));
	assert_int_equal(copy_s(b, RUN), 6);
	assert_int_equal(b->control.memory.done, ROLE_CORE);
}

static void test_core_refuses_a_torn_copy_and_learns_anew(void **state)
{
	struct bed *b = *state;

	copy_put(b, RUN, -30);
	copy_tear(b, RUN);
	remember_recall(&b->core, at_s(0), wall_s(b, 0));
	assert_false(b->core.recalled);
	assert_int_equal(faccessat(b->dir_fd[RUN], KEEP_REFUSED_NAME, F_OK, 0),
			 0);
	tend(b, 0);
	tend(b, 60);
	assert_int_equal(copy_s(b, RUN), 60);
}

static void test_core_tells_that_it_cannot_write_and_goes_on(void **state)
{
	struct bed *b = *state;

	assert_int_equal(mkdirat(b->dir_fd[RUN], KEEP_NAME ".new", 0700), 0);
	tend(b, 0);
	tend(b, 60);
	assert_int_equal(b->control.memory.run.fault, EEXIST);
	assert_int_equal(b->control.memory.run.written_ns, 0);
	assert_int_equal(unlinkat(b->dir_fd[RUN], KEEP_NAME ".new",
				  AT_REMOVEDIR), 0);
	tend(b, 61);
	assert_int_equal(copy_s(b, RUN), -1);
	tend(b, 120);
	assert_int_equal(copy_s(b, RUN), 120);
	assert_int_equal(b->control.memory.run.fault, 0);
}

/* --- supervisor ----------------------------------------------------------- */

/* Age in seconds, as status tells it. */
static int64_t age_s(int64_t written_ns)
{
	return (clock_mono_now().ns - written_ns + NS_PER_S / 2) / NS_PER_S;
}

static void test_start_takes_the_newest_copy(void **state)
{
	struct bed *b = *state;

	copy_put(b, RUN, -200);
	copy_put(b, STATE, -100);
	remember_begin(&b->env);
	assert_int_equal(copy_s(b, RUN), -100);
	assert_in_range(age_s(b->control.memory.run.written_ns), 100, 130);
	copy_put(b, RUN, -50);
	remember_begin(&b->env);
	assert_int_equal(copy_s(b, RUN), -50);
	assert_int_equal(copy_s(b, STATE), -100);
	assert_in_range(age_s(b->control.memory.run.written_ns), 50, 80);
	assert_in_range(age_s(b->control.memory.state.written_ns), 100, 130);
}

static void test_start_after_a_boot_takes_the_copy_of_the_state_folder(
	void **state)
{
	struct bed *b = *state;

	copy_put(b, STATE, -100);
	remember_begin(&b->env);
	assert_int_equal(copy_s(b, RUN), -100);
	remember_recall(&b->core, at_s(0), wall_s(b, 0));
	assert_true(b->core.recalled);
}

static void test_start_takes_the_older_copy_when_the_newer_is_torn(
	void **state)
{
	for (int torn = RUN; torn <= STATE; torn++) {
		struct bed *b = *state;

		copy_put(b, torn, -10);
		copy_put(b, !torn, -20);
		copy_tear(b, torn);
		remember_begin(&b->env);
		assert_int_equal(copy_s(b, RUN), -20);
		assert_int_equal(faccessat(b->dir_fd[torn], KEEP_REFUSED_NAME,
					   F_OK, 0), 0);
	}
}

static void test_start_with_no_copy_at_all(void **state)
{
	struct bed *b = *state;

	remember_begin(&b->env);
	remember_recall(&b->core, at_s(0), wall_s(b, 0));
	assert_false(b->core.recalled);
	assert_int_equal(b->control.memory.run.written_ns, 0);
	assert_int_equal(b->control.memory.state.written_ns, 0);
	remember_end(&b->env);		/* nobody is there to be asked */
}

/* Else whoever may write there chooses what the detectors believe. */
static void test_c21_state_folder_that_others_write_to_is_not_used(
	void **state)
{
	struct bed *b = *state;

	copy_put(b, STATE, -10);
	assert_int_equal(fchmod(b->dir_fd[STATE], 0777), 0);
	remember_begin(&b->env);
	assert_int_equal(copy_s(b, RUN), -1);
	copy_put(b, RUN, -5);
	remember_begin(&b->env);
	remember_copy(&b->env, at_s(0));
	assert_int_equal(b->control.memory.state.fault, EPERM);
	assert_int_equal(copy_s(b, STATE), -10);
}

/* --- sender --------------------------------------------------------------- */

static void test_sender_copies_what_is_new_each_hour(void **state)
{
	struct bed *b = *state;

	remember_begin(&b->env);
	remember_copy(&b->env, at_s(0));
	assert_int_equal(copy_s(b, STATE), -1);
	tend(b, 0);
	tend(b, 60);
	remember_copy(&b->env, at_s(61));
	assert_int_equal(copy_s(b, STATE), 60);
	assert_int_equal(b->control.memory.state.written_ns, at_s(60).ns);
	tend(b, 3600);
	remember_copy(&b->env, at_s(3660));
	assert_int_equal(copy_s(b, STATE), 60);
	remember_copy(&b->env, at_s(3661));
	assert_int_equal(copy_s(b, STATE), 3600);
}

static void test_sender_copies_a_finding_that_began_within_a_minute(
	void **state)
{
	struct bed *b = *state;

	remember_begin(&b->env);
	tend(b, 0);
	tend(b, 60);
	remember_copy(&b->env, at_s(60));
	remember_changed(&b->core, true);
	tend(b, 71);
	remember_copy(&b->env, at_s(119));
	assert_int_equal(copy_s(b, STATE), 60);
	remember_copy(&b->env, at_s(120));
	assert_int_equal(copy_s(b, STATE), 71);
	remember_changed(&b->core, false);
	tend(b, 140);
	remember_copy(&b->env, at_s(300));
	assert_int_equal(copy_s(b, STATE), 71);
}

static void test_sender_copies_at_once_when_it_is_asked(void **state)
{
	struct bed *b = *state;

	remember_begin(&b->env);
	tend(b, 0);
	tend(b, 60);
	remember_copy(&b->env, at_s(60));
	tend(b, 120);
	assert_false(remember_copy_last(&b->env, at_s(121)));
	b->control.memory.asked = ROLE_SENDER;
	assert_true(remember_copy_last(&b->env, at_s(121)));
	assert_int_equal(copy_s(b, STATE), 120);
	assert_int_equal(b->control.memory.done, ROLE_SENDER);
}

static void test_sender_tells_of_a_folder_that_is_not_there(void **state)
{
	struct bed *b = *state;

	assert_int_equal(unlinkat(b->env.root_fd, "var/lib/petrel",
				  AT_REMOVEDIR), 0);
	remember_begin(&b->env);
	tend(b, 0);
	tend(b, 60);
	remember_copy(&b->env, at_s(60));
	assert_int_equal(b->control.memory.state.fault, ENOENT);
	assert_int_equal(mkdirat(b->env.root_fd, "var/lib/petrel", 0700), 0);
	(void)close(b->dir_fd[STATE]);
	b->dir_fd[STATE] = openat(b->env.root_fd, "var/lib/petrel",
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	remember_copy(&b->env, at_s(61));
	assert_int_equal(b->control.memory.state.fault, 0);
	assert_int_equal(copy_s(b, STATE), 60);
}

#define BED(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BED(test_core_writes_60_s_after_the_first_port_and_each_60),
		BED(test_core_writes_when_a_finding_changed_each_10_s_at_most),
		BED(test_core_keeps_what_it_took_up_until_all_ports_are_there),
		BED(test_core_writes_once_more_when_it_is_asked),
		BED(test_core_refuses_a_torn_copy_and_learns_anew),
		BED(test_core_tells_that_it_cannot_write_and_goes_on),
		BED(test_start_takes_the_newest_copy),
		BED(test_start_after_a_boot_takes_the_copy_of_the_state_folder),
		BED(test_start_takes_the_older_copy_when_the_newer_is_torn),
		BED(test_start_with_no_copy_at_all),
		BED(test_c21_state_folder_that_others_write_to_is_not_used),
		BED(test_sender_copies_what_is_new_each_hour),
		BED(test_sender_copies_a_finding_that_began_within_a_minute),
		BED(test_sender_copies_at_once_when_it_is_asked),
		BED(test_sender_tells_of_a_folder_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
