#include "platform/linux/chassis_label.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/label.h"
#include "agent/base/path.h"
#include "petrel/platform.h"

#define LINE_MAX_OCTETS 128

/* The file's first line; "" where it cannot be read. */
static void line_read(int fd, char ret[static LINE_MAX_OCTETS])
{
	ssize_t n = fd >= 0 ? read(fd, ret, LINE_MAX_OCTETS - 1) : -1;

	ret[n > 0 ? n : 0] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
	if (fd >= 0)
		(void)close(fd);
}

/* The kernel shows serial numbers to root alone: most agents are not told. */
static void serial_find(int root_fd, char ret[static LABEL_SERIAL_MAX])
{
	static const char *const files[] = {
		"sys/class/dmi/id/chassis_serial",
		"sys/class/dmi/id/product_serial",
	};
	char line[LINE_MAX_OCTETS];

	ret[0] = '\0';
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !ret[0];
	     i++) {
		line_read(path_open(root_fd, files[i], O_RDONLY), line);
		label_serial(line, ret);
	}
}

static void interface_line(int net_fd, const char *name, const char *file,
			   char ret[static LINE_MAX_OCTETS])
{
	char path[NAME_MAX + 32];

	(void)snprintf(path, sizeof(path), "%s/%s", name, file);
	line_read(openat(net_fd, path, O_RDONLY | O_CLOEXEC), ret);
}

/* Burnt in (addr_assign_type 0), and of hardware: bridges, VLANs and bonds
 * borrow theirs. Documentation/ABI/testing/sysfs-class-net.
 */
static bool is_permanent(int net_fd, const char *name)
{
	char path[NAME_MAX + 32], line[LINE_MAX_OCTETS];

	(void)snprintf(path, sizeof(path), "%s/device", name);
	if (faccessat(net_fd, path, F_OK, 0) < 0)
		return false;
	interface_line(net_fd, name, "addr_assign_type", line);
	return strcmp(line, "0") == 0;
}

/* The lowest of them: the first of the range that the maker gave the chassis,
 * whatever order the interfaces come in.
 */
static void mac_find(int root_fd, char ret[static LABEL_MAC_MAX])
{
	int fd = path_open(root_fd, "sys/class/net", O_RDONLY | O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	char line[LINE_MAX_OCTETS], mac[LABEL_MAC_MAX];
	struct dirent *e;

	ret[0] = '\0';
	if (!dir && fd >= 0)
		(void)close(fd);
	while (dir && (e = readdir(dir)) != NULL) {
		if (e->d_name[0] == '.' || !is_permanent(fd, e->d_name))
			continue;
		interface_line(fd, e->d_name, "address", line);
		label_mac(line, mac);
		if (mac[0] && (!ret[0] || strcmp(mac, ret) < 0))
			(void)strcpy(ret, mac);
	}
	if (dir)
		(void)closedir(dir);
}

void chassis_label_tell(int root_fd, const struct platform_host *host)
{
	static const struct entity_key self = { .kind = ENTITY_SWITCH };
	char serial[LABEL_SERIAL_MAX], mac[LABEL_MAC_MAX];
	uint32_t handle;

	serial_find(root_fd, serial);
	mac_find(root_fd, mac);
	if ((!serial[0] && !mac[0]) ||
	    host->entity(host->context, &self, &handle) < 0)
		return;
	if (serial[0])	/* another driver may know */
		host->attribute(host->context, handle, ATTRIBUTE_SERIAL,
				serial);
	if (mac[0])
		host->attribute(host->context, handle, ATTRIBUTE_MAC, mac);
}
