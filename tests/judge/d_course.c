/* Laws of how dB of light or of noise are lost with time. Films grow to an end
 * (saturating), fatigue by steps, cracks by powers, wear-out exponentially
 * (GR-468); the field adds pauses and reversals, as racks are cooled and doors
 * are moved.
 */
#include <math.h>

#include "tests/judge/d_world.h"

#define MOST 1.6
#define PIECES 9

const char *const d_laws[D_LAWS + 1] = {
	"linear", "exponential", "power", "saturating", "stepwise", "walk",
	"paused", NULL,
};

static double part_of(uint64_t key, uint64_t n)
{
	return key_unit(draw_key(key, n, 0, 0));
}

/* Steps at odd times, of odd heights. */
static double stepwise(uint64_t key, double x)
{
	double sum = 0, all = 0;

	for (unsigned i = 0; i < PIECES; i++) {
		double height = 0.2 + part_of(key, i);
		double at = (i + part_of(key, i + 50)) / PIECES;

		all += height;
		sum += x >= at ? height : 0;
	}
	return sum / all + (x > 1 ? x - 1 : 0);
}

/* Pieces that climb at their own pace, rest, or go back a little. */
static double paused(uint64_t key, double x)
{
	double sum = 0, all = 0;

	for (unsigned i = 0; i < PIECES; i++) {
		double u = part_of(key, i), part = x * PIECES - i;
		double pace = i == PIECES - 1 || u > 0.45 ? 0.5 + u :
			      u > 0.15 ? 0 : -0.3;

		all += pace;
		sum += pace * fmin(fmax(part, 0), 1);
	}
	return all > 0.5 ? sum / all + (x > 1 ? x - 1 : 0) : x;
}

double d_law(unsigned law, uint64_t key, double x)
{
	double y = x, u = key_unit(key);

	if (x <= 0)
		return 0;
	switch (law) {
	case 1:
		y = expm1((1.5 + 3 * u) * x) / expm1(1.5 + 3 * u);
		break;
	case 2:
		y = pow(x, 0.5 + 3 * u);
		break;
	case 3:
		y = expm1(-(1 + 2 * u) * x) / expm1(-(1 + 2 * u));
		break;
	case 4:
		y = stepwise(key, x);
		break;
	case 5:
		y = x + 0.12 * sqrt(fmin(x, 1)) *
		    (key_wander(key, 800 * x) - (x > 1 ? 0 : x) *
		     key_wander(key, 800));
		break;
	case 6:
		y = paused(key, x);
		break;
	default:
		break;
	}
	return fmin(fmax(y, 0), MOST);
}

/* Cells of a tenth of the way to full; each has its spell, the first at once.
 */
bool d_spell(const struct d_fault *f, int64_t t_ns)
{
	double cell_ns = (double)(f->full_ns - f->from_ns) / 10;
	double at = (double)(t_ns - f->from_ns) / cell_ns, cell = floor(at);
	uint64_t k = draw_key(f->key, (uint64_t)cell, 0, 0);
	double lasts = 0.15 + 0.5 * key_unit(k);
	double begins = cell < 1 ? 0 : (1 - lasts) * part_of(k, 1);

	at -= cell;
	return at >= begins && at < begins + lasts;
}

static bool pulse(const struct d_fault *f, double t_s)
{
	double period_s = 120 + 300 * part_of(f->key, 2);
	double share = 0.08 + 0.2 * part_of(f->key, 3);

	return fmod(t_s, period_s) < share * period_s;
}

static double course(const struct d_fault *f, int64_t t_ns, double load)
{
	double into = (double)(t_ns - f->from_ns);
	double x = into / (double)(f->full_ns - f->from_ns);

	switch (f->kind->course) {
	case D_GROW:
		return d_law(f->law, f->key, x);
	case D_SETTLE:
		return -expm1(-5 * x);
	case D_SPELLS:
		return d_spell(f, t_ns);
	case D_LOAD:
		return fmin(1, x * 10) * load;
	case D_STEP:
		break;
	}
	return 1;
}

double d_level(const struct d_fault *f, int64_t t_ns, double load)
{
	double level, t_s = (double)t_ns / (double)D_NS;

	if (t_ns < f->from_ns || t_ns >= f->end_ns)
		return 0;
	level = course(f, t_ns, load);
	if (f->kind->acts & D_JITTER)
		level *= fmin(fmax(0.3, 1 + 0.6 * key_wander(f->key, t_s)),
			      1.8);
	if (f->kind->acts & D_PULSES && !pulse(f, t_s))
		level = 0;
	if (f->kind->acts & D_COLD)
		level = -exp(-4 * (double)(t_ns - f->from_ns) /
			     (double)(f->end_ns - f->from_ns));
	return level;
}
