/* What every driver of the tree needs: its sources, its options, its instance.
 */
#pragma once

#include "petrel/platform.h"

/* A source of a driver, which never blocks unless it says so; more members may
 * follow.
 */
#define DRIVER_SOURCE(source_name, source_period_ms, hook, ...)		\
	(&(const struct platform_source){				\
		.abi = PLATFORM_ABI,					\
		.size = sizeof(struct platform_source),			\
		.name = (source_name),					\
		.period_ms = (source_period_ms),			\
		.read = (hook), __VA_ARGS__ })

/* The value of an option, else its default; NULL if that is empty or there is
 * no such option.
 */
const char *driver_option(const struct platform_driver *driver,
			  const struct platform_env *env, const char *key);

/* Zeroed memory for an instance. Checks that this driver understands the host
 * and that the options have their form. Returns -EINVAL, -ENOMEM with d.
 */
int driver_instance_new(const struct platform_driver *driver,
			const struct platform_env *env, size_t size,
			void **ret, struct diag *d);

/* An attribute that is a number. */
void driver_number(const struct platform_host *h, uint32_t handle,
		   enum attribute which, unsigned number);

/* The drivers of this build, each in the file of its name. */
extern const struct platform_driver linux_driver, module_driver, sim_driver,
	sonic_driver;
