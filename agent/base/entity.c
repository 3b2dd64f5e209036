#include "petrel/entity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/hash.h"
#include "agent/base/names.h"

#define CHECKSUM_LEN 9u		/* ~ and eight hexadecimal digits */

static const char *const kinds[ENTITY_KIND_COUNT] = {
	[ENTITY_SWITCH] = "switch",
	[ENTITY_ASIC] = "asic",
	[ENTITY_SENSOR] = "sensor",
	[ENTITY_POOL] = "pool",
	[ENTITY_PORT] = "port",
	[ENTITY_MODULE] = "module",
	[ENTITY_LANE] = "lane",
	[ENTITY_QUEUE] = "queue",
	[ENTITY_PRIORITY] = "priority",
	[ENTITY_PRIORITY_GROUP] = "priority_group",
	[ENTITY_POOL_SHARE] = "pool_share",
	[ENTITY_DATA_PATH] = "data_path",
	[ENTITY_SYSTEM_PORT] = "system_port",
	[ENTITY_FABRIC_PORT] = "fabric_port",
};

static const char *const attributes[ATTRIBUTE_COUNT] = {
	[ATTRIBUTE_ALIAS] = "alias",
	[ATTRIBUTE_DESCRIPTION] = "description",
	[ATTRIBUTE_MODULE] = "module",
	[ATTRIBUTE_FIRST_LANE] = "first_lane",
	[ATTRIBUTE_LANE_COUNT] = "lane_count",
	[ATTRIBUTE_MEDIA] = "media",
	[ATTRIBUTE_FEC] = "fec",
	[ATTRIBUTE_GROUP] = "group",
	[ATTRIBUTE_PEER_SWITCH] = "peer_switch",
	[ATTRIBUTE_PEER_PORT] = "peer_port",
	[ATTRIBUTE_ROLE] = "role",
	[ATTRIBUTE_VENDOR] = "vendor",
	[ATTRIBUTE_PART] = "part",
	[ATTRIBUTE_REVISION] = "revision",
	[ATTRIBUTE_SERIAL] = "serial",
	[ATTRIBUTE_DATE] = "date",
	[ATTRIBUTE_FIRMWARE] = "firmware",
	[ATTRIBUTE_FORM_FACTOR] = "form_factor",
	[ATTRIBUTE_OUI] = "oui",
	[ATTRIBUTE_CONNECTOR] = "connector",
	[ATTRIBUTE_CABLE_LENGTH] = "cable_length",
	[ATTRIBUTE_QUEUE_TYPE] = "queue_type",
	[ATTRIBUTE_HWSKU] = "hwsku",
	[ATTRIBUTE_PLATFORM] = "platform",
	[ATTRIBUTE_LABEL] = "label",
	[ATTRIBUTE_CABLE] = "cable",
	[ATTRIBUTE_TECHNOLOGY] = "technology",
	[ATTRIBUTE_STANDARD] = "standard",
	[ATTRIBUTE_HARDWARE] = "hardware",
	[ATTRIBUTE_INACTIVE_FIRMWARE] = "inactive_firmware",
	[ATTRIBUTE_APPLICATIONS] = "applications",
	[ATTRIBUTE_EXPECTED_PEER_SWITCH] = "expected_peer_switch",
	[ATTRIBUTE_EXPECTED_PEER_PORT] = "expected_peer_port",
	[ATTRIBUTE_SUB_ROLE] = "sub_role",
	[ATTRIBUTE_MAC] = "mac",
	[ATTRIBUTE_ASIC_NAME] = "asic_name",
	[ATTRIBUTE_ASIC_ID] = "asic_id",
	[ATTRIBUTE_SWITCH_TYPE] = "switch_type",
	[ATTRIBUTE_REGION] = "region",
	[ATTRIBUTE_RACK] = "rack",
	[ATTRIBUTE_DEPLOYMENT] = "deployment",
	[ATTRIBUTE_BUFFER_MODEL] = "buffer_model",
	[ATTRIBUTE_POOL_TYPE] = "pool_type",
	[ATTRIBUTE_POOL_MODE] = "pool_mode",
	[ATTRIBUTE_POWER_CLASS] = "power_class",
	[ATTRIBUTE_XCVR_ERROR] = "xcvr_error",
	[ATTRIBUTE_INTERFACE_TYPE] = "interface_type",
	[ATTRIBUTE_SLOT] = "slot",
	[ATTRIBUTE_PEER_TYPE] = "peer_type",
	[ATTRIBUTE_PEER_HWSKU] = "peer_hwsku",
	[ATTRIBUTE_PEER_ADDRESS] = "peer_address",
	[ATTRIBUTE_CLEI] = "clei",
	[ATTRIBUTE_LAG] = "lag",
	[ATTRIBUTE_REMOTE_SPEEDS] = "remote_speeds",
	[ATTRIBUTE_PFCWD_ACTION] = "pfcwd_action",
	[ATTRIBUTE_ADDRESS] = "address",
	[ATTRIBUTE_FIRMWARE_IMAGES] = "firmware_images",
};

bool entity_key_is(const struct entity_key *a, const struct entity_key *b)
{
	return a->kind == b->kind && a->parent == b->parent &&
	       a->number == b->number && strcmp(a->name, b->name) == 0;
}

const char *entity_kind_name(enum entity_kind kind)
{
	return names_get(kinds, ENTITY_KIND_COUNT, kind);
}

int entity_kind_parse(const char *name)
{
	return names_parse(kinds, ENTITY_KIND_COUNT, name);
}

const char *attribute_name(enum attribute attribute)
{
	return names_get(attributes, ATTRIBUTE_COUNT, attribute);
}

/* Cuts before a character of UTF-8, not inside it. */
void entity_name_fit(char ret[static ENTITY_NAME_MAX], const char *name,
		     size_t len)
{
	size_t head = ENTITY_NAME_MAX - 1 - CHECKSUM_LEN;
	uint64_t hash = hash_octets(0, name, len);

	if (len < ENTITY_NAME_MAX) {
		memcpy(ret, name, len);
		ret[len] = '\0';
		return;
	}
	while (head > 0 && ((unsigned char)name[head] & 0xc0) == 0x80)
		head--;
	(void)snprintf(ret, ENTITY_NAME_MAX, "%.*s~%08" PRIx32, (int)head,
		       name, (uint32_t)(hash ^ hash >> 32));
}
