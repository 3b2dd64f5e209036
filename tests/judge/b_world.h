/* A world of plant B: its ports as they are built and as they live. Only the
 * plant's own files see into it; each of them owns the part that its name says.
 */
#pragma once

#include "tests/judge/b_effect.h"
#include "tests/judge/b_fec.h"
#include "tests/judge/b_optics.h"

#define B_OCTAVES 5		/* of slow noise: 1/f over five decades */
#define B_RX_OCTAVES 2
#define B_DOM_RING 8
#define B_PLAN_MAX 256
#define B_PORT_PLAN_MAX 48
#define B_ZONES 4
#define B_SENSORS_MAX 24
#define B_EVENTS_MAX 32
#define B_SECOND_NS 1000000000ll
#define B_CODE_LOSS_A_HOUR (1.0 / 3600)

struct b_lane {
	double q_db;			/* 20 log10(Q), usual */
	struct b_noise noise;
	double rx_dbm, tx_dbm, bias_ma;
	double rx_drift_db[B_RX_OCTAVES];
	double ber;			/* now, true */
	double eye_db;			/* now, true */
	double light_dbm;		/* received now, true */
};

/* A module's monitors as it holds them. */
struct b_dom {
	bool is_there;
	int64_t t_ns;
	double temp_c, vcc_v, ber;
	double rx_dbm[WORLD_LANES_MAX], tx_dbm[WORLD_LANES_MAX];
	double bias_ma[WORLD_LANES_MAX];
	double lane_ber[WORLD_LANES_MAX], snr_db[WORLD_LANES_MAX];
	uint8_t rx_los, tx_fault;
};

/* Counters as they are, before they wrap. */
struct b_counts {
	uint64_t corrected, lost, symbols, bits, bins[WORLD_BINS];
	uint64_t in_octets, in_frames, in_errors, in_discards;
	uint64_t out_octets, out_frames, out_discards, ecn_frames;
	uint64_t pfc_rx[WORLD_PRIORITIES], pfc_tx[WORLD_PRIORITIES];
	uint64_t queue_peak[WORLD_QUEUES];
};

struct b_port {
	const struct world_port *row;
	const struct b_media_row *media;
	enum b_medium medium;
	const struct b_code *code;	/* NULL: none */
	unsigned index, lanes, group, zone, cage;
	uint64_t seed;
	struct b_draw draw;
	/* as built */
	struct b_lane lane[WORLD_LANES_MAX];
	double spread, host_ber, line_ber, warmth_k, usual_c, slope_db_k, vcc_v;
	double heat_keep;		/* of a difference of heat, a tick */
	double drift_db, rx_drift_db, adc_share, temp_step_c, power_step_mw;
	double load_share, codewords_per_s;
	bool begins_anew, has_bins, has_vdm, has_snr, has_monitors;
	/* what befalls it */
	uint16_t plan[B_PORT_PLAN_MAX];
	unsigned plan_count;
	struct b_effect effect;
	/* as it lives */
	double q_drift_db[B_OCTAVES], wobble_db, temp_c, codeword_rest;
	bool is_up, was_bursting;
	bool is_losing;			/* the link falls by its errors */
	bool is_finding;		/* or comes up from the dark */
	double edge_loss_per_s;		/* three lost in a row */
	int64_t up_at_ns, read_ns, last_ns;
	uint64_t falls, epoch;
	enum down_reason reason;
	struct b_counts counts;
	struct b_mix mix;
	double mean_ber;
	struct b_dom dom[B_DOM_RING];
	unsigned dom_newest;
	/* what is read in this tick */
	bool is_read, has_held;
	unsigned hold_ticks;		/* until the held one is shown */
	struct world_reading now, held;
};

struct world {
	struct world_case c;
	struct b_draw draw;
	struct b_eye eye;
	double tick_s;
	int64_t tick_ns, now_ns, clock_ns;
	uint64_t tick;
	unsigned dom_every, dom_lag;	/* ticks; readings */
	double drift_keep[B_OCTAVES], drift_kick[B_OCTAVES];
	double rx_keep[B_RX_OCTAVES], rx_kick[B_RX_OCTAVES];
	/* heat */
	double day_swing_k, day_phase, job_k[B_ZONES], job_s, job_busy;
	double air_k[B_ZONES], load, beat_s;
	bool tells_reason;
	/* ports */
	struct world_port row[WORLD_PORTS_MAX];
	struct b_port port[WORLD_PORTS_MAX];
	/* what befalls: plan[i] is told by truth[i] */
	struct b_happening plan[B_PLAN_MAX];
	struct truth truth[B_PLAN_MAX];
	unsigned plan_count;
	struct world_sensor sensor[B_SENSORS_MAX];
	unsigned sensor_count;
	struct world_event event[B_EVENTS_MAX];
	unsigned event_count;
};
