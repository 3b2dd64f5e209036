#include "agent/base/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/base/number.h"
#include "petrel/clock.h"

#define NS_PER_US INT64_C(1000)

/* A path, or an abstract socket name, which is written with a leading @. */
static int notify_connect(const char *where)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t n = where ? strlen(where) : 0;
	int fd;

	if (n < 2 || n >= sizeof(to.sun_path) || !strchr("/@", where[0]))
		return -1;
	memcpy(to.sun_path, where, n);
	if (where[0] == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 &&
	    connect(fd, (const struct sockaddr *)&to, (socklen_t)(
			    offsetof(struct sockaddr_un, sun_path) + n)) < 0) {
		(void)close(fd);
		fd = -1;
	}
	return fd;
}

void notify_init(struct notify *n)
{
	const char *usec = getenv("WATCHDOG_USEC");
	uint64_t us = 0;

	*n = (struct notify){ .fd = notify_connect(getenv("NOTIFY_SOCKET")) };
	if (usec && number_parse(usec, 0, INT64_MAX / NS_PER_US, &us) == 0)
		n->watchdog_ns = (int64_t)us * NS_PER_US;
	(void)unsetenv("NOTIFY_SOCKET");
	(void)unsetenv("WATCHDOG_USEC");
	(void)unsetenv("WATCHDOG_PID");
}

void notify_fini(struct notify *n)
{
	if (n->fd >= 0)
		(void)close(n->fd);
	n->fd = -1;
}

void notify_send(const struct notify *n, const char *lines)
{
	if (n->fd >= 0)
		(void)send(n->fd, lines, strlen(lines),
			   MSG_NOSIGNAL | MSG_DONTWAIT);
}
