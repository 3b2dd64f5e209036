/*
 *   IDLE --due--> LISTING --keys--> ROWS --all there--> IDLE
 *     `---heard of a key------------^
 *
 * CONFIG_DB's keys are listed whole where it is small, STATE_DB's by table.
 */
#include "platform/sonic/settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "agent/base/event.h"
#include "platform/sonic/space.h"
#include "platform/sonic/text.h"

#define FULL_NS (60 * NS_PER_S)		/* between readings of all rows */
#define FULL_ALONE_NS (10 * NS_PER_S)	/* … where no events come */
#define RETRY_NS (1 * NS_PER_S)		/* CONFIG_DB is being written anew */
#define HEARD_NS (50 * NS_PER_MS)	/* more may come with the first */
#define EMPTY_HOLD_NS (120 * NS_PER_S)	/* no rows for so long: it is so */
#define DATABASE_KEYS_MAX 20000		/* KEYS holds Redis up: not above */
#define WARM_REBOOT_MAX_NS (900 * NS_PER_S)	/* SONiC gives up after 5 min */
#define DIRTY_MAX 256			/* more: all is read */

static const uint8_t databases[SETTINGS_DATABASES] = {
	[SETTINGS_CONFIG] = DATABASE_CONFIG,
	[SETTINGS_STATE] = DATABASE_STATE,
};

static struct settings_side *side_of(const struct query *q)
{
	return q->context;
}

static unsigned number_of(const struct settings_side *side)
{
	return (unsigned)(side - side->space->settings.side);
}

static char separator_of(const struct settings_side *side)
{
	return side->space->databases.of[side->database].separator;
}

/* --- a change becomes an event -------------------------------------------- */

/* The port that a row is of: any part of its key, or a field that is named
 * after one (CABLE_LENGTH).
 */
static uint32_t port_of(const struct space *s, const char *key, char separator,
			const char *field)
{
	const struct object *o = NULL;

	if (field)
		o = topology_find(&s->topology, OBJECT_PORT, field);
	for (const char *part = strchr(key, separator); part && !o;
	     part = strchr(part, separator)) {
		char name[OBJECT_NAME_MAX];
		size_t len;

		part++;
		len = strcspn(part, (const char[]){ separator, '\0' });
		if (len >= sizeof(name))
			continue;
		memcpy(name, part, len);
		name[len] = '\0';
		o = topology_find(&s->topology, OBJECT_PORT, name);
	}
	return o ? o->handle : ENTITY_NONE;
}

static bool is_followed(const struct followed *f, const char *field)
{
	if (!f->fields[0])
		return !field || !settings_is_secret(field);
	for (unsigned i = 0; field && i < FOLLOWED_FIELDS_MAX && f->fields[i];
	     i++)
		if (strcmp(f->fields[i], field) == 0)
			return true;
	return false;
}

/* "PORT|Ethernet0 mtu", or the row's own name where the event says the rest. */
static void field_tell(struct settings_side *side, const struct followed *f,
		       const struct kept_row *row, const char *field,
		       const char *from, const char *to)
{
	struct space *s = side->space;
	char text[CHANGE_TEXT_MAX], item[KEY_OCTETS_MAX + 130];
	const char *key = row->key;

	if (s->settings.told++ >= SETTINGS_EVENTS_MAX) {
		s->settings.untold++;
		return;
	}
	if (f->key_only)
		(void)snprintf(item, sizeof(item), "%s",
			       key + strlen(f->table) + 1);
	else
		(void)snprintf(item, sizeof(item), "%s%s%s", key,
			       field ? " " : "", field ? field : "");
	change_text(text, item, from, to);
	s->host->event(s->host->context,
		       port_of(s, key, separator_of(side), field),
		       (enum platform_event)f->event, 0, s->settings.asked_at,
		       text);
}

/* A row of which only some fields count came or went. */
static void fields_tell(struct settings_side *side, const struct followed *f,
			const struct kept_row *row, bool came)
{
	const struct rows *rows =
		&side->space->settings.rows[number_of(side)];

	for (unsigned i = 0; i < FOLLOWED_FIELDS_MAX && f->fields[i]; i++) {
		const char *text = rows_field(rows, row->key, f->fields[i]);

		if (!text[0])
			continue;
		field_tell(side, f, row, f->fields[i], came ? "" : text,
			   came ? text : "");
		if (f->first_only)
			return;
	}
}

/* One of the fields before it differs as well. */
static bool is_second(const struct settings_side *side,
		      const struct followed *f, const struct kept_row *row,
		      const char *field)
{
	const struct rows *rows =
		&side->space->settings.rows[number_of(side)];

	for (unsigned i = 0; i < FOLLOWED_FIELDS_MAX && f->fields[i] &&
			     strcmp(f->fields[i], field) != 0; i++)
		if (strcmp(rows_field(rows, row->key, f->fields[i]),
			   row_text_get(&side->row, f->fields[i])) != 0)
			return true;
	return false;
}

static void row_changed(void *context, const struct kept_row *row,
			const char *field, const char *from, const char *to)
{
	struct settings_side *side = context;
	const struct followed *f;

	(void)settings_table(&f);
	f += row->table;
	if (!f->event)
		return;
	if (!field && f->fields[0])
		fields_tell(side, f, row, from[0] == '\0');
	else if (is_followed(f, field) &&
		 !(f->first_only && is_second(side, f, row, field)))
		field_tell(side, f, row, field, from, to);
}

static void settings_event(struct space *s, enum platform_event what,
			   const char *item, const char *from, const char *to)
{
	char text[CHANGE_TEXT_MAX];

	change_text(text, item, from, to);
	s->host->event(s->host->context, s->topology.parent, what, 0,
		       s->settings.asked_at, text);
}

/* --- what is so for the whole switch -------------------------------------- */

static bool row_says(const struct rows *r, const char *key, const char *field,
		     const char *word)
{
	return strcasecmp(rows_field(r, key, field), word) == 0;
}

/* A component has not yet taken up what it did before. */
static bool any_restoring(const struct rows *r)
{
	const char prefix[] = "WARM_RESTART_TABLE|";

	for (size_t i = 0; i < r->count; i++)
		if (strncmp(r->list[i].key, prefix, strlen(prefix)) == 0 &&
		    (row_says(r, r->list[i].key, "state", "initialized") ||
		     row_says(r, r->list[i].key, "state", "restored")))
			return true;
	return false;
}

/* Enabled says little by itself: it may be so for good. */
static bool warm_reboot(const struct rows *r)
{
	return row_says(r, "FAST_RESTART_ENABLE_TABLE|system", "enable",
			"true") ||
	       (row_says(r, "WARM_RESTART_ENABLE_TABLE|system", "enable",
			 "true") && any_restoring(r));
}

static void state_note(struct space *s)
{
	struct settings *t = &s->settings;

	if (!warm_reboot(&t->rows[SETTINGS_STATE]))
		t->warm_since.ns = 0;
	else if (t->warm_since.ns == 0)
		t->warm_since = t->asked_at;
	t->warm = t->warm_since.ns &&
		  t->asked_at.ns - t->warm_since.ns < WARM_REBOOT_MAX_NS;
	t->tsa = row_says(&t->rows[SETTINGS_CONFIG], "BGP_DEVICE_GLOBAL|STATE",
			  "tsa_enabled", "true");
}

/* --- the end of a reading ------------------------------------------------- */

static void untold_tell(struct space *s)
{
	struct settings *t = &s->settings;
	char text[64];

	if (t->untold == 0)
		return;
	(void)snprintf(text, sizeof(text), "%u more", t->untold);
	settings_event(s, EVENT_SETTING_CHANGED, "CONFIG_DB", "", text);
	t->untold = 0;
}

static void fresh_tell(struct space *s)
{
	struct settings *t = &s->settings;
	bool alone = t->side[SETTINGS_CONFIG].watch.refused;

	if (t->known)
		state_note(s);
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
	untold_tell(s);
	if (t->failed) {
		t->full_due = true;
		s->told(s, SONIC_CHANGES, t->refused ? SOURCE_BROKEN :
							SOURCE_ABSENT,
			0, t->reason);
		return;
	}
	if (config->full)
		t->full_at = t->asked_at;
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
	size_t n = settings_table(&f);

	if (!side->full || side->too_many ||
	    (number_of(side) == SETTINGS_CONFIG && t->reloading))
		return;
	for (size_t i = 0; i < n; i++)
		if (f[i].database == side->database)
			rows_sweep(&t->rows[number_of(side)], (unsigned)i,
				   t->serial,
				   t->known ? row_changed : NULL, side);
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
		       r->kind == REPLY_ERROR ? r->error :
						"an answer of the wrong type");
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
	row_text_value(&side_of(q)->row, text, len);
}

static void row_reply(struct query *q, unsigned n, const struct reply *r)
{
	struct settings_side *side = side_of(q);
	struct settings *t = &side->space->settings;
	const char *key = key_list_get(&side->asked, n);
	int table = settings_followed(side->database, separator_of(side), key,
				      strlen(key));

	if (r->kind == REPLY_ARRAY && table >= 0)
		rows_take(&t->rows[number_of(side)], key, (unsigned)table,
			  t->serial, &side->row,
			  t->known ? row_changed : NULL, side);
	else if (r->kind != REPLY_ARRAY &&
		 strncmp(r->error, "WRONGTYPE", 9) != 0)
		reply_note(side, key, r);
	row_text_clear(&side->row);
}

static void settings_ended(struct space *s);

static void row_done(struct query *q, const char *reason)
{
	struct space *s = side_of(q)->space;

	if (reason)
		failure_note(&s->settings, reason);
	settings_ended(s);
}

static const struct query_ops row_ops = {
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
	if (len == strlen(CONFIG_READY_KEY) &&
	    memcmp(text, CONFIG_READY_KEY, len) == 0)
		side->ready_key = true;
	if (settings_followed(side->database, separator_of(side), text,
			      len) >= 0)
		key_list_add(&side->asked, text, len);
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
		settings_event(s, EVENT_SERVICE_RESTARTED, "redis",
			       s->settings.run_id, id);
	memcpy(s->settings.run_id, id, used + 1);
}

static void key_reply(struct query *q, unsigned n, const struct reply *r)
{
	struct settings_side *side = side_of(q);

	bool optional = number_of(side) == SETTINGS_STATE && n == 0;

	if (side->sizing && r->kind == REPLY_INTEGER)
		side->too_many = r->integer > DATABASE_KEYS_MAX;
	else if (r->kind != REPLY_ARRAY && !optional)
		reply_note(side, side->sizing ? "DBSIZE" : "KEYS", r);
}

static void key_done(struct query *q, const char *reason);

static const struct query_ops key_ops = {
	.value = key_value,
	.text = info_text,
	.reply = key_reply,
	.done = key_done,
};

/* --- asking --------------------------------------------------------------- */

static void side_ask(struct settings_side *side, const struct query_ops *ops)
{
	struct settings *t = &side->space->settings;
	struct channel *c = &side->space->channel[side->database];
	struct diag d = { "" };

	if (side->commands.count == 0)
		return;
	if (side->commands.failed) {
		failure_note(t, "out of memory");
		return;
	}
	if (channel_ready(c, t->asked_at, &d) < 0) {
		failure_note(t, d.text);
		return;
	}
	side->query = (struct query){
		.ops = ops, .context = side, .commands = side->commands.data,
		.len = side->commands.len, .count = side->commands.count,
		.pairs = ops == &row_ops };
	t->pending++;
	channel_ask(c, &side->query, t->asked_at);
}

static void rows_ask(struct settings_side *side)
{
	commands_clear(&side->commands);
	for (size_t i = 0; i < side->asked.count; i++)
		commands_add(&side->commands, (const char *const[]){
			"HGETALL", key_list_get(&side->asked, i), NULL });
	row_text_clear(&side->row);
	side_ask(side, &row_ops);
}

/* How large CONFIG_DB is, so that KEYS may follow. */
static void config_ask(struct settings_side *side, const char *const words[])
{
	commands_clear(&side->commands);
	commands_add(&side->commands, words);
	side_ask(side, &key_ops);
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
	size_t n = settings_table(&f);
	char pattern[64];

	commands_clear(&side->commands);
	commands_add(&side->commands,
		     (const char *const[]){ "INFO", "server", NULL });
	for (size_t i = 0; i < n; i++) {
		if (f[i].database != side->database)
			continue;
		(void)snprintf(pattern, sizeof(pattern), "%s%c*", f[i].table,
			       separator_of(side));
		commands_add(&side->commands, (const char *const[]){
			"KEYS", pattern, NULL });
	}
	side_ask(side, &key_ops);
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
	side->sizing = full && number_of(side) == SETTINGS_CONFIG;
	side->ready_key = side->too_many = false;
	if (side->sizing)
		config_ask(side, (const char *const[]){ "DBSIZE", NULL });
	else if (full)
		state_ask(side);
	else
		rows_ask(side);
}

static void reading_start(struct space *s, bool full, struct mono now)
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
		settings_event(s, EVENT_SETTINGS_RELOADED, "CONFIG_DB", "",
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

/* --- hearing of keys ------------------------------------------------------ */

static bool begins_with(const char *key, size_t len, const char *table,
			char separator)
{
	size_t n = strlen(table);

	return len > n && memcmp(key, table, n) == 0 && key[n] == separator;
}

/* What other parts of the driver read of it. */
static void key_hint(struct settings_side *side, const char *key, size_t len,
		     struct mono now)
{
	struct space *s = side->space;
	char separator = separator_of(side);

	if (side->database == DATABASE_CONFIG &&
	    begins_with(key, len, "PORT", separator))
		s->maps.stale = true;
	if (side->database == DATABASE_STATE &&
	    (begins_with(key, len, "TRANSCEIVER_INFO", separator) ||
	     begins_with(key, len, "TRANSCEIVER_FIRMWARE_INFO", separator)) &&
	    s->settings.modules_due.ns == 0)
		s->settings.modules_due.ns = now.ns + HEARD_NS;
}

static void key_heard(struct watch *w, const char *event, const char *key,
		      size_t len)
{
	struct settings_side *side = w->owner;
	struct settings *t = &side->space->settings;
	struct mono now = w->channel.now;

	key_hint(side, key, len, now);
	if (side->database == DATABASE_CONFIG &&
	    len == strlen(CONFIG_READY_KEY) &&
	    memcmp(key, CONFIG_READY_KEY, len) == 0) {
		t->reload_heard |= strcmp(event, "set") == 0;
		t->full_due = true;
	} else if (settings_followed(side->database, separator_of(side), key,
				     len) < 0) {
		return;
	} else if (side->dirty.count >= DIRTY_MAX) {
		t->full_due = true;
	} else {
		key_list_add_once(&side->dirty, key, len);
	}
	if (t->due.ns == 0)
		t->due.ns = now.ns + HEARD_NS;
}

/* --- from outside --------------------------------------------------------- */

void settings_init(struct space *s, int epoll_fd)
{
	struct settings *t = &s->settings;

	t->full_due = true;
	for (unsigned i = 0; i < SETTINGS_DATABASES; i++) {
		struct settings_side *side = &t->side[i];

		side->space = s;
		side->database = databases[i];
		watch_init(&side->watch,
			   database_word((enum database_name)databases[i]),
			   s->root_fd, epoll_fd, key_heard, side);
	}
}

void settings_fini(struct space *s)
{
	struct settings *t = &s->settings;

	for (unsigned i = 0; i < SETTINGS_DATABASES; i++) {
		watch_fini(&t->side[i].watch);
		commands_free(&t->side[i].commands);
		key_list_free(&t->side[i].dirty);
		key_list_free(&t->side[i].asked);
		rows_free(&t->rows[i]);
	}
}

/* Listens where the databases are now. A connection that was lost may have
 * missed something.
 */
static void watches_keep(struct space *s, struct mono now)
{
	struct settings *t = &s->settings;

	for (unsigned i = 0; i < SETTINGS_DATABASES; i++) {
		struct watch *w = &t->side[i].watch;
		uint64_t before = w->connects;

		if (database_is_same(&w->channel.database,
				     &s->databases.of[databases[i]]) == false)
			channel_move(&w->channel,
				     &s->databases.of[databases[i]]);
		watch_keep(w, now);
		t->full_due |= w->connects != before;
	}
}

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
		rc = channel_ready(&s->channel[databases[i]], now, d);
	if (rc < 0) {
		t->full_due = true;
		return rc;
	}
	watches_keep(s, now);
	if (t->full_due || now.ns - t->full_at.ns >= every_ns) {
		reading_start(s, true, now);
		return t->phase == SETTINGS_IDLE ? 1 : -EINPROGRESS;
	}
	pulse_ask(t);
	reading_start(s, false, now);
	return t->phase == SETTINGS_IDLE ? 1 : -EINPROGRESS;
}

void settings_check(struct space *s, struct mono now)
{
	struct settings *t = &s->settings;

	for (unsigned i = 0; i < SETTINGS_DATABASES; i++)
		channel_check(&t->side[i].watch.channel, now);
	if (t->phase == SETTINGS_IDLE && t->due.ns && now.ns >= t->due.ns)
		reading_start(s, t->full_due, now);
	if (t->modules_due.ns && now.ns >= t->modules_due.ns &&
	    s->poll[SONIC_TRANSCEIVERS].phase == POLL_IDLE) {
		t->modules_due.ns = 0;
		(void)poll_read(s, SONIC_TRANSCEIVERS, now, NULL);
	}
}

struct mono settings_deadline(const struct space *s)
{
	const struct settings *t = &s->settings;
	struct mono first = { INT64_MAX };

	for (unsigned i = 0; i < SETTINGS_DATABASES; i++) {
		struct mono due =
			channel_deadline(&t->side[i].watch.channel);

		if (due.ns < first.ns)
			first = due;
	}
	if (t->phase == SETTINGS_IDLE && t->due.ns && t->due.ns < first.ns)
		first = t->due;
	if (t->modules_due.ns && t->modules_due.ns < first.ns &&
	    s->poll[SONIC_TRANSCEIVERS].phase == POLL_IDLE)
		first = t->modules_due;
	return first;
}
