/* What is known of a port beside its readings (inputs.h): detectors get it from
 * the state or from a trace. Units as in quantity.def.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "agent/signature/inputs.h"
#include "petrel/cause.h"
#include "petrel/entity.h"
#include "petrel/link.h"

enum threshold_edge { HIGH_ALARM, LOW_ALARM, HIGH_WARN, LOW_WARN,
		      THRESHOLD_EDGE_COUNT };

struct port_thresholds {
	bool known;
	int64_t temp_mc[THRESHOLD_EDGE_COUNT], vcc_uv[THRESHOLD_EDGE_COUNT];
	int64_t rx_pw[THRESHOLD_EDGE_COUNT], tx_pw[THRESHOLD_EDGE_COUNT];
	int64_t bias_ua[THRESHOLD_EDGE_COUNT];
};

/* A host may be off for long, or shut a port of its own. */
enum peer_kind { PEER_UNKNOWN, PEER_SWITCH, PEER_HOST };

/* Facts that seldom change. */
struct port_facts {
	uint32_t entity;		/* id, 0 in a replay */
	char name[ENTITY_NAME_MAX];
	char media[16];
	char group[32];			/* shares a component; or empty */
	char zone[32];			/* shares the air; or empty */
	char cage[16];			/* ports of one module; or empty */
	char peer_switch[ENTITY_NAME_MAX], peer_port[ENTITY_NAME_MAX];
	unsigned lanes;			/* to PORT_LANES_MAX; 0 unknown */
	uint64_t speed_mbps;
	enum fec_mode fec;
	bool optical;			/* false: copper, if media_known */
	bool media_known;
	uint8_t peer;			/* enum peer_kind, as told */
	uint8_t counter_bits;		/* 64, or 32 */
	uint64_t queue_buffer_octets;	/* 0 unknown */
	int64_t dom_period_ns;		/* of the source; 0 unknown */
	struct port_thresholds thresholds;
};

/* By the words of a medium's name, such as "400GBASE-CR4", "DAC", "10GBASE-T".
 */
bool port_media_is_copper(const char *media);

/* Are the module's limits of received light known, in order, and no filler, as
 * all zeros and all ones are?
 */
bool port_has_light_limits(const struct port_thresholds *t);

/* The peer is a switch: as was told, else by the name of its port. */
bool port_is_of_fabric(const struct port_facts *facts);

/* It is known to have no light. */
static inline bool port_is_copper(const struct port_facts *facts)
{
	return facts->media_known && !facts->optical;
}

/* Passive copper has no electronics: none to read, none to warm. */
static inline bool port_is_passive(const struct port_facts *facts)
{
	return facts->media_known && !facts->optical &&
	       !strstr(facts->media, "AEC") && !strstr(facts->media, "ACC");
}

static inline enum connector port_connector(const struct port_facts *facts)
{
	if (!facts->media_known)
		return CONNECTOR_UNKNOWN;
	if (facts->optical)
		return strstr(facts->media, "AOC") ? CONNECTOR_FIXED :
						     CONNECTOR_FIBRE;
	return strstr(facts->media, "BASE-T") ? CONNECTOR_RJ45 :
						CONNECTOR_FIXED;
}
