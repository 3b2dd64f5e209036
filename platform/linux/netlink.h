/* A nonblocking netlink socket of libnl and the buffer it is read into.
 *
 * libnl opens and binds it, and its walkers read what comes; its message
 * objects and caches are not used: they cost twenty times a raw dump. Nothing
 * is allocated between open and close.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <netlink/netlink.h>

/* The kernel's bound for a part of a dump. */
#define NETLINK_BUFFER_LEN (32u << 10)

struct netlink {
	struct nl_sock *sock;		/* NULL: closed */
	int fd;
	uint32_t seq;			/* of the newest request */
	uint64_t *buffer;		/* NETLINK_BUFFER_LEN octets */
};

typedef void netlink_message_fn(void *context, struct nlmsghdr *h);

/* protocol: NETLINK_ROUTE, NETLINK_GENERIC. group: a multicast group to
 * join, 0 for none. epoll_fd: where the socket is to be watched, -1 nowhere.
 * Returns a negative errno.
 */
int netlink_open(struct netlink *n, int protocol, int group, int epoll_fd);
/* Also of one that was never opened and is all zeros. */
void netlink_close(struct netlink *n);

/* Sends one request of the given type with its body, which is copied.
 * n->seq tells its answer. Returns 0 or a negative errno.
 */
int netlink_ask(struct netlink *n, uint16_t type, uint16_t flags,
		const void *body, size_t len);

/* Takes one datagram and hands its messages to fn. Returns 1; 0 when there is
 * none; -ENOBUFS when the kernel had to drop some, or one was cut short;
 * another negative errno when the socket failed. What others than the kernel
 * sent is left out.
 */
int netlink_receive(struct netlink *n, netlink_message_fn *fn, void *context);

/* Waits until there is something. Returns 0, -ETIMEDOUT, a negative errno. */
int netlink_wait(const struct netlink *n, int timeout_ms);

/* The number of a generic netlink family, or a negative errno. May wait. */
int netlink_family(const char *name);

/* The errno (negative or 0) of an NLMSG_ERROR or NLMSG_DONE message. */
int netlink_status(const struct nlmsghdr *h);
