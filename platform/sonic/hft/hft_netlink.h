/* The stream's socket: a generic netlink family that the switch's vendor module
 * registers when the chip's host interface is made, so that it comes and goes.
 *
 * nlctrl's notifications tell when; the family's group is joined then, beside
 * whoever else listens. A datagram holds netlink messages, each of them a
 * generic header and IPFIX messages, without attributes. The kernel drops what
 * finds no room in the receive buffer: that is an overrun, and counted.
 *
 * With a test port, a socket of NETLINK_USERSOCK at that port, and in group
 * 1 + port % 31, stands in for the family: what a test sends there takes the
 * same way from the first octet on, overruns included.
 *
 * A netlink socket is of one network namespace. Where the switch has one for
 * each ASIC, a family may be in there or (as sonic_stel is, while its module
 * does not set netnsok) in the first one alone: whoever opens this says where.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "platform/linux/netlink.h"

#define HFT_NAME_MAX 16			/* GENL_NAMSIZ */
#define HFT_DATAGRAM_MAX (16u << 20)	/* a larger one is dropped */
#define HFT_ROOM_OCTETS (4u << 20)	/* asked of SO_RCVBUF */
#define HFT_WAKE_DATAGRAMS 64u		/* then others have their turn */
#define HFT_WAKE_OCTETS (4u << 20)
#define HFT_NETNS_MAX 32

/* IPFIX messages of one netlink message. */
typedef void hft_payload_fn(void *context, const void *octets, size_t len);

/* Where to look for what; texts are copied. */
struct hft_netlink_env {
	const char *family, *group;
	uint32_t test_port;		/* 0: the kernel's family */
	int epoll_fd, root_fd;		/* borrowed */
	const char *netns;		/* "": where this process is */
};

struct hft_netlink {
	char family[HFT_NAME_MAX];	/* what to look for */
	char group[HFT_NAME_MAX];
	char netns[HFT_NETNS_MAX];	/* "": where this process is */
	uint64_t netns_identity;	/* of the one that it was opened in */
	int netns_error;		/* why it could not be entered */
	uint32_t test_port;
	int epoll_fd, root_fd;		/* borrowed */
	struct netlink control, data;	/* data.sock NULL: no family now */
	bool asked;			/* the first answer came */
	uint16_t family_id;		/* 0: whatever comes, for tests */
	size_t room;			/* of the receive buffer */
	int error;			/* negative errno; why no data */
	uint64_t overruns;		/* times that the kernel dropped some */
	uint64_t too_long;		/* datagrams */
	uint64_t bad_frames;		/* netlink messages that are none */
};

/* Looks for the family. Returns a negative errno when there is no netlink. A
 * namespace that cannot be entered is no failure: n->netns_error tells, and
 * hft_netlink_follow() tries again.
 */
int hft_netlink_open(struct hft_netlink *n, const struct hft_netlink_env *env);
/* Goes to its namespace again, when that is another by now, or when it could
 * not be entered before. What was counted stays. Call it now and then.
 */
void hft_netlink_follow(struct hft_netlink *n);
/* Also of one that was never opened and is all zeros. */
void hft_netlink_close(struct hft_netlink *n);

/* The family is there and its group was joined. */
bool hft_netlink_is_up(const struct hft_netlink *n);

/* Takes what waits, up to the bounds of a wake-up. */
void hft_netlink_take(struct hft_netlink *n, hft_payload_fn *fn, void *context);

/* What nlctrl says of a family. */
struct hft_family {
	uint8_t command;		/* CTRL_CMD_… */
	char name[HFT_NAME_MAX];
	uint16_t id;
	uint32_t group_id;		/* of that group; 0: not there */
};

/* Reads a message of nlctrl. Returns -EBADMSG when it is none. */
int hft_family_parse(struct nlmsghdr *h, const char *group,
		     struct hft_family *ret);
