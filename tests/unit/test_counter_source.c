/* The dump of counters, with the test as the kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include "platform/linux/counter_source.h"
#include "platform/linux/linux_source.h"
#include "tests/support/fake_kernel.h"
#include "tests/support/recording_host.h"

static const struct platform_source counters = { .name = "counters" };
static const struct platform_source *const sources[] = { &counters, NULL };
static const struct platform_driver driver = { .sources = sources };

struct bed {
	struct recording_host *record;
	struct port_table *ports;
	struct counter_source source;
	int kernel;
	struct netlink_bytes out;
};

static void port_add(struct bed *b, int ifindex, const char *name)
{
	struct link_message m = { .ifindex = ifindex, .arphrd = ARPHRD_ETHER,
				  .has = LINK_NAME };

	(void)strncpy(m.name, name, sizeof(m.name) - 1);
	assert_non_null(port_table_take(b->ports, &m, 1));
}

static int set_up(void **state)
{
	/* Their clock begins before the host was made. */
	const struct recording_limits limits = { .oldest_ns = NS_PER_S };
	struct bed *b = calloc(1, sizeof(*b));
	const struct platform_host *host;

	assert_non_null(b);
	assert_int_equal(recording_host_new(&driver, &limits, &b->record),
			 0);
	host = recording_host_get(b->record);
	assert_int_equal(port_table_new(NULL, host, &b->ports, NULL), 0);
	assert_int_equal(counter_source_open(&b->source, b->ports, host, -1,
					     NULL), 0);
	b->kernel = fake_kernel_take(b->source.dump.nl.fd);
	port_add(b, 3, "Ethernet0");
	port_add(b, 9, "Ethernet8");
	port_add(b, 5, "Ethernet4");
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *b = *state;
	uint64_t faults = recording_host_faults(b->record);

	if (faults > 0)
		print_error("%s\n", recording_host_fault(b->record, 0));
	counter_source_close(&b->source);
	port_table_free(b->ports);
	recording_host_free(b->record);
	(void)close(b->kernel);
	free(b);
	return faults > 0;
}

static uint32_t read_asked(struct bed *b, struct mono now)
{
	uint16_t type = 0;
	uint32_t seq;

	assert_int_equal(counter_source_read(&b->source, now, NULL),
			 -EINPROGRESS);
	seq = fake_kernel_request(b->kernel, &type);
	assert_int_equal(type, RTM_GETSTATS);
	return seq;
}

static void row_put(struct bed *b, uint32_t seq, uint16_t flags, int ifindex,
		    uint64_t rx_packets)
{
	const struct if_stats_msg head = { .ifindex = (uint32_t)ifindex };
	const struct rtnl_link_stats64 stats = { .rx_packets = rx_packets };

	netlink_bytes_begin(&b->out, RTM_NEWSTATS, NLM_F_MULTI | flags, seq,
			    &head, sizeof(head));
	netlink_bytes_put(&b->out, IFLA_STATS_LINK_64, &stats, sizeof(stats));
}

static void done_send(struct bed *b, uint32_t seq, int status)
{
	netlink_bytes_status(&b->out, NLMSG_DONE, seq, status);
	fake_kernel_send(b->kernel, &b->out);
}

static const struct recorded_value *frames_of(const struct bed *b,
					      const char *name)
{
	uint32_t handle = recording_host_find(b->record, ENTITY_PORT, name);
	const struct recorded_value *v;
	size_t n = recording_host_values(b->record, &v);

	for (size_t i = 0; i < n; i++)
		if (v[i].handle == handle && v[i].quantity == Q_IF_IN_FRAMES)
			return &v[i];
	return NULL;
}

static enum source_state state_of(const struct bed *b)
{
	enum source_state state;

	assert_true(recording_host_source(b->record, 0, &state));
	return state;
}

static void test_counter_source_reads_all_ports_in_any_order(void **state)
{
	static const int order[] = { 3, 5, 9, 9, 5, 3, 5 };
	struct bed *b = *state;
	struct mono now = clock_mono_now();
	uint32_t seq = read_asked(b, now);

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		struct linux_port *p = port_table_find(b->ports, order[i]);

		assert_non_null(p);
		assert_int_equal(p->ifindex, order[i]);
	}
	row_put(b, seq, 0, 9, 900);
	row_put(b, seq, 0, 3, 300);
	fake_kernel_send(b->kernel, &b->out);
	row_put(b, seq, 0, 5, 500);
	row_put(b, seq, 0, 77, 1);	/* no port of ours */
	done_send(b, seq, 0);
	counter_source_take(&b->source, now);
	assert_int_equal(state_of(b), SOURCE_FRESH);
	assert_int_equal(frames_of(b, "Ethernet0")->value, 300);
	assert_int_equal(frames_of(b, "Ethernet4")->value, 500);
	assert_int_equal(frames_of(b, "Ethernet8")->value, 900);
}

static void test_counter_source_bounds_when_it_was_taken(void **state)
{
	struct bed *b = *state;
	struct mono asked = { clock_mono_now().ns - 80 * NS_PER_MS };
	struct mono now = { asked.ns + 60 * NS_PER_MS };
	uint32_t seq = read_asked(b, asked);
	const struct recorded_value *v;

	row_put(b, seq, 0, 3, 1);
	done_send(b, seq, 0);
	counter_source_take(&b->source, now);
	v = frames_of(b, "Ethernet0");
	assert_int_equal(v->age.taken.ns, asked.ns + 30 * NS_PER_MS);
	assert_true(v->age.uncertainty_ns >= 30 * NS_PER_MS);
	assert_true(v->age.uncertainty_ns < 40 * NS_PER_MS);
}

static void test_counter_source_ends_though_a_port_vanished(void **state)
{
	struct bed *b = *state;
	struct mono now = clock_mono_now();
	uint32_t seq = read_asked(b, now);

	row_put(b, seq, NLM_F_DUMP_INTR, 3, 300);
	done_send(b, seq, 0);
	counter_source_take(&b->source, now);
	assert_int_equal(state_of(b), SOURCE_FRESH);
	assert_int_equal(frames_of(b, "Ethernet0")->value, 300);
	assert_null(frames_of(b, "Ethernet4"));
}

static void test_counter_source_waits_for_the_end(void **state)
{
	struct bed *b = *state;
	struct mono now = clock_mono_now();
	uint32_t seq = read_asked(b, now);
	enum source_state source;

	row_put(b, seq, 0, 3, 300);
	fake_kernel_send(b->kernel, &b->out);
	counter_source_take(&b->source, now);
	assert_false(recording_host_source(b->record, 0, &source));
	/* Asked once more, it does not ask the kernel twice. */
	assert_int_equal(counter_source_read(&b->source, now, NULL),
			 -EINPROGRESS);
	done_send(b, seq, 0);
	counter_source_take(&b->source, now);
	assert_int_equal(state_of(b), SOURCE_FRESH);
}

static void test_counter_source_tells_a_kernel_without_it(void **state)
{
	struct bed *b = *state;
	struct mono now = clock_mono_now();
	uint32_t seq = read_asked(b, now);

	netlink_bytes_status(&b->out, NLMSG_ERROR, seq, -EOPNOTSUPP);
	fake_kernel_send(b->kernel, &b->out);
	counter_source_take(&b->source, now);
	assert_int_equal(state_of(b), SOURCE_UNSUPPORTED);
}

static void test_counter_source_tells_a_dump_that_failed(void **state)
{
	struct bed *b = *state;
	struct mono now = clock_mono_now();
	uint32_t seq = read_asked(b, now);

	row_put(b, seq, 0, 3, 300);
	done_send(b, seq, -ENOMEM);
	counter_source_take(&b->source, now);
	assert_int_equal(state_of(b), SOURCE_BROKEN);
}

static void test_counter_source_tells_a_kernel_that_is_silent(void **state)
{
	struct bed *b = *state;
	struct mono now = clock_mono_now();

	(void)read_asked(b, now);
	now.ns += DUMP_OVERDUE_NS;
	counter_source_take(&b->source, now);
	assert_int_equal(state_of(b), SOURCE_BROKEN);
}

int main(void)
{
#define T(name)								\
	cmocka_unit_test_setup_teardown(test_counter_source_##name, set_up, \
					tear_down)
	const struct CMUnitTest tests[] = {
		T(reads_all_ports_in_any_order),
		T(bounds_when_it_was_taken),
		T(ends_though_a_port_vanished),
		T(waits_for_the_end),
		T(tells_a_kernel_without_it),
		T(tells_a_dump_that_failed),
		T(tells_a_kernel_that_is_silent),
	};
#undef T
	return cmocka_run_group_tests(tests, NULL, NULL);
}
