/* Who is at the other end of a link: what LLDP hears wins; what the
 * configuration expects fills in, and stays visible beside it.
 */
#include <string.h>

#include "platform/sonic/space.h"
#include "platform/sonic/text.h"

static void peer_set(struct peer *p, const char *name, const char *port)
{
	text_copy(p->name, sizeof(p->name), name, strlen(name));
	text_copy(p->port, sizeof(p->port), port, strlen(port));
}

/* IEEE 802.1AB, port id subtypes: 3 is a MAC address, 7 whatever the peer
 * likes. Switches that send those say the port's name in its description.
 */
static bool port_id_is_name(const char *kind, const char *id)
{
	return id[0] && strcmp(kind, "3") != 0 && strcmp(kind, "7") != 0;
}

void neighbors_lldp_row(struct poll *p, struct run *r, struct object *o,
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

void neighbors_expected_row(struct poll *p, struct run *r, struct object *o,
			    const struct row *row)
{
	(void)p;
	(void)r;
	peer_set(&o->port->expected, row->text[NEIGHBOR_TEXT_SWITCH],
		 row->text[NEIGHBOR_TEXT_PORT]);
}

static void peer_tell(const struct space *s, const struct object *o,
		      const struct peer *p, enum attribute name,
		      enum attribute port)
{
	const struct platform_host *host = s->host;

	host->attribute(host->context, o->handle, name, p->name);
	host->attribute(host->context, o->handle, port, p->port);
}

void neighbors_end(struct poll *p)
{
	struct space *s = p->space;
	const struct object_set *ports = &s->topology.set[OBJECT_PORT];

	for (size_t i = 0; i < ports->count; i++) {
		const struct object *o = &ports->list[i];
		struct port *port = o->port;

		if (o->handle == ENTITY_NONE)
			continue;
		peer_tell(s, o, port->heard.name[0] ? &port->heard :
						      &port->expected,
			  ATTRIBUTE_PEER_SWITCH, ATTRIBUTE_PEER_PORT);
		peer_tell(s, o, &port->expected,
			  ATTRIBUTE_EXPECTED_PEER_SWITCH,
			  ATTRIBUTE_EXPECTED_PEER_PORT);
		/* A row may go away: the next poll fills them again. */
		memset(&port->heard, 0, sizeof(port->heard));
		memset(&port->expected, 0, sizeof(port->expected));
	}
}
