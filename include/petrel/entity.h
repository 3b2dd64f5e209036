/* C2: what is measured.
 *
 * An entity is (kind, parent, name or number). The core gives each a 32-bit
 * id that is never used again within a run; drivers see handles instead
 * (platform.h). A lane's parent is its module, not its port: in a breakout
 * four ports share one eight-lane module, and each port names its module and
 * its lanes by attributes. A data path's parent is its module too: counts for
 * all lanes of a path belong to no single lane. The ASIC is the parent of a
 * pool and, on a multi-ASIC switch, of a port. A swapped module is a new
 * entity, and so are its lanes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ENTITY_NONE 0u		/* no entity; the parent of the switch */
#define ENTITY_NAME_MAX 64	/* with its NUL; longer names are rejected */
#define ATTRIBUTE_TEXT_MAX 128	/* with its NUL; longer texts are truncated */
#define PORT_LANES_MAX 8	/* media lanes of one port */

enum entity_kind {
	ENTITY_SWITCH = 1,
	ENTITY_ASIC,		/* name: asic0; only where there are several */
	ENTITY_SENSOR,
	ENTITY_POOL,
	ENTITY_PORT,		/* name: the platform's, Ethernet8 */
	ENTITY_MODULE,		/* number: of the cage */
	ENTITY_LANE,		/* number: 1 to 8, as on the module */
	ENTITY_QUEUE,		/* number: queue index of the port */
	ENTITY_PRIORITY,	/* number: PFC priority 0 to 7 of the port */
	ENTITY_PRIORITY_GROUP,
	ENTITY_POOL_SHARE,
	ENTITY_DATA_PATH,	/* number: its first host lane on the module */
	ENTITY_SYSTEM_PORT,	/* name: of a port anywhere in a chassis; its
				 * queues are virtual output queues here */
	ENTITY_FABRIC_PORT,	/* name: of a link between chips, PORT3 */
	ENTITY_KIND_COUNT,
};

/* Names an entity. An empty name means that the number names it. */
struct entity_key {
	enum entity_kind kind;
	uint32_t parent;	/* handle or id, whichever is in use there */
	uint32_t number;
	char name[ENTITY_NAME_MAX];
};

/* Whether both name the same. */
bool entity_key_is(const struct entity_key *a, const struct entity_key *b);

/* Makes a name fit: one of ENTITY_NAME_MAX octets or more is cut, and ends in ~
 * and a checksum of the full name, so that it stays unique.
 */
void entity_name_fit(char ret[static ENTITY_NAME_MAX], const char *name,
		     size_t len);

/* Facts about an entity, as text. The numbers are on the wire: never changed,
 * never used again.
 */
enum attribute {
	ATTRIBUTE_ALIAS = 1,	/* the operator's name of a port */
	ATTRIBUTE_DESCRIPTION,
	ATTRIBUTE_MODULE,	/* of a port: its module's cage */
	ATTRIBUTE_FIRST_LANE,	/* of a port: on its module, from 1 */
	ATTRIBUTE_LANE_COUNT,	/* of a port: how many lanes */
	ATTRIBUTE_MEDIA,	/* DR4 FR4 LR4 SR4 … DAC AEC AOC */
	ATTRIBUTE_FEC,		/* none fc rs528 rs544, the one in use */
	ATTRIBUTE_GROUP,	/* ports that share a core, a rail */
	ATTRIBUTE_PEER_SWITCH,	/* as LLDP or the configuration names it */
	ATTRIBUTE_PEER_PORT,
	ATTRIBUTE_ROLE,		/* Ext, Int, Inb, Rec; or what fabric says */
	ATTRIBUTE_VENDOR,
	ATTRIBUTE_PART,
	ATTRIBUTE_REVISION,
	ATTRIBUTE_SERIAL,
	ATTRIBUTE_DATE,		/* the module's date code */
	ATTRIBUTE_FIRMWARE,
	ATTRIBUTE_FORM_FACTOR,	/* QSFP-DD, OSFP, SFP28 … */
	ATTRIBUTE_OUI,
	ATTRIBUTE_CONNECTOR,
	ATTRIBUTE_CABLE_LENGTH,	/* metres, decimal text */
	ATTRIBUTE_QUEUE_TYPE,	/* unicast, multicast, all, voq */
	ATTRIBUTE_HWSKU,
	ATTRIBUTE_PLATFORM,
	ATTRIBUTE_LABEL,	/* of a sensor: the driver's name for it */
	ATTRIBUTE_CABLE,	/* optics, passive copper, active copper … */
	ATTRIBUTE_TECHNOLOGY,	/* of the media: 1310 nm EML … */
	ATTRIBUTE_STANDARD,	/* of the management: CMIS 5.1 */
	ATTRIBUTE_HARDWARE,	/* revision of the module's hardware */
	ATTRIBUTE_INACTIVE_FIRMWARE,
	ATTRIBUTE_APPLICATIONS,	/* what the module offers, cut if long */
	ATTRIBUTE_EXPECTED_PEER_SWITCH,	/* as CONFIG_DB expects it */
	ATTRIBUTE_EXPECTED_PEER_PORT,
	ATTRIBUTE_SUB_ROLE,	/* FrontEnd, BackEnd: of a chip */
	ATTRIBUTE_MAC,
	ATTRIBUTE_ASIC_NAME,
	ATTRIBUTE_ASIC_ID,	/* its place on the bus */
	ATTRIBUTE_SWITCH_TYPE,	/* voq, chassis-packet, dpu */
	ATTRIBUTE_REGION,
	ATTRIBUTE_RACK,
	ATTRIBUTE_DEPLOYMENT,
	ATTRIBUTE_BUFFER_MODEL,	/* traditional, dynamic */
	ATTRIBUTE_POOL_TYPE,	/* ingress, egress */
	ATTRIBUTE_POOL_MODE,	/* static, dynamic */
	ATTRIBUTE_POWER_CLASS,	/* of a module, in its own words */
	ATTRIBUTE_XCVR_ERROR,	/* why xcvrd holds a module back */
	ATTRIBUTE_INTERFACE_TYPE,	/* CR4, KR4, SR4 … of a port */
	ATTRIBUTE_SLOT,		/* of a card of a chassis, and of its sensors */
	ATTRIBUTE_PEER_TYPE,	/* LeafRouter, ToRRouter … as CONFIG_DB says */
	ATTRIBUTE_PEER_HWSKU,
	ATTRIBUTE_PEER_ADDRESS,	/* where the peer is managed */
	ATTRIBUTE_CLEI,		/* code of a module in a carrier's inventory */
	ATTRIBUTE_LAG,		/* of a port: PortChannel1 */
	ATTRIBUTE_REMOTE_SPEEDS,	/* that the peer advertises */
	ATTRIBUTE_PFCWD_ACTION,	/* drop, forward, alert: in a storm */
	ATTRIBUTE_ADDRESS,	/* of a card inside its chassis */
	ATTRIBUTE_FIRMWARE_IMAGES,	/* A, B and factory, by CDB */
	ATTRIBUTE_COUNT,
};

/* Lower-case name; NULL when there is none. */
const char *entity_kind_name(enum entity_kind kind);
/* The kind of that name, or -EINVAL. */
int entity_kind_parse(const char *name);
/* Lower-case name, the key in JSON; NULL when there is none. */
const char *attribute_name(enum attribute attribute);
