#include "platform/sonic/redis/channel.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/base/path.h"

/* --- the greeting of a connection ----------------------------------------- */

/* Appends a command of two words. */
static void greeting_add(struct greeting *g, const char *command,
			 const char *word, size_t len)
{
	int n = snprintf(g->text + g->len, sizeof(g->text) - g->len,
			 "*2\r\n$%zu\r\n%s\r\n$%zu\r\n%.*s\r\n",
			 strlen(command), command, len, (int)len, word);

	g->len += (size_t)n;	/* GREETING_MAX has room for all */
	g->count++;
}

static int password_add(int root_fd, const char *path, struct greeting *g)
{
	size_t len;
	char *text;
	int rc = path_read(root_fd, path, GREETING_PASSWORD_MAX, &text, &len);

	if (rc < 0)
		return rc;
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		len--;
	if (len > 0 && !memchr(text, '\0', len))
		greeting_add(g, "AUTH", text, len);
	else
		rc = -ENODATA;
	explicit_bzero(text, len);
	free(text);
	return rc;
}

int greeting_write(int root_fd, const struct database *database,
		   struct greeting *ret, struct diag *d)
{
	char id[12];
	int rc = 0, n = snprintf(id, sizeof(id), "%u", database->id);

	ret->len = ret->count = 0;
	if (database->password[0])
		rc = password_add(root_fd, database->password, ret);
	if (rc == -ENODATA)
		return diag_set(d, rc, "password %s: it is empty",
				database->password);
	if (rc < 0)
		return diag_prefix(d, path_diag(d, root_fd, database->password,
						rc), "password");
	greeting_add(ret, "SELECT", id, (size_t)n);
	return 0;
}

void greeting_forget(struct greeting *g)
{
	explicit_bzero(g->text, g->len);
	g->len = 0;
}

/* --- the connection ------------------------------------------------------- */

/* Commands in one call: as many octets as Redis reads at once and answers
 * without serving others in between.
 */
#define OUT_OCTETS 16384u
#define RECV_ROUNDS 8		/* then others get a turn */
#define UNASKED "unexpected octets"

static void channel_want(struct channel *c, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.ptr = c };

	if (c->wanted == events)
		return;
	(void)epoll_ctl(c->epoll_fd, c->wanted ? EPOLL_CTL_MOD : EPOLL_CTL_ADD,
			c->fd, &e);	/* if it fails, the reply is overdue */
	c->wanted = events;
}

/* It may contain a password. */
static void out_wipe(struct channel *c)
{
	if (c->out.data)
		explicit_bzero(c->out.data, c->out.len);
	commands_clear(&c->out);
	c->out_pos = 0;
}

static void channel_close(struct channel *c)
{
	if (c->fd < 0)
		return;
	/* close() alone would leave it in the epoll, ready for ever, if a
	 * process forked meanwhile still has it open.
	 */
	if (c->wanted)
		(void)epoll_ctl(c->epoll_fd, EPOLL_CTL_DEL, c->fd, NULL);
	(void)close(c->fd);
	c->fd = -1;
	c->wanted = 0;
	c->text_pos = 0;
	out_wipe(c);
	reply_reader_fini(&c->replies);
}

static void queries_end(struct redis_query *q, const char *reason)
{
	while (q) {
		struct redis_query *next = q->next;

		q->ops->done(q, reason);
		q = next;
	}
}

/* Ends the connection and gives the reason to each waiting query. */
static void channel_fail(struct channel *c, const char *what)
{
	struct redis_query *waiting = c->first;

	/* First, as what may be the reader's own text. */
	(void)snprintf(c->reason, sizeof(c->reason), "%s at %.80s: %.70s",
		       c->word, c->database.socket, what);
	channel_close(c);
	c->first = c->last = c->unwritten = NULL;
	if (c->down_since.ns == 0)
		c->down_since = c->now;
	c->backoff_ns = c->backoff_ns ? 2 * c->backoff_ns :
					CHANNEL_BACKOFF_MIN_NS;
	if (c->backoff_ns > CHANNEL_BACKOFF_MAX_NS)
		c->backoff_ns = CHANNEL_BACKOFF_MAX_NS;
	c->retry.ns = c->now.ns + c->backoff_ns;
	queries_end(waiting, c->reason);
}

/* A server without a password rejects AUTH, but accepts the rest. */
static bool hello_reply(struct redis_query *q, const struct reply *r)
{
	struct channel *c = q->context;
	bool is_select = q->answered + 1 == q->count;

	if (c->refused ||
	    (r->kind == REPLY_TEXT && strcmp(r->error, "OK") == 0) ||
	    (!is_select && r->kind == REPLY_ERROR &&
	     strncmp(r->error, "ERR", 3) == 0))
		return true;
	c->refused = true;
	(void)snprintf(c->reason, sizeof(c->reason), "%s: %.80s",
		       is_select ? "SELECT" : "AUTH", reply_wrong(r));
	return true;	/* hello_refused() ends it, with this reason */
}

static void hello_done(struct redis_query *q, const char *reason)
{
	struct channel *c = q->context;

	(void)reason;
	greeting_forget(&c->greeting);
}

static const struct query_ops hello_ops = {
	.reply = hello_reply,
	.done = hello_done,
};

void channel_init(struct channel *c, const char *word, int root_fd,
		  int epoll_fd)
{
	memset(c, 0, sizeof(*c));
	c->word = word;
	c->root_fd = root_fd;
	c->epoll_fd = epoll_fd;
	c->fd = -1;
}

void channel_fini(struct channel *c)
{
	channel_close(c);
	commands_free(&c->out);
}

void channel_move(struct channel *c, const struct database *database)
{
	if (c->fd >= 0)
		channel_fail(c, "database_config.json names another address");
	c->database = *database;
	c->backoff_ns = 0;
	c->retry.ns = 0;
	c->down_since.ns = 0;
}

void channel_follow(struct channel *c, enum database_name name,
		    const char *socket)
{
	struct databases all;
	struct diag d;

	if (c->fd >= 0)
		return;
	if (databases_read(c->root_fd, DATABASE_CONFIG_PATH, &all, &d) < 0)
		databases_default(DATABASE_SOCKET_DEFAULT, &all);
	if (socket)
		databases_override(&all, socket);
	if (!database_is_same(&c->database, &all.of[name]))
		channel_move(c, &all.of[name]);
}

static void hello_ask(struct channel *c)
{
	struct diag d = { "" };

	c->refused = false;
	if (greeting_write(c->root_fd, &c->database, &c->greeting, &d) < 0) {
		channel_fail(c, d.text);
		return;
	}
	c->hello = (struct redis_query){
		.ops = &hello_ops,
		.context = c,
		.commands = c->greeting.text,
		.len = c->greeting.len,
		.count = c->greeting.count,
	};
	channel_ask(c, &c->hello, c->now);
}

static void channel_connect(struct channel *c)
{
	char why[PATH_REASON_MAX];
	int fd;

	if (!c->database.known) {
		channel_fail(c, "database_config.json does not name it");
		return;
	}
	fd = path_connect(c->root_fd, c->database.socket);
	if (fd < 0) {
		path_reason(c->root_fd, c->database.socket, fd, why);
		channel_fail(c, why);
		return;
	}
	c->fd = fd;
	c->connects++;
	if (reply_reader_init(&c->replies) < 0) {
		channel_fail(c, "out of memory");
		return;
	}
	channel_want(c, EPOLLIN);
	hello_ask(c);
}

int channel_ready(struct channel *c, struct mono now, struct diag *d)
{
	c->now = now;
	if (c->fd < 0 && now.ns >= c->retry.ns)
		channel_connect(c);
	if (c->fd >= 0)
		return 0;
	return diag_set(d, -ENODATA, "%s (for %" PRId64 " s)", c->reason,
			(now.ns - c->down_since.ns) / NS_PER_S);
}

/* The rest of a query's text, or as much as fits. */
static bool text_write(struct channel *c, struct redis_query *q)
{
	size_t len = q->len - c->text_pos;

	if (len > OUT_OCTETS - c->out.len)
		len = OUT_OCTETS - c->out.len;
	commands_add_text(&c->out, q->commands + c->text_pos, len);
	if (c->out.failed)
		return false;
	c->text_pos += len;
	return c->text_pos == q->len;
}

/* The next command, in full. */
static bool command_write(struct channel *c, struct redis_query *q)
{
	size_t len = c->out.len;

	q->ops->write(q, &c->out);
	if (c->out.failed)
		c->out.len = len;
	else
		q->written++;
	return q->written == q->count;
}

/* Commands of waiting queries, in order. Without memory it stops: their replies
 * will be overdue.
 */
static void out_fill(struct channel *c)
{
	commands_clear(&c->out);
	c->out_pos = 0;
	while (c->unwritten && c->out.len < OUT_OCTETS && !c->out.failed) {
		struct redis_query *q = c->unwritten;

		if (!(q->ops->write ? command_write(c, q) : text_write(c, q)))
			continue;
		q->end = c->sent + c->out.len;
		c->unwritten = q->next;
		c->text_pos = 0;
	}
}

/* Continues to write; the rest waits for EPOLLOUT. */
static void channel_send(struct channel *c)
{
	ssize_t n = 0;

	while (n >= 0 && (c->out_pos < c->out.len || c->unwritten)) {
		if (c->out_pos == c->out.len)
			out_fill(c);
		if (c->out.len == 0)
			break;
		n = send(c->fd, c->out.data + c->out_pos,
			 c->out.len - c->out_pos, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0)
			break;	/* full; or recv() reports the error in full */
		c->sent += (size_t)n;
		c->out_pos += (size_t)n;
		if (c->out_pos == c->out.len)
			out_wipe(c);
	}
	channel_want(c, c->out.len > 0 ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void channel_release(struct channel *c)
{
	c->held = false;
	if (c->fd >= 0)
		channel_send(c);
}

void channel_ask(struct channel *c, struct redis_query *q, struct mono now)
{
	struct diag d = { "" };

	assert(!q->pairs || (q->ops->name && q->ops->value));
	if (c->fd < 0 && channel_ready(c, now, &d) < 0) {
		q->ops->done(q, d.text);
		return;
	}
	q->written = q->answered = 0;
	q->end = UINT64_MAX;
	q->oversize = false;
	q->due.ns = now.ns + CHANNEL_OVERDUE_NS;
	q->next = NULL;
	if (c->last)
		c->last->next = q;
	else
		c->first = q;
	c->last = q;
	if (!c->unwritten)
		c->unwritten = q;
	if (!c->held)
		channel_send(c);
}

static void query_answered(struct channel *c)
{
	struct redis_query *q = c->first;

	if (q->end > c->sent) {
		channel_fail(c, "an answer without a request");
		return;
	}
	c->first = q->next;
	if (!c->first)
		c->last = NULL;
	if (q != &c->hello) {	/* the greeting alone is no sign of health */
		c->backoff_ns = 0;
		c->down_since.ns = 0;
	}
	q->ops->done(q, NULL);
}

/* A connection whose SELECT was rejected reads the wrong database. */
static void hello_refused(struct channel *c)
{
	char why[REPLY_ERROR_MAX];

	(void)snprintf(why, sizeof(why), "%.95s", c->reason);
	channel_fail(c, why);
}

/* The reply exceeds all limits. */
static void channel_overflow(struct channel *c, const char *what)
{
	if (c->first)
		c->first->oversize = true;
	channel_fail(c, what);
}

/* Passes a complete reply to the query. False: the command has no replies of
 * this kind.
 */
static bool query_reply(struct redis_query *q, const struct reply *r)
{
	static const struct reply odd = { .kind = REPLY_ODD };

	if (r->kind == REPLY_ARRAY && !q->ops->value)
		r = &odd;
	return q->ops->reply(q, r) || r->kind == REPLY_ERROR;
}

/* It reads its data from a disk, and refuses all commands: as if it were not
 * there yet.
 */
static bool reply_is_of_start(const struct reply *r)
{
	return r->kind == REPLY_ERROR &&
	       strncmp(r->error, "LOADING ", 8) == 0;
}

/* There is data after the last reply that was asked for: it would be taken for
 * the answer to the next query.
 */
static bool replies_are_left(const struct channel *c)
{
	return c->fd >= 0 && !c->first && !c->subscriber &&
	       c->replies.reader->len > c->replies.reader->pos;
}

/* Passes on complete replies. Returns false if the connection ended. */
static bool replies_take(struct channel *c)
{
	const struct reply *r;
	int rc = 0;

	while (c->fd >= 0 && (c->first || c->subscriber)) {
		struct redis_query *q = c->first;

		c->replies.query = q ? q : c->subscriber;
		rc = reply_reader_next(&c->replies, &r);
		if (rc <= 0)
			break;
		if (!q)		/* a message, already passed on */
			continue;
		if (reply_is_of_start(r) || !query_reply(q, r)) {
			channel_fail(c, reply_wrong(r));
			return false;
		}
		if (c->refused) {
			hello_refused(c);
			return false;
		}
		if (++q->answered == q->count)
			query_answered(c);
	}
	if (rc < 0 && c->replies.reader->err == REDIS_ERR_OOM)
		channel_overflow(c, "an array of too many elements");
	else if (rc < 0)
		channel_fail(c, c->replies.reader->errstr);
	else if (replies_are_left(c))
		channel_fail(c, UNASKED);
	return c->fd >= 0;
}

static bool channel_recv(struct channel *c)
{
	char bytes[REPLY_FEED_OCTETS];
	ssize_t n = recv(c->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	int rc;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		channel_fail(c, n < 0 ? strerror(errno) :
					"redis closed the connection");
		return false;
	}
	if (!c->first && !c->subscriber) {
		channel_fail(c, UNASKED);
		return false;
	}
	rc = reply_reader_feed(&c->replies, bytes, (size_t)n);
	if (rc == -EMSGSIZE)
		channel_overflow(c, "a value of over 4 MiB");
	else if (rc < 0)
		channel_fail(c, "out of memory");
	if (rc < 0)
		return false;
	return replies_take(c) && n == (ssize_t)sizeof(bytes);
}

void channel_event(struct channel *c, uint32_t events, struct mono now)
{
	c->now = now;
	if (c->fd >= 0 && events & EPOLLOUT)
		channel_send(c);
	if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		return;
	for (unsigned i = 0; i < RECV_ROUNDS && c->fd >= 0; i++)
		if (!channel_recv(c))
			break;
}

void channel_check(struct channel *c, struct mono now)
{
	char what[64];

	c->now = now;
	if (c->fd < 0 || !c->first || now.ns < c->first->due.ns)
		return;
	(void)snprintf(what, sizeof(what), "no reply within %d s",
		       (int)(CHANNEL_OVERDUE_NS / NS_PER_S));
	channel_fail(c, what);
}

struct mono channel_deadline(const struct channel *c)
{
	if (c->fd < 0 || !c->first)
		return (struct mono){ INT64_MAX };
	return c->first->due;
}
