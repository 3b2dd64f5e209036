#include "tests/judge/g_plan.h"

#include <math.h>

#include "tests/judge/g_dice.h"
#include "tests/judge/g_media.h"
#include "tests/judge/g_world.h"

#define TRIES 60
#define HARD_SIZE 0.5
#define KINDS_MAX 80
#define NS_S 1e9

/* Ports that are taken, and how many may still be. */
struct plan {
	uint64_t taken;
	unsigned left;
};

static bool kind_fits(const struct g_kind *k, const struct g_port *p)
{
	return (p->traits & k->needs) == k->needs && !(p->traits & k->bars);
}

static bool shares_scope(const struct g_port *a, const struct g_port *b,
			 enum g_scope scope)
{
	switch (scope) {
	case SCOPE_CAGE:
		return a->cage == b->cage;
	case SCOPE_PEER:
		return a->peer == b->peer;
	case SCOPE_GROUP:
		return a->group == b->group;
	case SCOPE_ZONE:
		return a->zone == b->zone;
	case SCOPE_ALL:
		return true;
	default:
		return a == b;
	}
}

static uint64_t ports_of(const struct world *w, const struct g_kind *k,
			 unsigned port)
{
	uint64_t ports = 0;

	for (unsigned i = 0; i < w->at.ports; i++)
		if (shares_scope(&w->built[port], &w->built[i], k->scope) &&
		    kind_fits(k, &w->built[i]))
			ports |= UINT64_C(1) << i;
	return ports;
}

static double range_draw(uint64_t *dice, struct g_range r)
{
	return r.low < 0 ? -g_log_between(dice, -r.low, -r.high) :
			   g_log_between(dice, r.low, r.high);
}

static void lanes_draw(struct world *w, struct g_event *e, unsigned lanes)
{
	enum g_lanes which = e->kind->lanes;
	unsigned first = g_below(&w->dice, lanes);
	unsigned most = lanes < 3 ? 1 : lanes / 2 - lanes / 8;
	unsigned n = which == LANES_ONE ? 1 : 1 + g_below(&w->dice, most);

	for (unsigned i = 0; i < lanes; i++) {
		double odd = g_between(&w->dice, 0.5, 1.5);
		/* A bend takes more of the longer waves. */
		double slope = lanes > 1 ? 0.75 + 0.5 * i / (lanes - 1) : 1;

		if (which == LANES_ALL)
			e->share[i] = 1;
		else if (which == LANES_UNLIKE)
			e->share[i] = odd;
		else if (which == LANES_SLOPED)
			e->share[i] = slope * (0.9 + 0.1 * odd);
	}
	if (which != LANES_ONE && which != LANES_FEW)
		return;
	for (unsigned i = 0; i < n; i++) {
		unsigned lane = (first + i) % lanes;

		e->share[lane] = i ? g_between(&w->dice, 0.3, 1) : 1;
		e->lanes |= (uint8_t)(1u << lane);
	}
}

static void sizes_draw(struct world *w, struct g_event *e)
{
	const struct g_kind *k = e->kind;
	bool weak = w->at.hard && !k->benign && !(k->mark & MARK_AS_IT_IS);

	for (unsigned i = 0; i < G_PARTS && k->part[i].size.high != 0; i++) {
		e->size[i] = range_draw(&w->dice, k->part[i].size) *
			     (weak ? HARD_SIZE : 1);
		if (k->mark & MARK_SIGNED && g_chance(&w->dice, 0.5))
			e->size[i] = -e->size[i];
	}
}

static void times_draw(struct world *w, struct g_event *e, double onset_s)
{
	const struct g_kind *k = e->kind;
	double lasts_s = range_draw(&w->dice, k->lasts_s);
	double life = g_log_between(&w->dice, 0.15, 1.8);

	e->onset_s = onset_s;
	e->end_s = lasts_s > 0 ? onset_s + lasts_s : (double)INFINITY;
	e->rise_s = range_draw(&w->dice, k->rise_s);
	e->gap_s = range_draw(&w->dice, k->gap_s);
	e->pulse_s = range_draw(&w->dice, k->pulse_s);
	e->restless = range_draw(&w->dice, k->restless);
	/* Over days, what comes again and again comes more rarely. */
	if (w->at.pace == PACE_SLOW && k->shape == SHAPE_PULSES && !lasts_s)
		e->gap_s *= g_log_between(&w->dice, 1, 20);
	e->growth = g_growth_draw(&w->dice, w->at.laws,
				  life * (w->length_s - onset_s));
	e->salt = g_draw(&w->dice);
}

static int64_t as_ns(double t_s)
{
	return t_s < 9e9 ? (int64_t)(t_s * NS_S) : INT64_MAX;
}

static void truth_begin(const struct g_event *e, struct truth *t)
{
	const struct g_kind *k = e->kind;
	bool stays = k->shape == SHAPE_AFTER && !k->benign;

	*t = (struct truth){
		.what = k->what,
		.law = k->shape == SHAPE_GROW ? g_growth_laws[e->growth.law] :
						"",
		.benign = k->benign,
		.signature = k->signature,
		.end = k->end,
		.action = k->action,
		.ports = e->ports,
		.lanes = e->lanes,
		.onset_ns = as_ns(e->onset_s),
		.effect_ns = INT64_MAX,
		.cliff_ns = INT64_MAX,
		.cliff_later_ns = INT64_MAX,
		.end_ns = stays ? INT64_MAX : as_ns(e->end_s),
	};
}

static void event_add(struct world *w, struct plan *p, const struct g_kind *k,
		      uint64_t ports, double onset_s)
{
	struct g_event *e = &w->event[w->events];
	unsigned first = (unsigned)__builtin_ctzll(ports);

	if (w->events >= G_EVENTS_MAX)
		return;
	*e = (struct g_event){ .kind = k, .ports = ports };
	times_draw(w, e, onset_s);
	sizes_draw(w, e);
	lanes_draw(w, e, k->scope > SCOPE_CAGE ? WORLD_LANES_MAX :
						 w->port[first].lanes);
	truth_begin(e, &w->truth[w->events]);
	for (unsigned i = 0; i < w->at.ports; i++) {
		struct g_port *port = &w->built[i];

		if (ports >> i & 1 && port->events < G_PORT_EVENTS_MAX)
			port->event[port->events++] = (unsigned)w->events;
	}
	w->events++;
	if (!p)
		return;
	p->left -= (unsigned)__builtin_popcountll(ports & ~p->taken);
	p->taken |= ports;
}

/* Ports for it that nothing has struck; 0: none were found. */
static uint64_t ports_find(struct world *w, const struct plan *p,
			   const struct g_kind *k)
{
	for (unsigned i = 0; i < TRIES; i++) {
		unsigned port = g_below(&w->dice, w->at.ports);
		uint64_t ports = ports_of(w, k, port);
		unsigned n = (unsigned)__builtin_popcountll(ports);

		if (n && !(ports & p->taken) && n <= p->left &&
		    (k->scope != SCOPE_GROUP || n > 1))
			return ports;
	}
	return 0;
}

static unsigned kinds_list(const struct g_kind *rows, enum signature signature,
			   bool any, const struct g_kind **ret, unsigned n)
{
	for (; rows->what; rows++)
		if ((any || rows->signature == signature) && n < KINDS_MAX)
			ret[n++] = rows;
	return n;
}

static const struct g_kind *kind_of(struct world *w, enum signature signature)
{
	const struct g_kind *list[KINDS_MAX];
	unsigned n = kinds_list(g_kinds_wear, signature, false, list, 0);

	n = kinds_list(g_kinds_sudden, signature, false, list, n);
	return n ? list[g_below(&w->dice, n)] : NULL;
}

static void shuffle(uint64_t *dice, unsigned *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		list[i] = i;
	for (unsigned i = n; i > 1; i--) {
		unsigned k = g_below(dice, i), was = list[i - 1];

		list[i - 1] = list[k];
		list[k] = was;
	}
}

static double onset_draw(struct world *w, double low, double high)
{
	return floor(w->length_s * g_between(&w->dice, low, high) * 1000) /
	       1000;
}

static bool strikes_many(enum signature s)
{
	return s == SIGNATURE_SHARED_COMPONENT || s == SIGNATURE_ENVIRONMENT;
}

static void fault_plan(struct world *w, struct plan *p, enum signature s)
{
	const struct g_kind *k = s ? kind_of(w, s) : NULL;
	uint64_t ports = k ? ports_find(w, p, k) : 0;

	if (ports)
		event_add(w, p, k, ports, onset_draw(w, 0.08, 0.6));
}

/* What strikes many, seldom; then one fault on a port, of each name in turn. */
static void faults_plan(struct world *w, struct plan *p)
{
	if (g_chance(&w->dice, 0.35))
		fault_plan(w, p, SIGNATURE_SHARED_COMPONENT);
	if (g_chance(&w->dice, 0.35))
		fault_plan(w, p, SIGNATURE_ENVIRONMENT);
	for (unsigned round = 0; round < 4; round++) {
		unsigned order[SIGNATURE_COUNT];

		shuffle(&w->dice, order, SIGNATURE_COUNT);
		for (unsigned i = 0; i < SIGNATURE_COUNT; i++)
			if (!strikes_many(order[i]))
				fault_plan(w, p, order[i]);
	}
}

static bool can_be_first(enum signature s)
{
	return s != SIGNATURE_LINK_DOWN && s != SIGNATURE_FLAP_BURST &&
	       s != SIGNATURE_MODULE_CHANGED;
}

static const struct g_kind *kind_for(struct world *w, unsigned port,
				     enum signature but)
{
	for (unsigned i = 0; i < TRIES; i++) {
		enum signature s = 1 + g_below(&w->dice, SIGNATURE_COUNT - 1);
		const struct g_kind *k = kind_of(w, s);

		if (k && s != but && !strikes_many(s) &&
		    (but || can_be_first(s)) &&
		    ports_of(w, k, port) == UINT64_C(1) << port)
			return k;
	}
	return NULL;
}

static void pairs_plan(struct world *w, struct plan *p)
{
	unsigned order[WORLD_PORTS_MAX];

	shuffle(&w->dice, order, w->at.ports);
	for (unsigned i = 0; i < w->at.ports && p->left; i++) {
		unsigned port = order[i];
		const struct g_kind *first = kind_for(w, port, 0), *second;
		double onset_s = onset_draw(w, 0.08, 0.4);
		uint64_t bit = UINT64_C(1) << port;

		if (!first || p->taken & bit)
			continue;
		second = kind_for(w, port, first->signature);
		if (!second)
			continue;
		event_add(w, p, first, bit, onset_s);
		event_add(w, p, second, bit, onset_s + onset_draw(w, 0.1, 0.5));
	}
}

/* Rows in a random order, again and again while there are ports. */
static void rows_plan(struct world *w, struct plan *p,
		      const struct g_kind *rows, double low, double high)
{
	const struct g_kind *list[KINDS_MAX];
	unsigned n = kinds_list(rows, 0, true, list, 0), order[KINDS_MAX];

	for (unsigned round = 0; round < 4; round++) {
		shuffle(&w->dice, order, n);
		for (unsigned i = 0; i < n && p->left; i++) {
			uint64_t ports = ports_find(w, p, list[order[i]]);

			if (ports)
				event_add(w, p, list[order[i]], ports,
					  onset_draw(w, low, high));
		}
	}
}

static void house_plan(struct world *w)
{
	double often = w->at.mix == MIX_HEALTHY ? 1.6 : 1;

	for (const struct g_kind *k = g_kinds_house; k->what; k++) {
		unsigned port = g_below(&w->dice, w->at.ports);

		if (g_chance(&w->dice, k->chance * often))
			event_add(w, NULL, k, ports_of(w, k, port),
				  onset_draw(w, 0.05, 0.9));
	}
}

void g_plan_fill(struct world *w)
{
	struct plan p = { .left = w->at.ports > 1 ? w->at.ports / 2 : 1 };

	if (w->at.mix == MIX_FAULTS)
		faults_plan(w, &p);
	else if (w->at.mix == MIX_TWO)
		pairs_plan(w, &p);
	else if (w->at.mix == MIX_STRANGE)
		rows_plan(w, &p, g_kinds_strange, 0.08, 0.6);
	/* Healthy: benign things on half of the ports; else on a quarter. */
	p.left = w->at.ports / (w->at.mix == MIX_HEALTHY ? 2 : 4);
	rows_plan(w, &p, g_kinds_benign, 0.04, 0.9);
	house_plan(w);
}
