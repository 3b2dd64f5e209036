/* Numbers of the driver's sources, as host->group() and host->source() take
 * them.
 */
#pragma once

enum linux_source {
	LINUX_COUNTERS,		/* core: RTM_GETSTATS */
	LINUX_LINKS,		/* core: RTM_GETLINK, and link events */
	LINUX_FEC,		/* reader: FEC mode and statistics */
	LINUX_ETHTOOL,		/* reader: speed, lanes, why a link is down */
	LINUX_SENSORS,		/* reader: hwmon */
	LINUX_SOURCE_COUNT,
};

#define PART_REASON 1u	/* of links and ethtool: the reason, read apart */
