#include "platform/sonic/config/settings_tell.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "agent/base/event.h"

#define WARM_REBOOT_MAX_NS (900 * NS_PER_S)	/* SONiC gives up after 300 */

/* --- a change becomes an event -------------------------------------------- */

/* The port that a row is of: any part of its key, or a field that is named
 * after one (CABLE_LENGTH).
 */
static uint32_t port_of(const struct namespace *s, const char *key,
			char separator, const char *field)
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
		return true;
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
	struct namespace *s = side->namespace;
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
	s->host->event(
		s->host->context,
		port_of(s, key, namespace_separator(s, side->database), field),
		(enum platform_event)f->event, 0, s->settings.asked_at, text);
}

/* A row of which only some fields count came or went. */
static void fields_tell(struct settings_side *side, const struct followed *f,
			const struct kept_row *row, bool came)
{
	const struct rows *rows =
		&side->namespace->settings.rows[side->number];

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
		&side->namespace->settings.rows[side->number];

	for (unsigned i = 0; i < FOLLOWED_FIELDS_MAX && f->fields[i] &&
			     strcmp(f->fields[i], field) != 0; i++)
		if (strcmp(rows_field(rows, row->key, f->fields[i]),
			   row_text_get(&side->row, f->fields[i])) != 0)
			return true;
	return false;
}

/* A row that came is among the first of its table: nothing changed. */
static bool is_first(const struct settings_side *side,
		     const struct kept_row *row)
{
	struct settings *t = &side->namespace->settings;
	struct mono *first = &t->first[row->table];

	if (side->number != SETTINGS_STATE)
		return false;
	if (first->ns == 0)
		*first = t->asked_at;
	return t->asked_at.ns - first->ns < SETTINGS_BEGIN_NS;
}

void settings_tell_row(void *context, const struct kept_row *row,
		       const char *field, const char *from, const char *to)
{
	struct settings_side *side = context;
	const struct followed *f;

	(void)followed_tables(&f);
	f += row->table;
	side->namespace->settings.derive |= f->derive;
	if (!f->event || (!field && !from[0] && is_first(side, row)))
		return;
	if (!field && f->fields[0])
		fields_tell(side, f, row, from[0] == '\0');
	else if (is_followed(f, field) &&
		 !(f->first_only && is_second(side, f, row, field)))
		field_tell(side, f, row, field, from, to);
}

void settings_tell(struct namespace *s, enum platform_event what,
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

static void state_note(struct namespace *s)
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

static void untold_tell(struct namespace *s)
{
	struct settings *t = &s->settings;
	char text[64];

	if (t->untold == 0)
		return;
	(void)snprintf(text, sizeof(text), "%u more", t->untold);
	settings_tell(s, EVENT_SETTING_CHANGED, "CONFIG_DB", "", text);
	t->untold = 0;
}

void settings_tell_rest(struct namespace *s)
{
	untold_tell(s);
	if (s->settings.known && !s->settings.failed)
		state_note(s);
}
