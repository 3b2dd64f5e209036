/* What is true of a port: light, heat, eye, errors. A function of time alone,
 * so that what will be can be known before.
 */
#pragma once

#include "tests/judge/g_stress.h"

struct g_live {
	struct g_stress stress;
	double at_s, temp_c, load;
	double usual_c;			/* were it not for what befalls */
	/* Of each lane. */
	double rx_db[WORLD_LANES_MAX];	/* from what is usual */
	double tx_db[WORLD_LANES_MAX];
	double bias[WORLD_LANES_MAX];	/* in parts of the usual one */
	double q[WORLD_LANES_MAX], ber[WORLD_LANES_MAX];
	double mean_ber, chain;
	double log_ber;			/* of the mean */
	double code_loss;		/* share of codewords, by this ratio */
	double loss;			/* the same, bursts too */
};

/* At a span's end, but for one event (NULL: all of them). */
void g_live_at(const struct world *w, unsigned port, struct g_span at,
	       const struct g_event *without, struct g_live *ret);

/* Codewords in a second. */
double g_live_rate(const struct world *w, unsigned port);
