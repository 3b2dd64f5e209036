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

#include "petrel/clock.h"

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

typedef int netlink_answer_fn(struct nlmsghdr *h, void *answer);

/* Asks, and waits for the one message that answers, at most timeout_ms between
 * two datagrams. Returns what parse says of it, or a negative errno.
 */
int netlink_exchange(struct netlink *n, uint16_t type, const void *body,
		     size_t len, int timeout_ms, netlink_answer_fn *parse,
		     void *answer);

/* The number of a generic netlink family, or a negative errno. May wait. */
int netlink_family(const char *name);

/* The errno (negative or 0) of an NLMSG_ERROR or NLMSG_DONE message. */
int netlink_status(const struct nlmsghdr *h);

/* One question to the kernel whose answer comes in many messages: a dump.
 *
 * Asking never waits, taking the answer never waits; at most one is under way
 * on its socket. A dump that failed or is overdue is begun anew on a new
 * socket, as the kernel may still be busy with the old one.
 */

#define DUMP_OVERDUE_NS (3 * NS_PER_S)

struct dump {
	struct netlink nl;
	int epoll_fd;		/* watches the socket; not ours; -1 none */
	bool running;
	bool interrupted;	/* links came or went meanwhile */
	struct mono asked;
	/* set while dump_take() runs */
	netlink_message_fn *row;
	void *context;
	int status;
};

/* epoll_fd: where the socket, and each one after it, is to be watched. */
int dump_open(struct dump *d, int epoll_fd);

/* Also of one that is all zeros. What was under way is forgotten. */
void dump_close(struct dump *d);

/* Asks. Returns 0; -EBUSY while one is running; another negative errno. */
int dump_ask(struct dump *d, uint16_t type, const void *body, size_t len,
	     struct mono now);

/* Hands to row what has come. Returns -EINPROGRESS while more is to come,
 * 0 when the dump is over (d->interrupted tells whether it is whole),
 * -ETIMEDOUT when it is overdue, another negative errno when it failed.
 */
int dump_take(struct dump *d, netlink_message_fn *row, void *context,
	      struct mono now);

/* When dump_take() is wanted at the latest; INT64_MAX: not running. */
struct mono dump_deadline(const struct dump *d);
