#include "tests/judge/a_heat.h"

#include <math.h>
#include "tests/judge/a_noise.h"

#define DAY_S 86400.0
/* Phases of a job, in readings: minutes at one a second, hours at a slow
 * pace.
 */
#define PHASE_LEAST 300.0
#define PHASE_MOST 1200.0
#define SLOW_S 30.0
#define SLOW_PHASE_LEAST 60.0
#define SLOW_PHASE_MOST 600.0

double a_room_c(const struct a_room *r, double t_s)
{
	return r->mean_c + r->swing_k * sin(2 * M_PI * (t_s / DAY_S +
							r->phase));
}

void a_heat_draw(struct a_heat *h, double pace_s, struct draw *d)
{
	h->low = draw_between(d, 0.05, 0.35);
	h->high = draw_between(d, 0.45, 0.92);
	h->phase_s = pace_s * (pace_s > SLOW_S ?
		a_log_between(d, SLOW_PHASE_LEAST, SLOW_PHASE_MOST) :
		a_log_between(d, PHASE_LEAST, PHASE_MOST));
	h->offset_s = h->phase_s * draw_unit(d);
	h->base_k = draw_between(d, 12, 22);
	h->load_k = draw_between(d, 3, 7);
	h->delay_s = fmin(draw_between(d, 150, 420), h->phase_s / 3);
	h->key = draw_u64(d);
}

static double level(const struct a_heat *h, double phase)
{
	return h->low + (h->high - h->low) *
		key_unit(h->key ^ (uint64_t)(int64_t)phase);
}

double a_heat_load(const struct a_heat *h, double t_s)
{
	return level(h, floor((t_s + h->offset_s) / h->phase_s));
}

/* Three delays or more into a phase the one before it is forgotten. */
double a_heat_k(const struct a_heat *h, double t_s)
{
	double at = (t_s + h->offset_s) / h->phase_s, phase = floor(at);
	double now = level(h, phase), before = level(h, phase - 1);
	double left = exp(-(at - phase) * h->phase_s / h->delay_s);

	return h->base_k + h->load_k * (now + (before - now) * left);
}
