#include "tests/judge/f_plan.h"

#include <math.h>

#include "tests/judge/f_dice.h"
#include "tests/judge/f_strange.h"
#include "tests/judge/f_sudden.h"
#include "tests/judge/f_usual.h"
#include "tests/judge/f_wear.h"

#define WEEK_S (7 * F_DAY_S)
#define ROWS_MAX 32
#define TRIES 40

/* The rows of some tables, and how often each was dealt. */
struct deck {
	const struct f_row *row[ROWS_MAX];
	unsigned dealt[ROWS_MAX], rows;
};

struct plan {
	struct world *w;
	uint64_t free;			/* ports that nothing strikes */
	unsigned budget;		/* ports that may still be struck */
	struct deck faults, usual;
};

static void deck_add(struct deck *d, const struct f_row *row)
{
	for (; row->what && d->rows < ROWS_MAX; row++)
		d->row[d->rows++] = row;
}

/* --- events -------------------------------------------------------------- */

static void port_strike(struct world *w, unsigned port, unsigned event)
{
	struct f_port *p = &w->state[port];

	if (p->events < F_PORT_EVENTS_MAX)
		p->event[p->events++] = (uint16_t)event;
}

static void truth_start(struct truth *t, const struct f_row *row)
{
	*t = (struct truth){
		.what = row->what, .law = "", .benign = row->benign,
		.signature = row->signature, .end = row->end,
		.action = row->action, .effect_ns = INT64_MAX,
		.cliff_ns = INT64_MAX, .cliff_later_ns = INT64_MAX,
	};
}

static void event_enter(struct world *w, unsigned number)
{
	struct f_event *e = &w->event[number];

	for (uint64_t left = e->ports; left; left &= left - 1)
		port_strike(w, (unsigned)__builtin_ctzll(left), number);
	if (e->row->heat && w->heaters < F_HEATERS_MAX)
		w->heater[w->heaters++] = (uint16_t)number;
}

/* end_s: INFINITY where it stays, unless the row's make has it otherwise */
static void event_add(struct world *w, const struct f_row *row, uint64_t ports,
		      uint32_t zones, double onset_s, double end_s)
{
	unsigned number = w->events;
	struct f_event *e = &w->event[number];
	struct truth *t = &w->truth[number];
	uint64_t dice;

	if (number == F_EVENTS_MAX || !ports)
		return;
	*e = (struct f_event){ .row = row, .ports = ports, .zones = zones,
			       .onset_s = onset_s, .end_s = end_s,
			       .growth = { .law = -1 } };
	e->dice = dice = f_dice(&w->dice);
	truth_start(t, row);
	row->make(w, e, &dice);
	t->ports = e->ports;
	t->law = f_growth_name(&e->growth);
	t->onset_ns = (int64_t)(e->onset_s * 1e9);
	t->end_ns = isinf(e->end_s) ? INT64_MAX : (int64_t)(e->end_s * 1e9);
	w->events++;
	event_enter(w, number);
}

/* --- who and what -------------------------------------------------------- */

static uint64_t ports_from(unsigned first, unsigned count)
{
	return count >= 64 ? UINT64_MAX : ((UINT64_C(1) << count) - 1) << first;
}

/* A port that is free; false: there is none. */
static bool port_take(struct plan *p, unsigned *ret)
{
	unsigned n = (unsigned)__builtin_popcountll(p->free);
	uint64_t left = p->free;

	if (!n || !p->budget)
		return false;
	for (n = f_pick(&p->w->dice, n); n; n--)
		left &= left - 1;
	*ret = (unsigned)__builtin_ctzll(left);
	p->free &= ~(left & -left);
	p->budget--;
	return true;
}

/* The ports of its module: 0 where the other is not free. */
static uint64_t module_of(struct plan *p, unsigned port)
{
	uint64_t one = UINT64_C(1) << port, other;

	if (!p->w->state[port].kind->twin)
		return one;
	other = UINT64_C(1) << (port ^ 1);
	if (!(p->free & other))
		return 0;
	p->free &= ~other;
	p->budget -= p->budget > 0;
	return one | other;
}

/* A row that suits, the likelier the less it was dealt; NULL. */
static const struct f_row *deal(struct plan *p, struct deck *d,
				const struct f_port *port)
{
	double weight[ROWS_MAX] = { 0 }, sum = 0, at;
	int last = -1;

	for (unsigned i = 0; i < d->rows; i++) {
		weight[i] = d->row[i]->suits(port) ?
			    d->row[i]->weight / (1 + 3 * d->dealt[i]) : 0;
		sum += weight[i];
	}
	at = sum * f_uniform(&p->w->dice);
	for (unsigned i = 0; i < d->rows && at >= 0; i++) {
		if (weight[i] <= 0)
			continue;
		at -= weight[i];
		last = (int)i;
	}
	if (last < 0)
		return NULL;
	d->dealt[last]++;
	return d->row[last];
}

/* Most are still there when the case ends. */
static double fault_end(struct world *w, const struct f_row *row,
			double onset_s)
{
	if (row->lasting || row->signature == SIGNATURE_FAR_LASER ||
	    row->signature == SIGNATURE_TX_DECAY || !f_chance(&w->dice, 0.2))
		return INFINITY;
	return onset_s + (w->length_s - onset_s) *
			 f_between(&w->dice, 0.3, 0.9);
}

static void fault_add(struct plan *p, unsigned port, double from, double to)
{
	struct world *w = p->w;
	const struct f_row *row = deal(p, &p->faults, &w->state[port]);
	double onset_s = w->length_s * f_between(&w->dice, from, to);
	uint64_t ports = UINT64_C(1) << port;

	if (!row)
		return;
	if (row->of_module)
		ports = module_of(p, port);
	event_add(w, row, ports, 0, onset_s, fault_end(w, row, onset_s));
}

static void usual_add(struct plan *p, unsigned port, double from, double to)
{
	struct world *w = p->w;
	const struct f_row *row = deal(p, &p->usual, &w->state[port]);
	double onset_s = w->length_s * f_between(&w->dice, from, to);
	uint64_t ports = UINT64_C(1) << port;

	if (!row)
		return;
	if (row->of_module)
		ports = module_of(p, port);
	event_add(w, row, ports, 0, onset_s, INFINITY);
}

/* --- what befalls all ---------------------------------------------------- */

/* So many of them, each in its own part of the case. */
static void wide_add(struct plan *p, unsigned count)
{
	struct world *w = p->w;
	unsigned rows = 0, order[ROWS_MAX], slot = 0;
	uint64_t all = ports_from(0, w->at.ports);

	while (f_wide_rows[rows].what)
		order[rows] = rows, rows++;
	for (unsigned i = rows - 1; i > 0; i--) {
		unsigned k = f_pick(&w->dice, i + 1), was = order[i];

		order[i] = order[k];
		order[k] = was;
	}
	for (; slot < count; slot++) {
		double at = (slot + f_between(&w->dice, 0.1, 0.9)) / count;

		event_add(w, &f_wide_rows[order[slot % rows]], all, 0,
			  w->length_s * (0.06 + 0.88 * at), INFINITY);
	}
}

/* --- what befalls many --------------------------------------------------- */

static const struct f_row *row_of(struct world *w, const struct f_row *rows)
{
	double sum = 0, at;
	const struct f_row *row;

	for (row = rows; row->what; row++)
		sum += row->weight;
	at = sum * f_uniform(&w->dice);
	for (row = rows; row[1].what; row++) {
		at -= row->weight;
		if (at < 0)
			break;
	}
	return row;
}

static uint64_t ports_sharing(const struct world *w, bool air, unsigned wanted)
{
	uint64_t ports = 0;

	for (unsigned i = 0; i < w->at.ports; i++) {
		const struct f_port *p = &w->state[i];

		if ((air ? p->zone : p->group) == wanted)
			ports |= UINT64_C(1) << i;
	}
	return ports;
}

/* A fault of what these ports share, if they are free and it is not too many.
 */
static void many_add(struct plan *p, const struct f_row *rows, uint64_t ports,
		     uint32_t zones)
{
	struct world *w = p->w;
	const struct f_row *row = row_of(w, rows);
	double onset_s = w->length_s * f_between(&w->dice, 0.2, 0.6);
	unsigned n = (unsigned)__builtin_popcountll(ports);
	bool of_switch = rows == f_air_rows && !row->heat;

	if (of_switch) {		/* it strikes no port */
		event_add(w, row, ports_from(0, w->at.ports), 0, onset_s,
			  INFINITY);
		return;
	}
	if (n < 2 || n > p->budget || (ports & ~p->free))
		return;
	p->free &= ~ports;
	p->budget -= n;
	event_add(w, row, ports, zones, onset_s,
		  fault_end(w, row, onset_s));
}

static void shared_add(struct plan *p)
{
	struct world *w = p->w;
	unsigned port = f_pick(&w->dice, w->at.ports);

	many_add(p, f_group_rows,
		 ports_sharing(w, false, w->state[port].group), 0);
}

static void air_add(struct plan *p)
{
	struct world *w = p->w;
	unsigned zone = f_pick(&w->dice, w->zones);

	many_add(p, f_air_rows, ports_sharing(w, true, zone),
		 UINT32_C(1) << zone);
}

/* --- mixes --------------------------------------------------------------- */

static void faults_mix(struct plan *p)
{
	unsigned port, most = p->budget;

	if (f_chance(&p->w->dice, 0.3))
		air_add(p);
	if (f_chance(&p->w->dice, 0.45))
		shared_add(p);
	while (port_take(p, &port)) {
		if (p->budget * 5 >= most || most < 4)
			fault_add(p, port, 0.18, 0.68);
		else
			usual_add(p, port, 0.08, 0.92);
	}
	wide_add(p, 3);
}

static void healthy_mix(struct plan *p)
{
	struct world *w = p->w;
	unsigned port, times = w->length_s > WEEK_S ? 2 : 1;

	while (port_take(p, &port)) {
		usual_add(p, port, 0.05, times > 1 ? 0.5 : 0.93);
		if (times > 1)
			usual_add(p, port, 0.55, 0.95);
	}
	wide_add(p, 10 * times + (w->length_s > F_DAY_S ? 5 : 0));
}

static bool may_pair(const struct f_row *a, const struct f_row *b)
{
	return a && b && a->signature != b->signature && !a->of_module &&
	       !b->of_module && a->signature != SIGNATURE_LINK_DOWN;
}

/* The second a tenth to a half of the case after the first, which stays. */
static void pair_add(struct plan *p, unsigned port)
{
	struct world *w = p->w;
	const struct f_row *a = NULL, *b = NULL;
	double onset_s = w->length_s * f_between(&w->dice, 0.1, 0.4);
	uint64_t ports = UINT64_C(1) << port;

	for (int i = 0; i < TRIES && !may_pair(a, b); i++) {
		a = deal(p, &p->faults, &w->state[port]);
		b = deal(p, &p->faults, &w->state[port]);
	}
	if (!may_pair(a, b))
		return;
	event_add(w, a, ports, 0, onset_s, INFINITY);
	onset_s += w->length_s * f_between(&w->dice, 0.1, 0.5);
	event_add(w, b, ports, 0, onset_s, INFINITY);
}

static void two_mix(struct plan *p)
{
	unsigned port, most = p->budget;

	while (port_take(p, &port)) {
		if (p->budget * 4 >= most || most < 4)
			pair_add(p, port);
		else
			usual_add(p, port, 0.08, 0.92);
	}
	wide_add(p, 2);
}

static void strange_mix(struct plan *p)
{
	unsigned port, most = p->budget;

	while (port_take(p, &port)) {
		if (p->budget * 3 >= most || most < 4)
			fault_add(p, port, 0.2, 0.65);
		else
			usual_add(p, port, 0.08, 0.92);
	}
	wide_add(p, 2);
}

void f_plan_fill(struct world *w)
{
	static void (*const mixes[MIX_COUNT])(struct plan *p) = {
		[MIX_FAULTS] = faults_mix, [MIX_HEALTHY] = healthy_mix,
		[MIX_TWO] = two_mix, [MIX_STRANGE] = strange_mix,
	};
	struct plan p = { .w = w, .free = ports_from(0, w->at.ports),
			  .budget = w->at.ports < 2 ? 1 : w->at.ports / 2 };

	if (w->at.mix == MIX_STRANGE) {
		deck_add(&p.faults, f_strange_rows);
	} else {
		deck_add(&p.faults, f_wear_rows);
		deck_add(&p.faults, f_sudden_rows);
	}
	deck_add(&p.usual, f_usual_rows);
	mixes[w->at.mix](&p);
}
