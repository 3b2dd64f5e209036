#include "platform/sonic/redis/resp.h"

#include <errno.h>
#include <hiredis/hiredis.h>
#include <hiredis/sds.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/clean.h"

/* An element of the flat array; its position says which one. */
static void element_take(struct reply_reader *r, unsigned position,
			 const char *text, size_t len)
{
	struct redis_query *q = r->query;

	if (!q || !q->ops->value || r->reply.kind != REPLY_ARRAY)
		return;
	if (q->pairs && position % 2 == 0) {
		r->which = text ? q->ops->name(q, text, len, position / 2) : -1;
		return;
	}
	if (!q->pairs)
		r->which = (int)position;
	if (r->which >= 0 && text)
		q->ops->value(q, r->which, text, len);
	r->which = -1;
}

void query_skip_value(struct redis_query *q, int which, const char *text,
		      size_t len)
{
	(void)q;
	(void)which;
	(void)text;
	(void)len;
}

static bool element_is_nested(const redisReadTask *task)
{
	return task->parent && task->parent->parent;
}

/* hiredis wants an object for each element: the reply stands for all. */
static void *on_string(const redisReadTask *task, char *text, size_t len)
{
	struct reply_reader *r = task->privdata;

	if (element_is_nested(task)) {
		r->reply.kind = REPLY_ODD;
	} else if (task->parent) {
		if (task->type == REDIS_REPLY_ERROR)
			r->reply.kind = REPLY_ODD;
		else
			element_take(r, (unsigned)task->idx, text, len);
	} else {
		r->reply.kind = task->type == REDIS_REPLY_ERROR ? REPLY_ERROR :
								  REPLY_TEXT;
		clean_octets(r->reply.error, sizeof(r->reply.error), text, len);
		if (r->reply.kind == REPLY_TEXT && r->query &&
		    r->query->ops->text)
			r->query->ops->text(r->query, text, len);
	}
	return &r->reply;
}

static void *on_array(const redisReadTask *task, int elements)
{
	struct reply_reader *r = task->privdata;

	if (task->parent) {
		r->reply.kind = REPLY_ODD;
		return &r->reply;
	}
	/* NULL makes hiredis give up: no row has this many fields. */
	if (elements < 0 || (unsigned)elements > REPLY_ELEMENTS_MAX)
		return NULL;
	r->reply.kind = REPLY_ARRAY;
	r->reply.elements = (unsigned)elements;
	if (r->query && r->query->pairs && elements % 2 != 0)
		r->reply.kind = REPLY_ODD;
	return &r->reply;
}

static void *on_integer(const redisReadTask *task, long long value)
{
	struct reply_reader *r = task->privdata;

	r->reply.kind = task->parent ? REPLY_ODD : REPLY_INTEGER;
	r->reply.integer = value;
	return &r->reply;
}

static void *on_nil(const redisReadTask *task)
{
	struct reply_reader *r = task->privdata;

	if (element_is_nested(task))
		r->reply.kind = REPLY_ODD;
	else if (task->parent)
		element_take(r, (unsigned)task->idx, NULL, 0);
	else
		r->reply.kind = REPLY_NIL;
	return &r->reply;
}

static void on_free(void *object)
{
	(void)object;	/* it is the reader's */
}

static redisReplyObjectFunctions *functions(void)
{
	/* hiredis takes a pointer to non-const and does not write to it. */
	static const redisReplyObjectFunctions table = {
		.createString = on_string,
		.createArray = on_array,
		.createInteger = on_integer,
		.createNil = on_nil,
		.freeObject = on_free,
	};
	union {
		const redisReplyObjectFunctions *table;
		redisReplyObjectFunctions *hiredis;
	} u = { .table = &table };

	return u.hiredis;
}

/* Besides a feed: what hiredis keeps of the last one, which it moves away from
 * 1024 octets on, and the incomplete element.
 */
#define REST_OCTETS 4096u

const char *reply_wrong(const struct reply *r)
{
	return r->kind == REPLY_ERROR ? r->error :
					"an answer of the wrong type";
}

bool reply_is_wrong_type(const struct reply *r)
{
	return r->kind == REPLY_ERROR && strncmp(r->error, "WRONGTYPE", 9) == 0;
}

int reply_reader_init(struct reply_reader *r)
{
	sds room;

	memset(r, 0, sizeof(*r));
	r->which = -1;
	r->reader = redisReaderCreateWithFunctions(functions());
	if (!r->reader)
		return -ENOMEM;
	r->reader->privdata = r;
	r->reader->maxbuf = 0;		/* keep the buffer: avoids malloc */
	room = sdsMakeRoomFor(r->reader->buf, REPLY_FEED_OCTETS + REST_OCTETS);
	if (!room)
		return -ENOMEM;
	r->reader->buf = room;
	return 0;
}

void reply_reader_fini(struct reply_reader *r)
{
	if (r->reader)
		redisReaderFree(r->reader);
	r->reader = NULL;
}

int reply_reader_feed(struct reply_reader *r, const char *bytes, size_t len)
{
	if (r->reader->len - r->reader->pos + len > REPLY_OCTETS_MAX)
		return -EMSGSIZE;
	return redisReaderFeed(r->reader, bytes, len) == REDIS_OK ? 0 : -ENOMEM;
}

int reply_reader_next(struct reply_reader *r, const struct reply **ret)
{
	void *object = NULL;

	if (r->complete) {	/* must not show in the next one */
		r->complete = false;
		r->reply = (struct reply){ .kind = REPLY_NONE };
		r->which = -1;
	}
	if (redisReaderGetReply(r->reader, &object) != REDIS_OK)
		return -EPROTO;
	if (!object)
		return 0;
	r->complete = true;
	*ret = &r->reply;
	return 1;
}

/* --- commands ------------------------------------------------------------- */

void commands_clear(struct commands *c)
{
	c->len = 0;
	c->count = 0;
	c->failed = false;
}

void commands_free(struct commands *c)
{
	free(c->data);
	memset(c, 0, sizeof(*c));
}

void commands_add_text(struct commands *c, const char *text, size_t len)
{
	if (c->len + len > c->cap) {
		size_t cap = (c->len + len) / 8 * 9 + 512;
		char *data = realloc(c->data, cap);

		if (!data) {
			c->failed = true;
			return;
		}
		c->data = data;
		c->cap = cap;
	}
	memcpy(c->data + c->len, text, len);
	c->len += len;
}

/* "*2" or "$7" with its line end. */
static void count_add(struct commands *c, char what, size_t count)
{
	char text[24];
	size_t at = sizeof(text);

	text[--at] = '\n';
	text[--at] = '\r';
	do
		text[--at] = (char)('0' + count % 10);
	while ((count /= 10) > 0);
	text[--at] = what;
	commands_add_text(c, text + at, sizeof(text) - at);
}

void commands_word(struct commands *c, const char *word)
{
	count_add(c, '$', strlen(word));
	commands_add_text(c, word, strlen(word));
	commands_add_text(c, "\r\n", 2);
}

void commands_begin(struct commands *c, size_t words)
{
	count_add(c, '*', words);
	c->count++;
}

void commands_add(struct commands *c, const char *const words[])
{
	size_t n = 0;

	while (words[n])
		n++;
	commands_begin(c, n);
	for (size_t i = 0; i < n; i++)
		commands_word(c, words[i]);
}
