/* The physics of one link: lasers, light, receiver, and what a code makes of
 * its errors.
 *
 * 1/Q^2 = z0 (floor + shot u + thermal u^2), u: by how much light is less
 * than when the link was healthy.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "platform/sim/draw.h"
#include "platform/sim/codewords.h"
#include "tests/judge/a_stress.h"

#define A_EYE_STEPS 512

/* 1/Q^2 by log10 BER, for two levels and for four. Filled once. */
struct a_eye {
	double z[2][A_EYE_STEPS + 1];
};

void a_eye_init(struct a_eye *e);
double a_eye_z(const struct a_eye *e, bool four_levels, double log_ber);

/* What media of a kind have in common. */
struct a_media {
	const char *name;
	bool optical, coherent, monitored, connector, colours, parallel, cooled;
	double tx_dbm, path_db, bias_ma, dark_dbm;
	double log_ber_low, log_ber_high;	/* of healthy links */
	bool states_ber;		/* the module tells a BER of its own */
};

struct a_lane {
	double z0, log_ber;		/* healthy, at the reference heat */
	double floor, shot, thermal;	/* shares of z0; their sum is 1 */
	double rx_dbm, tx_dbm, bias_ma;
};

struct a_link {
	const struct a_media *media;
	const struct a_eye *eye;	/* borrowed */
	const struct code *code;	/* NULL: none for the host */
	double code_hz;
	uint64_t speed_bps;
	bool four_levels;
	unsigned lanes;
	double noise_per_k, reference_k;	/* of 1/Q^2 */
	bool constant_current;
	double bias_k;			/* kelvin for a factor e of bias */
	struct a_lane lane[WORLD_LANES_MAX];
};

/* Draws the lanes of a module; what stands above them is given. */
void a_link_plug(struct a_link *l, uint64_t key);

/* Where lanes wandered by themselves; NULL: not. */
struct a_drift {
	double light_db[WORLD_LANES_MAX], noise[WORLD_LANES_MAX];
};

/* Mean BER of the lanes, and the 1/Q^2 of each, which may be NULL. heat_k: the
 * module's, above the mean of the room.
 */
double a_link_ber(const struct a_link *l, const struct a_stress *s,
		  double heat_k, const struct a_drift *drift,
		  double ret_z[WORLD_LANES_MAX]);

/* Loss of light that brings a lane to that 1/Q^2. */
double a_link_loss_db(const struct a_lane *l, double z);

/* Share of codewords, of the line's frames where it is coherent, that are
 * lost at a BER without bursts.
 */
double a_link_loss(const struct a_link *l, double ber);
/* How many of them there are a second. */
double a_link_codeword_hz(const struct a_link *l);
/* The same with bursts, and spikes while they last. */
double a_link_loss_now(const struct a_link *l, const struct a_stress *s,
		       double ber);
/* Light so weak, or errors so many, that no link holds. */
bool a_link_is_lost(const struct a_link *l, const struct a_stress *s,
		    double ber);
