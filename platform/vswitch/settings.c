#include "platform/vswitch/settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/vswitch/box.h"
#include "platform/vswitch/links.h"
#include "platform/vswitch/text.h"
#include "platform/vswitch/watchdog.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define ROW_NAME_MAX 64

static void metadata(struct box *b, struct out *o, int asic)
{
	char name[16];

	out_row(o, CONFIG_DB, "DEVICE_METADATA", "localhost");
	out_text(o, "hostname", plant_switch_name(b->plant));
	out_text(o, "hwsku", SETTINGS_HWSKU);
	out_text(o, "platform", SETTINGS_PLATFORM);
	out_text(o, "mac", "02:00:00:70:65:74");
	out_text(o, "type", "LeafRouter");
	out_text(o, "switch_type", b->has_voqs && o != &b->host_out ?
		 "voq" : "npu");
	out_text(o, "timezone", "UTC");
	out_text(o, "buffer_model", "traditional");
	out_text(o, "bgp_asn", "65100");
	if (asic >= 0) {
		(void)snprintf(name, sizeof(name), "asic%d", asic);
		out_text(o, "asic_name", name);
		(void)snprintf(name, sizeof(name), "%02x:00.0", asic + 1);
		out_text(o, "asic_id", name);	/* where it sits on PCI */
		out_text(o, "sub_role", "FrontEnd");
	}
	out_row_end(o);
}

struct setting {
	const char *table, *name;
	struct out_pair pairs[6];
};

static const struct setting settings[] = {
	{ "BUFFER_POOL", "egress_lossless_pool",
	  { { "mode", "static" }, { "type", "egress" },
	    { "size", "67108864" } } },
	{ "BUFFER_POOL", "egress_lossy_pool",
	  { { "mode", "dynamic" }, { "type", "egress" },
	    { "size", "58720256" } } },
	{ "BUFFER_POOL", "ingress_lossless_pool",
	  { { "mode", "dynamic" }, { "type", "ingress" },
	    { "size", "67108864" }, { "xoff", "4194304" } } },
	{ "BUFFER_PROFILE", "egress_lossless_profile",
	  { { "pool", "egress_lossless_pool" }, { "size", "0" },
	    { "static_th", "67108864" } } },
	{ "BUFFER_PROFILE", "egress_lossy_profile",
	  { { "pool", "egress_lossy_pool" }, { "size", "1518" },
	    { "dynamic_th", "3" } } },
	{ "BUFFER_PROFILE", "ingress_lossy_profile",
	  { { "pool", "ingress_lossless_pool" }, { "size", "0" },
	    { "static_th", "67108864" } } },
	{ "BUFFER_PROFILE", "pg_lossless_profile",
	  { { "pool", "ingress_lossless_pool" }, { "size", "18432" },
	    { "xon", "18432" }, { "xoff", "165888" },
	    { "dynamic_th", "0" } } },
	{ "WRED_PROFILE", "AZURE_LOSSLESS",
	  { { "ecn", "ecn_all" }, { "green_min_threshold", "250000" },
	    { "green_max_threshold", "2097152" },
	    { "green_drop_probability", "5" },
	    { "wred_green_enable", "true" } } },
	{ "SCHEDULER", "scheduler.0", { { "type", "DWRR" },
					{ "weight", "14" } } },
	{ "TC_TO_PRIORITY_GROUP_MAP", "AZURE",
	  { { "0", "0" }, { "3", "3" }, { "7", "7" } } },
	{ "TC_TO_QUEUE_MAP", "AZURE",
	  { { "0", "0" }, { "3", "3" }, { "7", "7" } } },
	{ "MAP_PFC_PRIORITY_TO_QUEUE", "AZURE",
	  { { "0", "0" }, { "3", "3" }, { "7", "7" } } },
	{ "DSCP_TO_TC_MAP", "AZURE",
	  { { "0", "0" }, { "26", "3" }, { "48", "7" } } },
	{ "BGP_DEVICE_GLOBAL", "STATE", { { "tsa_enabled", "false" } } },
};

/* Rows of a port: the part behind its name, and what it holds. */
static const struct {
	const char *table, *suffix, *field, *value;
} port_rows[] = {
	{ "BUFFER_QUEUE", "|0-2", "profile", "egress_lossy_profile" },
	{ "BUFFER_QUEUE", "|3", "profile", "egress_lossless_profile" },
	{ "BUFFER_QUEUE", "|4-7", "profile", "egress_lossy_profile" },
	{ "BUFFER_PG", "|0", "profile", "ingress_lossy_profile" },
	{ "BUFFER_PG", "|3", "profile", "pg_lossless_profile" },
	{ "QUEUE", "|3", "wred_profile", "AZURE_LOSSLESS" },
	{ "PORT_QOS_MAP", "", "pfc_enable", "3" },
	{ "PORT_QOS_MAP", "", "pfcwd_sw_enable", "3" },
	{ "PORT_QOS_MAP", "", "dscp_to_tc_map", "AZURE" },
	{ "PORT_QOS_MAP", "", "tc_to_queue_map", "AZURE" },
	{ "PORT_QOS_MAP", "", "tc_to_pg_map", "AZURE" },
	{ "PORT_QOS_MAP", "", "pfc_to_queue_map", "AZURE" },
};

static void port_settings(struct out *o, const struct box_port *p)
{
	char name[ROW_NAME_MAX];

	for (size_t i = 0; i < COUNT(port_rows); i++) {
		(void)snprintf(name, sizeof(name), "%s%s", p->facts.name,
			       port_rows[i].suffix);
		out_row(o, CONFIG_DB, port_rows[i].table, name);
		out_text(o, port_rows[i].field, port_rows[i].value);
		out_row_end(o);
	}
}

/* What buffermgrd makes of a pool, it hands on to orchagent. */
static void setting_write(struct out *o, const struct setting *s)
{
	out_pairs(o, CONFIG_DB, s->table, s->name, s->pairs);
	if (strcmp(s->table, "BUFFER_POOL") == 0)
		out_pairs(o, APPL_DB, "BUFFER_POOL_TABLE", s->name, s->pairs);
}

/* How long they are decides what headroom a link needs. */
static void cables(struct box *b)
{
	for (size_t i = 0; i < b->port_count; i++) {
		const struct box_port *p = &b->port[i];
		struct out *o = p->out;

		if (p->stopped)
			continue;
		out_row(o, CONFIG_DB, "CABLE_LENGTH", "AZURE");
		out_text(o, p->facts.name, p->facts.optical ? "40m" : "5m");
		out_row_end(o);
	}
}

static void features(struct out *o, int64_t unix_s)
{
	static const char *const names[] = { "bgp", "database", "lldp", "pmon",
					     "swss", "syncd", "teamd" };
	char time[TEXT_VALUE_MAX];

	text_time_iso(unix_s, time);
	for (size_t i = 0; i < COUNT(names); i++) {
		out_row(o, CONFIG_DB, "FEATURE", names[i]);
		out_text(o, "state", "enabled");
		out_text(o, "auto_restart", "enabled");
		out_text(o, "has_global_scope", "True");
		out_text(o, "has_per_asic_scope", "False");
		out_row_end(o);
		out_row(o, STATE_DB, "FEATURE", names[i]);
		out_text(o, "state", "enabled");
		out_text(o, "container_id", names[i]);
		out_text(o, "system_state", "up");
		out_text(o, "remote_state", "none");
		out_text(o, "update_time", time);
		out_row_end(o);
	}
}

static void initialized(struct out *o)
{
	out_command(o, CONFIG_DB, (const char *const[]){
		"SET", "CONFIG_DB_INITIALIZED", "1", NULL });
}

void settings_write(struct box *b, int64_t unix_s)
{
	for (unsigned a = 0; a < b->asic_count; a++) {
		struct out *o = &b->asic[a].out;

		metadata(b, o, b->asic_count > 1 ? (int)a : -1);
		for (size_t i = 0; i < COUNT(settings); i++)
			setting_write(o, &settings[i]);
	}
	for (size_t i = 0; i < b->port_count; i++)
		if (!b->port[i].stopped)
			port_settings(b->port[i].out, &b->port[i]);
	if (b->asic_count > 1)
		metadata(b, b->host, -1);
	cables(b);
	watchdog_settings(b);
	links_neighbors(b);
	features(b->host, unix_s);
	for (unsigned a = 0; a < b->asic_count; a++)
		initialized(&b->asic[a].out);
	if (b->asic_count > 1)
		initialized(b->host);
}

void settings_forget(struct box *b, const struct box_port *p)
{
	struct out *o = p->out;
	char name[ROW_NAME_MAX];

	for (size_t i = 0; i < COUNT(port_rows); i++) {
		(void)snprintf(name, sizeof(name), "%s%s", p->facts.name,
			       port_rows[i].suffix);
		out_delete(o, CONFIG_DB, port_rows[i].table, name);
	}
	out_delete(o, CONFIG_DB, "PFC_WD", p->facts.name);
}

int settings_check(struct out *o, struct diag *d)
{
	char platform[96] = "";
	int rc = out_ask(o, CONFIG_DB, "DEVICE_METADATA|localhost", "platform",
			 platform, sizeof(platform), d);

	if (rc < 0 || !platform[0] || strcmp(platform, SETTINGS_PLATFORM) == 0)
		return rc;
	return diag_set(d, -EEXIST, "%s is the database of a switch of "
			"platform %s; expected an empty redis-server, or one "
			"that was played into before", o->socket, platform);
}

void settings_tsa(struct box *b, bool away)
{
	for (unsigned a = 0; a < b->asic_count; a++) {
		struct out *o = &b->asic[a].out;

		out_row(o, CONFIG_DB, "BGP_DEVICE_GLOBAL", "STATE");
		out_text(o, "tsa_enabled", away ? "true" : "false");
		out_row_end(o);
	}
}
