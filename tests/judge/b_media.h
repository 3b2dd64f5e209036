/* The kinds of links that plant B has, and in which ranges they are healthy. */
#pragma once

#include "tests/judge/b_draw.h"
#include "tests/judge/world.h"

enum b_medium {		/* a bit each in masks */
	B_DR4, B_2DR4, B_2DR2, B_DR8, B_FR4, B_LR4, B_SR4, B_SR8, B_AOC,
	B_DAC, B_AEC, B_ZR, B_SR4_100G, B_LR4_100G, B_DAC_100G,
	B_MEDIUM_COUNT,
};

#define B_BIT(n) (1u << (n))
#define B_COPPER (B_BIT(B_DAC) | B_BIT(B_AEC) | B_BIT(B_DAC_100G))
#define B_ANY (B_BIT(B_MEDIUM_COUNT) - 1)
#define B_LIGHT (B_ANY & ~B_COPPER)
/* Light in connectors that people open. */
#define B_PLUGS (B_LIGHT & ~B_BIT(B_AOC))
#define B_MONITORED (B_LIGHT | B_BIT(B_AEC))

struct b_range {
	double low, high;
};

struct b_media_row {
	const char *media;
	unsigned weight;		/* how often */
	unsigned ports;			/* of one module */
	unsigned lanes;
	uint64_t speed_mbps;
	enum fec_mode fec;
	bool coherent, sfp_monitors;	/* SFF-8636: coarse monitors */
	struct b_range log_ber;		/* of its worst lane */
	struct b_range tx_dbm, loss_db, bias_ma;
	struct b_range thermal;		/* share of the noise */
	struct b_range spread;
	double warmth_k;		/* over the air, running */
	double first_nm, step_nm;	/* of the lanes' colours */
	double rx_high_dbm, rx_low_dbm;	/* warnings; alarms 1 and 3 dB off */
	double tx_high_dbm, tx_low_dbm;
};

const struct b_media_row *b_media_row(enum b_medium medium);
/* One by its weight. */
enum b_medium b_media_draw(struct b_draw *d);
