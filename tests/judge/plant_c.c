/* Plant C: a switch of one of six roles, in a hall with coolers and jobs.
 *
 * It was written after A and B, by somebody who had seen neither the detectors
 * nor what they find, and shares nothing with the other two but world.h:
 *
 *   lanes      c_eye.c     a receiver's noise by amplifier, shot and beat
 *   codewords  c_eye.c     Poisson events with geometric runs (Polya, Aeppli);
 *                          400ZR's line apart from its host's counters
 *   media      c_media.c   IEEE 802.3, 400ZR, data sheets; roles of switches
 *   noise      c_life.c    telegraph traps, and kicks of heavy tails
 *   heat       c_air.c     day, coolers, jobs; another day at the far end
 *   laws       c_law.c     ten of them
 *   faults     c_faults.c, c_others.c
 *   readings   c_show.c    sweeps of 10 s to 5 minutes, counters each 1 to 60 s
 *   truth      c_truth.c
 * Each file's head says what stands on a source and what is chosen. Papers and
 * standards are named from memory but for what data sheets and public pages
 * gave (launch powers of LR4, limits of 400ZR, T0 of lasers, sweeps of SONiC).
 */
#include "tests/judge/world.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tests/judge/c_world.h"

/* Ports are up and warm, noise is in its course; what is down is no fall. */
static void ports_start(struct world *w)
{
	for (unsigned i = 0; i < w->c.ports; i++) {
		struct c_port *p = &w->port[i];

		p->is_up = true;
		p->temp_c += w->air_k[p->zone];
		for (unsigned j = 0; j < C_TRAPS; j++)
			p->trap[j] = c_chance_unit(&p->chance) < 0.5;
		for (unsigned j = 0; j < p->lanes; j++)
			p->lane[j].rx_sway_db = p->row->optical ? p->sway_db *
				c_chance_normal(&p->chance) : 0;
		for (unsigned j = 0; j < p->outages; j++)
			p->is_up &= p->outage[j].from_ns > 0;
		for (unsigned j = 0; j < p->lanes; j++)
			p->lane[j].light_dbm = p->lane[j].rx_dbm;
	}
}

static int plant_open(const struct world_case *c, struct world **ret)
{
	struct world *w;

	if (!c->ports || c->ports > WORLD_PORTS_MAX || c->length_ns <= 0 ||
	    (unsigned)c->pace >= PACE_COUNT || (unsigned)c->mix >= MIX_COUNT)
		return -EINVAL;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->c = *c;
	c_chance_init(&w->chance, c->seed, 0xc);
	c_build(w);
	c_air_build(w);
	w->load = 1;
	c_plan(w);
	c_air_step(w);
	c_air_sensors(w);
	ports_start(w);
	*ret = w;
	return 0;
}

static void plant_close(struct world *w)
{
	free(w);
}

static const struct world_port *plant_ports(const struct world *w)
{
	return w->row;
}

static size_t plant_truths(const struct world *w, const struct truth **ret)
{
	*ret = w->truth;
	return w->plans;
}

static void event_add(struct world *w, const struct c_happening *h, int event,
		      int64_t t_ns)
{
	if (!event || t_ns > w->now_ns || t_ns <= w->now_ns - w->tick_ns ||
	    w->events == C_EVENTS_MAX)
		return;
	w->event[w->events++] = (struct world_event){
		.t_ns = t_ns, .kind = (enum world_event_kind)(event - 1),
		.port = h->kind->scope == C_SWITCH ? WORLD_ALL_PORTS :
			(uint32_t)__builtin_ctzll(h->ports),
	};
}

/* What befalls the switch itself: its clock, and what it is told. */
static void switch_step(struct world *w)
{
	struct c_stress e = { 0 };

	w->events = 0;
	for (unsigned i = 0; i < w->plans; i++) {
		const struct c_happening *h = &w->plan[i];

		if (h->kind->scope == C_SWITCH)
			c_kind_add(&e, h, w->now_ns, w->load, w->is_slow);
		event_add(w, h, h->kind->event, h->onset_ns);
		event_add(w, h, h->kind->event_at_end, h->end_ns);
	}
	w->clock_ns = e.clock_ns;
}

static bool plant_next(struct world *w)
{
	if (w->now_ns + w->tick_ns > w->c.length_ns)
		return false;
	w->now_ns += w->tick_ns;
	switch_step(w);
	c_air_step(w);
	c_air_sensors(w);
	for (unsigned i = 0; i < w->c.ports; i++) {
		c_life_step(w, &w->port[i]);
		c_show_step(w, &w->port[i]);
	}
	return true;
}

static bool plant_read(struct world *w, unsigned port,
		       struct world_reading *ret)
{
	return port < w->c.ports && c_show_get(&w->port[port], ret);
}

static size_t plant_sensors(const struct world *w,
			    const struct world_sensor **ret)
{
	*ret = w->sensor;
	return w->sensors;
}

static size_t plant_events(const struct world *w,
			   const struct world_event **ret)
{
	*ret = w->event;
	return w->events;
}

static double plant_log_ber(const struct world *w, unsigned port)
{
	const struct c_port *p = &w->port[port];

	return log10(p->mean_ber + c_life_burst_ber(p, &p->stress));
}

static double plant_loss(const struct world *w, unsigned port)
{
	const struct c_port *p = &w->port[port];

	return p->is_up ? c_life_loss(p, p->mean_ber) +
			  c_life_burst_loss_per_s(p, &p->stress) /
			  p->words_per_s : 0;
}

static int64_t plant_now_ns(const struct world *w)
{
	return w->now_ns;
}

const struct plant_model plant_c = {
	.name = "c",
	.laws = c_law_names,
	.open = plant_open,
	.close = plant_close,
	.ports = plant_ports,
	.truths = plant_truths,
	.next = plant_next,
	.read = plant_read,
	.sensors = plant_sensors,
	.events = plant_events,
	.true_log_ber = plant_log_ber,
	.true_codeword_loss = plant_loss,
	.now_ns = plant_now_ns,
};
