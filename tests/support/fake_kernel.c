#include "tests/support/fake_kernel.h"

#include <assert.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>

int fake_kernel_take(int fd)
{
	int pair[2];

	assert(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			  0, pair) == 0);
	assert(dup3(pair[0], fd, O_CLOEXEC) == fd);
	(void)close(pair[0]);
	return pair[1];
}

void fake_kernel_send(int fd, struct netlink_bytes *b)
{
	assert(send(fd, b->octet, b->len, 0) == (ssize_t)b->len);
	b->len = 0;
	b->message = 0;
}

uint32_t fake_kernel_request(int fd, uint16_t *ret_type)
{
	struct nlmsghdr h;
	uint8_t octet[512];
	ssize_t n = recv(fd, octet, sizeof(octet), 0);

	if (n < (ssize_t)sizeof(h))
		return 0;
	memcpy(&h, octet, sizeof(h));
	*ret_type = h.nlmsg_type;
	return h.nlmsg_seq;
}
