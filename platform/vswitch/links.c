/* Ports in APPL_DB and STATE_DB: PORT_TABLE, PORT_OPERR_TABLE, and the chip's
 * own view of its lanes, PORT_PHY_ATTR. Also the other end: the peer in LLDP,
 * the one that CONFIG_DB expects, the BGP session over the link.
 */
#include "platform/vswitch/rows.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"
#include "platform/vswitch/box.h"
#include "platform/vswitch/value_text.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MTU "9100"
#define BPS_PER_MBPS 1000000
#define JSON_MAX 512
#define SNR_PER_DB 256		/* SAI's unit */
#define PORTS_PER_LANES 8	/* from one front panel port to the next */
#define ASN_FIRST 65200

/* The order is that of sai_port_error_status_t. */
enum operr { MAC_LOCAL_FAULT, MAC_REMOTE_FAULT, FEC_SYNC_LOSS,
	     FEC_ALIGNMENT_LOSS, HIGH_SER_ERROR, HIGH_BER_ERROR, CRC_RATE,
	     DATA_UNIT_CRC_ERROR, DATA_UNIT_SIZE, DATA_UNIT_MISALIGNMENT_ERROR,
	     CODE_GROUP_ERROR, SIGNAL_LOCAL_ERROR, NO_RX_REACHABILITY };

static const char *const operr_names[BOX_OPERR_COUNT] = {
	"mac_local_fault", "mac_remote_fault", "fec_sync_loss",
	"fec_alignment_loss", "high_ser_error", "high_ber_error", "crc_rate",
	"data_unit_crc_error", "data_unit_size",
	"data_unit_misalignment_error", "code_group_error",
	"signal_local_error", "no_rx_reachability",
};

#define BIT(n) (1u << (n))

/* The chip's view of each cause of a link down. */
static const unsigned operr_of[PLANT_DOWN_COUNT] = {
	[PLANT_DOWN_NO_MODULE] = BIT(MAC_LOCAL_FAULT) | BIT(SIGNAL_LOCAL_ERROR),
	[PLANT_DOWN_NO_LIGHT] = BIT(MAC_LOCAL_FAULT) | BIT(FEC_SYNC_LOSS) |
				BIT(SIGNAL_LOCAL_ERROR),
	[PLANT_DOWN_REMOTE] = BIT(MAC_REMOTE_FAULT),
	[PLANT_DOWN_HIGH_BER] = BIT(FEC_ALIGNMENT_LOSS) | BIT(HIGH_SER_ERROR) |
				BIT(HIGH_BER_ERROR),
};

void links_lanes(const struct box_port *p, char ret[LINKS_LANES_MAX])
{
	size_t len = 0;

	for (unsigned i = 0; i < p->facts.lanes; i++)
		len += (size_t)snprintf(ret + len, LINKS_LANES_MAX - len,
					"%s%u", i ? "," : "", p->serdes + i);
}

static const char *fec_word(const struct box_port *p)
{
	return p->facts.fec[0] == 'r' ? "rs" : p->facts.fec;
}

static const char *up_down(bool up)
{
	return up ? "up" : "down";
}

static bool shares_core(const struct box_port *a, const struct box_port *b)
{
	return strcmp(a->facts.group, b->facts.group) == 0;
}

/* Numbers the components: counts the changes of component from the first port
 * to this one.
 */
static unsigned core_of(const struct box *b, const struct box_port *p)
{
	const struct box_port *first = b->port;
	unsigned core = 0;

	while (!shares_core(first, p)) {
		first++;
		core += !shares_core(first - 1, first);
	}
	return core;
}


/* Fields in both CONFIG_DB and APPL_DB. */
static void config_fields(struct out *o, const struct box *b,
			  const struct box_port *p)
{
	static const struct out_pair same[] = {
		{ "mtu", MTU }, { "tpid", "0x8100" }, { "pfc_asym", "off" },
		{ "autoneg", "off" }, { "role", "Ext" }, { NULL, NULL },
	};
	char lanes[LINKS_LANES_MAX];

	links_lanes(p, lanes);
	out_text(o, "alias", p->facts.alias);
	out_u64(o, "index", p->facts.module);
	out_text(o, "lanes", lanes);
	out_u64(o, "speed", p->facts.speed_bps / BPS_PER_MBPS);
	out_text(o, "fec", fec_word(p));
	out_fields(o, same);
	out_u64(o, "subport", p->subport);
	out_text(o, "admin_status", up_down(p->now.admin_up));
	out_text(o, "description", p->facts.peer_switch);
	/* port_config.ini of a VOQ switch has the core of the port. */
	if (b->has_voqs)
		out_u64(o, "core_id", core_of(b, p));
}

/* Each transition counts 1: odd if down, unless a fall was too short to see. */
static uint64_t flap_count(const struct box_port *p)
{
	uint64_t downs = p->now.link_down_count - p->base.link_down_count;

	return 2 * downs - (p->now.oper_up || downs == 0 ? 0 : 1);
}

static void oper_fields(struct out *o, const struct box_port *p)
{
	const struct link_past *l = &p->link;

	out_text(o, "oper_status", up_down(p->now.oper_up));
	out_u64(o, "flap_count", flap_count(p));
	if (l->last_up_s)
		out_time(o, "last_up_time", l->last_up_s);
	if (l->last_down_s)
		out_time(o, "last_down_time", l->last_down_s);
}

static void state_row(struct out *o, const struct box_port *p)
{
	static const struct out_pair same[] = {
		{ "state", "ok" }, { "mtu", MTU },
		{ "supported_fecs", "none,rs,fc,auto" },
		{ "link_training_status", "off" },
		{ "NPU_SI_SETTINGS_SYNC_STATUS", "NPU_SI_SETTINGS_DONE" },
		{ NULL, NULL },
	};

	out_row(o, STATE_DB, "PORT_TABLE", p->facts.name);
	out_fields(o, same);
	out_text(o, "netdev_oper_status", up_down(p->now.oper_up));
	out_text(o, "admin_status", up_down(p->now.admin_up));
	out_u64(o, "speed", p->facts.speed_bps / BPS_PER_MBPS);
	out_text(o, "fec", fec_word(p));
	out_text(o, "host_tx_ready", p->now.admin_up ? "true" : "false");
	out_row_end(o);
}

static void operr_row(struct out *o, const struct box_port *p)
{
	const struct link_past *l = &p->link;
	char field[64];

	if (!l->error_any_s)
		return;
	out_row(o, STATE_DB, "PORT_OPERR_TABLE", p->facts.name);
	out_u64(o, "oper_error_status", l->errors_now);
	out_date(o, "oper_error_status_time", DATE_ISO, l->error_any_s);
	for (unsigned i = 0; i < BOX_OPERR_COUNT; i++) {
		if (!l->error_count[i])
			continue;
		(void)snprintf(field, sizeof(field), "%s_count",
			       operr_names[i]);
		out_u64(o, field, l->error_count[i]);
		(void)snprintf(field, sizeof(field), "%s_time",
			       operr_names[i]);
		out_date(o, field, DATE_ISO, l->error_s[i]);
	}
	out_row_end(o);
}

static void errors_count(struct box_port *p, unsigned errors)
{
	struct link_past *l = &p->link;

	if (errors)
		l->error_any_s = p->out->now_s;
	for (unsigned i = 0; i < BOX_OPERR_COUNT; i++) {
		if (!(errors & BIT(i)))
			continue;
		l->error_count[i]++;
		l->error_s[i] = p->out->now_s;
	}
}

static void link_note(struct box_port *p)
{
	struct link_past *l = &p->link;

	if (!l->known) {
		*l = (struct link_past){ .known = true, .was_up = true,
					 .last_up_s = p->out->now_s };
		if (p->now.oper_up)
			return;
	}
	l->was_up = p->now.oper_up;
	if (p->now.oper_up) {
		l->last_up_s = p->out->now_s;
		l->errors_now = 0;
		return;
	}
	l->last_down_s = p->out->now_s;
	l->errors_now = operr_of[p->now.down];
	errors_count(p, l->errors_now);
}

/* A fall and a rise between two looks: the chip reported both. */
static void blink_note(struct box_port *p)
{
	p->link.last_down_s = p->out->now_s;
	if (p->now.oper_up)
		p->link.last_up_s = p->out->now_s;
	errors_count(p, BIT(MAC_LOCAL_FAULT));
}

/* --- peers ---------------------------------------------------------------- */

/* Every table takes it from here, so that none can differ. */
struct neighbor {
	const char *name, *port;	/* borrowed */
	char alias[16];			/* the peer's alias for that port */
	char mac[20], address[20], asn[12];
};

/* The number at the end of a name; 0 if there is none. */
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

/* lldpmgrd makes a switch send its alias as a locally assigned port id, and the
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
		out_pairs(o, APPL_DB, "LLDP_ENTRY_TABLE", p->facts.name, pairs);
	else
		out_delete(o, APPL_DB, "LLDP_ENTRY_TABLE", p->facts.name);
}

/* What is received over a link, as it is now. */
static void neighbor_rows(struct box *b, const struct box_port *p)
{
	struct neighbor n = neighbor_of(b, p);
	struct out *o = p->out;

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
	out_pairs(o, CONFIG_DB, "DEVICE_NEIGHBOR_METADATA", n->name, metadata);
	out_pairs(o, CONFIG_DB, "BGP_NEIGHBOR", n->address, session);
}

void links_neighbors(struct box *b)
{
	for (struct box_port *p = NULL; (p = box_next(b, p));) {
		struct neighbor n = neighbor_of(b, p);

		expected_rows(p->out, p, &n);
	}
}

/* --- all of it ------------------------------------------------------------ */

static void port_all(struct box *b, struct box_port *p)
{
	struct out *o = p->out;

	if (!p->link.known || p->link.was_up != p->now.oper_up)
		link_note(p);
	p->link.was_admin_up = p->now.admin_up;
	p->link.downs = p->now.link_down_count;
	out_row(o, CONFIG_DB, "PORT", p->facts.name);
	config_fields(o, b, p);
	out_row_end(o);
	out_row(o, APPL_DB, "PORT_TABLE", p->facts.name);
	config_fields(o, b, p);
	oper_fields(o, p);
	out_row_end(o);
	state_row(o, p);
	operr_row(o, p);
	neighbor_rows(b, p);
}

void links_all(struct box *b)
{
	for (struct box_port *p = NULL; (p = box_next(b, p));)
		port_all(b, p);
	for (unsigned i = 0; i < b->asic_count; i++) {
		struct out *o = &b->asic[i].out;

		out_row(o, APPL_DB, "PORT_TABLE", "PortConfigDone");
		out_u64(o, "count", b->port_count / b->asic_count);
		out_row_end(o);
		out_row(o, APPL_DB, "PORT_TABLE", "PortInitDone");
		out_text(o, "lanes", "0");
		out_row_end(o);
	}
}

void links_changes(struct box *b)
{
	for (struct box_port *p = NULL; (p = box_next(b, p));) {
		/* A fall too short for a poll counts, too. */
		bool flap = p->now.link_down_count != p->link.downs;

		if (!flap && p->now.oper_up == p->link.was_up &&
		    p->now.admin_up == p->link.was_admin_up)
			continue;
		if (flap && p->now.oper_up == p->link.was_up)
			blink_note(p);
		p->flags_due = 2;
		port_all(b, p);
	}
}

/* {"0":["T",0,0],"1":…} */
static void lanes_json(const struct box_port *p, bool is_set,
		       char ret[JSON_MAX])
{
	const struct link_past *l = &p->link;
	int64_t at = is_set ? l->last_up_s : l->last_down_s;
	bool changed = l->last_down_s != 0;
	/* The star stays until the next reading. */
	bool fresh = changed && p->out->now_s - at < 10;
	size_t len = 0;

	for (unsigned i = 0; i < p->facts.lanes; i++)
		len += (size_t)snprintf(ret + len, JSON_MAX - len,
			"%s\"%u\":[\"%s%s\",%lld,%llu]", i ? "," : "{", i,
			is_set ? "T" : "F", fresh ? "*" : "",
			changed ? (long long)at * 1000 : 0,
			(unsigned long long)flap_count(p));
	(void)snprintf(ret + len, JSON_MAX - len, "}");
}

static void snr_json(const struct box_port *p, char ret[JSON_MAX])
{
	size_t len = 0;

	for (unsigned i = 0; i < p->facts.lanes; i++)
		len += (size_t)snprintf(ret + len, JSON_MAX - len,
			"%s\"%u\":%ld", i ? "," : "{", i,
			lround(fmax(p->now.lane[i].snr_db, 0) * SNR_PER_DB));
	(void)snprintf(ret + len, JSON_MAX - len, "}");
}

void links_phy(struct box *b)
{
	for (struct box_port *p = NULL; (p = box_next(b, p));) {
		struct out *o = p->out;
		char json[JSON_MAX];

		out_row_oid(o, "PORT_PHY_ATTR", p->oid);
		lanes_json(p, p->now.down != PLANT_DOWN_NO_LIGHT &&
			      p->now.present, json);
		out_text(o, "phy_rx_signal_detect", json);
		lanes_json(p, p->now.oper_up, json);
		out_text(o, "pcs_fec_lane_alignment_lock", json);
		snr_json(p, json);
		out_text(o, "rx_snr", json);
		out_row_end(o);
	}
}

void links_forget(struct box *b, const struct box_port *p)
{
	static const struct { enum out_db db; const char *table; } rows[] = {
		{ CONFIG_DB, "PORT" }, { APPL_DB, "PORT_TABLE" },
		{ STATE_DB, "PORT_TABLE" }, { STATE_DB, "PORT_OPERR_TABLE" },
		{ APPL_DB, "LLDP_ENTRY_TABLE" },
		{ CONFIG_DB, "DEVICE_NEIGHBOR" },
	};
	struct neighbor n = neighbor_of(b, p);

	for (size_t i = 0; i < COUNT(rows); i++)
		out_delete(p->out, rows[i].db, rows[i].table, p->facts.name);
	out_delete(p->out, STATE_DB, "NEIGH_STATE_TABLE", n.address);
	out_delete(p->out, CONFIG_DB, "BGP_NEIGHBOR", n.address);
}
