#include "platform/linux/chassis_label.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/label.h"
#include "agent/base/path.h"
#include "petrel/platform.h"

#define LINE_MAX_OCTETS 128

/* Only root can read serial numbers: most agents get none. */
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
		(void)path_line(root_fd, files[i], line, sizeof(line));
		label_serial(line, ret);
	}
}

static bool interface_line(int root_fd, const char *name, const char *file,
			   char ret[static LINE_MAX_OCTETS])
{
	char path[NAME_MAX + 64];

	(void)snprintf(path, sizeof(path), "sys/class/net/%s/%s", name, file);
	return path_line(root_fd, path, ret, LINE_MAX_OCTETS);
}

/* A permanent address (addr_assign_type 0) of real hardware: bridges, VLANs and
 * bonds borrow theirs. Documentation/ABI/testing/sysfs-class-net.
 */
static bool is_permanent(int root_fd, int net_fd, const char *name)
{
	char path[NAME_MAX + 32], line[LINE_MAX_OCTETS];

	(void)snprintf(path, sizeof(path), "%s/device", name);
	return faccessat(net_fd, path, F_OK, 0) == 0 &&
	       interface_line(root_fd, name, "addr_assign_type", line) &&
	       strcmp(line, "0") == 0;
}

struct lowest {
	int root_fd;
	char mac[LABEL_MAC_MAX];
};

static int interface_take(void *context, int net_fd, const char *name)
{
	char line[LINE_MAX_OCTETS], mac[LABEL_MAC_MAX] = "";
	struct lowest *l = context;

	if (is_permanent(l->root_fd, net_fd, name) &&
	    interface_line(l->root_fd, name, "address", line))
		label_mac(line, mac);
	if (mac[0] && (!l->mac[0] || strcmp(mac, l->mac) < 0))
		(void)strcpy(l->mac, mac);
	return 0;
}

void chassis_label_tell(int root_fd, const struct platform_host *host)
{
	static const struct entity_key self = { .kind = ENTITY_SWITCH };
	/* The lowest MAC: the first of the range that the vendor assigned to
	 * the chassis, whatever the order of the interfaces.
	 */
	struct lowest l = { .root_fd = root_fd };
	char serial[LABEL_SERIAL_MAX];
	uint32_t handle;

	serial_find(root_fd, serial);
	(void)path_each(root_fd, "sys/class/net", interface_take, &l);
	if ((!serial[0] && !l.mac[0]) ||
	    host->entity(host->context, &self, &handle) < 0)
		return;
	if (serial[0])	/* else another driver may know it */
		host->attribute(host->context, handle, ATTRIBUTE_SERIAL,
				serial);
	if (l.mac[0])
		host->attribute(host->context, handle, ATTRIBUTE_MAC, l.mac);
}
