/* C21: folders and files that nobody else has a hand in. */
#include "agent/base/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

struct bed {
	char path[64];
	int fd;
};

static int set_up(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	(void)strcpy(b->path, "/tmp/test_folder.XXXXXX");
	assert_non_null(mkdtemp(b->path));
	b->fd = open(b->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *b = *state;

	(void)unlinkat(b->fd, "lock", 0);
	(void)unlinkat(b->fd, "other", 0);
	(void)close(b->fd);
	(void)rmdir(b->path);
	free(b);
	return 0;
}

static mode_t mode_of(const struct bed *b, const char *name)
{
	struct stat st;

	assert_int_equal(fstatat(b->fd, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st.st_mode & 07777;
}

static void test_c21_folder_that_others_write_to_is_refused(void **state)
{
	static const mode_t open_to_others[] = { 0775, 0757, 0777, 01777 };
	struct bed *b = *state;
	struct diag d;

	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(fchmod(b->fd, open_to_others[i]), 0);
		assert_int_equal(folder_check(b->fd, "/run/x", &d), -EPERM);
		assert_non_null(strstr(d.text, "/run/x belongs to uid "));
	}
	assert_non_null(strstr(d.text, "with mode 1777; expected"));
	assert_int_equal(fchmod(b->fd, 0755), 0);
	assert_int_equal(folder_check(b->fd, "/run/x", &d), 0);
}

static void test_c21_folder_of_somebody_else_is_refused(void **state)
{
	struct bed *b = *state;
	struct diag d;
	int rc;

	if (geteuid() != 0)
		skip();
	assert_int_equal(fchown(b->fd, 4711, (gid_t)-1), 0);
	assert_int_equal(seteuid(4712), 0);
	rc = folder_check(b->fd, "/run/x", &d);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(rc, -EPERM);
	assert_non_null(strstr(d.text, "belongs to uid 4711 with mode 0700; "
			       "expected a folder of root or uid 4712"));
}

static void test_c21_file_has_its_mode_whatever_umask_says(void **state)
{
	struct bed *b = *state;
	mode_t before = umask(0);

	(void)close(folder_file(b->fd, "lock", 0600));
	(void)umask(0777);
	(void)close(folder_file(b->fd, "other", 0644));
	(void)umask(before);
	assert_int_equal(mode_of(b, "lock"), 0600);
	assert_int_equal(mode_of(b, "other"), 0644);
}

static void test_c21_file_of_an_older_version_gets_its_mode(void **state)
{
	struct bed *b = *state;
	int fd = openat(b->fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	assert_int_equal(fchmod(fd, 0644), 0);
	(void)close(fd);
	(void)close(folder_file(b->fd, "lock", 0600));
	assert_int_equal(mode_of(b, "lock"), 0600);
}

static void test_c21_link_is_not_followed(void **state)
{
	struct bed *b = *state;

	assert_int_equal(symlinkat("other", b->fd, "lock"), 0);
	assert_int_equal(folder_file(b->fd, "lock", 0600), -ELOOP);
	assert_int_equal(faccessat(b->fd, "other", F_OK, 0), -1);
}

static void test_c21_what_is_no_file_is_refused(void **state)
{
	struct bed *b = *state;

	assert_int_equal(mkfifoat(b->fd, "lock", 0600), 0);
	assert_int_equal(folder_file(b->fd, "lock", 0600), -EINVAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_c21_folder_that_others_write_to_is_refused),
		TEST(test_c21_folder_of_somebody_else_is_refused),
		TEST(test_c21_file_has_its_mode_whatever_umask_says),
		TEST(test_c21_file_of_an_older_version_gets_its_mode),
		TEST(test_c21_link_is_not_followed),
		TEST(test_c21_what_is_no_file_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
