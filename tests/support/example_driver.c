/* A driver from outside the tree (C7): one sensor, as warm as its option says.
 * It is built as such drivers are, against include/petrel alone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "petrel/platform.h"

struct instance {
	const struct platform_host *host;
	uint32_t sensor;
	int64_t temp_mc;
};

static int example_open(const struct platform_env *env, void **ret_instance,
			struct diag *d)
{
	const char *level = env->option(env->option_context, "level");
	struct instance *i = calloc(1, sizeof(*i));

	if (!i || !level) {
		(void)snprintf(d->text, sizeof(d->text), "no level");
		free(i);
		return -EINVAL;
	}
	i->host = env->host;
	i->temp_mc = strtoll(level, NULL, 10) * 1000;
	*ret_instance = i;
	return 0;
}

static int example_inventory(void *instance, struct diag *d)
{
	static const struct entity_key key = { .kind = ENTITY_SENSOR,
					       .name = "oven" };
	struct instance *i = instance;

	(void)d;
	return i->host->entity(i->host->context, &key, &i->sensor);
}

static int heat_read(void *instance, struct mono now, struct diag *d)
{
	const struct instance *i = instance;
	const struct read_group age = { .taken = now };

	(void)d;
	i->host->group(i->host->context, 0, i->sensor, &age);
	i->host->sample(i->host->context, Q_SENSOR_TEMP_MC, 0, i->temp_mc,
			QUALITY_GOOD);
	return 0;
}

static const struct platform_source heat = {
	.abi = PLATFORM_ABI,
	.size = sizeof(heat),
	.name = "heat",
	.period_ms = 1000,
	.blocks = true,
	.read = heat_read,
};

static const struct platform_source *const sources[] = { &heat, NULL };

extern const struct platform_driver petrel_driver;
const struct platform_driver petrel_driver = {
	.abi = PLATFORM_ABI,
	.size = sizeof(petrel_driver),
	.name = "example",
	.open = example_open,
	.close = free,
	.inventory = example_inventory,
	.sources = sources,
};
