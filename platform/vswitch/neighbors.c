#include "platform/vswitch/neighbors.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"
#include "platform/vswitch/box.h"

#define PORTS_PER_LANES 8	/* from one front panel port to the next */
#define ASN_FIRST 65200

/* Every table has it from here, so that none can say another thing. */
struct neighbor {
	const char *name, *port;	/* borrowed */
	char alias[16];			/* its name for that port */
	char mac[20], address[20], asn[12];
};

/* The number at the end of a name; 0 where there is none. */
static uint64_t number_of(const char *name)
{
	size_t len = strcspn(name, "0123456789");
	uint64_t number;

	return number_parse(name + len, 0, UINT32_MAX, &number) < 0 ? 0 :
								      number;
}

static struct neighbor neighbor_of(const struct box *b,
				   const struct box_port *p)
{
	struct neighbor n = { .name = p->facts.peer_switch,
			      .port = p->facts.peer_port };
	unsigned number = (unsigned)number_of(n.name);
	unsigned link = (unsigned)(p - b->port);

	(void)snprintf(n.alias, sizeof(n.alias), "etp%u", (unsigned)
		       (number_of(n.port) / PORTS_PER_LANES + 1));
	(void)snprintf(n.mac, sizeof(n.mac), "02:00:00:00:%02x:%02x",
		       number >> 8 & 0xff, number & 0xff);
	(void)snprintf(n.address, sizeof(n.address), "10.0.%u.%u",
		       link / 128, link % 128 * 2 + 1);
	(void)snprintf(n.asn, sizeof(n.asn), "%u", ASN_FIRST + number);
	return n;
}

/* lldpmgrd has a switch send its alias as a name of its own liking, and the
 * port's name as its description.
 */
static void lldp_row(struct out *o, const struct box_port *p,
		     const struct neighbor *n)
{
	const struct out_pair pairs[] = {
		{ "lldp_rem_time_mark", "18545" },
		{ "lldp_rem_index", "1" },
		{ "lldp_rem_port_id_subtype", "7" },
		{ "lldp_rem_port_id", n->alias },
		{ "lldp_rem_port_desc", n->port },
		{ "lldp_rem_chassis_id_subtype", "4" },
		{ "lldp_rem_chassis_id", n->mac },
		{ "lldp_rem_sys_name", n->name },
		{ "lldp_rem_sys_desc", "SONiC Software Version: petrel" },
		{ "lldp_rem_man_addr", "192.0.2.1" },
		{ "lldp_rem_sys_cap_supported", "28 00" },
		{ "lldp_rem_sys_cap_enabled", "28 00" },
		{ NULL, NULL },
	};

	if (p->now.oper_up)
		out_pairs(o, APPL_DB, "LLDP_ENTRY_TABLE", p->facts.name,
			  pairs);
	else
		out_delete(o, APPL_DB, "LLDP_ENTRY_TABLE", p->facts.name);
}

void neighbors_heard(struct box *b, const struct box_port *p)
{
	struct neighbor n = neighbor_of(b, p);
	struct out *o = box_out(b, p);

	lldp_row(o, p, &n);
	out_row(o, STATE_DB, "NEIGH_STATE_TABLE", n.address);
	out_text(o, "state", p->now.oper_up ? "Established" : "Active");
	out_row_end(o);
}

static void expected_rows(struct out *o, const struct box_port *p,
			  const struct neighbor *n)
{
	const struct out_pair peer[] = {
		{ "name", n->name }, { "port", n->port }, { NULL, NULL },
	};
	const struct out_pair metadata[] = {
		{ "hwsku", "Petrel-vswitch" }, { "type", "SpineRouter" },
		{ "mgmt_addr", "192.0.2.1" }, { NULL, NULL },
	};
	const struct out_pair session[] = {
		{ "name", n->name }, { "asn", n->asn },
		{ "holdtime", "10" }, { "keepalive", "3" }, { NULL, NULL },
	};

	out_pairs(o, CONFIG_DB, "DEVICE_NEIGHBOR", p->facts.name, peer);
	out_pairs(o, CONFIG_DB, "DEVICE_NEIGHBOR_METADATA", n->name,
		  metadata);
	out_pairs(o, CONFIG_DB, "BGP_NEIGHBOR", n->address, session);
}

void neighbors_settings(struct box *b)
{
	for (size_t i = 0; i < b->port_count; i++) {
		const struct box_port *p = &b->port[i];
		struct neighbor n = neighbor_of(b, p);

		if (!p->stopped)
			expected_rows(box_out(b, p), p, &n);
	}
}

void neighbors_forget(struct box *b, const struct box_port *p)
{
	struct neighbor n = neighbor_of(b, p);
	struct out *o = box_out(b, p);

	out_delete(o, APPL_DB, "LLDP_ENTRY_TABLE", p->facts.name);
	out_delete(o, STATE_DB, "NEIGH_STATE_TABLE", n.address);
	out_delete(o, CONFIG_DB, "DEVICE_NEIGHBOR", p->facts.name);
	out_delete(o, CONFIG_DB, "BGP_NEIGHBOR", n.address);
}
