/* Sources fec and ethtool, of the reader: what the ports' drivers report by
 * ethtool netlink, one port at a time, so that a port that fails or hangs its
 * firmware does not cost the others their values.
 *
 * A port whose driver has no FEC is asked again once a minute.
 */
#pragma once

#include "petrel/platform.h"
#include "platform/linux/link_follow.h"
#include "platform/linux/netlink.h"

struct ethtool_source {
	const struct platform_host *host;	/* borrowed */
	struct link_follow *links;		/* borrowed */
	struct netlink nl;
	int family;				/* <= 0: this kernel has none */
};

/* Does not fail on a kernel without ethtool netlink; each read does. */
int ethtool_source_open(struct ethtool_source *s, struct link_follow *links,
			const struct platform_host *host, struct diag *d);
/* s may be all zeros. */
void ethtool_source_close(struct ethtool_source *s);

/* The read hook's work for fec: mode and counters. Returns as that does. */
int ethtool_source_read_fec(struct ethtool_source *s, struct diag *d);

/* For ethtool: speed and lanes every ten seconds, down reasons each time. */
int ethtool_source_read_settings(struct ethtool_source *s, struct diag *d);
