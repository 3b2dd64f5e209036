/* What plant G is made of. All of it hangs off struct world.
 *
 * What is true of a port at a time is a function of the plan and of that time
 * (g_live.h); only links and counters have a memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tests/judge/g_eye.h"
#include "tests/judge/g_growth.h"
#include "tests/judge/g_kinds.h"
#include "tests/judge/world.h"

#define G_EVENTS_MAX 128
#define G_PORT_EVENTS_MAX 48
#define G_ZONES 4
#define G_JOBS 6
#define G_SENSORS_MAX (G_ZONES * 3 + 4)
#define G_FRESH_MAX 32

/* What befalls: a kind with its own sizes and times. */
struct g_event {
	const struct g_kind *kind;
	double onset_s, end_s;		/* INFINITY: it stays */
	double rise_s, gap_s, pulse_s, restless;
	double size[G_PARTS];
	double share[WORLD_LANES_MAX];	/* of each lane */
	struct g_growth growth;
	uint64_t ports, salt;
	uint8_t lanes;
};

/* A switch's port and what is plugged into it. */
struct g_port {
	const struct g_media *media;
	unsigned traits;		/* enum g_trait, a bit each */
	unsigned zone, job, group, cage, peer, vendor;
	uint64_t salt;			/* of its noise */
	/* Receiver: shares of thermal, shot and relative noise. */
	double q[WORLD_LANES_MAX], thermal, shot;
	double chain;			/* of errors, by its equaliser */
	double host_ber;		/* of a coherent module's host side */
	double wander_q, wander_db;	/* rms */
	/* Heat: above the air, by load, by neighbours; what it does. */
	double rise_k, load_k, near_k, lag_s;
	double warm_per_k, knee_c, knee_per_k2;
	double far_db_per_k;		/* light that comes */
	double bias_room;		/* its laser can be driven harder */
	double busy;			/* of its line, at full load */
	double relink_s;
	double impulse_rate;		/* lone bursts that are mended */
	/* Monitors. */
	double rx_dbm[WORLD_LANES_MAX], tx_dbm[WORLD_LANES_MAX];
	double bias_ma[WORLD_LANES_MAX];
	double vcc_v, temp_error_k, temp_step_k, light_noise_db;
	double dom_period_s, dom_phase_s;
	unsigned event[G_PORT_EVENTS_MAX], events;
};

struct g_counts {
	uint64_t corrected, lost, symbols, bits, bin[WORLD_BINS];
	uint64_t in_octets, in_frames, in_errors, in_discards;
	uint64_t out_octets, out_frames, out_discards, marked;
	uint64_t pfc_rx, pfc_tx, falls;
};

/* What a port remembers from tick to tick. */
struct g_state {
	uint64_t dice;
	bool up;
	double up_at_s;			/* when it will be, at the earliest */
	struct g_counts counts;
	double log_ber, loss;		/* true, of this tick */
	struct world_reading dom;	/* its monitors of the last refresh */
	int64_t dom_round;
	bool is_shown;
	struct world_reading shown, late;
	unsigned late_for;		/* ticks; 0: none is under way */
};

/* What is true of the air and the load, shared by ports. */
struct g_job {
	uint64_t salt;
	double phase_s;
};

struct g_zone {
	uint64_t salt;
	double air_c, daily_k, noon_s;
};

struct world {
	struct world_case at;
	int64_t now_ns, step_ns;
	double now_s, tick_s, length_s;
	uint64_t dice;
	bool tells_reasons, shows_bins;
	struct g_eyes eyes;
	struct g_job job[G_JOBS];
	struct g_zone zone[G_ZONES];
	struct world_port port[WORLD_PORTS_MAX];
	struct g_port built[WORLD_PORTS_MAX];
	struct g_state state[WORLD_PORTS_MAX];
	unsigned cages;
	struct g_event event[G_EVENTS_MAX];
	struct truth truth[G_EVENTS_MAX];
	size_t events;
	struct world_sensor sensor[G_SENSORS_MAX];
	size_t sensors;
	struct world_event fresh[G_FRESH_MAX];
	size_t freshes;
};
