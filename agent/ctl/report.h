/* petrel report: what is known of a finding, of a port or of the switch as one
 * page of HTML, to be attached to a ticket; of an agent that runs, or of the
 * rings and tiers that one left.
 */
#pragma once

struct invocation;

/* Writes the page to standard output. Returns the exit code. */
int report_run(const struct invocation *inv);
