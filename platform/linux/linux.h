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

extern const struct platform_driver linux_driver;
