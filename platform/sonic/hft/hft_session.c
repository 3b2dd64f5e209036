/*   idle -> KEYS -> ROWS (an HMGET each) -> idle
 *     \_______________^     while the list is new enough
 */
#include "platform/sonic/hft/hft_session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/array.h"

#define TABLE "HIGH_FREQUENCY_TELEMETRY_SESSION_TABLE"

enum { STEP_IDLE, STEP_KEYS, STEP_ROWS };

static const char *const row_fields[HFT_ROW_FIELDS] = {
	[HFT_ROW_STATUS] = "stream_status",
	[HFT_ROW_NAMES] = "object_names",
	[HFT_ROW_IDS] = "object_ids",
	[HFT_ROW_CONFIG] = "session_config",
};

/* ---- octets ---- */

static void octets_set(struct hft_octets *to, const char *data, size_t len)
{
	char *room = array_room(to->data, &to->cap, len, 1);

	if (!room)
		return;		/* no memory, or nothing to keep */
	memcpy(room, data, len);
	to->data = room;
	to->len = len;
}

static bool octets_are(const struct hft_octets *a, const struct hft_octets *b)
{
	return a->len == b->len &&
	       (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static bool octets_read(const struct hft_octets *o, const char *text)
{
	return o->len == strlen(text) && memcmp(o->data, text, o->len) == 0;
}

/* ---- asking ---- */

static void note(struct hft_sessions *s, const char *what, const char *why)
{
	if (!s->reason[0])
		(void)snprintf(s->reason, sizeof(s->reason), "%.60s: %.80s",
			       what, why);
}

static void rows_ask(struct hft_sessions *s)
{
	s->known = s->count == 0;
	s->step = STEP_IDLE;
	if (s->count == 0)
		return;
	s->step = STEP_ROWS;
	s->query.count = (unsigned)s->count;
	channel_ask(&s->namespace->channel[DATABASE_STATE], &s->query,
		    s->asked);
}

/* A free slot: a new one, or one of a session whose row is gone. */
static struct hft_session *session_room(struct hft_sessions *s)
{
	if (s->count < HFT_SESSIONS_MAX)
		return &s->list[s->count++];
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].row[HFT_ROW_STATUS].len == 0 &&
		    !s->list[i].changed)
			return &s->list[i];
	return NULL;
}

static void on_key(struct lister *l, const char *text, size_t len)
{
	struct hft_sessions *s = l->context;
	struct hft_session *one;

	if (len >= HFT_SESSION_KEY_MAX || memchr(text, '\0', len)) {
		note(s, TABLE, "a key is not a name");
		return;
	}
	for (size_t i = 0; i < s->count; i++)
		if (strlen(s->list[i].key) == len &&
		    memcmp(s->list[i].key, text, len) == 0)
			return;
	one = session_room(s);
	if (!one) {
		note(s, TABLE, "more than 64 sessions");
		return;
	}
	memcpy(one->key, text, len);
	one->key[len] = '\0';
}

/* Known rows are read even if the list failed. */
static void on_listed(struct lister *l, int rc)
{
	struct hft_sessions *s = l->context;

	s->step = STEP_IDLE;
	if (rc < 0)
		note(s, TABLE, l->reason);
	if (rc == -ENODATA)
		return;
	s->listed = s->asked;
	rows_ask(s);
}

static const struct lister_ops list_ops = {
	.key = on_key,
	.done = on_listed,
};

static void keys_ask(struct hft_sessions *s)
{
	lister_begin(&s->lister, &list_ops, s);
	lister_add(&s->lister, TABLE "%c*",
		   namespace_separator(s->namespace, DATABASE_STATE));
	s->step = STEP_KEYS;
	lister_ask(&s->lister, &s->namespace->channel[DATABASE_STATE],
		   LISTER_KEYS_MAX, s->asked);
}

int hft_sessions_ask(struct hft_sessions *s, struct mono now, struct diag *d)
{
	struct channel *c = &s->namespace->channel[DATABASE_STATE];
	int64_t passed_ns = mono_diff_ns(now, s->asked);
	bool hurry = s->hurry && passed_ns >= s->hurry_ns;
	int rc;

	if (s->step != STEP_IDLE ||
	    (s->asked.ns != 0 && passed_ns < HFT_ROWS_NS && !hurry))
		return 0;
	rc = namespace_databases(s->namespace, now, d);
	if (rc == 0)
		rc = channel_ready(c, now, d);
	if (rc < 0)
		return rc;
	s->asked = now;
	s->reason[0] = '\0';
	if (hurry && s->hurry_ns < HFT_HURRY_MAX_NS)
		s->hurry_ns *= 2;
	if (hurry || s->listed.ns == 0 ||
	    mono_diff_ns(now, s->listed) >= HFT_LIST_NS)
		keys_ask(s);
	else
		rows_ask(s);
	s->hurry = false;
	return 0;
}

/* ---- taking replies ---- */

static void on_value(struct redis_query *q, int which, const char *text,
		     size_t len)
{
	struct hft_sessions *s = q->context;

	if (which < HFT_ROW_FIELDS && len <= HFT_SESSION_VALUE_MAX)
		octets_set(&s->incoming[which], text, len);
}

static void incoming_clear(struct hft_sessions *s)
{
	for (unsigned i = 0; i < HFT_ROW_FIELDS; i++)
		s->incoming[i].len = 0;
}

/* Replaces the old row if it differs. */
static void session_take(struct hft_sessions *s, struct hft_session *one)
{
	for (unsigned i = 0; i < HFT_ROW_FIELDS; i++) {
		struct hft_octets was = one->row[i];

		if (!octets_are(&was, &s->incoming[i])) {
			one->row[i] = s->incoming[i];
			s->incoming[i] = was;
			one->changed = true;
			s->hurry_ns = HFT_HURRY_MIN_NS;
		}
	}
	one->enabled = octets_read(&one->row[HFT_ROW_STATUS], "enabled");
}

static bool on_reply(struct redis_query *q, const struct reply *r)
{
	struct hft_sessions *s = q->context;

	if (r->kind == REPLY_ARRAY)
		session_take(s, &s->list[q->answered]);
	else
		note(s, s->list[q->answered].key, reply_wrong(r));
	incoming_clear(s);	/* also for a malformed row */
	return r->kind == REPLY_ARRAY;
}

static void on_done(struct redis_query *q, const char *reason)
{
	struct hft_sessions *s = q->context;

	s->step = STEP_IDLE;
	s->known |= !reason;
	if (!reason)
		return;
	incoming_clear(s);
	note(s, "STATE_DB", reason);
}

static void on_write(struct redis_query *q, struct commands *to)
{
	const struct hft_sessions *s = q->context;

	commands_add(to, (const char *const[]){
		"HMGET", s->list[q->written].key, row_fields[HFT_ROW_STATUS],
		row_fields[HFT_ROW_NAMES], row_fields[HFT_ROW_IDS],
		row_fields[HFT_ROW_CONFIG], NULL });
}

static const struct query_ops session_ops = {
	.write = on_write,
	.value = on_value,
	.reply = on_reply,
	.done = on_done,
};

/* ---- interface ---- */

void hft_sessions_init(struct hft_sessions *s, struct namespace *namespace)
{
	memset(s, 0, sizeof(*s));
	s->namespace = namespace;
	s->hurry_ns = HFT_HURRY_MIN_NS;
	s->query.ops = &session_ops;
	s->query.context = s;
}

void hft_sessions_fini(struct hft_sessions *s)
{
	for (size_t i = 0; i < s->count; i++)
		for (unsigned f = 0; f < HFT_ROW_FIELDS; f++)
			free(s->list[i].row[f].data);
	for (unsigned f = 0; f < HFT_ROW_FIELDS; f++)
		free(s->incoming[f].data);
}

struct hft_session *hft_sessions_take(struct hft_sessions *s)
{
	for (size_t i = 0; i < s->count; i++) {
		if (!s->list[i].changed)
			continue;
		s->list[i].changed = false;
		return &s->list[i];
	}
	return NULL;
}
