#include "platform/sonic/config/config_db.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "platform/sonic/config/switch_changes.h"
#include "platform/sonic/redis/channel.h"
#include "platform/sonic/redis/resp.h"
#include "platform/sonic/switchdb/database.h"

#define TABLE "PETREL"
#define FIELD_MAX 64
#define VALUE_MAX 256
#define READY 0			/* the first command's reply; rows follow */
#define LIST_MARK '@'		/* after the name of a list field */

struct config_db {
	struct config_db_env env;
	int epoll_fd;
	struct channel channel;
	struct redis_query query;
	struct mono due;
	bool waiting;
	bool ready;			/* CONFIG_DB_INITIALIZED is 1 */
	char field[FIELD_MAX];		/* the pair's name, before its value */
	char reason[SOURCE_REASON_MAX];	/* the first fault */
};

static void key_make(const char *section, char *ret, size_t cap)
{
	(void)snprintf(ret, cap, TABLE "|%s", section);
	for (char *at = ret + strlen(TABLE); *at; at++)
		*at = (char)tolower((unsigned char)*at);
}

static void wrong(struct config_db *c, unsigned n, const char *what)
{
	char key[COMMAND_KEY_MAX];

	key_make(c->env.sections[n - 1], key, sizeof(key));
	if (!c->reason[0])
		(void)snprintf(c->reason, sizeof(c->reason),
			       "CONFIG_DB %.40s: %.100s", key, what);
}

static int field_name(struct redis_query *q, const char *text, size_t len,
		      unsigned position)
{
	struct config_db *c = q->context;

	(void)position;
	if (q->answered == READY)
		return -1;
	if (len > 0 && text[len - 1] == LIST_MARK)
		len--;
	if (len >= sizeof(c->field) || memchr(text, '\0', len)) {
		wrong(c, q->answered, "a field's name is too long");
		return -1;
	}
	memcpy(c->field, text, len);
	c->field[len] = '\0';
	return strcmp(c->field, "NULL") == 0 ? -1 : 0;	/* an empty row */
}

static void field_value(struct redis_query *q, int which, const char *text,
			size_t len)
{
	struct config_db *c = q->context;
	char value[VALUE_MAX];

	(void)which;
	if (len >= sizeof(value) || memchr(text, '\0', len) ||
	    memchr(text, '\n', len)) {
		wrong(c, q->answered,
		      "a value is too long, or not a line of text");
		return;
	}
	memcpy(value, text, len);
	value[len] = '\0';
	c->env.field(c->env.context, c->env.sections[q->answered - 1], c->field,
		     value);
}

/* A key of the wrong type is a fault to tell, no wait. */
static void ready_take(struct config_db *c, const struct reply *r)
{
	bool wrong = reply_is_wrong_type(r);

	c->ready = wrong || (r->kind == REPLY_TEXT &&
			     strcmp(r->error, "1") == 0);
	if (wrong)
		(void)snprintf(c->reason, sizeof(c->reason), "%s",
			       CONFIG_READY_WRONG);
}

static bool row_reply(struct redis_query *q, const struct reply *r)
{
	unsigned n = q->answered;
	struct config_db *c = q->context;

	if (n == READY)
		ready_take(c, r);
	else if (r->kind == REPLY_ERROR)
		wrong(c, n, r->error);
	else if (r->kind != REPLY_ARRAY)
		wrong(c, n, "no row");
	return n == READY ? r->kind == REPLY_TEXT || r->kind == REPLY_NIL :
			    r->kind == REPLY_ARRAY;
}

static void rows_done(struct redis_query *q, const char *reason)
{
	struct config_db *c = q->context;

	c->waiting = false;
	if (reason || !c->ready)
		c->env.failed(c->env.context, NULL);
	else if (c->reason[0])
		c->env.failed(c->env.context, c->reason);
	else
		c->env.done(c->env.context);
}

static void row_write(struct redis_query *q, struct commands *to)
{
	const struct config_db *c = q->context;
	char key[COMMAND_KEY_MAX];

	if (q->written == READY) {
		commands_add(to, (const char *const[]){
			"GET", CONFIG_READY_KEY, NULL });
		return;
	}
	key_make(c->env.sections[q->written - 1], key, sizeof(key));
	commands_add(to, (const char *const[]){ "HGETALL", key, NULL });
}

static const struct query_ops row_ops = {
	.write = row_write,
	.name = field_name,
	.value = field_value,
	.reply = row_reply,
	.done = rows_done,
};

/* The file that names the database may change. */
static void rows_ask(struct config_db *c, struct mono now)
{
	channel_follow(&c->channel, DATABASE_CONFIG, c->env.socket);
	c->waiting = true;
	c->ready = false;
	c->reason[0] = '\0';
	c->query = (struct redis_query){ .ops = &row_ops, .context = c,
					 .count = 1, .pairs = true };
	while (c->env.sections[c->query.count - 1])
		c->query.count++;
	channel_ask(&c->channel, &c->query, now);
}

int config_db_open(const struct config_db_env *env, struct config_db **ret)
{
	struct config_db *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return -ENOMEM;
	c->env = *env;
	c->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (c->epoll_fd < 0) {
		rc = -errno;
		free(c);
		return rc;
	}
	channel_init(&c->channel, "CONFIG_DB", env->root_fd, c->epoll_fd);
	*ret = c;
	return 0;
}

void config_db_close(struct config_db *c)
{
	if (!c)
		return;
	channel_fini(&c->channel);
	(void)close(c->epoll_fd);
	free(c);
}

int config_db_fd(const struct config_db *c)
{
	return c ? c->epoll_fd : -1;
}

void config_db_event(struct config_db *c, struct mono now)
{
	struct epoll_event e;

	if (epoll_wait(c->epoll_fd, &e, 1, 0) > 0)
		channel_event(&c->channel, e.events, now);
	channel_check(&c->channel, now);
	if (c->waiting || now.ns < c->due.ns)
		return;
	c->due.ns = now.ns + CONFIG_DB_PERIOD_NS;
	rows_ask(c, now);
}

bool config_db_is_waiting(const struct config_db *c)
{
	return c && c->waiting;
}
