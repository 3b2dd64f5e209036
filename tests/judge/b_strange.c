/* Faults that no name covers, all seen or plausible in the field: their
 * sizes and periods are chosen.
 */
#include "tests/judge/b_effect.h"

#include <math.h>

#include "tests/judge/b_optics.h"

static double period_s(const struct b_happening *h, double low, double high)
{
	double much = h->pace == PACE_SLOW ? 30 : 1;

	return much * exp(b_effect_own(h, 0, log(low), log(high)));
}

static void everywhere(double *to, double what)
{
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		to[i] += what;
}

/* A switching regulator, a pump or a lift nearby. */
static void interferes(const struct b_moment *m, struct b_effect *e)
{
	double turns = m->s / period_s(m->h, 20, 400);
	bool is_on = turns - floor(turns) < b_effect_own(m->h, 1, 0.2, 0.5);

	if (is_on)
		everywhere(e->flat, b_noise_for(m->h->size));
}

/* Two states of polarisation beat slowly; an isolator passes one. */
static void polarisation(const struct b_moment *m, struct b_effect *e)
{
	double a = sin(2 * M_PI * m->s / period_s(m->h, 90, 900));
	double b = sin(2 * M_PI * m->s / period_s(m->h, 90, 900) * 1.6180 + 1);

	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		if (b_effect_strikes(m->h, i))
			e->loss_db[i] += m->h->size * fabs(a * b);
}

/* A rail that sags as the chip works: errors follow the load. */
static void load_coupled(const struct b_moment *m, struct b_effect *e)
{
	e->load_db += m->h->size;
}

/* Corrections are counted by half, or over and over. */
static void miscounts(const struct b_moment *m, struct b_effect *e)
{
	e->corrected_share = b_effect_own(m->h, 0, 0, 1) < 0.5 ?
			     -0.5 : m->h->size;
}

/* The far module's cooler hunts: wavelength and light swing with it. */
static void cooler_hunts(const struct b_moment *m, struct b_effect *e)
{
	double swing = sin(2 * M_PI * m->s / period_s(m->h, 60, 600));

	everywhere(e->loss_db, m->h->size * 0.5 * (1 + swing));
	everywhere(e->flat, b_noise_for(0.3 * m->h->size * (1 + swing)));
}

/* An equaliser finds a better setting, then loses it, and worse. */
static void improves_first(const struct b_moment *m, struct b_effect *e)
{
	double x = m->s / ((double)(m->h->length_ns - m->h->onset_ns) / 1e9);

	everywhere(e->q_db, m->h->size * (x < 0.5 ? fmin(5 * x, 1) :
					  fmax(1 - 6 * (x - 0.5), -1)));
}

/* A gearbox slips: codewords with always the same number of errors. */
static void slips(const struct b_moment *m, struct b_effect *e)
{
	e->spike_per_s = m->h->size;
	e->spike_symbols = 5 + (unsigned)b_effect_own(m->h, 1, 0, 2.999);
}

const struct b_kind b_strange[] = {
{ "interferer", B_STRANGE, B_PORT, .media = B_ANY, .unit = B_AS_NOISE,
	.size = { 0.3, 0.9 }, .apply = interferes },
{ "polarisation", B_STRANGE, B_LANES, .media = B_PLUGS, .unit = B_AS_LOSS,
	.size = { 0.4, 1.1 }, .apply = polarisation },
{ "load_coupled", B_STRANGE, B_PORT, .media = B_ANY, .unit = B_AS_NOISE,
	.size = { 0.4, 1 }, .apply = load_coupled },
{ "miscount", B_STRANGE, B_PORT, .media = B_ANY & ~B_BIT(B_ZR),
	.size = { 2, 6 }, .apply = miscounts },
{ "cooler_hunts", B_STRANGE, B_PORT, .media = B_PLUGS, .unit = B_AS_LOSS,
	.size = { 0.3, 0.8 }, .apply = cooler_hunts },
{ "improves_first", B_STRANGE, B_PORT, .media = B_ANY, .unit = B_AS_NOISE,
	.size = { 0.3, 0.7 }, .apply = improves_first },
{ "gearbox_slips", B_STRANGE, B_PORT, .media = B_ANY & ~B_BIT(B_ZR),
	.size = { 0.2, 30 }, .apply = slips },
};
const unsigned b_strange_count = sizeof(b_strange) / sizeof(b_strange[0]);
