#include "agent/push/transport.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <nanomsg/nn.h>
#include <nanomsg/reqrep.h>
#include <nanomsg/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/push/egress.h"

/* Raw REQ writes its request id before the frame, and the receiver counts it
 * against NN_RCVMAXSIZE; any number with the top bit ends the SP header.
 */
#define SP_ID_LEN 4
#define TCP "tcp://"
#define TCP_LEN 6
#define RECONNECT_MIN_MS 100
#define RECONNECT_MAX_MS 1000

/* Closes one socket, in a thread of its own. */
struct closer {
	pthread_t thread;
	int socket;
	_Atomic bool is_done;
};

struct transport {
	int socket;		/* -1: none */
	int readable_fd;	/* nanomsg's own; never closed here */
	bool is_bound;
	struct closer *closer;	/* of the previous socket; NULL: none */
	char url[256];		/* with the local part, as for nanomsg */
};

/* The ancillary data that nanomsg expects on a raw socket: the SP header with
 * its length before it.
 */
struct sp_control {
	struct nn_cmsghdr head;
	size_t len;
	uint8_t header[sizeof(((struct transport_peer *)0)->header)];
};

static int socket_options(int socket)
{
	static const struct {
		int level, option, value;
	} options[] = {
		{ NN_SOL_SOCKET, NN_RCVMAXSIZE, WIRE_FRAME_MAX + SP_ID_LEN },
		{ NN_SOL_SOCKET, NN_RECONNECT_IVL, RECONNECT_MIN_MS },
		{ NN_SOL_SOCKET, NN_RECONNECT_IVL_MAX, RECONNECT_MAX_MS },
		{ NN_TCP, NN_TCP_NODELAY, 1 },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (nn_setsockopt(socket, options[i].level, options[i].option,
				  &options[i].value,
				  sizeof(options[i].value)) < 0)
			return -nn_errno();
	return 0;
}

/* nanomsg 1.1.5 with IPv6 on binds its own end of a connection to [::], which
 * an IPv4 socket refuses, and at the second try it aborts the process. Names
 * resolve to IPv6 or mapped addresses; only a numeric IPv4 address needs this.
 */
static bool host_is_ipv4(const char *url)
{
	const char *host = url + TCP_LEN;
	size_t len = strcspn(host, ":");
	char text[INET_ADDRSTRLEN];
	struct in_addr address;

	if (strncmp(url, TCP, TCP_LEN) != 0 || len >= sizeof(text))
		return false;
	memcpy(text, host, len);
	text[len] = '\0';
	return inet_pton(AF_INET, text, &address) == 1;
}

static int ipv6_set(int socket, bool on)
{
	int ipv4_only = !on;

	return nn_setsockopt(socket, NN_SOL_SOCKET, NN_IPV4ONLY, &ipv4_only,
			     sizeof(ipv4_only)) < 0 ? -nn_errno() : 0;
}

static bool url_is_known(const char *url)
{
	return strncmp(url, TCP, TCP_LEN) == 0 ||
	       strncmp(url, "ipc://", 6) == 0;
}

static int endpoint_open(struct transport *t)
{
	int endpoint = t->is_bound ? nn_bind(t->socket, t->url) :
				     nn_connect(t->socket, t->url);

	return endpoint < 0 ? -nn_errno() : 0;
}

/* Opens the socket and sets its options. */
static int socket_open(struct transport *t)
{
	size_t len = sizeof(int);
	int err;

	t->socket = nn_socket(AF_SP_RAW, t->is_bound ? NN_REP : NN_REQ);
	err = t->socket < 0 ? -nn_errno() : socket_options(t->socket);
	if (err == 0)
		err = ipv6_set(t->socket, !host_is_ipv4(t->url));
	if (err == 0)
		err = endpoint_open(t);
	if (err == 0 && nn_getsockopt(t->socket, NN_SOL_SOCKET, NN_RCVFD,
				      &t->readable_fd, &len) < 0)
		err = -nn_errno();
	return err;
}

static void socket_close(int socket)
{
	if (socket >= 0)
		(void)nn_close(socket);	/* no data needs to be flushed */
}

static void *closer_thread(void *context)
{
	struct closer *c = context;

	socket_close(c->socket);
	atomic_store(&c->is_done, true);
	return NULL;
}

/* Closes it here if no thread can be started. */
static void closer_begin(struct transport *t, int socket)
{
	struct closer *c = calloc(1, sizeof(*c));

	if (c)
		c->socket = socket;
	if (!c || pthread_create(&c->thread, NULL, closer_thread, c) != 0) {
		free(c);
		socket_close(socket);
		return;
	}
	t->closer = c;
}

/* False while it is working. */
static bool closer_end(struct transport *t)
{
	if (t->closer && !atomic_load(&t->closer->is_done))
		return false;
	if (t->closer)
		(void)pthread_join(t->closer->thread, NULL);
	free(t->closer);
	t->closer = NULL;
	return true;
}

static int transport_open(const char *url, bool bind, const struct egress *by,
			  struct transport **ret, struct diag *d)
{
	char local[EGRESS_LOCAL_SIZE] = "";
	struct transport *t;
	int err;

	if (!url_is_known(url) || strlen(url) + sizeof(local) >= sizeof(t->url))
		return diag_set(d, -EINVAL, "'%s' is not an address; expected "
				"tcp://HOST:PORT or ipc://PATH", url);
	t = calloc(1, sizeof(*t));
	if (!t)
		return diag_set(d, -ENOMEM, "%s: out of memory", url);
	t->is_bound = bind;
	if (by && strncmp(url, TCP, TCP_LEN) == 0)
		egress_local(by, local);
	(void)snprintf(t->url, sizeof(t->url), "%.6s%s%s", url, local,
		       url + TCP_LEN);
	err = socket_open(t);
	if (err < 0) {
		transport_close(t);
		return diag_set(d, err, "%s: cannot %s: %s", url,
				bind ? "listen" : "connect", nn_strerror(-err));
	}
	*ret = t;
	return 0;
}

int transport_connect(const char *url, const struct egress *by,
		      struct transport **ret, struct diag *d)
{
	return transport_open(url, false, by, ret, d);
}

int transport_bind(const char *url, struct transport **ret, struct diag *d)
{
	return transport_open(url, true, NULL, ret, d);
}

void transport_close(struct transport *t)
{
	if (!t)
		return;
	if (t->closer) {
		(void)pthread_join(t->closer->thread, NULL);
		free(t->closer);
	}
	socket_close(t->socket);
	free(t);
}

int transport_fd(const struct transport *t)
{
	return t->readable_fd;
}

static size_t control_fill(struct sp_control *c,
			   const struct transport_peer *peer)
{
	static const uint8_t id[SP_ID_LEN] = { 0x80, 0, 0, 1 };
	const uint8_t *header = peer ? peer->header : id;

	c->len = peer ? peer->len : sizeof(id);
	memcpy(c->header, header, c->len);
	c->head.cmsg_len = NN_CMSG_LEN(sizeof(c->len) + c->len);
	c->head.cmsg_level = PROTO_SP;
	c->head.cmsg_type = SP_HDR;
	return NN_CMSG_SPACE(sizeof(c->len) + c->len);
}

int transport_send(struct transport *t, const struct transport_peer *peer,
		   const void *frame, size_t len)
{
	struct sp_control control = { .len = 0 };
	/* nanomsg only reads from it */
	struct nn_iovec iov = { .iov_base = (void *)(uintptr_t)frame,
				.iov_len = len };
	struct nn_msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
			       .msg_control = &control };

	if (len > WIRE_FRAME_MAX)
		return -EMSGSIZE;
	m.msg_controllen = control_fill(&control, peer);
	if (nn_sendmsg(t->socket, &m, NN_DONTWAIT) >= 0)
		return 0;
	return nn_errno() == EAGAIN ? -EAGAIN : -ECONNRESET;
}

int transport_receive(struct transport *t, struct transport_peer *ret_peer,
		      void *ret, size_t cap)
{
	struct sp_control control = { .len = 0 };
	struct nn_iovec iov = { .iov_base = ret, .iov_len = cap };
	struct nn_msghdr m = { .msg_iov = &iov, .msg_iovlen = 1,
			       .msg_control = &control,
			       .msg_controllen = sizeof(control) };
	int n = nn_recvmsg(t->socket, &m, NN_DONTWAIT);

	if (n < 0)
		return nn_errno() == EAGAIN ? -EAGAIN : -EIO;
	if ((size_t)n > cap || control.len > sizeof(control.header) ||
	    control.head.cmsg_type != SP_HDR)
		return -EMSGSIZE;	/* truncated, or over too many hops */
	if (ret_peer) {
		memcpy(ret_peer->header, control.header, control.len);
		ret_peer->len = control.len;
	}
	return n;
}

/* Opens the new socket before the old one is closed: with the last one nanomsg
 * would end its threads, only to start them again.
 */
int transport_renew(struct transport *t)
{
	struct transport before;
	int err;

	if (!closer_end(t))
		return -EBUSY;
	before = *t;
	err = socket_open(t);
	if (err < 0) {
		socket_close(t->socket);
		*t = before;
		return err;
	}
	closer_begin(t, before.socket);
	return 0;
}
