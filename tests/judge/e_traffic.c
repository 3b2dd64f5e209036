/* What a port carries. Load has a day, a long memory and heavy tails; that of
 * training jobs beats.
 */
#include <math.h>

#include "tests/judge/e_world.h"

#define DAY_S 86400.0
#define MARK_FROM 0.75		/* of the line: queues mark frames */
#define BUFFER_OCTETS 16e6
#define LOSSLESS_PRIORITY 3
#define HEADER_OCTETS 20	/* preamble and gap */

/* Share of the tick in which a job sends; late: its straggler's wait. */
static double beat(const struct e_port *p, double t_s, double dt_s,
		   double stretch)
{
	double period = p->beat_s, at;
	uint64_t key;

	if (period <= 0)
		return 1;
	period *= stretch;
	if (dt_s >= period)
		return 1 / stretch;
	at = t_s / period;
	key = draw_key(p->key, 41, (uint64_t)at, 0);
	at -= floor(at) + (stretch > 1 ? 0.3 * key_unit(key) : 0);
	return at >= 0 && at < p->duty / stretch ? 1 / p->duty : 0.03;
}

static double stretch_of(const struct e_stress *s)
{
	return s->acts & E_OFFBEAT && s->of[E_AMOUNT] > 1 ? s->of[E_AMOUNT] : 1;
}

double e_load(const struct world *w, unsigned port)
{
	const struct e_port *p = &w->state[port];
	double t_s = (double)w->now_ns / 1e9, dt_s = (double)w->step_ns / 1e9;
	double load = p->load * (1 + p->day_share *
				 sin(2 * M_PI * (t_s / DAY_S + w->day_phase)));

	load *= exp(0.25 * key_wander(p->key, t_s));
	return fmin(load * beat(p, t_s, dt_s, stretch_of(&p->stress)), 0.97);
}

static uint64_t counted(struct e_port *p, double mean)
{
	return draw_poisson(&p->chance, mean);
}

/* Queues: the greatest length since the reading before. */
static void queues_carry(struct e_port *p, double load, double dt_s)
{
	const struct e_stress *s = &p->stress;
	double full = fmin(load / (1.02 - fmin(load, 1)), 30);
	double hz = s->acts & E_MICRO ? s->of[E_AMOUNT] : 0;
	uint64_t bursts = counted(p, hz * dt_s);
	double peak = p->queue_octets * (0.1 + full);

	peak *= -log(draw_unit(&p->chance)) + 0.3;
	if (bursts) {
		peak += BUFFER_OCTETS * draw_between(&p->chance, 0.25, 1.1);
		p->now.ecn_marked_frames += counted(p, 400. * (double)bursts);
	}
	if (peak > BUFFER_OCTETS)
		p->now.out_discards += counted(p, 30. * (double)(bursts + 1));
	for (unsigned i = 0; i < WORLD_QUEUES; i++)
		p->now.queue_peak_octets[i] = (uint64_t)(i == 0 || (i ==
			LOSSLESS_PRIORITY && p->traits & E_JOBS) ?
			fmin(peak, BUFFER_OCTETS) : 0);
}

static void pauses_carry(struct e_port *p, double load, double dt_s)
{
	const struct e_stress *s = &p->stress;
	struct world_reading *r = &p->now;

	if (p->traits & E_JOBS && load > 0.6) {	/* some are usual */
		r->pfc_rx_frames[LOSSLESS_PRIORITY] +=
			counted(p, 20 * dt_s * (load - 0.6));
		r->pfc_tx_frames[LOSSLESS_PRIORITY] +=
			counted(p, 20 * dt_s * (load - 0.6));
	}
	if (s->acts & E_STORM)	/* a quantum is some microseconds */
		r->pfc_rx_frames[LOSSLESS_PRIORITY] +=
			counted(p, 5e4 * s->of[E_AMOUNT] * dt_s);
	if (s->acts & E_DROP) {
		r->pfc_tx_frames[LOSSLESS_PRIORITY] +=
			counted(p, 20 * s->of[E_AMOUNT] * dt_s);
		r->in_discards += counted(p, s->of[E_AMOUNT] * dt_s);
	}
}

static void crowd_carry(struct e_port *p, double load, double frames,
			double dt_s)
{
	const struct e_stress *s = &p->stress;

	if (load > MARK_FROM)
		p->now.ecn_marked_frames += counted(p, 0.1 * frames *
						    (load - MARK_FROM));
	if (!(s->acts & E_CROWD) || s->of[E_AMOUNT] <= 1)
		return;
	p->now.out_discards += counted(p, 0.01 * frames *
				       (s->of[E_AMOUNT] - 1));
	if (p->traits & E_JOBS)
		p->now.pfc_tx_frames[LOSSLESS_PRIORITY] +=
			counted(p, 1e3 * dt_s);
}

void e_carry(struct world *w, unsigned port, double lost)
{
	struct e_port *p = &w->state[port];
	const struct e_stress *s = &p->stress;
	double dt_s = (double)w->step_ns / 1e9, out, in, line;
	double frame = p->frame_octets, in_frames;

	line = (double)p->media->speed_mbps * 1e6 / 8 * dt_s;
	out = p->load_now * exp(0.1 * draw_rough(&p->chance));
	out = fmin(s->acts & E_CROWD ? fmax(out, 0.985) : out, 0.99);
	in = fmin(p->load_now * exp(0.15 * draw_rough(&p->chance)), 0.99);
	if (s->acts & E_STORM)
		out *= 1 - 0.9 * fmin(s->of[E_AMOUNT], 1);
	if (s->acts & E_HOLE)
		in = 0;
	in_frames = in * line / (frame + HEADER_OCTETS);
	p->now.in_frames += (uint64_t)in_frames;
	p->now.in_octets += (uint64_t)(in_frames * frame);
	p->now.out_frames += (uint64_t)(out * line / (frame + HEADER_OCTETS));
	p->now.out_octets += (uint64_t)(out * line * frame /
					(frame + HEADER_OCTETS));
	p->now.in_errors += counted(p, in_frames * fmin(lost * (1 + frame /
							660), 1));
	p->now.in_errors += counted(p, s->of[E_DAMAGED] * dt_s);
	queues_carry(p, out, dt_s);
	pauses_carry(p, out, dt_s);
	crowd_carry(p, out, out * line / (frame + HEADER_OCTETS), dt_s);
}
