#include "platform/bus/owner.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "agent/base/path.h"

#define COMMAND_LEN 512
#define PID_LEN 32
#define OTHER "xcvrd"		/* SONiC's, inside or outside its container */

/* The arguments of a process, separated by blanks; empty if it is gone. */
static void command_read(int proc_fd, const char *pid,
			 char ret[static COMMAND_LEN])
{
	char path[300];
	ssize_t n = 0;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/cmdline", pid);
	fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, ret, COMMAND_LEN - 1);
		(void)close(fd);	/* only read */
	}
	ret[n > 0 ? n : 0] = '\0';
	for (ssize_t i = 0; i < n; i++)
		if (ret[i] == '\0')
			ret[i] = ' ';
}

/* Matches the program's name, or a script that an interpreter runs. */
static bool is_other(const char *command)
{
	for (const char *at = command; at[0];) {
		size_t len = strcspn(at, " ");
		size_t name = len;

		while (name > 0 && at[name - 1] != '/')
			name--;
		if (len - name == strlen(OTHER) &&
		    memcmp(at + name, OTHER, len - name) == 0)
			return true;
		at += len + (at[len] == ' ');
	}
	return false;
}

/* Returns 1 if this process is the other owner; its number is kept. */
static int process_check(void *context, int proc_fd, const char *pid)
{
	char command[COMMAND_LEN], *ret_pid = context;

	if (!isdigit((unsigned char)pid[0]))
		return 0;
	command_read(proc_fd, pid, command);
	if (!is_other(command))
		return 0;
	(void)snprintf(ret_pid, PID_LEN, "%.31s", pid);
	return 1;
}

int owner_find(int root_fd, const char *option, bool *ret, struct diag *d)
{
	char pid[PID_LEN];

	*ret = false;
	if (!option || strcmp(option, "yes") != 0)
		return 0;
	if (path_each(root_fd, "/proc", process_check, pid) > 0)
		return diag_set(d, -EBUSY, "[Module] owner = yes, but " OTHER
				" (process %s) owns the modules: nothing is "
				"selected or cleared", pid);
	*ret = true;
	return 0;
}
