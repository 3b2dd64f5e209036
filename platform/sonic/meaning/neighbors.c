/* The other end of a link: what LLDP receives comes first; the configured peer
 * is used if there is none, and stays visible beside it.
 */
#include "platform/sonic/meaning/tables.h"

#include <stdio.h>
#include <string.h>

#include "platform/sonic/meaning/counters.h"
#include "platform/sonic/meaning/text.h"
#include "platform/sonic/switchdb/namespace.h"

enum lldp_text {
	LLDP_TEXT_SWITCH,
	LLDP_TEXT_PORT,
	LLDP_TEXT_PORT_KIND,
	LLDP_TEXT_PORT_DESCRIPTION,
	LLDP_TEXT_CHASSIS,
};

enum { NEIGHBOR_TEXT_SWITCH, NEIGHBOR_TEXT_PORT };

static const struct field port_lldp[] = {
	FIELD_AS_TEXT("lldp_rem_sys_name", LLDP_TEXT_SWITCH),
	FIELD_AS_TEXT("lldp_rem_port_id", LLDP_TEXT_PORT),
	FIELD_AS_TEXT("lldp_rem_port_id_subtype", LLDP_TEXT_PORT_KIND),
	FIELD_AS_TEXT("lldp_rem_port_desc", LLDP_TEXT_PORT_DESCRIPTION),
	FIELD_AS_TEXT("lldp_rem_chassis_id", LLDP_TEXT_CHASSIS),
};

static const struct field port_neighbor[] = {
	FIELD_AS_TEXT("name", NEIGHBOR_TEXT_SWITCH),
	FIELD_AS_TEXT("port", NEIGHBOR_TEXT_PORT),
};

/* teamsyncd's word, and teamd's. */
static const struct field lag_appl[] = {
	{ "status", Q_LAG_ENABLED, 0, 0, FIELD_BOOL, 1 },
};

static const struct field lag_state[] = {
	{ "runner.selected", Q_LAG_SELECTED, 0, 0, FIELD_BOOL, 1 },
};

static void peer_set(struct peer *p, const char *name, const char *port)
{
	text_copy(p->name, sizeof(p->name), name, strlen(name));
	text_copy(p->port, sizeof(p->port), port, strlen(port));
}

/* IEEE 802.1AB, port id subtypes: 3 is a MAC address, 7 is locally assigned.
 * Switches that send those have the port's name in the description.
 */
static bool port_id_is_name(const char *kind, const char *id)
{
	return id[0] && strcmp(kind, "3") != 0 && strcmp(kind, "7") != 0;
}

/* The peer in LLDP, kept until neighbors_end(). */
static void lldp_row(struct poll *p, struct run *r, struct object *o,
		     const struct row *row)
{
	const char *name = row->text[LLDP_TEXT_SWITCH];
	const char *port = row->text[LLDP_TEXT_PORT];
	const char *words = row->text[LLDP_TEXT_PORT_DESCRIPTION];

	(void)p;
	(void)r;
	if (!port_id_is_name(row->text[LLDP_TEXT_PORT_KIND], port) && words[0])
		port = words;
	peer_set(&o->port->heard,
		 name[0] ? name : row->text[LLDP_TEXT_CHASSIS], port);
}

/* The peer in the configuration. */
static void expected_row(struct poll *p, struct run *r, struct object *o,
			 const struct row *row)
{
	(void)p;
	(void)r;
	peer_set(&o->port->expected, row->text[NEIGHBOR_TEXT_SWITCH],
		 row->text[NEIGHBOR_TEXT_PORT]);
}

static void peer_tell(const struct namespace *s, const struct object *o,
		      const struct peer *p, enum attribute name,
		      enum attribute port)
{
	const struct platform_host *host = s->host;

	host->attribute(host->context, o->handle, name, p->name);
	host->attribute(host->context, o->handle, port, p->port);
}

/* The type of the peer; nothing if it is not described. */
static void peer_describe(const struct namespace *s, const struct object *o)
{
	static const struct {
		const char *field;
		enum attribute attribute;
	} map[] = {
		{ "type", ATTRIBUTE_PEER_TYPE },
		{ "hwsku", ATTRIBUTE_PEER_HWSKU },
		{ "mgmt_addr", ATTRIBUTE_PEER_ADDRESS },
	};
	const struct rows *rows = &s->following.rows[FOLLOWING_CONFIG];
	char key[sizeof(o->port->peer) + 32];

	(void)snprintf(key, sizeof(key), "DEVICE_NEIGHBOR_METADATA%c%s",
		       namespace_separator(s, DATABASE_CONFIG),
		       o->port->peer);
	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		char text[ATTRIBUTE_TEXT_MAX];
		const char *value = rows_field(rows, key, map[i].field);

		text_copy(text, sizeof(text), value, strlen(value));
		if (strcmp(text, "None") == 0)
			text[0] = '\0';
		s->host->attribute(s->host->context, o->handle,
				   map[i].attribute, text);
	}
}

/* Whether a port is active in its LAG. */
static void lag_row(struct poll *p, struct run *r, struct object *o,
		    const struct row *row)
{
	const struct platform_host *host = r->namespace->host;
	char lag[OBJECT_NAME_MAX];

	memcpy(lag, o->name, sizeof(lag));
	lag[strcspn(lag, "|:")] = '\0';
	host->attribute(host->context, o->handle, ATTRIBUTE_LAG, lag);
	counters_row(p, r, o, row);
}

void neighbors_describe(const struct namespace *s)
{
	const struct object_set *ports = &s->topology.set[OBJECT_PORT];

	for (size_t i = 0; i < ports->count && s->following.known; i++)
		if (ports->list[i].handle != ENTITY_NONE)
			peer_describe(s, &ports->list[i]);
}

bool neighbors_end(struct poll *p)
{
	struct namespace *s = p->namespace;
	const struct object_set *ports = &s->topology.set[OBJECT_PORT];

	if (p->unread)
		return false;	/* if not asked for, it is not gone */
	for (size_t i = 0; i < ports->count; i++) {
		const struct object *o = &ports->list[i];
		struct port *port = o->port;

		if (o->handle == ENTITY_NONE)
			continue;
		peer_tell(s, o, port->heard.name[0] ? &port->heard :
						      &port->expected,
			  ATTRIBUTE_PEER_SWITCH, ATTRIBUTE_PEER_PORT);
		(void)snprintf(port->peer, sizeof(port->peer), "%s",
			       port->heard.name[0] ? port->heard.name :
						     port->expected.name);
		peer_tell(s, o, &port->expected,
			  ATTRIBUTE_EXPECTED_PEER_SWITCH,
			  ATTRIBUTE_EXPECTED_PEER_PORT);
		/* A row may disappear: the next poll fills them again. */
		memset(&port->heard, 0, sizeof(port->heard));
		memset(&port->expected, 0, sizeof(port->expected));
	}
	neighbors_describe(s);
	return false;
}

static const struct table tables[] = {
	{ ROW("LLDP_ENTRY_TABLE", SONIC_NEIGHBORS, DATABASE_APPL, OBJECT_PORT),
	  FIELDS(port_lldp), .optional = true, .take = lldp_row },
	{ ROW("DEVICE_NEIGHBOR", SONIC_NEIGHBORS, DATABASE_CONFIG, OBJECT_PORT),
	  FIELDS(port_neighbor), .optional = true, .take = expected_row },
	{ ROW("LAG_MEMBER_TABLE", SONIC_NEIGHBORS, DATABASE_APPL,
	      OBJECT_LAG_MEMBER),
	  FIELDS(lag_appl), .key = KEY_PARTS, .optional = true,
	  .take = lag_row },
	{ ROW("LAG_MEMBER_TABLE", SONIC_NEIGHBORS, DATABASE_STATE,
	      OBJECT_LAG_MEMBER),
	  FIELDS(lag_state), .key = KEY_PARTS, .optional = true,
	  .take = lag_row },
};

const struct table_list neighbors_tables = TABLE_LIST(tables);
