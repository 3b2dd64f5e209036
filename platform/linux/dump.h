/* One question to the kernel whose answer comes in many messages: a dump.
 *
 * Asking never waits, taking the answer never waits; at most one is under way
 * on its socket. A dump that failed or is overdue is begun anew on a new
 * socket, as the kernel may still be busy with the old one.
 */
#pragma once

#include <stdbool.h>
#include "petrel/clock.h"
#include "platform/linux/netlink.h"

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
