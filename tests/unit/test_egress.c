/* How a socket leaves the machine: its source, its mark, its device; and that
 * nanomsg's sockets do.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/push/egress.h"
#include "agent/push/probe.h"
#include "agent/push/transport.h"

#define EXPEDITED 46u

static struct sockaddr_in loopback(in_port_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = port };

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return a;
}

/* bind(2) as everybody calls it. */
static int listener(in_port_t *ret_port)
{
	struct sockaddr_in a = loopback(0);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(a);

	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	*ret_port = a.sin_port;
	return fd;
}

/* A socket as nanomsg makes it: bound to what LOCAL; says. */
static int bound(const struct egress *e, int family)
{
	struct sockaddr_in6 local = { .sin6_family = AF_INET6 };
	char text[EGRESS_LOCAL_SIZE];
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	egress_local(e, text);
	assert_int_equal(text[0], '[');
	assert_string_equal(text + strlen(text) - 2, "];");
	text[strlen(text) - 2] = '\0';
	assert_int_equal(inet_pton(AF_INET6, text + 1, &local.sin6_addr), 1);
	assert_int_equal(bind(fd, (struct sockaddr *)&local, sizeof(local)),
			 0);
	return fd;
}

static int option(int fd, int level, int name)
{
	socklen_t len = sizeof(int);
	int value = -1;

	assert_int_equal(getsockopt(fd, level, name, &value, &len), 0);
	return value;
}

static void test_source_and_dscp_are_set(void **state)
{
	const struct egress e = { .source = "127.0.0.9", .dscp = EXPEDITED };
	struct sockaddr_in to, from;
	socklen_t len = sizeof(from);
	in_port_t port;
	int at = listener(&port), fd = bound(&e, AF_INET), met;

	(void)state;
	to = loopback(port);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	met = accept(at, (struct sockaddr *)&from, &len);

	assert_true(met >= 0);
	assert_int_equal(ntohl(from.sin_addr.s_addr), 0x7f000009);
	assert_int_equal(option(fd, IPPROTO_IP, IP_TOS), EXPEDITED << 2);
	(void)close(met);
	(void)close(fd);
	(void)close(at);
}

/* nanomsg connects to a name by IPv6 sockets, to mapped addresses. */
static void test_ipv4_source_of_an_ipv6_socket(void **state)
{
	const struct egress e = { .source = "127.0.0.9", .dscp = EXPEDITED };
	struct sockaddr_in6 to = { .sin6_family = AF_INET6 };
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	int at = listener(&to.sin6_port), fd = bound(&e, AF_INET6), met;

	(void)state;
	assert_int_equal(inet_pton(AF_INET6, "::ffff:127.0.0.1",
				   &to.sin6_addr), 1);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	met = accept(at, (struct sockaddr *)&from, &len);

	assert_true(met >= 0);
	assert_int_equal(ntohl(from.sin_addr.s_addr), 0x7f000009);
	assert_int_equal(option(fd, IPPROTO_IPV6, IPV6_TCLASS),
			 EXPEDITED << 2);
	assert_int_equal(option(fd, IPPROTO_IP, IP_TOS), EXPEDITED << 2);
	(void)close(met);
	(void)close(fd);
	(void)close(at);
}

/* Nothing may leave by another way than the one that was asked for. */
static void test_without_its_device_it_cannot_connect(void **state)
{
	const struct egress e = { .vrf = "nosuch0" };
	struct sockaddr_in to;
	in_port_t port;
	int at = listener(&port), fd = bound(&e, AF_INET);

	(void)state;
	to = loopback(port);

	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), -1);
	assert_int_equal(egress_device(&e), 0);
	(void)close(fd);
	(void)close(at);
}

static void test_faults_are_told_in_words(void **state)
{
	static const struct {
		struct egress by;
		const char *words;
	} rows[] = {
		{ { .vrf = "nosuch0" }, "vrf nosuch0: no such device" },
		{ { .source = "192.0.2.77" }, "source 192.0.2.77: not an "
		  "address of this switch there" },
	};
	struct probe probe;

	(void)state;
	probe_init(&probe);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		probe_begin(&probe, "tcp://127.0.0.1:9", &rows[i].by,
			    (struct mono){ 1 });
		assert_string_equal(probe_words(&probe, (struct mono){ 1 }),
				    rows[i].words);
	}
	probe_fini(&probe);
}

static void test_nothing_asked_for_is_nothing(void **state)
{
	const struct egress e = { .dscp = 0 };
	char text[EGRESS_LOCAL_SIZE];

	(void)state;
	egress_local(&e, text);
	assert_string_equal(text, "");
	assert_int_equal(egress_device(&e), 0);
}

static void test_nanomsg_connects_by_it(void **state)
{
	const struct egress e = { .source = "127.0.0.9", .dscp = EXPEDITED };
	struct transport *t;
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	char url[64];
	in_port_t port;
	int at = listener(&port), met;

	(void)state;
	(void)snprintf(url, sizeof(url), "tcp://127.0.0.1:%u", ntohs(port));
	assert_int_equal(transport_connect(url, &e, &t, NULL), 0);
	met = accept(at, (struct sockaddr *)&from, &len);

	assert_true(met >= 0);
	assert_int_equal(ntohl(from.sin_addr.s_addr), 0x7f000009);
	transport_close(t);
	(void)close(met);
	(void)close(at);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_source_and_dscp_are_set),
		cmocka_unit_test(test_ipv4_source_of_an_ipv6_socket),
		cmocka_unit_test(test_without_its_device_it_cannot_connect),
		cmocka_unit_test(test_faults_are_told_in_words),
		cmocka_unit_test(test_nothing_asked_for_is_nothing),
		cmocka_unit_test(test_nanomsg_connects_by_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
