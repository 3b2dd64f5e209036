/* The drivers of this build: one array, chosen from by name or by probe. */
#pragma once

#include "petrel/platform.h"

/* All drivers, NULL-terminated. */
const struct platform_driver *const *registry(void);

/* The driver of that name; NULL when there is none. */
const struct platform_driver *registry_find(const char *name);
