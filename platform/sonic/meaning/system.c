/* The switch and its settings: DEVICE_METADATA, its label, buffer pools,
 * lossless priorities, gearboxes.
 */
#include "platform/sonic/meaning/tables.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/label.h"
#include "agent/base/number.h"
#include "platform/sonic/meaning/counters.h"
#include "platform/sonic/switchdb/cages.h"
#include "platform/sonic/switchdb/namespace.h"

#define CHASSIS_INFO "CHASSIS_INFO"

enum switch_text {
	SWITCH_TEXT_HOSTNAME,
	SWITCH_TEXT_HWSKU,
	SWITCH_TEXT_PLATFORM,
	SWITCH_TEXT_TYPE,
	SWITCH_TEXT_SUB_ROLE,
	SWITCH_TEXT_MAC,
	SWITCH_TEXT_ASIC_NAME,
	SWITCH_TEXT_ASIC_ID,
	SWITCH_TEXT_SWITCH_TYPE,
	SWITCH_TEXT_REGION,
	SWITCH_TEXT_RACK,
	SWITCH_TEXT_DEPLOYMENT,
	SWITCH_TEXT_BUFFER_MODEL,
	SWITCH_TEXT_COUNT,
};

enum chassis_text {
	CHASSIS_TEXT_SERIAL,
	CHASSIS_TEXT_SERIAL_OLD,
	CHASSIS_TEXT_MAC,
};

enum { GEARBOX_TEXT_NAME, GEARBOX_TEXT_PHY, GEARBOX_TEXT_LINE };

_Static_assert(SWITCH_TEXT_COUNT <= FIELD_TEXTS_MAX, "a row has room");

static const struct field port_pfcwd[] = {
	{ "detection_time", Q_PFCWD_DETECTION_MS, 0, 0, FIELD_SCALED, 1 },
	{ "restoration_time", Q_PFCWD_RESTORATION_MS, 0, 0, FIELD_SCALED, 1 },
	{ "pfc_stat_history", Q_PFCWD_HISTORY, 0, 0, FIELD_BOOL, 1 },
	FIELD_ATTRIBUTE("action", 0, ATTRIBUTE_PFCWD_ACTION),
};

static const struct field port_qos[] = {
	FIELD_AS_TEXT("pfc_enable", 0),
};

/* The gearbox of a port. */
static const struct field port_gearbox[] = {
	FIELD_AS_TEXT("name", GEARBOX_TEXT_NAME),
	FIELD_AS_TEXT("phy_id", GEARBOX_TEXT_PHY),
	FIELD_AS_TEXT("line_lanes", GEARBOX_TEXT_LINE),
};

static const struct field pool_appl[] = {
	{ "size", Q_POOL_SIZE_OCTETS, 0, 0, FIELD_COUNTER, 1 },
	{ "xoff", Q_POOL_XOFF_SIZE_OCTETS, 0, 0, FIELD_COUNTER, 1 },
};

static const struct field pool_config[] = {
	{ "size", Q_POOL_CONFIG_SIZE_OCTETS, 0, 0, FIELD_COUNTER, 1 },
	{ "xoff", Q_POOL_CONFIG_XOFF_SIZE_OCTETS, 0, 0, FIELD_COUNTER, 1 },
	FIELD_ATTRIBUTE("type", 0, ATTRIBUTE_POOL_TYPE),
	FIELD_ATTRIBUTE("mode", 1, ATTRIBUTE_POOL_MODE),
};

static const struct field metadata[] = {
	FIELD_AS_TEXT("hostname", SWITCH_TEXT_HOSTNAME),
	FIELD_ATTRIBUTE("hwsku", SWITCH_TEXT_HWSKU, ATTRIBUTE_HWSKU),
	FIELD_ATTRIBUTE("platform", SWITCH_TEXT_PLATFORM, ATTRIBUTE_PLATFORM),
	FIELD_ATTRIBUTE("type", SWITCH_TEXT_TYPE, ATTRIBUTE_ROLE),
	FIELD_ATTRIBUTE("sub_role", SWITCH_TEXT_SUB_ROLE, ATTRIBUTE_SUB_ROLE),
	FIELD_AS_TEXT("mac", SWITCH_TEXT_MAC),
	FIELD_ATTRIBUTE("asic_name", SWITCH_TEXT_ASIC_NAME,
			ATTRIBUTE_ASIC_NAME),
	FIELD_ATTRIBUTE("asic_id", SWITCH_TEXT_ASIC_ID, ATTRIBUTE_ASIC_ID),
	FIELD_ATTRIBUTE("switch_type", SWITCH_TEXT_SWITCH_TYPE,
			ATTRIBUTE_SWITCH_TYPE),
	FIELD_ATTRIBUTE("region", SWITCH_TEXT_REGION, ATTRIBUTE_REGION),
	FIELD_ATTRIBUTE("rack", SWITCH_TEXT_RACK, ATTRIBUTE_RACK),
	FIELD_ATTRIBUTE("deployment_id", SWITCH_TEXT_DEPLOYMENT,
			ATTRIBUTE_DEPLOYMENT),
	FIELD_ATTRIBUTE("buffer_model", SWITCH_TEXT_BUFFER_MODEL,
			ATTRIBUTE_BUFFER_MODEL),
};

/* Names from two generations of pmon; some platforms leave the older empty. */
static const struct field chassis_info[] = {
	FIELD_AS_TEXT("serial", CHASSIS_TEXT_SERIAL),
	FIELD_AS_TEXT("serial_num", CHASSIS_TEXT_SERIAL_OLD),
	FIELD_AS_TEXT("base_mac_addr", CHASSIS_TEXT_MAC),
};

static const struct field eeprom_serial[] = {
	FIELD_AS_TEXT("Value", CHASSIS_TEXT_SERIAL),
};

static const struct field eeprom_mac[] = {
	FIELD_AS_TEXT("Value", CHASSIS_TEXT_MAC),
};

/* The switch's own name, type and location. */
static void switch_row(struct poll *p, struct run *r, struct object *o,
		       const struct row *row)
{
	const struct platform_host *host = r->namespace->host;
	struct entity_key key = { .kind = ENTITY_SWITCH };
	uint32_t handle = r->namespace->topology.parent;

	(void)p;
	(void)o;
	/* Each of several chips reports its own; the name is the switch's. */
	memcpy(key.name, row->text[SWITCH_TEXT_HOSTNAME],
	       sizeof(key.name) - 1);
	if (handle == ENTITY_NONE &&
	    host->entity(host->context, &key, &handle) < 0)
		return;
	(void)snprintf(r->namespace->switch_type,
		       sizeof(r->namespace->switch_type), "%.15s",
		       row->text[SWITCH_TEXT_SWITCH_TYPE]);
	r->namespace->has_mac = row->text[SWITCH_TEXT_MAC][0] != '\0';
	row_attributes(row, &r->index, host, handle, true);
	if (r->namespace->has_mac)
		host->attribute(host->context, handle, ATTRIBUTE_MAC,
				row->text[SWITCH_TEXT_MAC]);
}

/* CHASSIS_INFO comes before the EEPROM, which may be a card's. On a multi-ASIC
 * switch only the host's databases describe the switch.
 */
static void label_row(struct poll *p, struct run *r, struct object *o,
		      const struct row *row)
{
	const struct platform_host *host = r->namespace->host;
	static const struct entity_key self = { .kind = ENTITY_SWITCH };
	char serial[LABEL_SERIAL_MAX], mac[LABEL_MAC_MAX];
	bool is_info = strcmp(r->table->name, CHASSIS_INFO) == 0;
	uint32_t handle;

	(void)p;
	(void)o;
	if (r->namespace->topology.parent != ENTITY_NONE ||
	    host->entity(host->context, &self, &handle) < 0)
		return;
	label_serial(row->text[CHASSIS_TEXT_SERIAL], serial);
	if (!serial[0])
		label_serial(row->text[CHASSIS_TEXT_SERIAL_OLD], serial);
	label_mac(row->text[CHASSIS_TEXT_MAC], mac);
	if (is_info)
		r->namespace->has_serial = serial[0] != '\0';
	if (serial[0] && (is_info ||
			  !r->namespace->has_serial))
		host->attribute(host->context, handle, ATTRIBUTE_SERIAL,
				serial);
	if (mac[0] && !r->namespace->has_mac)
		host->attribute(host->context, handle, ATTRIBUTE_MAC, mac);
}

/* Numbers and attributes: a pool's size and type, the settings of the PFC
 * watchdog on a port.
 */
static void setting_row(struct poll *p, struct run *r, struct object *o,
			const struct row *row)
{
	row_attributes(row, &r->index, r->namespace->host, o->handle, true);
	counters_row(p, r, o, row);
}

/* "3,4" as a set. */
static unsigned priorities_parse(const char *text)
{
	unsigned set = 0;

	while (*text) {
		size_t len = strcspn(text, ",");
		uint64_t priority;

		if (number_parse_n(text, len, 0, PORT_PRIORITIES_MAX - 1,
				   &priority) == 0)
			set |= 1u << priority;
		text += len + (text[len] == ',');
	}
	return set;
}

/* The lossless priorities of a port. */
static void qos_row(struct poll *p, struct run *r, struct object *o,
		    const struct row *row)
{
	const struct platform_host *host = r->namespace->host;
	unsigned lossless = priorities_parse(row->text[0]);
	struct read_group age = { .taken = p->asked, .part = r->number };

	for (unsigned i = 0; i < PORT_PRIORITIES_MAX; i++) {
		uint32_t handle = counters_entity_of(r->namespace, o->handle,
						     o->port, 1 + i);

		if (handle == ENTITY_NONE)
			continue;
		host->group(host->context, p->source, handle, &age);
		host->sample(host->context, Q_PFC_LOSSLESS, 0,
			     lossless >> i & 1, QUALITY_GOOD);
	}
}

/* ONIE's TlvInfo. */
#define TLV(row_)							\
	ROW("EEPROM_INFO", SONIC_SETTINGS, DATABASE_STATE,		\
	    OBJECT_SWITCH),						\
	.key = KEY_ROW, .row = (row_), .optional = true, .take = label_row
#define GEARBOX(key_)							\
	ROW("_GEARBOX_TABLE:interface", SONIC_SETTINGS, DATABASE_APPL,	\
	    OBJECT_PORT),						\
	FIELDS(port_gearbox), .key = (key_), .optional = true,		\
	.sparse = true, .take = gearbox_row

/* The gearbox that a port shares with others. */
static void gearbox_row(struct poll *p, struct run *r, struct object *o,
			const struct row *row)
{
	struct topology *t = &r->namespace->topology;

	(void)p;
	/* The key may be of another port: match by name. */
	if (strcmp(row->text[GEARBOX_TEXT_NAME], o->name) != 0)
		return;
	(void)snprintf(o->port->gearbox, sizeof(o->port->gearbox), "%.15s",
		       row->text[GEARBOX_TEXT_PHY]);
	cages_port_line(t, o, row->text[GEARBOX_TEXT_LINE]);
	cages_port_group(t, o);
}

static const struct table tables[] = {
	{ ROW("PFC_WD", SONIC_SETTINGS, DATABASE_CONFIG, OBJECT_PORT),
	  FIELDS(port_pfcwd), .optional = true, .take = setting_row },
	{ ROW("PORT_QOS_MAP", SONIC_SETTINGS, DATABASE_CONFIG, OBJECT_PORT),
	  FIELDS(port_qos), .optional = true, .take = qos_row },
	{ GEARBOX(KEY_INDEX) },
	/* As in images of 2020, and without an index. */
	{ GEARBOX(KEY_DIGITS) },
	{ ROW("BUFFER_POOL_TABLE", SONIC_SETTINGS, DATABASE_APPL, OBJECT_POOL),
	  FIELDS(pool_appl), .optional = true, .take = counters_row },
	{ ROW("BUFFER_POOL", SONIC_SETTINGS, DATABASE_CONFIG, OBJECT_POOL),
	  FIELDS(pool_config), .optional = true, .take = setting_row },
	{ ROW("DEVICE_METADATA", SONIC_SETTINGS, DATABASE_CONFIG,
	      OBJECT_SWITCH),
	  FIELDS(metadata), .key = KEY_ROW, .row = "localhost",
	  .take = switch_row },
	{ ROW(CHASSIS_INFO, SONIC_SETTINGS, DATABASE_STATE, OBJECT_SWITCH),
	  FIELDS(chassis_info), .key = KEY_ROW, .row = "chassis 1",
	  .optional = true, .take = label_row },
	{ TLV("0x23"), FIELDS(eeprom_serial) },
	{ TLV("0x24"), FIELDS(eeprom_mac) },
};

const struct table_list system_tables = TABLE_LIST(tables);
