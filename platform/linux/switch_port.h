/* Is this machine a switch? Only asked where the configuration does not say.
 */
#pragma once

#include <stdbool.h>

/* True when an interface below sys/class/net belongs to a switch: the kernel
 * gives it the id of one (switchdev), or it is named as front ports are.
 */
bool switch_port_exists(int root_fd);
