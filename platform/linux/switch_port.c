#include "platform/linux/switch_port.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Front ports of SONiC, and of switchdev as its documentation names them. */
static bool is_front_name(const char *name)
{
	static const char *const words[] = { "Ethernet", "swp" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);

		if (strncmp(name, words[i], n) == 0 && name[n] >= '0' &&
		    name[n] <= '9')
			return true;
	}
	return false;
}

/* Without an id the kernel refuses the read (EOPNOTSUPP). */
static bool has_switch_id(int net_fd, const char *name)
{
	char path[NAME_MAX + sizeof("/phys_switch_id")], id[64];
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/phys_switch_id", name);
	fd = openat(net_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, id, sizeof(id));
	(void)close(fd);
	return n > 0 && id[0] != '\n';
}

bool switch_port_exists(int root_fd)
{
	int fd = openat(root_fd, "sys/class/net",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	bool found = false;
	struct dirent *e;

	if (!dir && fd >= 0)
		(void)close(fd);
	while (dir && !found && (e = readdir(dir)) != NULL)
		found = e->d_name[0] != '.' &&
			(is_front_name(e->d_name) ||
			 has_switch_id(dirfd(dir), e->d_name));
	if (dir)
		(void)closedir(dir);
	return found;
}
