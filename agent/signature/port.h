/* What is known of a port beside its readings (inputs.h): detectors get it from
 * the state or from a trace. Units as in quantity.def.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
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
	uint8_t counter_bits;		/* 64, or 32 */
	uint64_t queue_buffer_octets;	/* 0 unknown */
	int64_t dom_period_ns;		/* of the source; 0 unknown */
	struct port_thresholds thresholds;
};

/* A word of a medium's name, such as CR4 of "400GBASE-CR4". T is the last one,
 * as of "10GBASE-T".
 */
static inline bool port_media_word_is_copper(const char *word, size_t len)
{
	static const char *const copper[] = { "CR", "KR", "copper", "T" };

	for (size_t i = 0; i < sizeof(copper) / sizeof(copper[0]); i++) {
		size_t n = strlen(copper[i]);

		if (len >= n && strncasecmp(word, copper[i], n) == 0 &&
		    strspn(word + n, "0123456789") >= len - n &&
		    (n > 1 || !word[len]))
			return true;
	}
	return false;
}

static inline bool port_media_is_copper(const char *media)
{
	static const char apart[] = " -_/.,";

	if (strcasestr(media, "DAC") || strcasestr(media, "ACC") ||
	    strcasestr(media, "AEC"))
		return true;
	while (*media) {
		size_t len = strcspn(media, apart);

		if (port_media_word_is_copper(media, len))
			return true;
		media += len;
		media += strspn(media, apart);
	}
	return false;
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
