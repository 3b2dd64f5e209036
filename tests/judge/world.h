/* What the judge needs of a plant: a switch whose ports live through one case,
 * what its sources show of them, and what is true.
 *
 * A plant is one row (struct plant_model). It shares no source and no constant
 * with agent/signature, and is written from what is published of optics, heat,
 * codes and of how modules and switches tell it. What it shows is what a real
 * source would: counters that wrap or begin anew, readings that are old, miss
 * or cannot be. What is true it keeps beside that, for the judge alone.
 *
 * Everything is a function of the case: opened twice, it goes the same way.
 * Times are nanoseconds since the world's start, but for what a reading says
 * of itself: these are on the switch's own clock, which dirt may step.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/finding.h"
#include "petrel/link.h"

#define WORLD_LANES_MAX 8
#define WORLD_BINS 17
#define WORLD_PRIORITIES 8
#define WORLD_QUEUES 8
#define WORLD_PORTS_MAX 64		/* a bit each in truth.ports */
#define WORLD_NAME_MAX 32

enum world_pace {
	PACE_FAST,	/* a reading a second; modules tell each 10 s */
	PACE_SLOW,	/* a reading a minute; modules tell each minute */
	PACE_COUNT,
};

/* What befalls the ports. Half of them at most; the rest stay healthy. */
enum world_mix {
	MIX_FAULTS,	/* one fault on a port; benign changes on others, and
			 * on all what befalls a whole switch */
	MIX_HEALTHY,	/* benign changes alone, of each kind */
	MIX_TWO,	/* two faults of different causes on a port, the second
			 * a tenth to a half of the case after the first */
	MIX_STRANGE,	/* faults that have no name in enum signature */
	MIX_COUNT,
};

struct world_case {
	uint64_t seed;
	enum world_pace pace;
	enum world_mix mix;
	bool hard;	/* weaker faults, twice the benign drift, 3 % of the
			 * readings missing, modules' readings a minute old */
	unsigned ports;			/* to WORLD_PORTS_MAX */
	int64_t length_ns;
	/* Of the plant's laws of growth, which (a bit each; 0: all). */
	uint32_t laws;
};

/* Order of a module's limits. */
enum world_edge { WORLD_HIGH_ALARM, WORLD_LOW_ALARM, WORLD_HIGH_WARN,
		  WORLD_LOW_WARN, WORLD_EDGE_COUNT };

struct world_limits {
	bool known;
	double temp_c[WORLD_EDGE_COUNT], vcc_v[WORLD_EDGE_COUNT];
	double rx_dbm[WORLD_EDGE_COUNT], tx_dbm[WORLD_EDGE_COUNT];
	double bias_ma[WORLD_EDGE_COUNT];
};

/* What is known of a port before it is read. "" or 0: not known. */
struct world_port {
	char name[WORLD_NAME_MAX];	/* Ethernet8 */
	char media[16];			/* DR4 FR4 LR4 SR4 ZR DAC AEC AOC */
	bool optical, coherent;
	unsigned lanes;			/* of light, or of copper */
	uint64_t speed_mbps;
	enum fec_mode fec;
	char group[WORLD_NAME_MAX];	/* shares a core, gearbox or rail */
	char zone[WORLD_NAME_MAX];	/* air: shares a fan */
	char cage[WORLD_NAME_MAX];	/* ports of one module */
	char peer_switch[WORLD_NAME_MAX], peer_port[WORLD_NAME_MAX];
	unsigned counter_bits;		/* 64 or 32 */
	int64_t dom_period_ns;		/* 0: as the pace has it */
	struct world_limits limits;
};

/* One reading of a port. What was not read: NAN, or its bit is not set. */
struct world_reading {
	int64_t t_ns;		/* the switch's clock, at the counters */
	bool admin_up, oper_up, present;
	enum down_reason down;		/* DOWN_UNKNOWN: nobody says */
	char serial[24];		/* of the module; "" */
	uint64_t link_down_count;
	/* Counters as the source holds them, modulo 2^counter_bits. */
	bool has_counters, has_bins;
	uint64_t fec_corrected_codewords, fec_uncorrectable_codewords;
	uint64_t fec_symbol_errors, fec_corrected_bits;
	uint64_t fec_bins[WORLD_BINS];	/* codewords by symbol errors, 0 to 15;
					 * the last: beyond */
	uint64_t in_octets, in_frames, in_errors, in_discards;
	uint64_t out_octets, out_frames, out_discards, ecn_marked_frames;
	uint64_t pfc_rx_frames[WORLD_PRIORITIES];
	uint64_t pfc_tx_frames[WORLD_PRIORITIES];
	uint64_t queue_peak_octets[WORLD_QUEUES];
	/* The module's monitors. */
	bool has_dom;
	int64_t dom_t_ns;		/* when they were taken */
	double temp_c, vcc_v;
	double rx_dbm[WORLD_LANES_MAX], tx_dbm[WORLD_LANES_MAX];
	double bias_ma[WORLD_LANES_MAX];
	double ber;			/* the module's own, of its line side
					 * where it is coherent */
	double lane_ber[WORLD_LANES_MAX], snr_db[WORLD_LANES_MAX];
	uint8_t rx_los, tx_fault;	/* bit n: lane n+1 */
};

enum world_sensor_kind { WORLD_FAN, WORLD_TEMP, WORLD_SUPPLY,
			 WORLD_SENSOR_KIND_COUNT };

/* A sensor of the switch: rpm, degrees or volts. */
struct world_sensor {
	char name[WORLD_NAME_MAX], zone[WORLD_NAME_MAX];
	enum world_sensor_kind kind;
	bool has_value, ok;
	double value, low, high;	/* NAN: not known */
};

/* What somebody did, as the agent is told of it. */
enum world_event_kind { WORLD_RELOAD, WORLD_COUNTERS_CLEARED,
			WORLD_TSA, WORLD_TSB, WORLD_EVENT_KIND_COUNT };
#define WORLD_ALL_PORTS UINT32_MAX
struct world_event {
	int64_t t_ns;
	enum world_event_kind kind;
	uint32_t port;			/* or WORLD_ALL_PORTS */
};

/* One thing that befell, as it truly was. */
struct truth {
	const char *what;		/* the plant's own word for it */
	const char *law;	/* of its growth; "" where there is none */
	bool benign;			/* nothing of it is a fault */
	/* What it is called, by petrel-signatures(7); 0: benign, or a fault
	 * that has no name there.
	 */
	enum signature signature;
	enum fault_end end;		/* 0: it has none */
	enum action action;		/* the first that would help; 0 */
	uint64_t ports;			/* bit n: port n is struck */
	uint8_t lanes;			/* bit n: lane n+1; 0: all */
	int64_t onset_ns;		/* when it began */
	/* When its true effect first passes 0.3 decade of BER or 0.5 dB of
	 * light on a port that is struck, or a link falls; INT64_MAX: never.
	 */
	int64_t effect_ns;
	/* When the true mean rate of codewords that cannot be mended first
	 * passes one an hour; INT64_MAX: never in this case.
	 */
	int64_t cliff_ns;
	/* The same, were the case to go on for as long again; INT64_MAX. */
	int64_t cliff_later_ns;
	int64_t end_ns;			/* INT64_MAX: it stays */
};

struct world;				/* opaque: the plant's */

struct plant_model {
	const char *name;
	/* Names of the laws of growth, ended by NULL: bit n of laws. */
	const char *const *laws;
	/* Returns -ENOMEM, -EINVAL. */
	int (*open)(const struct world_case *c, struct world **ret);
	void (*close)(struct world *w);		/* NULL is allowed */
	/* All for ever; borrowed. */
	const struct world_port *(*ports)(const struct world *w);
	/* Known whole from the start, whatever was read yet; borrowed. */
	size_t (*truths)(const struct world *w, const struct truth **ret);
	/* Moves on to the next tick. False: the case is over. */
	bool (*next)(struct world *w);
	/* Of this tick. False: there is no reading of that port. A late one
	 * may be given after younger ones.
	 */
	bool (*read)(struct world *w, unsigned port, struct world_reading *ret);
	/* The switch's sensors in this tick; borrowed. May be none. */
	size_t (*sensors)(const struct world *w,
			  const struct world_sensor **ret);
	/* What was done since the last tick; borrowed. */
	size_t (*events)(const struct world *w,
			 const struct world_event **ret);
	/* What is true of a port now: log10 of the bit error ratio before
	 * correction, and the share of codewords that it costs in the mean,
	 * bursts included.
	 */
	double (*true_log_ber)(const struct world *w, unsigned port);
	double (*true_codeword_loss)(const struct world *w, unsigned port);
	/* World time of this tick. */
	int64_t (*now_ns)(const struct world *w);
};

/* The project's own, and the six whose authors know no detector. */
extern const struct plant_model plant_a, plant_b, plant_c,
				plant_d, plant_e, plant_f, plant_g;
