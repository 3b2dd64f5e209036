/* The driver for any Linux switch: what the kernel itself tells.
 *
 * Core: rtnetlink, never waiting. Reader: ethtool netlink, and hwmon by
 * libsensors. All netlink belongs to the network namespace of the process; a
 * root directory other than "/" changes only where hwmon would be looked for.
 *
 * Option, section [Linux]:
 *   interfaces  comma-joined patterns (fnmatch) of the interfaces that are
 *               ports; all of their kinds are taken. Unset:
 *               Ethernet*,swp*,eth*,en* and of these only real devices, veth
 *               and netdevsim: no bridge, bond, VLAN, tunnel or container's.
 *
 * On SONiC the kernel's interfaces count the CPU's traffic alone; the sonic
 * driver is the right one there, and its probe scores higher.
 */
#pragma once

#include "petrel/platform.h"

/* Numbers of the sources, as host->group() and host->source() take them. */
enum linux_source {
	LINUX_COUNTERS,		/* core: RTM_GETSTATS */
	LINUX_LINKS,		/* core: RTM_GETLINK, and link events */
	LINUX_FEC,		/* reader: FEC mode and statistics */
	LINUX_ETHTOOL,		/* reader: speed, lanes, why a link is down */
	LINUX_SENSORS,		/* reader: hwmon */
	LINUX_SOURCE_COUNT,
};

extern const struct platform_driver linux_driver;
