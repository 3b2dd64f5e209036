/* petrel history: what a value was, read by petrel itself from the rings and
 * from the tiers on disk, so that it answers with the agent down as well.
 */
#pragma once

struct invocation;

/* Handler of the command; returns an exit code. */
int history_run(const struct invocation *inv);
