#include "agent/push/egress.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DSCP_SHIFT 2	/* in the octet of IP, above ECN */

/* RFC 6666: no host has an address in 100::/64. The rest is a pointer. */
static const uint8_t discard_prefix[8] = { 0x01, 0x00 };

static int fault(const char *what, const char *which, struct diag *d)
{
	int err = errno;

	return diag_set(d, -err, "%s %s: %s", what, which,
			err == ENODEV ? "no such device" :
			err == EADDRNOTAVAIL ? "not an address of this switch "
					       "there" : strerror(err));
}

static int dscp_set(unsigned dscp, int fd, int family)
{
	int octet = (int)(dscp << DSCP_SHIFT);

	if (family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS,
					     &octet, sizeof(octet)) < 0)
		return -errno;
	/* for IPv6 too: it may lead to ::ffff:192.0.2.1 */
	return setsockopt(fd, IPPROTO_IP, IP_TOS, &octet, sizeof(octet)) < 0 ?
	       -errno : 0;
}

static int real_bind(int fd, const void *address, socklen_t len)
{
	return (int)syscall(SYS_bind, fd, address, len);
}

/* Leaves the choice of the port to connect(2), so that none is used up here. */
static int source_set(const char *source, int fd, int family)
{
	struct sockaddr_in four = { .sin_family = AF_INET };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	bool is_four = inet_pton(AF_INET, source, &four.sin_addr) == 1;
	int late = 1;

	(void)setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &late,
			 sizeof(late));	/* else it is chosen here */
	if (is_four && family == AF_INET)
		return real_bind(fd, &four, sizeof(four));
	if (is_four) {
		six.sin6_addr.s6_addr[10] = six.sin6_addr.s6_addr[11] = 0xff;
		memcpy(six.sin6_addr.s6_addr + 12, &four.sin_addr, 4);
	} else if (inet_pton(AF_INET6, source, &six.sin6_addr) != 1) {
		errno = EINVAL;
		return -1;
	}
	return real_bind(fd, &six, sizeof(six));
}

int egress_apply(const struct egress *e, int fd, struct diag *d)
{
	socklen_t len = sizeof(int);
	char dscp[16];
	int family = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &len) < 0 ||
	    (family != AF_INET && family != AF_INET6))
		return 0;
	if (e->vrf[0] && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, e->vrf,
				    (socklen_t)strlen(e->vrf)) < 0)
		return fault("vrf", e->vrf, d);
	(void)snprintf(dscp, sizeof(dscp), "%u", e->dscp);
	if (e->dscp && dscp_set(e->dscp, fd, family) < 0)
		return fault("dscp", dscp, d);
	if (e->source[0] && source_set(e->source, fd, family) < 0)
		return fault("source", e->source, d);
	return 0;
}

unsigned egress_device(const struct egress *e)
{
	return e->vrf[0] ? if_nametoindex(e->vrf) : 0;
}

/* --- nanomsg's sockets ---------------------------------------------------- */

void egress_local(const struct egress *e, char ret[static EGRESS_LOCAL_SIZE])
{
	char text[INET6_ADDRSTRLEN] = "";
	struct in6_addr address;

	ret[0] = '\0';
	if (!e->vrf[0] && !e->source[0] && !e->dscp)
		return;
	memcpy(address.s6_addr, discard_prefix, sizeof(discard_prefix));
	memcpy(address.s6_addr + sizeof(discard_prefix), &e,
	       sizeof(uint64_t));
	(void)inet_ntop(AF_INET6, &address, text, sizeof(text));
	(void)snprintf(ret, EGRESS_LOCAL_SIZE, "[%s];", text);
}

/* The request of egress_local(); NULL: an ordinary address. */
static const struct egress *egress_of(const struct sockaddr *address,
				      socklen_t len)
{
	const struct egress *e = NULL;
	struct sockaddr_in6 six;

	if (!address || len < sizeof(six))
		return NULL;
	memcpy(&six, address, sizeof(six));
	if (six.sin6_family == AF_INET6 &&
	    memcmp(six.sin6_addr.s6_addr, discard_prefix,
		   sizeof(discard_prefix)) == 0)
		memcpy(&e, six.sin6_addr.s6_addr + sizeof(discard_prefix),
		       sizeof(e));
	return e;
}

/* Replaces a socket that would take another route by one whose connect(2)
 * fails.
 */
static void socket_spoil(int fd)
{
	int other = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
			   0);

	if (other < 0 || dup3(other, fd, O_CLOEXEC) < 0)
		(void)shutdown(fd, SHUT_RDWR);
	if (other >= 0)
		(void)close(other);
}

/* For the whole program, shared libraries included: the linker exports it
 * because nanomsg refers to it.
 */
int bind(int fd, __CONST_SOCKADDR_ARG address, socklen_t len)
{
	const struct egress *e = egress_of(address.__sockaddr__, len);

	if (!e)
		return real_bind(fd, address.__sockaddr__, len);
	if (egress_apply(e, fd, NULL) < 0)
		socket_spoil(fd);
	return 0;
}
