/* What the network says of a collector that cannot be reached, in words. */
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

#include "agent/push/probe.h"

#define PATIENCE 500		/* times 10 ms */

struct bed {
	struct probe probe;
	struct mono now;
	int listener;
	char url[64];
};

static int setup(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	struct bed *b = calloc(1, sizeof(*b));
	socklen_t len = sizeof(a);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	b->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(b->listener, (struct sockaddr *)&a, sizeof(a)),
			 0);
	assert_int_equal(getsockname(b->listener, (struct sockaddr *)&a, &len),
			 0);
	(void)snprintf(b->url, sizeof(b->url), "tcp://127.0.0.1:%u",
		       ntohs(a.sin_port));
	b->now = (struct mono){ 1000 * NS_PER_S };
	probe_init(&b->probe);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	probe_fini(&b->probe);
	(void)close(b->listener);
	free(b);
	return 0;
}

/* Steps until it is over. */
static const char *words(struct bed *b)
{
	for (unsigned i = 0; i < PATIENCE && b->probe.fd >= 0; i++) {
		(void)probe_words(&b->probe, b->now);
		(void)poll(NULL, 0, 10);
	}
	assert_int_equal(b->probe.fd, -1);
	return probe_words(&b->probe, b->now);
}

/* Meets whoever listens, who says so many octets and closes. */
static const char *met(struct bed *b, const char *octets, size_t len)
{
	char greeting[8];
	int fd;

	assert_int_equal(listen(b->listener, 1), 0);
	probe_begin(&b->probe, b->url, NULL, b->now);
	fd = accept(b->listener, NULL, NULL);
	assert_true(fd >= 0);
	(void)probe_words(&b->probe, b->now);
	assert_int_equal(recv(fd, greeting, 8, MSG_WAITALL), 8);
	assert_memory_equal(greeting, "\0SP\0\0\x30\0\0", 8);
	assert_int_equal(send(fd, octets, len, MSG_NOSIGNAL), len);
	(void)close(fd);
	return words(b);
}

static void test_probe_tells_the_errno(void **state)
{
	struct bed *b = *state;

	/* bound, and nobody listens */
	probe_begin(&b->probe, b->url, NULL, b->now);
	assert_string_equal(words(b), "Connection refused");
	probe_begin(&b->probe, "ipc:///nowhere/at/all", NULL, b->now);
	assert_string_equal(words(b), "No such file or directory");
}

static void test_probe_tells_who_else_answers(void **state)
{
	static const char http[] = "HTTP/1.1 400 Bad Request\r\nServer: x";

	assert_string_equal(met(*state, http, sizeof(http) - 1),
			    "the answer is not from a collector: "
			    "'HTTP/1.1 400 Bad Request'");
}

static void test_probe_cleans_what_it_shows(void **state)
{
	assert_string_equal(met(*state, "a\x1b[2J\xff", 6),
			    "the answer is not from a collector: 'a?[2J?'");
}

static void test_probe_has_no_words_for_a_collector(void **state)
{
	assert_null(met(*state, "\0SP\0\0\x31\0\0", 8));
}

static void test_probe_tells_of_silence_by_its_clock(void **state)
{
	struct bed *b = *state;

	assert_int_equal(listen(b->listener, 1), 0);
	probe_begin(&b->probe, b->url, NULL, b->now);
	for (unsigned i = 0; i < PATIENCE && !b->probe.is_greeted; i++) {
		assert_null(probe_words(&b->probe, b->now));
		(void)poll(NULL, 0, 10);
	}
	b->now.ns += 2 * NS_PER_S;

	assert_string_equal(probe_words(&b->probe, b->now),
			    "the program that listens there does not answer");
}

static void test_probe_looks_no_name_up(void **state)
{
	struct bed *b = *state;

	probe_begin(&b->probe, "tcp://collector.example:5555", NULL, b->now);
	assert_int_equal(b->probe.fd, -1);
	assert_null(probe_words(&b->probe, b->now));
	probe_begin(&b->probe, "tcp://[::1]:1", NULL, b->now);
	assert_non_null(words(b));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_probe_tells_the_errno),
		TEST(test_probe_tells_who_else_answers),
		TEST(test_probe_cleans_what_it_shows),
		TEST(test_probe_has_no_words_for_a_collector),
		TEST(test_probe_tells_of_silence_by_its_clock),
		TEST(test_probe_looks_no_name_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
