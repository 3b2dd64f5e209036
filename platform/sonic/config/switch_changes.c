#include "platform/sonic/config/switch_changes.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/base/event.h"
#include "agent/base/path.h"
#include "platform/sonic/switchdb/database.h"
#include "platform/sonic/switchdb/namespace.h"

/* --- which tables are followed -------------------------------------------- */

#define SETTING(name)							\
	{ .table = name, .database = DATABASE_CONFIG,			\
	  .event = EVENT_SETTING_CHANGED }

/* thresholds.c derives states from these. */
#define DERIVED(name)							\
	{ .table = name, .database = DATABASE_CONFIG, .derive = true,	\
	  .event = EVENT_SETTING_CHANGED }

static const struct followed tables[] = {
	SETTING("PORT"),
	SETTING("BREAKOUT_CFG"),
	SETTING("PORTCHANNEL"),
	SETTING("PORTCHANNEL_MEMBER"),
	SETTING("BUFFER_POOL"),
	DERIVED("BUFFER_PROFILE"),
	DERIVED("BUFFER_PG"),
	DERIVED("BUFFER_QUEUE"),
	SETTING("BUFFER_PORT_INGRESS_PROFILE_LIST"),
	SETTING("BUFFER_PORT_EGRESS_PROFILE_LIST"),
	SETTING("DEFAULT_LOSSLESS_BUFFER_PARAMETER"),
	SETTING("LOSSLESS_TRAFFIC_PATTERN"),
	SETTING("CABLE_LENGTH"),
	DERIVED("WRED_PROFILE"),
	SETTING("SCHEDULER"),
	DERIVED("QUEUE"),
	SETTING("PORT_QOS_MAP"),
	SETTING("DSCP_TO_TC_MAP"),
	SETTING("DOT1P_TO_TC_MAP"),
	SETTING("TC_TO_QUEUE_MAP"),
	SETTING("TC_TO_PRIORITY_GROUP_MAP"),
	SETTING("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"),
	SETTING("MAP_PFC_PRIORITY_TO_QUEUE"),
	SETTING("PFC_WD"),
	SETTING("FLEX_COUNTER_TABLE"),
	SETTING("HIGH_FREQUENCY_TELEMETRY_PROFILE"),
	SETTING("HIGH_FREQUENCY_TELEMETRY_GROUP"),
	SETTING("DEVICE_METADATA"),
	SETTING("DEVICE_NEIGHBOR"),
	DERIVED("DEVICE_NEIGHBOR_METADATA"),
	SETTING("FEATURE"),
	SETTING("CHASSIS_MODULE"),
	{ .table = "BGP_DEVICE_GLOBAL", .database = DATABASE_CONFIG,
	  .event = EVENT_TSA_CHANGED, .fields = { "tsa_enabled" } },
	{ .table = "NEIGH_STATE_TABLE", .database = DATABASE_STATE,
	  .event = EVENT_BGP_CHANGED, .key_only = true,
	  .fields = { "state" } },
	{ .table = "CHASSIS_MODULE_TABLE", .database = DATABASE_STATE,
	  .event = EVENT_CARD_CHANGED, .key_only = true,
	  .fields = { "oper_status" } },
	{ .table = "CHASSIS_MIDPLANE_TABLE", .database = DATABASE_STATE,
	  .event = EVENT_CARD_CHANGED, .fields = { "access" } },
	/* Written whenever a container starts or stops. */
	{ .table = "FEATURE", .database = DATABASE_STATE,
	  .event = EVENT_SERVICE_RESTARTED, .key_only = true,
	  .first_only = true, .fields = { "system_state", "update_time" } },
	{ .table = "WARM_RESTART_ENABLE_TABLE", .database = DATABASE_STATE,
	  .event = EVENT_SETTING_CHANGED, .fields = { "enable" } },
	{ .table = "FAST_RESTART_ENABLE_TABLE", .database = DATABASE_STATE,
	  .event = EVENT_SETTING_CHANGED, .fields = { "enable" } },
	{ .table = "WARM_RESTART_TABLE", .database = DATABASE_STATE,
	  .fields = { "state" } },
};
_Static_assert(sizeof(tables) / sizeof(tables[0]) <= FOLLOWED_TABLES_MAX,
	       "each table has its beginning");

size_t followed_tables(const struct followed **ret)
{
	*ret = tables;
	return sizeof(tables) / sizeof(tables[0]);
}

int followed_find(uint8_t database, char separator, const char *key,
		  size_t len)
{
	const char *end = memchr(key, separator, len);
	size_t name = end ? (size_t)(end - key) : 0;

	for (size_t i = 0; name && i < sizeof(tables) / sizeof(tables[0]); i++)
		if (tables[i].database == database &&
		    strncmp(tables[i].table, key, name) == 0 &&
		    tables[i].table[name] == '\0')
			return (int)i;
	return -1;
}

int following_table(const struct following_side *side, const char *key,
		    size_t len)
{
	return followed_find(side->database,
			     namespace_separator(side->namespace,
						 side->database), key, len);
}

/* None of the tables has such a field today; a later one may. */
bool followed_is_secret(const char *field)
{
	static const char *const words[] = {
		"pass", "secret", "community", "private", "auth", "_key",
		"token", "cert",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(field, words[i]))
			return true;
	return false;
}

/* --- changes of ports, modules and services ------------------------------- */

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define REBOOT_PATH "/host/reboot-cause/previous-reboot-cause.json"

static void change_tell(const struct namespace *s, uint32_t handle,
			enum platform_event what, struct mono when,
			const char *item, const char *from, const char *to)
{
	char text[CHANGE_TEXT_MAX];

	change_text(text, item, from, to);
	s->host->event(s->host->context, handle, what, 0, when, text);
}

/* "400000", or "" if unknown. */
static const char *number_text(int64_t value, char text[24])
{
	(void)snprintf(text, 24, "%lld", (long long)value);
	return value < 0 ? "" : text;
}

static const char *admin_text(int64_t value, char text[24])
{
	(void)snprintf(text, 24, "%s", value ? "up" : "down");
	return value < 0 ? "" : text;
}

void changes_port(struct poll *p, const struct object *o)
{
	struct port_link *l = &o->port->link;
	const struct port_said now = { .known = true, .number = {
		[SAID_SPEED] = l->speed_mbps, [SAID_MTU] = l->mtu_octets,
		[SAID_ADMIN] = l->admin, [SAID_LANES] = o->port->lanes } };
	static const struct {
		const char *item;
		const char *(*text)(int64_t value, char text[24]);
	} rows[SAID_COUNT] = {
		[SAID_SPEED] = { "speed", number_text },
		[SAID_MTU] = { "mtu", number_text },
		[SAID_ADMIN] = { "admin", admin_text },
		[SAID_LANES] = { "lanes", number_text },
	};
	const char *fec = l->state_fec[0] ? l->state_fec : l->fec;
	char from[24], to[24];

	for (unsigned i = 0; l->said.known && i < SAID_COUNT; i++)
		if (l->said.number[i] != now.number[i])
			change_tell(p->namespace, o->handle, EVENT_PORT_CHANGED,
				    p->asked, rows[i].item,
				    rows[i].text(l->said.number[i], from),
				    rows[i].text(now.number[i], to));
	if (l->said.known && strcmp(l->said.fec, fec) != 0)
		change_tell(p->namespace, o->handle, EVENT_PORT_CHANGED,
			    p->asked, "fec", l->said.fec, fec);
	memcpy(l->said.number, now.number, sizeof(now.number));
	(void)snprintf(l->said.fec, sizeof(l->said.fec), "%s", fec);
	l->said.known = true;
}

void changes_firmware(const struct namespace *s, struct cage *c,
		      const char *version, struct mono when)
{
	if (c->firmware[0] && version[0] && strcmp(c->firmware, version) != 0)
		change_tell(s, c->module, EVENT_FIRMWARE_CHANGED, when,
			    "firmware", c->firmware, version);
	if (version[0])
		(void)snprintf(c->firmware, sizeof(c->firmware), "%.31s",
			       version);
}

void changes_tell(const struct namespace *s, enum platform_event what,
		  struct mono when, const char *item, const char *from,
		  const char *to)
{
	change_tell(s, s->topology.parent, what, when, item, from, to);
}

/* "warm-reboot (admin, Fri Oct  9 04:51:47 UTC 2020)". */
static void cause_write(struct json_object *root, char text[static 128])
{
	const char *user = document_text(root, "user");
	const char *when = document_text(root, "time");
	bool by = user[0] && strcmp(user, "N/A") != 0;
	bool at = when[0] && strcmp(when, "N/A") != 0;

	(void)snprintf(text, 128, "%.60s%s%.20s%s%.32s%s",
		       document_text(root, "cause"), by || at ? " (" : "",
		       by ? user : "", by && at ? ", " : "", at ? when : "",
		       by || at ? ")" : "");
}

void changes_reboot(const struct namespace *s)
{
	/* The monotonic clock starts at boot. */
	static const struct mono boot = { 1 };
	struct json_object *root = NULL;
	char *json, text[128];
	size_t len;

	if (path_read(s->root_fd, REBOOT_PATH, DOCUMENT_OCTETS_MAX, &json,
		      &len) < 0)
		return;		/* not all images write it */
	if (document_parse(json, len, &root, NULL) == 0 &&
	    document_text(root, "cause")[0]) {
		cause_write(root, text);
		change_tell(s, ENTITY_NONE, EVENT_REBOOTED, boot,
			    document_text(root, "gen_time"), "", text);
	}
	json_object_put(root);
	free(json);
}

/* --- events from followed rows ------------------------------------------- */

#define WARM_REBOOT_MAX_NS (900 * NS_PER_S)	/* SONiC gives up after 300 */

/* The port of a row: any part of its key, or a field with a port's name
 * (CABLE_LENGTH).
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

/* "PORT|Ethernet0 mtu", or just the row's name if the event says the rest. */
static void field_tell(struct following_side *side, const struct followed *f,
		       const struct kept_row *row, const char *field,
		       const char *from, const char *to)
{
	struct namespace *s = side->namespace;
	char item[KEY_OCTETS_MAX + 130];
	const char *key = row->key;

	if (s->following.told++ >= FOLLOWING_EVENTS_MAX) {
		s->following.untold++;
		return;
	}
	if (f->key_only)
		(void)snprintf(item, sizeof(item), "%s",
			       key + strlen(f->table) + 1);
	else
		(void)snprintf(item, sizeof(item), "%s%s%s", key,
			       field ? " " : "", field ? field : "");
	change_tell(s,
		    port_of(s, key, namespace_separator(s, side->database),
			    field),
		    (enum platform_event)f->event, s->following.asked_at, item,
		    from, to);
}

/* A row with only some relevant fields appeared or disappeared. */
static void fields_tell(struct following_side *side, const struct followed *f,
			const struct kept_row *row, bool came)
{
	const struct rows *rows =
		&side->namespace->following.rows[side->number];

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

/* True if one of the fields before it differs, too. */
static bool is_second(const struct following_side *side,
		      const struct followed *f, const struct kept_row *row,
		      const char *field)
{
	const struct rows *rows =
		&side->namespace->following.rows[side->number];

	for (unsigned i = 0; i < FOLLOWED_FIELDS_MAX && f->fields[i] &&
			     strcmp(f->fields[i], field) != 0; i++)
		if (strcmp(rows_field(rows, row->key, f->fields[i]),
			   row_text_get(&side->row, f->fields[i])) != 0)
			return true;
	return false;
}

/* True if a new row is among the first of its table: that is no change. */
static bool is_first(const struct following_side *side,
		     const struct kept_row *row)
{
	struct following *t = &side->namespace->following;
	struct mono *first = &t->first[row->table];

	if (side->number != FOLLOWING_STATE)
		return false;
	if (first->ns == 0)
		*first = t->asked_at;
	return t->asked_at.ns - first->ns < FOLLOWING_BEGIN_NS;
}

void changes_row(void *context, const struct kept_row *row, const char *field,
		 const char *from, const char *to)
{
	struct following_side *side = context;
	const struct followed *f;

	(void)followed_tables(&f);
	f += row->table;
	side->namespace->following.derive |= f->derive;
	if (!f->event || (!field && !from[0] && is_first(side, row)))
		return;
	if (!field && f->fields[0])
		fields_tell(side, f, row, from[0] == '\0');
	else if (is_followed(f, field) &&
		 !(f->first_only && field && is_second(side, f, row, field)))
		field_tell(side, f, row, field, from, to);
}

/* --- states of the whole switch ------------------------------------------ */

static bool row_says(const struct rows *r, const char *key, const char *field,
		     const char *word)
{
	return strcasecmp(rows_field(r, key, field), word) == 0;
}

/* True if a component has not yet restored its state. */
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

/* Enabled alone means little: it may be enabled permanently. */
static bool warm_reboot(const struct rows *r)
{
	return row_says(r, "FAST_RESTART_ENABLE_TABLE|system", "enable",
			"true") ||
	       (row_says(r, "WARM_RESTART_ENABLE_TABLE|system", "enable",
			 "true") && any_restoring(r));
}

static void state_note(struct namespace *s)
{
	struct following *t = &s->following;

	if (!warm_reboot(&t->rows[FOLLOWING_STATE]))
		t->warm_since.ns = 0;
	else if (t->warm_since.ns == 0)
		t->warm_since = t->asked_at;
	t->warm = t->warm_since.ns &&
		  t->asked_at.ns - t->warm_since.ns < WARM_REBOOT_MAX_NS;
	t->tsa = row_says(&t->rows[FOLLOWING_CONFIG], "BGP_DEVICE_GLOBAL|STATE",
			  "tsa_enabled", "true");
}

static void untold_tell(struct namespace *s)
{
	struct following *t = &s->following;
	char text[64];

	if (t->untold == 0)
		return;
	(void)snprintf(text, sizeof(text), "%u more", t->untold);
	changes_tell(s, EVENT_SETTING_CHANGED, t->asked_at, "CONFIG_DB", "",
		     text);
	t->untold = 0;
}

void changes_rest(struct namespace *s)
{
	untold_tell(s);
	if (s->following.known && !s->following.failed)
		state_note(s);
}
