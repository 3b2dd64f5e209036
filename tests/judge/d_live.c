/* A port lives from tick to tick: its link, its warmth, its errors, its frames.
 */
#include <math.h>
#include <string.h>

#include "tests/judge/d_world.h"

#define DAY_S 86400.0
#define WARM_S 160.0		/* a module in its cage follows the air */
#define FALLS_AT 3e-3		/* share of codewords: no link holds that */
#define CODEWORD_OCTETS 640.0
#define HOST_BER 3e-10		/* before a coherent module */
#define MANY 1000

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Share of this tick for which the link is up by the list. */
static double falls_walk(const struct world *w, struct d_port *p)
{
	int64_t from_ns = w->before_ns, up_ns = w->now_ns - from_ns, to_ns;
	const struct d_down *d = p->down + p->next_down;

	to_ns = least(p->down_until_ns, w->now_ns);
	for (;; d++) {
		if (to_ns > from_ns) {
			up_ns -= to_ns - from_ns;
			from_ns = to_ns;
		}
		if (p->next_down == p->downs || d->from_ns > w->now_ns)
			break;
		p->next_down++;
		p->now.link_down_count += d->from_ns >= p->down_until_ns;
		if (d->to_ns > p->down_until_ns) {
			p->down_until_ns = d->to_ns;
			p->reason = d->reason;
		}
		from_ns = d->from_ns > from_ns ? d->from_ns : from_ns;
		to_ns = least(d->to_ns, w->now_ns);
	}
	return (double)up_ns / (double)(w->now_ns - w->before_ns);
}

/* A link without light or with too many errors falls, tries, and falls. */
static void link_try(const struct world *w, struct d_port *p)
{
	enum down_reason why = DOWN_UNKNOWN;

	if (p->lost > FALLS_AT)
		why = p->media->fec == FEC_NONE ? DOWN_CODE_GROUP :
		      p->key & 1 ? DOWN_HIGH_SER : DOWN_FEC_SYNC_LOSS;
	for (unsigned i = 0; i < p->media->lanes; i++)
		if (p->media->traits & D_OPTICAL &&
		    p->rx_dbm[i] - p->stress.of[D_LOSS][i] < p->los_dbm)
			why = DOWN_RX_LOS;
	if (why == DOWN_UNKNOWN || w->now_ns < p->down_until_ns)
		return;
	p->now.link_down_count++;
	p->reason = why;
	p->down_until_ns = w->now_ns + (int64_t)(1e9 *
		d_log_between(&p->chance, (struct d_range){ 5, 60 }));
}

static void load_step(const struct world *w, struct d_port *p, double dt_s)
{
	double t_s = (double)w->now_ns / 1e9;
	double day = sin(2 * M_PI * (t_s / DAY_S + key_unit(p->key)));
	bool works = fmod(t_s, p->period_s) < p->duty * p->period_s;

	p->load_now = p->load * (1 + 0.35 * day) *
		      (1 + 0.05 * draw_rough(&p->chance)) *
		      (dt_s > p->period_s / 3 ? p->duty : works ? 1 : 0.05) *
		      (p->stress.acts & D_BUSY ? 2 : 1) *
		      (p->stress.acts & D_DRAIN ? 1e-3 : 1) * p->now.oper_up;
	p->load_now = fmin(fmax(p->load_now, 0), 0.97);
}

static void errors_step(struct world *w, unsigned port, double dt_s)
{
	struct d_port *p = &w->state[port];
	double more_db, load = fmin(1, p->load_now / fmax(p->load, 0.01));

	memset(&p->stress, 0, sizeof(p->stress));
	for (size_t i = 0; i < w->actives; i++)
		d_stress_add(w, &w->fault[w->active[i]], port, w->now_ns, load,
			     &p->stress);
	p->air_c += (w->air_c + p->rise_k * (0.6 + 0.4 * p->load_now) -
		     p->air_c) * -expm1(-dt_s / WARM_S);
	p->temp_c = p->air_c + p->stress.of[D_HEAT][0];
	more_db = p->wander_db * key_wander(p->key, (double)w->now_ns / 1e9) +
		  p->load_db * (p->load_now - 0.3) +
		  d_heat_noise(p, p->temp_c);
	p->ber = d_ber(p, &p->stress, more_db, p->lane_ber);
	p->lost = d_lost(p, p->ber, p->stress.of[D_BURSTS][0]);
}

/* Bursts hit one codeword or several: some symbols of it, or too many. Spikes
 * are those of healthy ports, which the code nearly always mends.
 */
static uint64_t bursts_add(struct d_port *p, double up_s, uint64_t *bins)
{
	unsigned corrects = d_code_corrects(p->media->fec), k;
	uint64_t bursts, spikes, lost = 0;

	bursts = draw_poisson(&p->chance, p->stress.of[D_BURSTS][0] * up_s);
	spikes = draw_poisson(&p->chance, p->spikes_hz * up_s);
	for (uint64_t i = 0; i < bursts && i < MANY; i++) {
		lost += 1 + draw_poisson(&p->chance, 2);
		for (k = corrects / 2; k < corrects; k++)
			bins[k] += draw_poisson(&p->chance, 0.7);
	}
	for (uint64_t i = 0; i < spikes && i < MANY && corrects; i++)
		bins[3 + (int)(draw_unit(&p->chance) * (corrects - 3))]++;
	return lost + (draw_unit(&p->chance) < 5e-3 * (double)spikes);
}

/* Returns how many codewords were lost. */
static uint64_t code_step(struct d_port *p, double up_s)
{
	unsigned corrects = d_code_corrects(p->media->fec);
	double chance[D_CHANCES], lost;
	double n = d_code_rate(p->media->speed_mbps) * up_s;
	bool line = p->media->traits & D_COHERENT;
	uint64_t bins[WORLD_BINS] = { 0 }, sum = 0, symbols = 0;
	struct world_reading *r = &p->now;

	lost = d_code_chances(p->media->fec, line ? HOST_BER : p->ber, p->run,
			      chance);
	for (unsigned i = 1; i <= corrects; i++)
		bins[i] = draw_poisson(&p->chance, n * chance[i]);
	bins[16] = draw_poisson(&p->chance, n * lost) +
		   bursts_add(p, up_s, bins);
	for (unsigned i = 1; i <= corrects; i++) {
		sum += bins[i];
		symbols += i * bins[i];
	}
	bins[0] = (uint64_t)fmax(0, n - (double)(sum + bins[16]));
	if (corrects && !(p->stress.acts & D_STUCK)) {
		for (unsigned i = 0; i < WORLD_BINS; i++)
			r->fec_bins[i] += bins[i];
		r->fec_corrected_codewords += sum;
		r->fec_symbol_errors += symbols;
		r->fec_corrected_bits += symbols + draw_poisson(&p->chance,
				(D_SYMBOL_BITS - 1) * (double)symbols);
		r->fec_uncorrectable_codewords += bins[16];
	}
	return bins[16] + (line ? draw_poisson(&p->chance, n *
					       d_line_loss(p->ber)) : 0);
}

static void frames_step(struct d_port *p, double up_s, uint64_t lost)
{
	struct world_reading *r = &p->now;
	double load = p->load_now, frames, out;
	double octets = load * (double)p->media->speed_mbps * 125e3 * up_s;

	frames = octets / p->frame_octets;
	out = 0.7 + 0.3 * key_unit(p->key);
	r->in_octets += (uint64_t)octets;
	r->in_frames += (uint64_t)frames;
	r->out_octets += (uint64_t)(octets * out);
	r->out_frames += (uint64_t)(frames * out);
	r->in_errors += draw_poisson(&p->chance, load * (double)lost *
				     (1 + CODEWORD_OCTETS / p->frame_octets) +
				     p->stress.of[D_ERRORS][0] * up_s);
	r->ecn_marked_frames += draw_poisson(&p->chance, frames * 1e-4 *
					     fmax(0, load - 0.7));
	r->queue_peak_octets[3] = (uint64_t)(2e5 * load *
					     (1 + draw_unit(&p->chance)));
	r->pfc_rx_frames[3] += draw_poisson(&p->chance,
					    load > 0.6 ? up_s : 0);
}

void d_live(struct world *w, unsigned port)
{
	struct d_port *p = &w->state[port];
	double tick_s = (double)(w->now_ns - w->before_ns) / 1e9, up_s;
	double jitter_s = w->at.pace == PACE_FAST ? 0.02 : 1.5;
	int64_t was_ns = p->read_ns;

	p->read_ns = w->now_ns + (int64_t)(draw_unit(&p->chance) * jitter_s *
					   1e9);
	load_step(w, p, tick_s);
	errors_step(w, port, tick_s);
	up_s = (double)(p->read_ns - was_ns) / 1e9 * falls_walk(w, p);
	link_try(w, p);
	p->now.oper_up = w->now_ns >= p->down_until_ns;
	p->now.admin_up = p->now.oper_up || p->reason != DOWN_ADMIN;
	p->now.present = p->now.oper_up || p->reason != DOWN_NO_MODULE;
	if (p->lost < FALLS_AT && up_s > 1e-3)
		frames_step(p, up_s, code_step(p, up_s));
}
