/* What befalls a port, and what that does to it at one moment.
 *
 * A happening is one row of the plan: a kind (struct b_kind), the ports and
 * lanes struck, when, how much. What it does is a function of the moment alone
 * (struct b_effect), free of noise: the port that plays and the truth that is
 * told are made of the same effects.
 */
#pragma once

#include "tests/judge/b_law.h"
#include "tests/judge/b_media.h"

enum b_garbage { B_GARBAGE_NONE, B_GARBAGE_ONES, B_GARBAGE_ZEROS,
		 B_GARBAGE_WILD };

/* Zeros: nothing befalls. Shares are of the port's usual noise. */
struct b_effect {
	double loss_db[WORLD_LANES_MAX];	/* on the way to the receiver */
	double thermal[WORLD_LANES_MAX], flat[WORLD_LANES_MAX];
	double q_db[WORLD_LANES_MAX];		/* the eye is better by */
	double tx_db[WORLD_LANES_MAX];		/* sent light is less by */
	double bias_share[WORLD_LANES_MAX];	/* of bias, on top */
	double wobble_db;			/* of light, deviation */
	double host_ber;			/* between chip and module */
	double air_k, heat_k;			/* of the zone, of the module */
	double vcc_v;
	double burst_per_s, burst_codewords, burst_symbols;
	double load_db;				/* penalty at full load */
	double spike_per_s;	/* codewords with just so many errors */
	unsigned spike_symbols;
	double miss_share;			/* of readings */
	double corrected_share;	/* of corrections that are counted, less 1 */
	bool down, admin_down, absent, is_dark, is_reboot;
	bool is_contact;			/* bursts take monitors along */
	bool is_mute, is_late, is_deaf;
	bool dom_fails, dom_is_stale, dom_is_still;
	enum b_garbage garbage;
	enum down_reason reason;
	unsigned falls;				/* in this window */
	uint64_t module;			/* which; 0: the first */
	uint64_t epoch;				/* counters began anew */
	int64_t clock_ns;			/* the switch's clock is off */
};

enum b_scope { B_PORT, B_LANE, B_LANES, B_MODULE, B_GROUP, B_ZONE, B_RACK,
	       B_SWITCH };
/* What size means: as it is; or of the port's margin, as light or noise. */
enum b_size { B_PLAIN, B_AS_LOSS, B_AS_NOISE, B_AS_HEAT };
enum b_class { B_FAULT, B_STRANGE, B_BENIGN };

struct b_happening;
/* The window is from the last moment to this one. */
struct b_moment {
	int64_t from_ns, t_ns;
	const struct b_happening *h;
	double s;			/* since the onset */
	double growth;			/* by the law; 1 where there is none */
};

struct b_kind {
	const char *what;
	enum b_class class;
	enum b_scope scope;
	enum signature signature;
	enum fault_end end;
	enum action action;
	unsigned media;			/* a bit each */
	enum b_size unit;
	struct b_range size, lasts_s;	/* lasts 0: stays */
	bool grows, from_start;
	bool is_down;			/* nothing else is seen beside it */
	void (*apply)(const struct b_moment *m, struct b_effect *e);
	int event, event_at_end;	/* enum world_event_kind, + 1 */
};

struct b_happening {
	const struct b_kind *kind;
	uint64_t ports;
	uint8_t lanes;			/* 0: all */
	unsigned zone;			/* of its first port */
	int64_t onset_ns, end_ns;
	enum b_law law;
	double size, span_s;
	double step_nm;			/* between the port's colours */
	enum world_pace pace;
	int64_t length_ns;		/* of the case */
	uint64_t seed;
};

/* Adds what a happening does in a window; nothing before and after it. */
void b_effect_add(struct b_effect *e, const struct b_happening *h,
		  int64_t from_ns, int64_t t_ns);
/* Is the lane struck? */
bool b_effect_strikes(const struct b_happening *h, unsigned lane);
/* One of a happening's own numbers, evenly between. */
double b_effect_own(const struct b_happening *h, unsigned which, double low,
		    double high);

/* Another module of the same kind is in the cage. */
void b_effect_module(const struct b_happening *h, struct b_effect *e);

/* The rows of each class. */
extern const struct b_kind b_faults[], b_strange[], b_benign[];
extern const unsigned b_fault_count, b_strange_count, b_benign_count;
