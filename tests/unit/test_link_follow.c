/* The state machine of links: the test plays the kernel on both sockets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>
#include <linux/rtnetlink.h>
#include <netlink/socket.h>
#include "petrel/link.h"
#include "platform/driver.h"
#include "platform/linux/link_follow.h"
#include "platform/linux/linux_source.h"
#include "tests/support/fake_kernel.h"
#include "tests/support/recording_host.h"

#define UP (IFF_UP | IFF_RUNNING | IFF_LOWER_UP)
#define NO_CARRIER_FLAGS IFF_UP

/* Only its list of sources is looked at. */
static const struct platform_source links_source = {
	.name = "links", .blocks = false,
};
static const struct platform_source *const sources[] = {
	&links_source, &links_source, NULL,
};
static const struct platform_driver driver = { .sources = sources };

struct bed {
	struct recording_host *record;
	struct link_follow follow;
	int dump, notes;		/* the kernel's ends */
	struct netlink_bytes out;
};

static int set_up(void **state)
{
	const struct recording_limits limits = { .blocking = false };
	struct bed *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	assert_int_equal(recording_host_new(&driver, &limits, &b->record),
			 0);
	assert_int_equal(link_follow_open(&b->follow, NULL,
					  recording_host_get(b->record), -1,
					  true, NULL), 0);
	b->dump = fake_kernel_take(b->follow.dump.nl.fd);
	b->notes = fake_kernel_take(b->follow.listen.fd);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *b = *state;
	uint64_t faults = recording_host_faults(b->record);

	if (faults > 0)
		print_error("%s\n", recording_host_fault(b->record, 0));
	link_follow_close(&b->follow);
	recording_host_free(b->record);
	(void)close(b->dump);
	(void)close(b->notes);
	free(b);
	return faults > 0;
}

static struct link_bytes port_link(int ifindex, const char *name)
{
	return (struct link_bytes){
		.type = RTM_NEWLINK, .flags = NLM_F_MULTI, .ifindex = ifindex,
		.name = name, .link_flags = UP, .operstate = IF_OPER_UP,
		.changes = 2, .downs = 1,
	};
}

static void put(struct bed *b, uint32_t seq, struct link_bytes l)
{
	l.seq = seq;
	netlink_bytes_link(&b->out, &l);
}

static int take(struct bed *b)
{
	return link_follow_take(&b->follow, clock_mono_now());
}

/* Takes the request for a dump that is there. */
static uint32_t asked(struct bed *b)
{
	uint16_t type = 0;
	uint32_t seq = fake_kernel_request(b->dump, &type);

	if (seq != 0)
		assert_int_equal(type, RTM_GETLINK);
	return seq;
}

/* A whole dump of Ethernet0 and Ethernet4, both up. */
static void dump_two(struct bed *b)
{
	uint32_t seq;

	assert_int_equal(link_follow_ask(&b->follow, clock_mono_now()), 0);
	seq = asked(b);
	put(b, seq, port_link(3, "Ethernet0"));
	put(b, seq, port_link(4, "Ethernet4"));
	netlink_bytes_status(&b->out, NLMSG_DONE, seq, 0);
	fake_kernel_send(b->dump, &b->out);
	assert_int_equal(take(b), 0);
}

static void note(struct bed *b, struct link_bytes l)
{
	l.flags = 0;
	put(b, 0, l);
	fake_kernel_send(b->notes, &b->out);
}

static uint64_t events(const struct bed *b, enum platform_event what)
{
	return recording_host_events(b->record, what);
}

/* The newest value of a port; -1 when it was never told. */
static int64_t value(const struct bed *b, const char *name, enum quantity q)
{
	uint32_t handle = recording_host_find(b->record, ENTITY_PORT, name);
	const struct recorded_value *v;
	size_t n = recording_host_values(b->record, &v);

	for (size_t i = 0; i < n; i++)
		if (v[i].handle == handle && v[i].quantity == q)
			return v[i].value;
	return -1;
}

static bool lives(const struct bed *b, const char *name)
{
	return recording_host_find(b->record, ENTITY_PORT, name) != ENTITY_NONE;
}

static void test_link_follow_tells_what_a_dump_shows(void **state)
{
	struct bed *b = *state;

	dump_two(b);
	assert_int_equal(value(b, "Ethernet0", Q_OPER_STATUS), OPER_UP);
	assert_int_equal(value(b, "Ethernet4", Q_ADMIN_STATUS), 1);
	assert_int_equal(value(b, "Ethernet4", Q_MTU_OCTETS), 9100);
	assert_int_equal(value(b, "Ethernet4", Q_LINK_TRANSITIONS), 2);
	assert_int_equal(value(b, "Ethernet4", Q_LINK_DOWN_COUNT), 1);
	assert_int_equal(value(b, "Ethernet4", Q_DOWN_REASON), -1);
	assert_int_equal(events(b, EVENT_LINK_UP), 0);
}

static void test_link_follow_tells_a_falling_link_at_once(void **state)
{
	struct bed *b = *state;
	struct link_bytes l = port_link(4, "Ethernet4");

	dump_two(b);
	l.link_flags = NO_CARRIER_FLAGS;
	l.operstate = IF_OPER_DOWN;
	l.changes = 3;
	l.downs = 2;
	note(b, l);
	assert_int_equal(take(b), 0);
	assert_int_equal(events(b, EVENT_LINK_DOWN), 1);
	assert_int_equal(value(b, "Ethernet4", Q_OPER_STATUS), OPER_DOWN);
	assert_int_equal(value(b, "Ethernet4", Q_DOWN_REASON),
			 DOWN_NO_CARRIER);
	assert_int_equal(value(b, "Ethernet0", Q_OPER_STATUS), OPER_UP);
}

static void test_link_follow_tells_down_by_configuration(void **state)
{
	struct bed *b = *state;
	struct link_bytes l = port_link(4, "Ethernet4");

	dump_two(b);
	l.link_flags = 0;	/* and the carrier's count as it was */
	l.operstate = IF_OPER_DOWN;
	note(b, l);
	assert_int_equal(take(b), 0);
	assert_int_equal(events(b, EVENT_LINK_DOWN), 1);
	assert_int_equal(value(b, "Ethernet4", Q_DOWN_REASON), DOWN_ADMIN);
}

static void test_link_follow_tells_a_flap_between_two_messages(void **state)
{
	struct bed *b = *state;
	struct link_bytes l = port_link(4, "Ethernet4");

	dump_two(b);
	l.changes = 6;
	l.downs = 3;
	note(b, l);
	assert_int_equal(take(b), 0);
	assert_int_equal(events(b, EVENT_LINK_DOWN), 1);
	assert_int_equal(events(b, EVENT_LINK_UP), 1);
	assert_int_equal(value(b, "Ethernet4", Q_LINK_DOWN_COUNT), 3);
}

static void test_link_follow_tells_rising_once(void **state)
{
	struct bed *b = *state;
	struct link_bytes l = port_link(4, "Ethernet4");

	dump_two(b);
	l.link_flags = NO_CARRIER_FLAGS;
	l.changes = 3;
	l.downs = 2;
	note(b, l);
	l.link_flags = UP;
	l.changes = 4;
	note(b, l);
	note(b, l);
	assert_int_equal(take(b), 0);
	assert_int_equal(events(b, EVENT_LINK_DOWN), 1);
	assert_int_equal(events(b, EVENT_LINK_UP), 1);
}

/* Whatever is in the queue of notifications from before the dump. */
static void test_link_follow_ignores_news_older_than_the_dump(void **state)
{
	struct bed *b = *state;
	struct link_bytes l = port_link(4, "Ethernet4");

	dump_two(b);
	l.link_flags = NO_CARRIER_FLAGS;
	l.changes = 1;
	l.downs = 1;
	note(b, l);
	assert_int_equal(take(b), 0);
	assert_int_equal(events(b, EVENT_LINK_DOWN), 0);
	assert_int_equal(value(b, "Ethernet4", Q_LINK_TRANSITIONS), 2);
}

static void test_link_follow_drops_a_port_that_vanishes(void **state)
{
	struct bed *b = *state;
	struct link_bytes l = port_link(4, "Ethernet4");

	dump_two(b);
	l.type = RTM_DELLINK;
	note(b, l);
	assert_int_equal(take(b), 0);
	assert_false(lives(b, "Ethernet4"));
	assert_true(lives(b, "Ethernet0"));
}

static void test_link_follow_sees_a_vanished_port_in_a_dump(void **state)
{
	struct bed *b = *state;
	uint32_t seq;

	dump_two(b);
	assert_int_equal(link_follow_ask(&b->follow, clock_mono_now()), 0);
	seq = asked(b);
	put(b, seq, port_link(4, "Ethernet4"));
	netlink_bytes_status(&b->out, NLMSG_DONE, seq, 0);
	fake_kernel_send(b->dump, &b->out);
	assert_int_equal(take(b), 0);
	assert_false(lives(b, "Ethernet0"));
}

static void
test_link_follow_keeps_ports_out_of_an_interrupted_dump(void **state)
{
	struct bed *b = *state;
	struct link_bytes l = port_link(4, "Ethernet4");
	uint32_t seq, next;

	dump_two(b);
	assert_int_equal(link_follow_ask(&b->follow, clock_mono_now()), 0);
	seq = asked(b);
	l.flags = NLM_F_MULTI | NLM_F_DUMP_INTR;
	put(b, seq, l);
	netlink_bytes_status(&b->out, NLMSG_DONE, seq, 0);
	fake_kernel_send(b->dump, &b->out);
	assert_int_equal(take(b), -EINPROGRESS);
	assert_true(lives(b, "Ethernet0"));
	next = asked(b);
	assert_int_equal(next, seq + 1);	/* and asks again at once */
}

static void test_link_follow_gives_up_on_interrupted_dumps(void **state)
{
	struct bed *b = *state;
	struct link_bytes l = port_link(4, "Ethernet4");
	uint32_t seq;
	int dumps = 0;

	l.flags = NLM_F_MULTI | NLM_F_DUMP_INTR;
	assert_int_equal(link_follow_ask(&b->follow, clock_mono_now()), 0);
	while ((seq = asked(b)) != 0 && dumps < 100) {
		dumps++;
		put(b, seq, l);
		netlink_bytes_status(&b->out, NLMSG_DONE, seq, 0);
		fake_kernel_send(b->dump, &b->out);
		(void)take(b);
	}
	assert_int_equal(dumps, 4);
	assert_false(b->follow.dump.running);
}

static void test_link_follow_follows_a_renamed_port(void **state)
{
	struct bed *b = *state;

	dump_two(b);
	note(b, port_link(4, "Ethernet400"));
	assert_int_equal(take(b), 0);
	assert_false(lives(b, "Ethernet4"));
	assert_true(lives(b, "Ethernet400"));
	assert_int_equal(value(b, "Ethernet400", Q_MTU_OCTETS), 9100);
}

static void test_link_follow_makes_a_recreated_port_a_new_entity(void **state)
{
	struct bed *b = *state;
	uint32_t before, after;

	dump_two(b);
	before = recording_host_find(b->record, ENTITY_PORT, "Ethernet4");
	note(b, port_link(77, "Ethernet4"));	/* its RTM_DELLINK is lost */
	assert_int_equal(take(b), 0);
	after = recording_host_find(b->record, ENTITY_PORT, "Ethernet4");
	assert_int_not_equal(after, ENTITY_NONE);
	assert_int_not_equal(after, before);
	assert_true(recording_host_entity(b->record, before)->gone);
	assert_null(port_table_find(b->follow.ports, 4));
	assert_int_equal(events(b, EVENT_LINK_DOWN), 0);
}

static void test_link_follow_leaves_out_what_is_no_port(void **state)
{
	struct bed *b = *state;
	struct link_bytes vlan = port_link(50, "Ethernet0.100");
	struct link_bytes veth = port_link(51, "Ethernet8");

	vlan.kind = "vlan";
	veth.kind = "veth";
	dump_two(b);
	note(b, vlan);
	note(b, veth);
	note(b, port_link(52, "docker0"));
	assert_int_equal(take(b), 0);
	assert_false(lives(b, "Ethernet0.100"));
	assert_true(lives(b, "Ethernet8"));
	assert_false(lives(b, "docker0"));
}

static void test_link_follow_passes_over_garbage(void **state)
{
	static const uint8_t junk[][24] = {
		{ 0 }, { 0xff, 0xff, 0xff, 0xff, 16 }, { 4, 0, 0, 0, 16 },
		{ 24, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff },
	};
	struct bed *b = *state;

	dump_two(b);
	for (size_t i = 0; i < sizeof(junk) / sizeof(junk[0]); i++) {
		memcpy(b->out.octet, junk[i], sizeof(junk[i]));
		b->out.len = sizeof(junk[i]);
		fake_kernel_send(b->notes, &b->out);
	}
	assert_int_equal(take(b), 0);
	assert_true(lives(b, "Ethernet0"));
	assert_int_equal(events(b, EVENT_OVERRUN), 0);
}

static void test_link_follow_ignores_answers_to_earlier_dumps(void **state)
{
	struct bed *b = *state;
	uint32_t seq;

	dump_two(b);
	assert_int_equal(link_follow_ask(&b->follow, clock_mono_now()), 0);
	seq = asked(b);
	netlink_bytes_status(&b->out, NLMSG_DONE, seq - 1, 0);
	fake_kernel_send(b->dump, &b->out);
	assert_int_equal(take(b), -EINPROGRESS);
	assert_true(lives(b, "Ethernet0"));
}

static void test_link_follow_tells_the_kernels_refusal(void **state)
{
	struct bed *b = *state;

	assert_int_equal(link_follow_ask(&b->follow, clock_mono_now()), 0);
	netlink_bytes_status(&b->out, NLMSG_ERROR, asked(b), -EPERM);
	fake_kernel_send(b->dump, &b->out);
	assert_int_equal(take(b), -EPERM);
}

static void test_link_follow_begins_anew_when_no_answer_comes(void **state)
{
	struct bed *b = *state;
	struct mono now = clock_mono_now();

	assert_int_equal(link_follow_ask(&b->follow, now), 0);
	assert_int_equal(dump_deadline(&b->follow.dump).ns,
			 now.ns + DUMP_OVERDUE_NS);
	assert_int_equal(link_follow_take(&b->follow, now), -EINPROGRESS);
	now.ns += DUMP_OVERDUE_NS;
	assert_int_equal(link_follow_take(&b->follow, now), -ETIMEDOUT);
	assert_int_equal(b->follow.dump.nl.fd, -1);
	/* The next one has a new socket, to the real kernel. */
	assert_int_equal(link_follow_ask(&b->follow, now), 0);
	assert_true(b->follow.dump.nl.fd >= 0);
}

static void test_link_follow_reads_anew_when_news_were_lost(void **state)
{
	struct bed *b = *state;
	char *huge = calloc(1, 2 * NETLINK_BUFFER_LEN);
	struct link_bytes old = port_link(4, "Ethernet4");
	uint32_t seq;

	dump_two(b);
	/* Cut by the buffer: MSG_TRUNC, as bad as ENOBUFS. */
	assert_true(write(b->notes, huge, 2 * NETLINK_BUFFER_LEN) > 0);
	free(huge);
	old.link_flags = 0;	/* its way up again is what was lost */
	note(b, old);
	assert_int_equal(take(b), -EINPROGRESS);
	assert_int_equal(events(b, EVENT_OVERRUN), 1);
	seq = asked(b);
	assert_int_not_equal(seq, 0);
	put(b, seq, port_link(4, "Ethernet4"));
	netlink_bytes_status(&b->out, NLMSG_DONE, seq, 0);
	fake_kernel_send(b->dump, &b->out);
	assert_int_equal(take(b), 0);
	assert_int_equal(value(b, "Ethernet4", Q_ADMIN_STATUS), 1);
}

static void test_link_follow_lists_without_telling_values(void **state)
{
	struct bed *b = *state;
	uint32_t seq = b->follow.dump.nl.seq + 1;

	put(b, seq, port_link(3, "Ethernet0"));
	netlink_bytes_status(&b->out, NLMSG_DONE, seq, 0);
	fake_kernel_send(b->dump, &b->out);
	assert_int_equal(link_follow_list(&b->follow, clock_mono_now()), 0);
	assert_true(lives(b, "Ethernet0"));
	assert_int_equal(recording_host_samples(b->record), 0);
	(void)asked(b);
	dump_two(b);
	assert_int_equal(value(b, "Ethernet0", Q_OPER_STATUS), OPER_UP);
}

/* Another program's message to our socket, as root may send it. */
static bool forge(struct bed *b, uint32_t port)
{
	const struct sockaddr_nl to = { .nl_family = AF_NETLINK,
					.nl_pid = port };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	ssize_t n;

	put(b, 0, port_link(99, "Ethernet99"));
	n = sendto(fd, b->out.octet, b->out.len, 0, (const void *)&to,
		   sizeof(to));
	(void)close(fd);
	return n > 0;
}

static void test_link_follow_believes_the_kernel_alone(void **state)
{
	struct bed *b = *state;
	struct link_follow real;

	assert_int_equal(link_follow_open(&real, NULL,
					  recording_host_get(b->record), -1,
					  true, NULL), 0);
	if (!forge(b, nl_socket_get_local_port(real.listen.sock))) {
		link_follow_close(&real);
		print_message("SKIP: sending to a netlink socket needs "
			      "CAP_NET_ADMIN\n");
		skip();
	}
	real.again = false;
	assert_int_equal(link_follow_take(&real, clock_mono_now()), 0);
	assert_false(lives(b, "Ethernet99"));
	link_follow_close(&real);
}

int main(void)
{
#define T(name)								\
	cmocka_unit_test_setup_teardown(test_link_follow_##name, set_up, \
					tear_down)
	const struct CMUnitTest tests[] = {
		T(tells_what_a_dump_shows),
		T(tells_a_falling_link_at_once),
		T(tells_down_by_configuration),
		T(tells_a_flap_between_two_messages),
		T(tells_rising_once),
		T(ignores_news_older_than_the_dump),
		T(drops_a_port_that_vanishes),
		T(sees_a_vanished_port_in_a_dump),
		T(keeps_ports_out_of_an_interrupted_dump),
		T(gives_up_on_interrupted_dumps),
		T(follows_a_renamed_port),
		T(makes_a_recreated_port_a_new_entity),
		T(leaves_out_what_is_no_port),
		T(passes_over_garbage),
		T(ignores_answers_to_earlier_dumps),
		T(tells_the_kernels_refusal),
		T(begins_anew_when_no_answer_comes),
		T(reads_anew_when_news_were_lost),
		T(lists_without_telling_values),
		T(believes_the_kernel_alone),
	};
#undef T
	return cmocka_run_group_tests(tests, NULL, NULL);
}
