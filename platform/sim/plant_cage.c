/* The order of a step:
 *
 *   faults -> stress of each port -> module plugged, heat, supply
 *     for each port: light and noise of its lanes -> bit error ratio
 *       -> link (down, training, up) -> codewords -> traffic and queues
 *       -> counters reset, wrapped, hidden -> the module's own readings
 */
#include "platform/sim/plant_cage.h"

#include <stdio.h>
#include <string.h>
#include "petrel/clock.h"
#include "platform/sim/draw.h"

enum { DRAW_MODULE = 0xca, DRAW_SERIAL, DRAW_WARMTH, DRAW_TRAFFIC,
       DRAW_SUPPLY, DRAW_MONITOR, DRAW_DOM_PHASE, DRAW_LINK, DRAW_FEC,
       DRAW_LOAD, DRAW_DOM, DRAW_COHERENT, DRAW_FIBRE, DRAW_LINE };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define FOUR_LEVELS_FROM_BPS 30e9	/* a lane; below it is NRZ */
#define VCC_V 3.3
#define VCC_NOISE_V 0.002
#define TEMP_NOISE_K 0.05
#define LASER_ABOVE_K 2.5
#define LASER_COOLED_C 50.0
#define TRAINING_S 2.0		/* from a cause's end until the link is up */
#define TRAINING_SPREAD_S 3.0
#define CODEWORD_DATA_OCTETS 642.5
#define INTERLEAVED 2		/* codewords that share a frame's octets */
/* A new module has received the far end's light for a while. */
#define PARTS_BEFORE 8
#define COUNTERS_32 UINT64_C(0xffffffff)

static double seconds(int64_t ns)
{
	return (double)ns / (double)NS_PER_S;
}

static uint64_t key_of(const struct plant_cage *c, unsigned what, uint64_t more)
{
	return draw_key(c->scenario->seed, what, c->number, more);
}

/* A new module: nothing of it depends on the one before. */
static void module_plug(struct plant_cage *c)
{
	const struct scenario *s = c->scenario;
	const struct scenario_port *facts = c->port[0].facts;
	uint64_t serial = key_of(c, DRAW_SERIAL, c->swaps);
	double lane_bps = (double)s->speed_bps / s->lanes;

	optic_draw(&c->optic, facts->media, &facts->ber_log10,
		   lane_bps > FOUR_LEVELS_FROM_BPS || facts->media->coherent,
		   s->drift, key_of(c, DRAW_MODULE, c->swaps));
	fibre_draw(&c->coherent, c->number, key_of(c, DRAW_FIBRE, 0),
		   key_of(c, DRAW_COHERENT, c->swaps));
	(void)snprintf(c->serial, sizeof(c->serial), "PS%010llX",
		       (unsigned long long)(serial & 0xffffffffff));
}

/* A random stream of the port for one purpose in one step, so that a fault that
 * draws more or less from one stream does not affect the others.
 */
static struct draw stream(const struct plant_cage *c, const struct cage_port *p,
			  unsigned what, const struct step *st)
{
	struct draw d;

	draw_init(&d, draw_key(c->scenario->seed, what, p->number,
			       (uint64_t)st->now_ns));
	return d;
}

/* The module's heat comes from the mean load of its ports. */
static double load_of(const struct plant_cage *c, double t_s)
{
	double sum = 0;

	for (size_t i = 0; i < c->port_count; i++)
		sum += traffic_load(&c->port[i].traffic, DIRECTION_OUT,
				    &c->port[i].stress, t_s);
	return sum / (double)c->port_count;
}

void plant_cage_init(struct plant_cage *c, const struct scenario *s,
		     size_t number, struct cage_port *ports, size_t port_count)
{
	memset(c, 0, sizeof(*c));
	c->scenario = s;
	c->number = number;
	c->port = ports;
	c->port_count = port_count;
	for (size_t i = 0; i < port_count; i++) {
		struct cage_port *p = &ports[i];

		p->number = number * s->breakout + i;
		p->facts = &s->port[p->number];
		p->code = code_find(p->facts->fec);
		p->counter_mask = UINT64_MAX;
		p->shown.oper_up = true;
		traffic_draw(&p->traffic, &p->facts->load,
			     seconds(s->phase_ns), s->speed_bps, s->queues,
			     draw_key(s->seed, DRAW_TRAFFIC, p->number, 0));
	}
	warmth_draw(&c->warmth, load_of(c, 0), key_of(c, DRAW_WARMTH, 0));
	module_plug(c);
}

/* Optical lanes of one of its ports. */
static unsigned media_lanes(const struct plant_cage *c)
{
	return c->optic.media->coherent ? 1 : c->scenario->lanes;
}

static void stress_collect(const struct plant_cage *c, struct cage_port *p,
			   const struct step *st)
{
	struct moment m = {
		.now_ns = st->now_ns,
		.before_ns = st->before_ns,
		.port = p->number,
		.lanes = media_lanes(c),
		.wavelengths = c->optic.media->wavelengths,
		.seed = c->scenario->seed,
	};

	p->stress = (struct stress){ 0 };
	for (size_t i = 0; i < st->fault_count; i++)
		if (planted_on(st->fault[i], p->number))
			stress_add(&p->stress, st->fault[i], &m);
}

static void heat_step(struct plant_cage *c, const struct step *st, double dt_s,
		      struct draw *d)
{
	const struct stress *s = &c->port[0].stress;

	warmth_step(&c->warmth, s->booting ? 0 :
		    load_of(c, seconds(st->now_ns)), dt_s);
	c->temp_c = st->room_c + s->air_k + warmth_k(&c->warmth) +
		s->module_k;
	c->vcc_v = VCC_V - s->droop_v + VCC_NOISE_V * draw_rough(d);
}

/* The external cause that keeps the link down, if any. */
static enum plant_down outer_cause(const struct plant_cage *c,
				   const struct cage_port *p)
{
	const struct stress *s = &p->stress;

	if (s->down == PLANT_DOWN_STARTING || s->down == PLANT_DOWN_ADMIN)
		return s->down;
	if (s->module_gone)
		return PLANT_DOWN_NO_MODULE;
	for (unsigned i = 0; i < media_lanes(c); i++)
		if (p->lane[i].rx_los)
			return PLANT_DOWN_NO_LIGHT;
	if (c->optic.media->coherent && fibre_is_lost(p->lane[0].pre_fec_ber))
		return PLANT_DOWN_HIGH_BER;
	/* Copper without a signal has no light to lose. */
	return s->dark ? PLANT_DOWN_NO_LIGHT : s->down;
}

/* Symbols of a codeword are distributed over all lanes, so that it sees their
 * mean BER. A coherent module terminates the switch's FEC and has its own.
 */
static double mean_ber(const struct plant_cage *c, const struct cage_port *p)
{
	double sum = 0;

	if (c->optic.media->coherent)
		return fibre_host_ber(&c->coherent, p->stress.decades);
	for (unsigned i = 0; i < c->scenario->lanes; i++)
		sum += p->lane[i].pre_fec_ber;
	return sum / c->scenario->lanes;
}

/* The link takes a while to come back after the cause has gone. */
static void train(struct cage_port *p, const struct step *st, struct draw *d)
{
	double s = TRAINING_S + TRAINING_SPREAD_S * draw_unit(d);

	p->train_until_ns = st->now_ns + (int64_t)(s * (double)NS_PER_S);
}

static enum plant_down link_state(const struct plant_cage *c,
				  struct cage_port *p, const struct step *st,
				  double dt_s, struct draw *d)
{
	enum plant_down cause = outer_cause(c, p);

	if (cause != PLANT_IS_UP) {
		if (!p->stress.short_drop)
			train(p, st, d);
		return cause;
	}
	if (st->now_ns < p->train_until_ns)
		return p->shown.down;
	if (p->code && p->shown.oper_up &&
	    draw_unit(d) < code_drop_chance(p->code, c->scenario->speed_bps,
					    mean_ber(c, p), dt_s)) {
		train(p, st, d);
		return PLANT_DOWN_HIGH_BER;
	}
	return PLANT_IS_UP;
}

static void link_step(const struct plant_cage *c, struct cage_port *p,
		      const struct step *st, double dt_s)
{
	struct draw d = stream(c, p, DRAW_LINK, st);
	bool was_up = p->shown.oper_up;
	uint64_t edges = p->stress.drops;

	p->shown.down = link_state(c, p, st, dt_s, &d);
	p->shown.oper_up = p->shown.down == PLANT_IS_UP;
	p->shown.admin_up = p->shown.down != PLANT_DOWN_ADMIN;
	if (edges == 0 && was_up && !p->shown.oper_up)
		edges = 1;
	p->shown.link_down_count += edges;
}

/* Frames lost to uncorrectable codewords or, without FEC, to each wrong bit. */
static uint64_t fec_step(const struct plant_cage *c, struct cage_port *p,
			 const struct step *st, double dt_s)
{
	struct draw d = stream(c, p, DRAW_FEC, st);
	struct errors e = {
		.ber = mean_ber(c, p),
		.burst_rate_hz = p->stress.burst_rate_hz,
		.burst_tail = p->stress.burst_tail,
		.dt_s = dt_s,
	};
	double load = traffic_load(&p->traffic, DIRECTION_IN, &p->stress,
				   seconds(st->now_ns));
	double frames;
	struct codewords w;

	if (!p->code)
		return draw_poisson(&d, load * e.ber * dt_s *
				    (double)c->scenario->speed_bps);
	codewords_draw(p->code, c->scenario->speed_bps, &e, &d, &w);
	for (unsigned i = 0; i < p->code->bins; i++)
		p->shown.fec_bins[i] += w.bin[i];
	p->shown.fec_corrected_codewords += w.corrected;
	p->shown.fec_uncorrectable_codewords += w.uncorrectable;
	p->shown.fec_symbol_errors += w.symbols;
	p->shown.fec_corrected_bits += w.bits;
	frames = 1 + INTERLEAVED * CODEWORD_DATA_OCTETS /
		p->traffic.in_frame_octets;
	return draw_poisson(&d, (double)w.uncorrectable * frames * load);
}

static int64_t dom_time(const struct plant_cage *c, int64_t t_ns)
{
	int64_t period = c->scenario->dom_ns, taken;
	/* Modules are read one after the other. */
	int64_t phase = (int64_t)(key_unit(key_of(c, DRAW_DOM_PHASE, 0)) *
				  (double)period);

	taken = (t_ns + phase) / period * period - phase;
	return taken > 0 ? taken : 0;
}

/* What the coherent receiver sees in this step, and in those before it that
 * were not simulated.
 */
static void line_step(struct plant_cage *c, struct cage_port *p,
		      const struct step *st, double dt_s)
{
	struct draw d = stream(c, p, DRAW_LINE, st);
	double ase = optic_ase(&c->optic, 0, p->lane[0].rx_mw);
	int before = c->coherent.shown.bits ? 0 : PARTS_BEFORE;

	if (!c->optic.media->coherent)
		return;
	for (int i = before; i >= 0; i--)
		fibre_step(&c->coherent, &(struct fibre_moment){
			.lane = &p->lane[0],
			.ase = ase,
			.t_s = seconds(st->now_ns) - i,
			.dt_s = dt_s > 0 ? dt_s : 1,
			.monitor = &d,
		});
}

/* The module takes its readings when they are due. */
static void dom_step(struct plant_cage *c, struct cage_port *p,
		     const struct step *st, bool plugged)
{
	struct draw d = stream(c, p, DRAW_DOM, st);
	struct plant_port *q = &p->shown;
	bool due = st->before_ns < 0 || plugged ||
		dom_time(c, st->now_ns) != dom_time(c, st->before_ns);

	if (!due || p->stress.dom_frozen)
		return;
	q->dom_ns = st->now_ns;
	q->dom_readable = !p->stress.dom_garbage;
	q->temp_c = c->temp_c + TEMP_NOISE_K * draw_rough(&d);
	q->vcc_v = c->vcc_v;
	q->laser_temp_c = c->optic.media->cooled ? LASER_COOLED_C :
		c->temp_c + LASER_ABOVE_K;
	memcpy(q->lane, p->lane, sizeof(q->lane));
	if (c->optic.media->coherent)
		fibre_take(&c->coherent);
}

/* An empty cage has no serial, no readings and no light. */
static void presence_step(const struct plant_cage *c, struct cage_port *p)
{
	struct plant_port *q = &p->shown;

	q->present = !p->stress.module_gone;
	if (q->present) {
		memcpy(q->serial, c->serial, sizeof(q->serial));
		return;
	}
	q->serial[0] = '\0';
	q->dom_readable = false;
	memset(q->lane, 0, sizeof(q->lane));
}

/* All counters in a port's state: groups of consecutive counters, and how often
 * each repeats.
 */
static const struct {
	size_t offset, fields, stride, times;
} counters[] = {
	{ offsetof(struct plant_port, link_down_count),
	  (offsetof(struct plant_port, temp_c) -
	   offsetof(struct plant_port, link_down_count)) / sizeof(uint64_t),
	  0, 1 },
	{ offsetof(struct plant_port, queue),
	  offsetof(struct plant_queue, occupancy_octets) / sizeof(uint64_t),
	  sizeof(struct plant_queue), PLANT_QUEUES_MAX },
	{ offsetof(struct plant_port, priority),
	  sizeof(struct plant_priority) / sizeof(uint64_t),
	  sizeof(struct plant_priority), PLANT_PRIORITIES },
};

/* Moves a counter that grew in a step so close to its wrap that it wraps after
 * about steps more; 0: leaves it.
 */
static uint64_t near_wrap(uint64_t now, uint64_t before, uint64_t mask,
			  double steps)
{
	double left = (double)(now - before) * steps;

	return left > 0 && left < (double)mask / 2 ? mask - (uint64_t)left :
						     now;
}

/* Keeps the bits of mask: 0 clears, 32 bits simulate narrower counters. */
static void counters_set(struct plant_port *p, const struct plant_port *before,
			 uint64_t mask, double steps)
{
	for (size_t i = 0; i < COUNT(counters); i++)
		for (size_t n = 0; n < counters[i].times; n++) {
			size_t at = counters[i].offset + n * counters[i].stride;
			uint64_t *now = (void *)((char *)p + at);
			const uint64_t *old = (const void *)
				((const char *)before + at);

			for (size_t f = 0; f < counters[i].fields; f++)
				now[f] = near_wrap(now[f], old[f], mask,
						   steps) & mask;
		}
}

static void counters_step(struct cage_port *p, const struct plant_port *before,
			  double dt_s)
{
	const struct stress *s = &p->stress;

	if (s->wrap) {
		p->counter_mask = s->wrap_bits == BITS_32 ? COUNTERS_32 :
			UINT64_MAX;
		counters_set(&p->shown, before, p->counter_mask,
			     dt_s > 0 ? s->wrap_left_s / dt_s : 0);
	}
	if (s->reset)
		counters_set(&p->shown, before, 0, 0);
	if (p->counter_mask != UINT64_MAX)
		counters_set(&p->shown, before, p->counter_mask, 0);
	p->shown.counters_readable = !s->counters_silent;
}

/* A link's traffic follows the clock's time; bursts are events, and follow the
 * step's own time.
 */
static void traffic_pass(const struct plant_cage *c, struct cage_port *p,
			 const struct step *st, double step_s)
{
	struct draw d = stream(c, p, DRAW_LOAD, st);
	struct stress stress = p->stress;
	double dt_s = step_s / st->pace;
	uint64_t lost;

	stress.microburst_hz *= st->pace;

	if (!p->shown.oper_up || dt_s <= 0) {
		traffic_idle(&p->traffic, &p->shown);
		return;
	}
	lost = fec_step(c, p, st, dt_s);
	traffic_step(&p->traffic, &stress, seconds(st->now_ns), dt_s, lost, &d,
		     &p->shown);
}

static void port_step(struct plant_cage *c, struct cage_port *p,
		      const struct step *st, double dt_s, bool plugged)
{
	unsigned first = (unsigned)(p - c->port) * c->scenario->lanes;
	struct plant_port before = p->shown;
	struct draw d = stream(c, p, DRAW_MONITOR, st);
	struct optic_moment m = {
		.stress = &p->stress,
		.temp_c = c->temp_c,
		.t_s = seconds(st->now_ns),
		.laser_on = !p->stress.booting && !p->stress.module_gone &&
			p->stress.down != PLANT_DOWN_ADMIN,
		.monitor = &d,
	};

	optic_state(&c->optic, first, media_lanes(c), &m, p->lane);
	line_step(c, p, st, dt_s);
	link_step(c, p, st, dt_s);
	presence_step(c, p);
	if (p->shown.present)
		dom_step(c, p, st, plugged);
	traffic_pass(c, p, st, dt_s);
	counters_step(p, &before, dt_s);
}

void plant_cage_step(struct plant_cage *c, const struct step *st)
{
	double dt_s = st->before_ns < 0 ? 0 :
		seconds(st->now_ns - st->before_ns);
	bool was_there = c->port[0].shown.present, plugged;
	struct draw d;

	for (size_t i = 0; i < c->port_count; i++)
		stress_collect(c, &c->port[i], st);
	if (c->port[0].stress.swap) {
		c->swaps++;
		module_plug(c);
	}
	plugged = !was_there && !c->port[0].stress.module_gone;
	draw_init(&d, key_of(c, DRAW_SUPPLY, (uint64_t)st->now_ns));
	heat_step(c, st, dt_s, &d);
	for (size_t i = 0; i < c->port_count; i++)
		port_step(c, &c->port[i], st, dt_s, plugged);
}
