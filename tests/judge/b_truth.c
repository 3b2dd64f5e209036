/* The laws are run without noise, at so many moments from the onset to twice
 * the case, and the first one that passes is narrowed down. A cliff counts all
 * that is wrong with the port, and the heat and load of the hour.
 */
#include "tests/judge/b_truth.h"

#include <math.h>

#include "tests/judge/b_heat.h"
#include "tests/judge/b_live.h"

#define MOMENTS 1500
#define EFFECT_DECADES 0.3
#define EFFECT_DB 0.5
#define SWITCH_LOOKED_AT 2	/* ports of a whole switch, for time's sake */

typedef bool passes_fn(const struct world *w, const struct b_port *p,
		       const struct b_happening *h, int64_t from_ns,
		       int64_t t_ns);

static double mean_of(const double *x, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += x[i];
	return sum / n;
}

/* Heat comes into a module with its own lag. */
static double heat_of(const struct world *w, const struct b_port *p,
		      const struct b_happening *h, int64_t t_ns)
{
	struct b_effect e = { 0 };
	int64_t lag_ns = (int64_t)(-1e9 * w->tick_s / log(p->heat_keep));

	b_effect_add(&e, h, t_ns - lag_ns, t_ns - lag_ns);
	return e.heat_k + e.air_k;
}

static bool is_felt(const struct world *w, const struct b_port *p,
		    const struct b_happening *h, int64_t from_ns, int64_t t_ns)
{
	static const struct b_effect none;
	double ber[WORLD_LANES_MAX], usual[WORLD_LANES_MAX], moved;
	struct b_effect e = { 0 };

	b_effect_add(&e, h, from_ns, t_ns);
	if (e.down || e.falls)
		return true;
	for (unsigned i = 0; p->row->optical && i < p->lanes; i++)
		if (fabs(e.loss_db[i]) >= EFFECT_DB ||
		    fabs(e.tx_db[i]) >= EFFECT_DB)
			return true;
	b_live_lanes(w, p, &none, 0, 1, 0, NULL, usual, NULL);
	b_live_lanes(w, p, &e, heat_of(w, p, h, t_ns), 1, 0, NULL, ber, NULL);
	moved = log10((mean_of(ber, p->lanes) + b_live_burst_ber(p, &e)) /
		      mean_of(usual, p->lanes));
	return fabs(moved) >= EFFECT_DECADES;
}

/* Codewords lost a second, in the mean over light that does not settle:
 * Gauss and Hermite's five points.
 */
static double lost_per_s(const struct world *w, const struct b_port *p,
			 const struct b_effect *e, double heat_k, int64_t t_ns)
{
	static const double at[] = { -2.857, -1.3556, 0, 1.3556, 2.857 };
	static const double weight[] = { 0.01126, 0.22208, 0.53332, 0.22208,
					 0.01126 };
	double ber[WORLD_LANES_MAX], light_db[WORLD_LANES_MAX], sum = 0;
	double load = b_heat_load(w, t_ns);

	for (unsigned i = 0; i < 5; i++) {
		if (e->wobble_db <= 0 && i != 2)
			continue;
		for (unsigned j = 0; j < p->lanes; j++)
			light_db[j] = fmax(at[i] * e->wobble_db,
					   -e->loss_db[j]);
		b_live_lanes(w, p, e, heat_k, load, 0, light_db, ber, NULL);
		sum += b_live_loss(p, ber) *
		       (e->wobble_db > 0 ? weight[i] : 1);
	}
	return p->codewords_per_s * sum + b_live_burst_loss_per_s(p, e);
}

static bool is_over_cliff(const struct world *w, const struct b_port *p,
			  const struct b_happening *h, int64_t from_ns,
			  int64_t t_ns)
{
	double heat_k = b_heat_air_k(w, p->zone, t_ns);
	struct b_effect e = { 0 };

	(void)h;
	for (unsigned i = 0; i < p->plan_count; i++) {
		const struct b_happening *one = &w->plan[p->plan[i]];

		if (one->kind->class == B_BENIGN)
			continue;
		b_effect_add(&e, one, from_ns, t_ns);
		heat_k += heat_of(w, p, one, t_ns);
	}
	if (e.down)
		return false;
	return lost_per_s(w, p, &e, heat_k, t_ns) > B_CODE_LOSS_A_HOUR;
}

static int64_t first_ns(const struct world *w, const struct b_port *p,
			const struct b_happening *h, passes_fn *passes)
{
	int64_t end_ns = 2 * w->c.length_ns, from_ns = h->onset_ns;
	int64_t step_ns = (end_ns - from_ns) / MOMENTS + 1;
	int64_t low, high;

	if (passes(w, p, h, from_ns, from_ns))
		return from_ns;
	for (high = from_ns + step_ns; high <= end_ns; high += step_ns)
		if (passes(w, p, h, high - step_ns, high))
			break;
	if (high > end_ns)
		return INT64_MAX;
	from_ns = low = high - step_ns;
	for (unsigned i = 0; i < 24; i++) {
		int64_t mid = low + (high - low) / 2;

		*(passes(w, p, h, from_ns, mid) ? &high : &low) = mid;
	}
	return high;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

void b_truth_tell(struct world *w, unsigned index)
{
	const struct b_happening *h = &w->plan[index];
	const struct b_kind *k = h->kind;
	struct truth *t = &w->truth[index];
	unsigned looked_at = 0;

	*t = (struct truth){
		.what = k->what, .law = k->grows ? b_law_names[h->law] : "",
		.benign = k->class == B_BENIGN, .signature = k->signature,
		.end = k->end, .action = k->action, .ports = h->ports,
		.lanes = h->lanes, .onset_ns = h->onset_ns,
		.effect_ns = INT64_MAX, .cliff_ns = INT64_MAX,
		.cliff_later_ns = INT64_MAX, .end_ns = h->end_ns,
	};
	for (uint64_t left = h->ports; left && k->apply; left &= left - 1) {
		const struct b_port *p = &w->port[__builtin_ctzll(left)];

		if (k->scope == B_SWITCH && looked_at++ == SWITCH_LOOKED_AT)
			break;
		t->effect_ns = least(t->effect_ns,
				     first_ns(w, p, h, is_felt));
		if (t->benign)
			continue;
		t->cliff_later_ns = least(t->cliff_later_ns,
					  first_ns(w, p, h, is_over_cliff));
	}
	if (t->cliff_later_ns <= w->c.length_ns)
		t->cliff_ns = t->cliff_later_ns;
	if (t->effect_ns > w->c.length_ns)
		t->effect_ns = INT64_MAX;
}
