#include "platform/linux/netlink.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <linux/netlink.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/socket.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define LISTEN_BUFFER_LEN (1 << 20)	/* a burst of about 500 link events */
#define REQUEST_MAX 256u

int netlink_open_at(struct netlink *n, int protocol, uint32_t port,
		    int epoll_fd)
{
	struct epoll_event readable = { .events = EPOLLIN };
	int rc;

	*n = (struct netlink){ .fd = -1, .buffer_len = NETLINK_BUFFER_LEN };
	n->buffer = malloc(NETLINK_BUFFER_LEN);
	n->sock = nl_socket_alloc();
	errno = n->buffer && n->sock ? 0 : ENOMEM;
	if (errno)
		goto fail;
	if (port != 0)
		nl_socket_set_local_port(n->sock, port);
	if (nl_connect(n->sock, protocol) < 0 ||
	    nl_socket_set_nonblocking(n->sock) < 0)
		goto fail;
	n->fd = nl_socket_get_fd(n->sock);
	if (epoll_fd < 0 ||
	    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, n->fd, &readable) == 0)
		return 0;
fail:
	rc = errno ? -errno : -EIO;
	netlink_close(n);
	return rc;
}

int netlink_join(struct netlink *n, int group)
{
	errno = 0;
	if (nl_socket_add_memberships(n->sock, group, 0) == 0)
		return 0;
	return errno ? -errno : -EIO;
}

size_t netlink_room(struct netlink *n, size_t octets)
{
	int room = 0;
	socklen_t len = sizeof(room);

	(void)nl_socket_set_buffer_size(n->sock, (int)octets, 0);
	if (getsockopt(n->fd, SOL_SOCKET, SO_RCVBUF, &room, &len) < 0)
		return 0;
	return (size_t)room / 2;	/* the kernel doubles it for overhead */
}

int netlink_open(struct netlink *n, int protocol, int group, int epoll_fd)
{
	int rc = netlink_open_at(n, protocol, 0, epoll_fd);

	if (rc < 0 || group == 0)
		return rc;
	/* The most for an unprivileged socket; beyond it comes -ENOBUFS. */
	(void)netlink_room(n, LISTEN_BUFFER_LEN);
	rc = netlink_join(n, group);
	if (rc < 0)
		netlink_close(n);
	return rc;
}

void netlink_close(struct netlink *n)
{
	nl_socket_free(n->sock);
	free(n->buffer);
	*n = (struct netlink){ .fd = -1 };
}

int netlink_ask(struct netlink *n, uint16_t type, uint16_t flags,
		const void *body, size_t len)
{
	struct {
		struct nlmsghdr h;
		uint8_t body[REQUEST_MAX];
	} request = { .h = { .nlmsg_type = type } };

	if (len > sizeof(request.body))
		return -EMSGSIZE;
	request.h.nlmsg_len = (uint32_t)(sizeof(request.h) + len);
	request.h.nlmsg_flags = (uint16_t)(flags | NLM_F_REQUEST);
	request.h.nlmsg_seq = ++n->seq;
	memcpy(request.body, body, len);
	if (send(n->fd, &request, request.h.nlmsg_len, 0) < 0)
		return -errno;
	return 0;
}

int netlink_receive(struct netlink *n, netlink_message_fn *fn, void *context)
{
	struct sockaddr_nl from = { 0 };
	struct iovec part = { n->buffer, n->buffer_len };
	struct msghdr message = { .msg_name = &from,
				  .msg_namelen = sizeof(from),
				  .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t got = recvmsg(n->fd, &message, 0);
	struct nlmsghdr *h = (void *)n->buffer;
	int left = (int)got;

	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (got == 0)
		return -ENOTCONN;
	if (message.msg_flags & MSG_TRUNC)
		return -ENOBUFS;
	if (from.nl_pid != 0 && !n->any_sender)
		return 1;
	for (; nlmsg_ok(h, left); h = nlmsg_next(h, &left))
		fn(context, h);
	n->ragged += left > 0;
	return 1;
}

/* Drops the next datagram unread. */
static int datagram_drop(const struct netlink *n)
{
	(void)recv(n->fd, n->buffer, 0, MSG_TRUNC);
	return -EMSGSIZE;
}

int netlink_fit(struct netlink *n, size_t max)
{
	ssize_t len = recv(n->fd, n->buffer, 0, MSG_PEEK | MSG_TRUNC);
	uint64_t *buffer;

	if (len < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (len == 0 || (size_t)len > max)
		return datagram_drop(n);
	if ((size_t)len <= n->buffer_len)
		return (int)len;
	buffer = realloc(n->buffer, (size_t)len);
	if (!buffer)
		return datagram_drop(n);
	n->buffer = buffer;
	n->buffer_len = (size_t)len;
	return (int)len;
}

int netlink_wait(const struct netlink *n, int timeout_ms)
{
	struct pollfd p = { .fd = n->fd, .events = POLLIN };
	int rc = poll(&p, 1, timeout_ms);

	if (rc < 0)
		return -errno;
	return rc == 0 ? -ETIMEDOUT : 0;
}

/* An exchange has a socket of its own, which may block. */
struct exchange {
	netlink_answer_fn *parse;
	void *answer;
	uint32_t seq;
	int status;			/* 1: no answer yet */
};

static void answer_take(void *context, struct nlmsghdr *h)
{
	struct exchange *x = context;

	if (h->nlmsg_seq != x->seq || x->status <= 0)
		return;
	x->status = h->nlmsg_type == NLMSG_ERROR ? netlink_status(h) :
						   x->parse(h, x->answer);
}

int netlink_exchange(struct netlink *n, uint16_t type, const void *body,
		     size_t len, int timeout_ms, netlink_answer_fn *parse,
		     void *answer)
{
	struct exchange x = { .parse = parse, .answer = answer, .status = 1 };
	int rc = netlink_ask(n, type, 0, body, len);

	x.seq = n->seq;
	while (rc >= 0 && x.status > 0) {
		rc = netlink_receive(n, answer_take, &x);
		if (rc == 0)
			rc = netlink_wait(n, timeout_ms);
	}
	return rc < 0 ? rc : x.status;
}

int netlink_family(const char *name)
{
	struct nl_sock *sock = nl_socket_alloc();
	int family = -EOPNOTSUPP;

	if (sock && genl_connect(sock) == 0)
		family = genl_ctrl_resolve(sock, name);
	nl_socket_free(sock);
	return family < 0 ? -EOPNOTSUPP : family;
}

int netlink_status(const struct nlmsghdr *h)
{
	int status;

	if (nlmsg_datalen(h) < (int)sizeof(status))
		return -EBADMSG;
	memcpy(&status, nlmsg_data(h), sizeof(status));
	return status > 0 ? -EBADMSG : status;
}

/* --- a dump -------------------------------------------------------------- */

/* 2 MiB, over 1,000 links; then the loop gets its turn. */
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

/* The next dump_ask() opens a new socket. */
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
