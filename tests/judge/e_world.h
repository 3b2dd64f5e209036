/* Plant E inside. Of what befalls, all is a function of time that is known when
 * the world is opened; of a port only temperature, light as last read and
 * counters are remembered.
 */
#pragma once

#include "platform/sim/draw.h"
#include "tests/judge/world.h"

#define E_NS INT64_C(1000000000)
#define E_NEVER INT64_MAX
#define E_HAPPENINGS_MAX 256
#define E_LAWS 9
#define E_ZONES 4
#define E_SENSORS (2 * E_ZONES + 2)
#define E_BINS 16		/* codewords with 0 to 15 wrong symbols */
#define E_SYMBOL_BITS 1.04	/* wrong in a wrong symbol */
#define E_DARK_DBM (-40.0)	/* SFF-8472 and CMIS: 0.1 uW is the least */

enum e_trait {
	E_LIGHT = 1, E_COPPER = 2, E_COLOURS = 4, E_RIBBON = 8,
	E_COHERENT = 16, E_PAM4 = 32, E_CODED = 64,
	E_WARMTH = 128,		/* tells temperature and supply */
	E_POWERS = 256,		/* tells light and bias */
	/* Of the port: it has a peer switch; jobs beat on it, without loss. */
	E_FABRIC = 512, E_JOBS = 1024,
};

struct e_range {
	double low, high;	/* log-uniform between; {0, 0}: none */
};

struct e_media {
	const char *name;
	unsigned lanes;
	uint64_t speed_mbps;
	enum fec_mode fec;
	unsigned traits;
	double tx_dbm, bias_ma, los_dbm;
	double span_low_db, span_high_db;
	double log_ber_low, log_ber_high;	/* of a healthy port */
	double rise_k;				/* case over air, at work */
};

/* --- what befalls -------------------------------------------------------- */

enum e_sort { E_FAULT, E_STRANGE, E_BENIGN };
enum e_scope { E_PORT, E_GROUP, E_ZONE, E_PEERS, E_SWITCH };
enum e_where { E_ALL_LANES, E_ONE_LANE, E_UNEVEN, E_LONG_WAVES, E_RIBBON_SIDE };
enum e_course {
	E_STEP, E_LAW,
	E_SETTLE,	/* towards 1, with a time constant */
	E_FADE,		/* from 1 to nothing, with a time constant */
	E_SPELLS,	/* comes and goes; spells differ in length and height */
	E_TIDE,		/* a wave, from nothing on */
	E_WITH_LOAD,
};
enum e_part {
	E_LOSS, E_OWN_LOSS,	/* dB: of light that comes, that goes */
	E_BIAS,			/* share by which it rises */
	E_NOISE,		/* dB of signal to noise; these four by lane */
	E_HEAT, E_SAG,		/* K, V */
	E_BURSTS, E_DAMAGED,	/* a second: codewords, frames of elsewhere */
	E_MISSES,		/* share of reads of the module that fail */
	E_FALLS, E_DOWN,	/* an hour; seconds each */
	E_AMOUNT,		/* of what the act does to traffic */
	E_PARTS,
};
enum e_act {
	E_TOUCH = 1,		/* somebody pulls the plug just before */
	E_QUIVER = 2,		/* the loss never rests */
	E_OUT = 4,		/* the link is down as long as it lasts */
	E_SHUT = 8, E_EMPTY = 16, E_SWAP = 32,
	E_SILENT = 64,		/* nothing can be read */
	E_ANEW = 128,		/* counters begin anew when it is over */
	E_TELLS = 256,		/* as an event: RELOAD, or counters cleared */
	E_CLOCK = 512, E_STALE = 1024, E_FROZEN = 2048, E_JUNK = 4096,
	E_AWAY = 8192,		/* traffic is led elsewhere, and this is told */
	E_LOADED = 1 << 14,	/* a phase of other load */
	E_MICRO = 1 << 15, E_CROWD = 1 << 16, E_DROP = 1 << 17,
	E_STORM = 1 << 18, E_SKEW = 1 << 19, E_OFFBEAT = 1 << 20,
	E_FAN = 1 << 21, E_STUCK = 1 << 22, E_HOLE = 1 << 23,
};

struct e_kind {
	const char *what;
	enum signature signature;
	enum fault_end end;
	enum action action;
	enum e_sort sort;
	unsigned needs;			/* enum e_trait, all of them */
	enum e_scope scope;
	enum e_where where;
	enum e_course course;
	unsigned acts;
	enum down_reason reason;
	struct e_range size[E_PARTS];
	struct e_range lasts_s;		/* {0, 0}: to the end, or mended */
};

/* One that befell; truth n is of happening n. */
struct e_happening {
	const struct e_kind *kind;
	uint64_t key, ports;
	int64_t onset_ns, end_ns;
	unsigned law, first;		/* first: of its ports */
	double life_s;			/* of growth, settling or a spell */
	double weight[WORLD_LANES_MAX], size[E_PARTS];
	bool has_begun, has_ended;
};

/* All that acts on a port at a time. */
struct e_stress {
	double lane[E_HEAT][WORLD_LANES_MAX];
	double of[E_PARTS];		/* from E_HEAT on */
	double load;			/* factor */
	unsigned acts;
	bool is_out;
	enum down_reason reason;
};

/* --- ports --------------------------------------------------------------- */

struct e_port {
	const struct e_media *media;
	unsigned traits;		/* the medium's and the port's own */
	uint64_t key;
	struct draw chance;
	unsigned modules;		/* that were here before this one */
	/* Of the module. */
	double snr[WORLD_LANES_MAX], light_share, slope;
	double tx_dbm[WORLD_LANES_MAX], rx_dbm[WORLD_LANES_MAX];
	double bias_ma[WORLD_LANES_MAX], vcc_v, rise_k, inertia_s;
	double db_per_k, knee_c, excess;
	double wander_db, spikes_hz, spike_tail;
	double dom_noise_db, dom_step_k;
	bool tells_ber, tells_snr, tells_own_light;
	int64_t dom_every_ns;
	/* Of the traffic. */
	double load, day_share, beat_s, duty, frame_octets, queue_octets;
	/* Now. */
	struct e_stress stress;
	double temp_c, load_now, ber, lane_ber[WORLD_LANES_MAX], lost;
	struct world_reading now, dom, shown, held;
	int64_t dom_due_ns;
	unsigned held_for;
	bool has_dom, dom_failed;	/* failed: the read that was due last */
};

struct world {
	struct world_case at;
	int64_t now_ns, before_ns, step_ns, clock_ns;
	struct draw chance;
	double day_k, day_phase;
	bool tells_reasons;
	struct world_port port[WORLD_PORTS_MAX];
	struct e_port state[WORLD_PORTS_MAX];
	struct e_happening happening[E_HAPPENINGS_MAX];
	struct truth truth[E_HAPPENINGS_MAX];
	size_t happenings;
	size_t active[E_HAPPENINGS_MAX], actives;
	struct world_event event[2 * E_HAPPENINGS_MAX];
	size_t events;
	struct world_sensor sensor[E_SENSORS];
	double zone_heat_k[E_ZONES];
	bool zone_fan_fails[E_ZONES];
};

/* e_rack.c: ports and their modules when nothing befalls. */
void e_rack_make(struct world *w);
void e_module_make(struct world *w, unsigned port);
double e_log_between(struct draw *d, struct e_range r);

/* e_menu.c: all that can befall. */
size_t e_menu(const struct e_kind **ret);

/* e_growth.c: the laws; how much of its size a happening has at a time (load:
 * of the port, 0 to 1); does a link fall in (from, to], and till when.
 */
extern const char *const e_laws[];
double e_law(unsigned law, uint64_t key, double x);
double e_level(const struct e_happening *h, int64_t t_ns, double load);
unsigned e_falls(const struct e_happening *h, int64_t from_ns, int64_t to_ns,
		 int64_t *ret_until_ns);

/* e_eye.c: from light and noise to errors, and from these to lost codewords.
 * more_db: noise beside the stress. Without a code, codewords are as long.
 */
double e_ber_of(double snr, unsigned traits);
double e_snr_of(double log_ber, unsigned traits);
double e_ber(const struct e_port *p, const struct e_stress *s, double temp_c,
	     double more_db, double *ret_lanes);
double e_codewords_hz(const struct e_media *m);
/* Chances of 0 to 15 wrong symbols; returns that the codeword is lost. */
double e_code(const struct e_media *m, double ber, double excess,
	      double chance[static E_BINS]);

/* e_stress.c: what a happening at that level does to a port, added. */
void e_stress_add(const struct e_happening *h, unsigned port, unsigned lanes,
		  double level, struct e_stress *s);
void e_stress_now(struct world *w, unsigned port, double load);

/* e_plan.c: who is struck by what, and when. */
void e_plan(struct world *w);
/* e_truth.c */
void e_truth_make(struct world *w, size_t n);
/* e_house.c: air, sensors, and what is done to the switch in this tick. */
void e_house_make(struct world *w);
void e_house_step(struct world *w);
double e_air_c(const struct world *w, unsigned port);
/* e_run.c: a port's life of one tick; e_traffic.c: what it carries. */
void e_run(struct world *w, unsigned port);
double e_load(const struct world *w, unsigned port);
void e_carry(struct world *w, unsigned port, double lost);
/* e_show.c */
void e_dom_step(struct world *w, unsigned port);
bool e_read(struct world *w, unsigned port, struct world_reading *ret);
