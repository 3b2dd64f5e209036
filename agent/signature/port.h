/* What a detector sees of one port: the type that the state (or a trace) gives
 * and the detectors take. Units as in quantity.def.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "petrel/entity.h"
#include "petrel/link.h"
#include "petrel/module.h"

#define PORT_FEC_BINS 17
#define PORT_PRIORITIES 8
#define PORT_QUEUES 16

/* One number a port. Counters come raw: wraps and resets are the front end's
 * to see. The table port_feature_quantity() ties each to quantity.def.
 */
enum port_feature {
	PORT_OPER, PORT_ADMIN, PORT_PRESENT, PORT_DOWN_REASON,
	PORT_LINK_DOWN_COUNT,
	PORT_FEC_CORRECTED_CW, PORT_FEC_UNCORRECTABLE_CW,
	PORT_FEC_SYMBOL_ERRORS, PORT_FEC_CORRECTED_BITS,
	PORT_FEC_BIN_0,
	PORT_FEC_BIN_LAST = PORT_FEC_BIN_0 + PORT_FEC_BINS - 1,
	PORT_TEMP_MC, PORT_VCC_UV, PORT_VDM_BER_E18,
	PORT_IN_OCTETS, PORT_OUT_OCTETS, PORT_IN_FRAMES, PORT_OUT_FRAMES,
	PORT_IN_ERRORS, PORT_IN_DISCARDS, PORT_OUT_DISCARDS, PORT_ECN_MARKED,
	PORT_PFC_RX_0,
	PORT_PFC_RX_LAST = PORT_PFC_RX_0 + PORT_PRIORITIES - 1,
	PORT_PFC_TX_0,
	PORT_PFC_TX_LAST = PORT_PFC_TX_0 + PORT_PRIORITIES - 1,
	PORT_PFC_PAUSE_US_0,
	PORT_PFC_PAUSE_US_LAST = PORT_PFC_PAUSE_US_0 + PORT_PRIORITIES - 1,
	PORT_QUEUE_PEAK_0,
	PORT_QUEUE_PEAK_LAST = PORT_QUEUE_PEAK_0 + PORT_QUEUES - 1,
	/* what of the module's readings cannot be so, by enum reading_of */
	PORT_READING_FAULTS_0,
	PORT_READING_FAULTS_LAST = PORT_READING_FAULTS_0 +
				   READING_OF_COUNT - 1,
	PORT_FEATURE_COUNT,
};

/* One number a lane. */
enum lane_feature {
	LANE_RX_PW, LANE_TX_PW, LANE_BIAS_UA, LANE_BER_E18, LANE_SNR_MDB,
	LANE_RX_LOS, LANE_TX_FAULT,
	LANE_READING_FAULTS,	/* of its monitors: they are not above, then */
	LANE_FEATURE_COUNT,
};

enum threshold_edge { HIGH_ALARM, LOW_ALARM, HIGH_WARN, LOW_WARN,
		      THRESHOLD_EDGE_COUNT };

struct port_thresholds {
	bool known;
	int64_t temp_mc[THRESHOLD_EDGE_COUNT], vcc_uv[THRESHOLD_EDGE_COUNT];
	int64_t rx_pw[THRESHOLD_EDGE_COUNT], tx_pw[THRESHOLD_EDGE_COUNT];
	int64_t bias_ua[THRESHOLD_EDGE_COUNT];
};

/* What seldom changes. */
struct port_facts {
	uint32_t entity;		/* id, 0 in a replay */
	char name[ENTITY_NAME_MAX];
	char media[16];
	char group[32];			/* shares a component; or empty */
	char cage[16];			/* ports of one module; or empty */
	char peer_switch[ENTITY_NAME_MAX], peer_port[ENTITY_NAME_MAX];
	unsigned lanes;			/* to PORT_LANES_MAX; 0 unknown */
	uint64_t speed_mbps;
	enum fec_mode fec;
	bool optical;			/* false: copper, if media_known */
	bool media_known;
	unsigned counter_bits;		/* 64, or 32 */
	uint64_t queue_buffer_octets;	/* 0 unknown */
	int64_t dom_period_ns;		/* of the source; 0 unknown */
	struct port_thresholds thresholds;
};

/* One reading of a port. A feature that is not valid was not read; a counter or
 * a peak is valid once, in the tick that it came with. dom_new tells a DOM
 * reading that the detectors have not seen (C4).
 */
struct port_tick {
	struct mono t;			/* when the newest counter was taken */
	struct mono dom_t;		/* when temperature, lanes were taken */
	bool counters_new, dom_new;
	/* Counters came whose time is not known (a source that stalled): they
	 * are left out, and no interval begins before them and ends behind.
	 */
	bool time_unknown;
	uint64_t valid[(PORT_FEATURE_COUNT + 63) / 64];
	int64_t value[PORT_FEATURE_COUNT];
	int64_t taken_ns[PORT_FEATURE_COUNT];	/* 0: at t */
	int64_t peak_window_ns;		/* of the queues' peaks; 0 unknown */
	uint8_t lane_valid[LANE_FEATURE_COUNT];	/* bit n: lane n+1 */
	int64_t lane[LANE_FEATURE_COUNT][PORT_LANES_MAX];
	char serial[24];		/* of the module; empty unknown */
};

static inline bool port_has(const struct port_tick *p, enum port_feature f)
{
	return p->valid[f / 64] >> (f % 64) & 1;
}

static inline void port_set(struct port_tick *p, enum port_feature f,
			    int64_t value)
{
	p->valid[f / 64] |= UINT64_C(1) << (f % 64);
	p->value[f] = value;
}

/* When it was taken. */
static inline struct mono port_taken(const struct port_tick *p,
				     enum port_feature f)
{
	struct mono own = { p->taken_ns[f] };

	return own.ns ? own : p->t;
}

static inline void port_lane_set(struct port_tick *p, enum lane_feature f,
				 unsigned lane, int64_t value)
{
	p->lane_valid[f] |= (uint8_t)(1u << lane);
	p->lane[f][lane] = value;
}
