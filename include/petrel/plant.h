/* C16: the state of a switch that does not exist, and the scenario that
 * moves it.
 *
 * The plant knows optics, heat and queues, and none of the detectors: it
 * shares no source and no constant with agent/signature, which a test holds.
 * The sim driver, EEPROM images, petrel-vswitch and recorded traces are fed by
 * it. Everything is a function of (scenario, seed, time): asked twice, it
 * answers the same.
 *
 * Scenario: a text file, one statement a line, '#' begins a comment.
 *
 *   switch ports=64 speed=400G lanes=4 media=DR4 fec=rs544 seed=1 name=sim
 *          load=30..90 tick=1s
 *   at TIME WHERE FAULT key=value …
 *
 * TIME is a number with a unit (ms s m h d) since the start. WHERE is a port
 * pattern (Ethernet8, Ethernet0-28/4, Ethernet0,Ethernet4, all), with ".LANE"
 * for one lane. FAULT is a row of the fault table (plant_faults()); its keys
 * stand there too. "for=DURATION" ends a fault, "ramp=DURATION" lets it grow.
 * A wrong line is refused with its number and the nearest word.
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

struct plant;			/* opaque: scenario and physics */

/* What stays as it is while no fault changes it. */
struct plant_port_facts {
	char name[32];		/* Ethernet8 */
	char alias[32];
	char media[16];		/* DR4, CR8 … */
	char fec[8];		/* none fc rs528 rs544 */
	char group[32];		/* ports that share a component */
	char peer_switch[32];
	char peer_port[32];
	unsigned lanes;
	uint64_t speed_bps;
	unsigned queues;
	bool optical;
	uint64_t queue_buffer_octets;
};

struct plant_lane {
	double rx_mw;		/* light at our receiver */
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
	uint64_t peak_octets;		/* since the call before */
};

struct plant_priority {
	uint64_t pfc_rx_frames, pfc_tx_frames;
	uint64_t pfc_rx_pause_us, pfc_tx_pause_us;
};

/* A port at a time: cumulative counts as a 64-bit ASIC would hold them. */
struct plant_port {
	bool admin_up, oper_up, present;
	bool dom_readable;		/* false: the bus answers garbage */
	char serial[17];		/* of the module in the cage now */
	uint64_t link_down_count;
	uint64_t in_octets, in_frames, out_octets, out_frames;
	uint64_t in_errors, in_discards, out_discards;
	uint64_t fec_corrected_codewords, fec_uncorrectable_codewords;
	uint64_t fec_symbol_errors, fec_corrected_bits;
	uint64_t fec_bins[PLANT_FEC_BINS];	/* codewords by symbol errors */
	double temp_c, vcc_v, laser_temp_c;
	struct plant_lane lane[PLANT_LANES_MAX];
	struct plant_queue queue[PLANT_QUEUES_MAX];
	struct plant_priority priority[PLANT_PRIORITIES];
};

struct plant_sensor {
	char name[32];
	double temp_c;		/* NAN where it is a fan */
	double fan_rpm;		/* NAN where it is not */
};

/* One planted fault, for a test or a person to compare findings with. */
struct plant_fault {
	int64_t start_ns, end_ns;	/* since the start; INT64_MAX: stays */
	char where[64];			/* as written */
	char fault[24];
	char line[160];			/* the whole statement */
	unsigned line_number;
};

/* A row of the fault table: what the manual prints. */
struct plant_fault_info {
	const char *name, *keys, *help;
};

/* Reads a scenario. text is not kept. file names it in messages.
 * Returns -EINVAL with line and nearest word, -ENOMEM.
 */
int plant_open(const char *text, size_t len, const char *file,
	       struct plant **ret, struct diag *d);
void plant_close(struct plant *p);

const char *plant_switch_name(const struct plant *p);
/* Time between two steps of the physics. */
int64_t plant_tick_ns(const struct plant *p);
size_t plant_port_count(const struct plant *p);
size_t plant_sensor_count(const struct plant *p);
size_t plant_fault_count(const struct plant *p);
void plant_port_facts(const struct plant *p, size_t port,
		      struct plant_port_facts *ret);
void plant_fault(const struct plant *p, size_t n, struct plant_fault *ret);

/* Moves the physics forward to t_ns since the start; never backwards. */
void plant_advance(struct plant *p, int64_t t_ns);

/* The state at the time last advanced to. */
void plant_port(const struct plant *p, size_t port, struct plant_port *ret);
void plant_sensor(const struct plant *p, size_t n, struct plant_sensor *ret);

const struct plant_fault_info *plant_faults(size_t *ret_count);
