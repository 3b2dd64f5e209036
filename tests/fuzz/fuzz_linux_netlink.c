/* One datagram of netlink messages, as the driver walks it, to all parsers of
 * platform/linux.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <netlink/msg.h>
#include "platform/linux/ethtool_message.h"
#include "platform/linux/link_message.h"

#define DATAGRAM_MAX 32768u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void stats_parse(struct nlmsghdr *h)
{
	const struct link_stats_row *row;
	struct link_stats s;
	uint64_t value;
	size_t rows;

	row = link_stats_rows(&rows);
	if (link_stats_parse(h, &s) < 0)
		return;
	for (; rows > 0; rows--, row++)
		(void)link_stats_value(&s, row, &value);
}

static void ethtool_parse(struct nlmsghdr *h)
{
	struct ethtool_settings settings = { 0 };
	struct ethtool_state state;
	struct ethtool_fec fec;
	enum fec_mode mode;
	uint8_t octets[2];
	bool sure;

	(void)ethtool_message_eeprom(h, octets, sizeof(octets));

	(void)ethtool_message_settings(h, &settings);
	if (ethtool_message_fec(h, &fec) == 0)
		(void)ethtool_message_fec_mode(&fec, &settings, &mode, &sure);
	if (ethtool_message_state(h, &state) == 0)
		(void)ethtool_message_down_reason(&state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* As long as the input to the octet, so that no read goes past it. */
	size_t len = size < DATAGRAM_MAX ? size : DATAGRAM_MAX;
	uint8_t *copy = malloc(len ? len : 1);
	struct nlmsghdr *h = (void *)copy;
	struct link_message m;
	int left = (int)len;

	memcpy(copy, data, len);
	for (; nlmsg_ok(h, left); h = nlmsg_next(h, &left)) {
		(void)link_message_parse(h, &m);
		stats_parse(h);
		ethtool_parse(h);
	}
	free(copy);
	return 0;
}
