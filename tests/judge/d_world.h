/* Plant D inside. What befalls a port is a function of time but for the falls
 * of links, which are listed when the world is made.
 */
#pragma once

#include "platform/sim/draw.h"
#include "tests/judge/world.h"

#define D_NS INT64_C(1000000000)
#define D_FAULTS_MAX 400
#define D_ZONES 8
#define D_SENSORS (2 * D_ZONES + 1)
#define D_CHANCES 16		/* of 0 to 15 symbols in error */
#define D_SYMBOL_BITS 1.02	/* wrong in a wrong symbol: Gray code */
#define D_LAWS 7
#define D_ROLES 4		/* of a switch: the seed modulo it */
#define D_DARK_DBM (-40.0)	/* of 0 uW */

enum d_trait {
	D_OPTICAL = 1, D_COPPER = 2, D_WDM = 4, D_PARALLEL = 8,
	D_COHERENT = 16, D_PAM4 = 32, D_TWIN = 64, D_ONE_LASER = 128,
	D_CODED = 256,		/* the host has a FEC */
	D_MONITORS = 512,	/* at least temperature and supply */
};

struct d_range {
	double low, high;	/* log-uniform; {0, 0}: none */
};

struct d_media {
	const char *name;
	unsigned lanes;
	uint64_t speed_mbps;
	enum fec_mode fec;
	unsigned traits;
	double tx_dbm, bias_ma;
	struct d_range span_db;		/* of light, far laser to here */
	double log_ber_low, log_ber_high;	/* of a healthy lane */
	double rise_k;			/* of the case over the air, at work */
};

/* --- what befalls -------------------------------------------------------- */

enum d_class { D_FAULT, D_STRANGE, D_BENIGN };
enum d_scope { D_PORT, D_PAIR, D_GROUP, D_ZONE, D_PEERS, D_SWITCH };
enum d_lanes {
	D_ALL, D_ONE,
	D_SOME,		/* each its own share of it, many of them none */
	D_RED,		/* more at longer waves: a bend */
	D_EDGE,		/* from one side of a ribbon on */
};
enum d_course {
	D_STEP,
	D_GROW,		/* by a law; of loss and noise, 1 is what lacks to the
			 * cliff */
	D_SETTLE,	/* with a time constant */
	D_SPELLS,	/* comes and goes */
	D_LOAD,		/* with the traffic */
};
enum d_effect {
	D_LOSS, D_NOISE, D_TX,	/* of light, opening, own light; dB */
	D_BIAS,			/* share by which it rises */
	D_HEAT,	D_SAG,		/* K, V; these and those below not by lane */
	D_BURSTS, D_ERRORS,	/* Hz, that no code mends; frames that came
				 * damaged */
	D_MISSES,		/* share of reads of the module */
	D_FALLS, D_DOWN,	/* falls an hour, 0: for good; seconds */
	D_EFFECTS,
};
enum d_act {
	D_TOUCHED = 1,		/* unplugged and plugged, just before */
	D_REPAIRED = 2,		/* ended by somebody, who unplugs it */
	D_WORK = 4,		/* a neighbour was unplugged, just before */
	D_JITTER = 8,		/* never at rest */
	D_LATE = 16,		/* light follows when bias cannot */
	D_FAN = 32, D_SUPPLY = 64, D_GARBAGE = 128, D_JUMPS = 256,
	D_REBOOT = 512, D_CLEAR = 1024, D_CLOCK = 2048, D_STALL = 4096,
	D_RELOAD = 8192, D_DRAIN = 16384, D_SWAP = 32768,
	D_BUSY = 65536,		/* twice the traffic */
	D_COLD = 1 << 17,	/* from the start, and less and less */
	D_STUCK = 1 << 18,	/* FEC counters stand still */
	D_PULSES = 1 << 19,	/* part of each few minutes */
};

struct d_kind {
	const char *what;
	enum signature signature;
	enum fault_end end;
	enum action action;
	enum d_class class;
	unsigned fits;		/* enum d_trait, all of them */
	enum d_scope scope;
	enum d_lanes lanes;
	enum d_course course;
	unsigned acts;
	enum down_reason reason;	/* of its falls; 0: it has none */
	struct d_range size[D_EFFECTS];
};

/* One that befell; truth n is of fault n. */
struct d_fault {
	const struct d_kind *kind;
	uint64_t key, ports;
	/* From: when the plug is back; full: its level is 1. */
	int64_t onset_ns, from_ns, full_ns, end_ns;
	unsigned law;
	double weight[WORLD_LANES_MAX], size[D_EFFECTS];
};

/* --- ports --------------------------------------------------------------- */

struct d_down {
	int64_t from_ns, to_ns;
	enum down_reason reason;
};

/* All that acts on a port at a time; by lane, or in the first. */
struct d_stress {
	double of[D_FALLS][WORLD_LANES_MAX];
	unsigned acts;
};

struct d_monitors {
	bool light, tx, bias, ber, snr, averages, dated;
	double step_mw, step_k, noise_db, misses, temp_off;
	double rx_off[WORLD_LANES_MAX], tx_off[WORLD_LANES_MAX];
	int64_t period_ns, phase_ns;
};

struct d_port {
	const struct d_media *media;
	uint64_t key;
	struct draw chance;
	/* Made once: opening of each eye when healthy, and the share of its
	 * noise that weighs more with less light.
	 */
	double q[WORLD_LANES_MAX], light_share;
	double tx_dbm[WORLD_LANES_MAX], rx_dbm[WORLD_LANES_MAX];
	double bias_ma[WORLD_LANES_MAX], los_dbm, vcc_v, rise_k;
	double wander_db, load_db, run, spikes_hz;
	double db_per_k, knee_c, knee_db_per_k;
	double load, period_s, duty, frame_octets;
	struct d_monitors monitors;
	struct d_down *down;		/* by time; owned */
	size_t downs, next_down;
	unsigned modules;		/* that were here before */
	/* Now. */
	int64_t down_until_ns, read_ns;
	enum down_reason reason;
	struct d_stress stress;
	double air_c, temp_c, load_now, ber, lane_ber[WORLD_LANES_MAX], lost;
	/* Counters; monitors as last read, and, where hard, as shown. */
	struct world_reading now, dom, shown;
};

struct world {
	struct world_case at;
	int64_t now_ns, before_ns, step_ns, clock_ns;
	double air_c, air_day_c;
	bool tells_reasons, silent, stalled;
	struct draw chance;
	struct world_port port[WORLD_PORTS_MAX];
	struct d_port state[WORLD_PORTS_MAX];
	struct d_fault fault[D_FAULTS_MAX];
	struct truth truth[D_FAULTS_MAX];
	size_t faults, active[D_FAULTS_MAX], actives;
	struct world_event event[2 * D_FAULTS_MAX];
	size_t events, event_first, event_count;
	struct world_sensor sensor[D_SENSORS];
	unsigned zone_ports;
};

/* d_build.c: ports when nothing befalls them; another module in a cage. */
void d_build(struct world *w);
void d_module_make(struct world *w, unsigned port);
double d_log_between(struct draw *d, struct d_range r);

/* d_kind.c */
size_t d_kinds(const struct d_kind **ret);

/* d_course.c: laws of growth; the level of a fault at a time (load: of the
 * port); is it the time of a spell?
 */
extern const char *const d_laws[];
double d_law(unsigned law, uint64_t key, double x);
double d_level(const struct d_fault *f, int64_t t_ns, double load);
bool d_spell(const struct d_fault *f, int64_t t_ns);

/* d_code.c: log10 of the bit error ratio of an eye, and back. */
double d_log_ber(double q, bool pam4);
double d_q_of(double log_ber, bool pam4);
/* Codewords a second. Without a code, or of a coherent line: as long. */
double d_code_rate(uint64_t speed_mbps);
unsigned d_code_corrects(enum fec_mode fec);
/* Chances of a codeword with so many symbols in error, of those that can be
 * mended; returns that of the rest. run: that the next symbol follows.
 */
double d_code_chances(enum fec_mode fec, double ber, double run,
		      double chance[static D_CHANCES]);
double d_line_loss(double ber);
/* What a fault does to a port at a time. */
void d_stress_add(const struct world *w, const struct d_fault *f, unsigned port,
		  int64_t t_ns, double load, struct d_stress *ret);
/* Mean of the lanes, or of the line; more_db: of noise, beside the stress. */
double d_ber(const struct d_port *p, const struct d_stress *s, double more_db,
	     double *ret_lanes);
double d_lost(const struct d_port *p, double ber, double bursts_hz);
double d_heat_noise(const struct d_port *p, double temp_c);
/* What lacks to one lost codeword an hour, dB on lanes so weighted. */
double d_lacks_db(const struct d_port *p, const double *weight,
		  enum d_effect effect);

/* d_plan.c: what befalls. Returns -ENOMEM. */
int d_plan(struct world *w);
/* d_falls.c: the falls that come of a fault, all sorted. Returns -ENOMEM. */
int d_falls(struct world *w, const struct d_fault *f);
void d_falls_sort(struct world *w);
/* d_truth.c */
void d_truth_make(struct world *w, size_t fault);

/* d_air.c: the switch: its sensors, and what is done to all of it. */
void d_air_make(struct world *w);
void d_air_step(struct world *w);
/* d_live.c: a port's time to w->now_ns. */
void d_live(struct world *w, unsigned port);
/* d_dom.c: what a module tells, read if it is due; a reading of all. */
void d_dom_step(struct world *w, unsigned port);
bool d_read(struct world *w, unsigned port, struct world_reading *ret);
