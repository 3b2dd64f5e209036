/* A codeword of 5,140 bits' payload is a part of a frame: one that is lost
 * costs about one frame where there is load. Three lost in a row cost the
 * edge between codewords, and so the link (IEEE 802.3 clause 119.2.5.3).
 */
#include "tests/judge/b_count.h"

#include <math.h>
#include <string.h>

#include "tests/judge/b_world.h"

#define FRAME_OCTETS 2100.0
#define LONG_BURST 3000.0	/* codewords; half of such cost the link */
#define DEAF_S 0.02		/* garbage is counted before the edge is lost */
#define FOUND_MAX 2000.0	/* codewords lost as a link comes up */

/* Into bins of this tick alone, then into all that is counted of them. */
static void codewords_book(struct b_port *p,
			   const uint64_t bins[WORLD_BINS])
{
	struct b_counts *c = &p->counts;
	uint64_t corrected = 0, symbols = 0, bits;
	double share = 1 + p->effect.corrected_share;
	unsigned mends = p->code->mends;

	for (unsigned k = 0; k <= mends + 1; k++)
		c->bins[k] += bins[k];
	for (unsigned k = 1; k <= mends; k++) {
		corrected += bins[k];
		symbols += k * bins[k];
	}
	bits = symbols + b_draw_count(&p->draw, (double)symbols *
				      (p->code->bits_per_symbol - 1));
	c->corrected += (uint64_t)((double)corrected * share);
	c->lost += bins[mends + 1];
	c->symbols += (uint64_t)((double)symbols * share);
	c->bits += (uint64_t)((double)bits * share);
}

static void bursts_count(struct b_port *p, double s,
			 uint64_t bins[WORLD_BINS])
{
	const struct b_effect *e = &p->effect;
	uint64_t n = b_draw_count(&p->draw, e->burst_per_s * s);
	struct b_mix mix;
	double codewords = 0;

	p->was_bursting = n > 0;
	if (!n)
		return;
	mix = b_fec_burst_mix(p->code, e->burst_symbols);
	for (uint64_t i = 0; i < n && i < 64; i++)
		codewords -= log(1 - b_draw_unit(&p->draw));
	codewords *= e->burst_codewords * (n > 64 ? (double)n / 64 : 1);
	b_fec_count(p->code, &mix, (uint64_t)(codewords + 0.5), &p->draw,
		    bins);
}

/* When in the next seconds three in a row are lost, which ends the link. */
static double edge_s(struct b_port *p)
{
	double u = 1 - b_draw_unit(&p->draw);

	return p->edge_loss_per_s > 0 ? -log(u) / p->edge_loss_per_s :
					INFINITY;
}

static bool contact_ends_link(struct b_port *p)
{
	return p->was_bursting && p->effect.is_contact &&
	       b_draw_unit(&p->draw) <
	       0.5 * -expm1(-p->effect.burst_codewords / LONG_BURST);
}

static void link_ends(const struct world *w, struct b_port *p)
{
	p->is_up = false;
	p->falls++;
	p->reason = DOWN_FEC_SYNC_LOSS;
	p->up_at_ns = w->now_ns +
		      (int64_t)(1e9 * b_draw_between(&p->draw, 4, 20));
}

static uint64_t codewords_count(const struct world *w, struct b_port *p,
				double s)
{
	uint64_t bins[WORLD_BINS] = { 0 }, n;
	double until_s = fmin(s, edge_s(p));
	double exact = p->codewords_per_s * until_s + p->codeword_rest;

	n = (uint64_t)fmax(exact, 0);
	p->codeword_rest = exact - (double)n;
	if (!p->code)
		return b_draw_count(&p->draw, (double)n *
				    b_fec_coherent_loss(p->mean_ber));
	b_fec_count(p->code, &p->mix, n, &p->draw, bins);
	if (p->effect.burst_per_s > 0)
		bursts_count(p, s, bins);
	if (p->effect.spike_per_s > 0)
		bins[p->effect.spike_symbols] +=
			b_draw_count(&p->draw, p->effect.spike_per_s * s);
	if (p->is_finding && b_draw_unit(&p->draw) < 0.5)
		bins[p->code->mends + 1] += (uint64_t)
			b_draw_log(&p->draw, 1, FOUND_MAX);
	codewords_book(p, bins);
	if (until_s < s || contact_ends_link(p))
		link_ends(w, p);
	return bins[p->code->mends + 1];
}

/* The agent's view is of a port that sends and receives alike. */
static void frames_count(const struct world *w, struct b_port *p, double s,
			 uint64_t lost)
{
	struct b_counts *c = &p->counts;
	/* steps of a training compute, then talk; a minute evens them out */
	bool is_silent = w->tick_s < 2 &&
			 fmod((double)w->now_ns / 1e9, w->beat_s) <
			 0.4 * w->beat_s;
	double load = fmin(w->load * p->load_share *
			   (is_silent ? 0.3 : 1) *
			   (0.9 + 0.2 * b_draw_unit(&p->draw)), 0.98);
	double octets = load * (double)p->row->speed_mbps * 1.25e5 * s;
	double frames = octets / FRAME_OCTETS;
	unsigned queue = 3 + (unsigned)(b_draw_u64(&p->draw) & 1);

	c->in_octets += (uint64_t)octets;
	c->in_frames += (uint64_t)frames;
	c->out_octets += (uint64_t)(octets * (0.95 + 0.05 * load));
	c->out_frames += (uint64_t)(frames * (0.95 + 0.05 * load));
	if (lost)
		c->in_errors += b_draw_count(&p->draw, (double)lost * 1.3 *
					     fmin(load + 0.05, 1));
	c->queue_peak[queue] = (uint64_t)(load * -2e5 *
			       log(1 - b_draw_unit(&p->draw)));
	c->ecn_frames += b_draw_count(&p->draw, frames * 1e-6 * load);
	c->pfc_rx[3] += b_draw_count(&p->draw, 4 * load * s);
	c->pfc_tx[3] += b_draw_count(&p->draw, 5 * load * s);
}

void b_count_step(const struct world *w, struct b_port *p)
{
	double s = (double)(p->read_ns - p->last_ns) / 1e9;
	uint64_t bins[WORLD_BINS] = { 0 };

	p->was_bursting = false;
	if (p->is_up) {
		frames_count(w, p, s, codewords_count(w, p, s));
	} else if (p->is_losing && p->code) {
		bins[p->code->mends + 1] = (uint64_t)(p->codewords_per_s *
			DEAF_S * b_draw_log(&p->draw, 1e-4, 1));
		codewords_book(p, bins);
	}
}
