/* A nonblocking netlink socket of libnl and the buffer it is read into.
 *
 * libnl opens and binds it, and its iterators read the messages; its message
 * objects and caches are not used: they cost twenty times a raw dump. Nothing
 * is allocated between open and close.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <netlink/netlink.h>

#include "petrel/clock.h"

/* The kernel's limit for a part of a dump. */
#define NETLINK_BUFFER_LEN (32u << 10)

struct netlink {
	struct nl_sock *sock;		/* NULL: closed */
	int fd;
	uint32_t seq;			/* of the latest request */
	uint64_t *buffer;
	size_t buffer_len;		/* NETLINK_BUFFER_LEN at first */
	bool any_sender;		/* not the kernel alone: for tests */
	uint64_t ragged;		/* datagrams that end mid-message */
};

typedef void netlink_message_fn(void *context, struct nlmsghdr *h);

/* protocol: NETLINK_ROUTE, NETLINK_GENERIC. group: a multicast group to join, 0
 * for none. epoll_fd watches the socket; -1: none. Returns a negative errno.
 */
int netlink_open(struct netlink *n, int protocol, int group, int epoll_fd);
/* The same without a group, at a port of the caller's choice: 0, or one that a
 * test knows.
 */
int netlink_open_at(struct netlink *n, int protocol, uint32_t port,
		    int epoll_fd);
/* Joins one more group. Returns a negative errno. */
int netlink_join(struct netlink *n, int group);
/* Asks for a receive buffer of that many octets, up to the kernel's
 * net.core.rmem_max. Returns the actual size.
 */
size_t netlink_room(struct netlink *n, size_t octets);
/* n may be all zeros. */
void netlink_close(struct netlink *n);

/* Sends one request of the given type with its body, which is copied. n->seq
 * identifies the answer. Returns 0 or a negative errno.
 */
int netlink_ask(struct netlink *n, uint16_t type, uint16_t flags,
		const void *body, size_t len);

/* Takes one datagram and passes its messages to fn. Returns 1; 0 if there is
 * none; -ENOBUFS if the kernel dropped some, or one was truncated; another
 * negative errno if the socket failed. Ignores senders other than the kernel.
 */
int netlink_receive(struct netlink *n, netlink_message_fn *fn, void *context);

/* Call before netlink_receive() if datagrams may be larger than the buffer:
 * makes it as large as the next one. Returns its length; 0: there is none;
 * -EMSGSIZE if it is empty or longer than max: it is dropped; another negative
 * errno if the kernel dropped some or the socket failed.
 */
int netlink_fit(struct netlink *n, size_t max);

/* Waits for a datagram. Returns 0, -ETIMEDOUT, a negative errno. */
int netlink_wait(const struct netlink *n, int timeout_ms);

typedef int netlink_answer_fn(struct nlmsghdr *h, void *answer);

/* Asks, and waits for the one message that answers, at most timeout_ms between
 * two datagrams. Returns the result of parse, or a negative errno.
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
 * Neither asking nor taking the answer waits; at most one dump is under way on
 * its socket. A dump that failed or is overdue is repeated on a new socket, as
 * the kernel may still be busy with the old one.
 */

#define DUMP_OVERDUE_NS (3 * NS_PER_S)

struct dump {
	struct netlink nl;
	int epoll_fd;		/* watches the socket; borrowed; -1 none */
	bool running;
	bool interrupted;	/* links came or went meanwhile */
	struct mono asked;
	/* set while dump_take() runs */
	netlink_message_fn *row;
	void *context;
	int status;
};

/* epoll_fd watches the socket, and each one after it. */
int dump_open(struct dump *d, int epoll_fd);

/* d may be all zeros. Forgets a dump that is under way. */
void dump_close(struct dump *d);

/* Asks. Returns 0; -EBUSY while one is running; another negative errno. */
int dump_ask(struct dump *d, uint16_t type, const void *body, size_t len,
	     struct mono now);

/* Passes what has arrived to row. Returns -EINPROGRESS while more is to come, 0
 * when the dump is over (d->interrupted: it is incomplete), -ETIMEDOUT if it is
 * overdue, another negative errno if it failed.
 */
int dump_take(struct dump *d, netlink_message_fn *row, void *context,
	      struct mono now);

/* The latest time for dump_take(); INT64_MAX: not running. */
struct mono dump_deadline(const struct dump *d);
