/* What of the switch the driver opens: the sockets of its databases with their
 * passwords, and files (C21).
 */
#pragma once

#include "petrel/platform.h"

/* As platform_driver's hook. */
void needs_tell(const struct platform_env *env, void *context,
		void (*path)(void *context, const char *path, int want,
			     bool blocks));
