/* C13: the socket against real connections, hostile ones among them. */
#include "agent/query/server.h"
#include "agent/query/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include "agent/query/answer.h"
#include "agent/query/message.h"
#include "petrel/local.h"

#define TURNS 50
#define BIG_LINE 1000
#define BIG_LINES 1500

struct bed {
	char dir[64];
	int dir_fd;
	struct loop *loop;
	struct query_server *server;
	struct query_env env;
	uint64_t waiting;	/* number of the client that waits */
	unsigned changed;	/* how often it was let through */
};

/* Who the next connection is said to be from. */
static struct query_peer said;
/* The clock that what is asked is charged by; the loop's own is far ahead. */
static struct mono played;

static struct mono clock_played(void)
{
	return played;
}

static int credentials_said(int fd, struct query_peer *ret)
{
	(void)fd;
	*ret = said;
	return 0;
}

static int verb_echo(struct query *q)
{
	for (size_t i = 0; i < q->request->n_args; i++)
		answer_line(q->a, q->request->args[i]);
	return EXIT_ANSWERED;
}

static int verb_big(struct query *q)
{
	char line[BIG_LINE + 1];

	memset(line, 'x', BIG_LINE);
	line[BIG_LINE] = '\0';
	for (int i = 0; i < BIG_LINES; i++)
		answer_line(q->a, line);
	return EXIT_ANSWERED;
}

static int verb_later(struct query *q)
{
	struct bed *b = (void *)q->ctx;

	b->waiting = query_client_number(q->client);
	return QUERY_LATER;
}

static int verb_change(struct query *q)
{
	struct bed *b = (void *)q->ctx;

	b->changed++;
	return EXIT_ANSWERED;
}

/* Costs 100 ms. */
static int verb_slow(struct query *q)
{
	(void)q;
	played.ns += 100 * NS_PER_MS;
	return EXIT_ANSWERED;
}

static const struct verb verbs[] = {
	{ .name = "slow", .answer = verb_slow },
	{ .name = "echo", .answer = verb_echo },
	{ .name = "big", .answer = verb_big },
	{ .name = "later", .answer = verb_later },
	{ .name = "change", .answer = verb_change, .changes = true },
	{ .name = NULL },
};

static int verb_run(void *context, const struct verb *v,
		    struct query_client *client, const Petrel__Request *r,
		    struct answer *a)
{
	return v->answer(&(struct query){ .ctx = context, .client = client,
					  .request = r, .a = a });
}

static int bed_begin(struct bed *b, bool read_all, struct diag *d)
{
	b->env = (struct query_env){
		.loop = b->loop, .dir_fd = b->dir_fd, .socket_name = "s",
		.switch_name = "leaf1",
		.read_all = read_all, .verbs = verbs,
		.answer = verb_run, .context = b,
		.credentials = credentials_said, .clock = clock_played };
	return query_server_new(&b->env, &b->server, d);
}

static int set_up(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	(void)snprintf(b->dir, sizeof(b->dir), "/tmp/test_server.XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	b->dir_fd = open(b->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(loop_new(QUERY_CLIENTS_MAX + 4, 8, &b->loop), 0);
	said = (struct query_peer){ .pid = 1, .uid = 12345 };
	played = (struct mono){ 1000 };
	assert_int_equal(bed_begin(b, true, NULL), 0);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *b = *state;

	query_server_free(b->server);
	loop_free(b->loop);
	(void)unlinkat(b->dir_fd, "s", 0);
	(void)close(b->dir_fd);
	(void)rmdir(b->dir);
	free(b);
	return 0;
}

static void turn(struct bed *b)
{
	for (int i = 0; i < TURNS; i++)
		assert_int_equal(loop_once(b->loop, 0), 0);
}

static int connected(struct bed *b)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/s",
		       b->dir);
	assert_int_equal(connect(fd, (struct sockaddr *)&address,
				 sizeof(address)), 0);
	turn(b);
	return fd;
}

/* Packs a request; returns its octets with the length in front. */
static size_t request(const char *verb, const char *arg, uint8_t **ret)
{
	char name[32], text[64], *args[1] = { text };
	Petrel__Request r;
	size_t len;

	(void)snprintf(name, sizeof(name), "%s", verb);
	(void)snprintf(text, sizeof(text), "%s", arg);
	petrel__request__init(&r);
	r.version = LOCAL_VERSION;
	r.verb = name;
	r.args = args;
	r.n_args = 1;
	assert_int_equal(message_pack(&r.base, LOCAL_REQUEST_MAX, ret, &len),
			 0);
	return len;
}

static void ask(struct bed *b, int fd, const char *verb, const char *arg)
{
	uint8_t *data;
	size_t len = request(verb, arg, &data);

	assert_int_equal(write(fd, data, len), len);
	free(data);
	turn(b);
}

/* Reads with turns of the loop in between; how many octets came. */
static size_t take(struct bed *b, int fd, uint8_t *ret, size_t len)
{
	size_t got = 0;

	for (int i = 0; i < 20000 && got < len; i++) {
		ssize_t n = read(fd, ret + got, len - got);

		if (n == 0 || (n < 0 && errno != EAGAIN))
			break;
		got += n > 0 ? (size_t)n : 0;
		assert_int_equal(loop_once(b->loop, 0), 0);
	}
	return got;
}

/* The next answer; NULL: the connection ended. */
static Petrel__Answer *answer(struct bed *b, int fd)
{
	uint8_t head[MESSAGE_HEAD_LEN], *body;
	Petrel__Answer *a;
	uint32_t len;

	if (take(b, fd, head, sizeof(head)) < sizeof(head))
		return NULL;
	len = message_length(head);
	body = malloc(len ? len : 1);
	assert_int_equal(take(b, fd, body, len), len);
	assert_int_equal(answer_unpack(body, len, &a), 0);
	free(body);
	return a;
}

/* Expects one answer with that code, and the end of the connection. */
static void expect(struct bed *b, int fd, unsigned code, const char *told)
{
	Petrel__Answer *a = answer(b, fd);
	uint8_t octet;

	assert_non_null(a);
	assert_int_equal(a->code, code);
	if (told)
		assert_non_null(strstr(a->error, told));
	assert_false(a->more);
	answer_unpacked_free(a);
	assert_int_equal(read(fd, &octet, 1), 0);
	(void)close(fd);
}

static void test_c13_server_answers_and_hangs_up(void **state)
{
	struct bed *b = *state;
	int fd = connected(b);
	Petrel__Answer *a;

	ask(b, fd, "echo", "hello");
	a = answer(b, fd);
	assert_int_equal(a->code, 0);
	assert_true(a->complete);
	assert_string_equal(a->lines[0], "hello");
	answer_unpacked_free(a);
	(void)close(fd);
}

static void test_server_takes_a_request_octet_by_octet(void **state)
{
	struct bed *b = *state;
	int fd = connected(b);
	uint8_t *data;
	size_t len = request("echo", "slow", &data);

	for (size_t i = 0; i < len; i++) {
		assert_int_equal(write(fd, data + i, 1), 1);
		turn(b);
	}
	free(data);
	expect(b, fd, 0, NULL);
}

static void test_server_answers_whoever_closed_its_side(void **state)
{
	struct bed *b = *state;
	int fd = connected(b);
	uint8_t *data;
	size_t len = request("echo", "x", &data);

	assert_int_equal(write(fd, data, len), len);
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	free(data);
	turn(b);
	expect(b, fd, 0, NULL);
}

static void test_server_refuses_a_length_above_its_bound(void **state)
{
	static const uint8_t lengths[][4] = {
		{ 0xff, 0xff, 0xff, 0xff }, { 0, 0, 0x10, 0x01 },
		{ 'G', 'E', 'T', ' ' },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < 3; i++) {
		int fd = connected(b);

		assert_int_equal(write(fd, lengths[i], 4), 4);
		turn(b);
		expect(b, fd, EXIT_USAGE, "at most 4096");
	}
}

static void test_server_refuses_what_is_no_request(void **state)
{
	uint8_t data[4 + 256];
	struct bed *b = *state;

	for (unsigned value = 0; value < 256; value++) {
		int fd = connected(b);
		Petrel__Answer *a;

		memset(data, (int)value, sizeof(data));
		memcpy(data, "\0\0\1\0", 4);
		assert_int_equal(write(fd, data, sizeof(data)), sizeof(data));
		turn(b);
		a = answer(b, fd);
		assert_non_null(a);
		/* '(' reads as the field of a version, 40 */
		assert_int_equal(a->code, value == '(' ? EXIT_UNREACHABLE :
							 EXIT_USAGE);
		answer_unpacked_free(a);
		(void)close(fd);
	}
}

static void test_server_tells_the_nearest_verb(void **state)
{
	struct bed *b = *state;
	int fd = connected(b);

	ask(b, fd, "ecko", "");
	expect(b, fd, EXIT_USAGE, "nearest is echo");
}

static void test_server_refuses_another_version(void **state)
{
	static const uint8_t message[] = { 0, 0, 0, 8, 0x0a, 4, 'e', 'c', 'h',
					   'o', 0x28, 9 };
	struct bed *b = *state;
	int fd = connected(b);

	assert_int_equal(write(fd, message, sizeof(message)), sizeof(message));
	turn(b);
	expect(b, fd, EXIT_UNREACHABLE, "version 9");
}

static void test_c13_only_root_and_group_petrel_may_change(void **state)
{
	struct bed *b = *state;
	int fd = connected(b);

	ask(b, fd, "change", "");
	expect(b, fd, EXIT_NOT_PERMITTED, "12345");
	assert_int_equal(b->changed, 0);
	said.in_group = true;
	fd = connected(b);
	ask(b, fd, "change", "");
	expect(b, fd, 0, NULL);
	said = (struct query_peer){ .uid = 0 };
	fd = connected(b);
	ask(b, fd, "change", "");
	expect(b, fd, 0, NULL);
	assert_int_equal(b->changed, 2);
}

static void test_c13_read_group_turns_strangers_away(void **state)
{
	struct bed *b = *state;
	int fd;

	query_server_free(b->server);
	assert_int_equal(bed_begin(b, false, NULL), 0);
	fd = connected(b);
	ask(b, fd, "echo", "");
	expect(b, fd, EXIT_NOT_PERMITTED, "read = group");
	said.in_group = true;
	fd = connected(b);
	ask(b, fd, "echo", "");
	expect(b, fd, 0, NULL);
}

static void test_server_knows_who_connects(void **state)
{
	struct query_peer peer;
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(peer_read(pair[0], &peer), 0);
	assert_int_equal(peer.uid, getuid());
	assert_int_equal(peer.pid, getpid());
	(void)close(pair[0]);
	(void)close(pair[1]);
}

static void test_server_sends_a_large_answer_in_pieces(void **state)
{
	struct bed *b = *state;
	int fd = connected(b), size = 4096;
	Petrel__Answer *a;

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	ask(b, fd, "big", "");
	a = answer(b, fd);
	assert_non_null(a);
	assert_int_equal(a->n_lines, BIG_LINES);
	assert_int_equal(strlen(a->lines[BIG_LINES - 1]), BIG_LINE);
	answer_unpacked_free(a);
	(void)close(fd);
}

static void test_server_outlives_a_client_that_vanishes(void **state)
{
	struct bed *b = *state;
	int fd = connected(b);

	ask(b, fd, "big", "");
	(void)close(fd);
	fd = connected(b);
	assert_int_equal(write(fd, "\0\0", 2), 2);
	turn(b);
	(void)close(fd);
	turn(b);
	fd = connected(b);
	ask(b, fd, "echo", "still here");
	expect(b, fd, 0, NULL);
}

static void test_server_turns_away_one_too_many(void **state)
{
	struct bed *b = *state;
	int fd[QUERY_CLIENTS_MAX], more;
	uint8_t octet;

	said.in_group = true;
	for (int i = 0; i < QUERY_CLIENTS_MAX; i++)
		fd[i] = connected(b);
	more = connected(b);
	assert_int_equal(read(more, &octet, 1), 0);
	(void)close(more);
	(void)close(fd[3]);
	turn(b);
	more = connected(b);
	ask(b, more, "echo", "");
	expect(b, more, 0, NULL);
	for (int i = 0; i < QUERY_CLIENTS_MAX; i++)
		if (i != 3)
			(void)close(fd[i]);
}

static bool is_answered(struct bed *b, int fd)
{
	uint8_t octet;

	turn(b);
	return recv(fd, &octet, 1, MSG_PEEK) == 1;
}

static void test_c21_server_lets_wait_who_is_over_his_share(void **state)
{
	struct bed *b = *state;
	int first = connected(b), second = connected(b), third;

	ask(b, first, "slow", "");
	expect(b, first, 0, NULL);
	ask(b, second, "slow", "");
	assert_false(is_answered(b, second));
	/* The one who waits does not hold up root. */
	said.uid = 0;
	third = connected(b);
	ask(b, third, "echo", "");
	expect(b, third, 0, NULL);
	played.ns += TURNS_UID_SHARE * 61 * NS_PER_MS;
	assert_false(is_answered(b, second));
	played.ns += TURNS_UID_SHARE * 2 * NS_PER_MS;
	assert_true(is_answered(b, second));
	expect(b, second, 0, NULL);
}

static void test_c21_server_says_busy_to_who_waited_long(void **state)
{
	struct bed *b = *state;
	int fd[QUERY_UID_CLIENTS_MAX];

	for (unsigned i = 0; i < QUERY_UID_CLIENTS_MAX; i++)
		fd[i] = connected(b);
	for (unsigned i = 0; i < QUERY_UID_CLIENTS_MAX; i++)
		ask(b, fd[i], "slow", "");
	expect(b, fd[0], 0, NULL);
	assert_false(is_answered(b, fd[7]));
	for (unsigned i = 0; i < 3; i++) {
		played.ns += QUERY_WAIT_NS / 2;
		turn(b);
	}
	expect(b, fd[7], EXIT_INCOMPLETE, "busy: uid 12345 uses more than its "
	       "share");
	for (unsigned i = 1; i < 7; i++)
		(void)close(fd[i]);
}

static void test_c21_server_bounds_the_connections_of_a_uid(void **state)
{
	struct bed *b = *state;
	int fd[QUERY_UID_CLIENTS_MAX], more, other;

	for (unsigned i = 0; i < QUERY_UID_CLIENTS_MAX; i++)
		fd[i] = connected(b);
	more = connected(b);
	said.uid = 12346;
	other = connected(b);
	ask(b, more, "echo", "");
	expect(b, more, EXIT_INCOMPLETE, "busy");
	ask(b, other, "echo", "");
	expect(b, other, 0, NULL);
	for (unsigned i = 0; i < QUERY_UID_CLIENTS_MAX; i++)
		(void)close(fd[i]);
}

static void test_c21_server_keeps_places_for_the_trusted(void **state)
{
	struct bed *b = *state;
	int fd[QUERY_CLIENTS_MAX], trusted;
	uint8_t octet;

	for (unsigned i = 0; i < QUERY_CLIENTS_MAX; i++) {
		said.uid = 20000 + i;
		fd[i] = connected(b);
	}
	assert_int_equal(read(fd[QUERY_OTHERS_MAX], &octet, 1), 0);
	said.uid = 0;
	trusted = connected(b);
	ask(b, trusted, "echo", "");
	expect(b, trusted, 0, NULL);
	for (unsigned i = 0; i < QUERY_CLIENTS_MAX; i++)
		(void)close(fd[i]);
}

static void test_server_drops_who_never_asks(void **state)
{
	struct bed *b = *state;
	uint8_t octet;
	int fd;

	query_server_free(b->server);
	b->env.idle_ns = 1000000;
	assert_int_equal(query_server_new(&b->env, &b->server, NULL), 0);
	fd = connected(b);
	for (int i = 0; i < 4; i++)
		assert_int_equal(loop_once(b->loop, 500000000), 0);
	assert_int_equal(read(fd, &octet, 1), 0);
	(void)close(fd);
}

static void test_server_answers_later_by_number(void **state)
{
	struct bed *b = *state;
	struct query_client *c;
	struct answer *later;
	int fd = connected(b);
	Petrel__Answer *a;

	assert_int_equal(answer_new(4096, &later), 0);
	ask(b, fd, "later", "");
	c = query_client_find(b->server, b->waiting);
	assert_non_null(c);
	answer_line(later, "first");
	assert_int_equal(query_answer(c, later, true), 0);
	a = answer(b, fd);
	assert_true(a->more);
	answer_unpacked_free(a);
	assert_ptr_equal(query_client_find(b->server, b->waiting), c);
	assert_int_equal(query_answer(c, later, false), 0);
	expect(b, fd, 0, NULL);
	turn(b);
	assert_null(query_client_find(b->server, b->waiting));
	answer_free(later);
}

static void test_server_buffers_one_answer_a_client(void **state)
{
	struct bed *b = *state;
	struct query_client *c;
	struct answer *later;
	char line[BIG_LINE + 1];
	int fd = connected(b);

	assert_int_equal(answer_new(2u << 20, &later), 0);
	memset(line, 'x', BIG_LINE);
	line[BIG_LINE] = '\0';
	for (int i = 0; i < BIG_LINES; i++)
		answer_line(later, line);
	ask(b, fd, "later", "");
	c = query_client_find(b->server, b->waiting);
	assert_int_equal(query_answer(c, later, true), 0);
	assert_true(query_client_is_busy(c));
	assert_int_equal(query_answer(c, later, true), -EAGAIN);
	answer_unpacked_free(answer(b, fd));
	assert_false(query_client_is_busy(c));
	(void)close(fd);
	answer_free(later);
}

static void test_server_leaves_a_living_agents_socket(void **state)
{
	struct bed *b = *state;
	struct query_server *second;
	struct diag d;
	int fd;

	assert_int_equal(query_server_new(&b->env, &second, &d), -EADDRINUSE);
	assert_non_null(strstr(d.text, "another agent"));
	turn(b);
	fd = connected(b);
	ask(b, fd, "echo", "");
	expect(b, fd, 0, NULL);
}

static void test_server_replaces_a_dead_agents_socket(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct bed *b = *state;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	query_server_free(b->server);
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/s",
		       b->dir);
	assert_int_equal(bind(fd, (struct sockaddr *)&address,
			      sizeof(address)), 0);
	(void)close(fd);
	assert_int_equal(bed_begin(b, true, NULL), 0);
	fd = connected(b);
	ask(b, fd, "echo", "");
	expect(b, fd, 0, NULL);
}

static void test_server_removes_only_its_own_socket(void **state)
{
	struct bed *b = *state;
	struct query_server *first = b->server;
	struct stat st;

	assert_int_equal(fstatat(b->dir_fd, "s", &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0666);
	assert_int_equal(unlinkat(b->dir_fd, "s", 0), 0);
	assert_int_equal(bed_begin(b, false, NULL), 0);
	assert_int_equal(fstatat(b->dir_fd, "s", &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0660);
	query_server_free(first);
	assert_int_equal(fstatat(b->dir_fd, "s", &st, 0), 0);
	query_server_free(b->server);
	b->server = NULL;
	assert_int_equal(fstatat(b->dir_fd, "s", &st, 0), -1);
}

#define BED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BED(test_c13_server_answers_and_hangs_up),
		BED(test_server_takes_a_request_octet_by_octet),
		BED(test_server_answers_whoever_closed_its_side),
		BED(test_server_refuses_a_length_above_its_bound),
		BED(test_server_refuses_what_is_no_request),
		BED(test_server_tells_the_nearest_verb),
		BED(test_server_refuses_another_version),
		BED(test_c13_only_root_and_group_petrel_may_change),
		BED(test_c13_read_group_turns_strangers_away),
		BED(test_server_knows_who_connects),
		BED(test_server_sends_a_large_answer_in_pieces),
		BED(test_server_outlives_a_client_that_vanishes),
		BED(test_server_turns_away_one_too_many),
		BED(test_c21_server_lets_wait_who_is_over_his_share),
		BED(test_c21_server_says_busy_to_who_waited_long),
		BED(test_c21_server_bounds_the_connections_of_a_uid),
		BED(test_c21_server_keeps_places_for_the_trusted),
		BED(test_server_drops_who_never_asks),
		BED(test_server_answers_later_by_number),
		BED(test_server_buffers_one_answer_a_client),
		BED(test_server_leaves_a_living_agents_socket),
		BED(test_server_replaces_a_dead_agents_socket),
		BED(test_server_removes_only_its_own_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
