/* Plant B: a switch of 32 to 64 links of 100 to 800 Gb/s in a hall.
 *
 * What it rests on, and where each is written down:
 *   eye, noise, light      b_optics.c   Gaussian noise at PAM4 levels (IEEE
 *                                       802.3 clauses 120, 124, 151), shares of
 *                                       thermal, shot and signal's own noise
 *                                       (Agrawal, Fiber-Optic Communication
 *                                       Systems, chapter 4)
 *   codewords              b_fec.c      RS(544,514), RS(528,514): IEEE 802.3
 *                                       clauses 91 and 119; compound binomial
 *   light, bias, floors    b_media.c    light by IEEE 802.3 and OIF 400ZR,
 *                                       the rest chosen
 *   heat, slow noise       b_heat.c, b_build.c, b_live.c
 *   laws of growth         b_law.c      Telcordia GR-468 and texts on ageing;
 *                                       half of them chosen
 *   faults                 b_faults.c   bend loss by ITU-T G.657; the rest by
 *                                       what each name of
 *                                       petrel-signatures(7) means
 *   strange, benign        b_strange.c, b_benign.c    chosen
 *   monitors               b_monitor.c  CMIS 5, SFF-8636, SONiC's roundings
 *   counters               b_count.c    IEEE 802.3 clause 119.2.5.3
 * Whatever has no source beside it is chosen. Standards, papers and books are
 * named from memory and were not opened for this: take the figures as plausible
 * ones of that origin, not as quotations.
 *
 * It is written without knowledge of any detector.
 */
#include "tests/judge/world.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/judge/b_build.h"
#include "tests/judge/b_heat.h"
#include "tests/judge/b_live.h"
#include "tests/judge/b_monitor.h"
#include "tests/judge/b_plan.h"
#include "tests/judge/b_read.h"

#define FIRST_OCTAVE_S 20.0
#define OCTAVE_STEP 8.0		/* 20 s to a day */
#define RX_FIRST_S 400.0
#define RX_STEP 60.0

/* How much of slow noise stays over a tick, and how much comes anew. */
static void noise_set(double tick_s, double time_s, double *ret_keep,
		      double *ret_kick)
{
	*ret_keep = exp(-tick_s / time_s);
	*ret_kick = sqrt(-expm1(-2 * tick_s / time_s));
}

static void paces_set(struct world *w)
{
	bool is_slow = w->c.pace == PACE_SLOW;

	w->tick_s = is_slow ? 60 : 1;
	w->tick_ns = (int64_t)w->tick_s * B_SECOND_NS;
	w->dom_every = is_slow ? 1 : 10;
	w->dom_lag = !w->c.hard ? 0 : is_slow ? 1 : 6;
	for (unsigned i = 0; i < B_OCTAVES; i++)
		noise_set(w->tick_s, FIRST_OCTAVE_S * pow(OCTAVE_STEP, i),
			  &w->drift_keep[i], &w->drift_kick[i]);
	for (unsigned i = 0; i < B_RX_OCTAVES; i++)
		noise_set(w->tick_s, RX_FIRST_S * pow(RX_STEP, i),
			  &w->rx_keep[i], &w->rx_kick[i]);
}

/* Ports are up and warm when the case begins; slow noise is in its course. */
static void ports_start(struct world *w)
{
	for (unsigned i = 0; i < w->c.ports; i++) {
		struct b_port *p = &w->port[i];

		for (unsigned j = 0; j < B_OCTAVES; j++)
			p->q_drift_db[j] = p->drift_db *
					   b_draw_normal(&p->draw);
		for (unsigned j = 0; j < p->lanes * B_RX_OCTAVES; j++)
			p->lane[j / B_RX_OCTAVES]
				.rx_drift_db[j % B_RX_OCTAVES] =
				p->rx_drift_db * b_draw_normal(&p->draw);
		p->is_up = true;
		p->temp_c += w->air_k[p->zone];
	}
}

/* What stands before the first tick is no fall. */
static void states_start(struct world *w)
{
	for (unsigned i = 0; i < w->plan_count; i++)
		for (unsigned j = 0; j < w->c.ports; j++) {
			struct b_effect e = { 0 };

			if (w->plan[i].onset_ns || !(w->plan[i].ports >> j & 1))
				continue;
			b_effect_add(&e, &w->plan[i], 0, 0);
			if (!e.down)
				continue;
			w->port[j].is_up = false;
			w->port[j].falls = 0;
			memset(&w->port[j].counts, 0,
			       sizeof(w->port[j].counts));
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
	b_draw_init(&w->draw, b_hash(c->seed, 0xb));
	b_eye_init(&w->eye);
	paces_set(w);
	b_heat_build(w);
	b_build(w);
	b_plan(w);
	b_monitor_sensors_build(w);
	b_heat_step(w);
	ports_start(w);
	states_start(w);
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
	return w->plan_count;
}

static void event_add(struct world *w, const struct b_happening *h, int event,
		      int64_t t_ns)
{
	bool is_due = event && t_ns <= w->now_ns &&
		      t_ns > w->now_ns - w->tick_ns;

	if (!is_due || w->event_count == B_EVENTS_MAX)
		return;
	w->event[w->event_count++] = (struct world_event){
		.t_ns = t_ns,
		.kind = (enum world_event_kind)(event - 1),
		.port = h->kind->scope == B_SWITCH ? WORLD_ALL_PORTS :
			(uint32_t)__builtin_ctzll(h->ports),
	};
}

static void switch_step(struct world *w)
{
	struct b_effect e = { 0 };

	for (unsigned i = 0; i < w->plan_count; i++)
		if (w->plan[i].kind->scope == B_SWITCH)
			b_effect_add(&e, &w->plan[i], w->now_ns, w->now_ns);
	w->clock_ns = e.clock_ns;
	w->event_count = 0;
	for (unsigned i = 0; i < w->plan_count; i++) {
		const struct b_happening *h = &w->plan[i];

		event_add(w, h, h->kind->event, h->onset_ns);
		event_add(w, h, h->kind->event_at_end, h->end_ns);
	}
}

static bool plant_next(struct world *w)
{
	if (w->now_ns + w->tick_ns > w->c.length_ns)
		return false;
	w->now_ns += w->tick_ns;
	w->tick++;
	switch_step(w);
	b_heat_step(w);
	b_monitor_sensors_step(w);
	for (unsigned i = 0; i < w->c.ports; i++) {
		struct b_port *p = &w->port[i];

		b_live_step(w, p);
		b_monitor_step(w, p);
		b_read_step(w, p);
	}
	return true;
}

static bool plant_read(struct world *w, unsigned port,
		       struct world_reading *ret)
{
	return port < w->c.ports && b_read_get(&w->port[port], ret);
}

static size_t plant_sensors(const struct world *w,
			    const struct world_sensor **ret)
{
	*ret = w->sensor;
	return w->sensor_count;
}

static size_t plant_events(const struct world *w,
			   const struct world_event **ret)
{
	*ret = w->event;
	return w->event_count;
}

static double plant_log_ber(const struct world *w, unsigned port)
{
	const struct b_port *p = &w->port[port];

	return log10(p->mean_ber + b_live_burst_ber(p, &p->effect));
}

static double plant_loss(const struct world *w, unsigned port)
{
	const struct b_port *p = &w->port[port];
	double ber[WORLD_LANES_MAX];

	if (!p->is_up)
		return 0;
	for (unsigned i = 0; i < p->lanes; i++)
		ber[i] = p->lane[i].ber;
	return b_live_loss(p, ber) +
	       b_live_burst_loss_per_s(p, &p->effect) / p->codewords_per_s;
}

static int64_t plant_now_ns(const struct world *w)
{
	return w->now_ns;
}

const struct plant_model plant_b = {
	.name = "b",
	.laws = b_law_names,
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
