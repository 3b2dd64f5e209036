/* Only a whole file of our own is taken up, and flash is written so often. */
#include "agent/spool/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include "agent/spool/disk.h"

#define WHOLE "whole"
#define DAY_S (24 * 3600)
#define K 1024

struct bed {
	char path[64];
	int fd;
};

static int set_up(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	(void)strcpy(b->path, "/tmp/test_keep.XXXXXX");
	assert_non_null(mkdtemp(b->path));
	b->fd = open(b->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = { KEEP_NAME, KEEP_REFUSED_NAME,
					     "other" };
	struct bed *b = *state;

	for (size_t i = 0; i < 3; i++)
		if (unlinkat(b->fd, names[i], 0) < 0)
			(void)unlinkat(b->fd, names[i], AT_REMOVEDIR);
	(void)close(b->fd);
	assert_int_equal(rmdir(b->path), 0);
	free(b);
	return 0;
}

static int check(const void *octets, size_t len, struct wall *ret_wall,
		 const char **ret_why)
{
	*ret_why = "it is torn";
	if (len != strlen(WHOLE) || memcmp(octets, WHOLE, len) != 0)
		return -EBADMSG;
	ret_wall->ns = 77;
	return 0;
}

static void put(const struct bed *b, const char *name, const char *text)
{
	assert_int_equal(disk_put(&disk_volatile, b->fd, name, text,
				  strlen(text)), 0);
}

static bool is_there(const struct bed *b, const char *name)
{
	return faccessat(b->fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Refused with these words, and out of the way of the next one. */
static void check_refused(const struct bed *b, int rc, const char *words)
{
	struct keep_copy copy;
	struct diag d;

	assert_int_equal(keep_read(b->fd, check, &copy, &d), rc);
	assert_non_null(strstr(d.text, words));
	assert_ptr_equal(strstr(d.text, KEEP_NAME ": "), d.text);
	assert_false(is_there(b, KEEP_NAME));
	assert_true(is_there(b, KEEP_REFUSED_NAME));
	put(b, KEEP_NAME, WHOLE);
	assert_int_equal(keep_read(b->fd, check, &copy, &d), 0);
	free(copy.octets);
}

static void test_what_was_put_is_read(void **state)
{
	struct bed *b = *state;
	struct keep_copy copy;
	struct diag d;

	assert_int_equal(keep_read(b->fd, check, &copy, &d), -ENOENT);
	put(b, KEEP_NAME, WHOLE);
	assert_int_equal(keep_read(b->fd, check, &copy, &d), 0);
	assert_int_equal(copy.len, strlen(WHOLE));
	assert_memory_equal(copy.octets, WHOLE, copy.len);
	assert_int_equal(copy.wall.ns, 77);
	free(copy.octets);
	assert_true(is_there(b, KEEP_NAME));
}

static void test_a_torn_file_is_refused(void **state)
{
	struct bed *b = *state;

	put(b, KEEP_NAME, "whol");
	check_refused(b, -EBADMSG, "it is torn; now memory.refused");
}

static void test_an_empty_file_is_refused(void **state)
{
	struct bed *b = *state;

	put(b, KEEP_NAME, "");
	check_refused(b, -EINVAL, "empty");
}

static void test_c21_a_link_is_refused(void **state)
{
	struct bed *b = *state;

	put(b, "other", WHOLE);
	assert_int_equal(symlinkat("other", b->fd, KEEP_NAME), 0);
	check_refused(b, -ELOOP, "it is a link");
}

/* Who opens a FIFO may wait for ever. */
static void test_c21_a_fifo_is_refused_at_once(void **state)
{
	struct bed *b = *state;

	assert_int_equal(mkfifoat(b->fd, KEEP_NAME, 0600), 0);
	check_refused(b, -EINVAL, "not a file");
}

static void test_c21_a_socket_is_refused(void **state)
{
	struct bed *b = *state;
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(at.sun_path, sizeof(at.sun_path), "%s/" KEEP_NAME,
		       b->path);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	check_refused(b, -EINVAL, "not a file");
	(void)close(fd);
}

static void test_c21_a_folder_is_refused(void **state)
{
	struct bed *b = *state;

	assert_int_equal(mkdirat(b->fd, KEEP_NAME, 0700), 0);
	check_refused(b, -EINVAL, "not a file");
}

static void test_c21_a_file_that_others_may_write_is_refused(void **state)
{
	struct bed *b = *state;

	put(b, KEEP_NAME, WHOLE);
	assert_int_equal(fchmodat(b->fd, KEEP_NAME, 0620, 0), 0);
	check_refused(b, -EPERM, "others may write it");
}

static void test_c21_a_file_of_somebody_else_is_refused(void **state)
{
	struct bed *b = *state;

	if (geteuid() != 0)
		skip();
	put(b, KEEP_NAME, WHOLE);
	assert_int_equal(fchownat(b->fd, KEEP_NAME, 4711, (gid_t)-1, 0), 0);
	assert_int_equal(fchmodat(b->fd, KEEP_NAME, 0644, 0), 0);
	assert_int_equal(fchown(b->fd, 4712, (gid_t)-1), 0);
	assert_int_equal(seteuid(4712), 0);
	check_refused(b, -EPERM, "belongs to another user");
	assert_int_equal(seteuid(0), 0);
}

static void test_a_file_too_large_is_refused_unread(void **state)
{
	struct bed *b = *state;

	put(b, KEEP_NAME, WHOLE);
	for (int more = 0; more < 2; more++) {
		int fd = openat(b->fd, KEEP_NAME, O_RDWR | O_CLOEXEC);
		struct keep_copy copy;
		struct diag d;

		assert_int_equal(ftruncate(fd, KEEP_OCTETS_MAX + more), 0);
		(void)close(fd);
		if (more)
			check_refused(b, -EFBIG, "too large");
		else
			assert_int_equal(keep_read(b->fd, check, &copy, &d),
					 -EBADMSG);
		if (!more)
			put(b, KEEP_NAME, WHOLE);
	}
}

/* --- how often ------------------------------------------------------------ */

static struct mono at_s(int64_t s)
{
	return (struct mono){ (s + 1) * NS_PER_S };
}

/* Asked each second from first on; returns octets written. */
static int64_t written(struct keep_pace *p, size_t len,
		       enum keep_reason reason, int64_t first, int64_t seconds,
		       int64_t *ret_count)
{
	int64_t octets = 0, count = 0;

	for (int64_t s = first; s < first + seconds; s++) {
		if (!keep_pace_take(p, len, reason, at_s(s)))
			continue;
		octets += (int64_t)len + KEEP_EXTRA_OCTETS;
		count++;
	}
	*ret_count = count;
	return octets;
}

static void test_a_copy_each_hour(void **state)
{
	struct keep_pace p;
	int64_t count;

	(void)state;
	keep_pace_init(&p, -1, at_s(0));
	assert_true(keep_pace_take(&p, 128 * K, KEEP_ROUTINE, at_s(0)));
	assert_false(keep_pace_take(&p, 128 * K, KEEP_ROUTINE, at_s(3599)));
	assert_true(keep_pace_take(&p, 128 * K, KEEP_ROUTINE, at_s(3600)));
	(void)written(&p, 128 * K, KEEP_ROUTINE, 3601, DAY_S, &count);
	assert_int_equal(count, 24);
}

static void test_the_copy_that_is_there_counts(void **state)
{
	struct keep_pace p;

	(void)state;
	keep_pace_init(&p, 3000 * NS_PER_S, at_s(0));
	assert_false(keep_pace_take(&p, 16 * K, KEEP_ROUTINE, at_s(599)));
	assert_true(keep_pace_take(&p, 16 * K, KEEP_ROUTINE, at_s(600)));
}

/* Whoever starts again and again has no more than who goes on. */
static void test_a_start_brings_no_octets(void **state)
{
	int64_t octets = 0;
	struct keep_pace p;

	(void)state;
	keep_pace_init(&p, -1, at_s(0));
	for (int64_t s = 0, last = -1; s < DAY_S; s += 60) {
		if (last >= 0)
			keep_pace_init(&p, (s - last) * NS_PER_S, at_s(s));
		if (keep_pace_take(&p, 128 * K, KEEP_AT_THE_END, at_s(s))) {
			octets += 128 * K + KEEP_EXTRA_OCTETS;
			last = s;
		}
	}
	assert_in_range(octets, K * K, KEEP_DAY_OCTETS);
}

static void test_a_day_has_so_many_octets_at_the_worst(void **state)
{
	static const size_t sizes[] = { 1, 16 * K, 128 * K, 1000 * K,
					2000 * K, KEEP_OCTETS_MAX };

	(void)state;
	for (size_t i = 0; i < 6; i++)
		for (int r = KEEP_ROUTINE; r <= KEEP_AT_THE_END; r++) {
			struct keep_pace p;
			int64_t count, octets;

			keep_pace_init(&p, -1, at_s(0));
			octets = written(&p, sizes[i], (enum keep_reason)r, 0,
					 DAY_S, &count);
			assert_in_range(octets, 1, KEEP_DAY_OCTETS);
			assert_in_range(count, 1, DAY_S / 60 + 1000);
		}
}

static void test_a_large_one_is_copied_once_a_day(void **state)
{
	struct keep_pace p;
	int64_t count;

	(void)state;
	keep_pace_init(&p, -1, at_s(0));
	(void)written(&p, KEEP_OCTETS_MAX, KEEP_ROUTINE, 0, 10 * DAY_S,
		      &count);
	assert_in_range(count, 9, 11);
}

static void test_a_finding_is_copied_within_a_minute(void **state)
{
	struct keep_pace p;

	(void)state;
	keep_pace_init(&p, -1, at_s(0));
	assert_true(keep_pace_take(&p, 128 * K, KEEP_ROUTINE, at_s(0)));
	assert_false(keep_pace_take(&p, 128 * K, KEEP_PRESSING, at_s(59)));
	assert_true(keep_pace_take(&p, 128 * K, KEEP_PRESSING, at_s(60)));
}

static void test_one_is_held_back_for_the_end(void **state)
{
	struct keep_pace p;
	int64_t count;

	(void)state;
	keep_pace_init(&p, -1, at_s(0));
	(void)written(&p, 1000 * K, KEEP_PRESSING, 0, 3600, &count);
	assert_int_equal(count, 3);
	assert_true(keep_pace_take(&p, 1000 * K, KEEP_AT_THE_END, at_s(3600)));
	assert_false(keep_pace_take(&p, 1000 * K, KEEP_AT_THE_END,
				    at_s(3601)));
}

#define BED(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define TEST(name) cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BED(test_what_was_put_is_read),
		BED(test_a_torn_file_is_refused),
		BED(test_an_empty_file_is_refused),
		BED(test_c21_a_link_is_refused),
		BED(test_c21_a_fifo_is_refused_at_once),
		BED(test_c21_a_socket_is_refused),
		BED(test_c21_a_folder_is_refused),
		BED(test_c21_a_file_that_others_may_write_is_refused),
		BED(test_c21_a_file_of_somebody_else_is_refused),
		BED(test_a_file_too_large_is_refused_unread),
		TEST(test_a_copy_each_hour),
		TEST(test_the_copy_that_is_there_counts),
		TEST(test_a_start_brings_no_octets),
		TEST(test_a_day_has_so_many_octets_at_the_worst),
		TEST(test_a_large_one_is_copied_once_a_day),
		TEST(test_a_finding_is_copied_within_a_minute),
		TEST(test_one_is_held_back_for_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
