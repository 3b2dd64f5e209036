#include "platform/linux/dump.h"

#include <errno.h>
#include <sys/socket.h>
#include <linux/netlink.h>

/* 2 MiB, over 1,000 links; then it is the loop's turn. */
#define PARTS_PER_TAKE 64

int dump_open(struct dump *d, int epoll_fd)
{
	*d = (struct dump){ .epoll_fd = epoll_fd };
	return netlink_open(&d->nl, NETLINK_ROUTE, 0, epoll_fd);
}

void dump_close(struct dump *d)
{
	netlink_close(&d->nl);
	d->running = false;
}

int dump_ask(struct dump *d, uint16_t type, const void *body, size_t len,
	     struct mono now)
{
	int rc;

	if (d->running)
		return -EBUSY;
	if (d->nl.fd < 0) {
		rc = dump_open(d, d->epoll_fd);
		if (rc < 0)
			return rc;
	}
	rc = netlink_ask(&d->nl, type, NLM_F_DUMP, body, len);
	if (rc < 0)
		return rc;
	d->running = true;
	d->interrupted = false;
	d->asked = now;
	return 0;
}

static void message_take(void *context, struct nlmsghdr *h)
{
	struct dump *d = context;

	if (h->nlmsg_seq != d->nl.seq || !d->running)
		return;
	if (h->nlmsg_flags & NLM_F_DUMP_INTR)
		d->interrupted = true;
	if (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR) {
		d->status = netlink_status(h);
		d->running = false;
		return;
	}
	d->row(d->context, h);
}

/* A new socket comes with the next dump_ask(). */
static int dump_fail(struct dump *d, int err)
{
	dump_close(d);
	return err;
}

int dump_take(struct dump *d, netlink_message_fn *row, void *context,
	      struct mono now)
{
	int rc = 1;

	d->row = row;
	d->context = context;
	d->status = 0;
	for (int i = 0; i < PARTS_PER_TAKE && d->running && rc > 0; i++)
		rc = netlink_receive(&d->nl, message_take, d);
	if (rc < 0)
		return dump_fail(d, rc);
	if (!d->running)
		return d->status < 0 ? dump_fail(d, d->status) : 0;
	if (now.ns >= dump_deadline(d).ns)
		return dump_fail(d, -ETIMEDOUT);
	return -EINPROGRESS;
}

struct mono dump_deadline(const struct dump *d)
{
	if (!d->running)
		return (struct mono){ INT64_MAX };
	return (struct mono){ d->asked.ns + DUMP_OVERDUE_NS };
}
