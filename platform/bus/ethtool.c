/* ethtool netlink: the kernel's driver or its firmware selects the page and
 * restores it. An SFP's second device is at address 51h.
 */
#include "platform/bus/bus_kind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/ethtool_netlink.h>
#include <net/if.h>
#include "platform/linux/ethtool_message.h"
#include "platform/linux/netlink.h"

#define ANSWER_MS 2000		/* a page at 100 kHz takes 12 ms */
#define REQUEST_ROOM 96
#define ADDRESS_A0 0x50u

struct ethtool_bus {
	const char *where;		/* borrowed: the interface */
	struct netlink nl;
	int family;
};

struct answer_room {
	void *octets;
	size_t len;
};

static int eeprom_parse(struct nlmsghdr *h, void *answer)
{
	const struct answer_room *to = answer;

	return ethtool_message_eeprom(h, to->octets, to->len);
}

static int ask(struct ethtool_bus *e, int ifindex,
	       const struct ethtool_octets *want, void *ret)
{
	struct answer_room to = { ret, want->len };
	uint8_t body[REQUEST_ROOM];
	size_t len = ethtool_message_eeprom_request(ifindex, want, body,
						    sizeof(body));

	return netlink_exchange(&e->nl, (uint16_t)e->family, body, len,
				ANSWER_MS, eeprom_parse, &to);
}

/* The kernel returns EINVAL for a page that the module does not have. */
static int ethtool_error(int err)
{
	switch (err) {
	case -ENODATA:
	case -EBADMSG:
		return err;
	case -EINVAL:
		return -EOPNOTSUPP;
	default:
		return bus_error(-err);
	}
}

/* Bank 1 of an SFP is its second device: octet 0 shows whether it is an SFP. */
static int bank_resolve(struct ethtool_bus *e, int ifindex,
			struct ethtool_octets *want)
{
	const struct ethtool_octets first = { .address = ADDRESS_A0, .len = 1 };
	uint8_t identifier;
	int rc;

	if (want->bank == 0)
		return 0;
	rc = ask(e, ifindex, &first, &identifier);
	if (rc == 0 && module_standard_by(identifier) == MODULE_SFF8472) {
		want->address++;
		want->bank = 0;
	}
	return rc;
}

static int ethtool_read(void *instance, unsigned bank, unsigned page,
			unsigned offset, void *ret, size_t n, struct diag *d)
{
	struct ethtool_bus *e = instance;
	int ifindex = (int)if_nametoindex(e->where), rc;
	struct ethtool_octets want = {
		.address = ADDRESS_A0, .bank = (uint8_t)bank,
		.page = (uint8_t)(page == MODULE_LOWER ? 0 : page),
		.offset = (uint8_t)offset, .len = (uint8_t)n,
	};

	if (ifindex == 0)
		return diag_set(d, -ENXIO, "%s: no such interface", e->where);
	rc = bank_resolve(e, ifindex, &want);
	if (rc == 0)
		rc = ask(e, ifindex, &want, ret);
	if (rc < 0)
		return diag_set(d, ethtool_error(rc), "%s: %s", e->where,
				strerror(-rc));
	return 0;
}

static void ethtool_close(void *instance)
{
	struct ethtool_bus *e = instance;

	netlink_close(&e->nl);
	free(e);
}

static const struct module_bus ethtool_bus = {
	.abi = 1,
	.size = sizeof(struct module_bus),
	.name = "ethtool",
	.read = ethtool_read,
	.close = ethtool_close,
};

int bus_ethtool_open(const struct bus_env *env, const char *where,
		     struct bus *ret, struct diag *d)
{
	struct ethtool_bus *e = calloc(1, sizeof(*e));
	int rc;

	(void)env;	/* no file, no page select */
	if (!e)
		return diag_set(d, -ENOMEM, "no memory for %s", where);
	e->where = where;
	rc = netlink_open(&e->nl, NETLINK_GENERIC, 0, -1);
	if (rc == 0)
		rc = netlink_family(ETHTOOL_GENL_NAME);
	if (rc < 0) {
		ethtool_close(e);
		return diag_set(d, rc, "no ethtool netlink: %s", strerror(-rc));
	}
	e->family = rc;
	ret->table = &ethtool_bus;
	ret->instance = e;
	return 0;
}
