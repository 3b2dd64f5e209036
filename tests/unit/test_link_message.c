#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/msg.h>
#include "platform/linux/link_message.h"
#include "tests/support/netlink_bytes.h"

#define SEEDS "tests/fuzz/corpus/linux_netlink/"
#define UP (IFF_UP | IFF_RUNNING | IFF_LOWER_UP)

static const struct link_bytes ethernet8 = {
	.type = RTM_NEWLINK, .ifindex = 12, .name = "Ethernet8",
	.link_flags = UP, .operstate = IF_OPER_UP, .changes = 7, .downs = 3,
	.kind = "veth",
};

static void test_link_message_reads_a_kernels_answer(void **state)
{
	/* RTM_GETLINK of a veth whose peer was set down, Linux 6.18; ip link
	 * showed: Ethernet0, NO-CARRIER, mtu 1500, LOWERLAYERDOWN, alias
	 * "to leaf3 port 7", 3 transitions.
	 */
	struct netlink_bytes b;
	struct link_message m;

	(void)state;
	assert_true(netlink_bytes_load(&b, SEEDS "newlink_Ethernet0"));
	assert_int_equal(link_message_parse(&b.head, &m), 0);
	assert_int_equal(m.ifindex, 3);
	assert_int_equal(m.arphrd, ARPHRD_ETHER);
	assert_string_equal(m.name, "Ethernet0");
	assert_string_equal(m.alias, "to leaf3 port 7");
	assert_string_equal(m.kind, "veth");
	assert_int_equal(m.operstate, IF_OPER_LOWERLAYERDOWN);
	assert_int_equal(m.mtu_octets, 1500);
	assert_int_equal(m.carrier_changes, 3);
	assert_int_equal(m.carrier_down_count, 2);
	assert_int_equal(m.has, 0x7f);
	assert_false(link_message_is_up(&m));
}

static void
test_link_message_takes_or_refuses_every_shorter_length(void **state)
{
	struct netlink_bytes whole, b;
	struct link_message m;
	size_t len;

	(void)state;
	assert_true(netlink_bytes_load(&whole, SEEDS "newlink_Ethernet0"));
	for (len = whole.len - sizeof(struct nlmsghdr) - 1; len > 0; len--) {
		int rc;

		b = whole;
		assert_true(netlink_bytes_cut(&b, len));
		rc = link_message_parse(&b.head, &m);
		if (len < sizeof(struct ifinfomsg))
			assert_int_equal(rc, -EBADMSG);
		else
			assert_true(rc == 0 || rc == -ENOMSG);
	}
}

static void test_link_message_refuses_an_attribute_too_short(void **state)
{
	struct netlink_bytes b = { .len = 0 };
	struct link_bytes l = ethernet8;
	struct link_message m;

	(void)state;
	l.kind = NULL;
	netlink_bytes_link(&b, &l);
	netlink_bytes_put(&b, IFLA_CARRIER_CHANGES, "\1\2", 2);
	assert_int_equal(link_message_parse(&b.head, &m), -EBADMSG);
}

static void test_link_message_cuts_texts_at_their_room(void **state)
{
	struct netlink_bytes b = { .len = 0 };
	char text[300];
	struct link_message m;

	(void)state;
	memset(text, 'x', sizeof(text));
	netlink_bytes_link(&b, &ethernet8);
	netlink_bytes_put(&b, IFLA_IFALIAS, text, sizeof(text));
	assert_int_equal(link_message_parse(&b.head, &m), 0);
	assert_int_equal(strlen(m.alias), ATTRIBUTE_TEXT_MAX - 1);
	assert_string_equal(m.name, "Ethernet8");
}

static void test_link_message_leaves_out_what_is_no_link(void **state)
{
	const struct ifinfomsg bridge = { .ifi_family = AF_BRIDGE,
					  .ifi_index = 12 };
	const struct ifinfomsg bare = { .ifi_index = 12 };
	struct netlink_bytes b;
	struct link_message m;

	(void)state;
	b.len = 0;
	netlink_bytes_begin(&b, RTM_DELLINK, 0, 0, &bridge, sizeof(bridge));
	netlink_bytes_text(&b, IFLA_IFNAME, "Ethernet8");
	assert_int_equal(link_message_parse(&b.head, &m), -ENOMSG);
	b.len = 0;
	netlink_bytes_begin(&b, RTM_NEWLINK, 0, 0, &bare, sizeof(bare));
	assert_int_equal(link_message_parse(&b.head, &m), -ENOMSG);
	b.len = 0;
	netlink_bytes_begin(&b, RTM_NEWADDR, 0, 0, &bare, sizeof(bare));
	netlink_bytes_text(&b, IFLA_IFNAME, "Ethernet8");
	assert_int_equal(link_message_parse(&b.head, &m), -ENOMSG);
}

static void test_link_message_marks_what_was_not_there(void **state)
{
	const struct ifinfomsg bare = { .ifi_index = 12 };
	struct netlink_bytes b = { .len = 0 };
	struct link_message m;

	(void)state;
	netlink_bytes_begin(&b, RTM_NEWLINK, 0, 0, &bare, sizeof(bare));
	netlink_bytes_text(&b, IFLA_IFNAME, "Ethernet8");
	assert_int_equal(link_message_parse(&b.head, &m), 0);
	assert_int_equal(m.has, LINK_NAME);
}

static void test_link_message_is_up_needs_all_three_flags(void **state)
{
	struct link_message m = { .flags = UP };

	(void)state;
	assert_true(link_message_is_up(&m));
	m.flags = UP & ~(unsigned)IFF_UP;
	assert_false(link_message_is_up(&m));
	m.flags = UP & ~(unsigned)IFF_RUNNING;
	assert_false(link_message_is_up(&m));
	m.flags = UP & ~(unsigned)IFF_LOWER_UP;
	assert_false(link_message_is_up(&m));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_link_message_reads_a_kernels_answer),
		cmocka_unit_test(
		test_link_message_takes_or_refuses_every_shorter_length),
		cmocka_unit_test(
			test_link_message_refuses_an_attribute_too_short),
		cmocka_unit_test(test_link_message_cuts_texts_at_their_room),
		cmocka_unit_test(test_link_message_leaves_out_what_is_no_link),
		cmocka_unit_test(test_link_message_marks_what_was_not_there),
		cmocka_unit_test(test_link_message_is_up_needs_all_three_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
