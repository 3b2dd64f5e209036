#include "tests/judge/g_tick.h"

#include <math.h>
#include <string.h>

#include "tests/judge/g_codes.h"
#include "tests/judge/g_dice.h"
#include "tests/judge/g_live.h"
#include "tests/judge/g_media.h"
#include "tests/judge/g_tell.h"
#include "tests/judge/g_world.h"

#define FALLING (HOLD_DOWN | HOLD_DARK | HOLD_SHUT | HOLD_ABSENT)
#define IN_A_ROW 3		/* lost codewords, 802.3 clause 119.2.5 */
#define FRAME_OCTETS 2200.0	/* RoCE of 4096, its answers, small ones */

/* --- links --------------------------------------------------------------- */

/* A fall by lost codewords: some are counted before the link is given up. */
static void fall_count(struct g_state *s, unsigned mends)
{
	unsigned n = IN_A_ROW + g_below(&s->dice, 60);

	s->counts.falls++;
	s->counts.lost += n;
	for (unsigned i = 0; i < n; i++)
		s->counts.bin[mends + 1 + g_below(&s->dice,
						  WORLD_BINS - 1 - mends)]++;
}

static void link_break(struct world *w, unsigned port, double now_s,
		       bool by_codewords)
{
	struct g_state *s = &w->state[port];

	if (s->up && by_codewords)
		fall_count(s, g_codes_mends(w->port[port].fec));
	else if (s->up)
		s->counts.falls++;
	s->up = false;
	s->up_at_s = now_s + w->built[port].relink_s *
			     g_between(&s->dice, 0.7, 1.6);
}

/* Falls that come and go within the tick. Returns how long it was up. */
static double link_shake(struct world *w, unsigned port,
			 const struct g_live *l, double hazard)
{
	struct g_state *s = &w->state[port];
	double relink_s = w->built[port].relink_s, over_s;
	double most = fmax(1, w->tick_s / relink_s);
	unsigned own = (unsigned)fmin(most, g_count(&s->dice, fmin(hazard *
						    w->tick_s, 50)));
	unsigned n = own + l->stress.falls;

	for (unsigned i = 0; i < own; i++)
		fall_count(s, g_codes_mends(w->port[port].fec));
	s->counts.falls += l->stress.falls;
	if (!n)
		return w->tick_s;
	over_s = own ? w->now_s - g_unit(&s->dice) * w->tick_s :
		       l->stress.over_s;
	s->up_at_s = over_s + relink_s;
	s->up = s->up_at_s <= w->now_s;
	return fmax(0, w->tick_s - l->stress.down_s - n * relink_s);
}

/* Seconds that it was up. */
static double link_step(struct world *w, unsigned port, const struct g_live *l)
{
	struct g_state *s = &w->state[port];
	double relink_s = w->built[port].relink_s;
	/* Three lost in a row, so many times a second. */
	double hazard = g_live_rate(w, port) * pow(l->code_loss, IN_A_ROW);
	bool held = l->stress.hold & FALLING || l->stress.is_ruined;

	if (held || hazard * relink_s > 3) {
		s->counts.falls += l->stress.falls;
		link_break(w, port, w->now_s, !held);
		return 0;
	}
	if (!s->up && w->now_s < s->up_at_s)
		return 0;
	if (!s->up) {
		s->up = true;
		return fmin(w->tick_s, w->now_s - s->up_at_s);
	}
	return link_shake(w, port, l, hazard);
}

/* --- counters ------------------------------------------------------------ */

static void bin_add(struct g_counts *c, unsigned bin, unsigned mends, double n)
{
	uint64_t words = (uint64_t)n;

	c->bin[bin] += words;
	if (bin > mends) {
		c->lost += words;
	} else if (bin) {
		c->corrected += words;
		c->symbols += words * bin;
	}
}

static void words_count(struct world *w, unsigned port, const struct g_live *l,
			double up_s)
{
	struct g_state *s = &w->state[port];
	const struct g_port *p = &w->built[port];
	enum fec_mode fec = w->port[port].fec;
	unsigned mends = g_codes_mends(fec);
	double words = g_live_rate(w, port) * up_s, share[WORLD_BINS];
	double ber = p->traits & TRAIT_COHERENT ? p->host_ber : l->mean_ber;
	uint64_t was = s->counts.symbols;
	unsigned impulses;

	g_codes_shares(fec, ber * (1 + 0.02 * g_normal(&s->dice)), l->chain,
		       share);
	for (unsigned i = WORLD_BINS - 1; i > 0; i--) {
		double n = g_count(&s->dice, words * share[i]);

		bin_add(&s->counts, i, mends, n);
	}
	s->counts.bin[0] += (uint64_t)(words * share[0]);
	if (p->traits & TRAIT_COHERENT)
		bin_add(&s->counts, WORLD_BINS - 1, mends,
			g_count(&s->dice, words * l->code_loss));
	impulses = (unsigned)g_count(&s->dice, p->impulse_rate * up_s);
	while (impulses--)
		bin_add(&s->counts, 2 + g_below(&s->dice, mends - 3), mends, 1);
	/* By Gray's code a symbol has one wrong bit; in a run of them, more. */
	s->counts.bits += (uint64_t)((double)(s->counts.symbols - was) *
				     (1.01 + 0.6 * l->chain) +
				     g_unit(&s->dice));
}

/* What a burst breaks, and what it only grazes. */
static void burst_count(struct world *w, unsigned port, const struct g_live *l)
{
	struct g_state *s = &w->state[port];
	unsigned mends = g_codes_mends(w->port[port].fec);
	unsigned lost, grazed;

	if (l->stress.lost <= 0)
		return;
	lost = (unsigned)ceil(l->stress.lost * g_between(&s->dice, 0.4, 1.6));
	grazed = (unsigned)g_count(&s->dice, 0.6 * lost);
	for (; lost > 0 && lost < 300; lost--)
		bin_add(&s->counts, mends + 1 + g_below(&s->dice, WORLD_BINS -
							1 - mends), mends, 1);
	bin_add(&s->counts, WORLD_BINS - 1, mends, lost);
	while (grazed > 0) {
		unsigned some = (grazed + 7) / 8;

		bin_add(&s->counts, 1 + g_below(&s->dice, mends), mends, some);
		grazed -= some;
	}
}

static void traffic_count(struct world *w, unsigned port,
			  const struct g_live *l, double up_s, uint64_t lost)
{
	struct g_state *s = &w->state[port];
	struct g_counts *c = &s->counts;
	double octets = (double)w->port[port].speed_mbps * 1e6 / 8 * up_s *
			l->load;
	double in = octets * g_between(&s->dice, 0.9, 1.05);
	double out = octets * g_between(&s->dice, 0.9, 1.05);

	c->in_octets += (uint64_t)in;
	c->in_frames += (uint64_t)(in / FRAME_OCTETS);
	c->out_octets += (uint64_t)out;
	c->out_frames += (uint64_t)(out / FRAME_OCTETS);
	c->in_errors += (uint64_t)g_count(&s->dice,
					  1.2 * l->load * (double)lost);
	c->in_discards += (uint64_t)g_count(&s->dice, 1e-4 * up_s);
	/* Marks and pauses come with the load. */
	c->marked += (uint64_t)g_count(&s->dice, out / FRAME_OCTETS * 1e-5 *
					       l->load * l->load);
	c->pfc_tx += (uint64_t)g_count(&s->dice, up_s * 0.3 * l->load);
	c->pfc_rx += (uint64_t)g_count(&s->dice, up_s * 0.3 * l->load);
}

/* --- what was done ------------------------------------------------------- */

static void event_tell(struct world *w, const struct g_event *e, double t_s,
		       enum world_event_kind kind)
{
	bool all = e->kind->scope == SCOPE_ALL;

	if (t_s <= w->now_s - w->tick_s || t_s > w->now_s ||
	    w->freshes >= G_FRESH_MAX)
		return;
	w->fresh[w->freshes++] = (struct world_event){
		.t_ns = (int64_t)(t_s * 1e9),
		.kind = kind,
		.port = all ? WORLD_ALL_PORTS :
			      (uint32_t)__builtin_ctzll(e->ports),
	};
	if (kind != WORLD_RELOAD && kind != WORLD_COUNTERS_CLEARED)
		return;
	for (unsigned i = 0; i < w->at.ports; i++) {
		struct g_counts *c = &w->state[i].counts;
		uint64_t falls = kind == WORLD_RELOAD ? 0 : c->falls;

		if (e->ports >> i & 1)
			*c = (struct g_counts){ .falls = falls };
	}
}

static void events_tell(struct world *w)
{
	w->freshes = 0;
	for (size_t i = 0; i < w->events; i++) {
		const struct g_event *e = &w->event[i];
		unsigned mark = e->kind->mark;

		if (mark & MARK_CLEARED)
			event_tell(w, e, e->onset_s, WORLD_COUNTERS_CLEARED);
		if (mark & MARK_RELOAD)
			event_tell(w, e, e->end_s, WORLD_RELOAD);
		if (mark & MARK_DRAIN) {
			event_tell(w, e, e->onset_s, WORLD_TSA);
			event_tell(w, e, e->end_s, WORLD_TSB);
		}
	}
}

static void port_tick(struct world *w, unsigned port)
{
	struct g_state *s = &w->state[port];
	struct g_span at = { w->now_s - w->tick_s, w->now_s };
	uint64_t lost = s->counts.lost;
	struct g_live l;
	double up_s;

	g_live_at(w, port, at, NULL, &l);
	up_s = link_step(w, port, &l);
	if (up_s > 0) {
		words_count(w, port, &l, up_s);
		burst_count(w, port, &l);
	}
	traffic_count(w, port, &l, up_s, s->counts.lost - lost);
	s->log_ber = l.log_ber;
	s->loss = l.loss;
	g_tell_port(w, port, &l);
}

void g_tick(struct world *w)
{
	events_tell(w);
	for (unsigned i = 0; i < w->at.ports; i++)
		port_tick(w, i);
	g_tell_sensors(w);
}
