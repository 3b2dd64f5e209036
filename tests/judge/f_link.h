/* From causes to errors: what befalls a port at a time, how warm it gets by
 * that, and how many errors come of loss, noise and heat.
 */
#pragma once

#include "tests/judge/f_world.h"

/* Which events count. */
enum { F_ALL = -1, F_NONE = -2, F_FAULTS = -3 };	/* or one's number */

/* All that strikes the port at that time; which: a number or one of those. */
void f_link_effects(const struct world *w, const struct f_moment *m, int which,
		    struct f_effect *ret);

/* The air before a zone. */
double f_link_air_c(const struct world *w, unsigned zone, double t_s,
		    int which);
/* Share of the line that is in use. */
double f_link_load(const struct world *w, const struct f_port *p, double t_s,
		   const struct f_effect *x);
/* What the module's temperature goes to. */
double f_link_heat_c(const struct world *w, const struct f_port *p, double t_s,
		     const struct f_effect *x, int which);

/* Mean bit error ratio before heat and drift.
 *
 * sway_db: more loss of each lane; NULL: none
 * ret_lane: each lane's; NULL: not wanted
 */
double f_link_ber(const struct world *w, const struct f_port *p,
		  const struct f_effect *x, const double *sway_db,
		  struct f_eye *ret_lane);

/* Sets the eye that gives the port so many errors on a common day. */
void f_link_level(const struct world *w, struct f_port *p, double log_ber);

/* Decades that heat adds. */
double f_link_heat_decades(const struct f_port *p, double temp_c);

/* What log10 of the bit error ratio would be in the mean. */
double f_link_mean(const struct world *w, unsigned port, double t_s, int which,
		   struct f_effect *ret);

/* dB of loss, or of electrical noise, on lanes in these parts, that give the
 * ratio; at most most_db.
 */
double f_link_db_for(const struct world *w, const struct f_port *p,
		     const double part[static WORLD_LANES_MAX], bool as_light,
		     double log_ber, double most_db);
