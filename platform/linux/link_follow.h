/* Follows interfaces: a dump at first and now and then, and in between what
 * the kernel tells by itself.
 *
 * The core has it give samples and events of links; the reader needs only to
 * know which ports there are. Notifications that were lost are told and made
 * good by a dump.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/platform.h"
#include "platform/linux/dump.h"
#include "platform/linux/port_table.h"

struct link_follow {
	const struct platform_host *host;	/* borrowed */
	struct port_table *ports;
	struct dump dump;
	struct netlink listen;
	bool tells;		/* samples and events, not only entities */
	bool again;		/* what is known may be incomplete: dump */
	unsigned retries;	/* dumps interrupted one after the other */
	uint32_t round;
	struct mono now;	/* of the call under way */
	struct read_group age;
};

/* patterns, host: see port_table_new(). epoll_fd: where the sockets are
 * watched, -1 nowhere. Returns a negative errno with d.
 */
int link_follow_open(struct link_follow *f, const char *patterns,
		     const struct platform_host *host, int epoll_fd,
		     bool tells, struct diag *d);
/* Also of one that is all zeros. */
void link_follow_close(struct link_follow *f);

/* Asks for a dump, if none is running. Returns 0 or a negative errno. */
int link_follow_ask(struct link_follow *f, struct mono now);

/* Takes in all that has come. Returns -EINPROGRESS while a dump is running,
 * 0 when none is, another negative errno when it failed just now.
 */
int link_follow_take(struct link_follow *f, struct mono now);

/* Both at once, telling entities alone. Returns as link_follow_take(); the
 * kernel has a dump ready when it was asked, so 0 is what to expect.
 */
int link_follow_list(struct link_follow *f, struct mono now);

/* Takes in all that has come, and a dump where one is due; waits for it.
 * For the reader. Returns 0 or a negative errno.
 */
int link_follow_update(struct link_follow *f, struct mono now);
