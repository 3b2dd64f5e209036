/* An interface's 64-bit counters from an RTM_NEWSTATS message.
 *
 * The counters lie in the message; link_stats_value() reads them from there
 * by the table that ties the fields of rtnl_link_stats64 to quantities.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nlmsghdr;

struct link_stats {
	int ifindex;
	const uint8_t *data;	/* borrowed from the message */
	size_t len;		/* older kernels know fewer counters */
};

/* Returns 0; -ENOMSG for another type or one without the counters;
 * -EBADMSG when it is malformed.
 */
int link_stats_parse(struct nlmsghdr *h, struct link_stats *ret);

/* Number of rows that link_stats_value() knows. */
size_t link_stats_count(void);

/* Row n: its quantity and its value. False when the kernel did not give it,
 * or marked it as absent.
 */
bool link_stats_value(const struct link_stats *s, size_t n,
		      uint16_t *ret_quantity, uint64_t *ret_value);

/* The body of an RTM_GETSTATS dump of these counters alone. Constant. */
const void *link_stats_request(size_t *ret_len);
