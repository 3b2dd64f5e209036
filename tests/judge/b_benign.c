/* What befalls healthy ports and switches, and is no fault. Lengths of works
 * on a port are chosen: seconds to half an hour.
 */
#include "tests/judge/b_effect.h"

#include <math.h>

#define STEP_S(h) ((h)->pace == PACE_SLOW ? 60.0 : 1.0)

static void shut(const struct b_moment *m, struct b_effect *e)
{
	(void)m;
	e->down = e->admin_down = true;
	e->reason = DOWN_ADMIN;
}

static void peer_reboots(const struct b_moment *m, struct b_effect *e)
{
	double whole_s = (double)(m->h->end_ns - m->h->onset_ns) / 1e9;

	e->down = true;
	e->is_dark = m->s > 0.1 * whole_s && m->s < 0.7 * whole_s;
	e->reason = e->is_dark ? DOWN_RX_LOS : DOWN_MAC_REMOTE_FAULT;
}

/* All of them within seconds, each at its own. */
static void rack(const struct b_moment *m, struct b_effect *e)
{
	e->down = e->is_dark = true;
	e->reason = m->s < 2 * STEP_S(m->h) ? DOWN_UNKNOWN : DOWN_RX_LOS;
}

static void warms_up(const struct b_moment *m, struct b_effect *e)
{
	double gone_s = b_effect_own(m->h, 0, 20, 60);

	if (m->s < gone_s) {
		e->down = e->absent = true;
		e->reason = DOWN_NO_MODULE;
	}
	e->heat_k -= m->h->size * exp(-fmax(m->s - gone_s, 0) /
				      b_effect_own(m->h, 1, 120, 400));
}

static void swap(const struct b_moment *m, struct b_effect *e)
{
	if (m->s < m->h->size) {
		e->down = e->absent = true;
		e->reason = DOWN_NO_MODULE;
		return;
	}
	b_effect_module(m->h, e);
	e->heat_k -= 12 * exp(-(m->s - m->h->size) / 250);
}

static void counters_anew(const struct b_moment *m, struct b_effect *e)
{
	e->epoch += m->h->seed | 1;
}

static void anew_by_fall(const struct b_moment *m, struct b_effect *e)
{
	counters_anew(m, e);
	e->falls = m->s < STEP_S(m->h);
	e->down = m->s < m->h->size;
	e->reason = DOWN_MAC_LOCAL_FAULT;
}

static void clock_steps(const struct b_moment *m, struct b_effect *e)
{
	double sign = b_effect_own(m->h, 0, -1, 1) < 0 ? -1 : 1;

	e->clock_ns += (int64_t)(sign * m->h->size * 1e9);
}

static void goes_mute(const struct b_moment *m, struct b_effect *e)
{
	(void)m;
	e->is_mute = true;
}

static void reboots(const struct b_moment *m, struct b_effect *e)
{
	e->epoch += m->h->seed | 1;
	if (m->s < m->h->size) {
		e->is_mute = e->down = true;
		e->reason = DOWN_UNKNOWN;
		e->is_reboot = true;
		return;
	}
	e->heat_k -= 8 * exp(-(m->s - m->h->size) / 300);
}

static void readings_miss(const struct b_moment *m, struct b_effect *e)
{
	e->miss_share = fmax(e->miss_share, m->h->size);
}

static void readings_late(const struct b_moment *m, struct b_effect *e)
{
	e->is_late = b_hash_unit(m->h->seed, (uint64_t)m->t_ns) < 0.2;
}

static void dom_stale(const struct b_moment *m, struct b_effect *e)
{
	(void)m;
	e->dom_is_stale = true;
}

static void dom_still(const struct b_moment *m, struct b_effect *e)
{
	(void)m;
	e->dom_is_still = true;
}

/* One to three readings of all. */
static void dom_garbage(const struct b_moment *m, struct b_effect *e)
{
	e->garbage = (enum b_garbage)(1 + m->h->seed % 3);
}

/* The peer begins, the link is lost, then the port is shut for the test. */
static void prbs(const struct b_moment *m, struct b_effect *e)
{
	e->down = true;
	e->admin_down = m->s > 5 * STEP_S(m->h);
	e->reason = e->admin_down ? DOWN_ADMIN : DOWN_FEC_SYNC_LOSS;
	e->is_deaf = true;
}

static void recabled(const struct b_moment *m, struct b_effect *e)
{
	(void)m;
	e->down = e->is_dark = true;
	e->reason = DOWN_RX_LOS;
}

static void cold(const struct b_moment *m, struct b_effect *e)
{
	e->down = true;
	e->absent = b_effect_own(m->h, 0, 0, 1) < 0.6;
	e->is_dark = true;
	e->reason = e->absent ? DOWN_NO_MODULE : DOWN_RX_LOS;
}

#define ROW(what, scope, media_) what, B_BENIGN, scope, .media = (media_)
const struct b_kind b_benign[] = {
{ ROW("diurnal_heat", B_SWITCH, B_ANY), .from_start = true },
{ ROW("load_phases", B_SWITCH, B_ANY), .from_start = true },
{ ROW("shut", B_PORT, B_ANY), .lasts_s = { 30, 600 }, .apply = shut },
{ ROW("peer_reboot", B_PORT, B_LIGHT), .lasts_s = { 60, 500 },
	.apply = peer_reboots },
{ ROW("recabling", B_PORT, B_ANY), .lasts_s = { 15, 120 },
	.apply = recabled },
{ ROW("warm_up", B_MODULE, B_MONITORED), .size = { 10, 25 },
	.apply = warms_up },
{ ROW("module_swap", B_MODULE, B_ANY), .size = { 20, 150 }, .apply = swap },
{ ROW("counters_cleared", B_PORT, B_ANY), .apply = counters_anew,
	.event = WORLD_COUNTERS_CLEARED + 1 },
{ ROW("counter_reset", B_PORT, B_ANY), .size = { 1, 8 },
	.apply = anew_by_fall },
{ ROW("readings_miss", B_PORT, B_ANY), .size = { 0.2, 0.6 },
	.lasts_s = { 120, 900 }, .apply = readings_miss },
{ ROW("readings_late", B_PORT, B_ANY), .lasts_s = { 120, 900 },
	.apply = readings_late },
{ ROW("dom_stale", B_MODULE, B_MONITORED), .lasts_s = { 120, 1800 },
	.apply = dom_stale },
{ ROW("dom_still", B_MODULE, B_MONITORED), .lasts_s = { 120, 1800 },
	.apply = dom_still },
{ ROW("dom_garbage", B_MODULE, B_MONITORED), .lasts_s = { 10, 30 },
	.apply = dom_garbage },
{ ROW("prbs", B_PORT, B_ANY), .lasts_s = { 60, 600 }, .apply = prbs },
{ ROW("cold_port", B_MODULE, B_ANY), .from_start = true, .apply = cold },
{ ROW("rack", B_RACK, B_ANY), .lasts_s = { 30, 400 }, .apply = rack },
{ ROW("clock_step", B_SWITCH, B_ANY), .size = { 0.3, 90 },
	.apply = clock_steps },
{ ROW("pause", B_SWITCH, B_ANY), .lasts_s = { 10, 240 }, .apply = goes_mute },
{ ROW("reboot", B_SWITCH, B_ANY), .size = { 90, 280 }, .apply = reboots,
	.event = WORLD_RELOAD + 1 },
{ ROW("maintenance", B_SWITCH, B_ANY), .lasts_s = { 120, 900 },
	.event = WORLD_TSA + 1, .event_at_end = WORLD_TSB + 1 },
};
const unsigned b_benign_count = sizeof(b_benign) / sizeof(b_benign[0]);
