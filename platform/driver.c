#include "platform/driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/option.h"

const char *driver_option(const struct platform_driver *driver,
			  const struct platform_env *env, const char *key)
{
	const char *text = env->option ?
		env->option(env->option_context, key) : NULL;

	for (const struct option_key *o = driver->options;
	     !text && o && o->key; o++)
		if (strcmp(o->key, key) == 0)
			text = o->value;
	return text && text[0] ? text : NULL;
}

int driver_instance_new(const struct platform_driver *driver,
			const struct platform_env *env, size_t size,
			void **ret, struct diag *d)
{
	void *instance;

	if (env->abi != PLATFORM_ABI || !env->host)
		return diag_set(d, -EINVAL, "the host speaks version %u of the "
				"driver interface; expected %u", env->abi,
				PLATFORM_ABI);
	for (const struct option_key *o = driver->options; o && o->key; o++) {
		const char *text = driver_option(driver, env, o->key);

		if (text && option_judge(o, text, d) < 0)
			return diag_prefix(d, -EINVAL, "driver %s",
					   driver->name);
	}
	instance = calloc(1, size);
	if (!instance)
		return diag_set(d, -ENOMEM, "no memory for the %s driver",
				driver->name);
	*ret = instance;
	return 0;
}

void driver_number(const struct platform_host *h, uint32_t handle,
		   enum attribute which, unsigned number)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%u", number);
	h->attribute(h->context, handle, which, text);
}
