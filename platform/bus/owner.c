#include "platform/bus/owner.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "agent/base/path.h"

#define COMMAND_LEN 512
#define OTHER "xcvrd"		/* SONiC's, in its container or out of it */

/* The arguments of a process, joined by blanks; empty where it is gone. */
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
		(void)close(fd);	/* only looked at */
	}
	ret[n > 0 ? n : 0] = '\0';
	for (ssize_t i = 0; i < n; i++)
		if (ret[i] == '\0')
			ret[i] = ' ';
}

/* The program's own name, or a script that an interpreter runs. */
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

static bool other_find(int root_fd, char ret_pid[static 32])
{
	int fd = path_open(root_fd, "/proc", O_RDONLY | O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	char command[COMMAND_LEN];
	struct dirent *entry;
	bool found = false;

	if (!dir) {
		if (fd >= 0)
			(void)close(fd);	/* only looked at */
		return false;
	}
	while (!found && (entry = readdir(dir)) != NULL) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		command_read(dirfd(dir), entry->d_name, command);
		found = is_other(command);
		if (found)
			(void)snprintf(ret_pid, 32, "%.31s", entry->d_name);
	}
	(void)closedir(dir);	/* only looked at */
	return found;
}

int owner_find(int root_fd, const char *option, bool *ret, struct diag *d)
{
	char pid[32];

	*ret = false;
	if (!option || strcmp(option, "yes") != 0)
		return 0;
	if (other_find(root_fd, pid))
		return diag_set(d, -EBUSY, "[Module] owner = yes, but " OTHER
				" (process %s) owns the modules: nothing is "
				"selected or cleared", pid);
	*ret = true;
	return 0;
}
