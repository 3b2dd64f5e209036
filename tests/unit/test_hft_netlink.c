#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include "platform/sonic/hft/hft_netlink.h"
#include "tests/support/fake_kernel.h"

#define FAMILY 0x1f
#define PAYLOADS_MAX 16u

static const struct hft_netlink_env nowhere = {
	.family = "petrel_none", .group = "ipfix", .epoll_fd = -1,
	.root_fd = -1, .netns = "",
};

/* Where the kernel's end of the socket is taken, and what came through. */
struct bed {
	struct hft_netlink n;
	struct netlink_bytes out;
	int control, data;	/* the kernel's ends; -1 none */
	size_t len[PAYLOADS_MAX];
	char first[PAYLOADS_MAX];
	unsigned payloads;
};

static int bed_open(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->data = -1;
	assert_int_equal(hft_netlink_open(&b->n, &nowhere), 0);
	b->control = fake_kernel_take(b->n.control.fd);
	*state = b;
	return 0;
}

static int bed_close(void **state)
{
	struct bed *b = *state;

	hft_netlink_close(&b->n);
	(void)close(b->control);
	if (b->data >= 0)
		(void)close(b->data);
	free(b);
	return 0;
}

static void on_payload(void *context, const void *octets, size_t len)
{
	struct bed *b = context;

	if (b->payloads == PAYLOADS_MAX)
		return;
	b->len[b->payloads] = len;
	b->first[b->payloads++] = len > 0 ? *(const char *)octets : '-';
}

static void take(struct bed *b)
{
	b->payloads = 0;
	hft_netlink_take(&b->n, on_payload, b);
}

/* A message of nlctrl about a family with one group. */
static void family_say(struct bed *b, uint8_t command, const char *name,
		       uint16_t id, const char *group, uint32_t group_id)
{
	const struct genlmsghdr head = { .cmd = command, .version = 2 };
	size_t groups, one;

	netlink_bytes_begin(&b->out, GENL_ID_CTRL, 0, 0, &head, sizeof(head));
	netlink_bytes_text(&b->out, CTRL_ATTR_FAMILY_NAME, name);
	netlink_bytes_put(&b->out, CTRL_ATTR_FAMILY_ID, &id, sizeof(id));
	if (group) {
		groups = netlink_bytes_open(&b->out, CTRL_ATTR_MCAST_GROUPS);
		one = netlink_bytes_open(&b->out, 1);
		netlink_bytes_text(&b->out, CTRL_ATTR_MCAST_GRP_NAME, group);
		netlink_bytes_u32(&b->out, CTRL_ATTR_MCAST_GRP_ID, group_id);
		netlink_bytes_close(&b->out, one);
		netlink_bytes_close(&b->out, groups);
	}
}

/* The family is there: nlctrl's own group stands in for its group. */
static void bring_up(struct bed *b)
{
	family_say(b, CTRL_CMD_NEWFAMILY, "petrel_none", FAMILY, "ipfix",
		   GENL_ID_CTRL);
	fake_kernel_send(b->control, &b->out);
	take(b);
	assert_true(hft_netlink_is_up(&b->n));
	b->data = fake_kernel_take(b->n.data.fd);
}

static void message_put(struct bed *b, uint16_t type, const char *text,
			size_t len)
{
	struct {
		struct genlmsghdr g;
		char text[64];
	} body = { .g = { .cmd = 1 } };

	memcpy(body.text, text, len);
	netlink_bytes_begin(&b->out, type, 0, 0, &body,
			    sizeof(body.g) + len);
}

static void test_hft_family_is_joined_when_it_comes_and_left_when_it_goes(
	void **state)
{
	struct bed *b = *state;

	assert_false(hft_netlink_is_up(&b->n));
	bring_up(b);
	assert_int_equal(b->n.family_id, FAMILY);
	family_say(b, CTRL_CMD_DELFAMILY, "another", 9, NULL, 0);
	family_say(b, CTRL_CMD_DELFAMILY, "petrel_none", FAMILY, NULL, 0);
	fake_kernel_send(b->control, &b->out);
	take(b);
	assert_false(hft_netlink_is_up(&b->n));
	assert_int_equal(b->n.error, -ENOENT);
}

static void test_hft_family_without_its_group_is_told_apart(void **state)
{
	struct bed *b = *state;

	family_say(b, CTRL_CMD_NEWFAMILY, "petrel_none", FAMILY, "other", 77);
	fake_kernel_send(b->control, &b->out);
	take(b);
	assert_false(hft_netlink_is_up(&b->n));
	assert_int_equal(b->n.error, -EADDRNOTAVAIL);
}

/* The kernel itself has no such family. */
static void test_hft_family_that_is_not_there_is_absent(void **state)
{
	struct hft_netlink n;

	(void)state;
	assert_int_equal(hft_netlink_open(&n, &nowhere), 0);
	for (int i = 0; i < 3; i++)	/* nlctrl, then the family */
		hft_netlink_take(&n, on_payload, NULL);
	assert_true(n.asked);
	assert_false(hft_netlink_is_up(&n));
	assert_int_equal(n.error, -ENOENT);
	hft_netlink_close(&n);
}

static void test_hft_family_without_a_name_is_refused(void **state)
{
	struct bed *b = *state;
	struct hft_family f;

	family_say(b, CTRL_CMD_NEWFAMILY, "x", FAMILY, NULL, 0);
	assert_int_equal(hft_family_parse(&b->out.head, "ipfix", &f), 0);
	b->out.len = 0;
	b->out.message = 0;
	/* "" and the octet that pads it to two, as a length may say */
	family_say(b, CTRL_CMD_NEWFAMILY, "\0", FAMILY, NULL, 0);
	b->out.octet[NLMSG_HDRLEN + GENL_HDRLEN] = NLA_HDRLEN + 2;
	assert_int_equal(hft_family_parse(&b->out.head, "ipfix", &f),
			 -EBADMSG);
	b->out.len = 0;
	b->out.message = 0;
}

static void test_hft_takes_each_message_of_a_datagram(void **state)
{
	struct bed *b = *state;

	bring_up(b);
	message_put(b, FAMILY, "abc", 4);
	b->out.head.nlmsg_len--;		/* one octet of alignment */
	message_put(b, FAMILY, "defgh", 5);
	message_put(b, NLMSG_NOOP, "x", 1);
	message_put(b, FAMILY + 1, "y", 1);	/* another family's */
	message_put(b, FAMILY, "", 0);
	message_put(b, FAMILY, "ijkl", 4);
	fake_kernel_send(b->data, &b->out);
	take(b);
	assert_int_equal(b->payloads, 4);
	assert_memory_equal(b->first, "ad-i", 4);
	assert_int_equal(b->len[0], 3);
	assert_int_equal(b->len[3], 4);
	assert_int_equal(b->n.bad_frames, 0);
}

static void test_hft_counts_messages_cut_short(void **state)
{
	struct bed *b = *state;

	bring_up(b);
	message_put(b, FAMILY, "good", 4);
	message_put(b, FAMILY, "cut", 3);
	b->out.len -= 4;
	fake_kernel_send(b->data, &b->out);
	netlink_bytes_begin(&b->out, FAMILY, 0, 0, "", 0);	/* no head */
	fake_kernel_send(b->data, &b->out);
	take(b);
	assert_int_equal(b->payloads, 1);
	assert_int_equal(b->n.bad_frames, 2);
}

static void test_hft_reads_datagrams_larger_than_its_buffer(void **state)
{
	struct bed *b = *state;
	const size_t len = 150000;
	struct nlmsghdr h = { .nlmsg_len = (uint32_t)len,
			      .nlmsg_type = FAMILY };
	uint8_t *datagram = calloc(1, len);

	assert_non_null(datagram);
	bring_up(b);
	memcpy(datagram, &h, sizeof(h));
	assert_int_equal(send(b->data, datagram, len, 0), len);
	message_put(b, FAMILY, "next", 4);
	fake_kernel_send(b->data, &b->out);
	take(b);
	assert_int_equal(b->payloads, 2);
	assert_int_equal(b->len[0], len - sizeof(h) - GENL_HDRLEN);
	assert_int_equal(b->first[1], 'n');
	free(datagram);
}

static void test_hft_bounds_what_a_wake_up_takes(void **state)
{
	struct bed *b = *state;
	unsigned sent = 0, taken = 0;

	bring_up(b);
	for (; sent < HFT_WAKE_DATAGRAMS + 8; sent++) {
		message_put(b, FAMILY, "m", 1);
		if (send(b->data, b->out.octet, b->out.len, 0) < 0)
			break;		/* as many as the socket holds */
		b->out.len = 0;
		b->out.message = 0;
		if (sent % 8 == 7) {
			take(b);
			assert_in_range(b->payloads, 1, HFT_WAKE_DATAGRAMS);
			taken += b->payloads;
		}
	}
	take(b);
	assert_int_equal(taken + b->payloads, sent);
}

#define T(name) cmocka_unit_test_setup_teardown(name, bed_open, bed_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
	T(test_hft_family_is_joined_when_it_comes_and_left_when_it_goes),
		T(test_hft_family_without_its_group_is_told_apart),
		cmocka_unit_test(test_hft_family_that_is_not_there_is_absent),
		T(test_hft_family_without_a_name_is_refused),
		T(test_hft_takes_each_message_of_a_datagram),
		T(test_hft_counts_messages_cut_short),
		T(test_hft_reads_datagrams_larger_than_its_buffer),
		T(test_hft_bounds_what_a_wake_up_takes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
