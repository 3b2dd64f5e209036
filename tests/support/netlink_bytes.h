/* Netlink messages made octet by octet, for tests that play the kernel. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

#define NETLINK_BYTES_MAX 8192u

/* One datagram of messages; aligned as the kernel's. */
struct netlink_bytes {
	union {
		struct nlmsghdr head;
		uint8_t octet[NETLINK_BYTES_MAX];
	};
	size_t len;
	size_t message;		/* where the newest message begins */
};

/* Begins a message with its fixed head, after those already there. */
void netlink_bytes_begin(struct netlink_bytes *b, uint16_t type,
			 uint16_t flags, uint32_t seq, const void *head,
			 size_t head_len);

/* Adds an attribute to the newest message. */
void netlink_bytes_put(struct netlink_bytes *b, uint16_t type, const void *data,
		       size_t len);
void netlink_bytes_text(struct netlink_bytes *b, uint16_t type,
			const char *text);
void netlink_bytes_u8(struct netlink_bytes *b, uint16_t type, uint8_t value);
void netlink_bytes_u32(struct netlink_bytes *b, uint16_t type, uint32_t value);

/* A nest: open gives its place, which close takes. */
size_t netlink_bytes_open(struct netlink_bytes *b, uint16_t type);
void netlink_bytes_close(struct netlink_bytes *b, size_t place);

/* A message with a status: NLMSG_DONE or NLMSG_ERROR. */
void netlink_bytes_status(struct netlink_bytes *b, uint16_t type, uint32_t seq,
			  int status);

/* An RTM_NEWLINK or RTM_DELLINK of an Ethernet interface. */
struct link_bytes {
	uint16_t type, flags;
	uint32_t seq;
	int ifindex;
	const char *name;
	uint32_t link_flags;
	uint8_t operstate;
	uint32_t changes, downs;
	const char *kind;		/* NULL none */
};

void netlink_bytes_link(struct netlink_bytes *b, const struct link_bytes *l);

/* Cuts the newest message to len octets of its body behind the head, and
 * says so in its header. False when it has no more than that.
 */
bool netlink_bytes_cut(struct netlink_bytes *b, size_t len);

/* Reads a file as one datagram; false when it is not there or too long. */
bool netlink_bytes_load(struct netlink_bytes *b, const char *path);
