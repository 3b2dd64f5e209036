#include "platform/sim/stress.h"

#include <math.h>
#include "petrel/clock.h"
#include "platform/sim/draw.h"

/* Purposes of the draws in this file, so that none is shared. */
enum { DRAW_LANE = 0x57, DRAW_SPREAD, DRAW_SPIKE, DRAW_BUS, DRAW_MISSING,
       DRAW_DOM };

#define BEND_GRADIENT 0.35	/* of its loss, first to last wavelength */
#define BEND_SPREAD 0.12	/* the same between parallel fibres */
#define BEND_SHAKE 0.08		/* fast drift per dB of loss */
#define LOOSE_BUS_SHARE 0.6	/* spikes that also disturb the bus */
#define LOOSE_BURSTS_HZ 20	/* while the contact is open … */
#define LOOSE_BURST_TAIL 0.95	/* … half of which FEC cannot correct */

static double seconds(int64_t ns)
{
	return (double)ns / (double)NS_PER_S;
}

static double age_s(const struct planted *f, const struct moment *m)
{
	return seconds(m->now_ns - f->start_ns);
}

/* The share of its full size that a fault has reached: 0 to 1. */
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

/* True with the fault's probability, drawn for each step. */
static bool struck(const struct planted *f, const struct moment *m,
		   unsigned what)
{
	return key_unit(key_of(f, m, what, (uint64_t)m->now_ns)) <
		f->value[KEY_SHARE];
}

/* Does the fault affect that lane of the port (from 0)? */
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

/* One spike in each slot of "every", at a random time in it. */
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
	s->burst_rate_hz += LOOSE_BURSTS_HZ;
	s->burst_tail = fmax(s->burst_tail, LOOSE_BURST_TAIL);
	if (key_unit(key_of(f, m, DRAW_BUS, (uint64_t)slot)) < LOOSE_BUS_SHARE)
		s->dom_garbage = true;
}

/* The number of the flap's drops that have begun by a time. */
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
	(void)m;	/* from its start to its end */
	if ((enum fault_reason)f->value[KEY_REASON] == REASON_LIGHT)
		s->dark = true;
	else
		s->down = PLANT_DOWN_REMOTE;
}

/* The cage is empty for the gap; the other module is drawn as it begins. */
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

/* Effects that are not a row below. */
static void (*const effects[FAULT_COUNT])(struct stress *,
					  const struct planted *,
					  const struct moment *) = {
	[FAULT_FEC_GROWTH] = add_growth,
	[FAULT_COPPER_GROWTH] = add_growth,
	[FAULT_BEND] = add_bend,
	[FAULT_LOOSE] = add_loose,
	[FAULT_FLAP] = add_flap,
	[FAULT_DOWN] = add_down,
	[FAULT_SWAP] = add_swap,
	[FAULT_BAD_DOM] = add_bad_dom,
	[FAULT_PFC_STORM] = add_storm,
	[FAULT_MISSING] = add_missing,
	[FAULT_RESET_COUNTERS] = add_reset,
	[FAULT_WRAP] = add_wrap,
	[FAULT_LOAD_PHASE] = add_load,
	[FAULT_DIURNAL] = add_diurnal,
	[FAULT_REBOOT] = add_reboot,
};

/* The effect of a key's value: it adds up, or the largest counts; scaled by the
 * growth of the fault; on the affected lanes.
 */
enum { GROWS = 1, LARGEST = 2, OF_LANES = 4 };

static const struct effect {
	enum fault_kind kind;
	enum fault_key key;
	size_t at;			/* a double of struct stress, or some */
	unsigned how;
	double unit;			/* of the key's value */
} rows[] = {
#define AT(field) offsetof(struct stress, field)
	/* Dirt weakens the light on its way in. */
	{ FAULT_DIRTY, KEY_LOSS, AT(path_db), GROWS | OF_LANES, 1 },
	/* Our own laser: the far receiver is affected, not ours. */
	{ FAULT_TX_DECAY, KEY_BIAS, AT(bias), GROWS | OF_LANES, 1 },
	{ FAULT_TX_DECAY, KEY_LOSS, AT(near_db), GROWS | OF_LANES, 1 },
	{ FAULT_FAR_DECAY, KEY_LOSS, AT(far_db), GROWS | OF_LANES, 1 },
	{ FAULT_HOT, KEY_RISE, AT(module_k), GROWS, 1 },
	{ FAULT_FAN, KEY_RISE, AT(air_k), GROWS, 1 },
	{ FAULT_BURST, KEY_RATE, AT(burst_rate_hz), 0, 1 },
	{ FAULT_BURST, KEY_TAIL, AT(burst_tail), LARGEST, 1 },
	{ FAULT_GROUP, KEY_DROOP, AT(droop_v), GROWS, 1000 },
	{ FAULT_GROUP, KEY_DECADES, AT(decades), GROWS, 1 },
	{ FAULT_MICROBURST, KEY_RATE, AT(microburst_hz), 0, 1 },
	{ FAULT_MICROBURST, KEY_PEAK, AT(microburst_peak), LARGEST, 1 },
	{ FAULT_ECN, KEY_SHARE, AT(ecn_share), LARGEST, 1 },
};

static void row_add(struct stress *s, const struct effect *e,
		    const struct planted *f, const struct moment *m)
{
	double *to = (void *)((char *)s + e->at);
	double amount = f->value[e->key];
	unsigned count = e->how & OF_LANES ? m->lanes : 1;

	if (e->how & GROWS)
		amount = amount * grown(f, m) / e->unit;
	for (unsigned i = 0; i < count; i++) {
		if (e->how & OF_LANES && !lane_struck(f, m, i))
			continue;
		to[i] = e->how & LARGEST ? fmax(to[i], amount) :
					   to[i] + amount;
	}
}

uint8_t stress_lanes(const struct planted *f, const struct moment *m)
{
	uint8_t lanes = 0;

	for (unsigned i = 0; i < m->lanes; i++)
		if (f->value[KEY_LANES] < 1 || lane_struck(f, m, i))
			lanes |= (uint8_t)(1u << i);
	return lanes;
}

void stress_add(struct stress *s, const struct planted *f,
		const struct moment *m)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].kind == f->kind)
			row_add(s, &rows[i], f, m);
	if (effects[f->kind])
		effects[f->kind](s, f, m);
	s->module_gone = s->module_gone || f->kind == FAULT_PULL;
	s->dom_frozen = s->dom_frozen || f->kind == FAULT_FREEZE_DOM;
	if (f->kind == FAULT_SHUT)
		s->down = PLANT_DOWN_ADMIN;
}
