#include "platform/sim/stress.h"

#include <math.h>
#include <string.h>
#include "petrel/clock.h"
#include "platform/sim/draw.h"

/* What the draws of this file are for, so that none is shared. */
enum { DRAW_LANE = 0x57, DRAW_SPREAD, DRAW_SPIKE, DRAW_BUS, DRAW_MISSING,
       DRAW_DOM };

#define BEND_GRADIENT 0.35	/* of its loss, first to last colour */
#define BEND_SPREAD 0.12	/* the same between parallel fibres */
#define BEND_SHAKE 0.08		/* quick wandering for each dB of loss */
#define LOOSE_BUS_SHARE 0.6	/* spikes that take the bus along */

static double seconds(int64_t ns)
{
	return (double)ns / (double)NS_PER_S;
}

static double age_s(const struct planted *f, const struct moment *m)
{
	return seconds(m->now_ns - f->start_ns);
}

/* How much of its full size a fault has reached: 0 to 1. */
static double grown(const struct planted *f, const struct moment *m)
{
	double ramp_s = f->value[KEY_RAMP], age = age_s(f, m);

	return age >= ramp_s ? 1 : age / ramp_s;
}

static bool begins(const struct planted *f, const struct moment *m)
{
	return f->start_ns > m->before_ns && f->start_ns <= m->now_ns;
}

static uint64_t key_of(const struct planted *f, const struct moment *m,
		       unsigned what, uint64_t more)
{
	return draw_key(m->seed ^ f->line, what, m->port, more);
}

/* True with the fault's share, drawn anew for each step. */
static bool struck(const struct planted *f, const struct moment *m,
		   unsigned what)
{
	return key_unit(key_of(f, m, what, (uint64_t)m->now_ns)) <
		f->value[KEY_SHARE];
}

/* Whether a lane of the port, from 0, is one of the fault's. */
static bool lane_struck(const struct planted *f, const struct moment *m,
			unsigned lane)
{
	unsigned count = (unsigned)f->value[KEY_LANES], first;

	if (f->lane != 0)
		return lane == f->lane - 1;
	if (count >= m->lanes)
		return true;
	first = (unsigned)(key_unit(key_of(f, m, DRAW_LANE, 0)) * m->lanes);
	return (lane + m->lanes - first) % m->lanes < count;
}

static void lanes_add(const struct planted *f, const struct moment *m,
		      double amount, double lane[PLANT_LANES_MAX])
{
	for (unsigned i = 0; i < m->lanes; i++)
		if (lane_struck(f, m, i))
			lane[i] += amount;
}

/* Of two growths on a lane the worse one counts. */
static void add_growth(struct stress *s, const struct planted *f,
		       const struct moment *m)
{
	for (unsigned i = 0; i < m->lanes; i++) {
		if (!lane_struck(f, m, i))
			continue;
		s->grow_to[i] = fmax(s->grow_to[i], f->value[KEY_TO]);
		s->grow[i] = fmax(s->grow[i], grown(f, m));
	}
}

/* Dirt takes light on the way in. */
static void add_dirty(struct stress *s, const struct planted *f,
		      const struct moment *m)
{
	lanes_add(f, m, f->value[KEY_LOSS] * grown(f, m), s->path_db);
}

/* Loss by bending grows with the wavelength; parallel fibres in a ribbon lie
 * on slightly different radii.
 */
static void add_bend(struct stress *s, const struct planted *f,
		     const struct moment *m)
{
	double loss = f->value[KEY_LOSS] * grown(f, m);

	for (unsigned i = 0; i < m->lanes; i++) {
		double place = m->lanes > 1 ?
			(double)i / (m->lanes - 1) - 0.5 : 0;
		double spread = key_unit(key_of(f, m, DRAW_SPREAD, i)) - 0.5;

		s->path_db[i] += loss *
			(1 + (m->wavelengths ? BEND_GRADIENT * place :
			      2 * BEND_SPREAD * spread));
	}
	s->shake_db += BEND_SHAKE * loss;
}

/* Our own laser: the far receiver suffers, ours does not. */
static void add_tx_decay(struct stress *s, const struct planted *f,
			 const struct moment *m)
{
	lanes_add(f, m, f->value[KEY_BIAS] * grown(f, m), s->bias);
	lanes_add(f, m, f->value[KEY_LOSS] * grown(f, m), s->near_db);
}

static void add_far_decay(struct stress *s, const struct planted *f,
			  const struct moment *m)
{
	lanes_add(f, m, f->value[KEY_LOSS] * grown(f, m), s->far_db);
}

static void add_hot(struct stress *s, const struct planted *f,
		    const struct moment *m)
{
	s->module_k += f->value[KEY_RISE] * grown(f, m);
}

static void add_fan(struct stress *s, const struct planted *f,
		    const struct moment *m)
{
	s->air_k += f->value[KEY_RISE] * grown(f, m);
}

/* One spike in each slot of "every", at a place in it that is drawn. */
static void add_loose(struct stress *s, const struct planted *f,
		      const struct moment *m)
{
	double every = f->value[KEY_EVERY], last = f->value[KEY_LAST];
	double age = age_s(f, m), slot = floor(age / every), room, begin;

	room = fmax(every - last, 0);
	begin = room * key_unit(key_of(f, m, DRAW_SPIKE, (uint64_t)slot));
	age -= slot * every;
	if (age < begin || age >= begin + last)
		return;
	s->decades += f->value[KEY_DECADES];
	if (key_unit(key_of(f, m, DRAW_BUS, (uint64_t)slot)) < LOOSE_BUS_SHARE)
		s->dom_garbage = true;
}

static void add_burst(struct stress *s, const struct planted *f,
		      const struct moment *m)
{
	(void)m;	/* bursts come at the same rate all the time */
	s->burst_rate_hz += f->value[KEY_RATE];
	s->burst_tail = fmax(s->burst_tail, f->value[KEY_TAIL]);
}

static void add_group(struct stress *s, const struct planted *f,
		      const struct moment *m)
{
	s->droop_v += f->value[KEY_DROOP] * grown(f, m) / 1000;
	s->decades += f->value[KEY_DECADES] * grown(f, m);
}

/* How many of the flap's drops have begun by a time. */
static double drops_until(const struct planted *f, int64_t t_ns)
{
	double n;

	if (t_ns < f->start_ns)
		return 0;
	n = floor(seconds(t_ns - f->start_ns) / f->value[KEY_EVERY]) + 1;
	return fmin(n, f->value[KEY_COUNT]);
}

static void add_flap(struct stress *s, const struct planted *f,
		     const struct moment *m)
{
	double n = drops_until(f, m->now_ns);

	s->drops += (unsigned)(n - drops_until(f, m->before_ns));
	s->short_drop = true;
	if (age_s(f, m) - (n - 1) * f->value[KEY_EVERY] < f->value[KEY_LAST])
		s->down = PLANT_DOWN_REMOTE;
}

static void add_down(struct stress *s, const struct planted *f,
		     const struct moment *m)
{
	(void)m;	/* from its begin to its end */
	if ((enum fault_reason)f->value[KEY_REASON] == REASON_LIGHT)
		s->dark = true;
	else
		s->down = PLANT_DOWN_REMOTE;
}

static void add_shut(struct stress *s, const struct planted *f,
		     const struct moment *m)
{
	(void)f;
	(void)m;
	s->down = PLANT_DOWN_ADMIN;
}

static void add_pull(struct stress *s, const struct planted *f,
		     const struct moment *m)
{
	(void)f;
	(void)m;
	s->module_gone = true;
}

/* The cage is empty for the gap; the other module is drawn when it begins. */
static void add_swap(struct stress *s, const struct planted *f,
		     const struct moment *m)
{
	s->module_gone = true;
	s->swap = s->swap || begins(f, m);
}

static void add_bad_dom(struct stress *s, const struct planted *f,
			const struct moment *m)
{
	s->dom_garbage = s->dom_garbage || struck(f, m, DRAW_DOM);
}

static void add_freeze_dom(struct stress *s, const struct planted *f,
			   const struct moment *m)
{
	(void)f;
	(void)m;
	s->dom_frozen = true;
}

static void add_microburst(struct stress *s, const struct planted *f,
			   const struct moment *m)
{
	(void)m;
	s->microburst_hz += f->value[KEY_RATE];
	s->microburst_peak = fmax(s->microburst_peak, f->value[KEY_PEAK]);
}

static void add_ecn(struct stress *s, const struct planted *f,
		    const struct moment *m)
{
	(void)m;
	s->ecn_share = fmax(s->ecn_share, f->value[KEY_SHARE]);
}

static void add_storm(struct stress *s, const struct planted *f,
		      const struct moment *m)
{
	(void)m;
	s->storm_share = f->value[KEY_SHARE];
	s->storm_priority = (unsigned)f->value[KEY_PRIORITY];
}

static void add_missing(struct stress *s, const struct planted *f,
			const struct moment *m)
{
	s->counters_silent = s->counters_silent || struck(f, m, DRAW_MISSING);
}

static void add_reset(struct stress *s, const struct planted *f,
		      const struct moment *m)
{
	s->reset = s->reset || begins(f, m);
}

static void add_wrap(struct stress *s, const struct planted *f,
		     const struct moment *m)
{
	if (!begins(f, m))
		return;
	s->wrap = true;
	s->wrap_bits = (enum fault_bits)f->value[KEY_BITS];
	s->wrap_left_s = f->value[KEY_LEFT];
}

static void add_load(struct stress *s, const struct planted *f,
		     const struct moment *m)
{
	s->load = f->value[KEY_LOAD];
	s->load_weight = grown(f, m);
}

static void add_diurnal(struct stress *s, const struct planted *f,
			const struct moment *m)
{
	s->air_k += f->value[KEY_SWING] *
		sin(2 * M_PI * age_s(f, m) / f->value[KEY_PERIOD]);
}

/* Counters are cleared at once, and cannot be read until the ports are up. */
static void add_reboot(struct stress *s, const struct planted *f,
		       const struct moment *m)
{
	s->booting = true;
	s->down = PLANT_DOWN_STARTING;
	s->counters_silent = true;
	add_reset(s, f, m);
}

static void (*const effects[FAULT_COUNT])(struct stress *,
					  const struct planted *,
					  const struct moment *) = {
	[FAULT_FEC_GROWTH] = add_growth,
	[FAULT_COPPER_GROWTH] = add_growth,
	[FAULT_DIRTY] = add_dirty,
	[FAULT_BEND] = add_bend,
	[FAULT_TX_DECAY] = add_tx_decay,
	[FAULT_FAR_DECAY] = add_far_decay,
	[FAULT_HOT] = add_hot,
	[FAULT_FAN] = add_fan,
	[FAULT_LOOSE] = add_loose,
	[FAULT_BURST] = add_burst,
	[FAULT_GROUP] = add_group,
	[FAULT_FLAP] = add_flap,
	[FAULT_DOWN] = add_down,
	[FAULT_SHUT] = add_shut,
	[FAULT_PULL] = add_pull,
	[FAULT_SWAP] = add_swap,
	[FAULT_BAD_DOM] = add_bad_dom,
	[FAULT_FREEZE_DOM] = add_freeze_dom,
	[FAULT_MICROBURST] = add_microburst,
	[FAULT_ECN] = add_ecn,
	[FAULT_PFC_STORM] = add_storm,
	[FAULT_MISSING] = add_missing,
	[FAULT_RESET_COUNTERS] = add_reset,
	[FAULT_WRAP] = add_wrap,
	[FAULT_LOAD_PHASE] = add_load,
	[FAULT_DIURNAL] = add_diurnal,
	[FAULT_REBOOT] = add_reboot,
};

uint8_t stress_lanes(const struct planted *f, const struct moment *m)
{
	uint8_t lanes = 0;

	for (unsigned i = 0; i < m->lanes; i++)
		if (f->value[KEY_LANES] < 1 || lane_struck(f, m, i))
			lanes |= (uint8_t)(1u << i);
	return lanes;
}

void stress_init(struct stress *s)
{
	memset(s, 0, sizeof(*s));
}

void stress_add(struct stress *s, const struct planted *f,
		const struct moment *m)
{
	effects[f->kind](s, f, m);
}
