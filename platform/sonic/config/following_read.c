#include "platform/sonic/config/following_read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/sonic/config/switch_changes.h"
#include "platform/sonic/config/watch.h"
#include "platform/sonic/meaning/tables.h"

#define FULL_NS (60 * NS_PER_S)		/* between readings of all rows */
#define FULL_ALONE_NS (10 * NS_PER_S)	/* ... without events */
#define RETRY_NS (1 * NS_PER_S)		/* while CONFIG_DB is being rewritten */
#define EMPTY_HOLD_NS (120 * NS_PER_S)	/* empty for this long: it is empty */
#define WHOLE_NS (5 * NS_PER_S)		/* it has not grown for this long */

static struct following_side *side_of(const struct redis_query *q)
{
	return q->context;
}

/* --- the baseline --------------------------------------------------------- */

/* CONFIG_DB is complete: its contents are the baseline for changes. Tables of
 * STATE_DB that have rows by then have the same baseline.
 */
static void config_begin(struct following *t)
{
	const struct rows *state = &t->rows[FOLLOWING_STATE];
	size_t count = t->rows[FOLLOWING_CONFIG].count;

	if (count != t->listed)
		t->grown_at = t->asked_at;
	t->listed = count;
	t->begun = count > 0 && (t->had_ready_key ||
				 t->asked_at.ns - t->grown_at.ns >= WHOLE_NS);
	t->full_due |= count > 0 && !t->begun;
	for (size_t i = 0; t->begun && i < state->count; i++)
		t->first[state->list[i].table].ns =
			t->asked_at.ns - FOLLOWING_BEGIN_NS;
}

/* --- the end of a reading ------------------------------------------------- */

static void fresh_tell(struct namespace *s)
{
	struct following *t = &s->following;
	bool alone = t->side[FOLLOWING_CONFIG].watch.refused;

	s->told(s, SONIC_CHANGES, SOURCE_FRESH, alone ? FULL_ALONE_NS : 0,
		t->reason[0] ? t->reason : t->wrong[0] ? t->wrong : alone ?
		"notify-keyspace-events of Redis is off: changes are seen "
		"within 10 s" : NULL);
}

static void reading_end(struct namespace *s)
{
	struct following *t = &s->following;
	const struct following_side *config = &t->side[FOLLOWING_CONFIG];
	const struct following_side *state = &t->side[FOLLOWING_STATE];

	t->phase = FOLLOWING_IDLE;
	s->poll[SONIC_CHANGES].phase = POLL_IDLE;
	changes_rest(s);
	if (t->failed) {
		t->full_due = true;
		s->told(s, SONIC_CHANGES, t->refused ? SOURCE_BROKEN :
							SOURCE_ABSENT,
			0, t->reason);
		return;
	}
	if (config->full)
		t->full_at = t->asked_at;
	t->derive |= config->full;
	if (config->too_many || state->too_many)
		(void)snprintf(t->reason, sizeof(t->reason), "%s has more "
			       "than %d keys: its changes are not %sseen",
			       config->too_many ? "CONFIG_DB" : "STATE_DB",
			       LISTER_KEYS_MAX,
			       config->too_many ? "" : "all ");
	if (!config->too_many && config->full && !t->reloading)
		t->known = true;
	if (t->known && config->full && !t->begun)
		config_begin(t);
	if (t->reloading)
		t->full_due = true;
	if (t->full_due)
		t->due.ns = t->asked_at.ns + RETRY_NS;
	thresholds_give(s);
	fresh_tell(s);
}

/* Handles rows that are gone. CONFIG_DB without a single row is being
 * rewritten, or the server has just started.
 */
static void side_sweep(struct following_side *side)
{
	struct namespace *s = side->namespace;
	struct following *t = &s->following;
	const struct followed *f;
	size_t n = followed_tables(&f);

	if (!side->full || side->too_many ||
	    (side->number == FOLLOWING_CONFIG && t->reloading))
		return;
	for (size_t i = 0; i < n; i++)
		if (f[i].database == side->database)
			rows_sweep(&t->rows[side->number], (unsigned)i,
				   t->serial);
}

/* --- replies -------------------------------------------------------------- */

static void failure_note(struct following *t, const char *reason)
{
	t->failed = true;
	(void)snprintf(t->reason, sizeof(t->reason), "%.159s", reason);
}

/* Redis answered with something else than was requested. */
static void reply_note(struct following_side *side, const char *what,
		       const struct reply *r)
{
	struct following *t = &side->namespace->following;
	char text[SOURCE_REASON_MAX];

	(void)snprintf(text, sizeof(text), "%.48s of %s: %.80s", what,
		       database_word((enum database_name)side->database),
		       reply_wrong(r));
	t->refused = true;
	failure_note(t, text);
}

/* Other rows are read: this one has no contents. */
static void wrong_note(struct following_side *side, const char *key)
{
	struct following *t = &side->namespace->following;

	if (!t->wrong[0])
		(void)snprintf(t->wrong, sizeof(t->wrong),
			       "%.80s of %s is not a hash (WRONGTYPE): it is not "
			       "read", key,
			       database_word((enum database_name)
					     side->database));
}

static int pair_name(struct redis_query *q, const char *text, size_t len,
		     unsigned position)
{
	(void)position;
	row_text_name(&side_of(q)->row, text, len);
	return 0;
}

static void pair_value(struct redis_query *q, int which, const char *text,
		       size_t len)
{
	(void)which;
	/* Secrets are not even kept. */
	if (!followed_is_secret(side_of(q)->row.name))
		row_text_value(&side_of(q)->row, text, len);
}

static bool row_reply(struct redis_query *q, const struct reply *r)
{
	struct following_side *side = side_of(q);
	struct following *t = &side->namespace->following;
	const char *key = key_list_get(&side->asked, q->answered);
	int table = following_table(side, key, strlen(key));

	if (r->kind == REPLY_ARRAY && table >= 0)
		rows_take(&t->rows[side->number], key, (unsigned)table,
			  t->serial, &side->row);
	else if (reply_is_wrong_type(r))
		wrong_note(side, key);
	else if (r->kind != REPLY_ARRAY)
		reply_note(side, key, r);
	row_text_clear(&side->row);
	return r->kind == REPLY_ARRAY;
}

static void following_ended(struct namespace *s);

static void row_done(struct redis_query *q, const char *reason)
{
	struct namespace *s = side_of(q)->namespace;

	if (reason)
		failure_note(&s->following, reason);
	following_ended(s);
}

static void row_write(struct redis_query *q, struct commands *to)
{
	const char *key = key_list_get(&side_of(q)->asked, q->written);

	commands_add(to, (const char *const[]){ "HGETALL", key, NULL });
}

static const struct query_ops row_ops = {
	.write = row_write,
	.name = pair_name,
	.value = pair_value,
	.reply = row_reply,
	.done = row_done,
};

/* --- listing -------------------------------------------------------------- */

static void key_take(struct lister *l, const char *text, size_t len)
{
	struct following_side *side = l->context;

	if (len == strlen(CONFIG_READY_KEY) &&
	    memcmp(text, CONFIG_READY_KEY, len) == 0)
		side->ready_key = true;
	if (following_table(side, text, len) >= 0)
		key_list_add(&side->asked, text, len);
}

static void keys_done(struct lister *l, int rc)
{
	struct following_side *side = l->context;
	struct following *t = &side->namespace->following;

	side->too_many = rc == -E2BIG;
	t->refused |= rc == -EPROTO;
	if (rc < 0 && !side->too_many)
		failure_note(t, l->reason);
	following_ended(side->namespace);
}

static const struct lister_ops key_ops = {
	.key = key_take,
	.done = keys_done,
};

/* The start of its id distinguishes one run of a server from another. */
static void run_tell(struct namespace *s, const char *was, const char *is)
{
	char from[16], to[16];

	(void)snprintf(from, sizeof(from), "run %.8s", was);
	(void)snprintf(to, sizeof(to), "run %.8s", is);
	changes_tell(s, EVENT_SERVICE_RESTARTED, s->following.asked_at, "redis",
		     from, to);
}

/* "run_id:0123…": a new id means another server, or a restart. */
static void info_text(struct redis_query *q, const char *text, size_t len)
{
	struct namespace *s = side_of(q)->namespace;
	char id[sizeof(s->following.run_id)];
	const char *at = memmem(text, len, "\nrun_id:", 8);
	size_t used = 0;

	if (!at)
		return;
	at += 8;
	while (at < text + len && *at > ' ' && used < sizeof(id) - 1)
		id[used++] = *at++;
	id[used] = '\0';
	if (s->following.run_id[0] && strcmp(s->following.run_id, id) != 0)
		run_tell(s, s->following.run_id, id);
	memcpy(s->following.run_id, id, used + 1);
}

/* Without an answer a restart goes unnoticed, nothing more. */
static bool info_reply(struct redis_query *q, const struct reply *r)
{
	(void)q;
	return r->kind == REPLY_TEXT;
}

/* Asks for the server's identity. */
static void info_write(struct redis_query *q, struct commands *to)
{
	(void)q;
	commands_add(to, (const char *const[]){ "INFO", "server", NULL });
}

static const struct query_ops info_ops = {
	.write = info_write,
	.text = info_text,
	.reply = info_reply,
	.done = row_done,
};

/* --- asking --------------------------------------------------------------- */

static void side_ask(struct following_side *side, const struct query_ops *ops,
		     size_t count)
{
	struct following *t = &side->namespace->following;

	if (count == 0)
		return;
	side->query = (struct redis_query){
		.ops = ops, .context = side, .count = (unsigned)count,
		.pairs = ops == &row_ops };
	t->pending++;
	channel_ask(&side->namespace->channel[side->database], &side->query,
		    t->asked_at);
}

static void rows_ask(struct following_side *side)
{
	row_text_clear(&side->row);
	side_ask(side, &row_ops, side->asked.count);
}

static void keys_ask(struct following_side *side)
{
	struct following *t = &side->namespace->following;
	const struct followed *f;
	size_t n = followed_tables(&f);

	lister_begin(&side->lister, &key_ops, side);
	if (side->number == FOLLOWING_CONFIG)
		lister_add(&side->lister, "*");
	for (size_t i = 0; side->number == FOLLOWING_STATE && i < n; i++)
		if (f[i].database == side->database)
			lister_add(&side->lister, "%s%c*", f[i].table,
				   namespace_separator(side->namespace,
						       side->database));
	t->pending++;
	lister_ask(&side->lister, &side->namespace->channel[side->database],
		   LISTER_KEYS_MAX, t->asked_at);
}

/* Takes the heard keys as the keys to read, unless all are read. */
static void side_start(struct following_side *side, bool full)
{
	struct following *t = &side->namespace->following;
	struct key_list heard = side->dirty;

	side->dirty = side->asked;
	side->asked = heard;
	key_list_clear(&side->dirty);
	if (full)
		key_list_clear(&side->asked);
	side->full = full;
	side->ready_key = side->too_many = false;
	t->rows[side->number].changed =
		side->number == FOLLOWING_STATE || t->begun ? changes_row :
							      NULL;
	t->rows[side->number].context = side;
	if (!full)
		rows_ask(side);
	else
		keys_ask(side);
	if (full && side->number == FOLLOWING_STATE)
		side_ask(side, &info_ops, 1);
}

static void following_start(struct namespace *s, bool full, struct mono now)
{
	struct following *t = &s->following;

	t->asked_at = now;
	t->serial++;
	t->failed = t->refused = false;
	t->reason[0] = '\0';
	t->told = 0;
	t->due.ns = 0;
	if (full) {
		t->full_due = false;
		t->wrong[0] = '\0';
	}
	t->phase = full ? FOLLOWING_LISTING : FOLLOWING_ROWS;
	s->poll[SONIC_CHANGES].phase = POLL_RUNS;
	t->pending = 1;		/* held until both are asked */
	for (unsigned i = 0; i < FOLLOWING_DATABASES; i++)
		side_start(&t->side[i], full);
	following_ended(s);
}

/* Evaluates the state of CONFIG_DB from its listing. */
static void ready_note(struct namespace *s)
{
	struct following *t = &s->following;
	const struct following_side *side = &t->side[FOLLOWING_CONFIG];
	bool empty = side->asked.count == 0 &&
		     t->rows[FOLLOWING_CONFIG].count > 0;

	if (!empty)
		t->empty_since.ns = 0;
	else if (t->empty_since.ns == 0)
		t->empty_since = t->asked_at;
	if ((t->had_ready_key && !side->ready_key) ||
	    (empty && t->asked_at.ns - t->empty_since.ns < EMPTY_HOLD_NS)) {
		t->reloading = t->known;
		return;
	}
	t->had_ready_key = side->ready_key;
	if (t->begun && (t->reloading || t->reload_heard))
		changes_tell(s, EVENT_SETTINGS_RELOADED, t->asked_at,
			     "CONFIG_DB", "", "");
	t->reloading = t->reload_heard = false;
}

/* All keys are known: their rows come next. */
static void listing_end(struct namespace *s)
{
	struct following *t = &s->following;

	ready_note(s);
	t->phase = FOLLOWING_ROWS;
	t->pending = 1;
	for (unsigned i = 0; i < FOLLOWING_DATABASES; i++)
		if (i != FOLLOWING_CONFIG || !t->reloading)
			rows_ask(&t->side[i]);
	following_ended(s);
}

static void following_ended(struct namespace *s)
{
	struct following *t = &s->following;

	if (--t->pending > 0)
		return;
	if (t->phase == FOLLOWING_LISTING && !t->failed) {
		listing_end(s);
		return;
	}
	for (unsigned i = 0; !t->failed && i < FOLLOWING_DATABASES; i++)
		side_sweep(&t->side[i]);
	reading_end(s);
}

/* --- from outside --------------------------------------------------------- */

/* A state of the whole switch must not persist because no event ended it: a
 * server that hangs sends none.
 */
static void pulse_ask(struct following *t)
{
	static const char *const keys[FOLLOWING_DATABASES] = {
		[FOLLOWING_CONFIG] = "BGP_DEVICE_GLOBAL|STATE",
		[FOLLOWING_STATE] = "WARM_RESTART_ENABLE_TABLE|system",
	};

	for (unsigned i = 0; i < FOLLOWING_DATABASES; i++)
		key_list_add_once(&t->side[i].dirty, keys[i], strlen(keys[i]));
}

void following_init(struct namespace *s, int epoll_fd)
{
	static const uint8_t databases[FOLLOWING_DATABASES] = {
		[FOLLOWING_CONFIG] = DATABASE_CONFIG,
		[FOLLOWING_STATE] = DATABASE_STATE,
	};

	s->following.full_due = true;
	for (unsigned i = 0; i < FOLLOWING_DATABASES; i++) {
		struct following_side *side = &s->following.side[i];

		side->namespace = s;
		side->number = (uint8_t)i;
		side->database = databases[i];
		watch_init(&side->watch, side, epoll_fd);
	}
}

void following_fini(struct following *t)
{
	for (unsigned i = 0; i < FOLLOWING_DATABASES; i++) {
		channel_fini(&t->side[i].watch.channel);
		key_list_free(&t->side[i].dirty);
		key_list_free(&t->side[i].asked);
		rows_free(&t->rows[i]);
	}
}

int following_poll(struct namespace *s, struct mono now, struct diag *d)
{
	struct following *t = &s->following;
	int64_t every_ns = t->side[FOLLOWING_CONFIG].watch.live &&
			   t->side[FOLLOWING_STATE].watch.live ?
			   FULL_NS : FULL_ALONE_NS;
	bool full;
	int rc;

	if (t->phase != FOLLOWING_IDLE)
		return -EINPROGRESS;
	rc = namespace_databases(s, now, d);
	for (unsigned i = 0; rc == 0 && i < FOLLOWING_DATABASES; i++)
		rc = channel_ready(&s->channel[t->side[i].database],
				   now, d);
	if (rc < 0) {
		t->full_due = true;
		return rc;
	}
	for (unsigned i = 0; i < FOLLOWING_DATABASES; i++)
		watch_keep(&t->side[i].watch, now);
	full = t->full_due || now.ns - t->full_at.ns >= every_ns;
	if (!full)
		pulse_ask(t);
	following_start(s, full, now);
	return t->phase == FOLLOWING_IDLE ? 1 : -EINPROGRESS;
}

void following_check(struct namespace *s, struct mono now)
{
	struct following *t = &s->following;

	for (unsigned i = 0; i < FOLLOWING_DATABASES; i++)
		channel_check(&t->side[i].watch.channel, now);
	if (t->phase == FOLLOWING_IDLE && t->due.ns && now.ns >= t->due.ns)
		following_start(s, t->full_due, now);
}

bool following_modules_due(struct namespace *s, struct mono now)
{
	struct following *t = &s->following;

	if (!t->modules_due.ns || now.ns < t->modules_due.ns ||
	    s->poll[SONIC_TRANSCEIVERS].phase != POLL_IDLE)
		return false;
	t->modules_due.ns = 0;
	return true;
}

struct mono following_deadline(const struct namespace *s)
{
	const struct following *t = &s->following;
	struct mono first = { INT64_MAX };

	for (unsigned i = 0; i < FOLLOWING_DATABASES; i++)
		first = mono_min(first, channel_deadline(
			&t->side[i].watch.channel));
	if (t->phase == FOLLOWING_IDLE && t->due.ns)
		first = mono_min(first, t->due);
	if (t->modules_due.ns && s->poll[SONIC_TRANSCEIVERS].phase == POLL_IDLE)
		first = mono_min(first, t->modules_due);
	return first;
}
