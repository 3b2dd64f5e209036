#include "tests/judge/g_growth.h"

#include <math.h>
#include <stddef.h>

#include "tests/judge/g_dice.h"

#define STAIRS 9
#define LONGEST 2.5		/* lives; wear does not go on for ever */
#define MOST 4			/* sizes; a part that fails has failed */

enum { LINEAR, EXPONENTIAL, ROOT, SATURATING, STAIR, PAUSING, REVERSING, LAWS };

const char *const g_growth_laws[] = {
	"linear", "exponential", "root", "saturating", "stairs", "pausing",
	"reversing", NULL,
};

struct g_growth g_growth_draw(uint64_t *dice, uint32_t laws, double life_s)
{
	uint32_t all = (UINT32_C(1) << LAWS) - 1;
	struct g_growth g = { .life_s = life_s };

	laws = laws & all ? laws & all : all;
	do
		g.law = g_below(dice, LAWS);
	while (!(laws >> g.law & 1));
	g.bend = g.law == SATURATING ? g_between(dice, 1.5, 4)
				     : g_between(dice, 2.5, 6);
	g.salt = g_draw(dice);
	for (unsigned i = 0; i < G_CUTS; i++) {
		g.cut[i] = (i + g_between(dice, 0.3, 0.8)) / G_CUTS;
		g.wide[i] = g_between(dice, 0.08, 0.18);
	}
	return g;
}

/* Each stair at a time of its own, of a height of its own. */
static double stairs(const struct g_growth *g, double x)
{
	double all = 0, risen = 0;

	for (int i = 0; i < STAIRS * 3; i++) {
		double when = (i + 0.1 + 0.8 * g_share_at(g->salt, i)) / STAIRS;
		double high = 0.3 + g_share_at(g->salt + 1, i);

		risen += x >= when ? high : 0;
		all += i < STAIRS ? high : 0;
	}
	return risen / all;
}

static double pausing(const struct g_growth *g, double x)
{
	double grown = x, whole = 1;

	for (unsigned i = 0; i < G_CUTS; i++) {
		grown -= fmin(fmax(x - g->cut[i], 0), g->wide[i]);
		whole -= fmin(1 - g->cut[i], g->wide[i]);
	}
	return grown / whole;
}

/* Falls back at each cut, by two widths within a twentieth of its life. */
static double reversing(const struct g_growth *g, double x)
{
	double grown = x, whole = 1;

	for (unsigned i = 0; i < G_CUTS - 1; i++) {
		grown -= 2 * g->wide[i] *
			 fmin(fmax((x - g->cut[i]) / 0.05, 0), 1);
		whole -= 2 * g->wide[i];
	}
	return fmax(grown, 0) / whole;
}

static double grown(const struct g_growth *g, double x)
{
	switch (g->law) {
	case EXPONENTIAL:
		return expm1(g->bend * x) / expm1(g->bend);
	case ROOT:
		return sqrt(x);
	case SATURATING:
		return expm1(-g->bend * x) / expm1(-g->bend);
	case STAIR:
		return stairs(g, x);
	case PAUSING:
		return pausing(g, x);
	case REVERSING:
		return reversing(g, x);
	default:
		return x;
	}
}

double g_growth_at(const struct g_growth *g, double since_s)
{
	double x = fmin(since_s / g->life_s, LONGEST);

	return x > 0 ? fmin(grown(g, x), MOST) : 0;
}
