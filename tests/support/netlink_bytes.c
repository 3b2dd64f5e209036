#include "tests/support/netlink_bytes.h"

#include <assert.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

static struct nlmsghdr *newest(struct netlink_bytes *b)
{
	return (void *)(b->octet + b->message);
}

static void append(struct netlink_bytes *b, const void *data, size_t len)
{
	size_t padded = NLMSG_ALIGN(len);

	assert(b->len + padded <= sizeof(b->octet));
	memset(b->octet + b->len, 0, padded);
	if (len > 0)
		memcpy(b->octet + b->len, data, len);
	b->len += padded;
	newest(b)->nlmsg_len = (uint32_t)(b->len - b->message);
}

void netlink_bytes_begin(struct netlink_bytes *b, uint16_t type,
			 uint16_t flags, uint32_t seq, const void *head,
			 size_t head_len)
{
	const struct nlmsghdr h = { .nlmsg_type = type, .nlmsg_flags = flags,
				    .nlmsg_seq = seq };

	b->message = b->len;
	append(b, &h, sizeof(h));
	append(b, head, head_len);
}

void netlink_bytes_put(struct netlink_bytes *b, uint16_t type, const void *data,
		       size_t len)
{
	const struct nlattr a = { (uint16_t)(NLA_HDRLEN + len), type };

	append(b, &a, sizeof(a));
	append(b, data, len);
}

void netlink_bytes_text(struct netlink_bytes *b, uint16_t type,
			const char *text)
{
	netlink_bytes_put(b, type, text, strlen(text) + 1);
}

void netlink_bytes_u8(struct netlink_bytes *b, uint16_t type, uint8_t value)
{
	netlink_bytes_put(b, type, &value, sizeof(value));
}

void netlink_bytes_u32(struct netlink_bytes *b, uint16_t type, uint32_t value)
{
	netlink_bytes_put(b, type, &value, sizeof(value));
}

size_t netlink_bytes_open(struct netlink_bytes *b, uint16_t type)
{
	size_t place = b->len;

	netlink_bytes_put(b, type | NLA_F_NESTED, NULL, 0);
	return place;
}

void netlink_bytes_close(struct netlink_bytes *b, size_t place)
{
	uint16_t len = (uint16_t)(b->len - place);

	memcpy(b->octet + place, &len, sizeof(len));
}

void netlink_bytes_status(struct netlink_bytes *b, uint16_t type, uint32_t seq,
			  int status)
{
	netlink_bytes_begin(b, type, NLM_F_MULTI, seq, &status, sizeof(status));
}

void netlink_bytes_link(struct netlink_bytes *b, const struct link_bytes *l)
{
	const struct ifinfomsg info = { .ifi_type = ARPHRD_ETHER,
					.ifi_index = l->ifindex,
					.ifi_flags = l->link_flags };
	size_t nest;

	netlink_bytes_begin(b, l->type, l->flags, l->seq, &info, sizeof(info));
	netlink_bytes_text(b, IFLA_IFNAME, l->name);
	netlink_bytes_u32(b, IFLA_MTU, 9100);
	netlink_bytes_u8(b, IFLA_OPERSTATE, l->operstate);
	netlink_bytes_u32(b, IFLA_CARRIER_CHANGES, l->changes);
	netlink_bytes_u32(b, IFLA_CARRIER_DOWN_COUNT, l->downs);
	if (!l->kind)
		return;
	nest = netlink_bytes_open(b, IFLA_LINKINFO);
	netlink_bytes_text(b, IFLA_INFO_KIND, l->kind);
	netlink_bytes_close(b, nest);
}

bool netlink_bytes_cut(struct netlink_bytes *b, size_t len)
{
	if (sizeof(struct nlmsghdr) + len >= newest(b)->nlmsg_len)
		return false;
	newest(b)->nlmsg_len = (uint32_t)(sizeof(struct nlmsghdr) + len);
	b->len = b->message + newest(b)->nlmsg_len;
	return true;
}

bool netlink_bytes_load(struct netlink_bytes *b, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	memset(b, 0, sizeof(*b));
	if (fd < 0)
		return false;
	n = read(fd, b->octet, sizeof(b->octet));
	(void)close(fd);
	if (n <= 0 || n == (ssize_t)sizeof(b->octet))
		return false;
	b->len = (size_t)n;
	return true;
}
