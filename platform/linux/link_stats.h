/* An interface's 64-bit counters from an RTM_NEWSTATS message.
 *
 * The counters lie in the message; link_stats_value() reads them from there
 * by the table that ties the fields of rtnl_link_stats64 to quantities. It is
 * inline, as the core calls it over a thousand times a second.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "petrel/sample.h"

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

struct link_stats_row {
	uint16_t quantity;
	uint16_t offset;	/* in struct rtnl_link_stats64 */
};

/* The table. Constant. */
const struct link_stats_row *link_stats_rows(size_t *ret_count);

/* The value of a row. False when the kernel did not give it, or marked it as
 * absent.
 */
static inline bool link_stats_value(const struct link_stats *s,
				    const struct link_stats_row *row,
				    uint64_t *ret)
{
	if (row->offset + sizeof(*ret) > s->len)
		return false;
	memcpy(ret, s->data + row->offset, sizeof(*ret));
	return *ret != SAMPLE_COUNTER_ABSENT;
}

/* The body of an RTM_GETSTATS dump of these counters alone. Constant. */
const void *link_stats_request(size_t *ret_len);
