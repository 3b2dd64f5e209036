/* Reading the rows that are followed.
 *
 *   IDLE --due--> LISTING --keys--> ROWS --all there--> IDLE
 *     `---heard of a key------------^
 *
 * CONFIG_DB's keys are listed whole where it is small, STATE_DB's by table.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/sonic/space.h"
#include "platform/sonic/text.h"

#define FULL_NS (60 * NS_PER_S)		/* between readings of all rows */
#define FULL_ALONE_NS (10 * NS_PER_S)	/* ... where no events come */
#define RETRY_NS (1 * NS_PER_S)		/* CONFIG_DB is being written anew */
#define EMPTY_HOLD_NS (120 * NS_PER_S)	/* no rows for so long: it is so */
#define DATABASE_KEYS_MAX 20000		/* KEYS holds Redis up: not above */

static struct settings_side *side_of(const struct query *q)
{
	return q->context;
}

/* --- the end of a reading ------------------------------------------------- */

static void fresh_tell(struct space *s)
{
	struct settings *t = &s->settings;
	bool alone = t->side[SETTINGS_CONFIG].watch.refused;

	s->told(s, SONIC_CHANGES, SOURCE_FRESH, alone ? FULL_ALONE_NS : 0,
		t->reason[0] ? t->reason : alone ?
		"notify-keyspace-events of Redis is off: changes are seen "
		"within 10 s" : NULL);
}

static void reading_end(struct space *s)
{
	struct settings *t = &s->settings;
	const struct settings_side *config = &t->side[SETTINGS_CONFIG];

	t->phase = SETTINGS_IDLE;
	s->poll[SONIC_CHANGES].phase = POLL_IDLE;
	settings_tell_rest(s);
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
	if (config->too_many)
		(void)snprintf(t->reason, sizeof(t->reason), "CONFIG_DB has "
			       "more than %d keys: its changes are not seen",
			       DATABASE_KEYS_MAX);
	else if (config->full && !t->reloading)
		t->known = true;
	if (t->reloading)
		t->full_due = true;
	if (t->full_due)
		t->due.ns = t->asked_at.ns + RETRY_NS;
	thresholds_give(s);
	fresh_tell(s);
}

/* Rows that were not there any more. CONFIG_DB without a single row is one
 * that is being written anew, or a server that has just started.
 */
static void side_sweep(struct settings_side *side)
{
	struct space *s = side->space;
	struct settings *t = &s->settings;
	const struct followed *f;
	size_t n = followed_tables(&f);

	if (!side->full || side->too_many ||
	    (side->number == SETTINGS_CONFIG && t->reloading))
		return;
	for (size_t i = 0; i < n; i++)
		if (f[i].database == side->database)
			rows_sweep(&t->rows[side->number], (unsigned)i,
				   t->serial,
				   t->known ? settings_row_changed : NULL,
				   side);
}

/* --- replies -------------------------------------------------------------- */

static void failure_note(struct settings *t, const char *reason)
{
	t->failed = true;
	(void)snprintf(t->reason, sizeof(t->reason), "%.159s", reason);
}

/* Redis answered with something else than was asked for. */
static void reply_note(struct settings_side *side, const char *what,
		       const struct reply *r)
{
	struct settings *t = &side->space->settings;
	char text[SOURCE_REASON_MAX];

	(void)snprintf(text, sizeof(text), "%.48s of %s: %.80s", what,
		       database_word((enum database_name)side->database),
		       reply_wrong(r));
	t->refused |= r->kind != REPLY_ERROR ||
		      strncmp(r->error, "LOADING", 7) != 0;
	failure_note(t, text);
}

static int pair_name(struct query *q, unsigned n, const char *text, size_t len,
		    unsigned position)
{
	(void)n;
	(void)position;
	row_text_name(&side_of(q)->row, text, len);
	return 0;
}

static void pair_value(struct query *q, unsigned n, int which, const char *text,
		      size_t len)
{
	(void)n;
	(void)which;
	/* Not even kept. */
	if (!followed_is_secret(side_of(q)->row.name))
		row_text_value(&side_of(q)->row, text, len);
}

static bool row_reply(struct query *q, unsigned n, const struct reply *r)
{
	struct settings_side *side = side_of(q);
	struct settings *t = &side->space->settings;
	const char *key = key_list_get(&side->asked, n);
	int table = followed_find(side->database, settings_separator(side), key,
				      strlen(key));

	if (r->kind == REPLY_ARRAY && table >= 0)
		rows_take(&t->rows[side->number], key, (unsigned)table,
			  t->serial, &side->row,
			  t->known ? settings_row_changed : NULL, side);
	else if (r->kind != REPLY_ARRAY &&
		 strncmp(r->error, "WRONGTYPE", 9) != 0)
		reply_note(side, key, r);
	row_text_clear(&side->row);
	return r->kind == REPLY_ARRAY;
}

static void settings_ended(struct space *s);

static void row_done(struct query *q, const char *reason)
{
	struct space *s = side_of(q)->space;

	if (reason)
		failure_note(&s->settings, reason);
	settings_ended(s);
}

static void row_write(struct query *q, unsigned n, struct commands *to)
{
	commands_add(to, (const char *const[]){
		"HGETALL", key_list_get(&side_of(q)->asked, n), NULL });
}

static const struct query_ops row_ops = {
	.write = row_write,
	.name = pair_name,
	.value = pair_value,
	.reply = row_reply,
	.done = row_done,
};

static void key_value(struct query *q, unsigned n, int which, const char *text,
		      size_t len)
{
	struct settings_side *side = side_of(q);

	(void)n;
	(void)which;
	if (side->sizing)
		return;		/* a number is the answer */
	if (len == strlen(CONFIG_READY_KEY) &&
	    memcmp(text, CONFIG_READY_KEY, len) == 0)
		side->ready_key = true;
	if (followed_find(side->database, settings_separator(side), text,
			      len) >= 0)
		key_list_add(&side->asked, text, len);
}

/* The beginning of its id tells one run of a server from another. */
static void run_tell(struct space *s, const char *was, const char *is)
{
	char from[16], to[16];

	(void)snprintf(from, sizeof(from), "run %.8s", was);
	(void)snprintf(to, sizeof(to), "run %.8s", is);
	settings_tell(s, EVENT_SERVICE_RESTARTED, "redis", from, to);
}

/* "run_id:0123…": another one is another server, or the same begun anew. */
static void info_text(struct query *q, unsigned n, const char *text, size_t len)
{
	struct space *s = side_of(q)->space;
	char id[sizeof(s->settings.run_id)];
	const char *at = memmem(text, len, "\nrun_id:", 8);
	size_t used = 0;

	(void)n;
	if (!at)
		return;
	at += 8;
	while (at < text + len && *at > ' ' && used < sizeof(id) - 1)
		id[used++] = *at++;
	id[used] = '\0';
	if (s->settings.run_id[0] && strcmp(s->settings.run_id, id) != 0)
		run_tell(s, s->settings.run_id, id);
	memcpy(s->settings.run_id, id, used + 1);
}

static bool key_reply(struct query *q, unsigned n, const struct reply *r)
{
	struct settings_side *side = side_of(q);
	bool is_info = side->number == SETTINGS_STATE && n == 0;

	if (is_info)		/* we do without */
		return r->kind == REPLY_TEXT;
	if (side->sizing && r->kind == REPLY_INTEGER)
		side->too_many = r->integer > DATABASE_KEYS_MAX;
	else if (r->kind != REPLY_ARRAY || side->sizing)
		reply_note(side, side->sizing ? "DBSIZE" : "KEYS", r);
	return r->kind == (side->sizing ? REPLY_INTEGER : REPLY_ARRAY);
}

static void key_done(struct query *q, const char *reason);

static const struct query_ops key_ops = {
	.value = key_value,
	.text = info_text,
	.reply = key_reply,
	.done = key_done,
};

/* --- asking --------------------------------------------------------------- */

static void side_ask(struct settings_side *side, const struct query_ops *ops,
		     size_t count)
{
	struct settings *t = &side->space->settings;
	struct channel *c = &side->space->channel[side->database];
	struct diag d = { "" };

	if (count == 0)
		return;
	if (!ops->write && side->commands.failed) {
		failure_note(t, "out of memory");
		return;
	}
	if (channel_ready(c, t->asked_at, &d) < 0) {
		failure_note(t, d.text);
		return;
	}
	side->query = (struct query){
		.ops = ops, .context = side, .commands = side->commands.data,
		.len = side->commands.len, .count = (unsigned)count,
		.pairs = ops == &row_ops };
	t->pending++;
	channel_ask(c, &side->query, t->asked_at);
}

static void rows_ask(struct settings_side *side)
{
	row_text_clear(&side->row);
	side_ask(side, &row_ops, side->asked.count);
}

/* How large CONFIG_DB is, so that KEYS may follow. */
static void config_ask(struct settings_side *side, const char *const words[])
{
	commands_clear(&side->commands);
	commands_add(&side->commands, words);
	side_ask(side, &key_ops, side->commands.count);
}

static void key_done(struct query *q, const char *reason)
{
	struct settings_side *side = side_of(q);
	struct space *s = side->space;

	if (reason) {
		failure_note(&s->settings, reason);
	} else if (side->sizing && !side->too_many && !s->settings.failed) {
		side->sizing = false;
		config_ask(side, (const char *const[]){ "KEYS", "*", NULL });
	}
	settings_ended(s);
}

/* The keys of STATE_DB's tables, and which server it is. */
static void state_ask(struct settings_side *side)
{
	const struct followed *f;
	size_t n = followed_tables(&f);
	char pattern[64];

	commands_clear(&side->commands);
	commands_add(&side->commands,
		     (const char *const[]){ "INFO", "server", NULL });
	for (size_t i = 0; i < n; i++) {
		if (f[i].database != side->database)
			continue;
		(void)snprintf(pattern, sizeof(pattern), "%s%c*", f[i].table,
			       settings_separator(side));
		commands_add(&side->commands, (const char *const[]){
			"KEYS", pattern, NULL });
	}
	side_ask(side, &key_ops, side->commands.count);
}

/* What was heard of becomes what is asked, unless all is. */
static void side_start(struct settings_side *side, bool full)
{
	struct key_list heard = side->dirty;

	side->dirty = side->asked;
	side->asked = heard;
	key_list_clear(&side->dirty);
	if (full)
		key_list_clear(&side->asked);
	side->full = full;
	side->sizing = full && side->number == SETTINGS_CONFIG;
	side->ready_key = side->too_many = false;
	if (side->sizing)
		config_ask(side, (const char *const[]){ "DBSIZE", NULL });
	else if (full)
		state_ask(side);
	else
		rows_ask(side);
}

void settings_start(struct space *s, bool full, struct mono now)
{
	struct settings *t = &s->settings;

	t->asked_at = now;
	t->serial++;
	t->failed = t->refused = false;
	t->reason[0] = '\0';
	t->told = 0;
	t->due.ns = 0;
	if (full)
		t->full_due = false;
	t->phase = full ? SETTINGS_LISTING : SETTINGS_ROWS;
	s->poll[SONIC_CHANGES].phase = POLL_RUNS;
	t->pending = 1;		/* held until both are asked */
	for (unsigned i = 0; i < SETTINGS_DATABASES; i++)
		side_start(&t->side[i], full);
	settings_ended(s);
}

/* What a listing of CONFIG_DB says of its state. */
static void ready_note(struct space *s)
{
	struct settings *t = &s->settings;
	const struct settings_side *side = &t->side[SETTINGS_CONFIG];
	bool empty = side->asked.count == 0 &&
		     t->rows[SETTINGS_CONFIG].count > 0;

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
	if (t->known && (t->reloading || t->reload_heard))
		settings_tell(s, EVENT_SETTINGS_RELOADED, "CONFIG_DB", "",
			       "");
	t->reloading = t->reload_heard = false;
}

/* All keys are known: their rows come next. */
static void listing_end(struct space *s)
{
	struct settings *t = &s->settings;

	ready_note(s);
	t->phase = SETTINGS_ROWS;
	t->pending = 1;
	for (unsigned i = 0; i < SETTINGS_DATABASES; i++)
		if (i != SETTINGS_CONFIG || !t->reloading)
			rows_ask(&t->side[i]);
	settings_ended(s);
}

static void settings_ended(struct space *s)
{
	struct settings *t = &s->settings;

	if (--t->pending > 0)
		return;
	if (t->phase == SETTINGS_LISTING && !t->failed) {
		listing_end(s);
		return;
	}
	for (unsigned i = 0; !t->failed && i < SETTINGS_DATABASES; i++)
		side_sweep(&t->side[i]);
	reading_end(s);
}

/* --- from outside --------------------------------------------------------- */

/* What is so for the whole switch is not so because nobody said otherwise: a
 * server that hangs says nothing.
 */
static void pulse_ask(struct settings *t)
{
	static const char *const keys[SETTINGS_DATABASES] = {
		[SETTINGS_CONFIG] = "BGP_DEVICE_GLOBAL|STATE",
		[SETTINGS_STATE] = "WARM_RESTART_ENABLE_TABLE|system",
	};

	for (unsigned i = 0; i < SETTINGS_DATABASES; i++)
		key_list_add_once(&t->side[i].dirty, keys[i], strlen(keys[i]));
}

int settings_poll(struct space *s, struct mono now, struct diag *d)
{
	struct settings *t = &s->settings;
	int64_t every_ns = t->side[SETTINGS_CONFIG].watch.live &&
			   t->side[SETTINGS_STATE].watch.live ?
			   FULL_NS : FULL_ALONE_NS;
	int rc;

	if (t->phase != SETTINGS_IDLE)
		return -EINPROGRESS;
	rc = space_databases(s, now, d);
	for (unsigned i = 0; rc == 0 && i < SETTINGS_DATABASES; i++)
		rc = channel_ready(&s->channel[t->side[i].database],
				   now, d);
	if (rc < 0) {
		t->full_due = true;
		return rc;
	}
	settings_listen(s, now);
	if (t->full_due || now.ns - t->full_at.ns >= every_ns) {
		settings_start(s, true, now);
		return t->phase == SETTINGS_IDLE ? 1 : -EINPROGRESS;
	}
	pulse_ask(t);
	settings_start(s, false, now);
	return t->phase == SETTINGS_IDLE ? 1 : -EINPROGRESS;
}
