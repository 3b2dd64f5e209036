/* Faults that no name covers, and what is no fault at all.
 *
 * Strangers are what operators and the standards' groups tell of and no
 * signature says: a receiver with too much light, an eye with two states,
 * errors as traffic wakes, as fans shake, at the beat of two clocks, of a bit
 * that is stuck, or on ports that nobody knows to share anything. Lengths of
 * works are chosen; peers take minutes to reboot, racks come back together.
 */
#include "tests/judge/c_kind.h"

#include <math.h>

#include "tests/judge/c_world.h"

static void all_lanes(double *to, double what)
{
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		to[i] += what;
}

static double slowed(const struct c_moment *m, double s)
{
	return m->is_slow ? 25 * s : s;
}

/* --- strangers ----------------------------------------------------------- */

/* Two states; waits in each are exponential, in even slices. */
static void two_states(const struct c_moment *m, struct c_stress *e)
{
	uint64_t slice = (uint64_t)(m->s / slowed(m, 40));

	if (!slice || c_mark_unit(m->h->mark, 0x100 + slice / 2) < 0.5)
		all_lanes(e->shut_db, m->size);
}

/* An attenuator is gone: more light than the amplifier bears. */
static void overload(const struct c_moment *m, struct c_stress *e)
{
	all_lanes(e->lost_db, -m->size);
	all_lanes(e->shut_db, 2 * m->size);
	all_lanes(e->beat, 0.1 * m->size);
}

/* Just after the load comes back from a pause. */
static void wakes(const struct c_moment *m, struct c_stress *e)
{
	double turns = m->s / slowed(m, c_kind_own(m->h, 0, 60, 240));

	if (turns - floor(turns) > 0.2)
		return;
	all_lanes(e->shut_db, m->size);
}

static void shaken(const struct c_moment *m, struct c_stress *e)
{
	double turns = m->s / slowed(m, c_kind_own(m->h, 0, 100, 500));
	double swing = 0.5 - 0.5 * cos(2 * M_PI * turns);

	all_lanes(e->shut_db, m->size * swing * swing);
	e->fade_db += 0.1 * m->size * swing;
}

/* A buffer between two clocks runs full and slips: a saw. */
static void clocks_beat(const struct c_moment *m, struct c_stress *e)
{
	double turns = m->s / slowed(m, c_kind_own(m->h, 0, 45, 300));

	all_lanes(e->shut_db, m->size * (turns - floor(turns)));
}

static void bit_sticks(const struct c_moment *m, struct c_stress *e)
{
	e->single_per_s += m->size;
}

static void follows_load(const struct c_moment *m, struct c_stress *e)
{
	all_lanes(e->shut_db, m->size * fmax(m->load - 0.1, 0));
}

#define STRANGER(word, scope_, media_, low_, high_, apply_) \
	{ .what = word, .class = C_STRANGER, .scope = scope_, \
	  .media = media_, .size = { low_, high_ }, .apply = apply_ }

const struct c_kind c_strangers[] = {
	STRANGER("two_states", C_PORT, C_ANY, 0.8, 2.5, two_states),
	STRANGER("overload", C_PORT, C_PLUGS & C_DIRECT, 1, 3, overload),
	STRANGER("wakes_badly", C_PORT, C_ANY, 0.8, 2.5, wakes),
	STRANGER("shaken", C_PORT, C_LIGHT, 0.8, 2.2, shaken),
	STRANGER("clocks_beat", C_PORT, C_ANY, 0.8, 2.4, clocks_beat),
	STRANGER("bit_sticks", C_PORT, C_DIRECT, 300, 1e5, bit_sticks),
	STRANGER("follows_load", C_PORT, C_ANY, 0.7, 2, follows_load),
	STRANGER("odd_set", C_SCATTERED, C_ANY, 0.7, 2, two_states),
	{ .what = NULL },
};

/* --- benign -------------------------------------------------------------- */

static void lay_all(struct c_port *p, const struct c_happening *h,
		    struct c_outage o)
{
	o.from_ns = h->onset_ns;
	o.to_ns = h->end_ns;
	c_kind_lay(p, h, o);
}

static void shut(struct world *w, const struct c_happening *h,
		 struct c_port *p)
{
	(void)w;
	lay_all(p, h, (struct c_outage){ .reason = DOWN_ADMIN,
					 .is_admin = true, .is_unlit = true });
}

/* Remote faults while it goes down, then dark, then faults again. */
static void peer_reboots(struct world *w, const struct c_happening *h,
			 struct c_port *p)
{
	int64_t whole_ns = h->end_ns - h->onset_ns, dark_ns = whole_ns / 12;
	int64_t back_ns = whole_ns - whole_ns / 6;
	struct c_outage o = { .from_ns = h->onset_ns,
			      .to_ns = h->onset_ns + dark_ns,
			      .reason = DOWN_MAC_REMOTE_FAULT };

	(void)w;
	c_kind_lay(p, h, o);
	c_kind_lay(p, h, (struct c_outage){ .from_ns = o.to_ns,
		.to_ns = h->onset_ns + back_ns, .reason = DOWN_RX_LOS,
		.is_dark = true });
	o.from_ns = h->onset_ns + back_ns;
	o.to_ns = h->end_ns;
	c_kind_lay(p, h, o);
}

/* Each machine has its own seconds until it is dark and until it is back. */
static void rack_dark(struct world *w, const struct c_happening *h,
		      struct c_port *p)
{
	uint64_t own = c_mark(h->mark, p->index);
	int64_t back_ns = (int64_t)(2e11 * c_mark_unit(own, 1));

	(void)w;
	c_kind_lay(p, h, (struct c_outage){
		.from_ns = h->onset_ns + (int64_t)(3e9 * c_mark_unit(own, 0)),
		.to_ns = h->end_ns - (h->end_ns - h->onset_ns > 2 * back_ns ?
				      back_ns : 0),
		.reason = p->row->optical ? DOWN_RX_LOS : DOWN_NO_CARRIER,
		.is_dark = true });
}

static void unplugged(struct world *w, const struct c_happening *h,
		      struct c_port *p)
{
	(void)w;
	lay_all(p, h, (struct c_outage){ .reason = p->row->optical ?
		DOWN_RX_LOS : DOWN_NO_CARRIER, .is_dark = true });
}

static void tested(struct world *w, const struct c_happening *h,
		   struct c_port *p)
{
	struct c_outage o = { .reason = DOWN_FEC_SYNC_LOSS, .is_noisy = true,
			      .from_ns = h->onset_ns };

	(void)w;
	o.to_ns = h->onset_ns + (h->end_ns - h->onset_ns) / 20;
	c_kind_lay(p, h, o);
	c_kind_lay(p, h, (struct c_outage){ .from_ns = o.to_ns,
		.to_ns = h->end_ns, .reason = DOWN_ADMIN, .is_admin = true });
}

static void empty(struct world *w, const struct c_happening *h,
		  struct c_port *p)
{
	bool is_empty = c_mark_unit(h->mark, 0) < 0.6;

	(void)w;
	lay_all(p, h, (struct c_outage){ .reason = is_empty ? DOWN_NO_MODULE :
		DOWN_RX_LOS, .is_dark = true, .is_absent = is_empty });
}

static double gone_s(const struct c_happening *h)
{
	return c_kind_own(h, 1, 15, 90);
}

static void reseated(struct world *w, const struct c_happening *h,
		     struct c_port *p)
{
	(void)w;
	c_kind_lay(p, h, (struct c_outage){ .from_ns = h->onset_ns,
		.to_ns = h->onset_ns + (int64_t)(gone_s(h) * 1e9),
		.reason = DOWN_NO_MODULE, .is_dark = true, .is_absent = true });
}

static void warms_up(const struct c_moment *m, struct c_stress *e)
{
	e->own_k -= m->size * exp(-fmax(m->s - gone_s(m->h), 0) /
				  c_kind_own(m->h, 2, 100, 420));
}

/* A part as good as the one before. */
static void same_part(const struct c_moment *m, struct c_stress *e)
{
	if (m->s < gone_s(m->h))
		return;
	e->part = m->h->mark;
	warms_up(m, e);
	all_lanes(e->lost_db, c_kind_own(m->h, 3, -0.3, 0.3));
}

/* Another cable or panel: a little more or less light from then on. */
static void other_light(const struct c_moment *m, struct c_stress *e)
{
	all_lanes(e->lost_db, m->size * (c_mark_unit(m->h->mark, 4) < 0.5 ?
					 1 : -1));
}

static void counters_anew(const struct c_moment *m, struct c_stress *e)
{
	e->epoch ^= m->h->mark | 1;
}

static void fell_once(struct world *w, const struct c_happening *h,
		      struct c_port *p)
{
	(void)w;
	c_kind_lay(p, h, (struct c_outage){ .from_ns = h->onset_ns,
		.to_ns = h->onset_ns + (int64_t)(h->size * 1e9),
		.reason = DOWN_MAC_LOCAL_FAULT });
}

static void boots(struct world *w, const struct c_happening *h,
		  struct c_port *p)
{
	(void)w;
	c_kind_lay(p, h, (struct c_outage){ .from_ns = h->onset_ns,
		.to_ns = h->onset_ns + (int64_t)((h->size + 10) * 1e9),
		.reason = DOWN_UNKNOWN });
}

static void booting(const struct c_moment *m, struct c_stress *e)
{
	counters_anew(m, e);
	e->is_mute = m->s < m->h->size;
	e->own_k -= 7 * exp(-fmax(m->s - m->h->size, 0) / 350);
}

static void misses(const struct c_moment *m, struct c_stress *e)
{
	e->miss_share = fmax(e->miss_share, m->size);
}

static void comes_late(const struct c_moment *m, struct c_stress *e)
{
	e->is_late = c_mark_unit(m->h->mark, (uint64_t)m->t_ns) < 0.15;
}

static void dom_freezes(const struct c_moment *m, struct c_stress *e)
{
	e->is_frozen = true;
	e->is_stale = c_mark_unit(m->h->mark, 0) < 0.5;
}

static void garbage(const struct c_moment *m, struct c_stress *e)
{
	e->lie = (enum c_lie)(C_LIE_ALL_ONES + m->h->mark % 3);
}

static void clock_steps(const struct c_moment *m, struct c_stress *e)
{
	int64_t step_ns = (int64_t)(m->size * 1e9);

	e->clock_ns += c_mark_unit(m->h->mark, 0) < 0.5 ? step_ns : -step_ns;
}

static void goes_mute(const struct c_moment *m, struct c_stress *e)
{
	(void)m;
	e->is_mute = true;
}

#define BENIGN(word, scope_, media_) \
	.what = word, .class = C_BENIGN, .scope = scope_, .media = media_

const struct c_kind c_benign[] = {
{ BENIGN("day_and_coolers", C_SWITCH, C_ANY), .from_start = true },
{ BENIGN("jobs_pause", C_SWITCH, C_ANY), .from_start = true },
{ BENIGN("shut", C_PORT, C_ANY), .lasts_s = { 20, 900 }, .lay = shut },
{ BENIGN("peer_reboots", C_PORT, C_ANY), .lasts_s = { 90, 600 },
	.lay = peer_reboots },
{ BENIGN("rack_dark", C_RACK, C_ANY), .lasts_s = { 60, 900 },
	.lay = rack_dark },
{ BENIGN("recabled", C_PORT, C_PLUGS), .size = { 0.05, 0.3 },
	.apply = other_light, .lay = reseated },
{ BENIGN("unplugged", C_PORT, C_ANY), .lasts_s = { 10, 200 },
	.lay = unplugged },
{ BENIGN("reseated", C_CAGE, C_MONITORED), .size = { 8, 24 },
	.apply = warms_up, .lay = reseated },
{ BENIGN("swapped_alike", C_CAGE, C_ANY), .size = { 6, 20 }, .apply = same_part,
	.lay = reseated },
{ BENIGN("prbs", C_PORT, C_ANY), .lasts_s = { 60, 900 }, .lay = tested },
{ BENIGN("empty_or_dark", C_CAGE, C_ANY), .from_start = true, .lay = empty },
{ BENIGN("counters_cleared", C_PORT, C_ANY), .apply = counters_anew,
	.event = WORLD_COUNTERS_CLEARED + 1 },
{ BENIGN("counters_reset", C_PORT, C_ANY), .size = { 0.5, 9 },
	.apply = counters_anew, .lay = fell_once },
{ BENIGN("rows_miss", C_PORT, C_ANY), .size = { 0.1, 0.7 },
	.lasts_s = { 100, 1200 }, .apply = misses },
{ BENIGN("rows_late", C_PORT, C_ANY), .lasts_s = { 100, 1200 },
	.apply = comes_late },
{ BENIGN("dom_freezes", C_CAGE, C_MONITORED), .lasts_s = { 180, 2400 },
	.apply = dom_freezes },
{ BENIGN("dom_garbage", C_CAGE, C_MONITORED), .lasts_s = { 8, 70 },
	.apply = garbage },
{ BENIGN("clock_steps", C_SWITCH, C_ANY), .size = { 0.2, 120 },
	.apply = clock_steps },
{ BENIGN("source_pauses", C_SWITCH, C_ANY), .lasts_s = { 10, 300 },
	.apply = goes_mute },
{ BENIGN("switch_boots", C_SWITCH, C_ANY), .size = { 80, 300 },
	.apply = booting, .lay = boots, .event = WORLD_RELOAD + 1 },
{ BENIGN("neighbour_drained", C_SWITCH, C_ANY), .lasts_s = { 120, 1500 },
	.event = WORLD_TSA + 1, .event_at_end = WORLD_TSB + 1 },
{ .what = NULL },
};
