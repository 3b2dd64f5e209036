/* Writers that die and readers that are overtaken.
 *
 * petrel-test: no-sanitize most of what it steps through would be ASan's
 * petrel-test: no-valgrind stops a writer at each step; too slow there
 * petrel-test: timeout=120
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/ring.h"
#include "agent/base/ring_memory.h"
#include "tests/support/ring_folder.h"
#include "tests/support/samples.h"

#define KILLS 300u
#define STEPS_MAX 2000000u

static void sleep_us(uint32_t us)
{
	struct timespec t = { .tv_nsec = us * 1000L };

	nanosleep(&t, NULL);
}

static void write_for_ever(struct ring *r)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		append(r, ring_next(r) % 7 == 0 || ring_wants_reference(r));
}

/* Killed at random times, 300 times: each run of the writer goes on where the
 * one before stopped, and what is there is whole.
 */
static void test_c09_killed_writer_leaves_whole_records(void **state)
{
	struct dice dice = { test_seed() };
	uint64_t next = 1;

	for (unsigned i = 0; i < KILLS; i++) {
		struct ring_set s;
		pid_t pid;

		set_open(state, 7 + i, &s);
		assert_int_equal(s.run, 7);	/* intact: no new run */
		assert_true(ring_next(s.ring[0]) >= next);
		next = ring_next(s.ring[0]);
		check_all(s.ring[0]);
		pid = fork();
		if (pid == 0)
			write_for_ever(s.ring[0]);
		sleep_us(dice_below(&dice, 3000));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		ring_set_close(&s);
	}
	assert_true(next > 1000);
}

/* What a kill at this instruction would leave. */
static void assert_whole(const struct ring *r)
{
	uint64_t hint = 0, next = ring_next(r), end;
	struct diag d = { "" };

	if (ring_check(r, &end, &d) < 0)
		fail_msg("%s", d.text);
	if (next > ring_first(r))
		assert_true(check(r, next - 1, &hint) > 0);
}

static bool child_stopped(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFSTOPPED(status);
}

/* Every instruction of appends that drop a group and pass the end of a lap:
 * after each the ring, in shared memory, is as a kill would leave it.
 */
static void test_c09_append_is_whole_at_every_instruction(void **state)
{
	struct ring_set s;
	unsigned steps = 0;
	uint64_t first, next;
	pid_t pid;

	set_open(state, 7, &s);
	while (ring_next(s.ring[0]) < 343 || ring_next(s.ring[0]) % 7)
		append(s.ring[0], ring_next(s.ring[0]) % 7 == 0);
	first = ring_first(s.ring[0]);
	next = ring_next(s.ring[0]);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			_exit(77);
		raise(SIGSTOP);
		for (unsigned i = 0; i < 16; i++)
			append(s.ring[0], ring_next(s.ring[0]) % 7 == 0);
		_exit(0);
	}
	if (!child_stopped(pid)) {
		print_message("# SKIP MAY NOT TRACE A CHILD\n");
		ring_set_close(&s);
		skip();
	}
	do {
		struct ring_state was = ring_state_load(s.ring[0]), is;

		assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
		if (!child_stopped(pid))
			break;
		is = ring_state_load(s.ring[0]);
		if (memcmp(&was, &is, sizeof(is)) != 0 || steps % 64 == 0)
			assert_whole(s.ring[0]);
	} while (++steps < STEPS_MAX);
	assert_true(steps > 1000 && steps < STEPS_MAX);
	assert_true(ring_first(s.ring[0]) > first);
	assert_int_equal(ring_next(s.ring[0]), next + 16);
	print_message("# %u instructions\n", steps);
	ring_set_close(&s);
}

/* A writer that laps its reader as fast as it can, killed now and then: the
 * reader gets whole records or is told that they are gone.
 */
static void test_ring_reader_is_never_given_torn_records(void **state)
{
	struct dice dice = { test_seed() };
	unsigned whole = 0, gone = 0;
	uint64_t want = 1, hint = 0;
	struct ring_set s;
	struct ring *r;
	struct diag d;

	set_open(state, 7, &s);
	assert_int_equal(ring_look(dir_of(state), 0, &r, &d), 0);
	for (unsigned i = 0; i < 100; i++) {
		pid_t pid = fork();

		if (pid == 0)
			write_for_ever(s.ring[0]);
		for (unsigned n = 0; n < 3000; n++) {
			int rc = check(r, want, &hint);

			if (n % 500 == 0)
				sleep_us(1000);		/* falls behind */
			if (rc == -ESTALE)
				want = ring_first(r) +
				       (dice_percent(&dice, 50) ? 0 : 30);
			else if (rc > 0)
				want++;
			else if (rc != -EAGAIN)
				fail_msg("ring_read: %d", rc);
			gone += rc == -ESTALE;
			whole += rc > 0;
		}
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	print_message("# %u whole, overtaken %u times\n", whole, gone);
	assert_true(whole > 100);
	assert_true(gone > 10);
	ring_close(r);
	ring_set_close(&s);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, ring_folder_make, \
					ring_folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_c09_killed_writer_leaves_whole_records),
		TEST(test_c09_append_is_whole_at_every_instruction),
		TEST(test_ring_reader_is_never_given_torn_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
