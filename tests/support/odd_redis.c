#include "tests/support/odd_redis.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "platform/sonic/meaning/table.h"
#include "tests/support/odd_switch.h"

#define WORDS_MAX 1024

/* ---- the tape ---- */

static unsigned tape_next(struct odd_redis *r)
{
	return r->tape_pos < r->tape_len ? r->tape[r->tape_pos++] : 0;
}

bool odd_redis_is_right(const struct odd_redis *r)
{
	return r->tape_pos >= r->tape_len;
}

/* ---- what is sent ---- */

static void put_octets(struct odd_connection *c, const void *data, size_t len)
{
	if (len > ODD_OUT_OCTETS - c->out_len) {
		c->close = true;
		return;
	}
	memcpy(c->out + c->out_len, data, len);
	c->out_len += len;
}

__attribute__((format(printf, 2, 3)))
static void put(struct odd_connection *c, const char *format, ...)
{
	char text[256];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	assert(n >= 0 && (size_t)n < sizeof(text));
	put_octets(c, text, (size_t)n);
}

static void put_text(struct odd_connection *c, const char *text)
{
	if (!text) {
		put(c, "$-1\r\n");
		return;
	}
	put(c, "$%zu\r\n", strlen(text));
	put_octets(c, text, strlen(text));
	put(c, "\r\n");
}

/* ---- right answers ---- */

struct command {
	const char *word[WORDS_MAX];
	size_t count;
};

/* A field's value, where the test has no other for counters. */
static const char *value_of(const struct odd_redis *r, const char *field,
			    const char *value)
{
	return r->counted && strncmp(field, "SAI_", 4) == 0 ? r->counted :
							       value;
}

static void answer_pairs(const struct odd_redis *r, struct odd_connection *c,
			 const char *key)
{
	const char *pair[2 * ODD_PAIRS_MAX];
	size_t n = odd_switch_row(c->database, key, pair);

	put(c, "*%zu\r\n", n);
	for (size_t i = 0; i < n; i++)
		put_text(c, i % 2 ? value_of(r, pair[i - 1], pair[i]) :
				    pair[i]);
}

static void answer_keys(struct odd_connection *c, const char *pattern)
{
	const char *key[ODD_PAIRS_MAX];
	size_t n = odd_switch_keys(c->database, pattern, key);

	put(c, "*%zu\r\n", n);
	for (size_t i = 0; i < n; i++)
		put_text(c, key[i]);
}

static void answer_subscribe(struct odd_connection *c, const struct command *m)
{
	for (size_t i = 1; i < m->count; i++) {
		put(c, "*3\r\n");
		put_text(c, "subscribe");
		put_text(c, m->word[i]);
		put(c, ":%zu\r\n", i);
	}
}

/* r: NULL: the key is not there. */
static void answer_fields(const struct odd_redis *r, struct odd_connection *c,
			  const struct command *m)
{
	put(c, "*%zu\r\n", m->count - 2);
	for (size_t i = 2; i < m->count; i++)
		put_text(c, !r ? NULL : value_of(r, m->word[i],
				odd_switch_value(m->word[1], m->word[i])));
}

/* Of a key that is not there. False: the command is of no key. */
static bool answer_none(struct odd_connection *c, const struct command *m)
{
	const char *verb = m->word[0];

	if (strcmp(verb, "DBSIZE") == 0 || strcmp(verb, "HLEN") == 0)
		put(c, ":0\r\n");
	else if (strcmp(verb, "GET") == 0)
		put(c, "$-1\r\n");
	else if (strcmp(verb, "KEYS") == 0 || strcmp(verb, "HGETALL") == 0)
		put(c, "*0\r\n");
	else if (strcmp(verb, "HMGET") == 0)
		answer_fields(NULL, c, m);
	else
		return false;
	return true;
}

static size_t row_len(const struct odd_connection *c, const char *key)
{
	const char *pair[2 * ODD_PAIRS_MAX];

	return odd_switch_row(c->database, key, pair) / 2;
}

static void answer(const struct odd_redis *r, struct odd_connection *c,
		   const struct command *m)
{
	const char *verb = m->word[0], *key = m->count > 1 ? m->word[1] : "";

	if (strcmp(verb, "SELECT") == 0 || strcmp(verb, "AUTH") == 0) {
		put(c, "+OK\r\n");
	} else if (strcmp(verb, "DBSIZE") == 0) {
		put(c, ":100\r\n");
	} else if (strcmp(verb, "GET") == 0) {
		put_text(c, "1");
	} else if (strcmp(verb, "INFO") == 0) {
		put_text(c, "redis_version:7\r\nrun_id:0123456789\r\n");
	} else if (strcmp(verb, "CONFIG") == 0) {
		put(c, "*2\r\n$22\r\nnotify-keyspace-events\r\n$3\r\nAKE\r\n");
	} else if (strcmp(verb, "SUBSCRIBE") == 0) {
		answer_subscribe(c, m);
	} else if (strcmp(verb, "KEYS") == 0) {
		answer_keys(c, key);
	} else if (strcmp(verb, "HGETALL") == 0) {
		answer_pairs(r, c, key);
	} else if (strcmp(verb, "HLEN") == 0) {
		put(c, ":%zu\r\n", row_len(c, key));
	} else if (strcmp(verb, "HMGET") == 0) {
		answer_fields(r, c, m);
	} else {
		put(c, ":1\r\n");
	}
}

/* ---- odd ones ---- */

typedef void odd_fn(struct odd_redis *r, struct odd_connection *c,
		    const struct command *m);

/* One of a list of texts, as the tape says. */
#define PICK(r, list) \
	((list)[tape_next(r) % (sizeof(list) / sizeof((list)[0]))])

static void odd_simple(struct odd_redis *r, struct odd_connection *c,
		       const struct command *m)
{
	static const char *const all[] = {
		"$-1\r\n", "*-1\r\n", ":0\r\n", ":1\r\n", ":-7\r\n",
		":9223372036854775807\r\n", ":x\r\n", "+OK\r\n", "+\r\n",
		"$0\r\n\r\n", "$2\r\nOK\r\n", "*0\r\n", "$3\r\nOK\r\n",
		"\r\n", "OK\r\n", "+QUEUED\r\n", ":\r\n", "-\r\n",
	};

	(void)m;
	put(c, "%s", PICK(r, all));
}

static void odd_error(struct odd_redis *r, struct odd_connection *c,
		      const struct command *m)
{
	static const char *const all[] = {
		"ERR unknown command", "LOADING Redis is loading", "NOAUTH",
		"WRONGTYPE Operation", "MOVED 1 127.0.0.1:1", "BUSY", "OOM",
		"NOPERM this user", "READONLY You can't write", "MISCONF",
	};

	(void)m;
	put(c, "-%s\r\n", PICK(r, all));
}

static void odd_string(struct odd_redis *r, struct odd_connection *c,
		       const struct command *m)
{
	unsigned n = tape_next(r);
	char octet = (char)tape_next(r);

	(void)m;
	put(c, "$%u\r\n", n);
	while (n-- > 0)
		put_octets(c, &octet, 1);
	put(c, "\r\n");
}

/* An array of so many, each of any shape. */
static void odd_array(struct odd_redis *r, struct odd_connection *c,
		      const struct command *m)
{
	unsigned n = tape_next(r) % 48;

	put(c, "*%u\r\n", n);
	while (n-- > 0 && !odd_redis_is_right(r))
		if (tape_next(r) & 1)
			odd_simple(r, c, m);
		else
			odd_string(r, c, m);
}

static void odd_nested(struct odd_redis *r, struct odd_connection *c,
		       const struct command *m)
{
	unsigned deep = tape_next(r) % 12, wide = tape_next(r) % 4;

	(void)m;
	put(c, "*2\r\n$1\r\na\r\n");
	for (unsigned i = 0; i < deep; i++)
		put(c, "*%u\r\n%s", wide + 1, wide ? ":1\r\n" : "");
	put(c, "$1\r\nb\r\n");
}

static void odd_size(struct odd_redis *r, struct odd_connection *c,
		     const struct command *m)
{
	static const char *const all[] = {
		"*262144\r\n", "*262145\r\n", "*2147483647\r\n",
		"*2147483648\r\n", "*1099511627776\r\n", "*-5\r\n",
		"$5000000\r\n", "$2147483647\r\n", "$-2\r\n",
		"$18446744073709551615\r\n", "*1\r\n*2147483647\r\n", "*x\r\n",
	};

	(void)m;
	put(c, "%s", PICK(r, all));
}

static void odd_resp3(struct odd_redis *r, struct odd_connection *c,
		      const struct command *m)
{
	static const char *const all[] = {
		"%1\r\n+a\r\n:1\r\n", ">2\r\n+message\r\n+x\r\n", "_\r\n",
		"~1\r\n:1\r\n", ",3.14\r\n", "#t\r\n", "(12345\r\n",
		"=7\r\ntxt:abc\r\n", "!5\r\nERR x\r\n", "|1\r\n+a\r\n+b\r\n",
		"*2\r\n%1\r\n+a\r\n:1\r\n_\r\n",
	};

	(void)m;
	put(c, "%s", PICK(r, all));
}

/* What a subscriber hears, or one who is none. */
static void odd_message(struct odd_redis *r, struct odd_connection *c,
			const struct command *m)
{
	static const char *const kinds[] = { "message", "pmessage",
					     "subscribe", "unsubscribe" };
	static const char *const channels[] = { "__keyevent@4__:hset",
		"__keyevent@6__:del", "__keyevent@4__:set", "", ":",
		"__keyevent@4__:a name beyond all bounds of an event" };
	static const char *const keys[] = { "PORT|Ethernet0", "",
		"CONFIG_DB_INITIALIZED", "TRANSCEIVER_INFO|Ethernet4",
		"FEATURE|bgp", "BUFFER_PG|Ethernet0|3-4", "|", "PORT|" };
	unsigned n = tape_next(r) % 5;

	(void)m;
	put(c, "*%u\r\n", n);
	for (unsigned i = 0; i < n; i++)
		put_text(c, i == 0 ? PICK(r, kinds) : i == 1 ?
			    PICK(r, channels) : PICK(r, keys));
}

static void odd_twice(struct odd_redis *r, struct odd_connection *c,
		      const struct command *m)
{
	for (unsigned n = 2 + tape_next(r) % 3; n > 0; n--)
		answer(r, c, m);
}

static void odd_none(struct odd_redis *r, struct odd_connection *c,
		     const struct command *m)
{
	(void)m;
	c->deaf = tape_next(r) & 1;
	c->close = tape_next(r) & 1;
}

static void odd_raw(struct odd_redis *r, struct odd_connection *c,
		    const struct command *m)
{
	(void)m;
	for (unsigned n = tape_next(r); n > 0 && !odd_redis_is_right(r); n--) {
		char octet = (char)tape_next(r);

		put_octets(c, &octet, 1);
	}
}

/* The right one, with an octet changed, cut off, or put before it. */
static void odd_damaged(struct odd_redis *r, struct odd_connection *c,
			const struct command *m)
{
	size_t from = c->out_len, at;
	unsigned how = tape_next(r);

	answer(r, c, m);
	at = from + (tape_next(r) | tape_next(r) << 8) % (c->out_len - from);
	switch (how % 4) {
	case 0:
		c->out[at] = (char)tape_next(r);
		break;
	case 1:
		c->out_len = at;
		c->deaf = true;
		break;
	case 2:
		c->out_len = at;
		c->close = true;
		break;
	default:
		c->out[from] = "$*:+-%>"[tape_next(r) % 7];
		break;
	}
}

/* As if something else had been asked. */
static void odd_other(struct odd_redis *r, struct odd_connection *c,
		      const struct command *m)
{
	static const char *const keys[] = { "COUNTERS_PORT_NAME_MAP",
		"COUNTERS_QUEUE_NAME_MAP", "PORT|Ethernet0", "PETREL|push",
		"COUNTERS:oid:0x1", "TRANSCEIVER_INFO|Ethernet0" };
	static const char *const verbs[] = { "HGETALL", "KEYS", "GET",
		"DBSIZE", "INFO", "SUBSCRIBE" };
	struct command other = { .count = 2 };

	(void)m;
	other.word[0] = PICK(r, verbs);
	other.word[1] = PICK(r, keys);
	answer(r, c, &other);
}

/* A row with a name or a value too few, or other values. */
static void odd_row(struct odd_redis *r, struct odd_connection *c,
		    const struct command *m)
{
	const char *pair[2 * ODD_PAIRS_MAX];
	size_t n = odd_switch_row(c->database, m->count > 1 ? m->word[1] : "",
				  pair);
	unsigned how = tape_next(r), octet = tape_next(r);
	char value[16];

	(void)snprintf(value, sizeof(value), "%c%u", (char)octet, octet);
	if (how & 1 && n > 0)
		n--;
	put(c, "*%zu\r\n", n);
	for (size_t i = 0; i < n; i++)
		put_text(c, how & 2 && i % 2 ? value : how & 4 && i % 2 ?
			    NULL : pair[i]);
}

static void odd_long_line(struct odd_redis *r, struct odd_connection *c,
			  const struct command *m)
{
	unsigned n = tape_next(r);

	(void)m;
	put(c, "%c", "+:-$*"[n % 5]);
	for (n *= 64; n > 0; n--)
		put_octets(c, "xxxxxxxxxxxxxxxx", 16);
}

static odd_fn *const odd_fns[] = {
	odd_simple, odd_error, odd_string, odd_array, odd_nested, odd_size,
	odd_resp3, odd_message, odd_twice, odd_none, odd_raw, odd_damaged,
	odd_other, odd_row, odd_long_line,
};

static void answer_any(struct odd_redis *r, struct odd_connection *c,
		       const struct command *m)
{
	unsigned octet;

	r->replies++;
	/* Done, whatever the answer says. */
	if (m->count > 1 && strcmp(m->word[0], "SELECT") == 0)
		c->database = (unsigned)strtoul(m->word[1], NULL, 10);
	if (r->right > 0) {
		r->right--;
	} else if (!odd_redis_is_right(r)) {
		octet = tape_next(r);
		if (octet >= ODD_FROM) {
			r->odd++;
			odd_fns[(octet - ODD_FROM) % (sizeof(odd_fns) /
						      sizeof(odd_fns[0]))](
				r, c, m);
			return;
		}
		r->right = octet < FAR_FROM ? octet % 8 :
			   (octet - FAR_FROM) * 8;
	}
	if ((r->empty || (r->without && m->count > 1 &&
			  strcmp(m->word[1], r->without) == 0)) &&
	    answer_none(c, m))
		return;
	answer(r, c, m);
}

/* ---- connections ---- */

/* A number up to the end of its line, which is cut off. */
static char *line_number(char *at, char *end, size_t *ret)
{
	char *line = memchr(at, '\r', (size_t)(end - at));

	if (!line || line + 1 >= end)
		return NULL;
	*ret = strtoul(at + 1, NULL, 10);
	return line + 2;
}

/* One command from what came; its length, 0 when it is not whole. */
static size_t command_read(char *in, size_t len, struct command *ret)
{
	char *end = in + len, *at = line_number(in, end, &ret->count);

	assert(!at || (in[0] == '*' && ret->count <= WORDS_MAX));
	for (size_t i = 0; at && i < ret->count; i++) {
		size_t n = 0;

		at = at < end ? line_number(at, end, &n) : NULL;
		if (!at || (size_t)(end - at) < n + 2)
			return 0;
		at[n] = '\0';	/* for its CR, which nobody looks at again */
		ret->word[i] = at;
		at += n + 2;
	}
	return at ? (size_t)(at - in) : 0;
}

static void connection_close(struct odd_connection *c)
{
	if (c->fd >= 0)
		(void)close(c->fd);
	c->fd = -1;
	c->in_len = c->out_len = c->out_pos = c->database = 0;
	c->deaf = c->close = false;
}

static bool connection_send(struct odd_connection *c)
{
	ssize_t n;

	if (c->out_pos == c->out_len) {
		c->out_pos = c->out_len = 0;
		if (c->close)
			connection_close(c);
		return false;
	}
	n = send(c->fd, c->out + c->out_pos, c->out_len - c->out_pos,
		 MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n < 0 && errno != EAGAIN)
		connection_close(c);
	if (n > 0)
		c->out_pos += (size_t)n;
	return n > 0;
}

static bool connection_serve(struct odd_redis *r, struct odd_connection *c)
{
	struct command m = { .word = { "" } };
	size_t used = 0, n;
	ssize_t got = recv(c->fd, c->in + c->in_len, ODD_IN_OCTETS - c->in_len,
			   MSG_DONTWAIT);

	if (got == 0 || (got < 0 && errno != EAGAIN)) {
		connection_close(c);
		return true;
	}
	c->in_len += got > 0 ? (size_t)got : 0;
	while (!c->close && (n = command_read(c->in + used, c->in_len - used,
					      &m)) > 0) {
		used += n;
		if (!c->deaf)
			answer_any(r, c, &m);
	}
	memmove(c->in, c->in + used, c->in_len - used);
	c->in_len -= used;
	return (connection_send(c) || got > 0) && c->fd >= 0;
}

static void connections_accept(struct odd_redis *r)
{
	for (size_t i = 0; i < ODD_CONNECTIONS; i++) {
		if (r->of[i].fd >= 0)
			continue;
		r->of[i].fd = accept4(r->listener, NULL, NULL,
				      SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (r->of[i].fd < 0)
			return;
	}
}

bool odd_redis_serve(struct odd_redis *r)
{
	bool any = false;

	connections_accept(r);
	for (size_t i = 0; i < ODD_CONNECTIONS; i++)
		if (r->of[i].fd >= 0)
			any |= connection_serve(r, &r->of[i]);
	return any;
}

void odd_redis_wind(struct odd_redis *r, const uint8_t *tape, size_t len)
{
	for (size_t i = 0; i < ODD_CONNECTIONS; i++)
		connection_close(&r->of[i]);
	r->tape = tape;
	r->tape_len = len;
	r->tape_pos = 0;
	r->right = 0;
}

void odd_redis_init(struct odd_redis *r, const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	memset(r, 0, sizeof(*r));
	(void)snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	r->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK |
			     SOCK_CLOEXEC, 0);
	if (r->listener < 0 ||
	    bind(r->listener, (const struct sockaddr *)&at, sizeof(at)) < 0 ||
	    listen(r->listener, ODD_CONNECTIONS) < 0)
		abort();
	for (size_t i = 0; i < ODD_CONNECTIONS; i++) {
		r->of[i].fd = -1;
		r->of[i].in = malloc(ODD_IN_OCTETS);
		r->of[i].out = malloc(ODD_OUT_OCTETS);
		if (!r->of[i].in || !r->of[i].out)
			abort();
	}
}

void odd_redis_fini(struct odd_redis *r)
{
	for (size_t i = 0; i < ODD_CONNECTIONS; i++) {
		connection_close(&r->of[i]);
		free(r->of[i].in);
		free(r->of[i].out);
	}
	(void)close(r->listener);
}
