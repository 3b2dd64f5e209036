#include "platform/linux/link_message.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "petrel/quantity.h"

enum field_kind { FIELD_U8, FIELD_U32, FIELD_TEXT };

struct link_attribute {
	uint8_t has;		/* enum link_field */
	uint8_t kind;
	uint16_t offset;	/* in struct link_message */
	uint16_t room;		/* of a text */
};

#define FIELD(kind_, has_, member)					\
	{ (has_), (kind_), offsetof(struct link_message, member),	\
	  sizeof(((struct link_message *)0)->member) }

/* By attribute. Source: linux/if_link.h. */
static const struct link_attribute fields[] = {
	[IFLA_IFNAME] = FIELD(FIELD_TEXT, LINK_NAME, name),
	[IFLA_IFALIAS] = FIELD(FIELD_TEXT, LINK_ALIAS, alias),
	[IFLA_OPERSTATE] = FIELD(FIELD_U8, LINK_OPERSTATE, operstate),
	[IFLA_MTU] = FIELD(FIELD_U32, LINK_MTU, mtu_octets),
	[IFLA_CARRIER_CHANGES] =
		FIELD(FIELD_U32, LINK_CARRIER_CHANGES, carrier_changes),
	[IFLA_CARRIER_DOWN_COUNT] =
		FIELD(FIELD_U32, LINK_CARRIER_DOWN_COUNT, carrier_down_count),
};

static const struct link_attribute kind_field =
	FIELD(FIELD_TEXT, LINK_KIND, kind);

#define FIELD_COUNT (sizeof(fields) / sizeof(fields[0]))

/* False if shorter than its type. Texts need no NUL and are truncated. */
static bool field_read(const struct link_attribute *f, const struct nlattr *a,
		       struct link_message *m)
{
	char *at = (char *)m + f->offset;
	size_t len = (size_t)nla_len(a);
	size_t need = f->kind == FIELD_U8 ? 1 : sizeof(uint32_t);

	if (f->kind == FIELD_TEXT) {
		len = strnlen(nla_data(a), len);
		need = len < f->room ? len : f->room - 1u;
		at[need] = '\0';
	}
	if (len < need)
		return false;
	memcpy(at, nla_data(a), need);
	m->has |= f->has;
	return true;
}

/* IFLA_LINKINFO: only the kind is used. */
static bool linkinfo_read(const struct nlattr *nest, struct link_message *m)
{
	struct nlattr *a;
	int left;

	nla_for_each_nested(a, nest, left)
		if (nla_type(a) == IFLA_INFO_KIND)
			return field_read(&kind_field, a, m);
	return true;
}

static bool attribute_read(const struct nlattr *a, struct link_message *m)
{
	unsigned type = (unsigned)nla_type(a);

	if (type == IFLA_LINKINFO)
		return linkinfo_read(a, m);
	if (type >= FIELD_COUNT || fields[type].has == 0)
		return true;
	return field_read(&fields[type], a, m);
}

int link_message_parse(struct nlmsghdr *h, struct link_message *ret)
{
	struct link_message m = { 0 };
	struct ifinfomsg info;
	struct nlattr *a;
	int left;

	if (h->nlmsg_type != RTM_NEWLINK && h->nlmsg_type != RTM_DELLINK)
		return -ENOMSG;
	if (!nlmsg_valid_hdr(h, sizeof(info)))
		return -EBADMSG;
	memcpy(&info, nlmsg_data(h), sizeof(info));
	if (info.ifi_family != AF_UNSPEC)
		return -ENOMSG;
	m.ifindex = info.ifi_index;
	m.arphrd = info.ifi_type;
	m.flags = info.ifi_flags;
	nlmsg_for_each_attr(a, h, sizeof(info), left)
		if (!attribute_read(a, &m))
			return -EBADMSG;
	if (!(m.has & LINK_NAME) || m.name[0] == '\0')
		return -ENOMSG;
	*ret = m;
	return 0;
}

bool link_message_is_up(const struct link_message *m)
{
	const uint32_t all = IFF_UP | IFF_RUNNING | IFF_LOWER_UP;

	return (m->flags & all) == all;
}

const void *link_message_request(size_t *ret_len)
{
	static const struct {
		struct ifinfomsg info;
		struct nlattr head;
		uint32_t mask;
	} request = {
		.info = { .ifi_family = AF_UNSPEC },
		.head = { NLA_HDRLEN + sizeof(uint32_t), IFLA_EXT_MASK },
		.mask = RTEXT_FILTER_SKIP_STATS,
	};

	*ret_len = sizeof(request);
	return &request;
}

/* --- RTM_GETSTATS --------------------------------------------------------- */

#define ROW(symbol, member)						\
	{ Q_##symbol, offsetof(struct rtnl_link_stats64, member) }

/* Source: linux/if_link.h, struct rtnl_link_stats64. rx_dropped counts frames
 * that the host dropped, rx_missed_errors those that the device had no room
 * for.
 */
static const struct link_stats_row rows[] = {
	ROW(IF_IN_FRAMES, rx_packets),
	ROW(IF_OUT_FRAMES, tx_packets),
	ROW(IF_IN_OCTETS, rx_bytes),
	ROW(IF_OUT_OCTETS, tx_bytes),
	ROW(IF_IN_ERRORS, rx_errors),
	ROW(IF_OUT_ERRORS, tx_errors),
	ROW(IF_IN_DISCARDS, rx_dropped),
	ROW(IF_OUT_DISCARDS, tx_dropped),
	ROW(IF_IN_MULTICAST_FRAMES, multicast),
	ROW(COLLISIONS, collisions),
	ROW(RX_LENGTH_ERRORS, rx_length_errors),
	ROW(RX_OVER_ERRORS, rx_over_errors),
	ROW(DOT3_FCS_ERRORS, rx_crc_errors),
	ROW(RX_FRAME_ERRORS, rx_frame_errors),
	ROW(RX_FIFO_ERRORS, rx_fifo_errors),
	ROW(RX_MISSED_ERRORS, rx_missed_errors),
	ROW(TX_ABORTED_ERRORS, tx_aborted_errors),
	ROW(DOT3_CARRIER_SENSE_ERRORS, tx_carrier_errors),
	ROW(TX_FIFO_ERRORS, tx_fifo_errors),
	ROW(TX_HEARTBEAT_ERRORS, tx_heartbeat_errors),
	ROW(TX_WINDOW_ERRORS, tx_window_errors),
	ROW(RX_NOHANDLER_FRAMES, rx_nohandler),
};

int link_stats_parse(struct nlmsghdr *h, struct link_stats *ret)
{
	struct if_stats_msg head;
	struct nlattr *a;
	int left;

	if (h->nlmsg_type != RTM_NEWSTATS)
		return -ENOMSG;
	if (!nlmsg_valid_hdr(h, sizeof(head)))
		return -EBADMSG;
	memcpy(&head, nlmsg_data(h), sizeof(head));
	nlmsg_for_each_attr(a, h, sizeof(head), left) {
		if (nla_type(a) != IFLA_STATS_LINK_64)
			continue;
		ret->ifindex = (int)head.ifindex;
		ret->data = nla_data(a);
		ret->len = (size_t)nla_len(a);
		return 0;
	}
	return -ENOMSG;
}

const struct link_stats_row *link_stats_rows(size_t *ret_count)
{
	*ret_count = sizeof(rows) / sizeof(rows[0]);
	return rows;
}

const void *link_stats_request(size_t *ret_len)
{
	static const struct if_stats_msg request = {
		.filter_mask = IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64),
	};

	*ret_len = sizeof(request);
	return &request;
}
