/* What is normal for one port's log10 BER: a line over the module's
 * temperature, learned with forgetting, in the caller's memory.
 *
 * The slope is a posterior: until the module has shown its own, it is the usual
 * slope of modules, with its doubt. A residual is measured against this doubt,
 * the spread seen so far and the age of the mean, so a young baseline alarms
 * late instead of wrongly.
 */
#pragma once


struct kept;

#define BASELINE_MEMORY_S 86400.0	/* one day of heat */
#define BASELINE_WARM_UP_S 300.0f	/* of a module that warms up */

struct baseline {
	float learned_s;	/* at most BASELINE_MEMORY_S */
	float mean_temp_c, mean;
	float var_temp, cov, var;
	float temp_s;		/* part of learned_s with temperature */
	/* Computed from the above after each window. */
	float slope, slope_sd;	/* decades a kelvin */
	float spread;		/* sd of a residual */
};

struct residual {
	double excess;		/* decades above normal */
	double sd;		/* of that, on a healthy port */
	double slack;		/* part that temperature may still explain */
	double heat_k;		/* module above its mean temperature */
};

/* Nothing is known: the prior alone. */
void baseline_start(struct baseline *b);

/* Starts at a known level, as if learned for a while: after a restart. */
void baseline_seed(struct baseline *b, double log_ber);

/* One window. temp_c: NAN when unknown. clip: a larger excess is cut to this;
 * rate: share of the usual speed.
 */
void baseline_learn(struct baseline *b, double log_ber, double temp_c,
		    double window_s, double clip, double rate);

/* What it measures warms up: its memory is short until then. */
void baseline_shorten(struct baseline *b);

/* bits: errors counted in the window, for their own noise. */
void baseline_residual(const struct baseline *b, double log_ber,
		       double temp_c, double bits, struct residual *ret);

/* What is kept over a restart (kept.h). */
extern const struct kept baseline_kept, residual_kept;
