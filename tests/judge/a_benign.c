/* Benign changes: what nobody should be told of as a fault. */
#include "tests/judge/a_kind.h"

#include <math.h>
#include "petrel/clock.h"
#include "tests/judge/a_noise.h"

/* A stretch of minutes, longer at a slow pace. */
static void while_draw(struct a_deed *d, const struct a_port *p,
		       const struct a_setting *s, struct draw *r)
{
	(void)p;
	d->size = draw_unit(r);
	a_deed_last(d, s->tick_s * a_log_between(r, 90, 600));
}

/* One to a few minutes, whatever the pace. */
static void short_draw(struct a_deed *d, const struct a_port *p,
		       const struct a_setting *s, struct draw *r)
{
	(void)p;
	d->size = draw_unit(r);
	a_deed_last(d, fmin(a_log_between(r, 40, 400), s->length_s / 10));
}

/* Of the way to the switch, or of what polls it. */
static void gap_draw(struct a_deed *d, const struct a_port *p,
		     const struct a_setting *s, struct draw *r)
{
	(void)p;
	a_deed_last(d, s->tick_s * a_log_between(r, 8, 150));
}

static void for_ever_draw(struct a_deed *d, const struct a_port *p,
			  const struct a_setting *s, struct draw *r)
{
	(void)p;
	(void)s;
	d->size = draw_unit(r);
}

static void from_start_draw(struct a_deed *d, const struct a_port *p,
			    const struct a_setting *s, struct draw *r)
{
	for_ever_draw(d, p, s, r);
	d->onset_ns = 0;
}

static void at_once_draw(struct a_deed *d, const struct a_port *p,
			 const struct a_setting *s, struct draw *r)
{
	for_ever_draw(d, p, s, r);
	d->end_ns = d->onset_ns + 1;
}

static void load_strike(const struct a_deed *d, const struct a_port *p,
			const struct a_stretch *t, struct a_stress *s)
{
	double shift = 0.45 * (d->size < 0.5 ? -1 : 1);
	double since = a_deed_since_s(d, t->now_ns);

	if (a_deed_is_over(d, t))
		return;
	s->load_shift += shift;
	s->heat_k += shift * p->heat.load_k * -expm1(-since / p->heat.delay_s);
}

static void hot_day_draw(struct a_deed *d, const struct a_port *p,
			 const struct a_setting *s, struct draw *r)
{
	(void)p;
	d->size = draw_between(r, 2, 5) * (s->c->hard ? 1.5 : 1);
	a_deed_last(d, s->slow ? draw_between(r, 6, 14) * 3600 :
		    draw_between(r, 1200, 2400));
}

static void hot_day_strike(const struct a_deed *d, const struct a_port *p,
			   const struct a_stretch *t, struct a_stress *s)
{
	double whole = (double)(d->end_ns - d->onset_ns) / (double)NS_PER_S;
	double wave = sin(M_PI * a_deed_since_s(d, t->now_ns) / whole);

	(void)p;
	if (!a_deed_is_over(d, t))
		s->heat_k += d->size * wave * wave;
}

static void warm_up_strike(const struct a_deed *d, const struct a_port *p,
			   const struct a_stretch *t, struct a_stress *s)
{
	double since = a_deed_since_s(d, t->now_ns);

	s->heat_k -= (6 + 6 * d->size) * exp(-since / (2 * p->heat.delay_s));
}

static void reboot_strike(const struct a_deed *d, const struct a_port *p,
			  const struct a_stretch *t, struct a_stress *s)
{
	double whole = (double)(d->end_ns - d->onset_ns) / (double)NS_PER_S;

	(void)p;
	if (a_deed_is_over(d, t)) {
		s->counters_clear = true;
		return;
	}
	s->unread |= a_deed_since_s(d, t->now_ns) < 0.8 * whole;
	s->down = true;
	s->tx_dark = true;
	s->load_gone = true;
}

static void unread_strike(const struct a_deed *d, const struct a_port *p,
			  const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	s->unread |= !a_deed_is_over(d, t);
}

static void shut_strike(const struct a_deed *d, const struct a_port *p,
			const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	if (a_deed_is_over(d, t))
		return;
	s->admin_down = true;
	s->tx_dark = true;
}

static void test_strike(const struct a_deed *d, const struct a_port *p,
			const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	if (a_deed_is_over(d, t))
		return;
	s->admin_down = true;
	s->testing = true;
	s->decades += 1 + d->size;
}

static void clear_strike(const struct a_deed *d, const struct a_port *p,
			 const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	s->counters_clear |= a_deed_is_moment(d, t, 0);
}

static void peer_strike(const struct a_deed *d, const struct a_port *p,
			const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	if (a_deed_is_over(d, t))
		return;
	s->down = true;
	s->dark = d->size < 0.6;
	s->reason = s->dark ? DOWN_RX_LOS : DOWN_MAC_REMOTE_FAULT;
}

static void rack_draw(struct a_deed *d, const struct a_port *p,
		      const struct a_setting *s, struct draw *r)
{
	(void)p;
	(void)s;
	d->size = draw_between(r, 5, 40);
	a_deed_last(d, 3600);
}

/* A dip of power: all peers restart together, and fans run slow. */
static void rack_strike(const struct a_deed *d, const struct a_port *p,
			const struct a_stretch *t, struct a_stress *s)
{
	double since = a_deed_since_s(d, t->now_ns);

	(void)p;
	if (a_deed_is_over(d, t))
		return;
	s->falls += a_deed_is_moment(d, t, 0);
	s->down |= since < d->size;
	s->dark |= since < d->size;
	s->reason = DOWN_RX_LOS;
	s->heat_k += 2 * exp(-since / 600);
}

static void clock_draw(struct a_deed *d, const struct a_port *p,
		       const struct a_setting *s, struct draw *r)
{
	(void)p;
	(void)s;
	d->size = a_log_between(r, 0.05, 3000) *
		(draw_unit(r) < 0.5 ? -1 : 1);
}

static void clock_strike(const struct a_deed *d, const struct a_port *p,
			 const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	(void)t;
	s->clock_shift_ns += (int64_t)(d->size * (double)NS_PER_S);
}

static void wrap_strike(const struct a_deed *d, const struct a_port *p,
			const struct a_stretch *t, struct a_stress *s)
{
	(void)d;
	(void)p;
	s->near_wrap = t->before_ns <= 0;
}

static void slow_strike(const struct a_deed *d, const struct a_port *p,
			const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	if (!a_deed_is_over(d, t))
		s->dom_slow = 3 + 5 * d->size;
}

static void frozen_strike(const struct a_deed *d, const struct a_port *p,
			  const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	s->dom_frozen |= !a_deed_is_over(d, t);
}

static void stray_strike(const struct a_deed *d, const struct a_port *p,
			 const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	(void)t;
	s->dom_garbage = fmax(s->dom_garbage, 0.002 + 0.01 * d->size);
}

static void cold_strike(const struct a_deed *d, const struct a_port *p,
			const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	(void)t;
	s->absent = true;
	s->admin_down = d->size < 0.5;
}

static void away_strike(const struct a_deed *d, const struct a_port *p,
			const struct a_stretch *t, struct a_stress *s)
{
	double since = a_deed_since_s(d, t->now_ns);
	double load = a_heat_load(&p->heat, (double)t->now_ns / 1e9);

	if (a_deed_is_over(d, t))
		return;
	s->load_gone = true;
	s->heat_k += load * p->heat.load_k * expm1(-since / p->heat.delay_s);
}

#define BENIGN(name, needs, scope, draw, strike) \
	{ name, 0, 0, 0, needs, scope, false, 0, draw, strike }

static const struct a_kind rows[] = {
	BENIGN("load_phase", 0, A_PORT, while_draw, load_strike),
	BENIGN("warm_up", A_MODULE, A_CAGE, from_start_draw, warm_up_strike),
	BENIGN("admin_shut", 0, A_PORT, while_draw, shut_strike),
	BENIGN("counters_cleared", 0, A_PORT, at_once_draw, clear_strike),
	BENIGN("peer_maintenance", 0, A_PEER, short_draw, peer_strike),
	{ "healthy_swap", SIGNATURE_MODULE_CHANGED, 0, 0, A_MODULE, A_CAGE,
	  false, 0, a_swap_draw, a_swap_strike },
	BENIGN("prbs", A_FEC, A_PORT, while_draw, test_strike),
	BENIGN("wrap", A_FEC, A_PORT, from_start_draw, wrap_strike),
	BENIGN("stray_garbage", A_MODULE, A_CAGE, for_ever_draw,
	       stray_strike),
	BENIGN("cold_port", 0, A_CAGE, from_start_draw, cold_strike),
	BENIGN("hot_day", 0, A_SWITCH, hot_day_draw, hot_day_strike),
	BENIGN("reboot", 0, A_SWITCH, short_draw, reboot_strike),
	BENIGN("restart", 0, A_SWITCH, short_draw, unread_strike),
	BENIGN("rack_event", 0, A_SWITCH, rack_draw, rack_strike),
	BENIGN("clock_step", 0, A_SWITCH, clock_draw, clock_strike),
	BENIGN("gap", 0, A_SWITCH, gap_draw, unread_strike),
	BENIGN("slow_dom", 0, A_SWITCH, while_draw, slow_strike),
	BENIGN("frozen_dom", 0, A_SWITCH, while_draw, frozen_strike),
	BENIGN("traffic_away", 0, A_SWITCH, while_draw, away_strike),
};

const struct a_kind *a_benigns(size_t *ret_count)
{
	*ret_count = sizeof(rows) / sizeof(rows[0]);
	return rows;
}
