/* petrel watch: a live screen. Ports, findings, and what belongs to one port,
 * each as the command of that name prints it, asked anew each second; with the
 * agent down, what it left in its rings.
 */
#pragma once

struct invocation;

/* Returns the exit code. */
int watch_run(const struct invocation *inv);
