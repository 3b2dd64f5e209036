/* petrel-collector at work: the socket, the spool, the sync, the sink. */
#pragma once

#include "agent/config/config.h"
#include "petrel/diag.h"

/* Takes records until SIGTERM or SIGINT. SIGHUP reads the file again and
 * takes over the log's level; SIGUSR1 logs the counts. path names the
 * configuration's file.
 * Returns 0, or a negative errno with d.
 */
int collector_run(const struct collector_config *config, const char *path,
		  struct diag *d);
