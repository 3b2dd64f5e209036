/* petrel replay: the agent's own detectors over a recorded trace.
 *
 *   petrel replay [--ports PORTS.ndjson] [--config FILE] [--json] SAMPLES|-
 *
 * Prints one line for each change of a finding; with --json one object
 * (DESIGN.md, section 5). A line that cannot be read is told on standard error
 * with its number and skipped.
 */
#pragma once

struct invocation;

/* Handler of the command. Returns the exit code: 0 all read, 66 no such file,
 * 75 some lines could not be read.
 */
int replay_run(const struct invocation *inv);
