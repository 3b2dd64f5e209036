/* A channel and a server of a socket's other end: what it answers is written by
 * the test.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include "platform/sonic/redis/channel.h"

#define ASK "*1\r\n$6\r\nDBSIZE\r\n"

struct bed {
	char root[32], path[64];
	int root_fd, epoll_fd, listener, server;
	struct channel channel;
	struct redis_query query;
	unsigned replies, done;
	enum reply_kind kind;
	char reason[SOURCE_REASON_MAX];
};

static bool on_reply(struct redis_query *q, const struct reply *r)
{
	struct bed *b = q->context;

	b->replies++;
	b->kind = r->kind;
	return r->kind == REPLY_INTEGER;
}

static void on_done(struct redis_query *q, const char *reason)
{
	struct bed *b = q->context;

	b->done++;
	(void)snprintf(b->reason, sizeof(b->reason), "%s",
		       reason ? reason : "");
}

static const struct query_ops ops = { .reply = on_reply, .done = on_done };

static void says(struct bed *b, const char *text)
{
	assert_int_equal(send(b->server, text, strlen(text), MSG_NOSIGNAL),
			 (int)strlen(text));
	channel_event(&b->channel, EPOLLIN, b->channel.now);
}

/* Connected, with a question behind the greeting. */
static void bed_init(struct bed *b)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct database database = { .known = true, .id = 2,
				     .socket = "/redis.sock" };
	struct mono now = { NS_PER_S };

	memset(b, 0, sizeof(*b));
	(void)strcpy(b->root, "/tmp/petrel-test-XXXXXX");
	assert_non_null(mkdtemp(b->root));
	(void)snprintf(b->path, sizeof(b->path), "%s/redis.sock", b->root);
	(void)strcpy(at.sun_path, b->path);
	b->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(b->listener, (const struct sockaddr *)&at,
			      sizeof(at)), 0);
	assert_int_equal(listen(b->listener, 1), 0);
	b->root_fd = open(b->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	b->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	channel_init(&b->channel, "COUNTERS_DB", b->root_fd, b->epoll_fd);
	channel_move(&b->channel, &database);
	assert_int_equal(channel_ready(&b->channel, now, NULL), 0);
	b->server = accept4(b->listener, NULL, NULL, SOCK_CLOEXEC);
	b->query = (struct redis_query){ .ops = &ops,
					 .context = b,
					 .commands = ASK,
					 .len = sizeof(ASK) - 1,
					 .count = 1 };
	channel_ask(&b->channel, &b->query, now);
}

static void bed_fini(struct bed *b)
{
	channel_fini(&b->channel);
	(void)close(b->server);
	(void)close(b->listener);
	(void)close(b->epoll_fd);
	(void)close(b->root_fd);
	(void)unlink(b->path);
	(void)rmdir(b->root);
}

static void test_channel_takes_ok_alone_for_a_greeting(void **state)
{
	static const char *const others[] = {
		"*2\r\n$1\r\na\r\n$1\r\nb\r\n", "*0\r\n", "*1\r\n$-1\r\n",
		"*1\r\n*1\r\n:1\r\n", "$-1\r\n", ":1\r\n", "+QUEUED\r\n",
		"-NOAUTH wait\r\n", "%1\r\n+a\r\n+b\r\n", ">1\r\n+x\r\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct bed b;

		bed_init(&b);
		says(&b, others[i]);
		assert_int_equal(b.channel.fd, -1);
		assert_int_equal(b.done, 1);
		assert_int_equal(b.replies, 0);
		assert_true(b.reason[0]);
		bed_fini(&b);
	}
}

static void test_channel_hands_the_answer_over(void **state)
{
	struct bed b;

	(void)state;
	bed_init(&b);
	says(&b, "+OK\r\n");
	says(&b, ":7\r\n");
	assert_true(b.channel.fd >= 0);
	assert_int_equal(b.done, 1);
	assert_int_equal(b.kind, REPLY_INTEGER);
	assert_string_equal(b.reason, "");
	bed_fini(&b);
}

static void test_channel_ends_when_an_answer_fits_no_question(void **state)
{
	struct bed b;

	(void)state;
	bed_init(&b);
	says(&b, "+OK\r\n*1\r\n$1\r\na\r\n");
	assert_int_equal(b.kind, REPLY_ODD);	/* nobody takes an array */
	assert_int_equal(b.channel.fd, -1);
	assert_non_null(strstr(b.reason, "wrong type"));
	bed_fini(&b);
}

static void test_channel_keeps_what_redis_refuses(void **state)
{
	struct bed b;

	(void)state;
	bed_init(&b);
	says(&b, "+OK\r\n-ERR unknown command\r\n");
	assert_int_equal(b.kind, REPLY_ERROR);
	assert_true(b.channel.fd >= 0);
	assert_string_equal(b.reason, "");
	bed_fini(&b);
}

static void test_channel_waits_for_a_server_that_loads_its_data(void **state)
{
	struct bed b;

	(void)state;
	bed_init(&b);
	says(&b, "+OK\r\n-LOADING Redis is loading the dataset in memory\r\n");
	assert_int_equal(b.channel.fd, -1);
	assert_non_null(strstr(b.reason, "redis.sock: LOADING Redis is"));
	bed_fini(&b);
}

static void test_channel_keeps_no_answer_for_a_later_question(void **state)
{
	struct bed b;

	(void)state;
	bed_init(&b);
	says(&b, "+OK\r\n:7\r\n:8\r\n");
	assert_int_equal(b.replies, 1);
	assert_int_equal(b.channel.fd, -1);
	assert_non_null(strstr(b.channel.reason, "unexpected octets"));
	bed_fini(&b);
}

#define MANY 20000u
#define NUMBERED "*2\r\n$4\r\nECHO\r\n$5\r\n%05u\r\n"
#define NUMBERED_OCTETS 25u

static void number_write(struct redis_query *q, struct commands *to)
{
	char text[8];

	(void)q;
	(void)snprintf(text, sizeof(text), "%05u", q->written);
	commands_add(to, (const char *const[]){ "ECHO", text, NULL });
}

static const struct query_ops many_ops = {
	.write = number_write, .reply = on_reply, .done = on_done };

/* A bed whose next question is of more octets than a socket takes. */
static void many_ask(struct bed *b, struct redis_query *many)
{
	bed_init(b);
	says(b, "+OK\r\n:7\r\n");
	*many = (struct redis_query){ .ops = &many_ops,
				      .context = b,
				      .count = MANY };
	channel_ask(&b->channel, many, b->channel.now);
}

static void test_channel_writes_commands_as_they_are_sent(void **state)
{
	static char got[MANY * NUMBERED_OCTETS + 256];
	char want[NUMBERED_OCTETS + 1];
	struct redis_query many;
	size_t len = 0, behind;
	struct bed b;
	ssize_t n;

	(void)state;
	many_ask(&b, &many);
	assert_true(many.written > 0 && many.written < MANY);
	assert_true(b.channel.out.cap < MANY);	/* not all of them */
	while ((n = recv(b.server, got + len, sizeof(got) - len,
			 MSG_DONTWAIT)) > 0) {
		len += (size_t)n;
		channel_event(&b.channel, EPOLLOUT, b.channel.now);
	}
	assert_int_equal(many.written, MANY);
	assert_int_equal(b.channel.out.len, 0);
	behind = len - (size_t)MANY * NUMBERED_OCTETS;
	for (unsigned i = 0; i < MANY; i++) {
		(void)snprintf(want, sizeof(want), NUMBERED, i);
		assert_memory_equal(got + behind + (size_t)i * NUMBERED_OCTETS,
				    want, NUMBERED_OCTETS);
	}
	says(&b, ":1\r\n");
	assert_true(b.channel.fd >= 0);
	assert_int_equal(many.answered, 1);
	bed_fini(&b);
}

static void test_channel_takes_no_answers_before_the_question(void **state)
{
	struct redis_query many;
	struct bed b;

	(void)state;
	many_ask(&b, &many);
	for (unsigned i = 0; i < MANY && b.channel.fd >= 0; i++)
		says(&b, ":1\r\n");
	assert_int_equal(b.channel.fd, -1);
	assert_non_null(strstr(b.reason, "without a request"));
	bed_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_channel_takes_ok_alone_for_a_greeting),
		cmocka_unit_test(test_channel_hands_the_answer_over),
		cmocka_unit_test(
			test_channel_ends_when_an_answer_fits_no_question),
		cmocka_unit_test(test_channel_keeps_what_redis_refuses),
		cmocka_unit_test(
			test_channel_waits_for_a_server_that_loads_its_data),
		cmocka_unit_test(
			test_channel_keeps_no_answer_for_a_later_question),
		cmocka_unit_test(test_channel_writes_commands_as_they_are_sent),
		cmocka_unit_test(
			test_channel_takes_no_answers_before_the_question),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
