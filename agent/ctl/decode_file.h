/* petrel decode: a module's memory from files, on any machine. */
#pragma once

struct invocation;

/* The files that were named, `-` is standard input; or the list of registers.
 * Returns EXIT_ANSWERED, EXIT_INCOMPLETE when a file ends early, EXIT_NO_SUCH
 * when one cannot be read, EXIT_BAD_DATA when one is no module's memory: the
 * gravest of all files.
 */
int decode_run(const struct invocation *inv);
