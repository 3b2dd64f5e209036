/* FEC and link settings by ethtool netlink, with the test as the kernel: its
 * answers lie ready before each read, as the source waits for them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/if_arp.h>
#include "petrel/link.h"
#include "platform/linux/ethtool_source.h"
#include "platform/linux/linux_source.h"
#include "tests/support/fake_kernel.h"
#include "tests/support/recording_host.h"

#define FAMILY 21
#define UP (IFF_UP | IFF_RUNNING | IFF_LOWER_UP)

static const struct platform_source reader = { .name = "reader",
					       .blocks = true };
static const struct platform_source *const sources[] = {
	&reader, &reader, &reader, &reader, &reader, NULL,
};
static const struct platform_driver driver = { .sources = sources };

struct bed {
	struct recording_host *record;
	struct link_follow links;
	struct ethtool_source source;
	int kernel;
	uint32_t seq;			/* of the next answer */
	struct netlink_bytes out;
	struct diag diag;
};

static void port_add(struct bed *b, int ifindex, const char *name,
		     uint32_t flags)
{
	struct link_message m = { .ifindex = ifindex, .arphrd = ARPHRD_ETHER,
				  .has = LINK_NAME, .flags = flags };
	struct linux_port *p;

	(void)strncpy(m.name, name, sizeof(m.name) - 1);
	p = port_table_take(b->links.ports, &m, 1);
	assert_non_null(p);
	p->link = m;
}

static int set_up(void **state)
{
	const struct recording_limits limits = { .blocking = true };
	struct bed *b = calloc(1, sizeof(*b));
	const struct platform_host *host;

	assert_non_null(b);
	assert_int_equal(recording_host_new(&driver, &limits, &b->record), 0);
	host = recording_host_get(b->record);
	assert_int_equal(link_follow_open(&b->links, NULL, host, -1, false,
					  NULL), 0);
	b->links.again = false;
	assert_int_equal(ethtool_source_open(&b->source, &b->links, host,
					     NULL), 0);
	b->source.family = FAMILY;
	b->kernel = fake_kernel_take(b->source.nl.fd);
	(void)close(fake_kernel_take(b->links.listen.fd));
	port_add(b, 3, "Ethernet0", UP);
	port_add(b, 4, "Ethernet4", UP);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *b = *state;
	uint64_t faults = recording_host_faults(b->record);

	if (faults > 0)
		print_error("%s\n", recording_host_fault(b->record, 0));
	ethtool_source_close(&b->source);
	link_follow_close(&b->links);
	recording_host_free(b->record);
	(void)close(b->kernel);
	free(b);
	return faults > 0;
}

static void reply_begin(struct bed *b, uint8_t command)
{
	const struct genlmsghdr head = { .cmd = command, .version = 1 };

	netlink_bytes_begin(&b->out, FAMILY, 0, ++b->seq, &head, sizeof(head));
}

static void settings_reply(struct bed *b, uint32_t speed_mbps, uint32_t lanes)
{
	reply_begin(b, ETHTOOL_MSG_LINKMODES_GET_REPLY);
	netlink_bytes_u32(&b->out, ETHTOOL_A_LINKMODES_SPEED, speed_mbps);
	netlink_bytes_u32(&b->out, ETHTOOL_A_LINKMODES_LANES, lanes);
	fake_kernel_send(b->kernel, &b->out);
}

static void fec_reply(struct bed *b, uint64_t corrected)
{
	const uint64_t by_lane[] = { corrected, corrected / 4, corrected / 4,
				     corrected / 2, UINT64_MAX };
	const uint64_t uncorrectable = 5, bits = 7 * corrected;
	size_t nest;

	reply_begin(b, ETHTOOL_MSG_FEC_GET_REPLY);
	netlink_bytes_u32(&b->out, ETHTOOL_A_FEC_ACTIVE,
			  ETHTOOL_LINK_MODE_FEC_RS_BIT);
	nest = netlink_bytes_open(&b->out, ETHTOOL_A_FEC_STATS);
	netlink_bytes_put(&b->out, ETHTOOL_A_FEC_STAT_CORRECTED, by_lane,
			  sizeof(by_lane));
	netlink_bytes_put(&b->out, ETHTOOL_A_FEC_STAT_UNCORR, &uncorrectable,
			  sizeof(uncorrectable));
	netlink_bytes_put(&b->out, ETHTOOL_A_FEC_STAT_CORR_BITS, &bits,
			  sizeof(bits));
	netlink_bytes_close(&b->out, nest);
	fake_kernel_send(b->kernel, &b->out);
}

static void error_reply(struct bed *b, int err)
{
	netlink_bytes_status(&b->out, NLMSG_ERROR, ++b->seq, err);
	fake_kernel_send(b->kernel, &b->out);
}

static int fec_read(struct bed *b)
{
	return ethtool_source_read_fec(&b->source, &b->diag);
}

static int64_t value(const struct bed *b, const char *name, enum quantity q,
		     unsigned index)
{
	uint32_t handle = recording_host_find(b->record, ENTITY_PORT, name);
	const struct recorded_value *v;
	size_t n = recording_host_values(b->record, &v);

	for (size_t i = 0; i < n; i++)
		if (v[i].handle == handle && v[i].quantity == q &&
		    v[i].index == index)
			return v[i].value;
	return -1;
}

static const char *attribute(const struct bed *b, const char *name,
			     enum attribute which)
{
	uint32_t handle = recording_host_find(b->record, ENTITY_PORT, name);

	return recording_host_entity(b->record, handle)->attribute[which];
}

static unsigned requests(const struct bed *b)
{
	unsigned n = 0;
	uint16_t type;

	while (fake_kernel_request(b->kernel, &type) != 0)
		n++;
	return n;
}

static void test_ethtool_source_tells_fec_of_each_port(void **state)
{
	struct bed *b = *state;

	settings_reply(b, 100000, 4);
	fec_reply(b, 1000);
	settings_reply(b, 100000, 2);
	fec_reply(b, 2000);
	assert_int_equal(fec_read(b), 0);
	assert_int_equal(value(b, "Ethernet0", Q_FEC_MODE, 0), FEC_RS528);
	assert_int_equal(value(b, "Ethernet4", Q_FEC_MODE, 0), FEC_RS544);
	assert_string_equal(attribute(b, "Ethernet4", ATTRIBUTE_FEC), "rs544");
	assert_int_equal(value(b, "Ethernet0", Q_FEC_CORRECTED_CODEWORDS, 0),
			 1000);
	assert_int_equal(value(b, "Ethernet4", Q_FEC_UNCORRECTABLE_CODEWORDS,
			       0), 5);
	assert_int_equal(value(b, "Ethernet4", Q_FEC_CORRECTED_BITS, 0),
			 14000);
	assert_int_equal(value(b, "Ethernet0", Q_FEC_LANE_CORRECTED_CODEWORDS,
			       2), 500);
	/* Its last lane is not counted: absent, not all ones. */
	assert_int_equal(value(b, "Ethernet0", Q_FEC_LANE_CORRECTED_CODEWORDS,
			       3), -1);
}

static void test_ethtool_source_asks_no_more_of_a_port_without_fec(void **state)
{
	struct bed *b = *state;

	settings_reply(b, 10000, 0);
	error_reply(b, -EOPNOTSUPP);
	settings_reply(b, 10000, 0);
	error_reply(b, -EOPNOTSUPP);
	assert_int_equal(fec_read(b), -ENODATA);
	assert_non_null(strstr(b->diag.text, "no driver of the 2 ports"));
	assert_int_equal(requests(b), 4);
	assert_int_equal(fec_read(b), -ENODATA);
	assert_int_equal(requests(b), 0);
	/* A minute later it does. */
	port_table_get(b->links.ports, 0)->fec_due.ns = 0;
	fec_reply(b, 8);
	assert_int_equal(fec_read(b), 0);
}

static void test_ethtool_source_tells_one_failed_port_of_two(void **state)
{
	struct bed *b = *state;
	enum source_state word;

	settings_reply(b, 100000, 4);
	error_reply(b, -EIO);
	settings_reply(b, 100000, 4);
	fec_reply(b, 2000);
	assert_int_equal(fec_read(b), 1);	/* it told its own state */
	assert_true(recording_host_source(b->record, LINUX_FEC, &word));
	assert_int_equal(word, SOURCE_FRESH);
	assert_int_equal(value(b, "Ethernet4", Q_FEC_CORRECTED_CODEWORDS, 0),
			 2000);
	assert_int_equal(value(b, "Ethernet0", Q_FEC_CORRECTED_CODEWORDS, 0),
			 -1);
}

static void test_ethtool_source_is_broken_when_all_ports_fail(void **state)
{
	struct bed *b = *state;

	for (int i = 0; i < 2; i++) {
		settings_reply(b, 100000, 4);
		error_reply(b, -EIO);
	}
	assert_int_equal(fec_read(b), -EIO);
	assert_non_null(strstr(b->diag.text, "2 of 2 ports fail, Ethernet0"));
}

static void test_ethtool_source_forgives_a_port_that_vanished(void **state)
{
	struct bed *b = *state;
	enum source_state word;

	error_reply(b, -ENODEV);
	error_reply(b, -ENODEV);
	settings_reply(b, 100000, 4);
	fec_reply(b, 2000);
	assert_int_equal(fec_read(b), 0);
	assert_false(recording_host_source(b->record, LINUX_FEC, &word));
}

static void test_ethtool_source_refuses_a_malformed_answer(void **state)
{
	struct bed *b = *state;

	for (int i = 0; i < 2; i++) {
		settings_reply(b, 100000, 4);
		reply_begin(b, ETHTOOL_MSG_FEC_GET_REPLY);
		netlink_bytes_put(&b->out, ETHTOOL_A_FEC_ACTIVE, "1", 1);
		fake_kernel_send(b->kernel, &b->out);
	}
	assert_int_equal(fec_read(b), -EIO);
	assert_int_equal(recording_host_samples(b->record), 0);
}

static void test_ethtool_source_passes_over_late_answers(void **state)
{
	struct bed *b = *state;

	b->seq = 700;		/* of a request long given up */
	fec_reply(b, 1);
	b->seq = 0;
	settings_reply(b, 100000, 4);
	fec_reply(b, 1000);
	settings_reply(b, 100000, 4);
	fec_reply(b, 2000);
	assert_int_equal(fec_read(b), 0);
	assert_int_equal(value(b, "Ethernet0", Q_FEC_CORRECTED_CODEWORDS, 0),
			 1000);
}

static void test_ethtool_source_tells_settings_now_and_then(void **state)
{
	struct bed *b = *state;

	settings_reply(b, 400000, 8);
	settings_reply(b, 100000, 2);
	assert_int_equal(ethtool_source_read_settings(&b->source, &b->diag),
			 0);
	assert_int_equal(value(b, "Ethernet0", Q_SPEED_MBPS, 0), 400000);
	assert_int_equal(value(b, "Ethernet0", Q_LANE_COUNT, 0), 8);
	assert_string_equal(attribute(b, "Ethernet4", ATTRIBUTE_LANE_COUNT),
			    "2");
	assert_int_equal(requests(b), 2);
	assert_int_equal(ethtool_source_read_settings(&b->source, &b->diag),
			 0);
	assert_int_equal(requests(b), 0);
}

static void test_ethtool_source_tells_why_a_link_is_down(void **state)
{
	struct bed *b = *state;

	port_table_get(b->links.ports, 0)->link.flags = IFF_UP;
	port_table_get(b->links.ports, 1)->link.flags = 0;	/* so */
	reply_begin(b, ETHTOOL_MSG_LINKSTATE_GET_REPLY);
	netlink_bytes_u8(&b->out, ETHTOOL_A_LINKSTATE_LINK, 0);
	netlink_bytes_u8(&b->out, ETHTOOL_A_LINKSTATE_EXT_STATE,
			 ETHTOOL_LINK_EXT_STATE_NO_CABLE);
	fake_kernel_send(b->kernel, &b->out);
	settings_reply(b, 0, 4);
	settings_reply(b, 0, 4);
	assert_int_equal(ethtool_source_read_settings(&b->source, &b->diag),
			 0);
	assert_int_equal(value(b, "Ethernet0", Q_DOWN_REASON, 0),
			 DOWN_NO_MODULE);
	assert_int_equal(value(b, "Ethernet4", Q_DOWN_REASON, 0), -1);
	assert_int_equal(value(b, "Ethernet0", Q_SPEED_MBPS, 0), -1);
	assert_int_equal(requests(b), 3);
}

static void test_ethtool_source_says_that_a_kernel_is_too_old(void **state)
{
	struct bed *b = *state;

	b->source.family = -1;
	assert_int_equal(fec_read(b), -EOPNOTSUPP);
	assert_non_null(strstr(b->diag.text, "no ethtool netlink"));
	assert_int_equal(requests(b), 0);
}

int main(void)
{
#define T(name)								\
	cmocka_unit_test_setup_teardown(test_ethtool_source_##name, set_up, \
					tear_down)
	const struct CMUnitTest tests[] = {
		T(tells_fec_of_each_port),
		T(asks_no_more_of_a_port_without_fec),
		T(tells_one_failed_port_of_two),
		T(is_broken_when_all_ports_fail),
		T(forgives_a_port_that_vanished),
		T(refuses_a_malformed_answer),
		T(passes_over_late_answers),
		T(tells_settings_now_and_then),
		T(tells_why_a_link_is_down),
		T(says_that_a_kernel_is_too_old),
	};
#undef T
	return cmocka_run_group_tests(tests, NULL, NULL);
}
