/* RATES: what orchagent's Lua scripts make of a port's counters, with all of
 * their faults: smoothing, an assumed interval, a maximum that never falls.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RATES_BINS 16

struct rates {
	unsigned rounds;		/* of the rate script */
	uint64_t last[6];		/* frames and octets at the last one */
	double bps[2], pps[2];		/* received, sent; smoothed */
	double pre_ber_max;
	uint64_t bits_last, bad_last;	/* of FEC */
	uint64_t bins_last[RATES_BINS], corrected_last, uncorrected_last;
	double flr, flr_predicted, r_squared;
};

struct box;
struct box_port;

/* Writes the settings of the scripts. */
void rates_settings(struct box *b);
/* One round of the rate script, interval_ns after the one before. */
void rates_ports(struct box *b, int64_t interval_ns);
/* One round of the frame-loss script (every 120 s). */
void rates_losses(struct box *b, int64_t unix_s);
