/* What an RTM_NEWLINK or RTM_DELLINK message says about an interface.
 *
 * Reads one message; keeps nothing. Source: rtnetlink(7), if_link.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <linux/if.h>

#include "petrel/entity.h"
#include "petrel/sample.h"

struct nlmsghdr;

enum link_field {	/* fields that were present, as bits of has */
	LINK_NAME = 1 << 0,
	LINK_ALIAS = 1 << 1,
	LINK_KIND = 1 << 2,
	LINK_OPERSTATE = 1 << 3,
	LINK_MTU = 1 << 4,
	LINK_CARRIER_CHANGES = 1 << 5,
	LINK_CARRIER_DOWN_COUNT = 1 << 6,
};

struct link_message {
	int ifindex;
	uint16_t arphrd;		/* ARPHRD_… */
	uint32_t flags;			/* IFF_… */
	unsigned has;			/* enum link_field */
	char name[IFNAMSIZ];
	char alias[ATTRIBUTE_TEXT_MAX];	/* truncated if longer */
	char kind[IFNAMSIZ];		/* veth, bridge …; "" for hardware */
	uint8_t operstate;		/* IF_OPER_… of the kernel */
	uint32_t mtu_octets;
	uint32_t carrier_changes;
	uint32_t carrier_down_count;
};

/* Returns 0; -ENOMSG if it is not about an interface as such (another type, a
 * bridge's view of it, no name); -EBADMSG if it is malformed.
 */
int link_message_parse(struct nlmsghdr *h, struct link_message *ret);

/* True when frames can pass: up by configuration, carrier, operational. */
bool link_message_is_up(const struct link_message *m);

/* The body of an RTM_GETLINK dump, without the counters, which would double
 * its cost. Borrowed, constant.
 */
const void *link_message_request(size_t *ret_len);

/* An interface's 64-bit counters from an RTM_NEWSTATS message.
 *
 * The counters stay in the message; link_stats_value() reads them there, by the
 * table that maps the fields of rtnl_link_stats64 to quantities. It is inline,
 * as the core calls it over a thousand times a second.
 */

struct nlmsghdr;

struct link_stats {
	int ifindex;
	const uint8_t *data;	/* borrowed from the message */
	size_t len;		/* older kernels have fewer counters */
};

/* Returns 0; -ENOMSG for another type or one without the counters; -EBADMSG if
 * it is malformed.
 */
int link_stats_parse(struct nlmsghdr *h, struct link_stats *ret);

struct link_stats_row {
	uint16_t quantity;
	uint16_t offset;	/* in struct rtnl_link_stats64 */
};

/* The table. Constant. */
const struct link_stats_row *link_stats_rows(size_t *ret_count);

/* The value of a row. False if the kernel did not give it, or marked it as
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

/* The body of an RTM_GETSTATS dump of these counters only. Constant. */
const void *link_stats_request(size_t *ret_len);
