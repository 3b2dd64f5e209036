#include "platform/registry.h"

#include <string.h>

#include "platform/bus/module_driver.h"
#include "platform/linux/linux.h"
#include "platform/sim/sim.h"
#include "platform/sonic/sonic.h"

const struct platform_driver *const *registry(void)
{
	static const struct platform_driver *const drivers[] = {
		&sonic_driver,
		&linux_driver,
		&sim_driver,
		&module_driver,
		NULL,
	};

	return drivers;
}

const struct platform_driver *registry_find(const char *name)
{
	const struct platform_driver *const *d = registry();

	while (*d && strcmp((*d)->name, name) != 0)
		d++;
	return *d;
}
