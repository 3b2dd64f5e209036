/* What is true of one that befell, from what acts on its ports without chance:
 * a walk over twice the case, each crossing halved down to a tick's hundredth.
 */
#include <math.h>

#include "tests/judge/d_world.h"

#define STEPS 1000
#define EFFECT_DECADES 0.3
#define EFFECT_DB 0.5
#define HOUR_S 3600.0
#define LOAD 0.9

struct course_of {
	const struct world *w;
	const struct d_fault *f;
	bool cliff;		/* asked for, or the effect */
};

static bool port_is_past(const struct course_of *c, unsigned port, int64_t t_ns)
{
	const struct d_port *p = &c->w->state[port];
	struct d_stress s = { .acts = 0 }, none = { .acts = 0 };
	double warm_c = c->w->air_c + p->rise_k * LOAD, ber, db = 0;

	d_stress_add(c->w, c->f, port, t_ns, LOAD, &s);
	ber = d_ber(p, &s, d_heat_noise(p, warm_c + s.of[D_HEAT][0]), NULL);
	if (c->cliff)
		return d_lost(p, ber, s.of[D_BURSTS][0]) *
		       d_code_rate(p->media->speed_mbps) * HOUR_S >= 1;
	for (unsigned i = 0; i < c->w->port[port].lanes; i++)
		db = fmax(db, fmax(s.of[D_LOSS][i], s.of[D_TX][i]));
	return db > EFFECT_DB ||
	       log10(ber / d_ber(p, &none, d_heat_noise(p, warm_c), NULL)) >
	       EFFECT_DECADES;
}

static bool is_past(const struct course_of *c, int64_t t_ns)
{
	for (unsigned i = 0; i < c->w->at.ports; i++)
		if (c->f->ports >> i & 1 && port_is_past(c, i, t_ns))
			return true;
	return false;
}

static int64_t first_past(const struct course_of *c, int64_t until_ns)
{
	int64_t low = c->f->from_ns, high, step = until_ns / STEPS + 1;

	if (is_past(c, low))
		return low;
	for (high = low + step; high < until_ns && !is_past(c, high);
	     high += step)
		low = high;
	if (high >= until_ns)
		return INT64_MAX;
	while (high - low > c->w->step_ns / 100) {
		int64_t mid = low + (high - low) / 2;

		*(is_past(c, mid) ? &high : &low) = mid;
	}
	return high;
}

void d_truth_make(struct world *w, size_t fault)
{
	const struct d_fault *f = &w->fault[fault];
	const struct d_kind *k = f->kind;
	struct truth *t = &w->truth[fault];
	struct course_of c = { .w = w, .f = f };

	*t = (struct truth){
		.what = k->what, .benign = k->class == D_BENIGN,
		.law = k->course == D_GROW ? d_laws[f->law] : "",
		.signature = k->signature, .end = k->end, .action = k->action,
		.ports = f->ports, .onset_ns = f->onset_ns,
		.effect_ns = INT64_MAX, .cliff_ns = INT64_MAX,
		.cliff_later_ns = INT64_MAX, .end_ns = f->end_ns };
	for (unsigned i = 0; i < w->port[__builtin_ctzll(f->ports)].lanes; i++)
		t->lanes |= (uint8_t)((f->weight[i] > 0.2) << i);
	if (k->lanes == D_ALL || k->lanes == D_RED)
		t->lanes = 0;
	if (t->benign)
		return;
	/* Who falls, falls at once; who stays down, has no codewords. */
	t->effect_ns = k->reason != DOWN_UNKNOWN ? f->from_ns :
		       first_past(&c, w->at.length_ns);
	if (k->reason != DOWN_UNKNOWN && f->size[D_FALLS] <= 0)
		return;
	c.cliff = true;
	t->cliff_later_ns = first_past(&c, 2 * w->at.length_ns);
	if (t->cliff_later_ns < w->at.length_ns)
		t->cliff_ns = t->cliff_later_ns;
}
