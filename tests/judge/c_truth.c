/* Each happening is run without noise from its onset to twice the case, and the
 * first moment that passes is narrowed down. A cliff counts all faults of the
 * port together, and the heat of the day and of the job.
 */
#include "tests/judge/c_world.h"

#include <math.h>

#define MOMENTS 400
#define HALVINGS 22
#define EFFECT_DECADES 0.3
#define EFFECT_DB 0.5
#define CLIFF_PER_S (1.0 / 3600)
#define PORTS_LOOKED_AT 16

typedef bool passes_fn(const struct world *w, const struct c_port *p,
		       const struct c_happening *h, int64_t t_ns);

/* Warmth comes into a module with its own lag. */
static double own_k(const struct world *w, const struct c_port *p,
		    const struct c_happening *h, int64_t t_ns)
{
	int64_t then_ns = t_ns - (int64_t)(p->lag_s * 1e9);
	struct c_stress e = { 0 };

	c_kind_add(&e, h, then_ns, c_air_load(w, then_ns), w->is_slow);
	return e.own_k + e.air_k;
}

static bool is_felt(const struct world *w, const struct c_port *p,
		    const struct c_happening *h, int64_t t_ns)
{
	double ber[WORLD_LANES_MAX], mean;
	struct c_stress e = { 0 };
	bool ret = false;

	c_kind_add(&e, h, t_ns, c_air_load(w, t_ns), w->is_slow);
	for (unsigned i = 0; p->row->optical && i < p->lanes; i++)
		ret |= fabs(e.lost_db[i]) >= EFFECT_DB ||
		       fabs(e.own_dim_db[i]) >= EFFECT_DB;
	if (ret)
		return true;
	mean = c_life_ber(p, &e, own_k(w, p, h, t_ns), e.far_k, 0, ber) +
	       c_life_burst_ber(p, &e);
	return fabs(log10(mean / p->usual_ber)) >= EFFECT_DECADES;
}

static bool is_over(const struct world *w, const struct c_port *p,
		    const struct c_happening *h, int64_t t_ns)
{
	double load = c_air_load(w, t_ns);
	double warm_k = c_air_k(w, C_ZONES_MAX, t_ns) +
			w->job_k * (load - 0.85);
	double ber[WORLD_LANES_MAX], mean;
	struct c_stress e = { 0 };

	(void)h;
	for (unsigned i = 0; i < p->plans; i++) {
		const struct c_happening *one = &w->plan[p->plan[i]];

		if (one->kind->class == C_BENIGN)
			continue;
		c_kind_add(&e, one, t_ns, load, w->is_slow);
		warm_k += own_k(w, p, one, t_ns);
	}
	mean = c_life_ber(p, &e, warm_k, e.far_k + c_air_far_k(w, p, t_ns), 0,
			  ber);
	return c_life_loss(p, mean) * p->words_per_s +
	       c_life_burst_loss_per_s(p, &e) > CLIFF_PER_S;
}

static int64_t first_ns(const struct world *w, const struct c_port *p,
			const struct c_happening *h, passes_fn *passes)
{
	int64_t until_ns = 2 * w->c.length_ns, low_ns, high_ns;
	int64_t step_ns;

	if (until_ns > h->end_ns)
		until_ns = h->end_ns;
	step_ns = (until_ns - h->onset_ns) / MOMENTS + 1;
	if (passes(w, p, h, h->onset_ns))
		return h->onset_ns;
	for (high_ns = h->onset_ns + step_ns; high_ns < until_ns;
	     high_ns += step_ns)
		if (passes(w, p, h, high_ns))
			break;
	if (high_ns >= until_ns)
		return C_NEVER;
	low_ns = high_ns - step_ns;
	for (unsigned i = 0; i < HALVINGS; i++) {
		int64_t mid_ns = low_ns + (high_ns - low_ns) / 2;

		*(passes(w, p, h, mid_ns) ? &high_ns : &low_ns) = mid_ns;
	}
	return high_ns;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* The first fall that this happening lays. */
static int64_t fall_ns(struct world *w, const struct c_happening *h)
{
	static const struct c_port none;
	struct c_port p = none;
	int64_t ret = C_NEVER;

	if (!h->kind->lay)
		return C_NEVER;
	p.row = w->port[__builtin_ctzll(h->ports)].row;
	p.index = w->port[__builtin_ctzll(h->ports)].index;
	h->kind->lay(w, h, &p);
	for (unsigned i = 0; i < p.outages; i++)
		ret = least(ret, p.outage[i].from_ns);
	return ret;
}

static void ports_look(struct world *w, const struct c_happening *h,
		       struct truth *t)
{
	unsigned looked_at = 0;

	for (uint64_t left = h->ports; left; left &= left - 1) {
		const struct c_port *p = &w->port[__builtin_ctzll(left)];

		if (looked_at++ == PORTS_LOOKED_AT)
			break;
		t->effect_ns = least(t->effect_ns,
				     first_ns(w, p, h, is_felt));
		if (!t->benign)
			t->cliff_later_ns = least(t->cliff_later_ns,
						  first_ns(w, p, h, is_over));
	}
}

void c_truth_tell(struct world *w, unsigned index)
{
	const struct c_happening *h = &w->plan[index];
	const struct c_kind *k = h->kind;
	struct truth *t = &w->truth[index];

	*t = (struct truth){
		.what = k->what, .law = k->grows ? c_law_names[h->law] : "",
		.benign = k->class == C_BENIGN, .signature = k->signature,
		.end = k->end, .action = k->action, .ports = h->ports,
		.lanes = h->lanes, .onset_ns = h->onset_ns,
		.effect_ns = fall_ns(w, h), .cliff_ns = C_NEVER,
		.cliff_later_ns = C_NEVER, .end_ns = h->end_ns,
	};
	if (k->apply && k->scope != C_SWITCH)
		ports_look(w, h, t);
	if (t->cliff_later_ns <= w->c.length_ns)
		t->cliff_ns = t->cliff_later_ns;
	if (t->effect_ns > w->c.length_ns)
		t->effect_ns = C_NEVER;
}
