/* The stream's socket: a generic netlink family that the switch's vendor module
 * registers when the chip's host interface is made, so that it comes and goes.
 *
 * nlctrl notifies us of both; we then join the family's group, along with any
 * other listeners. A datagram holds netlink messages, each of them a generic
 * header and IPFIX messages, without attributes. The kernel drops data that do
 * not fit in the receive buffer: that is an overrun, and counted.
 *
 * With a test port, a socket of NETLINK_USERSOCK at that port, and in group
 * 1 + port % 31, stands in for the family: data that a test sends there take
 * the same way from the first octet on, including overruns.
 *
 * A netlink socket belongs to one network namespace. If the switch has one for
 * each ASIC, a family may be there or (like sonic_stel, as long as its module
 * does not set netnsok) only in the first one: the caller says where.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "platform/linux/netlink.h"

#define HFT_NAME_MAX 16			/* GENL_NAMSIZ */
#define HFT_DATAGRAM_MAX (16u << 20)	/* a larger one is dropped */
#define HFT_ROOM_OCTETS (4u << 20)	/* requested by SO_RCVBUF */
#define HFT_WAKE_DATAGRAMS 64u		/* per wake-up: others get a turn */
#define HFT_WAKE_OCTETS (4u << 20)

/* IPFIX messages of one netlink message. */
typedef void hft_payload_fn(void *context, const void *octets, size_t len);

/* Where to look for which family; texts are borrowed. */
struct hft_netlink_env {
	const char *family, *group;
	uint32_t test_port;		/* 0: the kernel's family */
	int epoll_fd, root_fd;		/* borrowed */
	const char *netns;		/* "": that of this process */
};

struct hft_netlink {
	struct hft_netlink_env env;
	uint64_t netns_identity;	/* of the one it was opened in */
	int netns_error;		/* why it could not be entered */
	struct netlink control, data;	/* data.sock NULL: no family now */
	bool asked;			/* the first answer has arrived */
	uint16_t family_id;		/* 0: any, for tests */
	size_t room;			/* of the receive buffer */
	int error;			/* negative errno: why no data */
	uint64_t overruns;		/* times that the kernel dropped some */
	uint64_t too_long;		/* datagrams */
	uint64_t bad_frames;		/* malformed netlink messages */
};

/* Looks for the family. Returns a negative errno if there is no netlink. It
 * does not fail if a namespace cannot be entered: n->netns_error says why, and
 * hft_netlink_follow() tries again.
 */
int hft_netlink_open(struct hft_netlink *n, const struct hft_netlink_env *env);
/* Enters its namespace again, if that was replaced, or could not be entered
 * before. Keeps the counts. Call it from time to time.
 */
void hft_netlink_follow(struct hft_netlink *n);
/* n may be all zeros. */
void hft_netlink_close(struct hft_netlink *n);

/* True if the family exists and its group was joined. */
bool hft_netlink_is_up(const struct hft_netlink *n);

/* Takes waiting data, up to the limits of a wake-up. */
void hft_netlink_take(struct hft_netlink *n, hft_payload_fn *fn, void *context);

/* A family, as nlctrl describes it. */
struct hft_family {
	uint8_t command;		/* CTRL_CMD_… */
	char name[HFT_NAME_MAX];
	uint16_t id;
	uint32_t group_id;		/* of that group; 0: none */
};

/* Reads a message of nlctrl. Returns -EBADMSG if it is malformed. */
int hft_family_parse(struct nlmsghdr *h, const char *group,
		     struct hft_family *ret);
