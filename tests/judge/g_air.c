#include "tests/judge/g_air.h"

#include <math.h>

#include "tests/judge/g_dice.h"
#include "tests/judge/g_world.h"

#define DAY_S 86400.0

/* A job computes, exchanges, writes a checkpoint: a level for each phase. */
static double job_level(const struct g_job *j, int64_t phase)
{
	double level = g_share_at(j->salt, phase);

	return level < 0.3 ? 0.08 : 0.25 + 0.75 * level;
}

double g_air_load(const struct world *w, unsigned port, double t_s)
{
	const struct g_port *p = &w->built[port];
	const struct g_job *j = &w->job[p->job];

	return p->busy * job_level(j, (int64_t)floor(t_s / j->phase_s));
}

/* What the level comes to behind a lag. Phases before the last two have faded
 * for all but the shortest.
 */
static double job_lagged(const struct g_job *j, double lag_s, double t_s)
{
	double at = floor(t_s / j->phase_s), since_s = t_s - at * j->phase_s;
	int64_t phase = (int64_t)at;
	double fade = exp(-j->phase_s / lag_s);
	double level = job_level(j, phase - 3);

	for (int64_t k = phase - 2; k < phase; k++)
		level = job_level(j, k) + (level - job_level(j, k)) * fade;
	fade = exp(-since_s / lag_s);
	return job_level(j, phase) + (level - job_level(j, phase)) * fade;
}

double g_air_zone_c(const struct world *w, unsigned zone, double t_s)
{
	const struct g_zone *z = &w->zone[zone];

	return z->air_c +
	       z->daily_k * cos(2 * M_PI * (t_s - z->noon_s) / DAY_S) +
	       0.25 * g_wander(z->salt, t_s, 60, 5);
}

double g_air_module_c(const struct world *w, unsigned port, double t_s)
{
	const struct g_port *p = &w->built[port];
	unsigned next = port ? port - 1 : w->at.ports - 1;
	const struct g_port *near = &w->built[next];

	return g_air_zone_c(w, p->zone, t_s) + p->rise_k +
	       p->load_k * p->busy *
		       job_lagged(&w->job[p->job], p->lag_s, t_s) +
	       p->near_k * near->busy *
		       job_lagged(&w->job[near->job], near->lag_s * 2, t_s);
}
