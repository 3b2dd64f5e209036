/* petrel replay alone, for tests that need no other part of petrel. */
#include <errno.h>

#include "agent/config/config.h"
#include "agent/ctl/replay.h"

/* Where the configuration is not linked, --config is refused. */
__attribute__((weak)) int config_load(const char *path, bool optional,
				      struct config *ret, struct diag *d)
{
	(void)optional;
	(void)ret;
	return diag_set(d, -ENOSYS, "%s: no configuration in this build",
			path);
}

int main(int argc, char **argv)
{
	return replay_main(argc, argv);
}
