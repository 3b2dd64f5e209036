#include "tests/judge/a_truth.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "petrel/clock.h"

#define EFFECT_DECADES 0.3
#define EFFECT_DB 0.5
#define CLIFF_HZ (1.0 / 3600)
#define STEPS 1000		/* of a case, once a fault is old */
#define STEP_MOST_NS (3600 * NS_PER_S)
#define STEP_GROWTH 1.03

/* A fault on one of its ports, with those that struck it before. */
struct look {
	const struct world_case *c;
	const struct a_port *port;
	const struct a_room *room;
	const struct a_hand *hand;
	size_t deed;
	int64_t tick_ns;
};

static void strike(const struct look *l, size_t deed,
		   const struct a_stretch *t, struct a_stress *s)
{
	const struct a_deed *d = &l->hand->deed[deed];

	if (d->ports & UINT64_C(1) << l->port->number && a_deed_is_in(d, t))
		d->kind->strike(d, l->port, t, s);
}

static void strike_earlier(const struct look *l, const struct a_stretch *t,
			   struct a_stress *s)
{
	for (size_t i = 0; i < l->deed; i++)
		if (l->hand->deed[i].kind->scope != A_SWITCH)
			strike(l, i, t, s);
}

static double ber_at(const struct look *l, const struct a_stress *s,
		     int64_t t_ns)
{
	double t_s = (double)t_ns / (double)NS_PER_S;

	return a_link_ber(&l->port->link, s,
			  a_port_heat_k(l->port, l->room,
					a_room_c(l->room, t_s), s, t_s),
			  NULL, NULL);
}

/* Light lost here, or by our own laser: what it would take more of current is
 * light that it lost.
 */
static double light_lost_db(const struct a_link *l, const struct a_stress *s)
{
	double most = 0;

	for (unsigned i = 0; i < l->lanes; i++) {
		double tx = s->tx_loss_db[i] +
			10 * log10(1 + s->bias_share[i]);

		most = fmax(most, fmax(s->loss_db[i], tx));
	}
	return most;
}

static bool effect_passes(const struct look *l, const struct a_stretch *t)
{
	const struct a_link *link = &l->port->link;
	struct a_stress s, none = { 0 };
	double ber;

	memset(&s, 0, sizeof(s));
	strike(l, l->deed, t, &s);
	ber = ber_at(l, &s, t->now_ns);
	if (s.falls > 0 || s.down || s.absent || a_link_is_lost(link, &s, ber))
		return true;
	if (light_lost_db(link, &s) >= EFFECT_DB)
		return true;
	if (s.spike_s > 0 && s.spike_decades >= EFFECT_DECADES)
		return true;
	return log10(ber / ber_at(l, &none, t->now_ns)) >= EFFECT_DECADES;
}

/* Codewords lost: a mean of one an hour, or one in an episode. */
static bool loses(const struct look *l, const struct a_stretch *t,
		  struct a_stress *s)
{
	const struct a_link *link = &l->port->link;
	double hz = a_link_codeword_hz(link), ber;

	if (s->dark || s->down || s->absent || s->admin_down)
		return false;
	ber = ber_at(l, s, t->now_ns);
	if (s->spike_s > 0 && hz * s->spike_s *
	    a_link_loss_now(link, s, ber) >= 1)
		return true;
	s->spike_s = 0;
	return hz * a_link_loss_now(link, s, ber) >= CLIFF_HZ;
}

/* With what came before it, and not without it. */
static bool cliff_passes(const struct look *l, const struct a_stretch *t)
{
	struct a_stress before = { 0 }, with;

	strike_earlier(l, t, &before);
	with = before;
	strike(l, l->deed, t, &with);
	return loses(l, t, &with) && !loses(l, t, &before);
}

/* When it first passes in a stretch in which it does. */
static int64_t narrow(const struct look *l, struct a_stretch t,
		      bool (*passes)(const struct look *,
				     const struct a_stretch *))
{
	int64_t low = t.before_ns, high = t.now_ns;

	while (high - low > NS_PER_S) {
		struct a_stretch half = { t.before_ns, low + (high - low) / 2 };

		if (passes(l, &half))
			high = half.now_ns;
		else
			low = half.now_ns;
	}
	return high;
}

static int64_t first_pass(const struct look *l, int64_t until_ns,
			  bool (*passes)(const struct look *,
					 const struct a_stretch *))
{
	const struct a_deed *d = &l->hand->deed[l->deed];
	int64_t step = l->tick_ns, most = l->c->length_ns / STEPS;
	struct a_stretch t = { d->onset_ns - l->tick_ns, d->onset_ns };

	most = most > STEP_MOST_NS ? STEP_MOST_NS : most;
	if (until_ns > d->end_ns)
		until_ns = d->end_ns;
	while (t.now_ns < until_ns) {
		if (passes(l, &t)) {
			int64_t at = narrow(l, t, passes);

			return at < d->onset_ns ? d->onset_ns : at;
		}
		t.before_ns = t.now_ns;
		t.now_ns += step;
		if (step < most)
			step = (int64_t)((double)step * STEP_GROWTH) + 1;
	}
	return INT64_MAX;
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void effects_find(const struct look *of, struct truth *ret)
{
	struct look l = *of;
	int64_t length = l.c->length_ns;

	for (unsigned i = 0; i < l.c->ports; i++) {
		if (!(ret->ports & UINT64_C(1) << i))
			continue;
		l.port = &of->port[i];
		ret->effect_ns = sooner(ret->effect_ns,
				first_pass(&l, length, effect_passes));
		ret->cliff_later_ns = sooner(ret->cliff_later_ns,
				first_pass(&l, 2 * length, cliff_passes));
	}
	if (ret->cliff_later_ns < length)
		ret->cliff_ns = ret->cliff_later_ns;
	/* Codewords lost in bursts are an effect, if no mean shows it. */
	ret->effect_ns = sooner(ret->effect_ns, ret->cliff_ns);
}

static bool is_benign(const struct a_kind *k)
{
	size_t count;
	const struct a_kind *rows = a_benigns(&count);

	return k >= rows && k < rows + count;
}

int a_truths_make(const struct world_case *c, const struct a_port *port,
		  const struct a_room *room, const struct a_hand *hand,
		  struct truth **ret)
{
	struct truth *truth = calloc(hand->count + 1, sizeof(*truth));

	if (!truth)
		return -ENOMEM;
	for (size_t i = 0; i < hand->count; i++) {
		const struct a_deed *d = &hand->deed[i];
		const struct a_kind *k = d->kind;
		bool grows = k->grows && d->growth.ramp_s > 0;
		struct look l = { c, port, room, hand, i,
				  c->pace == PACE_SLOW ? 60 * NS_PER_S :
				  NS_PER_S };

		truth[i] = (struct truth){
			.what = k->name,
			.law = grows ? a_law_names[d->growth.law] : "",
			.benign = is_benign(k),
			.signature = k->signature,
			.end = k->end,
			.action = k->action,
			.ports = d->ports,
			.lanes = d->lanes,
			.onset_ns = d->onset_ns,
			.effect_ns = INT64_MAX,
			.cliff_ns = INT64_MAX,
			.cliff_later_ns = INT64_MAX,
			.end_ns = d->end_ns,
		};
		if (!truth[i].benign)
			effects_find(&l, &truth[i]);
	}
	*ret = truth;
	return 0;
}
