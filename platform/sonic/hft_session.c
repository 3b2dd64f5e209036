/*   idle -> SIZE (DBSIZE) -> KEYS -> ROWS (an HMGET each) -> idle
 *     \_________________________________^     while the list is new enough
 */
#include "platform/sonic/hft_session.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE "HIGH_FREQUENCY_TELEMETRY_SESSION_TABLE"
#define KEYS_DATABASE_MAX 20000	/* as for maps: KEYS holds Redis up */

enum { STEP_IDLE, STEP_SIZE, STEP_KEYS, STEP_ROWS };

static const char *const row_fields[HFT_ROW_FIELDS] = {
	[HFT_ROW_STATUS] = "stream_status",
	[HFT_ROW_NAMES] = "object_names",
	[HFT_ROW_IDS] = "object_ids",
	[HFT_ROW_CONFIG] = "session_config",
};

/* ---- octets ---- */

static bool octets_set(struct hft_octets *to, const char *data, size_t len)
{
	struct hft_octets o = *to;

	if (len > o.cap) {
		o.data = realloc(o.data, len);
		if (!o.data)
			return false;
		o.cap = len;
	}
	if (len > 0)
		memcpy(o.data, data, len);
	o.len = len;
	*to = o;
	return true;
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

static void step_ask(struct hft_sessions *s, unsigned step)
{
	struct channel *c = &s->space->channel[DATABASE_STATE];

	s->step = step;
	s->query.commands = s->commands.data;
	s->query.len = s->commands.len;
	s->query.count = s->commands.count;
	channel_ask(c, &s->query, s->asked);
}

static void size_ask(struct hft_sessions *s)
{
	commands_clear(&s->commands);
	commands_add(&s->commands, (const char *const[]){ "DBSIZE", NULL });
	step_ask(s, STEP_SIZE);
}

static void keys_ask(struct hft_sessions *s)
{
	char pattern[sizeof(TABLE) + 2];

	(void)snprintf(pattern, sizeof(pattern), TABLE "%c*",
		       s->space->databases.of[DATABASE_STATE].separator);
	commands_clear(&s->commands);
	commands_add(&s->commands, (const char *const[]){ "KEYS", pattern,
							  NULL });
	step_ask(s, STEP_KEYS);
}

static void rows_ask(struct hft_sessions *s)
{
	commands_clear(&s->commands);
	for (size_t i = 0; i < s->count; i++)
		commands_add(&s->commands, (const char *const[]){
			"HMGET", s->list[i].key, row_fields[HFT_ROW_STATUS],
			row_fields[HFT_ROW_NAMES], row_fields[HFT_ROW_IDS],
			row_fields[HFT_ROW_CONFIG], NULL });
	s->known = s->count == 0;
	s->step = STEP_IDLE;
	if (s->count > 0)
		step_ask(s, STEP_ROWS);
}

int hft_sessions_ask(struct hft_sessions *s, struct mono now, struct diag *d)
{
	struct channel *c = &s->space->channel[DATABASE_STATE];
	int64_t passed_ns = mono_diff_ns(now, s->asked);
	bool hurry = s->hurry && passed_ns >= s->hurry_ns;
	int rc;

	if (s->step != STEP_IDLE ||
	    (s->asked.ns != 0 && passed_ns < HFT_ROWS_NS && !hurry))
		return 0;
	rc = space_databases(s->space, now, d);
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
		size_ask(s);
	else
		rows_ask(s);
	s->hurry = false;
	return 0;
}

/* ---- taking replies ---- */

/* A place for another: a new one, or of a session that has no row any more. */
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

static void key_take(struct hft_sessions *s, const char *text, size_t len)
{
	struct hft_session *one;

	if (len >= HFT_SESSION_KEY_MAX || memchr(text, '\0', len)) {
		note(s, TABLE, "a key that is no name");
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

static void on_value(struct query *q, unsigned n, int which, const char *text,
		     size_t len)
{
	struct hft_sessions *s = q->context;

	(void)n;
	if (s->step == STEP_KEYS)
		key_take(s, text, len);
	else if (s->step == STEP_ROWS && which < HFT_ROW_FIELDS &&
		 len <= HFT_SESSION_VALUE_MAX)
		(void)octets_set(&s->incoming[which], text, len);
}

static void incoming_clear(struct hft_sessions *s)
{
	for (unsigned i = 0; i < HFT_ROW_FIELDS; i++)
		s->incoming[i].len = 0;
}

/* What came takes the place of what was, if it differs. */
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

static bool on_reply(struct query *q, unsigned n, const struct reply *r)
{
	struct hft_sessions *s = q->context;

	if (s->step == STEP_SIZE)
		s->too_large = r->kind != REPLY_INTEGER ||
			       r->integer > KEYS_DATABASE_MAX;
	else if (r->kind != REPLY_ARRAY)
		note(s, s->step == STEP_ROWS ? s->list[n].key : TABLE,
		     reply_wrong(r));
	else if (s->step == STEP_ROWS)
		session_take(s, &s->list[n]);
	incoming_clear(s);	/* also of a row that turned out odd */
	return r->kind == (s->step == STEP_SIZE ? REPLY_INTEGER : REPLY_ARRAY);
}

static void on_done(struct query *q, const char *reason)
{
	struct hft_sessions *s = q->context;
	unsigned step = s->step;

	s->step = STEP_IDLE;
	if (reason) {
		incoming_clear(s);
		note(s, "STATE_DB", reason);
		return;
	}
	if (step == STEP_SIZE && !s->too_large) {
		keys_ask(s);
		return;
	}
	s->known |= step == STEP_ROWS;
	if (step == STEP_ROWS)
		return;
	s->listed = s->asked;
	if (s->too_large)
		note(s, "STATE_DB", "too large to be searched for sessions");
	rows_ask(s);
}

static const struct query_ops session_ops = {
	.value = on_value,
	.reply = on_reply,
	.done = on_done,
};

/* ---- what others call ---- */

void hft_sessions_init(struct hft_sessions *s, struct space *space)
{
	memset(s, 0, sizeof(*s));
	s->space = space;
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
	commands_free(&s->commands);
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

unsigned hft_session_number(const struct hft_sessions *s,
			    const struct hft_session *one)
{
	assert(one >= s->list && one < s->list + HFT_SESSIONS_MAX);
	return (unsigned)(one - s->list);
}
