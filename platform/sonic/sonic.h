/* SONiC: counters, queues, links and modules from its Redis databases.
 *
 * All sources are of the core: nothing here waits. Replies come in through the
 * instance's event descriptor.
 */
#pragma once

#include "petrel/platform.h"

extern const struct platform_driver sonic_driver;
