/* The drivers of this build, in the order in which a probe asks them. */
#pragma once

#include "petrel/platform.h"

/* All drivers, NULL at the end. */
const struct platform_driver *const *registry(void);

/* The driver of that name; NULL when there is none. */
const struct platform_driver *registry_find(const char *name);
