#include "tests/judge/f_usual.h"

#include <math.h>

#include "tests/judge/f_dice.h"
#include "tests/judge/f_sudden.h"

#define NS_S 1e9

static bool is_any(const struct f_port *p)
{
	return p->kind != NULL;
}

static bool has_monitors(const struct f_port *p)
{
	return p->kind->monitors;
}

static bool has_plugs(const struct f_port *p)
{
	return p->kind->plugs;
}

static void tell(struct world *w, double t_s, enum world_event_kind kind,
		 uint32_t port)
{
	if (w->tolds < F_TOLD_MAX)
		w->told[w->tolds++] = (struct world_event){
			(int64_t)(t_s * NS_S), kind, port };
}

/* So long, within a share of the case. */
static void lasts(const struct world *w, struct f_event *e, uint64_t *dice,
		  double least_s, double most_s)
{
	double most = fmax(least_s, fmin(most_s, 0.12 * w->length_s));

	e->end_s = e->onset_s + f_log_between(dice, least_s, most);
}

/* --- of a port ----------------------------------------------------------- */

static void away_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	lasts(w, e, dice, 60, 40000);
	e->reason = f_chance(dice, 0.5) ? DOWN_RX_LOS : DOWN_MAC_REMOTE_FAULT;
}

/* The far end was away; this module slept as well, and is cold. */
static void cold_act(const struct f_event *e, const struct f_moment *m,
		     struct f_effect *x)
{
	(void)m;
	x->down = x->off = true;
	x->dark = e->reason == DOWN_RX_LOS;
	x->reason = e->reason;
}

static void shut_act(const struct f_event *e, const struct f_moment *m,
		     struct f_effect *x)
{
	(void)e;
	(void)m;
	x->shut = x->down = x->off = true;
	x->reason = DOWN_ADMIN;
}

static void prbs_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	lasts(w, e, dice, 45, 3600);
	e->reason = DOWN_MAC_LOCAL_FAULT;
}

/* A pattern instead of frames: no link, and light as before. */
static void prbs_act(const struct f_event *e, const struct f_moment *m,
		     struct f_effect *x)
{
	(void)m;
	x->down = true;
	x->reason = e->reason;
}

static void clear_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	bool all = __builtin_popcountll(e->ports) > 1;

	e->end_s = e->onset_s;
	if (f_chance(dice, 0.75))
		tell(w, e->onset_s, WORLD_COUNTERS_CLEARED, all ?
		     WORLD_ALL_PORTS : (uint32_t)__builtin_ctzll(e->ports));
}

static void clear_act(const struct f_event *e, const struct f_moment *m,
		      struct f_effect *x)
{
	x->cleared |= m->t_s - m->tick_s < e->onset_s;
}

/* Another cable, as good or better. */
static void recable_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	double all_db = f_between(dice, -1.3, 0.25);

	lasts(w, e, dice, 20, 900);
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		e->part[i] = all_db + 0.06 * f_normal(dice);
}

static void recable_act(const struct f_event *e, const struct f_moment *m,
			struct f_effect *x)
{
	if (m->t_s < e->end_s) {
		x->down = x->dark = true;
		x->reason = DOWN_RX_LOS;
		return;
	}
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		x->loss_db[i] += e->part[i];
}

static void dom_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	lasts(w, e, dice, 300, 60000);
}

static void rare_act(const struct f_event *e, const struct f_moment *m,
		     struct f_effect *x)
{
	(void)e;
	(void)m;
	x->dom_rare = true;
}

static void frozen_act(const struct f_event *e, const struct f_moment *m,
		       struct f_effect *x)
{
	(void)e;
	(void)m;
	x->dom_frozen = true;
}

/* One transfer that failed. */
static void garbage_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	int64_t told_ns = w->port[__builtin_ctzll(e->ports)].dom_period_ns;

	e->end_s = e->onset_s + (told_ns ? (double)told_ns / NS_S :
				 w->at.pace == PACE_FAST ? 10 : 60);
	e->mode = 1 + f_pick(dice, F_NONSENSES - 1);
}

static void garbage_act(const struct f_event *e, const struct f_moment *m,
			struct f_effect *x)
{
	(void)m;
	x->nonsense = (enum f_nonsense)e->mode;
}

static bool may_wrap(const struct f_port *p)
{
	return p->kind->fec == FEC_RS528;
}

/* The counters of errors come to 2^32 about then. */
static void wrap_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	unsigned port = (unsigned)__builtin_ctzll(e->ports);
	struct f_port *p = &w->state[port];
	double each_s = p->codewords_per_s * p->code.bits *
			pow(10, p->base_log_ber);
	uint64_t before = (uint64_t)(each_s * e->onset_s);

	(void)dice;
	e->end_s = e->onset_s;
	w->port[port].counter_bits = 32;
	p->now.fec_corrected_codewords = (UINT64_C(1) << 32) - before;
	p->now.fec_symbol_errors = p->now.fec_corrected_codewords;
	p->now.fec_corrected_bits = p->now.fec_corrected_codewords;
	p->now.fec_bins[1] = p->now.fec_corrected_codewords;
}

const struct f_row f_usual_rows[] = {
	{ .what = "healthy_swap", .benign = true, .of_module = true,
	  .lasting = true, .weight = 1, .suits = has_monitors,
	  .make = f_sudden_swap_make, .act = f_sudden_swap_act },
	{ .what = "warm_up", .benign = true, .weight = 1, .suits = is_any,
	  .make = away_make, .act = cold_act },
	{ .what = "admin_shut", .benign = true, .weight = 1, .suits = is_any,
	  .make = away_make, .act = shut_act },
	{ .what = "prbs", .benign = true, .weight = 1, .suits = is_any,
	  .make = prbs_make, .act = prbs_act },
	{ .what = "counters_cleared", .benign = true, .lasting = true,
	  .weight = 1, .suits = is_any, .make = clear_make,
	  .act = clear_act },
	{ .what = "recabling", .benign = true, .lasting = true, .weight = 1,
	  .suits = has_plugs, .make = recable_make, .act = recable_act },
	{ .what = "slow_dom", .benign = true, .weight = 1,
	  .suits = has_monitors, .make = dom_make, .act = rare_act },
	{ .what = "frozen_dom", .benign = true, .weight = 1,
	  .suits = has_monitors, .make = dom_make, .act = frozen_act },
	{ .what = "stray_garbage", .benign = true, .weight = 1,
	  .suits = has_monitors, .make = garbage_make, .act = garbage_act },
	{ .what = "wrap", .benign = true, .weight = 2.5, .suits = may_wrap,
	  .make = wrap_make },
	{ 0 },
};

/* --- of many ------------------------------------------------------------- */

static void reboot_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	lasts(w, e, dice, 100, 600);
	if (f_chance(dice, 0.85))
		tell(w, e->end_s, WORLD_RELOAD, WORLD_ALL_PORTS);
}

static void reboot_act(const struct f_event *e, const struct f_moment *m,
		       struct f_effect *x)
{
	if (m->t_s < e->end_s) {
		x->silent = x->down = x->off = true;
		return;
	}
	x->restarted |= m->t_s - m->tick_s < e->end_s;
}

static void gap_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	lasts(w, e, dice, 20, 7200);
}

static void gap_act(const struct f_event *e, const struct f_moment *m,
		    struct f_effect *x)
{
	(void)e;
	(void)m;
	x->silent = true;
}

static void clock_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	(void)w;
	e->end_s = e->onset_s;
	e->size = f_log_between(dice, 0.5, 7200);
	if (f_chance(dice, 0.5))
		e->size = -e->size;
	e->mode = 1;
}

double f_usual_clock_s(const struct f_event *e, double t_s)
{
	return e->row->make == clock_make && t_s >= e->onset_s ? e->size : 0;
}

static void hot_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	e->zones = UINT32_MAX;
	e->size = (w->at.hard ? 1.4 : 1) * f_between(dice, 2, 5);
	e->end_s = e->onset_s + fmin(12 * 3600, f_between(dice, 0.2, 0.4) *
				     w->length_s);
}

static double hot_heat(const struct f_event *e, double t_s)
{
	double part = (t_s - e->onset_s) / (e->end_s - e->onset_s);

	return part < 1 ? e->size * sin(M_PI * part) : 0;
}

static void phase_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	lasts(w, e, dice, 120, 30000);
	e->size = f_chance(dice, 0.65) ? f_between(dice, 0.7, 0.95)
				       : f_log_between(dice, 0.002, 0.05);
}

/* All links do as the job does; before that, and after, each has its own. */
static void phase_act(const struct f_event *e, const struct f_moment *m,
		      struct f_effect *x)
{
	(void)m;
	x->load = e->size;
}

static void away_traffic_make(struct world *w, struct f_event *e,
			      uint64_t *dice)
{
	lasts(w, e, dice, 200, 14400);
	e->size = 0.004;
	tell(w, e->onset_s, WORLD_TSA, WORLD_ALL_PORTS);
	tell(w, e->end_s, WORLD_TSB, WORLD_ALL_PORTS);
}

/* Only the ports to so many of the other switches. */
static void peers_keep(const struct world *w, struct f_event *e, uint64_t *dice,
		       unsigned count)
{
	unsigned first = f_pick(dice, w->peers);
	uint64_t kept = 0;

	for (unsigned i = 0; i < w->at.ports; i++)
		if ((w->state[i].peer + w->peers - first) % w->peers < count)
			kept |= UINT64_C(1) << i;
	e->ports &= kept;
}

static void peer_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	peers_keep(w, e, dice, 1);
	lasts(w, e, dice, 120, 3600);
	e->reason = f_chance(dice, 0.75) ? DOWN_RX_LOS : DOWN_MAC_REMOTE_FAULT;
}

static void rack_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	peers_keep(w, e, dice, 2 + f_pick(dice, 3));
	lasts(w, e, dice, 90, 7200);
	e->reason = DOWN_RX_LOS;
}

/* They go in the same second and come back one after the other. */
static void peer_act(const struct f_event *e, const struct f_moment *m,
		     struct f_effect *x)
{
	uint64_t mine = e->dice + m->port;
	double early_s = 0.1 * (e->end_s - e->onset_s) * f_uniform(&mine);

	if (m->t_s > e->end_s - early_s)
		return;
	x->down = true;
	x->dark |= e->reason == DOWN_RX_LOS;
	x->reason = e->reason;
}

static void drained_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	peers_keep(w, e, dice, 1);
	lasts(w, e, dice, 200, 30000);
	e->size = 0.003;
}

const struct f_row f_wide_rows[] = {
	{ .what = "reboot", .benign = true, .lasting = true,
	  .make = reboot_make, .act = reboot_act },
	{ .what = "gap", .benign = true, .make = gap_make, .act = gap_act },
	{ .what = "clock_step", .benign = true, .make = clock_make },
	{ .what = "hot_day", .benign = true, .make = hot_make,
	  .heat = hot_heat },
	{ .what = "load_phase", .benign = true, .make = phase_make,
	  .act = phase_act },
	{ .what = "traffic_away", .benign = true,
	  .make = away_traffic_make, .act = phase_act },
	{ .what = "peer_maintenance", .benign = true, .make = peer_make,
	  .act = peer_act },
	{ .what = "rack_event", .benign = true, .make = rack_make,
	  .act = peer_act },
	{ .what = "neighbour_drained", .benign = true,
	  .make = drained_make, .act = phase_act },
	{ .what = "counters_cleared", .benign = true, .lasting = true,
	  .make = clear_make, .act = clear_act },
	{ 0 },
};
