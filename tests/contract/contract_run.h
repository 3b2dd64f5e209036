/* Drives one instance of a driver as a host's loop would, for tests.
 *
 * Keeps what platform.h says of the order of calls: no read before the last
 * one ended, event() when the descriptor is ready or the deadline is there.
 * What the driver breaks of its side becomes a fault of the recording host.
 */
#pragma once

#include <stdbool.h>
#include "petrel/platform.h"
#include "tests/support/recording_host.h"

#define CONTRACT_OPTIONS_MAX 16
#define CONTRACT_CALL_NS (5 * NS_PER_MS)	/* of what must not wait */
#define CONTRACT_HEAVY_MAX 2	/* calls of one kind that may be longer */
#define CONTRACT_END_NS (10 * NS_PER_S)		/* until a read has ended */

struct contract_setup {
	const struct platform_driver *driver;
	const char *root;			/* NULL: "/" */
	const char *option[CONTRACT_OPTIONS_MAX];	/* key=value */
	unsigned option_count;
	int64_t oldest_ns;
	int64_t slow;			/* times are longer by this factor */
};

struct contract_run {
	const struct contract_setup *setup;
	struct recording_host *record;
	struct platform_env env;
	void *instance;			/* NULL: open failed */
	int open_result;
	struct diag diag;		/* of open, inventory, the last read */
	bool waiting[PLATFORM_SOURCES_MAX];
};

/* Reads argv: driver [root=DIR] [oldest=SECONDS] [slow=FACTOR] [key=value …].
 * Returns 0 or -EINVAL with d.
 */
int contract_setup_parse(int argc, char **argv, struct contract_setup *ret,
			 struct diag *d);

/* Opens the driver; limits->oldest_ns is the setup's. A failed open is in
 * open_result. Always to be followed by contract_run_close().
 */
void contract_run_open(struct contract_run *run,
		       const struct contract_setup *setup,
		       const struct recording_limits *limits);
void contract_run_close(struct contract_run *run);

/* Calls the inventory hook; 0 where there is none. */
int contract_run_inventory(struct contract_run *run);

/* Calls the read hook of a source of this process, and checks its result. */
int contract_run_read(struct contract_run *run, unsigned source);

/* Reads each source of this process once and waits until all have ended. */
void contract_run_cycle(struct contract_run *run);
