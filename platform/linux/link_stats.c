#include "platform/linux/link_stats.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "petrel/quantity.h"

#define ROW(symbol, member)						\
	{ Q_##symbol, offsetof(struct rtnl_link_stats64, member) }

/* Source: linux/if_link.h, struct rtnl_link_stats64. rx_dropped counts frames
 * that the host let fall, rx_missed_errors those for which the device had no
 * room.
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
