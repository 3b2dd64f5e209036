/* Paths below a root: with openat2(), and where a kernel or a filter of system
 * calls has it not. Both must do the same with each path.
 *
 * petrel-test: no-valgrind A FILTER OF SYSTEM CALLS WOULD BE VALGRIND'S OWN
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/base/path.h"

static const char *const folders[] = { "a", "a/b", "a/b/c", "var", "run",
				       "run/redis" };
static const char *const files[] = { "top", "a/b/c/deep", "run/redis/config" };
static const struct {
	const char *name, *target;
} links[] = {
	{ "var/run", "/run" },		/* as SONiC's */
	{ "a/up", ".." },
	{ "a/above", "../../../../top" },
	{ "out", "/etc/passwd" },	/* the machine's, were it followed */
	{ "top2", "top" },
	{ "top3", "/top2" },
	{ "loop", "loop2" },
	{ "loop2", "loop" },
	{ "a/b/far", "../up/var/run/redis" },
	{ "nowhere", "gone" },
};

/* What a path gives: the text of a file, "folder", or an errno. */
static const struct {
	const char *path, *text;
	int err;
} cases[] = {
	{ "top", "top", 0 },
	{ "/top", "top", 0 },
	{ "///./a/.//b/c/deep", "a/b/c/deep", 0 },
	{ "/var/run/redis/config", "run/redis/config", 0 },
	{ "a/b/far/config", "run/redis/config", 0 },
	{ "a/up/top", "top", 0 },
	{ "a/above", "top", 0 },
	{ "a/../../../top", "top", 0 },
	{ "../../top", "top", 0 },
	{ "top3", "top", 0 },
	{ "", NULL, ENOENT },
	{ "/", "folder", 0 },
	{ "..", "folder", 0 },
	{ "a/b/..", "folder", 0 },
	{ "a/", "folder", 0 },
	{ "var/run/", "folder", 0 },
	{ "out", NULL, ENOENT },
	{ "/etc/passwd", NULL, ENOENT },
	{ "nowhere", NULL, ENOENT },
	{ "a/gone/top", NULL, ENOENT },
	{ "loop", NULL, ELOOP },
	{ "loop/x", NULL, ELOOP },
	{ "top/x", NULL, ENOTDIR },
	{ "top/", NULL, ENOTDIR },
	{ "top/..", NULL, ENOTDIR },
	{ "top2/.", NULL, ENOTDIR },
};

static char root[] = "/tmp/petrel-path-XXXXXX";
static int root_fd = -1;

static void in_root(const char *name, char ret[static 256])
{
	(void)snprintf(ret, 256, "%s/%s", root, name);
}

static int root_make(void **unused)
{
	char path[256];

	(void)unused;
	if (!mkdtemp(root))
		return -1;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		in_root(folders[i], path);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		FILE *f;

		in_root(files[i], path);
		f = fopen(path, "w");
		assert_non_null(f);
		(void)fputs(files[i], f);
		(void)fclose(f);
	}
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		in_root(links[i].name, path);
		assert_int_equal(symlink(links[i].target, path), 0);
	}
	root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return root_fd < 0 ? -1 : 0;
}

static int root_remove(void **unused)
{
	char path[256];

	(void)unused;
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		in_root(links[i].name, path);
		(void)unlink(path);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		in_root(files[i], path);
		(void)unlink(path);
	}
	for (size_t i = sizeof(folders) / sizeof(folders[0]); i-- > 0;) {
		in_root(folders[i], path);
		(void)rmdir(path);
	}
	(void)close(root_fd);
	return rmdir(root);
}

/* The folder itself says "folder". */
static int text_of(int fd, char *ret, size_t cap)
{
	struct stat st;
	ssize_t n;

	assert_int_equal(fstat(fd, &st), 0);
	if (S_ISDIR(st.st_mode)) {
		(void)snprintf(ret, cap, "folder");
		return 0;
	}
	n = read(fd, ret, cap - 1);
	ret[n > 0 ? n : 0] = '\0';
	return n < 0 ? -errno : 0;
}

static int all_wrong(void)
{
	int wrong = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int fd = path_open(root_fd, cases[i].path, O_RDONLY);
		char text[64] = "";

		if (fd >= 0)
			(void)text_of(fd, text, sizeof(text));
		if (cases[i].text ? fd < 0 || strcmp(text, cases[i].text) != 0
				  : fd != -cases[i].err) {
			print_message("'%s': %d '%s', not %d '%s'\n",
				      cases[i].path, fd, text, -cases[i].err,
				      cases[i].text ? cases[i].text : "");
			wrong++;
		}
		if (fd >= 0)
			(void)close(fd);
	}
	return wrong;
}

static void test_each_path_with_openat2(void **unused)
{
	(void)unused;
	assert_int_equal(all_wrong(), 0);
}

static int descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* In a process of its own: a filter stays. Its status is what was wrong; 99:
 * no filter could be set.
 */
static int wrong_without_openat2(int answer)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
		int before;

		if (!filter ||
		    seccomp_rule_add(filter, SCMP_ACT_ERRNO(
					     (unsigned)answer),
				     SCMP_SYS(openat2), 0) < 0 ||
		    seccomp_load(filter) < 0)
			_exit(99);
		before = descriptors();
		status = all_wrong();
		_exit(status ? status : descriptors() != before);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_each_path_where_openat2_is_not_there(void **unused)
{
	(void)unused;
	assert_int_equal(wrong_without_openat2(ENOSYS), 0);
}

static void test_each_path_where_a_filter_forbids_openat2(void **unused)
{
	(void)unused;
	assert_int_equal(wrong_without_openat2(EPERM), 0);
}

static void test_a_refused_path_says_whose_it_is(void **unused)
{
	char text[PATH_REASON_MAX];

	(void)unused;
	path_reason(root_fd, "/var/run/redis/config", -EACCES, text);
	assert_non_null(strstr(text, "Permission denied (owner "));
	assert_non_null(strstr(text, "mode 0"));
	path_reason(root_fd, "/var/run/redis/config", -ENOSYS, text);
	assert_string_equal(text, "Function not implemented");
	path_reason(root_fd, "gone", -EACCES, text);
	assert_string_equal(text, "Permission denied");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_path_with_openat2),
		cmocka_unit_test(test_each_path_where_openat2_is_not_there),
		cmocka_unit_test(test_each_path_where_a_filter_forbids_openat2),
		cmocka_unit_test(test_a_refused_path_says_whose_it_is),
	};

	return cmocka_run_group_tests(tests, root_make, root_remove);
}
