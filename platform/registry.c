#include "platform/registry.h"

#include <string.h>

#include "platform/linux/linux.h"
#include "platform/sim/sim.h"

const struct platform_driver *const *registry(void)
{
	static const struct platform_driver *const drivers[] = {
		&linux_driver,
		&sim_driver,
		NULL,
	};

	return drivers;
}

const struct platform_driver *registry_find(const char *name)
{
	for (const struct platform_driver *const *d = registry(); *d; d++)
		if (strcmp((*d)->name, name) == 0)
			return *d;
	return NULL;
}
