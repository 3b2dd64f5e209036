#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/base/ring.h"
#include "agent/base/ring_memory.h"
#include "tests/support/ring_folder.h"

/* A new run for all three; those that were intact tell of the one before. */
static void assert_new_run(void **state, uint64_t run, uint64_t previous,
			   const uint64_t last[static STREAM_COUNT],
			   const char *why)
{
	struct diag d = { "" };
	struct ring_set s;

	assert_int_equal(ring_set_open(dir_of(state), ring_sizes, run, &s, &d),
			 0);
	assert_true(s.fresh);
	assert_int_equal(s.run, run);
	assert_int_equal(s.previous_run, previous);
	if (!strstr(d.text, why))
		fail_msg("'%s' does not say '%s'", d.text, why);
	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		assert_int_equal(s.previous_last[i], last[i]);
		assert_int_equal(ring_next(s.ring[i]), 1);
	}
	ring_set_close(&s);
	/* It is said again until the run has records of its own. */
	set_open(state, run + 1, &s);
	assert_false(s.fresh);
	assert_int_equal(s.previous_run, previous);
	ring_set_close(&s);
}

static void test_c09_ring_cut_short_begins_new_run_for_all(void **state)
{
	static const uint64_t last[STREAM_COUNT] = { 10, 0, 30 };
	int fd;

	set_fill(state, 7);
	fd = openat(dir_of(state), "states.ring", O_RDWR | O_CLOEXEC);
	assert_int_equal(ftruncate(fd, RING_DATA_AT + 10000), 0);
	close(fd);
	assert_new_run(state, 8, 7, last, "states.ring: cut short: 14096 "
		       "octets of 266240");
}

static void test_ring_cut_short_at_every_length_of_header(void **state)
{
	static const uint64_t last[STREAM_COUNT] = { 0, 20, 30 };
	uint64_t run = 7;

	for (off_t len = 0; len <= RING_DATA_AT; len += len < 200 ? 1 : 500) {
		struct diag d = { "" };
		struct ring *r;
		int fd;

		set_fill(state, run);
		fd = openat(dir_of(state), "findings.ring", O_RDWR | O_CLOEXEC);
		assert_int_equal(ftruncate(fd, len), 0);
		close(fd);
		assert_int_equal(ring_look(dir_of(state), 0, &r, &d), -EBADMSG);
		assert_new_run(state, run + 2, run, last,
			       "findings.ring: cut short");
		ring_folder_clear(state);
		run += 4;
	}
}

static void poke(void **state, const char *name, off_t at, uint8_t octet)
{
	int fd = openat(dir_of(state), name, O_RDWR | O_CLOEXEC);

	assert_int_equal(pwrite(fd, &octet, 1, at), 1);
	close(fd);
}

static void test_ring_of_another_version_begins_new_run(void **state)
{
	static const uint64_t last[STREAM_COUNT] = { 10, 20, 0 };

	set_fill(state, 7);
	poke(state, "samples.ring", 11, 99);
	assert_new_run(state, 8, 7, last, "samples.ring: version 99; this "
		       "build writes 1");
}

static void test_ring_with_garbage_header_begins_new_run(void **state)
{
	static const uint64_t last[STREAM_COUNT] = { 10, 20, 0 };
	uint64_t run = 7;

	for (off_t at = 0; at < RING_FIXED_LEN; at++) {
		set_fill(state, run);
		poke(state, "samples.ring", at, 0xa5);
		assert_new_run(state, run + 2, run, last, "samples.ring: ");
		ring_folder_clear(state);
		run += 4;
	}
}

static void test_ring_with_damaged_record_begins_new_run(void **state)
{
	static const uint64_t last[STREAM_COUNT] = { 10, 0, 30 };

	set_fill(state, 7);
	poke(state, "states.ring", RING_DATA_AT + 9000, 0xee);
	assert_new_run(state, 8, 7, last, "states.ring: damaged in record");
}

static void test_ring_of_another_run_begins_new_run(void **state)
{
	static const uint64_t last[STREAM_COUNT] = { 10, 20, 30 };
	struct ring_set s;

	/* As a kill between the renames of a new run leaves it. */
	set_fill(state, 7);
	assert_int_equal(renameat(dir_of(state), "states.ring", dir_of(state),
				  "old"), 0);
	assert_int_equal(renameat(dir_of(state), "samples.ring", dir_of(state),
				  "older"), 0);
	set_open(state, 8, &s);		/* names run 7, holds nothing */
	ring_set_close(&s);
	assert_int_equal(renameat(dir_of(state), "old", dir_of(state),
				  "states.ring"), 0);
	assert_int_equal(renameat(dir_of(state), "older", dir_of(state),
				  "samples.ring"), 0);
	assert_new_run(state, 9, 7, last, "of run");
}

static void test_ring_refuses_sizes_out_of_bounds(void **state)
{
	static const size_t small[STREAM_COUNT] = { RING_BYTES_MIN,
						    RING_BYTES_MIN - 1,
						    RING_BYTES_MIN };
	struct diag d = { "" };
	struct ring_set s;

	assert_int_equal(ring_set_open(dir_of(state), small, 1, &s, &d),
			 -EINVAL);
	assert_non_null(strstr(d.text, "states.ring: 262143 octets"));
}

static void test_ring_open_tells_a_file_size_limit(void **state)
{
	struct rlimit was, small = { RING_BYTES_MIN, RLIM_INFINITY };
	struct diag d = { "" };
	struct ring_set s;
	int rc;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	small.rlim_max = was.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	rc = ring_set_open(dir_of(state), ring_sizes, 1, &s, &d);
	setrlimit(RLIMIT_FSIZE, &was);
	assert_int_equal(rc, -EFBIG);
	assert_non_null(strstr(d.text, "findings.ring.new: 266240 octets"));
	assert_int_equal(faccessat(dir_of(state), "findings.ring.new", F_OK, 0),
			 -1);
}

/* In a mount namespace of its own: 0, 77 not permitted, or which step failed.
 */
static int on_small_disk(const char *path)
{
	static const size_t larger[STREAM_COUNT] = { 1u << 20, 1u << 20,
						     1u << 20 };
	struct diag d = { "" };
	struct ring_set s;
	int fd, ring;

	if (unshare(CLONE_NEWNS) < 0 ||
	    mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", path, "tmpfs", 0, "size=900k") < 0)
		return 77;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ring_set_open(fd, larger, 1, &s, &d) != -ENOSPC ||
	    !strstr(d.text, "No space left"))
		return 1;
	if (ring_set_open(fd, ring_sizes, 1, &s, &d) != 0)
		return 2;
	ring_set_close(&s);
	/* Not for old and new at once: unusable old ones make room. */
	ring = openat(fd, "states.ring", O_RDWR | O_CLOEXEC);
	if (pwrite(ring, "x", 1, 0) != 1)
		return 3;
	close(ring);
	if (ring_set_open(fd, ring_sizes, 2, &s, &d) != 0 || !s.fresh)
		return 4;
	ring_set_close(&s);
	return 0;
}

static void test_ring_open_tells_a_full_disk_at_once(void **state)
{
	struct ring_folder *f = *state;
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(on_small_disk(f->path));
	waitpid(pid, &status, 0);
	if (WEXITSTATUS(status) == 77) {
		print_message("# SKIP MAY NOT MOUNT A SMALL TMPFS\n");
		skip();
	}
	assert_int_equal(status, 0);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, ring_folder_make, \
					ring_folder_remove)

static unsigned walked(const struct ring *r, int *ret_end)
{
	static uint8_t octets[RECORD_MAX];
	struct ring_walk w = ring_walk_of(r, 0, UINT64_MAX);
	unsigned n = 0;

	while ((*ret_end = ring_walk_next(&w, octets, sizeof(octets))) > 0)
		n++;
	assert_int_equal(ring_walk_next(&w, octets, sizeof(octets)), 0);
	return n;
}

static void test_ring_check_names_file_and_record(void **state)
{
	struct diag d = { "" };
	struct ring *r;
	uint64_t end;
	int rc;

	set_fill(state, 7);
	assert_int_equal(ring_look(dir_of(state), STREAM_STATES, &r, &d), 0);
	assert_int_equal(ring_check(r, &end, &d), 0);
	assert_int_equal(end, 21);
	assert_int_equal(walked(r, &rc), 20);
	assert_int_equal(rc, 0);
	poke(state, "states.ring", RING_DATA_AT + 9000, 0xee);
	assert_int_equal(ring_check(r, &end, &d), -EBADMSG);
	assert_in_range(end, 2, 20);
	assert_non_null(strstr(d.text, "states.ring: damaged in record "));
	/* What is before it can still be had, and there a walk ends. */
	assert_int_equal(walked(r, &rc), end - 1);
	assert_int_equal(rc, -EBADMSG);
	assert_int_equal(walked(r, &rc), end - 1);
	ring_close(r);
}

/* Octets of the live part of both generations. */
static void live_word_set(void **state, size_t at, uint64_t value)
{
	int fd = openat(dir_of(state), "states.ring", O_RDWR | O_CLOEXEC);

	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(pwrite(fd, &value, sizeof(value),
					RING_LIVE_AT +
					(off_t)(offsetof(struct ring_live,
							 state[0]) +
						i * sizeof(struct ring_words) +
						at)), sizeof(value));
	close(fd);
}

/* Each of them would be tried, and none found. */
static void test_ring_that_claims_more_than_fits_is_damaged(void **state)
{
	struct diag d = { "" };
	struct ring *r;

	set_fill(state, 7);
	live_word_set(state, offsetof(struct ring_words, next),
		      UINT64_C(1) << 40);
	assert_int_equal(ring_look(dir_of(state), STREAM_STATES, &r, &d),
			 -EBADMSG);
	assert_non_null(strstr(d.text, "states.ring: damaged: its positions"));
}

/* The words are spoilt after it was opened: a walk still ends. */
static void test_ring_walk_ends_whatever_is_written_meanwhile(void **state)
{
	struct diag d = { "" };
	struct ring *r;
	uint64_t end;
	int rc;

	set_fill(state, 7);
	assert_int_equal(ring_look(dir_of(state), STREAM_STATES, &r, &d), 0);
	live_word_set(state, offsetof(struct ring_words, next),
		      UINT64_C(1) << 40);
	assert_int_equal(walked(r, &rc), 0);
	assert_int_equal(ring_check(r, &end, &d), -EBADMSG);
	ring_close(r);
}

static void assert_modes(void **state, mode_t mode, gid_t group)
{
	char name[RING_NAME_MAX];
	struct stat st;

	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		ring_file_name(i, name);
		assert_int_equal(fstatat(dir_of(state), name, &st,
					 AT_SYMLINK_NOFOLLOW), 0);
		assert_int_equal(st.st_mode & 07777, mode);
		assert_int_equal(st.st_gid, group);
	}
}

static void test_c21_ring_is_its_owners_until_it_is_shared(void **state)
{
	mode_t before = umask(0);

	set_fill(state, 7);
	(void)umask(before);
	assert_modes(state, 0600, getegid());
}

static void test_c21_ring_has_the_mode_of_who_may_ask(void **state)
{
	gid_t group = geteuid() == 0 ? 4711 : getegid();
	mode_t before = umask(0777);

	set_fill(state, 7);
	assert_int_equal(ring_set_share(dir_of(state), true, (gid_t)-1, NULL),
			 0);
	assert_modes(state, 0644, getegid());
	assert_int_equal(ring_set_share(dir_of(state), false, group, NULL), 0);
	assert_modes(state, 0640, group);
	(void)umask(before);
}

static void test_c21_ring_that_is_a_link_is_not_shared(void **state)
{
	struct diag d = { "" };
	struct stat st;

	set_fill(state, 7);
	assert_int_equal(renameat(dir_of(state), "states.ring", dir_of(state),
				  "states.ring.new"), 0);
	assert_int_equal(symlinkat("states.ring.new", dir_of(state),
				   "states.ring"), 0);
	assert_int_equal(ring_set_share(dir_of(state), true, (gid_t)-1, &d),
			 -ELOOP);
	assert_int_equal(fstatat(dir_of(state), "states.ring.new", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_c09_ring_cut_short_begins_new_run_for_all),
		TEST(test_ring_cut_short_at_every_length_of_header),
		TEST(test_ring_of_another_version_begins_new_run),
		TEST(test_ring_with_garbage_header_begins_new_run),
		TEST(test_ring_with_damaged_record_begins_new_run),
		TEST(test_ring_of_another_run_begins_new_run),
		TEST(test_ring_refuses_sizes_out_of_bounds),
		TEST(test_ring_open_tells_a_file_size_limit),
		TEST(test_ring_open_tells_a_full_disk_at_once),
		TEST(test_ring_check_names_file_and_record),
		TEST(test_ring_that_claims_more_than_fits_is_damaged),
		TEST(test_ring_walk_ends_whatever_is_written_meanwhile),
		TEST(test_c21_ring_is_its_owners_until_it_is_shared),
		TEST(test_c21_ring_has_the_mode_of_who_may_ask),
		TEST(test_c21_ring_that_is_a_link_is_not_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
