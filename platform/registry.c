#include "platform/registry.h"

#include <string.h>

#include "platform/sonic/sonic.h"
#if __has_include("platform/linux/linux.h")
#include "platform/linux/linux.h"
#define HAVE_LINUX 1
#endif
#if __has_include("platform/sim/sim.h")
#include "platform/sim/sim.h"
#define HAVE_SIM 1
#endif

const struct platform_driver *const *registry(void)
{
	static const struct platform_driver *const drivers[] = {
		&sonic_driver,
#ifdef HAVE_LINUX
		&linux_driver,
#endif
#ifdef HAVE_SIM
		&sim_driver,
#endif
		NULL,
	};

	return drivers;
}

const struct platform_driver *registry_find(const char *name)
{
	for (size_t i = 0; registry()[i]; i++)
		if (strcmp(registry()[i]->name, name) == 0)
			return registry()[i];
	return NULL;
}

const struct platform_driver *registry_probe(const struct platform_env *env,
					     struct diag *d)
{
	const struct platform_driver *best = NULL;
	int best_score = 0;

	for (size_t i = 0; registry()[i]; i++) {
		int score = registry()[i]->probe(env, d);

		if (score <= best_score)
			continue;
		best = registry()[i];
		best_score = score;
	}
	return best;
}
