#include "platform/sonic/config/settings_hear.h"

#include <string.h>


#define HEARD_NS (50 * NS_PER_MS)	/* more may come with the first */
#define MODULES_QUIET_NS (250 * NS_PER_MS)
#define MODULES_WAIT_NS (750 * NS_PER_MS)	/* within a second in all */
#define DIRTY_MAX 256			/* more: all is read */

static const uint8_t databases[SETTINGS_DATABASES] = {
	[SETTINGS_CONFIG] = DATABASE_CONFIG,
	[SETTINGS_STATE] = DATABASE_STATE,
};

static bool begins_with(const char *key, size_t len, const char *table,
			char separator)
{
	size_t n = strlen(table);

	return len > n && memcmp(key, table, n) == 0 && key[n] == separator;
}

/* xcvrd writes one row after the other: they are read when it is quiet. */
static void modules_hint(struct settings *t, struct mono now)
{
	if (t->modules_due.ns == 0)
		t->modules_last.ns = now.ns + MODULES_WAIT_NS;
	t->modules_due.ns = now.ns + MODULES_QUIET_NS;
	if (t->modules_due.ns > t->modules_last.ns)
		t->modules_due = t->modules_last;
}

/* What other parts of the driver read of it. */
static void key_hint(struct settings_side *side, const char *key, size_t len,
		     struct mono now)
{
	struct namespace *s = side->namespace;
	char separator = namespace_separator(side->namespace, side->database);

	if (side->database == DATABASE_CONFIG &&
	    begins_with(key, len, "PORT", separator))
		s->maps.stale = true;
	if (side->database == DATABASE_STATE &&
	    (begins_with(key, len, "TRANSCEIVER_INFO", separator) ||
	     begins_with(key, len, "TRANSCEIVER_FIRMWARE_INFO", separator)))
		modules_hint(&s->settings, now);
}

static void key_heard(struct watch *w, const char *event, const char *key,
		      size_t len)
{
	struct settings_side *side = w->owner;
	struct settings *t = &side->namespace->settings;
	struct mono now = w->channel.now;

	key_hint(side, key, len, now);
	if (side->database == DATABASE_CONFIG &&
	    len == strlen(CONFIG_READY_KEY) &&
	    memcmp(key, CONFIG_READY_KEY, len) == 0) {
		t->reload_heard |= strcmp(event, "set") == 0;
		t->full_due = true;
	} else if (followed_find(
			   side->database,
			   namespace_separator(side->namespace, side->database),
			   key, len) < 0) {
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

void settings_hear_init(struct namespace *s, int epoll_fd)
{
	struct settings *t = &s->settings;

	t->full_due = true;
	for (unsigned i = 0; i < SETTINGS_DATABASES; i++) {
		struct settings_side *side = &t->side[i];

		side->namespace = s;
		side->number = (uint8_t)i;
		side->database = databases[i];
		watch_init(&side->watch,
			   database_word((enum database_name)databases[i]),
			   s->root_fd, epoll_fd, key_heard, side);
	}
}

void settings_hear_fini(struct namespace *s)
{
	struct settings *t = &s->settings;

	for (unsigned i = 0; i < SETTINGS_DATABASES; i++) {
		watch_fini(&t->side[i].watch);
		commands_free(&t->side[i].commands);
		lister_fini(&t->side[i].lister);
		key_list_free(&t->side[i].dirty);
		key_list_free(&t->side[i].asked);
		rows_free(&t->rows[i]);
	}
}

void settings_hear(struct namespace *s, struct mono now)
{
	struct settings *t = &s->settings;

	for (unsigned i = 0; i < SETTINGS_DATABASES; i++) {
		struct watch *w = &t->side[i].watch;
		const struct database *place =
			&s->databases.of[t->side[i].database];
		uint64_t before = w->connects;

		if (!database_is_same(&w->channel.database, place))
			channel_move(&w->channel, place);
		watch_keep(w, now);
		t->full_due |= w->connects != before;
	}
}
