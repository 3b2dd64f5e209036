/* The operator's configuration: CONFIG_DB except ports and counter groups. */
#include "platform/vswitch/rows.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/vswitch/box.h"
#include "platform/vswitch/value_text.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define ROW_NAME_MAX 64

static void metadata(struct box *b, struct out *o, int asic)
{
	static const struct out_pair same[] = {
		{ "platform", CONFIG_DB_PLATFORM }, { "type", "LeafRouter" },
		{ "hwsku", CONFIG_DB_HWSKU }, { "mac", "02:00:00:70:65:74" },
		{ "timezone", "UTC" }, { "buffer_model", "traditional" },
		{ "bgp_asn", "65100" }, { NULL, NULL },
	};

	out_row(o, CONFIG_DB, "DEVICE_METADATA", "localhost");
	out_fields(o, same);
	out_text(o, "hostname", plant_switch_name(b->plant));
	out_text(o, "switch_type", b->has_voqs && o != &b->host_out ? "voq" :
								      "npu");
	if (asic >= 0) {
		out_format(o, "asic_name", "asic%d", asic);
		/* Its place on PCI. */
		out_format(o, "asic_id", "%02x:00.0", asic + 1);
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

/* Rows of a port: the part after its name, and the contents. */
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

/* A port's rows in CONFIG_DB, except PORT and the expected peer. */
static void port_settings(const struct box_port *p)
{
	char name[ROW_NAME_MAX];

	for (size_t i = 0; i < COUNT(port_rows); i++) {
		(void)snprintf(name, sizeof(name), "%s%s", p->facts.name,
			       port_rows[i].suffix);
		out_pairs(p->out, CONFIG_DB, port_rows[i].table, name,
			  (const struct out_pair[]){
				  { port_rows[i].field, port_rows[i].value },
				  { NULL, NULL } });
	}
	/* The length of a cable determines the headroom of its link. */
	out_pairs(p->out, CONFIG_DB, "CABLE_LENGTH", "AZURE",
		  (const struct out_pair[]){
			  { p->facts.name, p->facts.optical ? "40m" : "5m" },
			  { NULL, NULL } });
}

/* buffermgrd computes a pool and passes it on to orchagent. */
static void setting_write(struct out *o, const struct setting *s)
{
	out_pairs(o, CONFIG_DB, s->table, s->name, s->pairs);
	if (strcmp(s->table, "BUFFER_POOL") == 0)
		out_pairs(o, APPL_DB, "BUFFER_POOL_TABLE", s->name, s->pairs);
}

static void features(struct box *b)
{
	static const char *const names[] = { "bgp", "database", "lldp", "pmon",
					     "swss", "syncd", "teamd" };
	static const struct out_pair config[] = {
		{ "state", "enabled" }, { "auto_restart", "enabled" },
		{ "has_global_scope", "True" },
		{ "has_per_asic_scope", "False" }, { NULL, NULL },
	}, state[] = {
		{ "state", "enabled" }, { "system_state", "up" },
		{ "remote_state", "none" }, { NULL, NULL },
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		out_pairs(b->host, CONFIG_DB, "FEATURE", names[i], config);
		out_row(b->host, STATE_DB, "FEATURE", names[i]);
		out_fields(b->host, state);
		out_text(b->host, "container_id", names[i]);
		out_date(b->host, "update_time", DATE_ISO, b->started_s);
		out_row_end(b->host);
	}
}

static void initialized(struct out *o)
{
	out_command(o, CONFIG_DB, (const char *const[]){
		"SET", "CONFIG_DB_INITIALIZED", "1", NULL });
}

void config_db_write(struct box *b)
{
	for (unsigned a = 0; a < b->asic_count; a++) {
		struct out *o = &b->asic[a].out;

		metadata(b, o, b->asic_count > 1 ? (int)a : -1);
		for (size_t i = 0; i < COUNT(settings); i++)
			setting_write(o, &settings[i]);
	}
	for (struct box_port *p = NULL; (p = box_next(b, p));)
		port_settings(p);
	if (b->asic_count > 1)
		metadata(b, b->host, -1);
	watchdog_settings(b);
	links_neighbors(b);
	features(b);
	for (unsigned a = 0; a < b->asic_count; a++)
		initialized(&b->asic[a].out);
	if (b->asic_count > 1)
		initialized(b->host);
}

void config_db_forget(const struct box_port *p)
{
	char name[ROW_NAME_MAX];

	for (size_t i = 0; i < COUNT(port_rows); i++) {
		(void)snprintf(name, sizeof(name), "%s%s", p->facts.name,
			       port_rows[i].suffix);
		out_delete(p->out, CONFIG_DB, port_rows[i].table, name);
	}
	out_delete(p->out, CONFIG_DB, "PFC_WD", p->facts.name);
}

int config_db_check(struct out *o, struct diag *d)
{
	char platform[96] = "";
	int rc = out_ask(o, CONFIG_DB, "DEVICE_METADATA|localhost", "platform",
			 platform, sizeof(platform), d);

	if (rc < 0 || !platform[0] || strcmp(platform, CONFIG_DB_PLATFORM) == 0)
		return rc;
	return diag_set(d, -EEXIST, "%s holds the database of a switch of "
			"platform %s; expected an empty redis-server, or one "
			"that petrel-vswitch filled before", o->socket,
			platform);
}

void config_db_tsa(struct box *b, bool away)
{
	const struct out_pair pairs[] = {
		{ "tsa_enabled", away ? "true" : "false" }, { NULL, NULL },
	};

	for (unsigned a = 0; a < b->asic_count; a++)
		out_pairs(&b->asic[a].out, CONFIG_DB, "BGP_DEVICE_GLOBAL",
			  "STATE", pairs);
}
