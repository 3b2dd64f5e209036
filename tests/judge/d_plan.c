/* Who is struck, by what and when. Names come by turns, their kinds by chance;
 * what strikes several ports is placed first. What is benign lies on ports that
 * are healthy, and on the whole switch.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "tests/judge/d_world.h"

#define WEAKER 0.6		/* of effects, where hard */
#define MENDED 0.2		/* of the faults that last */
#define DAY_NS (86400 * D_NS)
#define OF_ONE_NAME 16

struct plan {
	struct world *w;
	struct draw d;
	uint64_t taken;		/* ports */
	unsigned room;		/* for more that are struck */
	int rc;
};

static unsigned below(struct plan *p, unsigned n)
{
	return (unsigned)(draw_unit(&p->d) * n);
}

static int64_t time_in(struct plan *p, double from, double to)
{
	return (int64_t)((double)p->w->at.length_ns *
			 draw_between(&p->d, from, to));
}

static void weights_set(struct plan *p, struct d_fault *f, unsigned port)
{
	const struct d_media *m = p->w->state[port].media;
	/* Waves 20 nm apart, or 4.5 nm (clauses 151 and 88). */
	double red = !(m->traits & D_WDM) ? 0.01 : m->name[0] == 'L' ? 0.03
								     : 0.22;
	unsigned one = below(p, m->lanes);
	bool wide = m->lanes > 1 && m->traits & (D_PARALLEL | D_COPPER);
	enum d_lanes lanes = f->kind->lanes;

	for (unsigned i = 0; i < WORLD_LANES_MAX; i++) {
		double u = draw_unit(&p->d), *x = &f->weight[i];

		*x = 0.95 + 0.1 * u;
		if (lanes == D_ONE && i != one)
			*x = 0;
		if (lanes == D_SOME && wide && i != one)
			*x = u < 0.5 ? 0 : 2 * u - 1;
		if (lanes == D_RED && i < m->lanes)
			*x *= exp(-red * (m->lanes - 1 - i));
		if (lanes == D_EDGE && i < m->lanes)
			*x *= pow(0.35, one % 2 ? i : m->lanes - 1 - i);
	}
}

static void sizes_set(struct plan *p, struct d_fault *f, unsigned port)
{
	const struct d_kind *k = f->kind;
	bool benign = k->class == D_BENIGN;
	double part = !p->w->at.hard ? 1 : benign ? 2 : WEAKER;

	for (unsigned e = 0; e < D_EFFECTS; e++) {
		f->size[e] = d_log_between(&p->d, k->size[e]) *
			     (e < D_MISSES ? part : 1);
		if (k->course == D_GROW && e <= D_NOISE && f->size[e] > 0)
			f->size[e] *= d_lacks_db(&p->w->state[port], f->weight,
						 e);
	}
}

/* From its onset on: when it acts, is at its full, ends. */
static void times_set(struct plan *p, struct d_fault *f)
{
	const struct d_kind *k = f->kind;
	double length = (double)p->w->at.length_ns, lasts;

	lasts = length * d_log_between(&p->d, (struct d_range){ 0.12, 1 });
	if (k->course == D_SETTLE)
		lasts = fmin(length / 4, 1e9 * d_log_between(&p->d,
				(struct d_range){ 300, 5400 }));
	f->from_ns = f->onset_ns;
	if (k->acts & D_TOUCHED)
		f->from_ns += (int64_t)draw_between(&p->d, 20, 120) * D_NS;
	f->full_ns = f->from_ns + (int64_t)lasts;
	f->end_ns = INT64_MAX;
	if (k->acts & (D_CLEAR | D_CLOCK))
		f->end_ns = f->onset_ns + p->w->step_ns;
	else if (k->class == D_BENIGN && f->size[D_DOWN] > 0)
		f->end_ns = f->onset_ns + (int64_t)fmin(f->size[D_DOWN] * 1e9,
							length * 0.3);
	else if (k->class != D_BENIGN &&
		 (k->acts & D_REPAIRED ||
		  (k->scope == D_PORT && draw_unit(&p->d) < MENDED)))
		f->end_ns = f->onset_ns + time_in(p, 0.2, 0.6);
}

static struct d_fault *befall(struct plan *p, const struct d_kind *k,
			      uint64_t ports, int64_t onset_ns)
{
	struct world *w = p->w;
	unsigned first = (unsigned)__builtin_ctzll(ports);
	uint32_t laws = w->at.laws & ((1u << D_LAWS) - 1);
	struct d_fault *f = &w->fault[w->faults];

	if (w->faults == D_FAULTS_MAX || p->rc < 0)
		return NULL;
	*f = (struct d_fault){ .kind = k, .ports = ports, .onset_ns = onset_ns,
		.key = draw_key(w->at.seed, w->faults, 5000, w->at.mix) };
	do
		f->law = below(p, D_LAWS);
	while (laws && !(laws >> f->law & 1));
	weights_set(p, f, first);
	sizes_set(p, f, first);
	times_set(p, f);
	p->rc = d_falls(w, f);
	d_truth_make(w, w->faults++);
	return f;
}

/* The ports of a scope about this one that it fits; 0: it cannot be there. */
static uint64_t place(const struct plan *p, const struct d_kind *k,
		      unsigned port)
{
	const struct world *w = p->w;
	unsigned quarter = w->at.ports / 4 + (w->at.ports < 4);
	unsigned size[] = { [D_PORT] = 1, [D_PAIR] = 2, [D_GROUP] = quarter,
			    [D_ZONE] = w->zone_ports, [D_PEERS] = 4,
			    [D_SWITCH] = w->at.ports };
	unsigned first = port / size[k->scope] * size[k->scope];
	unsigned last = first + size[k->scope];
	uint64_t ret = 0;

	if (k->scope == D_GROUP && quarter > 4)
		last = first + 4;	/* not all of it: one die, one rail */
	for (unsigned i = first; i < last && i < w->at.ports; i++) {
		if (k->scope < D_PEERS && p->taken >> i & 1)
			return 0;
		if ((w->state[i].media->traits & k->fits) == k->fits)
			ret |= UINT64_C(1) << i;
	}
	return ret >> port & 1 &&
	       (k->scope != D_GROUP || __builtin_popcountll(ret) > 2) ? ret : 0;
}

/* On healthy ports, from a random one on. */
static struct d_fault *somewhere(struct plan *p, const struct d_kind *k,
				 int64_t onset_ns)
{
	unsigned ports = p->w->at.ports, begin = below(p, ports);
	struct d_fault *f;

	for (unsigned i = 0; i < ports; i++) {
		uint64_t at = place(p, k, (begin + i) % ports);
		unsigned count = (unsigned)__builtin_popcountll(at);

		if (!at || (k->class != D_BENIGN && count > p->room))
			continue;
		f = befall(p, k, at, onset_ns);
		if (f && k->class != D_BENIGN)
			p->room -= count;
		if (k->scope < D_PEERS)
			p->taken |= at;
		return f;
	}
	return NULL;
}

/* The hand that works there pulls another plug before. */
static void work(struct plan *p, const struct d_fault *f)
{
	const struct d_kind *k;
	size_t n = d_kinds(&k);

	if (f->kind->acts & D_WORK)
		(void)somewhere(p, &k[n - 1], f->onset_ns -
				time_in(p, 0.02, 0.06));
}

/* The second fault of a port: of another name. */
static void second(struct plan *p, const struct d_fault *first)
{
	const struct d_kind *k, *at;
	unsigned n = (unsigned)d_kinds(&k);
	unsigned traits = p->w->state[__builtin_ctzll(first->ports)].media->
			  traits;

	for (unsigned tries = 0; tries < 4 * n; tries++) {
		at = &k[below(p, n)];
		if (at->class == D_FAULT && at->scope == D_PORT &&
		    at->signature != first->kind->signature &&
		    (traits & at->fits) == at->fits) {
			(void)befall(p, at, first->ports, first->onset_ns +
				     time_in(p, 0.1, 0.5));
			return;
		}
	}
}

/* One kind of a name that has room; wide: of those that strike many ports. */
static void fault_place(struct plan *p, unsigned signature, bool wide)
{
	bool two = p->w->at.mix == MIX_TWO;
	bool strange = p->w->at.mix == MIX_STRANGE;
	const struct d_kind *k, *of[OF_ONE_NAME];
	size_t n = d_kinds(&k);
	unsigned count = 0, begin;
	const struct d_fault *f = NULL;

	for (size_t i = 0; i < n && count < OF_ONE_NAME; i++)
		if (strange ? k[i].class == D_STRANGE :
		    k[i].class == D_FAULT && k[i].signature == signature &&
		    (k[i].scope > D_PAIR) == wide &&
		    !(two && (k[i].scope != D_PORT ||
			      signature == SIGNATURE_LINK_DOWN)))
			of[count++] = &k[i];
	begin = below(p, count);
	for (unsigned i = 0; i < count && !f; i++)
		f = somewhere(p, of[(begin + i) % count],
			      time_in(p, 0.15, two ? 0.4 : 0.6));
	if (f && two)
		second(p, f);
	if (f)
		work(p, f);
}

static void benign_place(struct plan *p)
{
	struct world *w = p->w;
	const struct d_kind *k;
	unsigned n = (unsigned)d_kinds(&k), times, some;
	bool was_cold = false;

	/* On a healthy switch three times as much. */
	times = w->at.mix == MIX_HEALTHY ? 3 : 1;
	some = times * ((unsigned)(w->at.length_ns / DAY_NS) + 1 +
			w->at.ports / 5);
	some = some < D_FAULTS_MAX / 2 ? some : D_FAULTS_MAX / 2;
	for (unsigned i = 0, tries = 0; i < some && tries < some * 20;
	     tries++) {
		const struct d_kind *at = &k[below(p, n)];
		bool cold = at->acts & D_COLD;

		/* A switch is cold once, and less befalls it than its ports. */
		if (at->class != D_BENIGN || (cold && was_cold) ||
		    (at->scope == D_SWITCH && draw_unit(&p->d) < 0.7))
			continue;
		was_cold |= cold;
		i += somewhere(p, at, cold ? 0 : time_in(p, 0.08, 0.95)) != 0;
	}
}

int d_plan(struct world *w)
{
	struct plan p = { .w = w, .room = w->at.ports / 2 };
	unsigned begin, n = SIGNATURE_COUNT;

	draw_init(&p.d, draw_key(w->at.seed, w->at.mix, w->at.pace,
				 w->at.hard));
	begin = below(&p, n);
	/* 7 has no divisor in common with their number; twice, for room. */
	for (unsigned i = 0; i < 3 * n && w->at.mix != MIX_HEALTHY; i++)
		if (i >= n || draw_unit(&p.d) < 0.6)
			fault_place(&p, (begin + i * 7) % n, i < n);
	benign_place(&p);
	d_falls_sort(w);
	return p.rc;
}
