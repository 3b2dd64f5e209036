/* How faults grow, settle, come and go. The laws are those by which wear is
 * described: steady drift, diffusion and its like (a power of time), runaway
 * (exponential), saturation, creep in steps, Paris' law of cracks; and those by
 * which a field's curves differ from a laboratory's: growth that pauses, that
 * is undone for a while, or that stops for good.
 */
#include <math.h>

#include "tests/judge/e_world.h"

#define LEVEL_MOST 1.5
#define SLOT_LEAST_S 4.0

const char *const e_laws[] = {
	"linear", "power", "exponential", "sigmoid", "stairs", "pausing",
	"reversing", "arrested", "fatigue", NULL,
};

static double share(uint64_t key, uint64_t what, double low, double high)
{
	return low + (high - low) * key_unit(draw_key(key, what, 0, 1));
}

static double sigmoid(double x, double steep, double middle)
{
	double at_0 = 1 / (1 + exp(steep * middle));
	double at_1 = 1 / (1 + exp(steep * (middle - 1)));

	return (1 / (1 + exp(steep * (middle - x))) - at_0) / (at_1 - at_0);
}

/* Steps of different heights, at even times. */
static double stairs(uint64_t key, double x)
{
	unsigned n = 3 + (unsigned)share(key, 1, 0, 10);
	double sum = 0, all = 0;

	for (unsigned i = 1; i <= n; i++) {
		double u = key_unit(draw_key(key, 2, i, 0)), height = u * u;

		height += 0.02;
		all += height;
		sum += i <= x * n ? height : 0;
	}
	return sum / all;
}

/* In each of n turns it stands still for a share. */
static double pausing(uint64_t key, double x)
{
	double n = floor(share(key, 1, 2, 6)), still = share(key, 2, 0.2, 0.8);
	double turn = floor(x * n), into = x * n - turn;

	return (turn + fmin(into / (1 - still), 1)) / n;
}

static double reversing(uint64_t key, double x)
{
	double n = floor(share(key, 1, 1, 4)), a = share(key, 2, 0.1, 0.35);

	return x + a * sin(2 * M_PI * n * x);
}

static double fatigue(uint64_t key, double x)
{
	double c = share(key, 1, 0.6, 0.95), all = 1 / (1 - c) - 1;

	return c * x > 0.99 ? LEVEL_MOST : (1 / (1 - c * x) - 1) / all;
}

static double law_raw(unsigned law, uint64_t key, double x)
{
	double k;

	switch (law) {
	case 1:
		return pow(x, share(key, 1, 0.5, 3));
	case 2:
		k = share(key, 1, 1.5, 5);
		return expm1(k * fmin(x, 3)) / expm1(k);
	case 3:
		return sigmoid(x, share(key, 1, 5, 15),
			       share(key, 2, 0.3, 0.7));
	case 4:
		return stairs(key, x);
	case 5:
		return pausing(key, x);
	case 6:
		return reversing(key, x);
	case 7:
		k = share(key, 1, 2, 6);
		return share(key, 2, 0.3, 1.2) * -expm1(-k * x);
	case 8:
		return fatigue(key, x);
	default:
		return x;
	}
}

double e_law(unsigned law, uint64_t key, double x)
{
	if (!(x > 0))
		return 0;
	return fmin(fmax(law_raw(law, key, x), 0), LEVEL_MOST);
}

/* A spell begins by chance in each slot; few are long, few are high. */
static double spell(const struct e_happening *h, double age_s)
{
	double slot = floor(age_s / h->life_s), into = age_s / h->life_s - slot;
	uint64_t key = draw_key(h->key, 3, (uint64_t)slot, 0);
	double begin = key_unit(key) * 0.7, u = key_unit(key + 1);
	double length = 0.02 / pow(key_unit(key + 2), 0.8);

	if (slot > 0 && u > 0.6)
		return 0;
	if (into < begin || into > begin + length)
		return 0;
	return fmin(0.5 / sqrt(key_unit(key + 3)), LEVEL_MOST);
}

double e_level(const struct e_happening *h, int64_t t_ns, double load)
{
	double age_s = (double)(t_ns - h->onset_ns) / 1e9;

	if (t_ns < h->onset_ns || t_ns >= h->end_ns)
		return 0;
	switch (h->kind->course) {
	case E_LAW:
		return e_law(h->law, h->key, age_s / h->life_s);
	case E_SETTLE:
		return -expm1(-age_s / h->life_s);
	case E_FADE:
		return exp(-age_s / h->life_s);
	case E_SPELLS:
		return spell(h, age_s);
	case E_TIDE:
		return 0.5 - 0.5 * cos(2 * M_PI * age_s / h->life_s);
	case E_WITH_LOAD:
		return fmin(fmax(load, 0), 1);
	default:
		return 1;
	}
}

/* Falls lie in slots, one at most in each, and no fall leaves its slot. Slots
 * go by sixteen, some of which are quiet: falls come in clusters.
 */
unsigned e_falls(const struct e_happening *h, int64_t from_ns, int64_t to_ns,
		 int64_t *ret_until_ns)
{
	double rate = h->size[E_FALLS], slot_s, from_s, to_s;
	unsigned count = 0;

	if (!(rate > 0) || to_ns <= h->onset_ns || from_ns >= h->end_ns)
		return 0;
	slot_s = fmax(3600 / rate / 2, SLOT_LEAST_S);
	from_s = fmax((double)(from_ns - h->onset_ns) / 1e9, 0);
	to_s = (double)(to_ns - h->onset_ns) / 1e9;
	for (double i = floor(from_s / slot_s); i <= to_s / slot_s; i++) {
		uint64_t key = draw_key(h->key, 5, (uint64_t)i, 0);
		double begin_s = (i + 0.5 * key_unit(key + 1)) * slot_s, down_s;

		if (i > 0 && (key_unit(draw_key(h->key, 6, (uint64_t)i / 16,
						0)) > 0.6 ||
			      key_unit(key) > 0.8))
			continue;
		if (begin_s <= from_s || begin_s > to_s)
			continue;
		down_s = h->size[E_DOWN] * pow(10, key_unit(key + 2) - 0.5);
		down_s = fmin(down_s, 0.45 * slot_s);
		count++;
		*ret_until_ns = h->onset_ns +
				(int64_t)((begin_s + down_s) * 1e9);
	}
	return count;
}
