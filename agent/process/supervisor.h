/* The parent of the three others: forks them, forks again what died or hung,
 * reads the configuration for all, CONFIG_DB's part on its unix socket without
 * waiting. No threads, no samples, no network.
 */
#pragma once

#include <stdbool.h>

#include "agent/process/control.h"

struct settings;

/* Until SIGTERM or SIGINT; SIGHUP reloads. config_path is read again at each
 * reload; settings, NULL where there can be none, is followed. Returns the
 * program's exit status.
 */
int supervisor_run(struct process_env *env, const char *config_path,
		   bool config_optional, struct settings *settings);
