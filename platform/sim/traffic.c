#include "platform/sim/traffic.h"

#include <math.h>
#include "platform/sim/draw.h"

enum { DRAW_LEVEL = 0x7a };

#define LOAD_MAX 0.98		/* gaps between frames, and idles */
#define LOAD_WANDER 0.03	/* of the load, over minutes and hours */
#define NOISE 0.012		/* of a step's octets: at least 1 % */
#define BUFFER_OCTETS_PER_GBPS 60000
#define LOSSLESS_QUEUE 3u
#define MARK_FROM_OCTETS 300000.0	/* ECN marks above this, on average */
#define SHARE_MOST 0.99
#define WAITING_FACTOR 2.0	/* bursts of frames rather than single ones */
#define DROPS_PER_BURST 20.0	/* frames, once the buffer is full */
#define NON_UCAST_SHARE 2e-6
#define NON_UCAST_HZ 2.5	/* LLDP, ARP, BFD */
#define REMAINDER_BIN 8u	/* takes what the noise of the others leaves */
/* A pause frame holds a sender for at most 65535 quanta of 512 bits; it is
 * repeated after about half of that.
 */
#define PAUSE_REFRESH_BITS (65535.0 * 512 / 2)

/* Approximate shares of frame sizes in a mix of storage and training. */
static const double size_mix[PLANT_SIZE_BINS] = {
	0.12, 0.10, 0.04, 0.03, 0.04, 0.12, 0.02, 0.08, 0.44, 0.01,
};

static void sizes_draw(double share[PLANT_SIZE_BINS], struct draw *d)
{
	double sum = 0;

	for (unsigned i = 0; i < PLANT_SIZE_BINS; i++) {
		share[i] = size_mix[i] * draw_between(d, 0.6, 1.4);
		sum += share[i];
	}
	for (unsigned i = 0; i < PLANT_SIZE_BINS; i++)
		share[i] /= sum;
}

/* RDMA on the lossless queue carries the most, best effort some. */
static void queues_draw(struct traffic *t, struct draw *d)
{
	double sum = 0;

	for (unsigned i = 0; i < t->queues; i++) {
		double weight = i == 0 ? 3 : i == LOSSLESS_QUEUE ? 7 : 0.6;

		t->queue_share[i] = weight * draw_between(d, 0.7, 1.3);
		sum += t->queue_share[i];
	}
	for (unsigned i = 0; i < t->queues; i++)
		t->queue_share[i] /= sum;
}

void traffic_draw(struct traffic *t, const struct range *load, double phase_s,
		  uint64_t speed_bps, unsigned queues, uint64_t key)
{
	struct draw d;

	draw_init(&d, key);
	*t = (struct traffic){
		.load = *load,
		.phase_s = phase_s,
		.key = key,
		.speed_bps = speed_bps,
		.buffer_octets = speed_bps / 1000000000 *
			BUFFER_OCTETS_PER_GBPS,
		.queues = queues,
	};
	t->in_frame_octets = draw_between(&d, 1500, 3800);
	t->out_frame_octets = draw_between(&d, 1500, 3800);
	sizes_draw(t->in_size_share, &d);
	sizes_draw(t->out_size_share, &d);
	queues_draw(t, &d);
}

double traffic_load(const struct traffic *t, enum direction way,
		    const struct stress *s, double t_s)
{
	/* Each port changes its phase at its own time. */
	double begin = key_unit(t->key) * t->phase_s;
	uint64_t phase = (uint64_t)((t_s + begin) / t->phase_s);
	double place = key_unit(draw_key(t->key, DRAW_LEVEL, phase, way));
	double load = t->load.low + (t->load.high - t->load.low) * place;

	load *= 1 + LOAD_WANDER * key_wander(t->key + way, t_s);
	load += (s->load - load) * s->load_weight;
	return fmin(fmax(load, 0), LOAD_MAX);
}

static uint64_t count_of(double value)
{
	return value > 0 ? (uint64_t)(value + 0.5) : 0;
}

/* Splits frames by size; the bins add up to them exactly. */
static void sizes_step(const double share[PLANT_SIZE_BINS], uint64_t frames,
		       struct draw *d, uint64_t ret[PLANT_SIZE_BINS])
{
	uint64_t left = frames;

	for (unsigned i = 0; i < PLANT_SIZE_BINS; i++) {
		uint64_t n;

		if (i == REMAINDER_BIN)
			continue;
		n = count_of((double)frames * share[i] *
			     (1 + NOISE * draw_rough(d)));
		n = n < left ? n : left;
		ret[i] += n;
		left -= n;
	}
	ret[REMAINDER_BIN] += left;
}

/* Queueing at load: mean length, by the formula for one server. */
static double waiting_octets(double load, double frame_octets)
{
	return WAITING_FACTOR * frame_octets * load * load / (1 - load);
}

/* The mean length at which that share is above the mark. */
static double congested_octets(double share)
{
	return share > 0 ? MARK_FROM_OCTETS / -log(fmin(share, SHARE_MOST)) : 0;
}

/* The load of one queue in a step. */
struct queue_service {
	double octets, dt_s, mean_octets;
	double microbursts;
};

/* A queue cannot be longer than the buffer. */
static void peak_set(struct plant_queue *q, double octets, uint64_t limit)
{
	uint64_t peak = count_of(octets);

	peak = peak < limit ? peak : limit;
	if (peak > q->peak_octets)
		q->peak_octets = peak;
}

static uint64_t marks_draw(const struct traffic *t, const struct stress *s,
			   const struct queue_service *v, uint64_t frames,
			   struct draw *d)
{
	/* Of exponential lengths, this share is above the mark. */
	double share = exp(-MARK_FROM_OCTETS / fmax(v->mean_octets, 1));
	double in_burst = s->microburst_peak * (double)t->buffer_octets /
		t->out_frame_octets;

	return draw_poisson(d, share * (double)frames +
			    v->microbursts * in_burst / 2);
}

static void drop(struct plant_queue *q, uint64_t frames, double frame_octets)
{
	q->dropped_frames += frames;
	q->dropped_octets += count_of((double)frames * frame_octets);
}

static void queue_step(const struct traffic *t, const struct stress *s,
		       const struct queue_service *v, bool lossless,
		       struct draw *d, struct plant_queue *q)
{
	uint64_t octets = count_of(v->octets * (1 + NOISE * draw_rough(d)));
	uint64_t frames = count_of((double)octets / t->out_frame_octets);
	/* The largest of many exponential lengths has a Gumbel distribution. */
	double largest = log(1 + v->dt_s * 1000) - log(-log(draw_unit(d)));

	q->octets += octets;
	q->frames += frames;
	q->occupancy_octets = count_of(-v->mean_octets * log(draw_unit(d)));
	if (q->occupancy_octets > t->buffer_octets)
		q->occupancy_octets = t->buffer_octets;
	peak_set(q, v->mean_octets * fmax(largest, 1), t->buffer_octets);
	peak_set(q, (double)q->occupancy_octets, t->buffer_octets);
	if (v->microbursts > 0)
		peak_set(q, s->microburst_peak * (double)t->buffer_octets *
			 draw_between(d, 0.85, 1.1), t->buffer_octets);
	if (v->microbursts > 0 && q->peak_octets == t->buffer_octets)
		drop(q, draw_poisson(d, v->microbursts * DROPS_PER_BURST),
		     t->out_frame_octets);
	if (lossless)
		q->ecn_marked_frames += marks_draw(t, s, v, frames, d);
}

/* The neighbour holds the priority for a share of the time: its queue fills and
 * sends less.
 */
static void storm_step(const struct traffic *t, const struct stress *s,
		       double dt_s, struct queue_service *v,
		       struct plant_priority *p, struct draw *d)
{
	double refresh_s = PAUSE_REFRESH_BITS / (double)t->speed_bps;
	double held_s = s->storm_share * dt_s;

	p->pfc_rx_pause_us += count_of(held_s * 1e6 *
				       (1 + 0.002 * draw_rough(d)));
	p->pfc_rx_frames += draw_poisson(d, held_s / refresh_s);
	v->octets *= 1 - s->storm_share;
	v->mean_octets = fmax(v->mean_octets, s->storm_share * 0.4 *
			      (double)t->buffer_octets);
}

/* A healthy fabric pauses occasionally. */
static void pauses_step(double load, double dt_s, struct draw *d,
			struct plant_port *port)
{
	struct plant_priority *p = &port->priority[LOSSLESS_QUEUE];
	uint64_t rx = draw_poisson(d, 0.6 * load * load * dt_s);

	p->pfc_rx_frames += rx;
	p->pfc_rx_pause_us += draw_poisson(d, 3.0 * (double)rx);
	p->pfc_tx_frames += draw_poisson(d, 0.5 * load * load * dt_s);
	p->pfc_tx_pause_us += draw_poisson(d, 1.5 * load * load * dt_s);
}

/* The port's transmit counters are the sums of its queues'. */
static void queues_step(const struct traffic *t, const struct stress *s,
			double load, double dt_s, struct draw *d,
			struct plant_port *port)
{
	double octets = load * (double)t->speed_bps / 8 * dt_s;
	double mean = waiting_octets(load, t->out_frame_octets);

	for (unsigned i = 0; i < t->queues; i++) {
		struct plant_queue *q = &port->queue[i];
		bool lossless = i == LOSSLESS_QUEUE ||
			(t->queues <= LOSSLESS_QUEUE && i == 0);
		struct queue_service v = {
			.octets = octets * t->queue_share[i],
			.dt_s = dt_s,
			.mean_octets = mean * t->queue_share[i],
		};

		if (s->storm_share > 0 && i == s->storm_priority)
			storm_step(t, s, dt_s, &v, &port->priority[i], d);
		if (lossless) {
			v.mean_octets = fmax(v.mean_octets,
					     congested_octets(s->ecn_share));
			v.microbursts = (double)
				draw_poisson(d, s->microburst_hz * dt_s);
		}
		port->out_octets -= q->octets;
		port->out_frames -= q->frames;
		port->out_discards -= q->dropped_frames;
		queue_step(t, s, &v, lossless, d, q);
		port->out_octets += q->octets;
		port->out_frames += q->frames;
		port->out_discards += q->dropped_frames;
	}
}

void traffic_step(const struct traffic *t, const struct stress *s, double t_s,
		  double dt_s, uint64_t lost_in, struct draw *d,
		  struct plant_port *port)
{
	double in = traffic_load(t, DIRECTION_IN, s, t_s);
	double out = traffic_load(t, DIRECTION_OUT, s, t_s);
	uint64_t before = port->out_frames, octets, frames;

	octets = count_of(in * (double)t->speed_bps / 8 * dt_s *
			  (1 + NOISE * draw_rough(d)));
	frames = count_of((double)octets / t->in_frame_octets);
	lost_in = lost_in < frames ? lost_in : frames;
	port->in_octets += octets;
	port->in_frames += frames - lost_in;
	port->in_errors += lost_in;
	port->in_non_ucast_frames += draw_poisson(d, NON_UCAST_HZ * dt_s +
				NON_UCAST_SHARE * (double)frames);
	sizes_step(t->in_size_share, frames - lost_in, d, port->in_size_frames);
	queues_step(t, s, out, dt_s, d, port);
	frames = port->out_frames - before;
	port->out_non_ucast_frames += draw_poisson(d, NON_UCAST_HZ * dt_s +
				NON_UCAST_SHARE * (double)frames);
	sizes_step(t->out_size_share, frames, d, port->out_size_frames);
	pauses_step(in, dt_s, d, port);
}

void traffic_idle(const struct traffic *t, struct plant_port *port)
{
	for (unsigned i = 0; i < t->queues; i++)
		port->queue[i].occupancy_octets = 0;
}
