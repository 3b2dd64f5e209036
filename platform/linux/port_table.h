/* Which interfaces are ports, by interface index, and what is known of them.
 *
 * Owns the ports' handles: it tells the host of each port that comes, goes,
 * is renamed, or comes back as another interface under its old name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/if.h>
#include "petrel/platform.h"
#include "platform/linux/link_message.h"

#define PORT_TABLE_MAX 1024u
#define PORT_TABLE_DEFAULT "Ethernet*,swp*,eth*,en*"

struct port {
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
struct port *port_table_take(struct port_table *t, const struct link_message *m,
			     uint32_t round);

/* The interface is no more. */
void port_table_drop(struct port_table *t, int ifindex);

/* Drops all that were not seen in this round. */
void port_table_sweep(struct port_table *t, uint32_t round);

/* The port with that index, or NULL. Cheap when asked in rising order. */
struct port *port_table_find(struct port_table *t, int ifindex);

/* How many ports there are. */
size_t port_table_count(const struct port_table *t);

/* The n-th in order of their interface index. */
struct port *port_table_get(struct port_table *t, size_t n);
