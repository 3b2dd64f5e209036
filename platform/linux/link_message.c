#include "platform/linux/link_message.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

enum field_kind { FIELD_U8, FIELD_U32, FIELD_TEXT };

struct field {
	uint8_t has;		/* enum link_field */
	uint8_t kind;
	uint16_t offset;	/* in struct link_message */
	uint16_t room;		/* of a text */
};

#define FIELD(kind_, has_, member)					\
	{ (has_), (kind_), offsetof(struct link_message, member),	\
	  sizeof(((struct link_message *)0)->member) }

/* By attribute. Source: linux/if_link.h. */
static const struct field fields[] = {
	[IFLA_IFNAME] = FIELD(FIELD_TEXT, LINK_NAME, name),
	[IFLA_IFALIAS] = FIELD(FIELD_TEXT, LINK_ALIAS, alias),
	[IFLA_OPERSTATE] = FIELD(FIELD_U8, LINK_OPERSTATE, operstate),
	[IFLA_MTU] = FIELD(FIELD_U32, LINK_MTU, mtu_octets),
	[IFLA_CARRIER_CHANGES] =
		FIELD(FIELD_U32, LINK_CARRIER_CHANGES, carrier_changes),
	[IFLA_CARRIER_DOWN_COUNT] =
		FIELD(FIELD_U32, LINK_CARRIER_DOWN_COUNT, carrier_down_count),
};

static const struct field kind_field = FIELD(FIELD_TEXT, LINK_KIND, kind);

#define FIELD_COUNT (sizeof(fields) / sizeof(fields[0]))

/* False: shorter than its type. Texts need no NUL and are cut. */
static bool field_read(const struct field *f, const struct nlattr *a,
		       struct link_message *m)
{
	char *at = (char *)m + f->offset;
	size_t len = (size_t)nla_len(a);
	size_t need = f->kind == FIELD_U8 ? 1 : sizeof(uint32_t);

	if (f->kind == FIELD_TEXT) {
		len = strnlen(nla_data(a), len);
		need = len < f->room ? len : f->room - 1u;
		at[need] = '\0';
	}
	if (len < need)
		return false;
	memcpy(at, nla_data(a), need);
	m->has |= f->has;
	return true;
}

/* IFLA_LINKINFO: only its kind is wanted. */
static bool linkinfo_read(const struct nlattr *nest, struct link_message *m)
{
	struct nlattr *a;
	int left;

	nla_for_each_nested(a, nest, left)
		if (nla_type(a) == IFLA_INFO_KIND)
			return field_read(&kind_field, a, m);
	return true;
}

static bool attribute_read(const struct nlattr *a, struct link_message *m)
{
	unsigned type = (unsigned)nla_type(a);

	if (type == IFLA_LINKINFO)
		return linkinfo_read(a, m);
	if (type >= FIELD_COUNT || fields[type].has == 0)
		return true;
	return field_read(&fields[type], a, m);
}

int link_message_parse(struct nlmsghdr *h, struct link_message *ret)
{
	struct link_message m = { 0 };
	struct ifinfomsg info;
	struct nlattr *a;
	int left;

	if (h->nlmsg_type != RTM_NEWLINK && h->nlmsg_type != RTM_DELLINK)
		return -ENOMSG;
	if (!nlmsg_valid_hdr(h, sizeof(info)))
		return -EBADMSG;
	memcpy(&info, nlmsg_data(h), sizeof(info));
	if (info.ifi_family != AF_UNSPEC)
		return -ENOMSG;
	m.ifindex = info.ifi_index;
	m.arphrd = info.ifi_type;
	m.flags = info.ifi_flags;
	nlmsg_for_each_attr(a, h, sizeof(info), left)
		if (!attribute_read(a, &m))
			return -EBADMSG;
	if (!(m.has & LINK_NAME) || m.name[0] == '\0')
		return -ENOMSG;
	*ret = m;
	return 0;
}

bool link_message_is_up(const struct link_message *m)
{
	const uint32_t all = IFF_UP | IFF_RUNNING | IFF_LOWER_UP;

	return (m->flags & all) == all;
}

const void *link_message_request(size_t *ret_len)
{
	static const struct {
		struct ifinfomsg info;
		struct nlattr head;
		uint32_t mask;
	} request = {
		.info = { .ifi_family = AF_UNSPEC },
		.head = { NLA_HDRLEN + sizeof(uint32_t), IFLA_EXT_MASK },
		.mask = RTEXT_FILTER_SKIP_STATS,
	};

	*ret_len = sizeof(request);
	return &request;
}
