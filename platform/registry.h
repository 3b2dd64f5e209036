/* The drivers of this build, one row each. Which of them a switch uses, the
 * configuration says, or else their probes.
 */
#pragma once

#include "petrel/platform.h"

/* All of them, NULL-terminated. */
const struct platform_driver *const *registry(void);

/* By name; NULL when there is none. */
const struct platform_driver *registry_find(const char *name);
