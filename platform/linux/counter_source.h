/* Source counters: the 64-bit counters of all ports by one RTM_GETSTATS dump.
 *
 * A port that disappears during a dump is absent from it; a new one is left out
 * until link_follow knows it.
 */
#pragma once

#include "petrel/platform.h"
#include "platform/linux/netlink.h"
#include "platform/linux/link_follow.h"

struct counter_source {
	const struct platform_host *host;	/* borrowed */
	struct port_table *ports;		/* borrowed */
	struct dump dump;
	struct read_group age;			/* of the current part */
};

/* All but s is borrowed until close. Returns a negative errno with d. */
int counter_source_open(struct counter_source *s, struct port_table *ports,
			const struct platform_host *host, int epoll_fd,
			struct diag *d);
/* s may be all zeros. */
void counter_source_close(struct counter_source *s);

/* Starts a dump. Returns -EINPROGRESS, or another negative errno with d. */
int counter_source_read(struct counter_source *s, struct mono now,
			struct diag *d);

/* Takes what has arrived, and tells the host if the dump is over or failed. */
void counter_source_take(struct counter_source *s, struct mono now);
