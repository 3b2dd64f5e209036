/* The parent of the other processes: forks them, restarts those that died or
 * hung, reads the configuration for all, with CONFIG_DB's part from its unix
 * socket without blocking. No threads, no samples, no network.
 */
#pragma once

#include <stdbool.h>

#include "agent/process/control.h"

struct settings;

/* Runs until SIGTERM or SIGINT; SIGHUP reloads. Each reload reads config_path
 * again; settings is followed, or NULL if there can be none. Returns the
 * program's exit status.
 */
int supervisor_run(struct process_env *env, const char *config_path,
		   bool config_optional, struct settings *settings);
