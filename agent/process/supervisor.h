/* The parent of the three others: forks them, forks again what died or hung,
 * reads the configuration for all. No threads, no samples, no network.
 *
 * A child that shows no heartbeat for SUPERVISOR_HANG_NS is killed; a reader
 * that even a kill does not end (it waits for a bus) is left behind, at most
 * SUPERVISOR_ABANDON_MAX of them, and another takes over.
 */
#pragma once

#include "agent/process/control.h"

#define SUPERVISOR_HANG_NS (15 * NS_PER_S)
#define SUPERVISOR_ABANDON_MAX 2
#define SUPERVISOR_BACK_OFF_MAX_NS (5 * NS_PER_S)

/* Until SIGTERM or SIGINT; SIGHUP reloads. config_path is read again at each
 * reload. Returns the program's exit status.
 */
int supervisor_run(struct process_env *env, const char *config_path,
		   bool config_optional);
