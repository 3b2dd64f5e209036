/* Who is struck by what, and when. Half of the ports at most have faults. */
#include <math.h>
#include <string.h>

#include "tests/judge/e_world.h"

#define TRIES 60
#define ENDS_SHARE 0.25		/* of the faults */
#define LONGEST_BENIGN 0.15	/* of the case */
#define DAY_S 86400.0

static uint64_t bit(unsigned port)
{
	return UINT64_C(1) << port;
}

static const char *shared_name(const struct world_port *q, enum e_scope scope)
{
	return scope == E_GROUP ? q->group : scope == E_ZONE ? q->zone :
	       q->peer_switch;
}

static uint64_t ports_of(const struct world *w, unsigned port,
			 enum e_scope scope)
{
	uint64_t ports = 0;

	if (scope == E_PORT)
		return bit(port);
	for (unsigned i = 0; i < w->at.ports; i++)
		if (scope == E_SWITCH ||
		    strcmp(shared_name(&w->port[i], scope),
			   shared_name(&w->port[port], scope)) == 0)
			ports |= bit(i);
	return ports;
}

static bool fits(const struct world *w, const struct e_kind *k, unsigned port)
{
	return (w->state[port].traits & k->needs) == k->needs &&
	       (k->scope != E_PEERS || w->port[port].peer_switch[0]);
}

/* One of the laws that are asked for. */
static unsigned law_draw(const struct world *w, struct draw *d)
{
	uint32_t may = w->at.laws & ((1u << E_LAWS) - 1);
	unsigned n;

	if (!may)
		may = (1u << E_LAWS) - 1;
	n = (unsigned)(draw_unit(d) * __builtin_popcount(may));
	for (unsigned i = 0; i < E_LAWS; i++)
		if (may >> i & 1 && n-- == 0)
			return i;
	return 0;
}

static void weights_draw(struct e_happening *h, unsigned lanes, struct draw *d)
{
	unsigned one = (unsigned)(draw_unit(d) * lanes);
	double most = 0;

	for (unsigned i = 0; i < lanes; i++) {
		switch (h->kind->where) {
		case E_ONE_LANE:
			h->weight[i] = i == one;
			break;
		case E_UNEVEN:
			h->weight[i] = draw_unit(d) < 0.5 ? 0 :
				       draw_between(d, 0.3, 1);
			break;
		case E_LONG_WAVES:
			h->weight[i] = pow(0.75, lanes - 1 - i);
			break;
		case E_RIBBON_SIDE:
			h->weight[i] = pow(0.45, one % 2 ? i : lanes - 1 - i);
			break;
		default:
			h->weight[i] = 1;
		}
		most = fmax(most, h->weight[i]);
	}
	if (most < 1)
		h->weight[one] = 1;
}

static double life_draw(const struct e_kind *k, double length_s, struct draw *d)
{
	const struct e_range law = { 0.1 * length_s, 1.6 * length_s };
	const struct e_range other = { 8, fmax(0.04 * length_s, 10) };

	if (k->course == E_TIDE)
		return fmin(draw_between(d, 0.1, 0.5) * length_s, DAY_S);
	/* A module, a zone and a switch warm up in minutes. */
	if (k->course == E_FADE || k->size[E_HEAT].high > 0)
		return k->course == E_LAW ? e_log_between(d, law) :
		       draw_between(d, 120, 900);
	return e_log_between(d, k->course == E_LAW ? law : other);
}

static int64_t end_draw(const struct world *w, const struct e_happening *h,
			struct draw *d)
{
	int64_t left_ns = w->at.length_ns - h->onset_ns;
	double lasts_s;

	if (h->kind->lasts_s.high > 0) {
		lasts_s = e_log_between(d, h->kind->lasts_s);
		lasts_s = fmin(lasts_s, LONGEST_BENIGN *
			       (double)w->at.length_ns / 1e9);
		return h->onset_ns + (int64_t)(fmax(lasts_s, 1) * 1e9);
	}
	if (h->kind->sort == E_BENIGN || draw_unit(d) > ENDS_SHARE)
		return E_NEVER;
	return h->onset_ns + (int64_t)(draw_between(d, 0.3, 0.9) *
				       (double)left_ns);
}

static bool part_is_scaled(enum e_part part)
{
	return part <= E_DAMAGED;
}

static void happen(struct world *w, const struct e_kind *k, unsigned port,
		   int64_t onset_ns)
{
	struct e_happening *h = &w->happening[w->happenings];
	struct draw d;

	h->kind = k;
	h->key = draw_key(w->at.seed, 21, w->happenings, port);
	draw_init(&d, h->key);
	h->first = port;
	h->ports = ports_of(w, port, k->scope);
	h->onset_ns = onset_ns;
	h->law = law_draw(w, &d);
	h->life_s = life_draw(k, (double)w->at.length_ns / 1e9, &d);
	for (unsigned i = 0; i < E_PARTS; i++) {
		h->size[i] = e_log_between(&d, k->size[i]);
		if (w->at.hard && k->sort != E_BENIGN && part_is_scaled(i))
			h->size[i] *= 0.6;
		if (w->at.hard && k->sort == E_BENIGN && i == E_HEAT)
			h->size[i] *= 2;
	}
	if (k->acts & E_CLOCK && draw_unit(&d) < 0.5)
		h->size[E_AMOUNT] *= -1;
	/* The widest module among the ports: spare weights do no harm. */
	weights_draw(h, k->scope == E_PORT ? w->state[port].media->lanes :
		     WORLD_LANES_MAX, &d);
	h->end_ns = end_draw(w, h, &d);
	if (k->course == E_TIDE && h->end_ns != E_NEVER)	/* one wave */
		h->life_s = (double)(h->end_ns - h->onset_ns) / 1e9;
	e_truth_make(w, w->happenings++);
}

static const struct e_kind *kind_draw(struct draw *d, enum e_sort sort,
				      bool is_wide)
{
	const struct e_kind *k;
	size_t n = e_menu(&k), at;

	do
		at = (size_t)(draw_unit(d) * (double)n);
	while (k[at].sort != sort || (k[at].scope == E_SWITCH) != is_wide);
	return &k[at];
}

static int64_t time_draw(const struct world *w, struct draw *d, double low,
			 double high)
{
	return (int64_t)(draw_between(d, low, high) *
			 (double)w->at.length_ns);
}

static void second_happen(struct world *w, const struct e_happening *first,
			  struct draw *d)
{
	for (unsigned i = 0; i < TRIES; i++) {
		const struct e_kind *k = kind_draw(d, E_FAULT, false);
		unsigned port = first->first;

		if (k->scope != E_PORT || !fits(w, k, port) ||
		    k->signature == first->kind->signature)
			continue;
		happen(w, k, port, first->onset_ns +
		       time_draw(w, d, 0.1, 0.45));
		return;
	}
}

/* Faults, until room ports are struck or chance finds no more. */
static uint64_t faults_plan(struct world *w, struct draw *d, unsigned room)
{
	enum e_sort sort = w->at.mix == MIX_STRANGE ? E_STRANGE : E_FAULT;
	bool twice = w->at.mix == MIX_TWO;
	uint64_t taken = 0;

	for (unsigned i = 0; i < TRIES && room; i++) {
		const struct e_kind *k = kind_draw(d, sort, false);
		unsigned port = (unsigned)(draw_unit(d) * w->at.ports);
		uint64_t ports = ports_of(w, port, k->scope);
		unsigned n = (unsigned)__builtin_popcountll(ports);

		if (n > room || ports & taken || !fits(w, k, port) ||
		    (twice && (k->scope != E_PORT || k->acts & E_OUT)))
			continue;
		happen(w, k, port, time_draw(w, d, 0.05, twice ? 0.4 : 0.65));
		taken |= ports;
		room -= n;
		if (twice)
			second_happen(w, &w->happening[w->happenings - 1], d);
	}
	return taken;
}

static void benign_plan(struct world *w, struct draw *d, uint64_t taken)
{
	bool healthy = w->at.mix == MIX_HEALTHY;
	unsigned singles = w->at.ports / (healthy ? 3 : 8) + 1;
	unsigned wides = 1 + (unsigned)(draw_unit(d) * (healthy ? 5 : 3));

	for (unsigned i = 0; i < TRIES && singles; i++) {
		const struct e_kind *k = kind_draw(d, E_BENIGN, false);
		unsigned port = (unsigned)(draw_unit(d) * w->at.ports);
		uint64_t ports = ports_of(w, port, k->scope);

		if (ports & taken || !fits(w, k, port))
			continue;
		happen(w, k, port, time_draw(w, d, 0.02, 0.9));
		taken |= ports;
		singles--;
	}
	for (unsigned i = 0; i < wides; i++) {
		const struct e_kind *k = kind_draw(d, E_BENIGN, true);

		happen(w, k, 0, k->course == E_FADE ? 0 :
		       time_draw(w, d, 0.02, 0.9));
	}
}

void e_plan(struct world *w)
{
	uint64_t taken = 0;
	struct draw d;

	draw_init(&d, draw_key(w->at.seed, 22, w->at.mix, 0));
	if (w->at.mix != MIX_HEALTHY)
		taken = faults_plan(w, &d, w->at.ports / 2);
	benign_plan(w, &d, taken);
}
