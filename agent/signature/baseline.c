#include "agent/signature/baseline.h"

#include <math.h>

#include "agent/base/extreme.h"
#include "agent/signature/kept.h"

/* Of modules: 0.01 to 0.1 decade a kelvin. */
#define SLOPE_PRIOR 0.045
#define SLOPE_PRIOR_SD 0.035
#define SLOPE_MIN (-0.02)
#define SLOPE_MAX 0.12
#define BEND_PER_K2 0.002	/* decades; error of the straight line */
#define SPREAD_PRIOR 0.06	/* decades */
#define SPREAD_PRIOR_S 2400.0	/* it weighs as much as this long a time */
#define COLD_K 3.0
#define SPREAD_MIN 0.02
#define WINDOW_SD 0.05
/* Residuals are 1/f noise: samples this far apart count as independent. */
#define INDEPENDENT_S 1800.0
#define SEED_S 3600.0

static double clamp(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

/* The slope's precision is the prior's plus that of the data. */
static void work_out(struct baseline *b)
{
	double prior = 1 / (SLOPE_PRIOR_SD * SLOPE_PRIOR_SD);
	double n = b->temp_s / INDEPENDENT_S;
	double var, weight, slope;

	var = b->var - 2 * b->slope * b->cov +
	      b->slope * b->slope * b->var_temp;
	if (var < SPREAD_MIN * SPREAD_MIN)
		var = SPREAD_MIN * SPREAD_MIN;
	var = (var * b->learned_s + SPREAD_PRIOR * SPREAD_PRIOR *
	       SPREAD_PRIOR_S) / (b->learned_s + SPREAD_PRIOR_S);
	weight = n / var;
	slope = (SLOPE_PRIOR * prior + b->cov * weight) /
		(prior + b->var_temp * weight);
	b->slope = (float)clamp(slope, SLOPE_MIN, SLOPE_MAX);
	b->slope_sd = (float)(1 / sqrt(prior + b->var_temp * weight));
	b->spread = (float)sqrt(var);
}

void baseline_start(struct baseline *b)
{
	*b = (struct baseline){ .mean_temp_c = NAN, .slope = SLOPE_PRIOR,
				.slope_sd = SLOPE_PRIOR_SD,
				.spread = SPREAD_PRIOR };
}

void baseline_seed(struct baseline *b, double log_ber)
{
	baseline_start(b);
	b->mean = (float)log_ber;
	b->learned_s = SEED_S;
	work_out(b);
}

/* Colder than it ever was is more likely a wrong reading than a reason to
 * expect fewer errors.
 */
static double heat_of(const struct baseline *b, double temp_c)
{
	double heat, coldest;

	if (isnan(temp_c) || isnan(b->mean_temp_c))
		return 0;
	heat = temp_c - b->mean_temp_c;
	if (heat > -COLD_K)
		return heat;
	coldest = -COLD_K - 2.5 * sqrt(b->var_temp);
	return heat > coldest ? heat : coldest;
}

static void temp_learn(struct baseline *b, double temp_c, double dy,
		       double window_s, double rate)
{
	double share, dt;

	if (isnan(temp_c))
		return;
	if (isnan(b->mean_temp_c))
		b->mean_temp_c = (float)temp_c;
	b->temp_s = (float)double_least(b->temp_s + window_s * rate,
					BASELINE_MEMORY_S);
	share = window_s * rate / b->temp_s;
	dt = temp_c - b->mean_temp_c;
	b->mean_temp_c += (float)(share * dt);
	b->var_temp = (float)((1 - share) * (b->var_temp + share * dt * dt));
	b->cov = (float)((1 - share) * (b->cov + share * dt * dy));
}

void baseline_learn(struct baseline *b, double log_ber, double temp_c,
		    double window_s, double clip, double rate)
{
	double expected = b->mean + b->slope * heat_of(b, temp_c);
	double share, dy;

	if (b->learned_s <= 0)
		expected = b->mean = (float)log_ber;
	dy = expected + clamp(log_ber - expected, -clip, clip) - b->mean;
	b->learned_s = (float)double_least(b->learned_s + window_s * rate,
					   BASELINE_MEMORY_S);
	share = window_s * rate / b->learned_s;
	b->mean += (float)(share * dy);
	b->var = (float)((1 - share) * (b->var + share * dy * dy));
	temp_learn(b, temp_c, dy, window_s, rate);
	work_out(b);
}

void baseline_shorten(struct baseline *b)
{
	b->learned_s = fminf(b->learned_s, BASELINE_WARM_UP_S);
	b->temp_s = fminf(b->temp_s, BASELINE_WARM_UP_S);
}

void baseline_residual(const struct baseline *b, double log_ber,
		       double temp_c, double bits, struct residual *ret)
{
	double heat = heat_of(b, temp_c), bend = BEND_PER_K2 * heat * heat;
	double slope = b->slope_sd * heat;
	double var = (double)b->spread * b->spread;

	var += var / (1 + b->learned_s / INDEPENDENT_S);
	var += WINDOW_SD * WINDOW_SD + 0.4 / (bits + 1);
	var += slope * slope + bend * bend;
	ret->excess = log_ber - b->mean - b->slope * heat;
	ret->sd = sqrt(var);
	ret->slack = 2 * fabs(slope) + bend;
	ret->heat_k = heat;
}

static const struct kept_field baseline_fields[] = {
	KEEP(struct baseline, learned_s),
	KEEP_OPT(struct baseline, mean_temp_c),
	KEEP(struct baseline, mean),
	KEEP(struct baseline, var_temp),
	KEEP(struct baseline, cov),
	KEEP(struct baseline, var),
	KEEP(struct baseline, temp_s),
	KEEP(struct baseline, slope),
	KEEP(struct baseline, slope_sd),
	KEEP(struct baseline, spread),
};

const struct kept baseline_kept =
	KEPT_TABLE(struct baseline, "baseline", baseline_fields);

static const struct kept_field residual_fields[] = {
	KEEP(struct residual, excess),
	KEEP(struct residual, sd),
	KEEP(struct residual, slack),
	KEEP(struct residual, heat_k),
};

const struct kept residual_kept =
	KEPT_TABLE(struct residual, "residual", residual_fields);
