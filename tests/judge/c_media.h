/* The kinds of links that plant C has, the switches that they are built into,
 * and in which ranges they are healthy.
 */
#pragma once

#include "tests/judge/c_chance.h"
#include "tests/judge/world.h"

enum c_medium {		/* a bit each in masks */
	C_DR4, C_DR8, C_FR4, C_LR4, C_SR8, C_SR4_100G, C_LR4_100G, C_AOC, C_AEC,
	C_DAC, C_DAC_100G, C_ZR, C_MEDIUM_COUNT,
};

#define C_BIT(n) (1u << (n))
#define C_COPPER (C_BIT(C_AEC) | C_BIT(C_DAC) | C_BIT(C_DAC_100G))
#define C_ANY (C_BIT(C_MEDIUM_COUNT) - 1)
#define C_LIGHT (C_ANY & ~C_COPPER)
#define C_MULTIMODE (C_BIT(C_SR8) | C_BIT(C_SR4_100G) | C_BIT(C_AOC))
#define C_SINGLEMODE (C_LIGHT & ~C_MULTIMODE)
/* Fibre that somebody may plug. */
#define C_PLUGS (C_LIGHT & ~C_BIT(C_AOC))
/* Many fibres in a plug, each a lane. */
#define C_RIBBON (C_BIT(C_DR4) | C_BIT(C_DR8) | C_BIT(C_SR8) | \
		  C_BIT(C_SR4_100G) | C_BIT(C_AOC))
#define C_MONITORED (C_LIGHT | C_BIT(C_AEC))
#define C_DIRECT (C_ANY & ~C_BIT(C_ZR))

struct c_media_row {
	const char *media;
	unsigned lanes;
	uint64_t speed_mbps;
	enum fec_mode fec;
	double q_least;		/* Q at the bit errors of the sensitivity */
	double ber_share;	/* of erfc(Q / sqrt 2) */
	struct c_range tx_dbm, loss_db, sense_dbm, beat, bias_ma;
	struct c_range run;	/* chance of one more wrong symbol */
	double threshold_k;	/* T0 of its laser; 0: copper */
	double warmth_k;	/* over the air */
	double first_nm, step_nm;
	unsigned shares_laser;	/* lanes of one laser */
	double rx_low_dbm, rx_high_dbm, tx_low_dbm, tx_high_dbm;
};

const struct c_media_row *c_media_row(enum c_medium medium);

/* A switch of a role: what its ports are, in blocks from the first port on. */
struct c_role {
	const char *what;
	struct {
		enum c_medium medium;
		unsigned share;		/* of 16 */
		const char *peer;
	} block[4];
	unsigned group, zones, cage;	/* ports of each; zones: how many */
};

/* All of them by turns. */
const struct c_role *c_media_role(uint64_t turn);
