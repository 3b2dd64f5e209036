/* A world of plant C: ports as they are built and as they live. Only the
 * plant's own files see into it.
 */
#pragma once

#include "tests/judge/c_eye.h"
#include "tests/judge/c_kind.h"

#define C_TRAPS 4
#define C_RING 8
#define C_PLAN_MAX 200
#define C_PORT_PLAN_MAX 40
#define C_OUTAGES_MAX 160
#define C_ZONES_MAX 4
#define C_SENSORS_MAX 24
#define C_EVENTS_MAX 32

/* As the module holds them. */
struct c_dom {
	bool is_there;
	int64_t t_ns;
	double temp_c, vcc_v, ber;
	double rx_dbm[WORLD_LANES_MAX], tx_dbm[WORLD_LANES_MAX];
	double bias_ma[WORLD_LANES_MAX];
	double lane_ber[WORLD_LANES_MAX], snr_db[WORLD_LANES_MAX];
	uint8_t rx_los, tx_fault;
};

/* Counters before they wrap. */
struct c_counts {
	uint64_t corrected, lost, symbols, bits, bins[WORLD_BINS];
	uint64_t in_octets, in_frames, in_errors, in_discards;
	uint64_t out_octets, out_frames, out_discards, marked;
	uint64_t pause_in[WORLD_PRIORITIES], pause_out[WORLD_PRIORITIES];
	uint64_t peak_octets[WORLD_QUEUES];
};

struct c_lane {
	struct c_eye eye;
	double rx_dbm, tx_dbm, bias_ma, threshold_ma;
	double rx_error_db, rx_error_db_k;	/* of its monitor */
	double rx_sway_db;		/* slow, now */
	double ber, light_dbm;		/* true, now */
};

struct c_port {
	const struct world_port *row;
	const struct c_media_row *media;
	enum c_medium medium;
	const struct c_code *code;
	unsigned index, lanes, cage, group, zone;
	struct c_chance chance;
	/* as built */
	struct c_lane lane[WORLD_LANES_MAX];
	double run, host_ber, words_per_s, busy, usual_ber;
	double warmth_k, lag_s, own_db_k, far_db_k, knee_c, far_swing_k;
	double far_phase, vcc_v, trap_db, sway_db, adc_share, dom_phase;
	bool clears_at_fall, has_bins, has_vdm, has_snr, has_monitors;
	bool is_coarse;			/* monitors of whole degrees, 1 uW */
	/* what befalls it */
	uint16_t plan[C_PORT_PLAN_MAX];
	unsigned plans;
	struct c_outage outage[C_OUTAGES_MAX];
	unsigned outages;
	/* as it lives */
	struct c_stress stress;
	bool trap[C_TRAPS];		/* caught */
	double kick_db, kick_keep, temp_c, rest;
	bool is_up;
	const struct c_outage *out;	/* at work now; NULL */
	int64_t up_at_ns, read_ns, counted_ns;
	enum down_reason reason;
	uint64_t falls, epoch;
	struct c_counts counts;
	double mean_ber, loss;		/* true; loss of codewords, no bursts */
	struct c_dom dom[C_RING];
	unsigned dom_newest;
	int64_t dom_turn;
	bool is_read;
	struct world_reading now, held;
	int64_t held_until_ns;		/* 0: none is held */
};

struct world {
	struct world_case c;
	struct c_chance chance;
	bool is_slow;
	double tick_s;
	int64_t tick_ns, now_ns, clock_ns;
	unsigned count_every;		/* ticks a reading */
	double dom_s;			/* a sweep over all modules */
	unsigned dom_lag;		/* sweeps */
	double day_k, day_phase, crac_k, crac_s, job_s, job_k, idle_share;
	double air_k[C_ZONES_MAX], job_heat, load;
	bool tells_reason;
	unsigned zones;
	struct world_port row[WORLD_PORTS_MAX];
	struct c_port port[WORLD_PORTS_MAX];
	struct c_happening plan[C_PLAN_MAX];
	struct truth truth[C_PLAN_MAX];
	unsigned plans;
	struct world_sensor sensor[C_SENSORS_MAX];
	unsigned sensors;
	struct world_event event[C_EVENTS_MAX];
	unsigned events;
};

/* c_build.c: ports, names, habits of a world whose case and chance are set. */
void c_build(struct world *w);

/* c_air.c: heat and load, functions of the moment but for c_air_step(). */
void c_air_build(struct world *w);
double c_air_load(const struct world *w, int64_t t_ns);
double c_air_k(const struct world *w, unsigned zone, int64_t t_ns);
double c_air_far_k(const struct world *w, const struct c_port *p,
		   int64_t t_ns);
void c_air_step(struct world *w);
void c_air_sensors(struct world *w);

/* c_plan.c: what befalls whom and when. */
void c_plan(struct world *w);

/* c_truth.c: the truth of one row of the plan. */
void c_truth_tell(struct world *w, unsigned index);

/* c_life.c: a tick of a port. */
void c_life_step(struct world *w, struct c_port *p);
/* True bit errors of each lane by a stress; own_k and far_k: how much warmer
 * than usual both modules are. The mean is returned.
 */
double c_life_ber(const struct c_port *p, const struct c_stress *e,
		  double own_k, double far_k, double noise_db,
		  double ret[static WORLD_LANES_MAX]);
/* Share of codewords lost at that. */
double c_life_loss(const struct c_port *p, double mean_ber);
/* Of bursts: codewords lost a second, and the mean of bit errors that they
 * and single errors are worth.
 */
double c_life_burst_loss_per_s(const struct c_port *p,
			       const struct c_stress *e);
double c_life_burst_ber(const struct c_port *p, const struct c_stress *e);

/* c_show.c: what the module's monitors and the source tell in this tick. */
void c_show_step(struct world *w, struct c_port *p);
/* The reading of this tick. False: there is none. */
bool c_show_get(const struct c_port *p, struct world_reading *ret);
