/* The `module` platform: the memory of pluggable modules, where no daemon of
 * the switch reads it for us. Opened beside linux by itself; on SONiC, where
 * xcvrd has the modules and STATE_DB tells what it read, by `driver =
 * sonic,module` alone.
 *
 * Options: map (see map.h), owner (C6), budget (bus time a round).
 */
#pragma once

#include "petrel/platform.h"

extern const struct platform_driver module_driver;
