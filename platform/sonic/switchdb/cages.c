#include "platform/sonic/switchdb/cages.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"
#include "platform/driver.h"

#define SUBPORTS_MAX 64

static struct cage *cage_find(struct topology *t, uint32_t number)
{
	struct cage *c;

	for (size_t i = 0; i < t->cage_count; i++)
		if (t->cages[i]->number == number)
			return t->cages[i];
	if (t->cage_count == CAGES_MAX)
		return NULL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->number = number;
	t->cages[t->cage_count++] = c;
	return c;
}

/* "101,102,103,104", with or without blanks: count and lowest lane; 0 where one
 * of them is no number, as some of a list are no count.
 */
static unsigned lanes_parse(const char *text, unsigned *ret_first)
{
	unsigned count = 0;

	*ret_first = UINT16_MAX;
	while (*text) {
		size_t len = strcspn(text, ", ");
		uint64_t lane;

		if (number_parse_n(text, len, 0, UINT16_MAX, &lane) < 0)
			return 0;
		count++;
		if (lane < *ret_first)
			*ret_first = (unsigned)lane;
		text += len;
		text += strspn(text, ", ");
	}
	return count;
}

bool cages_place_means(unsigned slot, const char *text)
{
	uint64_t number;
	unsigned first;

	if (slot == PORT_TEXT_LANES)
		return lanes_parse(text, &first) > 0;
	return number_parse(text, 0, slot == PORT_TEXT_SUBPORT ?
			    SUBPORTS_MAX : UINT16_MAX, &number) == 0;
}

/* The cage's number, from "index"; without it, the digits of the port's name.
 */
static bool cage_number(const char *index, const char *name, uint64_t *ret)
{
	if (number_parse(index, 0, UINT16_MAX, ret) == 0)
		return true;
	return strncmp(name, "Ethernet", 8) == 0 &&
	       number_parse(name + 8, 0, UINT16_MAX, ret) == 0;
}

/* Internal ports have an index, too, but in another range: those of the
 * backplane, of recirculation, towards a DPU. xcvrd recognises them like this.
 */
static bool is_front_panel(const char *name, const char *role)
{
	static const char *const inside[] = { "Int", "Inb", "Rec", "Dpc" };

	for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++)
		if (strcmp(role, inside[i]) == 0)
			return false;
	return strncmp(name, "Ethernet-", 9) != 0;
}

static void port_set_cage(struct topology *t, struct object *o,
			  const char text[][ATTRIBUTE_TEXT_MAX])
{
	struct cage *c = NULL;
	uint64_t number;

	if (is_front_panel(o->name, text[PORT_TEXT_ROLE])) {
		if (!cage_number(text[PORT_TEXT_INDEX], o->name, &number))
			return;
		c = cage_find(t, (uint32_t)number);
		if (!c)
			return;
	}
	if (c == o->port->cage)
		return;
	o->port->cage = c;
	t->generation++;
	t->lanes_stale = true;
}

static void port_set(struct topology *t, unsigned *value, unsigned to)
{
	if (*value == to)
		return;
	*value = to;
	t->generation++;	/* the order of reading modules changes */
	t->lanes_stale = true;
}

void cages_port_group(const struct topology *t, const struct object *o)
{
	const struct port *p = o->port;
	char text[32] = "";

	if (p->gearbox[0])
		(void)snprintf(text, sizeof(text), "gearbox %s", p->gearbox);
	else if (p->core[0])
		(void)snprintf(text, sizeof(text), "core %s", p->core);
	t->host->attribute(t->host->context, o->handle, ATTRIBUTE_GROUP, text);
}

/* CONFIG_DB has the place of a port; APPL_DB, if the port has a row there, has
 * the rest, as it is in use.
 */
void cages_port_place(struct topology *t, struct object *o,
			 const char text[][ATTRIBUTE_TEXT_MAX],
			 bool from_config)
{
	struct port *p = o->port;
	unsigned first, lanes;
	uint64_t subport = 0;

	if (from_config || !p->cage)
		port_set_cage(t, o, text);
	if (number_parse(text[PORT_TEXT_SUBPORT], 0, SUBPORTS_MAX,
			 &subport) == 0)
		port_set(t, &p->subport, (unsigned)subport);
	if (from_config && p->link.in_appl)
		return;
	lanes = lanes_parse(text[PORT_TEXT_LANES], &first);
	if (lanes > 0) {
		port_set(t, &p->lanes, lanes);
		port_set(t, &p->first_serdes, first);
	}
	(void)snprintf(p->core, sizeof(p->core), "%.15s", text[PORT_TEXT_CORE]);
	cages_port_group(t, o);
}

void cages_port_line(struct topology *t, struct object *o, const char *lanes)
{
	unsigned first, count = lanes_parse(lanes, &first);

	if (o->port->line_lanes == count)
		return;
	o->port->line_lanes = count;
	t->lanes_stale = true;
}

/* A gearbox may make two lanes of four: the module has those of its line. */
unsigned cages_host_lanes(const struct port *p)
{
	return p->line_lanes ? p->line_lanes : p->lanes;
}

/* The number of its lanes is unknown. If it is alone in its cage it has all of
 * them, else none that is known.
 */
static void port_lanes_unknown(const struct topology *t, const struct object *o,
			       bool shares)
{
	t->host->attribute(t->host->context, o->handle, ATTRIBUTE_FIRST_LANE,
			   "");
	t->host->attribute(t->host->context, o->handle, ATTRIBUTE_LANE_COUNT,
			   shares ? "0" : "");
}

/* host_first: the port's first electrical lane on the module, from 1. A module
 * may have fewer media lanes than electrical ones, such as 8 to 4. Lanes that
 * nobody publishes have no entity: they are not another port's.
 */
static void port_lanes(const struct topology *t, const struct object *o,
		       unsigned host_first, bool shares)
{
	const struct cage *c = o->port->cage;
	unsigned first = host_first, count = cages_host_lanes(o->port);

	if (c->host_lanes && c->media_lanes) {
		first = (first - 1) * c->media_lanes / c->host_lanes + 1;
		count = count * c->media_lanes / c->host_lanes;
	}
	if (count == 0)
		count = 1;	/* it shares a media lane */
	if (first + count - 1 > MODULE_LANES_TOLD_MAX) {
		port_lanes_unknown(t, o, shares);
		return;
	}
	driver_number(t->host, o->handle, ATTRIBUTE_FIRST_LANE, first);
	driver_number(t->host, o->handle, ATTRIBUTE_LANE_COUNT, count);
}

/* Ports are sorted by cage; this one is the n-th. */
static bool cage_is_shared(struct object *const *ports, size_t count, size_t n)
{
	const struct cage *c = ports[n]->port->cage;

	return (n > 0 && ports[n - 1]->port->cage == c) ||
	       (n + 1 < count && ports[n + 1]->port->cage == c);
}

/* The first electrical lane of a port. Sub-ports are as wide as each other,
 * mostly, and then their number says which lanes are theirs, whichever of them
 * exist. If not, they follow each other: next is the first that is free. If it
 * has no room there, the one before it is about to become narrower.
 */
static unsigned port_first(const struct port *p, unsigned next)
{
	unsigned lanes = cages_host_lanes(p);
	unsigned first = p->subport ? 1 + (p->subport - 1) * lanes : next;
	unsigned most = p->cage->host_lanes ? p->cage->host_lanes :
					      MODULE_LANES_MAX;

	if (p->subport && next > 0 && next + lanes - 1 <= most &&
	    (first < next || first + lanes - 1 > most))
		return next;
	return first;
}

void cages_lanes(struct topology *t)
{
	static const struct table order = { .object = OBJECT_PORT,
					    .of_module = true };
	size_t max = t->set[OBJECT_PORT].count, n;
	struct object **ports;
	const struct cage *cage = NULL;
	unsigned next = 1;	/* 0: unknown */

	if (!object_list_room(&t->ports, max))
		return;		/* lanes_stale stays: try again next time */
	ports = t->ports.list;
	n = topology_targets(t, &order, ports, max);
	for (size_t i = 0; i < n; i++) {
		struct port *p = ports[i]->port;
		unsigned lanes = cages_host_lanes(p);
		bool shares = cage_is_shared(ports, n, i);

		if (p->cage != cage)
			next = 1;
		cage = p->cage;
		assert(cage);	/* of_module selects ports with a cage */
		next = port_first(p, next);
		driver_number(t->host, ports[i]->handle, ATTRIBUTE_MODULE,
			      cage->number);
		p->first_host = lanes > 0 ? next : 0;
		p->shares = shares;
		if (lanes > 0 && next > 0)
			port_lanes(t, ports[i], next, shares);
		else
			port_lanes_unknown(t, ports[i], shares);
		next = lanes > 0 && next > 0 ? next + lanes : 0;
	}
	t->lanes_stale = false;
}

void cages_module_gone(struct topology *t, struct cage *c)
{
	if (c->module != ENTITY_NONE)
		t->host->gone(t->host->context, c->module);
	c->module = ENTITY_NONE;
	c->identity = 0;
	c->host_lanes = c->media_lanes = 0;
	c->firmware[0] = '\0';
	c->rx_los = c->tx_fault = 0;
	c->flags_at.ns = 0;
	memset(c->lane, 0, sizeof(c->lane));
	for (size_t i = 0; i < CAGE_ROWS_MAX; i++) {
		c->row[i].stamp = 0;
		c->row[i].updated_s = 0;
	}
}
