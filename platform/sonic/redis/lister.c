#include "platform/sonic/redis/lister.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void lister_fail(struct lister *l, int rc, const char *what,
			const char *why)
{
	if (l->rc < 0)
		return;		/* the first fault is reported */
	l->rc = rc;
	(void)snprintf(l->reason, sizeof(l->reason), "%.60s%s%.*s", what,
		       what[0] ? ": " : "", what[0] ? 90 : 150, why);
}

static void on_value(struct redis_query *q, int which, const char *text,
		     size_t len)
{
	struct lister *l = q->context;

	(void)which;
	if (!l->sizing)
		l->ops->key(l, text, len);
}

static void size_take(struct lister *l, long long keys)
{
	char text[96];

	if (keys <= l->most)
		return;
	(void)snprintf(text, sizeof(text), "%lld keys; a database of more than "
		       "%lld is not searched", keys, l->most);
	lister_fail(l, -E2BIG, l->channel->word, text);
}

static bool on_reply(struct redis_query *q, const struct reply *r)
{
	struct lister *l = q->context;
	enum reply_kind wanted = l->sizing ? REPLY_INTEGER : REPLY_ARRAY;
	char what[LISTER_PATTERN_MAX + 24];

	if (r->kind == wanted) {
		if (l->sizing)
			size_take(l, r->integer);
		return true;
	}
	(void)snprintf(what, sizeof(what), "%s of %s",
		       l->sizing ? "DBSIZE" : l->pattern[q->answered],
		       l->channel->word);
	lister_fail(l, -EPROTO, what, reply_wrong(r));
	return false;
}

static void step_ask(struct lister *l, unsigned commands);

static void on_done(struct redis_query *q, const char *reason)
{
	struct lister *l = q->context;
	bool sized = l->sizing;

	l->sizing = false;
	if (reason)
		lister_fail(l, -ENODATA, "", reason);
	if (sized && l->rc == 0)
		step_ask(l, l->patterns);
	else
		l->ops->done(l, l->rc);
}

static void on_write(struct redis_query *q, struct commands *to)
{
	const struct lister *l = q->context;

	if (l->sizing)
		commands_add(to, (const char *const[]){ "DBSIZE", NULL });
	else
		commands_add(to, (const char *const[]){
			"KEYS", l->pattern[q->written], NULL });
}

static const struct query_ops lister_query_ops = {
	.write = on_write,
	.value = on_value,
	.reply = on_reply,
	.done = on_done,
};

static void step_ask(struct lister *l, unsigned commands)
{
	l->query = (struct redis_query){ .ops = &lister_query_ops,
					 .context = l, .count = commands };
	channel_ask(l->channel, &l->query, l->asked);
}

void lister_begin(struct lister *l, const struct lister_ops *ops,
		  void *context)
{
	l->ops = ops;
	l->context = context;
	l->patterns = 0;
}

void lister_add(struct lister *l, const char *format, ...)
{
	va_list args;

	assert(l->patterns < LISTER_PATTERNS_MAX);
	va_start(args, format);
	(void)vsnprintf(l->pattern[l->patterns++], LISTER_PATTERN_MAX, format,
			args);
	va_end(args);
}

void lister_ask(struct lister *l, struct channel *c, long long most,
		struct mono now)
{
	l->channel = c;
	l->most = most;
	l->asked = now;
	l->rc = 0;
	l->reason[0] = '\0';
	l->sizing = true;
	step_ask(l, 1);
}
