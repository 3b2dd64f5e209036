/* petrel replay: the agent's own detectors over a recorded trace.
 *
 *   petrel replay [--ports PORTS.ndjson] [--config FILE] [--json] SAMPLES|-
 *
 * Prints one line for each change of a finding; with --json one object
 * (DESIGN.md, section 5). A line that cannot be read is told on standard error
 * with its number and skipped.
 */
#pragma once

/* argv[0] is "replay". Returns the exit status: 0 all read, 64 usage, 66 no
 * such file, 75 some lines could not be read, or the output could not be
 * written.
 */
int replay_main(int argc, char **argv);
