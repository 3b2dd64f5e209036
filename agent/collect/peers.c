/* A descriptor may be closed and its number reused between the look at it and
 * shutdown(2): then it is a connection just accepted, which will reconnect, or
 * not a socket.
 */
#include "agent/collect/peers.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <linux/tcp.h>
#include <netinet/in.h>

#include "agent/base/array.h"
#include "agent/base/number.h"
#include "petrel/wire.h"

#define ROOM_MIN 16u
#define RESERVE 48u		/* for the process itself, and spare */
#define IDLE_MS (300u * 1000)
#define IDLE_FULL_MS (90u * 1000)
#define LOOKED_AT_EACH_TIME 2000u
#define UNREAD_OCTETS_MAX (4 * (int)WIRE_FRAME_MAX)

struct connection {
	struct in6_addr address;	/* of the other end */
	uint32_t idle_ms;
	int fd;
};

struct peers {
	uint16_t port;		/* 0: not tcp, nothing to do */
	DIR *fds;		/* /proc/self/fd, opened while it could be */
	struct peers_limits limits;
	struct peers_count count;
	struct connection *list;
	size_t cap;
	size_t rests;		/* looks to skip */
};

static uint32_t room_find(void)
{
	struct rlimit limit = { .rlim_cur = 1024 };

	(void)getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur > UINT32_MAX / 2)
		return UINT32_MAX / 2;
	return limit.rlim_cur > RESERVE + ROOM_MIN ?
	       (uint32_t)limit.rlim_cur - RESERVE : ROOM_MIN;
}

int peers_new(const char *url, struct peers **ret, struct diag *d)
{
	struct peers *p = calloc(1, sizeof(*p));
	const char *colon = strrchr(url, ':');
	uint64_t port = 0;

	if (!p)
		return diag_set(d, -ENOMEM, "out of memory");
	if (strncmp(url, "tcp://", 6) == 0 &&
	    number_parse(colon + 1, 1, UINT16_MAX, &port) == 0)
		p->port = (uint16_t)port;
	p->limits = (struct peers_limits){ room_find(), IDLE_MS,
					   IDLE_FULL_MS };
	p->fds = opendir("/proc/self/fd");
	if (!p->fds) {
		int err = -errno;

		free(p);
		return diag_set(d, err, "/proc/self/fd: %s", strerror(-err));
	}
	*ret = p;
	return 0;
}

void peers_free(struct peers *p)
{
	if (!p)
		return;
	(void)closedir(p->fds);
	free(p->list);
	free(p);
}

/* Its port; the address as IPv6. 0: not an internet socket. */
static uint16_t address_read(const struct sockaddr_storage *a,
			     struct in6_addr *ret)
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	if (a->ss_family == AF_INET6) {
		memcpy(&in6, a, sizeof(in6));
		*ret = in6.sin6_addr;
		return ntohs(in6.sin6_port);
	}
	if (a->ss_family != AF_INET)
		return 0;
	memcpy(&in, a, sizeof(in));
	*ret = (struct in6_addr){ .s6_addr = { [10] = 0xff, 0xff } };
	memcpy(&ret->s6_addr[12], &in.sin_addr, sizeof(in.sin_addr));
	return ntohs(in.sin_port);
}

/* Whether fd is our end of a connection to our port. Connections inherit the
 * limit of unread octets from the listener.
 */
static bool connection_look(const struct peers *p, int fd,
			    struct connection *ret)
{
	static const int unread = UNREAD_OCTETS_MAX;
	struct sockaddr_storage a = { .ss_family = AF_UNSPEC };
	struct in6_addr own;
	struct tcp_info info = { .tcpi_state = 0 };
	socklen_t len = sizeof(a), int_len = sizeof(int);
	socklen_t info_len = sizeof(info);
	int listens = 0;

	if (getsockname(fd, (struct sockaddr *)&a, &len) < 0 ||
	    address_read(&a, &own) != p->port ||
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &int_len) < 0)
		return false;
	if (listens) {
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &unread,
				 sizeof(unread));
		return false;
	}
	len = sizeof(a);
	if (getpeername(fd, (struct sockaddr *)&a, &len) < 0 ||
	    getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &info_len) < 0)
		return false;
	(void)address_read(&a, &ret->address);
	ret->idle_ms = info.tcpi_last_data_recv;
	ret->fd = fd;
	return true;
}

/* Returns how many are in the list. */
static size_t connections_list(struct peers *p)
{
	const struct dirent *entry;
	size_t n = 0;

	rewinddir(p->fds);
	while ((entry = readdir(p->fds))) {
		struct connection *list;
		uint64_t fd;

		if (number_parse(entry->d_name, 0, INT32_MAX, &fd) < 0)
			continue;
		list = array_room(p->list, &p->cap, n + 1, sizeof(*list));
		if (!list)
			break;		/* the rest at the next look */
		p->list = list;
		n += connection_look(p, (int)fd, &p->list[n]);
	}
	return n;
}

/* By address, and within one address the longest idle first. */
static int connection_compare(const void *a, const void *b)
{
	struct connection x, y;
	int order;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	order = memcmp(&x.address, &y.address, sizeof(x.address));
	return order ? order : (x.idle_ms < y.idle_ms) -
			       (x.idle_ms > y.idle_ms);
}

/* Number of connections from the first one's address. */
static size_t address_count(const struct connection *list, size_t n)
{
	size_t count = 1;

	while (count < n && memcmp(&list[count].address, &list[0].address,
				   sizeof(list[0].address)) == 0)
		count++;
	return count;
}

/* Number left if no address keeps more than most. */
static size_t kept_of(const struct connection *list, size_t n, size_t most)
{
	size_t kept = 0;

	for (size_t i = 0; i < n;) {
		size_t count = address_count(list + i, n - i);

		kept += count < most ? count : most;
		i += count;
	}
	return kept;
}

/* The highest limit per address with which all fit. */
static size_t share_find(const struct connection *list, size_t n, size_t fit)
{
	size_t low = 1, high = n;

	while (low < high) {
		size_t middle = (low + high + 1) / 2;

		if (kept_of(list, n, middle) <= fit)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static void end(const struct connection *c)
{
	(void)shutdown(c->fd, SHUT_RDWR);	/* it may have closed already */
}

/* Closes idle ones; returns how many are left, at the list's start. */
static size_t idle_end(struct peers *p, size_t n, uint32_t idle_ms)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (p->list[i].idle_ms < idle_ms) {
			p->list[kept++] = p->list[i];
			continue;
		}
		end(&p->list[i]);
		p->count.idle++;
	}
	return kept;
}

static void excess_end(struct peers *p, size_t n, size_t fit)
{
	size_t share;

	qsort(p->list, n, sizeof(*p->list), connection_compare);
	share = share_find(p->list, n, fit);
	for (size_t i = 0; i < n;) {
		size_t count = address_count(p->list + i, n - i);

		for (size_t at = 0; at + share < count; at++) {
			end(&p->list[i + at]);
			p->count.excess++;
			p->count.connections--;
		}
		i += count;
	}
}

void peers_tend(struct peers *p, const struct peers_limits *limits)
{
	const struct peers_limits *l = limits ? limits : &p->limits;
	size_t fit = (size_t)l->room - l->room / 8, n;
	bool is_full;

	if (!limits && p->rests > 0) {
		p->rests--;
		return;
	}
	n = p->port ? connections_list(p) : 0;
	is_full = n > (size_t)l->room - l->room / 4;
	p->rests = n < l->room / 2 ? n / LOOKED_AT_EACH_TIME : 0;
	n = idle_end(p, n, is_full ? l->idle_full_ms : l->idle_ms);
	p->count.connections = (uint32_t)n;
	if (n > fit)
		excess_end(p, n, fit);
}

void peers_count(const struct peers *p, struct peers_count *ret)
{
	*ret = p->count;
}
