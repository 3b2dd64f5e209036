/* A hall's air swings by 0.5 to 3 degrees a day (ASHRAE TC 9.9 allows far
 * more); a training job computes and talks for minutes to hours and then rests
 * or saves, and the chip's heat warms the air that modules breathe by 1 to 4
 * degrees (chosen).
 */
#include "tests/judge/b_heat.h"

#include <math.h>

#include "tests/judge/b_world.h"

#define DAY_S 86400.0
#define LAG_S 180.0		/* of the air behind the chip */

void b_heat_build(struct world *w)
{
	struct b_draw *d = &w->draw;
	double benign = w->c.hard ? 2 : 1;
	double length_s = (double)w->c.length_ns / 1e9;

	w->day_swing_k = benign * b_draw_between(d, 0.4, 1.8);
	w->day_phase = b_draw_between(d, 0, 2 * M_PI);
	w->job_s = fmin(fmax(length_s / b_draw_between(d, 3, 12), 600), 4e4);
	w->beat_s = b_draw_log(d, 2, 25);
	w->job_busy = b_draw_between(d, 0.5, 0.85);
	for (unsigned i = 0; i < B_ZONES; i++)
		w->job_k[i] = benign * b_draw_between(d, 0.7, 3);
}

/* Seconds into the job's turn; how long the turn is busy. */
static double turn_s(const struct world *w, double s, double *ret_busy_s)
{
	double turn = floor(s / w->job_s);
	double u = b_hash_unit(w->c.seed ^ 0x70b5, (uint64_t)turn);

	*ret_busy_s = w->job_s * fmin(w->job_busy * (0.7 + 0.6 * u), 0.95);
	return s - turn * w->job_s;
}

double b_heat_load(const struct world *w, int64_t t_ns)
{
	double busy_s, at_s = turn_s(w, (double)t_ns / 1e9, &busy_s);

	return at_s < busy_s ? 1 : 0.04;
}

/* Rises from rest and falls to it by the lag; each turn ends at rest enough. */
static double warmed(const struct world *w, double s)
{
	double busy_s, at_s = turn_s(w, s, &busy_s);

	if (at_s < busy_s)
		return -expm1(-at_s / LAG_S);
	return -expm1(-busy_s / LAG_S) * exp((busy_s - at_s) / LAG_S);
}

double b_heat_air_k(const struct world *w, unsigned zone, int64_t t_ns)
{
	double s = (double)t_ns / 1e9;

	return w->day_swing_k * sin(2 * M_PI * s / DAY_S + w->day_phase) +
	       w->job_k[zone] * (warmed(w, s) - w->job_busy);
}

void b_heat_step(struct world *w)
{
	w->load = b_heat_load(w, w->now_ns);
	for (unsigned i = 0; i < B_ZONES; i++)
		w->air_k[i] = b_heat_air_k(w, i, w->now_ns);
}
