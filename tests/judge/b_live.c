#include "tests/judge/b_live.h"

#include <math.h>
#include <string.h>

#include "tests/judge/b_count.h"

#define DARK_DB 40.0
#define LOS_BELOW_DB 6.0	/* under the low warning */
#define WOBBLE_S 8.0
#define EDGE_LOSS_MAX_PER_S 5.0	/* beyond, it never comes up */
#define LOSS_FROM_MEAN 2.0	/* errors a codeword; below, none in a row */
#define TAIL_PER_S 3e-6		/* how often slow noise jumps */

void b_live_lanes(const struct world *w, const struct b_port *p,
		  const struct b_effect *e, double heat_k, double load,
		  double drift_db, const double *light_db, double *ret_ber,
		  double *ret_eye_db)
{
	double same_db = drift_db - p->slope_db_k * heat_k;

	for (unsigned i = 0; i < p->lanes; i++) {
		const struct b_lane *l = &p->lane[i];
		double loss_db = e->loss_db[i] + (light_db ? light_db[i] : 0);
		double eye_db = l->q_db + same_db + e->q_db[i] -
				load * e->load_db -
				b_noise_penalty_db(&l->noise, loss_db,
						   e->thermal[i], e->flat[i]);

		ret_ber[i] = b_eye_ber(&w->eye, eye_db) + p->host_ber +
			     e->host_ber;
		if (ret_eye_db)
			ret_eye_db[i] = eye_db;
	}
}

double b_live_loss(const struct b_port *p, const double *lane_ber)
{
	struct b_mix mix;

	if (!p->code)
		return b_fec_coherent_loss(lane_ber[0]);
	mix = b_fec_mix(p->code, lane_ber, p->lanes, p->spread);
	return b_fec_loss(p->code, &mix);
}

double b_live_burst_loss_per_s(const struct b_port *p,
			       const struct b_effect *e)
{
	struct b_mix mix;

	if (!p->code || !(e->burst_per_s > 0))
		return 0;
	mix = b_fec_burst_mix(p->code, e->burst_symbols);
	return e->burst_per_s * e->burst_codewords * b_fec_loss(p->code, &mix);
}

double b_live_burst_ber(const struct b_port *p, const struct b_effect *e)
{
	double bits_per_s;

	if (!p->code)
		return 0;
	bits_per_s = e->burst_per_s * e->burst_codewords * e->burst_symbols *
		     p->code->bits_per_symbol +
		     e->spike_per_s * e->spike_symbols;
	return bits_per_s / (p->codewords_per_s * p->code->bits);
}

static void effect_make(struct world *w, struct b_port *p)
{
	int64_t from_ns = w->now_ns - w->tick_ns;

	if (!p->plan_count)
		return;
	memset(&p->effect, 0, sizeof(p->effect));
	for (unsigned i = 0; i < p->plan_count; i++)
		b_effect_add(&p->effect, &w->plan[p->plan[i]], from_ns,
			     w->now_ns);
}

/* Each octave forgets in its own time; now and then one of them jumps. */
static double drift_step(const struct world *w, struct b_port *p)
{
	double sum = 0;

	for (unsigned i = 0; i < B_OCTAVES; i++) {
		double kick = b_draw_normal(&p->draw);

		p->q_drift_db[i] = p->q_drift_db[i] * w->drift_keep[i] +
				   p->drift_db * w->drift_kick[i] * kick;
		sum += p->q_drift_db[i];
	}
	if (b_draw_unit(&p->draw) < TAIL_PER_S * w->tick_s)
		p->q_drift_db[1 + b_draw_below(&p->draw, B_OCTAVES - 1)] +=
			p->drift_db * 4 * b_draw_normal(&p->draw);
	return sum;
}

static void light_step(const struct world *w, struct b_port *p,
		       double *ret_light_db)
{
	double keep = exp(-w->tick_s / WOBBLE_S);

	if (p->effect.wobble_db > 0)
		p->wobble_db = p->wobble_db * keep + p->effect.wobble_db *
			       sqrt(1 - keep * keep) * b_draw_normal(&p->draw);
	else
		p->wobble_db = 0;
	for (unsigned i = 0; i < p->lanes; i++) {
		struct b_lane *l = &p->lane[i];
		double sum = fmax(p->wobble_db, -p->effect.loss_db[i]);

		for (unsigned j = 0; p->row->optical && j < B_RX_OCTAVES; j++) {
			l->rx_drift_db[j] = l->rx_drift_db[j] * w->rx_keep[j] +
				p->rx_drift_db * w->rx_kick[j] *
				b_draw_normal(&p->draw);
			sum += l->rx_drift_db[j];
		}
		ret_light_db[i] = sum;
		l->light_dbm = l->rx_dbm - sum - p->effect.loss_db[i] -
			       (p->effect.is_dark ? DARK_DB : 0);
	}
}

static bool has_no_light(const struct b_port *p)
{
	for (unsigned i = 0; p->row->optical && i < p->lanes; i++)
		if (p->lane[i].light_dbm < p->media->rx_low_dbm - LOS_BELOW_DB)
			return true;
	return false;
}

/* The link falls for what befalls it, for want of light, or after the chip
 * lost its codewords' edge; it needs seconds to come up again.
 */
static void link_step(const struct world *w, struct b_port *p)
{
	const struct b_effect *e = &p->effect;
	bool is_dark = has_no_light(p), was_up = p->is_up;
	bool is_lost = p->edge_loss_per_s > EDGE_LOSS_MAX_PER_S;

	p->is_losing = was_up && (e->down ? e->is_deaf : is_lost);
	p->is_losing |= was_up && is_dark && b_draw_unit(&p->draw) < 0.5;
	p->is_finding = false;
	if (e->down || is_dark || is_lost) {
		p->is_up = false;
		p->reason = e->down ? e->reason : is_dark ? DOWN_RX_LOS :
			    DOWN_FEC_SYNC_LOSS;
		if (p->reason == DOWN_RX_LOS && !p->row->optical)
			p->reason = DOWN_NO_CARRIER;
		p->up_at_ns = w->now_ns + (int64_t)(1e9 *
			      b_draw_between(&p->draw, 0.5, 12));
	} else if (!p->is_up && w->now_ns >= p->up_at_ns) {
		p->is_up = true;
		p->is_finding = p->reason == DOWN_RX_LOS ||
				p->reason == DOWN_NO_CARRIER;
	}
	if (was_up && !p->is_up)
		p->falls += e->falls ? 0 : 1;
	p->falls += e->falls;
	if (p->begins_anew && ((was_up && !p->is_up) || e->falls))
		memset(&p->counts, 0, sizeof(p->counts));
}

static void lanes_step(const struct world *w, struct b_port *p)
{
	double light_db[WORLD_LANES_MAX], ber[WORLD_LANES_MAX];
	double eye_db[WORLD_LANES_MAX], sum = 0, loss;

	light_step(w, p, light_db);
	b_live_lanes(w, p, &p->effect, p->temp_c - p->usual_c, w->load,
		     drift_step(w, p), light_db, ber, eye_db);
	for (unsigned i = 0; i < p->lanes; i++) {
		p->lane[i].ber = ber[i];
		p->lane[i].eye_db = eye_db[i];
		sum += ber[i];
	}
	p->mean_ber = sum / p->lanes;
	p->edge_loss_per_s = 0;
	if (!p->code)
		return;
	p->mix = b_fec_mix(p->code, ber, p->lanes, p->spread);
	if (p->mix.mean * 15 < LOSS_FROM_MEAN * p->code->mends)
		return;
	loss = b_fec_loss(p->code, &p->mix);
	p->edge_loss_per_s = loss * loss * loss * p->codewords_per_s;
}

static void epoch_step(struct b_port *p)
{
	if (p->effect.epoch == p->epoch)
		return;
	p->epoch = p->effect.epoch;
	memset(&p->counts, 0, sizeof(p->counts));
	if (p->effect.is_reboot)
		p->falls = 0;
}

void b_live_step(struct world *w, struct b_port *p)
{
	double goal_c;

	effect_make(w, p);
	epoch_step(p);
	goal_c = p->usual_c + w->air_k[p->zone] + p->effect.air_k +
		 p->effect.heat_k;
	p->temp_c = goal_c + (p->temp_c - goal_c) * p->heat_keep;
	lanes_step(w, p);
	link_step(w, p);
	p->read_ns = w->now_ns + (int64_t)(3e7 * b_draw_unit(&p->draw));
	b_count_step(w, p);
	p->last_ns = p->read_ns;
}
