/* A nonblocking netlink socket of libnl and the buffer it is read into.
 *
 * libnl opens and binds it, and its walkers read what comes; its message
 * objects and caches are not used: they cost twenty times a raw dump. Nothing
 * is allocated between open and close.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <netlink/netlink.h>

/* The kernel's bound for a part of a dump. */
#define NETLINK_BUFFER_LEN (32u << 10)

struct netlink {
	struct nl_sock *sock;		/* NULL: closed */
	int fd;
	uint32_t seq;			/* of the newest request */
	uint64_t *buffer;
	size_t buffer_len;		/* NETLINK_BUFFER_LEN at first */
	bool any_sender;		/* not the kernel alone: for tests */
	uint64_t ragged;		/* datagrams that end amid a message */
};

typedef void netlink_message_fn(void *context, struct nlmsghdr *h);

/* protocol: NETLINK_ROUTE, NETLINK_GENERIC. group: a multicast group to
 * join, 0 for none. epoll_fd: where the socket is to be watched, -1 nowhere.
 * Returns a negative errno.
 */
int netlink_open(struct netlink *n, int protocol, int group, int epoll_fd);
/* The same without a group, at a port of the caller's choice: 0, or where a
 * test is to find it.
 */
int netlink_open_at(struct netlink *n, int protocol, uint32_t port,
		    int epoll_fd);
/* Joins one more group. Returns a negative errno. */
int netlink_join(struct netlink *n, int group);
/* Asks for room for so many octets that wait to be read; the kernel's
 * net.core.rmem_max bounds it. Returns what there is.
 */
size_t netlink_room(struct netlink *n, size_t octets);
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

/* Before netlink_receive(), where datagrams may be larger than the buffer:
 * makes it as large as the next one. Returns its length; 0: there is none;
 * -EMSGSIZE when it is empty or longer than max: it is dropped; another
 * negative errno when the kernel had to drop some or the socket failed.
 */
int netlink_fit(struct netlink *n, size_t max);

/* Waits until there is something. Returns 0, -ETIMEDOUT, a negative errno. */
int netlink_wait(const struct netlink *n, int timeout_ms);

/* The number of a generic netlink family, or a negative errno. May wait. */
int netlink_family(const char *name);

/* The errno (negative or 0) of an NLMSG_ERROR or NLMSG_DONE message. */
int netlink_status(const struct nlmsghdr *h);
