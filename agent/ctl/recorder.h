/* petrel record: writes what the agent sees as a trace, PORTS.ndjson and
 * SAMPLES.ndjson, until the time is over or somebody interrupts it.
 */
#pragma once

struct invocation;

/* Handler of the command; returns an exit code. */
int recorder_run(const struct invocation *inv);
