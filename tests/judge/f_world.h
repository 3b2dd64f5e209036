/* Plant F: what its parts share. Levels are dB and decades, times seconds from
 * the world's start.
 *
 * All that befalls is an event, and each event has a truth of the same number.
 * What an event does to a port is a function of the time alone (its row's act),
 * so that the truth can be computed before the case begins; what flickers
 * beside that is drawn as the case goes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "tests/judge/f_codes.h"
#include "tests/judge/f_growth.h"
#include "tests/judge/world.h"

#define F_EVENTS_MAX 400
#define F_PORT_EVENTS_MAX 96
#define F_BURSTS_MAX 64
#define F_HEATERS_MAX 64
#define F_TOLD_MAX 128
#define F_ZONES_MAX 8
#define F_SENSORS_MAX 24
#define F_DOMS 8			/* readings of a module on their way */
#define F_DAY_S 86400.0

struct world;
struct f_event;
struct f_port;

struct f_kind {
	const char *media;
	uint64_t speed_mbps;
	unsigned lanes;
	enum fec_mode fec;
	bool optical, coherent, pam4;
	bool one_fibre;			/* all lanes in it, or one each */
	bool twin;			/* two ports in a module */
	bool plugs;			/* has connectors to clean */
	bool monitors;			/* tells its temperature at least */
	double wave_nm, wave_step_nm;
	double rx_dbm, rx_spread_db, tx_dbm, los_dbm;
	double bias_ma[2], log_ber[2], rise_c[2];	/* from, to */
	double power_kept;		/* share that hold their power */
	double lanes_told;		/* share that tell errors of lanes */
	double weight;			/* how common */
};

enum f_nonsense { F_SENSE, F_ALL_ONES, F_ALL_ZERO, F_ABSURD, F_NONSENSES };

/* What befalls a port at a moment, all causes together. */
struct f_effect {
	double loss_db[WORLD_LANES_MAX];	/* of received light */
	double snr_db;				/* of all lanes, electrical */
	double lane_snr_db[WORLD_LANES_MAX];
	double tx_db[WORLD_LANES_MAX];		/* of our own light */
	double bias_part[WORLD_LANES_MAX];	/* more current than it was */
	double heat_c, decades;
	double sway_db;			/* of light that does not settle */
	double load;			/* share of the line; < 0: as usual */
	bool shut, absent, dark, down, off, silent;
	bool cleared, restarted;	/* the counters, in this tick */
	enum down_reason reason;
	/* Of the tick that ends now. */
	double burst_s, burst_log_ber, lost_codewords, bad_frames;
	unsigned falls;
	bool dom_missed, dom_frozen, dom_rare, counters_stuck;
	bool tx_fault;
	enum f_nonsense nonsense;
	uint64_t module;		/* another one than at first; 0: not */
};

struct f_moment {
	const struct world *world;
	unsigned port;
	double t_s, tick_s;		/* tick: 0 where only the mean counts */
};

struct f_burst {
	float at_s, long_s, log_ber;
	float codewords;		/* lost at once */
	bool falls, mute;		/* the link; the module's readings */
};

struct f_row {
	const char *what;
	enum signature signature;
	enum fault_end end;
	enum action action;
	bool benign;
	bool of_module;			/* all ports of the cage */
	bool lasting;			/* acts on after its end */
	double weight;			/* how common, among its like */
	bool (*suits)(const struct f_port *p);
	/* Fills what the event is made of; its times are set already. */
	void (*make)(struct world *w, struct f_event *e, uint64_t *dice);
	void (*act)(const struct f_event *e, const struct f_moment *m,
		    struct f_effect *x);
	/* Of the air of the zones that it strikes; NULL: none. */
	double (*heat)(const struct f_event *e, double t_s);
};

struct f_event {
	const struct f_row *row;
	uint64_t ports, dice;
	uint32_t zones;			/* a bit each */
	double onset_s, end_s;		/* INFINITY: it stays */
	struct f_growth growth;
	double size;			/* dB, °C or share, when grown */
	double part[WORLD_LANES_MAX];	/* of it, by lane */
	double more, period_s, lost_per_s;
	unsigned mode;
	enum down_reason reason;
	unsigned bursts;
	struct f_burst burst[F_BURSTS_MAX];
};

/* How a module's monitors round and tremble. */
struct f_monitor {
	double temp_step_c, temp_noise_c, rx_step_mw, tx_step_mw, light_db;
	double bias_step_ma, bias_noise, vcc_v;
	double offset_db[WORLD_LANES_MAX];
	bool lanes_told;
	double phase_s;
};

struct f_dom {
	double taken_s;
	int64_t stamp_ns;		/* of that, by the switch's clock */
	double temp_c, vcc_v, ber;
	double rx_dbm[WORLD_LANES_MAX], tx_dbm[WORLD_LANES_MAX];
	double bias_ma[WORLD_LANES_MAX], lane_ber[WORLD_LANES_MAX];
	double snr_db[WORLD_LANES_MAX];
	uint8_t rx_los, tx_fault;
};

/* A process that forgets: kept of it each tick, and what comes anew. */
struct f_drift {
	double keep, kick, value;
};

struct f_port {
	const struct f_kind *kind;
	uint64_t dice;
	unsigned number, zone, group, peer;
	uint16_t event[F_PORT_EVENTS_MAX];
	unsigned events;
	/* The receiver: noise in shares of what it is on a common day. */
	struct f_code code;
	double codewords_per_s, q, thermal, shot, floor;
	double lane_db[WORLD_LANES_MAX];
	double base_log_ber, cliff_log_ber, fall_log_ber;
	double ber_per_c, ref_c, bits_more;
	/* Light and lasers. */
	double rx_dbm[WORLD_LANES_MAX], tx_dbm[WORLD_LANES_MAX];
	double bias_ma[WORLD_LANES_MAX], bias_per_c, tx_per_c;
	bool keeps_power;
	double rise_c, load_c, lag_s, load, train_s, frame_octets;
	struct f_monitor monitor;
	/* What goes on. */
	struct f_drift slow, quick, light, sway, lane[WORLD_LANES_MAX];
	double temp_c, log_ber;
	struct f_eye {
		double ber, q;
	} eye[WORLD_LANES_MAX];
	double up_at_s;			/* when it will have trained */
	double sway_db[WORLD_LANES_MAX];	/* now, of all that flickers */
	uint8_t dark_lanes;
	uint64_t module;		/* the one that is in */
	struct f_effect effect;
	struct world_reading now;
	struct f_dom dom[F_DOMS];
	unsigned doms;			/* taken so far */
	double dom_due_s;
};

struct f_zone {
	double inlet_c, day_c, day_at_s, rpm;
	struct f_drift wander;
};

struct world {
	struct world_case at;
	struct f_eyes eyes;
	uint64_t dice;
	int64_t now_ns, step_ns;
	double now_s, tick_s, length_s;
	bool bins, reasons;		/* what the chip tells */
	unsigned zones, peers;
	struct f_zone zone[F_ZONES_MAX];
	double load, load_day, load_at_s;
	struct world_port port[WORLD_PORTS_MAX];
	struct f_port state[WORLD_PORTS_MAX];
	struct f_event event[F_EVENTS_MAX];
	struct truth truth[F_EVENTS_MAX];
	unsigned events;
	uint16_t heater[F_HEATERS_MAX];
	unsigned heaters;
	/* What is told, and what of it came in this tick. */
	struct world_event told[F_TOLD_MAX], fresh[F_TOLD_MAX];
	unsigned tolds, freshes;
	double clock_off_s;
	struct world_sensor sensor[F_SENSORS_MAX];
	unsigned sensors;
	/* One reading that is on its way for longer. */
	struct world_reading late;
	unsigned late_port;
	double late_due_s;		/* 0: there is none */
};
