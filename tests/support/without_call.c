/* Runs a program for which a system call fails, as a kernel without it does, or
 * the filter of a service manager or container.
 *
 * usage: without_call CALL=ERRNO[,CALL=ERRNO]... PROGRAM [ARGUMENT]...
 */
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name;
	int number;
} errnos[] = {
	{ "ENOSYS", ENOSYS }, { "EPERM", EPERM }, { "EACCES", EACCES },
};

static int errno_of(const char *name)
{
	for (size_t i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++)
		if (strcmp(errnos[i].name, name) == 0)
			return errnos[i].number;
	return 0;
}

static int rule_add(scmp_filter_ctx filter, char *rule)
{
	char *is = strchr(rule, '=');
	int call, error;

	if (!is)
		return -EINVAL;
	*is = '\0';
	call = seccomp_syscall_resolve_name(rule);
	error = errno_of(is + 1);
	if (call == __NR_SCMP_ERROR || error == 0)
		return -EINVAL;
	return seccomp_rule_add(filter, SCMP_ACT_ERRNO((unsigned)error), call,
				0);
}

int main(int argc, char **argv)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	char *save = NULL;

	if (argc < 3 || !filter) {
		fputs("usage: without_call CALL=ERRNO[,CALL=ERRNO]... PROGRAM "
		      "[ARGUMENT]...\n", stderr);
		return 64;
	}
	/* As a manager does that is root: no_new_privs is the program's own */
	(void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0);
	for (char *rule = strtok_r(argv[1], ",", &save); rule;
	     rule = strtok_r(NULL, ",", &save))
		if (rule_add(filter, rule) < 0) {
			fprintf(stderr, "without_call: '%s'?\n", rule);
			return 64;
		}
	if (seccomp_load(filter) < 0) {
		fputs("without_call: no filter here\n", stderr);
		return 77;
	}
	execvp(argv[2], argv + 2);
	fprintf(stderr, "without_call: %s: %s\n", argv[2], strerror(errno));
	return 127;
}
