/* Follows interfaces: a dump at first and now and then, and in between what
 * the kernel tells by itself.
 *
 * The core has it give samples and events of links; the reader needs only to
 * know which ports there are. Notifications that were lost are told and made
 * good by a dump.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/if.h>

#include "petrel/platform.h"
#include "platform/linux/link_message.h"
#include "platform/linux/netlink.h"

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

/* Which interfaces are ports, by interface index, and what is known of them.
 *
 * Owns the ports' handles: it tells the host of each port that comes, goes,
 * is renamed, or comes back as another interface under its old name.
 */

#define PORT_TABLE_MAX 1024u
#define PORT_TABLE_DEFAULT "Ethernet*,swp*,eth*,en*"

struct linux_port {
	int ifindex;
	uint32_t handle;		/* the host's */
	uint32_t round;			/* the dump that saw it last */
	struct link_message link;	/* newest; has 0: only its name */
	bool is_told;			/* as samples */

	/* of the reader's sources */
	bool has_settings;		/* the three below were read */
	uint32_t speed_mbps;		/* 0 unknown */
	uint32_t lanes;			/* 0 unknown */
	struct mono settings_due;
	struct mono fec_due;		/* has none: not asked before */
	int fec_told;			/* enum fec_mode, as text; -1 none */
	uint32_t lanes_told;
};

struct port_table;

/* patterns: NULL for PORT_TABLE_DEFAULT. host is borrowed.
 * Returns -EINVAL with d for a pattern that is empty, -ENOMEM.
 */
int port_table_new(const char *patterns, const struct platform_host *host,
		   struct port_table **ret, struct diag *d);
/* Tells the host nothing. */
void port_table_free(struct port_table *t);

/* Takes in what a message said; round marks the port as seen. Returns the
 * port, its link still as before; NULL when the interface is no port, or the
 * host has no room. Valid until the next take, drop or sweep.
 */
struct linux_port *port_table_take(struct port_table *t,
				   const struct link_message *m,
				   uint32_t round);

/* The interface is no more. */
void port_table_drop(struct port_table *t, int ifindex);

/* Drops all that were not seen in this round. */
void port_table_sweep(struct port_table *t, uint32_t round);

/* The port with that index, or NULL. Cheap when asked in rising order. */
struct linux_port *port_table_find(struct port_table *t, int ifindex);

/* How many ports there are. */
size_t port_table_count(const struct port_table *t);

/* The n-th in order of their interface index. */
struct linux_port *port_table_get(struct port_table *t, size_t n);
