#include "agent/push/probe.h"

#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/base/clean.h"
#include "agent/push/egress.h"

#define PROBE_NS (2 * NS_PER_S)
#define SHOWN_MAX 48		/* octets of an answer */

static const char greeting[] = "\0SP\0\0\x30\0\0";
static const char answer[] = "\0SP\0\0\x31\0\0";
#define GREETING_LEN 8u

void probe_init(struct probe *p)
{
	*p = (struct probe){ .fd = -1 };
}

void probe_fini(struct probe *p)
{
	if (p->fd >= 0)
		(void)close(p->fd);
	p->fd = -1;
}

static void found(struct probe *p, const char *words)
{
	(void)snprintf(p->words, sizeof(p->words), "%s", words);
	probe_fini(p);
}

static int address_connect(struct probe *p, int family,
			   const struct sockaddr *address, socklen_t len,
			   const struct egress *by, struct diag *d)
{
	int rc = 0;

	p->fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (p->fd >= 0 && by)
		rc = egress_apply(by, p->fd, d);
	if (rc < 0)
		return rc;
	if (p->fd < 0 || (connect(p->fd, address, len) < 0 &&
			  errno != EINPROGRESS))
		return diag_set(d, -errno, "%s", strerror(errno));
	return 0;
}

static int unix_connect(struct probe *p, const char *path, struct diag *d)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(address.sun_path))
		return diag_set(d, -ENAMETOOLONG, "%s",
				strerror(ENAMETOOLONG));
	(void)strcpy(address.sun_path, path);
	return address_connect(p, AF_UNIX, (const struct sockaddr *)&address,
			       sizeof(address), NULL, d);
}

/* Returns -EAGAIN for a host name, which would need a lookup. */
static int tcp_connect(struct probe *p, const char *host_port,
		       const struct egress *by, struct diag *d)
{
	static const struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
		.ai_socktype = SOCK_STREAM };
	const char *colon = strrchr(host_port, ':');
	struct addrinfo *list = NULL;
	char host[128];
	size_t len = colon ? (size_t)(colon - host_port) : sizeof(host);
	int err;

	if (len >= 2 && host_port[0] == '[' && host_port[len - 1] == ']') {
		host_port++;
		len -= 2;
	}
	if (len >= sizeof(host))
		return -EAGAIN;
	memcpy(host, host_port, len);
	host[len] = '\0';
	if (getaddrinfo(host, colon + 1, &hints, &list) != 0 || !list)
		return -EAGAIN;
	err = address_connect(p, list->ai_family, list->ai_addr,
			      list->ai_addrlen, by, d);
	freeaddrinfo(list);
	return err;
}

void probe_begin(struct probe *p, const char *url, const struct egress *by,
		 struct mono now)
{
	struct diag d = { "" };
	int err;

	probe_fini(p);
	p->is_greeted = false;
	p->ends = (struct mono){ now.ns + PROBE_NS };
	err = strncmp(url, "ipc://", 6) == 0 ?
	      unix_connect(p, url + 6, &d) : tcp_connect(p, url + 6, by, &d);
	if (err < 0)
		found(p, d.text);	/* ignores -EAGAIN */
}

/* Reports the first line that the listener sent, made fit for a terminal. */
static void answer_tell(struct probe *p, const char *octets, size_t n)
{
	char words[SHOWN_MAX + 40], shown[SHOWN_MAX + 1];
	size_t line = 0;

	while (line < n && octets[line] != '\r' && octets[line] != '\n')
		line++;
	clean_octets(shown, sizeof(shown), octets, line);
	(void)snprintf(words, sizeof(words), "the answer is not from a "
		       "collector: '%s'", shown);
	found(p, words);
}

static void step(struct probe *p, struct mono now)
{
	char octets[SHOWN_MAX];
	ssize_t n;
	int err = 0;
	socklen_t len = sizeof(err);

	if (getsockopt(p->fd, SOL_SOCKET, SO_ERROR, &err, &len) == 0 && err) {
		found(p, strerror(err));
		return;
	}
	n = recv(p->fd, octets, sizeof(octets), MSG_DONTWAIT);
	if (n >= (ssize_t)GREETING_LEN &&
	    memcmp(octets, answer, GREETING_LEN) == 0)
		found(p, "");
	else if (n > 0)
		answer_tell(p, octets, (size_t)n);
	else if (n == 0)
		found(p, "the connection is closed at once");
	else if (errno != EAGAIN && errno != ENOTCONN)
		found(p, strerror(errno));
	else if (now.ns >= p->ends.ns)
		found(p, p->is_greeted ? "the program that listens there does "
					 "not answer" :
		      strerror(ETIMEDOUT));
}

/* As soon as the connection is made. */
static void greet(struct probe *p)
{
	struct sockaddr_storage peer;
	socklen_t len = sizeof(peer);

	if (p->is_greeted ||
	    getpeername(p->fd, (struct sockaddr *)&peer, &len) < 0)
		return;
	p->is_greeted = send(p->fd, greeting, GREETING_LEN, MSG_NOSIGNAL) > 0;
}

const char *probe_words(struct probe *p, struct mono now)
{
	if (p->fd >= 0)
		greet(p);
	if (p->fd >= 0)
		step(p, now);
	return p->words[0] ? p->words : NULL;
}
