/* petrel bugreport: what somebody else needs to understand what this agent
 * did, in one tarball without secrets.
 */
#pragma once

struct invocation;

/* Returns an exit code; prints where the report is, or the reason why not. */
int bugreport_run(const struct invocation *inv);
