#include "tests/judge/a_count.h"

#include <math.h>
#include <string.h>

#define FRAME_OCTETS 2200.0
#define NOISE 0.012			/* of a step's octets */
#define FRAMES_PER_CODEWORD 1.3		/* lost with one, at full load */
#define LOSSLESS 3u
#define WAITING_OCTETS 30000.0
#define PEAK_MOST 24e6
#define BER_WORST 0.3
#define WRAP_S 400.0			/* until counters wrap */

void a_count_init(struct a_count *n, struct draw *d)
{
	memset(n, 0, sizeof(*n));
	n->corrected = draw_u64(d) >> 34;
	n->symbols = n->corrected + n->corrected / 50;
	n->bits = n->symbols + n->symbols / 90;
	n->bin[0] = draw_u64(d) >> 24;
	n->bin[1] = n->corrected - n->corrected / 50;
	n->bin[2] = n->corrected / 50;
	n->link_downs = draw_u64(d) % 9;
	n->in_octets = draw_u64(d) >> 18;
	n->out_octets = draw_u64(d) >> 18;
	n->in_frames = n->in_octets / 2200;
	n->out_frames = n->out_octets / 2200;
}

void a_count_clear(struct a_count *n)
{
	uint64_t downs = n->link_downs;

	memset(n, 0, sizeof(*n));
	n->link_downs = downs;
}

void a_count_near_wrap(struct a_count *n, const struct a_port *p)
{
	double hz = a_link_codeword_hz(&p->link);
	double ser = 5440 * pow(10, p->link.lane[0].log_ber);
	uint64_t left = (uint64_t)(WRAP_S * hz * fmin(ser, 1)) + 1000;

	n->corrected = 0 - left;
	n->symbols = 0 - left;
	n->bits = 0 - left;
	n->bin[0] = 0 - (uint64_t)(WRAP_S * hz);
	n->bin[1] = 0 - left;
	n->in_octets = 0 - (uint64_t)(WRAP_S * 1e9);
}

static uint64_t whole(double value)
{
	return value > 0 ? (uint64_t)(value + 0.5) : 0;
}

/* About a Poisson count: cheap, and exact where it is small. */
static uint64_t count_draw(struct draw *d, double mean)
{
	if (mean < 20)
		return mean > 0 ? draw_poisson(d, mean) : 0;
	return whole(mean + sqrt(mean) * draw_rough(d));
}

static void codewords_add(struct a_count *n, const struct a_port *p,
			  const struct errors *e, struct draw *d)
{
	const struct code *c = p->link.code;
	struct codewords w;

	codewords_draw(c, p->link.speed_bps, e, d, &w);
	for (unsigned i = 0; i <= c->corrects; i++)
		n->bin[i] += w.bin[i];
	n->bin[WORLD_BINS - 1] += w.uncorrectable;
	n->corrected += w.corrected;
	n->lost += w.uncorrectable;
	n->symbols += w.symbols;
	n->bits += w.bits;
}

/* The quiet part of the step, and its spike. */
static void code_step(struct a_count *n, const struct a_port *p,
		      const struct a_stress *s, const struct a_ran *ran,
		      struct draw *d)
{
	double spike_s = fmin(s->spike_s, ran->dt_s);
	struct errors e = {
		.ber = ran->ber,
		.burst_rate_hz = s->burst_hz,
		.burst_tail = s->burst_tail,
		.dt_s = ran->dt_s - spike_s,
	};

	if (e.dt_s > 0)
		codewords_add(n, p, &e, d);
	if (spike_s <= 0)
		return;
	e.dt_s = spike_s;
	e.ber = fmin(e.ber * exp(s->spike_decades * M_LN10), BER_WORST);
	codewords_add(n, p, &e, d);
}

static void queues_step(struct a_count *n, double load, struct draw *d)
{
	double wait = WAITING_OCTETS * load * load / (1.02 - load);

	for (unsigned i = 0; i < WORLD_QUEUES; i++)
		n->queue_peak[i] = 0;
	n->queue_peak[0] = whole(wait * (3 + fabs(draw_rough(d))));
	n->queue_peak[LOSSLESS] = whole(fmin(wait * (6 + 2 *
					fabs(draw_rough(d))), PEAK_MOST));
}

static void traffic_step(struct a_count *n, const struct a_port *p,
			 const struct a_ran *ran, struct draw *d)
{
	double full = (double)p->link.speed_bps / 8 * ran->dt_s;
	double load = ran->load;
	uint64_t in = whole(full * load * (1 + NOISE * draw_rough(d)));
	uint64_t out = whole(full * load * (1 + NOISE * draw_rough(d)));

	n->in_octets += in;
	n->out_octets += out;
	n->in_frames += whole((double)in / FRAME_OCTETS);
	n->out_frames += whole((double)out / FRAME_OCTETS);
	n->ecn_marked += count_draw(d, 4 * load * load * load * ran->dt_s);
	n->pfc_rx[LOSSLESS] += count_draw(d, 0.5 * load * load * ran->dt_s);
	n->pfc_tx[LOSSLESS] += count_draw(d, 0.4 * load * load * ran->dt_s);
	queues_step(n, load, d);
}

void a_count_step(struct a_count *n, const struct a_port *p,
		  const struct a_stress *s, const struct a_ran *ran,
		  struct draw *d)
{
	uint64_t lost = n->lost;

	if (p->link.code && (ran->is_up || s->testing) && !s->counters_stuck)
		code_step(n, p, s, ran, d);
	memset(n->queue_peak, 0, sizeof(n->queue_peak));
	if (!ran->is_up)
		return;
	traffic_step(n, p, ran, d);
	lost = n->lost - lost;
	n->in_errors += count_draw(d, FRAMES_PER_CODEWORD * ran->load *
				   (double)lost +
				   s->lost_frames_hz * ran->dt_s);
}

void a_count_tell(const struct a_count *n, const struct a_port *p,
		  struct world_reading *ret)
{
	uint64_t mask = p->facts.counter_bits == 32 ? UINT32_MAX : UINT64_MAX;

	ret->has_counters = true;
	ret->has_bins = p->has_bins;
	ret->link_down_count = n->link_downs & mask;
	ret->fec_corrected_codewords = n->corrected & mask;
	ret->fec_uncorrectable_codewords = n->lost & mask;
	ret->fec_symbol_errors = n->symbols & mask;
	ret->fec_corrected_bits = n->bits & mask;
	for (unsigned i = 0; i < WORLD_BINS && p->has_bins; i++)
		ret->fec_bins[i] = n->bin[i] & mask;
	ret->in_octets = n->in_octets & mask;
	ret->in_frames = n->in_frames & mask;
	ret->in_errors = n->in_errors & mask;
	ret->in_discards = n->in_discards & mask;
	ret->out_octets = n->out_octets & mask;
	ret->out_frames = n->out_frames & mask;
	ret->out_discards = n->out_discards & mask;
	ret->ecn_marked_frames = n->ecn_marked & mask;
	for (unsigned i = 0; i < WORLD_PRIORITIES; i++) {
		ret->pfc_rx_frames[i] = n->pfc_rx[i] & mask;
		ret->pfc_tx_frames[i] = n->pfc_tx[i] & mask;
	}
	for (unsigned i = 0; i < WORLD_QUEUES; i++)
		ret->queue_peak_octets[i] = n->queue_peak[i];
}
