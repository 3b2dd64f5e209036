#include "platform/sonic/config/watch.h"

#include <stdio.h>
#include <string.h>

#include "platform/sonic/meaning/text.h"

/* What may happen to a key that settings.c reads. */
static const char *const events[] = { "hset", "hdel", "del", "set" };

#define EVENT_COUNT (sizeof(events) / sizeof(events[0]))
#define CHANNEL_LEN(digits) (sizeof("__keyevent@__:") - 1 + (digits))

enum { MESSAGE_KIND, MESSAGE_CHANNEL, MESSAGE_KEY };

static void pushed(struct channel *c, unsigned position, const char *text,
		   size_t len)
{
	struct watch *w = c->owner;
	const char *colon;

	if (position == MESSAGE_CHANNEL) {
		colon = memchr(text, ':', len);
		text_copy(w->event, sizeof(w->event), colon ? colon + 1 : "",
			  colon ? len - (size_t)(colon + 1 - text) : 0);
	} else if (position == MESSAGE_KEY && w->event[0]) {
		w->key(w, w->event, text, len);
		w->event[0] = '\0';
	}
}

/* "AKE" or letter by letter: events of keys (E), of hashes, of strings, and
 * those of any type.
 */
static bool setting_will_do(const char *letters)
{
	return strchr(letters, 'E') &&
	       (strchr(letters, 'A') ||
		(strchr(letters, 'h') && strchr(letters, 'g') &&
		 strchr(letters, '$')));
}

static void ask_value(struct query *q, int which, const char *text, size_t len)
{
	struct watch *w = q->context;

	if (which == 1)		/* behind the setting's own name */
		text_copy(w->setting, sizeof(w->setting), text, len);
}

static bool ask_reply(struct query *q, const struct reply *r)
{
	struct watch *w = q->context;

	/* Where CONFIG is renamed we try all the same. */
	if (r->kind != REPLY_ARRAY)
		text_copy(w->setting, sizeof(w->setting), "AE", 2);
	return r->kind == REPLY_ARRAY;
}

static void subscribe_ask(struct watch *w)
{
	size_t len;
	int n = snprintf(w->commands, sizeof(w->commands),
			 "*%zu\r\n$9\r\nSUBSCRIBE\r\n", 1 + EVENT_COUNT);
	char id[12];

	n = n < 0 ? 0 : n;
	len = (size_t)n;
	(void)snprintf(id, sizeof(id), "%u", w->channel.database.id);
	for (size_t i = 0; i < EVENT_COUNT; i++) {
		n = snprintf(w->commands + len, sizeof(w->commands) - len,
			     "$%zu\r\n__keyevent@%s__:%s\r\n",
			     CHANNEL_LEN(strlen(id) + strlen(events[i])), id,
			     events[i]);
		len += n < 0 ? 0 : (size_t)n;
	}
	w->subscribe.commands = w->commands;
	w->subscribe.len = len;
	w->subscribe.count = EVENT_COUNT;
	channel_ask(&w->channel, &w->subscribe, w->channel.now);
}

static void ask_done(struct query *q, const char *reason)
{
	struct watch *w = q->context;

	if (reason)
		return;
	w->refused = !setting_will_do(w->setting);
	if (!w->refused)
		subscribe_ask(w);
}

static const struct query_ops ask_ops = {
	.value = ask_value,
	.reply = ask_reply,
	.done = ask_done,
};

static void subscribe_value(struct query *q, int which, const char *text,
			    size_t len)
{
	(void)q;
	(void)which;
	(void)text;
	(void)len;
}

/* "subscribe", its name, and how many; or we may not. The count is an integer,
 * so what is taken of it is odd.
 */
static bool subscribe_reply(struct query *q, const struct reply *r)
{
	struct watch *w = q->context;

	w->refused |= r->kind == REPLY_ERROR;
	return r->kind == REPLY_ODD;
}

static void subscribe_done(struct query *q, const char *reason)
{
	struct watch *w = q->context;

	w->live = !reason && !w->refused;
}

static const struct query_ops subscribe_ops = {
	.value = subscribe_value,
	.reply = subscribe_reply,
	.done = subscribe_done,
};

void watch_init(struct watch *w, const char *word, int root_fd, int epoll_fd,
		watch_key_fn *key, void *owner)
{
	memset(w, 0, sizeof(*w));
	channel_init(&w->channel, word, root_fd, epoll_fd);
	w->channel.pushed = pushed;
	w->channel.owner = w;
	w->key = key;
	w->owner = owner;
	w->ask = (struct query){ .ops = &ask_ops, .context = w };
	w->subscribe = (struct query){ .ops = &subscribe_ops, .context = w };
}

void watch_fini(struct watch *w)
{
	channel_fini(&w->channel);
}

void watch_keep(struct watch *w, struct mono now)
{
	static const char ask[] = "*3\r\n$6\r\nCONFIG\r\n$3\r\nGET\r\n"
				  "$22\r\nnotify-keyspace-events\r\n";

	if (w->channel.fd < 0)
		w->live = w->refused = false;
	if (channel_ready(&w->channel, now, NULL) < 0 ||
	    w->connects == w->channel.connects)
		return;
	w->connects = w->channel.connects;
	w->setting[0] = '\0';
	w->ask.commands = ask;
	w->ask.len = sizeof(ask) - 1;
	w->ask.count = 1;
	channel_ask(&w->channel, &w->ask, now);
}
