#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include "petrel/quantity.h"
#include "platform/linux/link_message.h"
#include "tests/support/netlink_bytes.h"

#define SEEDS "tests/fuzz/corpus/linux_netlink/"

/* Each field holds 1000 and its place, so that a swap shows. */
static void message_make(struct netlink_bytes *b, size_t fields)
{
	const struct if_stats_msg head = { .ifindex = 12 };
	uint64_t field[25];

	for (size_t i = 0; i < 25; i++)
		field[i] = 1000 + i;
	b->len = 0;
	netlink_bytes_begin(b, RTM_NEWSTATS, NLM_F_MULTI, 1, &head,
			    sizeof(head));
	netlink_bytes_put(b, IFLA_STATS_LINK_64, field, fields * 8);
}

static bool value_of(const struct link_stats *s, enum quantity wanted,
		     uint64_t *ret)
{
	const struct link_stats_row *row;
	size_t rows;

	row = link_stats_rows(&rows);
	for (; rows > 0; rows--, row++)
		if (row->quantity == wanted)
			return link_stats_value(s, row, ret);
	return false;
}

static void test_link_stats_ties_each_field_to_its_quantity(void **state)
{
	/* Place in struct rtnl_link_stats64, linux/if_link.h. */
	static const struct {
		enum quantity quantity;
		uint64_t place;
	} rows[] = {
		{ Q_IF_IN_FRAMES, 0 }, { Q_IF_OUT_FRAMES, 1 },
		{ Q_IF_IN_OCTETS, 2 }, { Q_IF_OUT_OCTETS, 3 },
		{ Q_IF_IN_ERRORS, 4 }, { Q_IF_OUT_ERRORS, 5 },
		{ Q_IF_IN_DISCARDS, 6 }, { Q_IF_OUT_DISCARDS, 7 },
		{ Q_IF_IN_MULTICAST_FRAMES, 8 }, { Q_COLLISIONS, 9 },
		{ Q_RX_LENGTH_ERRORS, 10 }, { Q_RX_OVER_ERRORS, 11 },
		{ Q_DOT3_FCS_ERRORS, 12 }, { Q_RX_FRAME_ERRORS, 13 },
		{ Q_RX_FIFO_ERRORS, 14 }, { Q_RX_MISSED_ERRORS, 15 },
		{ Q_TX_ABORTED_ERRORS, 16 },
		{ Q_DOT3_CARRIER_SENSE_ERRORS, 17 },
		{ Q_TX_FIFO_ERRORS, 18 }, { Q_TX_HEARTBEAT_ERRORS, 19 },
		{ Q_TX_WINDOW_ERRORS, 20 }, { Q_RX_NOHANDLER_FRAMES, 23 },
	};
	struct netlink_bytes b;
	struct link_stats s;
	uint64_t value;
	size_t count;

	(void)state;
	message_make(&b, 25);
	assert_int_equal(link_stats_parse(&b.head, &s), 0);
	assert_int_equal(s.ifindex, 12);
	(void)link_stats_rows(&count);
	assert_int_equal(count, sizeof(rows) / sizeof(rows[0]));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(value_of(&s, rows[i].quantity, &value));
		assert_int_equal(value, 1000 + rows[i].place);
	}
}

static void test_link_stats_leaves_out_what_an_older_kernel_lacks(void **state)
{
	struct netlink_bytes b;
	struct link_stats s;
	uint64_t value;

	(void)state;
	message_make(&b, 23);	/* Linux 4.5: no rx_nohandler yet */
	assert_int_equal(link_stats_parse(&b.head, &s), 0);
	assert_false(value_of(&s, Q_RX_NOHANDLER_FRAMES, &value));
	assert_true(value_of(&s, Q_TX_WINDOW_ERRORS, &value));
}

static void test_link_stats_never_hands_over_an_absent_counter(void **state)
{
	const struct if_stats_msg head = { .ifindex = 12 };
	const uint64_t field[4] = { 5, UINT64_MAX, UINT64_MAX - 1, 0 };
	struct netlink_bytes b = { .len = 0 };
	struct link_stats s;
	uint64_t value;

	(void)state;
	netlink_bytes_begin(&b, RTM_NEWSTATS, 0, 1, &head, sizeof(head));
	netlink_bytes_put(&b, IFLA_STATS_LINK_64, field, sizeof(field));
	assert_int_equal(link_stats_parse(&b.head, &s), 0);
	assert_false(value_of(&s, Q_IF_OUT_FRAMES, &value));
	assert_true(value_of(&s, Q_IF_IN_OCTETS, &value));
	assert_true(value == UINT64_MAX - 1);
}

static void test_link_stats_reads_a_kernels_answer(void **state)
{
	/* RTM_GETSTATS of the veth of newlink_Ethernet0; ip -s -s link showed
	 * TX dropped 1 and zeros.
	 */
	struct netlink_bytes b;
	struct link_stats s;
	uint64_t value;

	(void)state;
	assert_true(netlink_bytes_load(&b, SEEDS "newstats_Ethernet0"));
	assert_int_equal(link_stats_parse(&b.head, &s), 0);
	assert_int_equal(s.ifindex, 3);
	assert_true(value_of(&s, Q_IF_OUT_DISCARDS, &value));
	assert_int_equal(value, 1);
	assert_true(value_of(&s, Q_IF_OUT_OCTETS, &value));
	assert_int_equal(value, 0);
}

static void test_link_stats_takes_or_refuses_every_shorter_length(void **state)
{
	struct netlink_bytes whole, b;
	const struct link_stats_row *row;
	struct link_stats s;
	uint64_t value;
	size_t rows;

	(void)state;
	message_make(&whole, 25);
	for (size_t len = 0; len < 12 + 4 + 25 * 8; len++) {
		b = whole;
		assert_true(netlink_bytes_cut(&b, len));
		/* An attribute cut short is no attribute. */
		assert_int_equal(link_stats_parse(&b.head, &s),
				 len < 12 ? -EBADMSG : -ENOMSG);
	}
	for (size_t len = 0; len <= 25 * 8; len++) {
		s = (struct link_stats){ .data = whole.octet, .len = len };
		row = link_stats_rows(&rows);
		for (; rows > 0; rows--, row++)
			assert_int_equal(link_stats_value(&s, row, &value),
					 row->offset + 8u <= len);
	}
}

static void test_link_stats_leaves_out_other_messages(void **state)
{
	const struct if_stats_msg head = { .ifindex = 12 };
	struct netlink_bytes b = { .len = 0 };
	struct link_stats s;

	(void)state;
	netlink_bytes_begin(&b, RTM_NEWLINK, 0, 1, &head, sizeof(head));
	assert_int_equal(link_stats_parse(&b.head, &s), -ENOMSG);
	b.len = 0;
	netlink_bytes_begin(&b, RTM_NEWSTATS, 0, 1, &head, sizeof(head));
	netlink_bytes_put(&b, IFLA_STATS_LINK_XSTATS, "12345678", 8);
	assert_int_equal(link_stats_parse(&b.head, &s), -ENOMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_link_stats_ties_each_field_to_its_quantity),
		cmocka_unit_test(
			test_link_stats_leaves_out_what_an_older_kernel_lacks),
		cmocka_unit_test(
			test_link_stats_never_hands_over_an_absent_counter),
		cmocka_unit_test(test_link_stats_reads_a_kernels_answer),
		cmocka_unit_test(
			test_link_stats_takes_or_refuses_every_shorter_length),
		cmocka_unit_test(test_link_stats_leaves_out_other_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
