/* The server of HTTP against clients that the test plays itself, on loopback:
 * nothing here waits for a time to pass.
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
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/http/http_place.h"
#include "agent/http/http_server.h"

#define TOKEN "a-token-of-some-length"
#define CLIENTS_MAX 80

struct bed {
	struct http_server *server;
	struct mono now;
	char token_file[32];
	int client[CLIENTS_MAX];
	char answer[8192];
};

static unsigned page_hello(void *context, const struct http_request *rq,
			   FILE *out, const char **ret_type)
{
	const char *value[2] = { "", "" };
	size_t n = http_request_values(rq, "a", value, 2);
	const char *accept = http_request_field(rq, "accept");

	(void)context;
	*ret_type = HTTP_TYPE_JSON;
	(void)fprintf(out, "rest=%s n=%zu %s %s accept=%s",
		      http_request_path(rq), n, value[0], value[1],
		      accept ? accept : "-");
	return 200;
}

static unsigned page_huge(void *context, const struct http_request *rq,
			  FILE *out, const char **ret_type)
{
	static const char block[65536];

	(void)context;
	(void)rq;
	(void)ret_type;
	for (size_t i = 0; i <= HTTP_ANSWER_MAX; i += sizeof(block))
		(void)fwrite(block, sizeof(block), 1, out);
	return 200;
}

static const struct http_page pages[] = {
	{ "/hello/", page_hello, false },
	{ "/huge", page_huge, false },
	{ "/open", page_hello, true },
	{ NULL, NULL, false },
};

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		b->client[i] = -1;
	b->now.ns = NS_PER_S;
	(void)snprintf(b->token_file, sizeof(b->token_file),
		       "/tmp/petrel-token-XXXXXX");
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		if (b->client[i] >= 0)
			(void)close(b->client[i]);
	http_server_close(b->server);
	free(b);
	return 0;
}

static void serve(struct bed *b, const struct http_settings *settings)
{
	struct diag d = { "" };

	if (http_server_open(settings, pages, b, &b->server, &d) < 0)
		fail_msg("%s", d.text);
}

static void turns(struct bed *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct pollfd p = { http_server_fd(b->server), POLLIN, 0 };

		(void)poll(&p, 1, 1);
		(void)http_server_run(b->server, b->now);
	}
}

static void client_begin(struct bed *b, unsigned i)
{
	struct sockaddr_in a = { .sin_family = AF_INET };

	a.sin_port = htons((uint16_t)http_server_port(b->server));
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	b->client[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(b->client[i], (struct sockaddr *)&a,
				 sizeof(a)), 0);
	assert_int_equal(fcntl(b->client[i], F_SETFL, O_NONBLOCK), 0);
}

/* What came so far; NULL: the server ended the connection, and said nothing. */
static const char *client_hear(struct bed *b, unsigned i)
{
	size_t len = 0;
	ssize_t n = -1;

	for (unsigned turn = 0; turn < 200 && len == 0 && n != 0; turn++) {
		turns(b, 1);
		do {
			n = recv(b->client[i], b->answer + len,
				 sizeof(b->answer) - 1 - len, 0);
			len += n > 0 ? (size_t)n : 0;
		} while (n > 0);
		if (n < 0 && errno == ECONNRESET)
			n = 0;
	}
	b->answer[len] = '\0';
	return len > 0 ? b->answer : NULL;
}

static void client_say(const struct bed *b, unsigned i, const char *text)
{
	assert_int_equal(send(b->client[i], text, strlen(text), MSG_NOSIGNAL),
			 strlen(text));
}

/* A request on a connection of its own: its answer. */
static const char *client_ask(struct bed *b, const char *request)
{
	if (b->client[0] >= 0)
		(void)close(b->client[0]);
	client_begin(b, 0);
	client_say(b, 0, request);
	return client_hear(b, 0);
}

static void assert_says(const char *answer, const char *wanted)
{
	if (!answer || !strstr(answer, wanted))
		fail_msg("'%s' is not in: %s", wanted, answer ? answer : "");
}

static void test_page_gets_path_arguments_and_fields(void **state)
{
	struct bed *b = *state;

	serve(b, &(struct http_settings){ .listen = "127.0.0.1:0" });
	assert_says(client_ask(b, "GET /hello/you%20all?a=1&b=2&a=%2F HTTP/1.1"
				  "\r\nHost: x\r\nAccept: text/x\r\n\r\n"),
		    "rest=you all n=2 1 / accept=text/x");
	assert_says(b->answer, "HTTP/1.1 200");
	assert_says(b->answer, "application/json");
	assert_says(client_ask(b, "HEAD /open HTTP/1.1\r\nHost: x\r\n\r\n"),
		    "HTTP/1.1 200");
	assert_null(strstr(b->answer, "rest="));
	assert_says(client_ask(b, "GET /openly HTTP/1.1\r\nHost: x\r\n\r\n"),
		    "HTTP/1.1 404");
}

/* What follows it would be cut off, and the rest taken for all of it. */
static void test_address_with_a_zero_octet_is_refused(void **state)
{
	static const char *const addresses[] = {
		"?a=%00x", "?a=1%00", "?b%00=1", "?a=1&c%00", "rest%00",
		"%00rest?a=1" };
	struct bed *b = *state;
	struct http_count count;
	char request[96];

	serve(b, &(struct http_settings){ .listen = "127.0.0.1:0" });
	for (unsigned i = 0; i < 6; i++) {
		(void)snprintf(request, sizeof(request), "GET /hello/%s "
			       "HTTP/1.1\r\nHost: x\r\n\r\n", addresses[i]);
		assert_says(client_ask(b, request), "HTTP/1.1 400");
		assert_says(b->answer, "the address contains %00");
	}
	http_server_count(b->server, &count);
	assert_int_equal(count.refused, 6);
	assert_says(client_ask(b, "GET /hello/%2500?a&b= HTTP/1.1\r\n"
				  "Host: x\r\n\r\n"), "HTTP/1.1 200");
	assert_says(b->answer, "rest=%00 ");
}

static void test_other_methods_and_bodies_are_refused(void **state)
{
	struct bed *b = *state;
	struct http_count count;

	serve(b, &(struct http_settings){ .listen = "127.0.0.1:0" });
	assert_says(client_ask(b, "DELETE /open HTTP/1.1\r\nHost: x\r\n\r\n"),
		    "HTTP/1.1 405");
	assert_says(b->answer, "Allow: GET, HEAD");
	assert_says(client_ask(b, "GET /open HTTP/1.1\r\nHost: x\r\n"
				  "Content-Length: 4\r\n\r\nbody"),
		    "HTTP/1.1 413");
	assert_says(client_ask(b, "GET /open HTTP/1.1\r\nHost: x\r\n"
				  "Transfer-Encoding: chunked\r\n\r\n"
				  "4\r\nbody\r\n0\r\n\r\n"),
		    "HTTP/1.1 413");
	http_server_count(b->server, &count);
	assert_int_equal(count.refused, 3);
}

static void test_answer_above_its_bound_is_none(void **state)
{
	struct bed *b = *state;

	serve(b, &(struct http_settings){ .listen = "127.0.0.1:0" });
	assert_says(client_ask(b, "GET /huge HTTP/1.1\r\nHost: x\r\n\r\n"),
		    "HTTP/1.1 500");
	assert_says(b->answer, "Content-Length: 0");
}

static void test_head_above_its_bound_ends(void **state)
{
	struct bed *b = *state;
	static char long_field[HTTP_HEAD_MAX];
	const char *answer;

	serve(b, &(struct http_settings){ .listen = "127.0.0.1:0" });
	client_begin(b, 0);
	client_say(b, 0, "GET /open HTTP/1.1\r\nHost: x\r\nX-Long: ");
	memset(long_field, 'a', sizeof(long_field));
	(void)send(b->client[0], long_field, sizeof(long_field), MSG_NOSIGNAL);
	answer = client_hear(b, 0);
	if (answer)
		assert_says(answer, "HTTP/1.1 431");
	assert_says(client_ask(b, "GET /open HTTP/1.1\r\nHost: x\r\n\r\n"),
		    "HTTP/1.1 200");
}

/* An octet a second never ends a request: the deadline does. */
static void test_slow_request_is_ended_at_its_deadline(void **state)
{
	struct bed *b = *state;
	struct http_count count;

	serve(b, &(struct http_settings){ .listen = "127.0.0.1:0" });
	client_begin(b, 0);
	client_say(b, 0, "GET /open HTTP/1.1\r\nX-Slow: ");
	for (unsigned s = 0; s < HTTP_DEADLINE_S; s++) {
		client_say(b, 0, "a");
		turns(b, 2);
		b->now = mono_after(b->now, NS_PER_S);
	}
	http_server_count(b->server, &count);
	assert_int_equal(count.overdue, 0);
	turns(b, 1);
	http_server_count(b->server, &count);
	assert_int_equal(count.overdue, 1);
	assert_null(client_hear(b, 0));
	http_server_count(b->server, &count);
	assert_int_equal(count.connections, 0);
}

/* One that answers go out on stays: its deadline begins anew with each. */
static void test_busy_connection_stays(void **state)
{
	struct bed *b = *state;

	serve(b, &(struct http_settings){ .listen = "127.0.0.1:0" });
	client_begin(b, 0);
	for (unsigned i = 0; i < 4; i++) {
		client_say(b, 0, "GET /open HTTP/1.1\r\nHost: x\r\n\r\n");
		assert_says(client_hear(b, 0), "HTTP/1.1 200");
		b->now = mono_after(b->now, (HTTP_DEADLINE_S - 1) * NS_PER_S);
		turns(b, 1);
	}
}

static void test_one_address_takes_not_all_connections(void **state)
{
	struct bed *b = *state;
	struct http_count count;

	serve(b, &(struct http_settings){ .listen = "127.0.0.1:0" });
	for (unsigned i = 1; i < 60; i++) {
		client_begin(b, i);
		turns(b, 1);
	}
	turns(b, 5);
	http_server_count(b->server, &count);
	assert_int_equal(count.connections, HTTP_ADDRESS_CONNECTIONS_MAX);
}

static void token_write(struct bed *b, const char *text)
{
	int fd = mkostemp(b->token_file, O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	(void)close(fd);
}

static void test_token_opens_what_is_not_open(void **state)
{
	struct bed *b = *state;

	token_write(b, TOKEN "\n");
	serve(b, &(struct http_settings){ .listen = "127.0.0.1:0",
					  .token_file = b->token_file });
	(void)unlink(b->token_file);
	assert_says(client_ask(b, "GET /hello/ HTTP/1.1\r\nHost: x\r\n\r\n"),
		    "HTTP/1.1 401");
	assert_says(b->answer, "WWW-Authenticate: Bearer");
	assert_says(client_ask(b, "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n"),
		    "HTTP/1.1 401");
	assert_says(client_ask(b, "GET /hello/ HTTP/1.1\r\nHost: x\r\n"
				  "Authorization: Bearer " TOKEN "x\r\n\r\n"),
		    "HTTP/1.1 401");
	assert_says(client_ask(b, "GET /hello/ HTTP/1.1\r\nHost: x\r\n"
				  "Authorization: Bearer b-token-of-some-length"
				  "\r\n\r\n"), "HTTP/1.1 401");
	assert_says(client_ask(b, "GET /hello/ HTTP/1.1\r\nHost: x\r\n"
				  "Authorization: bearer " TOKEN "\r\n\r\n"),
		    "HTTP/1.1 200");
	assert_says(client_ask(b, "GET /open HTTP/1.1\r\nHost: x\r\n\r\n"),
		    "HTTP/1.1 200");
}

static void test_reload_takes_the_new_token(void **state)
{
	struct bed *b = *state;
	struct diag d = { "" };
	FILE *f;

	token_write(b, TOKEN "\n");
	serve(b, &(struct http_settings){ .listen = "127.0.0.1:0",
					  .token_file = b->token_file });
	f = fopen(b->token_file, "w");
	(void)fputs("short\n", f);
	(void)fclose(f);
	assert_int_equal(http_server_reload(b->server, &d), -EINVAL);
	assert_says(d.text, "the first line has 5 octets");
	assert_says(client_ask(b, "GET /hello/ HTTP/1.1\r\nHost: x\r\n"
				  "Authorization: Bearer " TOKEN "\r\n\r\n"),
		    "HTTP/1.1 200");
	f = fopen(b->token_file, "w");
	(void)fputs("another-token-of-some-length\n", f);
	(void)fclose(f);
	assert_int_equal(http_server_reload(b->server, &d), 0);
	(void)unlink(b->token_file);
	assert_says(client_ask(b, "GET /hello/ HTTP/1.1\r\nHost: x\r\n"
				  "Authorization: Bearer " TOKEN "\r\n\r\n"),
		    "HTTP/1.1 401");
}

static void test_settings_say_what_is_wrong(void **state)
{
	static const struct {
		struct http_settings settings;
		const char *says;
	} wrong[] = {
		{ { .listen = "localhost:9817" }, "not an address with" },
		{ { .listen = "127.0.0.1" }, "not an address with" },
		{ { .listen = "127.0.0.1:65536" }, "not an address with" },
		{ { .listen = "[::1:9817" }, "not an address with" },
		{ { .listen = "::1:9817" }, "not an address with" },
		{ { .listen = "0.0.0.0:9817" }, "there is no token_file" },
		{ { .listen = "[::]:9817" }, "there is no token_file" },
		{ { .listen = "127.0.0.1:1", .cert_file = "/x" },
		  "TLS needs both" },
		{ { .listen = "127.0.0.1:1", .token_file = "/nowhere/token" },
		  "/nowhere/token: No such file" },
	};
	const char *key;
	struct diag d;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_true(http_place_check(&wrong[i].settings, &key, &d) < 0);
		assert_says(d.text, wrong[i].says);
	}
	assert_int_equal(http_place_check(&(struct http_settings){
		.listen = "[::]:9817", .anybody = true }, &key, &d), 0);
	assert_int_equal(http_place_check(&(struct http_settings){
		.listen = "[::1]:9817" }, &key, &d), 0);
}

static void test_default_is_no_vrf(void **state)
{
	serve(*state, &(struct http_settings){ .listen = "127.0.0.1:0",
					       .vrf = "default" });
}

/* Its socket is the device's; one that is not there is named. */
static void test_vrf_is_where_it_listens(void **state)
{
	struct http_settings s = { .listen = "127.0.0.1:0", .vrf = "lo" };
	char device[IFNAMSIZ] = "";
	socklen_t len = sizeof(device);
	struct http_place p;
	struct diag d = { "" };
	unsigned port;
	int fd;

	(void)state;
	assert_int_equal(http_place_of(&s, &p, &d), 0);
	assert_int_equal(http_place_listen(&p, &fd, &port, &d), 0);
	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device,
				    &len), 0);
	(void)close(fd);
	assert_string_equal(device, "lo");
	s.vrf = "no-such0";
	assert_int_equal(http_place_of(&s, &p, &d), 0);
	assert_int_equal(http_place_listen(&p, &fd, &port, &d), -ENODEV);
	assert_says(d.text, "vrf = no-such0");
}

static void test_files_that_are_no_pair_are_said(void **state)
{
	struct bed *b = *state;
	struct diag d = { "" };
	struct http_settings s = { .listen = "127.0.0.1:0",
				   .cert_file = b->token_file,
				   .key_file = b->token_file };

	token_write(b, TOKEN);
	assert_int_equal(http_server_open(&s, pages, b, &b->server, &d),
			 -EINVAL);
	(void)unlink(b->token_file);
	assert_says(d.text, "they do not match, or are not PEM");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_page_gets_path_arguments_and_fields),
		TEST(test_address_with_a_zero_octet_is_refused),
		TEST(test_other_methods_and_bodies_are_refused),
		TEST(test_answer_above_its_bound_is_none),
		TEST(test_head_above_its_bound_ends),
		TEST(test_slow_request_is_ended_at_its_deadline),
		TEST(test_busy_connection_stays),
		TEST(test_one_address_takes_not_all_connections),
		TEST(test_token_opens_what_is_not_open),
		TEST(test_reload_takes_the_new_token),
		TEST(test_settings_say_what_is_wrong),
		TEST(test_default_is_no_vrf),
		TEST(test_vrf_is_where_it_listens),
		TEST(test_files_that_are_no_pair_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
