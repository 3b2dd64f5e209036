/* What befalls the ports of plant C: kinds, and what one of them does to a port
 * at one moment.
 *
 * A happening is a kind that strikes ports from an onset on. What it does
 * without noise is a function of the moment (struct c_stress). Falls of a link
 * are laid out beforehand (struct c_outage): both the port that plays and the
 * truth that is told are made of the same two.
 */
#pragma once

#include "tests/judge/c_law.h"
#include "tests/judge/c_media.h"

#define C_SECOND_NS 1000000000ll
#define C_NEVER INT64_MAX

enum c_lie { C_LIE_NONE, C_LIE_ALL_ONES, C_LIE_ALL_ZEROS, C_LIE_NOISE,
	     C_LIE_THERMISTOR, C_LIE_LIGHT, C_LIE_BIAS };

/* All zero: nothing is wrong. */
struct c_stress {
	double lost_db[WORLD_LANES_MAX];	/* of light to our receiver */
	double shut_db[WORLD_LANES_MAX];	/* of the eye alone */
	double hiss[WORLD_LANES_MAX], beat[WORLD_LANES_MAX];
	double own_dim_db[WORLD_LANES_MAX], own_bias[WORLD_LANES_MAX];
	double fade_db;
	double own_k, far_k, air_k;		/* warmer by */
	double sag_v;
	double host_ber;			/* between chip and module */
	double burst_per_s, burst_words, burst_symbols;
	double single_per_s;		/* codewords of one wrong symbol */
	double miss_share;		/* of readings */
	double dom_miss_share;		/* of the module's */
	enum c_lie lie;
	double lie_size;
	bool is_mute, is_frozen, is_stale, is_late;
	uint64_t part;			/* another module; 0: the first */
	uint64_t epoch;			/* counters began anew */
	int64_t clock_ns;
};

struct c_outage {
	int64_t from_ns, to_ns;
	enum down_reason reason;
	bool is_dark, is_admin, is_absent, is_unlit;	/* unlit: our laser */
	bool is_noisy;			/* errors are counted before the fall */
};

enum c_scope { C_PORT, C_SOME_LANES, C_ONE_LANE, C_LASER, C_CAGE, C_GROUP,
	       C_ZONE, C_SCATTERED, C_RACK, C_SWITCH };
enum c_class { C_FAULT, C_STRANGER, C_BENIGN };

/* What a kind asks of a port. */
#define C_WANTS_HEAT 1u		/* its errors feel its own heat */
#define C_WANTS_ROOM 2u		/* two lanes or more */

struct c_happening;
struct c_moment {
	const struct c_happening *h;
	int64_t t_ns;
	double s;			/* since the onset */
	double size;			/* as much of it as has grown */
	double load;			/* of the job, now */
	bool is_slow;
};

struct c_port;
struct world;
struct c_kind {
	const char *what;
	enum c_class class;
	enum c_scope scope;
	enum signature signature;
	enum fault_end end;
	enum action action;
	unsigned media, wants;
	struct c_range size;		/* evenly in its logarithm */
	struct c_range lasts_s;		/* 0: stays */
	bool grows, from_start, is_down;
	bool is_of_readings;		/* the link itself feels nothing */
	void (*apply)(const struct c_moment *m, struct c_stress *e);
	/* Adds outages of one port; may be NULL. */
	void (*lay)(struct world *w, const struct c_happening *h,
		    struct c_port *p);
	int event, event_at_end;	/* enum world_event_kind, + 1 */
};

struct c_happening {
	const struct c_kind *kind;
	uint64_t ports, mark;
	uint8_t lanes;			/* 0: all */
	int64_t onset_ns, end_ns;
	enum c_law law;
	double size, span_s;
	double lane_nm;			/* between colours; 0: one colour */
	unsigned lane_count;
};

/* The rows of each class, ended by one without a word. */
extern const struct c_kind c_faults[], c_strangers[], c_benign[];

/* Adds what it does at that moment; nothing before and after it. */
void c_kind_add(struct c_stress *e, const struct c_happening *h, int64_t t_ns,
		double load, bool is_slow);
/* One of a happening's own numbers, evenly in between. */
double c_kind_own(const struct c_happening *h, unsigned which, double low,
		  double high);
/* Lays an outage from then on, cut at the happening's end. */
void c_kind_lay(struct c_port *p, const struct c_happening *h,
		struct c_outage o);
