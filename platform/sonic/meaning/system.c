/* What the switch is and how it is set up: DEVICE_METADATA, buffer pools,
 * lossless priorities, gearboxes.
 */
#include <stdio.h>
#include <string.h>

#include "agent/base/label.h"
#include "agent/base/number.h"
#include "platform/sonic/switchdb/namespace.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

void system_switch_row(struct poll *p, struct run *r, struct object *o,
		       const struct row *row)
{
	static const struct {
		enum switch_text text;
		enum attribute attribute;
	} map[] = {
		{ SWITCH_TEXT_HWSKU, ATTRIBUTE_HWSKU },
		{ SWITCH_TEXT_PLATFORM, ATTRIBUTE_PLATFORM },
		{ SWITCH_TEXT_TYPE, ATTRIBUTE_ROLE },
		{ SWITCH_TEXT_SUB_ROLE, ATTRIBUTE_SUB_ROLE },
		{ SWITCH_TEXT_MAC, ATTRIBUTE_MAC },
		{ SWITCH_TEXT_ASIC_NAME, ATTRIBUTE_ASIC_NAME },
		{ SWITCH_TEXT_ASIC_ID, ATTRIBUTE_ASIC_ID },
		{ SWITCH_TEXT_SWITCH_TYPE, ATTRIBUTE_SWITCH_TYPE },
		{ SWITCH_TEXT_REGION, ATTRIBUTE_REGION },
		{ SWITCH_TEXT_RACK, ATTRIBUTE_RACK },
		{ SWITCH_TEXT_DEPLOYMENT, ATTRIBUTE_DEPLOYMENT },
		{ SWITCH_TEXT_BUFFER_MODEL, ATTRIBUTE_BUFFER_MODEL },
	};
	const struct platform_host *host = r->namespace->host;
	struct entity_key key = { .kind = ENTITY_SWITCH };
	uint32_t handle = r->namespace->topology.parent;

	(void)p;
	(void)o;
	/* Of several chips each tells of itself; the name is the switch's. */
	memcpy(key.name, row->text[SWITCH_TEXT_HOSTNAME],
	       sizeof(key.name) - 1);
	if (handle == ENTITY_NONE &&
	    host->entity(host->context, &key, &handle) < 0)
		return;
	(void)snprintf(r->namespace->switch_type,
		       sizeof(r->namespace->switch_type), "%.15s",
		       row->text[SWITCH_TEXT_SWITCH_TYPE]);
	r->namespace->has_mac = row->text[SWITCH_TEXT_MAC][0] != '\0';
	for (size_t i = 0; i < COUNT(map); i++)
		if (map[i].attribute != ATTRIBUTE_MAC || r->namespace->has_mac)
			host->attribute(host->context, handle,
					map[i].attribute,
					row->text[map[i].text]);
}

/* CHASSIS_INFO is asked before the EEPROM, which may be a card's. Of several
 * chips the host's databases alone speak of the switch.
 */
void system_chassis_row(struct poll *p, struct run *r, struct object *o,
			const struct row *row)
{
	const struct platform_host *host = r->namespace->host;
	static const struct entity_key self = { .kind = ENTITY_SWITCH };
	char serial[LABEL_SERIAL_MAX], mac[LABEL_MAC_MAX];
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
	if (r->number == TABLE_CHASSIS_INFO)
		r->namespace->has_serial = serial[0] != '\0';
	if (serial[0] && (r->number == TABLE_CHASSIS_INFO ||
			  !r->namespace->has_serial))
		host->attribute(host->context, handle, ATTRIBUTE_SERIAL,
				serial);
	if (mac[0] && !r->namespace->has_mac)
		host->attribute(host->context, handle, ATTRIBUTE_MAC, mac);
}

void system_pool_row(struct poll *p, struct run *r, struct object *o,
		     const struct row *row)
{
	const struct platform_host *host = r->namespace->host;

	host->attribute(host->context, o->handle, ATTRIBUTE_POOL_TYPE,
			row->text[POOL_TEXT_TYPE]);
	host->attribute(host->context, o->handle, ATTRIBUTE_POOL_MODE,
			row->text[POOL_TEXT_MODE]);
	counters_row(p, r, o, row);
}

void system_pfcwd_row(struct poll *p, struct run *r, struct object *o,
		      const struct row *row)
{
	const struct platform_host *host = r->namespace->host;

	host->attribute(host->context, o->handle, ATTRIBUTE_PFCWD_ACTION,
			row->text[0]);
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

void system_qos_row(struct poll *p, struct run *r, struct object *o,
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

void system_gearbox_row(struct poll *p, struct run *r, struct object *o,
			const struct row *row)
{
	(void)p;
	/* The number in the key is the gearbox's own: the name decides. */
	if (strcmp(row->text[GEARBOX_TEXT_NAME], o->name) == 0)
		(void)snprintf(o->port->gearbox, sizeof(o->port->gearbox),
			       "%.15s", row->text[GEARBOX_TEXT_PHY]);
	topology_port_group(&r->namespace->topology, o);
}
