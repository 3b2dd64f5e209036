/* Follows interfaces: a dump at first and from time to time, and in between the
 * notifications of the kernel.
 *
 * In the core it gives samples and events of links; the reader only needs to
 * know the ports. Lost notifications are reported, and a dump replaces them.
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
	bool again;		/* the table may be incomplete: dump */
	unsigned retries;	/* dumps interrupted in a row */
	uint32_t round;
	struct mono now;	/* of the current call */
	struct read_group age;
};

/* patterns, host: see port_table_new(). epoll_fd watches the sockets; -1: none.
 * Returns a negative errno with d.
 */
int link_follow_open(struct link_follow *f, const char *patterns,
		     const struct platform_host *host, int epoll_fd,
		     bool tells, struct diag *d);
/* f may be all zeros. */
void link_follow_close(struct link_follow *f);

/* Asks for a dump, if none is running. Returns 0 or a negative errno. */
int link_follow_ask(struct link_follow *f, struct mono now);

/* Takes all that has arrived. Returns -EINPROGRESS while a dump is running, 0
 * if none is, another negative errno if it failed just now.
 */
int link_follow_take(struct link_follow *f, struct mono now);

/* Both at once, reporting only entities. Returns as link_follow_take(), usually
 * 0: the kernel has a dump ready as soon as it is asked.
 */
int link_follow_list(struct link_follow *f, struct mono now);

/* Takes all that has arrived, and a dump if one is due; waits for it. For the
 * reader. Returns 0 or a negative errno.
 */
int link_follow_update(struct link_follow *f, struct mono now);

/* The interfaces that are ports, by interface index, and what is known of them.
 *
 * Owns the ports' handles: it tells the host of each port that comes, goes,
 * is renamed, or comes back as another interface under its old name.
 */

#define PORT_TABLE_MAX 1024u
#define PORT_TABLE_DEFAULT "Ethernet*,swp*,eth*,en*"

struct linux_port {
	int ifindex;
	uint32_t handle;		/* the host's */
	uint32_t round;			/* the last dump that had it */
	struct link_message link;	/* newest; has 0: only its name */
	bool is_told;			/* as samples */

	/* of the reader's sources */
	bool has_settings;		/* the three below were read */
	uint32_t speed_mbps;		/* 0 unknown */
	uint32_t lanes;			/* 0 unknown */
	struct mono settings_due;
	struct mono fec_due;		/* no FEC: not asked before */
	int fec_told;			/* enum fec_mode, as text; -1 none */
	uint32_t lanes_told;
};

struct port_table;

/* patterns: NULL for PORT_TABLE_DEFAULT. host is borrowed.
 * Returns -EINVAL with d for a pattern that is empty, -ENOMEM.
 */
int port_table_new(const char *patterns, const struct platform_host *host,
		   struct port_table **ret, struct diag *d);
/* Reports nothing to the host. */
void port_table_free(struct port_table *t);

/* Takes in a message; round marks the port as seen. Returns the port, its link
 * still as before; NULL if the interface is not a port, or the host has no
 * room. Valid until the next take, drop or sweep.
 */
struct linux_port *port_table_take(struct port_table *t,
				   const struct link_message *m,
				   uint32_t round);

/* The interface is gone. */
void port_table_drop(struct port_table *t, int ifindex);

/* Drops all ports that were not seen in this round. */
void port_table_sweep(struct port_table *t, uint32_t round);

/* The port with that index, or NULL. Fast if asked in rising order. */
struct linux_port *port_table_find(struct port_table *t, int ifindex);

/* How many ports there are. */
size_t port_table_count(const struct port_table *t);

/* The n-th in order of their interface index. */
struct linux_port *port_table_get(struct port_table *t, size_t n);
