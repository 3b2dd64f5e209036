/* C18: what the collector does about its connections, on loopback, with limits
 * that the test sets: nothing here waits for a time to pass.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/collect/peers.h"

#define PEERS_MAX 64

struct bed {
	int listener;
	struct sockaddr_in address;
	struct peers *peers;
	unsigned count;
	int near[PEERS_MAX], far[PEERS_MAX];
};

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));
	socklen_t len = sizeof(b->address);
	char url[64];

	b->address = (struct sockaddr_in){ .sin_family = AF_INET };
	b->address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	b->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(b->listener, (struct sockaddr *)&b->address,
			      sizeof(b->address)), 0);
	assert_int_equal(listen(b->listener, PEERS_MAX), 0);
	assert_int_equal(getsockname(b->listener,
				     (struct sockaddr *)&b->address, &len), 0);
	(void)snprintf(url, sizeof(url), "tcp://127.0.0.1:%u",
		       ntohs(b->address.sin_port));
	assert_int_equal(peers_new(url, &b->peers, NULL), 0);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	for (unsigned i = 0; i < b->count; i++) {
		(void)close(b->near[i]);
		(void)close(b->far[i]);
	}
	(void)close(b->listener);
	peers_free(b->peers);
	free(b);
	return 0;
}

/* A connection from 127.0.0.host. */
static void join(struct bed *b, unsigned host)
{
	struct sockaddr_in from = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	from.sin_addr.s_addr = htonl((127u << 24) + host);
	assert_int_equal(bind(fd, (struct sockaddr *)&from, sizeof(from)), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&b->address,
				 sizeof(b->address)), 0);
	b->far[b->count] = fd;
	b->near[b->count] = accept(b->listener, NULL, NULL);
	assert_true(b->near[b->count] >= 0);
	b->count++;
}

/* Whether the far end was told that it is over. */
static bool is_over(const struct bed *b, unsigned i)
{
	struct pollfd p = { .fd = b->far[i], .events = POLLIN };
	char octet;

	return poll(&p, 1, 0) == 1 && recv(p.fd, &octet, 1, MSG_DONTWAIT) == 0;
}

static unsigned count_over(const struct bed *b, unsigned from, unsigned to)
{
	unsigned n = 0;

	for (unsigned i = from; i < to; i++)
		n += is_over(b, i);
	return n;
}

static void test_c18_connections_in_use_are_left_alone(void **state)
{
	static const struct peers_limits limits = { 32, 60000, 60000 };
	struct bed *b = *state;
	struct peers_count count;

	for (unsigned i = 0; i < 20; i++)
		join(b, 1);
	peers_tend(b->peers, &limits);
	peers_count(b->peers, &count);

	assert_int_equal(count_over(b, 0, 20), 0);
	assert_int_equal(count.connections, 20);
	assert_int_equal(count.idle + count.excess, 0);
}

static void test_c18_idle_connections_are_closed(void **state)
{
	static const struct peers_limits limits = { 32, 0, 0 };
	struct bed *b = *state;
	struct peers_count count;

	join(b, 1);
	join(b, 2);
	peers_tend(b->peers, &limits);
	peers_count(b->peers, &count);

	assert_int_equal(count_over(b, 0, 2), 2);
	assert_int_equal(count.idle, 2);
}

/* One address has nearly all of them: only it loses any. */
static void test_c18_the_address_with_most_makes_room(void **state)
{
	static const struct peers_limits limits = { 32, 60000, 60000 };
	struct bed *b = *state;
	struct peers_count count;

	for (unsigned i = 0; i < 4; i++)
		join(b, 10 + i);
	for (unsigned i = 0; i < 40; i++)
		join(b, 2);
	peers_tend(b->peers, &limits);
	peers_count(b->peers, &count);

	assert_int_equal(count_over(b, 0, 4), 0);
	assert_int_equal(count_over(b, 4, 44), 44 - 28);
	assert_int_equal(count.connections, 28);	/* 7/8 of the room */
	assert_int_equal(count.excess, 16);
}

/* Set for the listener, and all that it takes in from then on has it. */
static void test_c18_unread_octets_are_bounded(void **state)
{
	struct bed *b = *state;
	int octets = 0;
	socklen_t len = sizeof(octets);

	peers_tend(b->peers, NULL);
	join(b, 1);

	assert_int_equal(getsockopt(b->near[0], SOL_SOCKET, SO_RCVBUF,
				    &octets, &len), 0);
	assert_int_equal(octets, 512 << 10);	/* the kernel doubles it */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_c18_connections_in_use_are_left_alone),
		TEST(test_c18_idle_connections_are_closed),
		TEST(test_c18_the_address_with_most_makes_room),
		TEST(test_c18_unread_octets_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
