/* C16: the state of a simulated switch, and the scenario that moves it.
 *
 * The plant models optics, heat and queues, and knows no detector: it shares
 * no source and no constant with agent/signature, which a test checks. It
 * feeds the sim driver, EEPROM images, petrel-vswitch and recorded traces.
 * Everything is a function of (scenario, seed, time): the same question always
 * gives the same answer.
 *
 * Scenario: a text file, one statement a line, '#' begins a comment.
 *
 *   switch ports=64 speed=400G lanes=4 media=DR4 fec=rs544 seed=1 name=sim
 *          load=30..90 tick=1s
 *   port WHERE key=value …
 *   at TIME WHERE FAULT key=value …
 *
 * TIME is a number with a unit (ms s m h d) since the start. WHERE is a port
 * pattern (Ethernet8, Ethernet0-28/4, Ethernet0,Ethernet4, all), with ".LANE"
 * at its end for one lane. "port" gives some ports another medium, FEC, group,
 * load or BER than the switch line. FAULT is a row of the fault table
 * (plant_faults()), which has its keys, too. "for=DURATION" ends a fault,
 * "ramp=DURATION" lets it grow.
 * A wrong line is rejected with its number and the nearest word.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"

#define PLANT_LANES_MAX 8
#define PLANT_QUEUES_MAX 16
#define PLANT_PRIORITIES 8
#define PLANT_FEC_BINS 17
#define PLANT_SIZE_BINS 10
#define PLANT_MODULATOR_BIASES 6

struct plant;			/* opaque: scenario and physics */

/* Order of a module's limits. */
enum plant_edge { PLANT_HIGH_ALARM, PLANT_LOW_ALARM, PLANT_HIGH_WARN,
		  PLANT_LOW_WARN, PLANT_EDGE_COUNT };

/* The limits that the module's memory states; none for copper. */
struct plant_limits {
	double temp_c[PLANT_EDGE_COUNT], vcc_v[PLANT_EDGE_COUNT];
	double rx_dbm[PLANT_EDGE_COUNT], tx_dbm[PLANT_EDGE_COUNT];
	double bias_ma[PLANT_EDGE_COUNT];
};

/* Why a link is down. */
enum plant_down {
	PLANT_IS_UP,
	PLANT_DOWN_ADMIN,
	PLANT_DOWN_NO_MODULE,
	PLANT_DOWN_NO_LIGHT,
	PLANT_DOWN_REMOTE,
	PLANT_DOWN_HIGH_BER,
	PLANT_DOWN_STARTING,	/* the switch boots */
	PLANT_DOWN_COUNT,
};

/* What stays as it is unless a fault changes it. */
struct plant_port_facts {
	char name[32];		/* Ethernet8 */
	char alias[32];
	char media[16];		/* DR4, CR8 … */
	char fec[8];		/* none fc rs528 rs544 */
	char group[32];		/* ports that share a component */
	char peer_switch[32];
	char peer_port[32];
	char vendor[17], part[17];
	unsigned module;	/* cage, from 1; several ports in a breakout */
	unsigned first_lane;	/* on the module, from 1 */
	unsigned lanes;			/* electrical, and optical, but … */
	unsigned media_lanes;		/* … a coherent module has one */
	uint64_t speed_bps;
	unsigned queues;
	bool optical;
	bool coherent;			/* plant_coherent() reports it */
	bool monitored;		/* has temperature and supply readings */
	uint64_t queue_buffer_octets;
	struct plant_limits limits;
};

struct plant_lane {
	double rx_mw;		/* light at our receiver, with monitor noise */
	double tx_mw;
	double bias_ma;
	double pre_fec_ber;	/* true, not counted */
	double snr_db;
	bool rx_los, tx_fault;
};

struct plant_queue {
	uint64_t frames, octets, dropped_frames, dropped_octets;
	uint64_t ecn_marked_frames;
	uint64_t occupancy_octets;	/* now */
	uint64_t peak_octets;	/* over the steps of the last plant_advance() */
};

struct plant_priority {
	uint64_t pfc_rx_frames, pfc_tx_frames;
	uint64_t pfc_rx_pause_us, pfc_tx_pause_us;
};

/* A port at a time: cumulative counts as a 64-bit ASIC would hold them. */
struct plant_port {
	bool admin_up, oper_up, present;
	enum plant_down down;		/* PLANT_IS_UP when oper_up */
	bool counters_readable;		/* false: no answer this time */
	bool dom_readable;		/* false: the bus answers garbage */
	int64_t dom_ns;			/* when the module took its readings */
	char serial[17];		/* of the module in the cage now */
	uint64_t link_down_count;
	uint64_t in_octets, in_frames, out_octets, out_frames;
	uint64_t in_non_ucast_frames, out_non_ucast_frames;
	uint64_t in_errors, in_discards, out_discards;
	/* By size: 64, -127, -255, -511, -1023, -1518, -2047, -4095, -9216,
	 * -16383 octets.
	 */
	uint64_t in_size_frames[PLANT_SIZE_BINS];
	uint64_t out_size_frames[PLANT_SIZE_BINS];
	uint64_t fec_corrected_codewords, fec_uncorrectable_codewords;
	uint64_t fec_symbol_errors, fec_corrected_bits;
	uint64_t fec_bins[PLANT_FEC_BINS];	/* codewords by symbol errors */
	double temp_c, vcc_v, laser_temp_c;
	struct plant_lane lane[PLANT_LANES_MAX];
	struct plant_queue queue[PLANT_QUEUES_MAX];
	struct plant_priority priority[PLANT_PRIORITIES];
};

/* What a coherent receiver reports about its line. */
enum plant_coherent_value {
	COHERENT_CD_PS_PER_NM,		/* chromatic dispersion */
	COHERENT_DGD_PS,		/* differential group delay */
	COHERENT_SOPMD_PS2,		/* second-order PMD */
	COHERENT_PDL_DB,		/* polarisation dependent loss */
	COHERENT_OSNR_DB,		/* in 0.1 nm */
	COHERENT_ESNR_DB,
	COHERENT_CFO_MHZ,		/* carrier frequency offset */
	COHERENT_EVM_PERCENT,		/* error vector magnitude */
	COHERENT_TX_DBM,
	COHERENT_RX_DBM,		/* all wavelengths */
	COHERENT_SIGNAL_DBM,		/* its own */
	COHERENT_SOP_KRAD_S,		/* rotation of the polarisation */
	COHERENT_MER_DB,		/* modulation error ratio */
	COHERENT_BER,			/* before FEC of the line */
	COHERENT_LOST_FRAMES,		/* share of frames, after FEC */
	PLANT_COHERENT_COUNT,
};

/* A value over the module's interval; now: at its end. */
struct plant_stretch {
	double now, avg, min, max;
};

/* A coherent module as last read. Its interval has parts; of their counts the
 * smallest and the largest are known.
 */
struct plant_coherent {
	struct plant_stretch value[PLANT_COHERENT_COUNT];
	uint64_t bits, part_bits, corrected, corrected_min, corrected_max;
	uint64_t frames, part_frames, lost_frames, lost_min, lost_max;
	int channel;			/* of 25 GHz, from 193.1 THz */
	double config_ghz, laser_mhz;	/* as set; actual */
	double config_dbm;		/* transmit power, as set */
	/* Of its modulator: X I, X Q, Y I, Y Q, X phase, Y phase. */
	double bias_percent[PLANT_MODULATOR_BIASES];
};

struct plant_sensor {
	char name[32];
	double temp_c;		/* NAN for a fan */
	double fan_rpm;		/* NAN unless it is a fan */
};

/* One planted fault, for a test or a person to compare findings with. */
struct plant_fault {
	int64_t start_ns, end_ns;	/* since start; INT64_MAX: never */
	char where[64];			/* as written */
	char fault[24];
	char line[160];			/* the whole statement */
	unsigned line_number;
};

/* A row of the fault table: what the manual prints. */
struct plant_fault_info {
	const char *name;
	const char *keys;	/* key=default …; of a|b the default is a */
	const char *help;
	bool benign;		/* nothing is wrong: must not be reported */
};

/* Reads a scenario. text is not kept. file is its name in messages. Returns
 * -EINVAL with line and nearest word, -ENOMEM.
 */
int plant_open(const char *text, size_t len, const char *file,
	       struct plant **ret, struct diag *d);
/* The same for a file. Also returns the errno of reading it, with its path. */
int plant_open_file(const char *path, struct plant **ret, struct diag *d);
/* NULL is allowed. */
void plant_close(struct plant *p);

/* Plays the scenario speed times as fast, from the next step on: faults and
 * bursts come that many times as often, but traffic and bit errors of a link
 * stay the same per second of the clock by which its counters are read.
 */
void plant_pace(struct plant *p, double speed);

/* The name of the switch in the scenario. */
const char *plant_switch_name(const struct plant *p);
/* Time between two steps of the physics. */
int64_t plant_tick_ns(const struct plant *p);
/* How often modules refresh their readings. */
int64_t plant_dom_period_ns(const struct plant *p);
/* Ports, sensors and planted faults are numbered from 0. */
size_t plant_port_count(const struct plant *p);
/* Sensors of the box. */
size_t plant_sensor_count(const struct plant *p);
/* Number of statements "at". */
size_t plant_fault_count(const struct plant *p);
/* The facts of a port, before anything is measured. */
void plant_port_facts(const struct plant *p, size_t port,
		      struct plant_port_facts *ret);
/* Planted fault n, in the order of the file. */
void plant_fault(const struct plant *p, size_t n, struct plant_fault *ret);
/* The lanes of a port that fault n affects, bit 0 the first; all of them for a
 * fault of the whole port, none if the port is not affected.
 */
uint8_t plant_fault_lanes(const struct plant *p, size_t n, size_t port);

/* Moves the physics forward to the last step at or before t_ns since the start;
 * never backwards. The number of calls affects nothing but peaks.
 */
void plant_advance(struct plant *p, int64_t t_ns);

/* The time of the state, which is that of the last step. */
int64_t plant_now_ns(const struct plant *p);

/* The state of a port at the last step. */
void plant_port(const struct plant *p, size_t port, struct plant_port *ret);
/* What a port's coherent module reports as well. Returns false if the cage is
 * empty or holds another kind.
 */
bool plant_coherent(const struct plant *p, size_t port,
		    struct plant_coherent *ret);
/* The limits that such a module states for a value, by enum plant_edge. */
const double *plant_coherent_edges(enum plant_coherent_value which);
/* The state of a sensor of the box. */
void plant_sensor(const struct plant *p, size_t n, struct plant_sensor *ret);

/* The table of faults that can be planted. */
const struct plant_fault_info *plant_faults(size_t *ret_count);
