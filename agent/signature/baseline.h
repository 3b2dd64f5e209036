/* What is normal for one port's log10 BER: a line over the module's
 * temperature, learned with forgetting, in the caller's memory.
 *
 * The slope is a posterior: before the module has shown its own, the one that
 * modules have, with its doubt. The doubt, the spread seen so far, and the
 * youth of the mean all go into what a residual is measured against, so a
 * young baseline alarms late instead of wrongly.
 */
#pragma once


struct kept;

#define BASELINE_MEMORY_S 86400.0	/* one day of heat */

struct baseline {
	float learned_s;	/* at most BASELINE_MEMORY_S */
	float mean_temp_c, mean;
	float var_temp, cov, var;
	float temp_s;		/* of learned_s, with temperature */
	/* Worked out of the above after each lesson. */
	float slope, slope_sd;	/* decades a kelvin */
	float spread;		/* sd of a residual */
};

struct residual {
	double excess;		/* decades above normal */
	double sd;		/* of that, on a healthy port */
	double slack;		/* what temperature may still explain of it */
	double heat_k;		/* module above its mean temperature */
};

/* Nothing is known: the prior alone. */
void baseline_start(struct baseline *b);

/* Starts at a known level, as if learned for a while: after a restart. */
void baseline_seed(struct baseline *b, double log_ber);

/* One window. temp_c: NAN when unknown. clip: an excess beyond it is learned
 * as that much; rate: share of the usual speed.
 */
void baseline_learn(struct baseline *b, double log_ber, double temp_c,
		    double window_s, double clip, double rate);

/* bits: errors counted in the window, for their own noise. */
void baseline_residual(const struct baseline *b, double log_ber,
		       double temp_c, double bits, struct residual *ret);

/* What of it lasts (kept.h). */
extern const struct kept baseline_kept, residual_kept;
