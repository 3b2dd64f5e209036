#include "platform/sonic/config/watch.h"

#include <stdio.h>
#include <string.h>

#include "platform/sonic/config/switch_changes.h"
#include "platform/sonic/meaning/text.h"
#include "platform/sonic/switchdb/namespace.h"

/* Events of keys that following_read.c reads. */
static const char *const events[] = { "hset", "hdel", "del", "set" };

#define EVENT_COUNT (sizeof(events) / sizeof(events[0]))

#define HEARD_NS (50 * NS_PER_MS)	/* more may follow the first */
#define MODULES_QUIET_NS (250 * NS_PER_MS)
#define MODULES_WAIT_NS (750 * NS_PER_MS)	/* within a second in total */
#define DIRTY_MAX 256			/* if more: all is read */

enum { MESSAGE_KIND, MESSAGE_CHANNEL, MESSAGE_KEY };

static bool begins_with(const char *key, size_t len, const char *table,
			char separator)
{
	size_t n = strlen(table);

	return len > n && memcmp(key, table, n) == 0 && key[n] == separator;
}

/* xcvrd writes one row after the other: they are read once it is quiet. */
static void modules_hint(struct following *t, struct mono now)
{
	if (t->modules_due.ns == 0)
		t->modules_last.ns = now.ns + MODULES_WAIT_NS;
	t->modules_due.ns = now.ns + MODULES_QUIET_NS;
	if (t->modules_due.ns > t->modules_last.ns)
		t->modules_due = t->modules_last;
}

/* Keys that other parts of the driver read. */
static void key_hint(struct following_side *side, const char *key, size_t len,
		     struct mono now)
{
	struct namespace *s = side->namespace;
	char separator = namespace_separator(s, side->database);

	if (side->database == DATABASE_CONFIG &&
	    begins_with(key, len, "PORT", separator))
		s->maps.stale = true;
	if (side->database == DATABASE_STATE &&
	    (begins_with(key, len, "TRANSCEIVER_INFO", separator) ||
	     begins_with(key, len, "TRANSCEIVER_FIRMWARE_INFO", separator)))
		modules_hint(&s->following, now);
}

/* A key was written or deleted; w->event: hset, del, … */
static void key_heard(struct key_watch *w, const char *key, size_t len)
{
	struct following_side *side = w->side;
	struct following *t = &side->namespace->following;
	struct mono now = w->channel.now;

	key_hint(side, key, len, now);
	if (side->database == DATABASE_CONFIG &&
	    len == strlen(CONFIG_READY_KEY) &&
	    memcmp(key, CONFIG_READY_KEY, len) == 0) {
		t->reload_heard |= strcmp(w->event, "set") == 0;
		t->full_due = true;
	} else if (following_table(side, key, len) < 0) {
		return;
	} else if (side->dirty.count >= DIRTY_MAX) {
		t->full_due = true;
	} else {
		key_list_add_once(&side->dirty, key, len);
	}
	if (t->due.ns == 0)
		t->due.ns = now.ns + HEARD_NS;
}

static void pushed(struct redis_query *q, int position, const char *text,
		   size_t len)
{
	struct key_watch *w = q->context;
	const char *colon;

	if (position == MESSAGE_CHANNEL) {
		colon = memchr(text, ':', len);
		text_copy(w->event, sizeof(w->event), colon ? colon + 1 : "",
			  colon ? len - (size_t)(colon + 1 - text) : 0);
	} else if (position == MESSAGE_KEY && w->event[0]) {
		key_heard(w, text, len);
		w->event[0] = '\0';
	}
}

/* "AKE" or single letters: events of keys (E), of hashes, of strings, and of
 * any type.
 */
static bool setting_will_do(const char *letters)
{
	return strchr(letters, 'E') &&
	       (strchr(letters, 'A') ||
		(strchr(letters, 'h') && strchr(letters, 'g') &&
		 strchr(letters, '$')));
}

static void ask_value(struct redis_query *q, int which, const char *text,
		      size_t len)
{
	struct key_watch *w = q->context;

	if (which == 1)		/* after the setting's name */
		text_copy(w->setting, sizeof(w->setting), text, len);
}

static bool ask_reply(struct redis_query *q, const struct reply *r)
{
	struct key_watch *w = q->context;

	/* If CONFIG is renamed we try anyway. */
	if (r->kind != REPLY_ARRAY)
		text_copy(w->setting, sizeof(w->setting), "AE", 2);
	return r->kind == REPLY_ARRAY;
}

/* "subscribe", its name, and the count; or an error. The count is an integer,
 * so the reply is REPLY_ODD.
 */
static bool subscribe_reply(struct redis_query *q, const struct reply *r)
{
	struct key_watch *w = q->context;

	w->refused |= r->kind == REPLY_ERROR;
	return r->kind == REPLY_ODD;
}

static void subscribe_done(struct redis_query *q, const char *reason)
{
	struct key_watch *w = q->context;

	w->live = !reason && !w->refused;
}

static void subscribe_write(struct redis_query *q, struct commands *to)
{
	const struct key_watch *w = q->context;
	char name[48];

	if (q->written > 0)
		return;		/* one command, a reply for each event */
	commands_begin(to, 1 + EVENT_COUNT);
	commands_word(to, "SUBSCRIBE");
	for (size_t i = 0; i < EVENT_COUNT; i++) {
		(void)snprintf(name, sizeof(name), "__keyevent@%u__:%s",
			       w->channel.database.id, events[i]);
		commands_word(to, name);
	}
}

static const struct query_ops subscribe_ops = {
	.write = subscribe_write,
	.value = query_skip_value,
	.reply = subscribe_reply,
	.done = subscribe_done,
};

static void watch_ask(struct key_watch *w, const struct query_ops *ops,
		      unsigned replies)
{
	w->ask = (struct redis_query){ .ops = ops, .context = w,
				       .count = replies };
	channel_ask(&w->channel, &w->ask, w->channel.now);
}

static void ask_write(struct redis_query *q, struct commands *to)
{
	(void)q;
	commands_add(to, (const char *const[]){
		"CONFIG", "GET", "notify-keyspace-events", NULL });
}

static void ask_done(struct redis_query *q, const char *reason)
{
	struct key_watch *w = q->context;

	if (reason)
		return;
	w->refused = !setting_will_do(w->setting);
	if (!w->refused)
		watch_ask(w, &subscribe_ops, EVENT_COUNT);
}

static const struct query_ops ask_ops = {
	.write = ask_write,
	.value = ask_value,
	.reply = ask_reply,
	.done = ask_done,
};

static const struct query_ops push_ops = { .value = pushed };

void watch_init(struct key_watch *w, struct following_side *side, int epoll_fd)
{
	memset(w, 0, sizeof(*w));
	channel_init(&w->channel,
		     database_word((enum database_name)side->database),
		     side->namespace->root_fd, epoll_fd);
	w->pushes = (struct redis_query){ .ops = &push_ops, .context = w };
	w->channel.subscriber = &w->pushes;
	w->side = side;
}

void watch_keep(struct key_watch *w, struct mono now)
{
	struct following_side *side = w->side;
	const struct database *place =
		&side->namespace->databases.of[side->database];

	if (!database_is_same(&w->channel.database, place))
		channel_move(&w->channel, place);
	if (w->channel.fd < 0)
		w->live = w->refused = false;
	if (channel_ready(&w->channel, now, NULL) < 0 ||
	    w->connects == w->channel.connects)
		return;
	w->connects = w->channel.connects;
	side->namespace->following.full_due = true;
	w->setting[0] = '\0';
	watch_ask(w, &ask_ops, 1);
}
