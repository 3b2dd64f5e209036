/* Which drivers a process opens: those that the configuration names, else the
 * one that detects its switch. Retried until there is one.
 */
#pragma once

#include <stdbool.h>
#include "agent/config/config.h"
#include "agent/sample/sampler.h"

#define DRIVERS_RETRY_NS (2 * NS_PER_S)

struct registry;

struct drivers {
	struct registry *all;
	struct sampler *sampler;
	const struct config *config;
	int root_fd;
	bool blocking;		/* the reader's */
	unsigned opened;	/* bit n: driver n of the registry */
	bool done;		/* nothing more to open */
	char reason[DIAG_MAX];	/* why not done */
};

/* Opens what is not open yet. Call again after DRIVERS_RETRY_NS while not done;
 * logs each change once.
 */
void drivers_open(struct drivers *d);

/* A driver's section: context of drivers_option(), the hook for
 * platform_env.option.
 */
struct driver_options {
	const struct config *config;
	const char *driver;
};
const char *drivers_option(void *context, const char *key);

/* Whether the configuration allows a driver of that name. */
bool drivers_may_open(const struct config *config, const char *name);
