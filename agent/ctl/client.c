#include "agent/ctl/client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/query/message.h"
#include "petrel/clock.h"
#include "petrel/local.h"

struct client {
	int fd;
	uint8_t head[MESSAGE_HEAD_LEN];
	uint8_t *body;			/* of the answer under way; its own */
};

/* What each errno of connect(2) means here, in words. */
static int connect_words(int err, const char *socket, struct diag *d)
{
	switch (err) {
	case ENOENT:
		return diag_set(d, -err, "%s: no such socket: petreld is not "
				"running, or uses another one", socket);
	case ECONNREFUSED:
		return diag_set(d, -err, "%s: no process listens on this "
				"socket: petreld is not running", socket);
	case EACCES:
		return diag_set(d, -err, "%s: you may not ask this agent; root "
				"and group petrel may", socket);
	default:
		return diag_set(d, -err, "%s: %s", socket, strerror(err));
	}
}

int client_open(const char *socket_path, struct client **ret, struct diag *d)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct client *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return diag_set(d, -ENOMEM, "no memory");
	c->fd = -1;
	rc = diag_set(d, -ENAMETOOLONG, "%s: a socket's path has at most %zu "
		      "octets", socket_path, sizeof(address.sun_path) - 1);
	if (strlen(socket_path) >= sizeof(address.sun_path))
		goto fail;
	memcpy(address.sun_path, socket_path, strlen(socket_path) + 1);
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	rc = c->fd < 0 || connect(c->fd, (struct sockaddr *)&address,
				  sizeof(address)) < 0 ?
	     connect_words(errno, socket_path, d) : 0;
	if (rc < 0)
		goto fail;
	*ret = c;
	return 0;
fail:
	client_close(c);
	return rc;
}

void client_close(struct client *c)
{
	if (!c)
		return;
	if (c->fd >= 0)
		(void)close(c->fd);
	free(c->body);
	free(c);
}

int client_fd(const struct client *c)
{
	return c->fd;
}

int client_ask(struct client *c, const Petrel__Request *request,
	       struct diag *d)
{
	uint8_t *data;
	size_t len, sent = 0;
	int rc = message_pack(&request->base, LOCAL_REQUEST_MAX, &data, &len);

	if (rc < 0)
		return diag_set(d, rc, "the request is too long: at most %u "
				"octets", LOCAL_REQUEST_MAX);
	while (rc == 0 && sent < len) {
		ssize_t n = send(c->fd, data + sent, len - sent, MSG_NOSIGNAL);

		if (n >= 0)
			sent += (size_t)n;
		else if (errno != EINTR)
			rc = diag_set(d, -errno, "the agent does not take the "
				      "request: %s", strerror(errno));
	}
	free(data);
	return rc;
}

/* For poll(): until the deadline, -1 without one. */
static int wait_ms(struct mono deadline)
{
	int64_t left;

	if (deadline.ns == INT64_MAX)
		return -1;
	left = mono_diff_ns(deadline, clock_mono_now());
	return left <= 0 ? 0 : (int)((left + NS_PER_MS - 1) / NS_PER_MS);
}

/* Waits until there is something to read. */
static int wait_readable(const struct client *c, struct mono deadline,
			 struct diag *d)
{
	for (;;) {
		struct pollfd p = { .fd = c->fd, .events = POLLIN };
		int n = poll(&p, 1, wait_ms(deadline));

		if (n > 0)
			return 0;
		if (n == 0)
			return diag_set(d, -ETIMEDOUT, "the agent does not "
					"answer: its core hangs");
		if (errno != EINTR)
			return diag_set(d, -errno, "poll: %s", strerror(errno));
	}
}

/* All of len, or why not. */
static int read_whole(const struct client *c, uint8_t *ret, size_t len,
		      struct mono deadline, struct diag *d)
{
	size_t got = 0;

	while (got < len) {
		int rc = wait_readable(c, deadline, d);
		ssize_t n;

		if (rc < 0)
			return rc;
		n = recv(c->fd, ret + got, len - got, 0);
		if (n == 0)
			return diag_set(d, -EPIPE, "the agent ended the "
					"connection before its answer did");
		if (n < 0 && errno != EINTR)
			return diag_set(d, -EPIPE, "the agent ended the "
					"connection: %s", strerror(errno));
		got += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int client_answer(struct client *c, int64_t timeout_ns, Petrel__Answer **ret,
		  struct diag *d)
{
	struct mono deadline = { INT64_MAX };
	uint32_t len;
	int rc;

	if (timeout_ns >= 0)
		deadline.ns = clock_mono_now().ns + timeout_ns;
	rc = read_whole(c, c->head, sizeof(c->head), deadline, d);
	if (rc < 0)
		return rc;
	len = message_length(c->head);
	if (len > LOCAL_ANSWER_MAX)
		return diag_set(d, -EBADMSG, "an answer of %u octets; at most "
				"%u: this is no petreld", len,
				LOCAL_ANSWER_MAX);
	free(c->body);
	c->body = malloc(len ? len : 1);
	if (!c->body)
		return diag_set(d, -ENOMEM, "no memory");
	rc = read_whole(c, c->body, len, deadline, d);
	if (rc < 0)
		return rc;
	if (answer_unpack(c->body, len, ret) < 0)
		return diag_set(d, -EBADMSG, "no answer in %u octets: this is "
				"no petreld, or one of another version", len);
	if ((*ret)->version == LOCAL_VERSION)
		return 0;
	rc = diag_set(d, -EPROTO, "petreld answers in version %u of the "
		      "query's format, and petrel " PETREL_VERSION " reads "
		      "version %u: install the same petrel",
		      (*ret)->version ? (*ret)->version : 1, LOCAL_VERSION);
	answer_unpacked_free(*ret);
	return rc;
}
