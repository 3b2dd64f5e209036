/* Slow noise is made of traps that catch and let go (random telegraph noise,
 * as in receivers and lasers at low frequency: a sum of Lorentz curves) and of
 * kicks that fade, whose sizes have heavy tails. Three lost codewords in a row
 * cost the alignment, and so the link (IEEE 802.3 clause 119.2.5.3).
 */
#include "tests/judge/c_world.h"

#include <math.h>
#include <string.h>

#define TRAP_FIRST_S 30.0
#define TRAP_STEP 11.0		/* 30 s to 11 h */
#define KICK_EVERY_S 30000.0
#define SWAY_S 1500.0
#define KNEE_DB_K2 0.004	/* of receivers over their knee; chosen */
#define DARK_DB 35.0
#define LOSES_LIGHT_DB 5.0	/* under the low warning */
#define FALLS_PER_S_MAX 1.0	/* beyond, it does not come up */
#define FRAME_OCTETS 1700.0
#define NOISY_S 0.01

double c_life_ber(const struct c_port *p, const struct c_stress *e,
		  double own_k, double far_k, double noise_db,
		  double ret[static WORLD_LANES_MAX])
{
	double over = fmax(p->warmth_k + 24 + own_k - p->knee_c, 0);
	double shut_db = noise_db + p->own_db_k * own_k + p->far_db_k * far_k +
			 KNEE_DB_K2 * over * over;
	double sum = 0;

	for (unsigned i = 0; i < p->lanes; i++) {
		const struct c_lane *l = &p->lane[i];
		struct c_strain s = { .lost_db = e->lost_db[i] + l->rx_sway_db,
				      .hiss = e->hiss[i], .beat = e->beat[i],
				      .shut_db = e->shut_db[i] + shut_db,
				      .fade_db = e->fade_db };

		ret[i] = c_eye_ber(&l->eye, &s);
		if (!p->row->coherent)
			ret[i] += p->host_ber + e->host_ber;
		sum += ret[i];
	}
	return sum / p->lanes;
}

double c_life_loss(const struct c_port *p, double mean_ber)
{
	struct c_hits hits;

	if (p->row->coherent)
		return c_code_line_loss(mean_ber);
	hits = c_code_hits(p->code, mean_ber, p->run);
	return c_code_loss(p->code, &hits);
}

double c_life_burst_loss_per_s(const struct c_port *p,
			       const struct c_stress *e)
{
	return e->burst_per_s > 0 ? e->burst_per_s * e->burst_words *
	       c_code_burst_loss(p->code, e->burst_symbols) : 0;
}

double c_life_burst_ber(const struct c_port *p, const struct c_stress *e)
{
	double symbols = e->burst_per_s * e->burst_words * e->burst_symbols +
			 e->single_per_s;

	return symbols * p->code->bits_an_error /
	       (p->words_per_s * 10 * p->code->symbols);
}

static void stress_make(const struct world *w, struct c_port *p)
{
	memset(&p->stress, 0, sizeof(p->stress));
	for (unsigned i = 0; i < p->plans; i++)
		c_kind_add(&p->stress, &w->plan[p->plan[i]], w->now_ns,
			   w->load, w->is_slow);
}

static double noise_step(const struct world *w, struct c_port *p)
{
	double sum = 0, wait_s = TRAP_FIRST_S;

	for (unsigned i = 0; i < C_TRAPS; i++) {
		if (c_chance_unit(&p->chance) < -expm1(-w->tick_s / wait_s) / 2)
			p->trap[i] = !p->trap[i];
		sum += p->trap[i] ? p->trap_db : -p->trap_db;
		wait_s *= TRAP_STEP;
	}
	p->kick_db *= p->kick_keep;
	if (c_chance_unit(&p->chance) < w->tick_s / KICK_EVERY_S) {
		p->kick_db += 2 * p->trap_db * c_chance_heavy(&p->chance);
		p->kick_keep = exp(-w->tick_s / c_chance_log(&p->chance,
					(struct c_range){ 60, 3000 }));
	}
	return sum / 2 + fmin(fmax(p->kick_db, -0.4), 0.4);
}

/* One that follows upon another is no fall of its own. */
static bool follows(const struct c_port *p, const struct c_outage *o)
{
	for (unsigned i = 0; i < p->outages; i++)
		if (p->outage[i].from_ns < o->from_ns &&
		    p->outage[i].to_ns >= o->from_ns)
			return true;
	return false;
}

/* The outage at work in this tick, and how many began in it. */
static unsigned outages_look(const struct world *w, struct c_port *p)
{
	unsigned begun = 0;

	p->out = NULL;
	for (unsigned i = 0; i < p->outages; i++) {
		const struct c_outage *o = &p->outage[i];

		if (o->from_ns > w->now_ns ||
		    o->to_ns <= w->now_ns - w->tick_ns)
			continue;
		begun += o->from_ns > w->now_ns - w->tick_ns && !follows(p, o);
		if (o->to_ns > w->now_ns)
			p->out = o;
	}
	return begun;
}

static bool is_dark(const struct c_port *p)
{
	bool ret = false;

	for (unsigned i = 0; p->row->optical && i < p->lanes; i++)
		ret |= p->lane[i].light_dbm <
		       p->media->rx_low_dbm - LOSES_LIGHT_DB;
	return ret;
}

static void light_step(const struct world *w, struct c_port *p)
{
	double keep = exp(-w->tick_s / SWAY_S);
	double kick = p->sway_db * sqrt(1 - keep * keep);

	for (unsigned i = 0; p->row->optical && i < p->lanes; i++) {
		struct c_lane *l = &p->lane[i];

		l->rx_sway_db = l->rx_sway_db * keep +
				kick * c_chance_normal(&p->chance);
		l->light_dbm = l->rx_dbm - l->rx_sway_db -
			       p->stress.lost_db[i] -
			       (p->out && p->out->is_dark ? DARK_DB : 0);
	}
}

static void lanes_step(const struct world *w, struct c_port *p)
{
	double goal_c = 24 + p->warmth_k + w->air_k[p->zone] + p->stress.own_k;
	double ber[WORLD_LANES_MAX];

	p->temp_c = goal_c + (p->temp_c - goal_c) * exp(-w->tick_s / p->lag_s);
	light_step(w, p);
	p->mean_ber = c_life_ber(p, &p->stress, p->temp_c - 24 - p->warmth_k,
				 p->stress.far_k + c_air_far_k(w, p,
							       w->now_ns),
				 noise_step(w, p), ber);
	for (unsigned i = 0; i < p->lanes; i++)
		p->lane[i].ber = ber[i];
	p->loss = p->mean_ber > (p->row->coherent ? 5e-3 : 3e-6) ?
		  c_life_loss(p, p->mean_ber) : 0;
}

/* The link falls for what is laid out, for want of light, or by its errors;
 * then it needs seconds to come up.
 */
static void link_step(const struct world *w, struct c_port *p, unsigned begun)
{
	double falls_per_s = p->loss * p->loss * p->loss * p->words_per_s;
	bool dark = is_dark(p), was_up = p->is_up, falls;

	falls = falls_per_s > FALLS_PER_S_MAX ||
		(p->is_up && c_chance_unit(&p->chance) <
			     -expm1(-falls_per_s * w->tick_s));
	if (p->out || dark || falls) {
		p->is_up = false;
		p->reason = p->out ? p->out->reason : dark ? DOWN_RX_LOS :
			    p->row->coherent ? DOWN_MAC_LOCAL_FAULT :
					       DOWN_FEC_SYNC_LOSS;
		p->up_at_ns = w->now_ns + (int64_t)(1e9 *
			c_chance_log(&p->chance, (struct c_range){ 0.3, 9 }));
	} else if (!p->is_up && w->now_ns >= p->up_at_ns) {
		p->is_up = true;
	}
	if (!begun && was_up && !p->is_up)
		begun = 1;
	p->falls += begun;
	if (p->clears_at_fall && begun)
		memset(&p->counts, 0, sizeof(p->counts));
}

/* Bins of this tick alone, into all that is counted. */
static void words_book(struct c_port *p, const uint64_t bins[WORLD_BINS])
{
	unsigned mends = p->code->mends;
	uint64_t corrected = 0, symbols = 0;

	for (unsigned k = 0; k <= mends + 1; k++)
		p->counts.bins[k] += bins[k];
	for (unsigned k = 1; k <= mends; k++) {
		corrected += bins[k];
		symbols += k * bins[k];
	}
	p->counts.corrected += corrected;
	p->counts.symbols += symbols;
	p->counts.bits += symbols + c_chance_poisson(&p->chance,
		(double)symbols * (p->code->bits_an_error - 1));
	p->counts.lost += bins[mends + 1];
}

static void burst_words(struct c_port *p, double s, uint64_t *bins)
{
	const struct c_stress *e = &p->stress;
	uint64_t bursts = c_chance_poisson(&p->chance, e->burst_per_s * s);
	unsigned last = p->code->mends + 1;

	for (uint64_t i = 0; i < bursts && i < 200; i++) {
		double words = c_chance_wait(&p->chance, e->burst_words) + 1;
		double loss = c_code_burst_loss(p->code, e->burst_symbols);
		double k = e->burst_symbols;

		bins[last] += c_chance_poisson(&p->chance, words * loss);
		k = k < last ? k : last - 1 - c_chance_below(&p->chance, 3);
		bins[(unsigned)k] += c_chance_poisson(&p->chance,
						      words * (1 - loss));
	}
	bins[1] += c_chance_poisson(&p->chance, e->single_per_s * s);
}

/* A coherent line's errors end in its own code: the host's counts only what
 * happens between the chip and the module.
 */
static uint64_t words_count(struct c_port *p, double s)
{
	uint64_t bins[WORLD_BINS] = { 0 }, wrong = 0, n;
	double host = p->host_ber + p->stress.host_ber, chance[WORLD_BINS];
	double exact = p->words_per_s * s + p->rest;
	struct c_hits hits = c_code_hits(p->code, p->row->coherent ? host :
					 p->mean_ber, p->run);
	unsigned last = p->code->mends + 1;

	n = (uint64_t)fmax(exact, 0);
	p->rest = exact - (double)n;
	c_code_chances(&hits, chance, last);
	for (unsigned k = 1; k < last && chance[k] * (double)n > 1e-9; k++)
		wrong += bins[k] = c_chance_poisson(&p->chance,
						    chance[k] * (double)n);
	if (!p->row->coherent)
		bins[last] = c_chance_poisson(&p->chance, p->loss * (double)n);
	burst_words(p, s, bins);
	wrong += bins[last];
	bins[0] = n > wrong ? n - wrong : 0;
	words_book(p, bins);
	return p->row->coherent ? c_chance_poisson(&p->chance, p->loss *
						   (double)n) : bins[last];
}

static void frames_count(const struct world *w, struct c_port *p, double s,
			 uint64_t lost)
{
	struct c_counts *c = &p->counts;
	double load = w->load * p->busy * (0.85 + 0.3 *
					   c_chance_unit(&p->chance));
	double octets = fmin(load, 0.97) * (double)p->row->speed_mbps * 1.25e5 *
			s;

	c->in_octets += (uint64_t)octets;
	c->in_frames += (uint64_t)(octets / FRAME_OCTETS);
	c->out_octets += (uint64_t)(octets * 0.97);
	c->out_frames += (uint64_t)(octets * 0.97 / FRAME_OCTETS);
	c->in_errors += c_chance_poisson(&p->chance, 1.2 * (double)lost *
					 fmin(load + 0.02, 1));
	for (unsigned i = 3; i <= 4; i++) {
		c->pause_in[i] += c_chance_poisson(&p->chance, 3 * load * s);
		c->pause_out[i] += c_chance_poisson(&p->chance, 2 * load * s);
		c->peak_octets[i] = (uint64_t)c_chance_wait(&p->chance,
							    1 + 3e5 * load);
	}
	c->marked += c_chance_poisson(&p->chance, 2e-7 * octets / FRAME_OCTETS *
				      load);
}

static void noisy_count(struct c_port *p)
{
	uint64_t bins[WORLD_BINS] = { 0 };

	bins[p->code->mends + 1] = (uint64_t)(p->words_per_s * NOISY_S *
		c_chance_log(&p->chance, (struct c_range){ 1e-4, 1 }));
	words_book(p, bins);
}

static void count_step(struct world *w, struct c_port *p, bool was_up)
{
	double s = (double)(p->read_ns - p->counted_ns) / 1e9;

	if (p->is_up && s > 0)
		frames_count(w, p, s, words_count(p, s));
	else if (was_up && !p->row->coherent &&
		 (!p->out || p->out->is_noisy))
		noisy_count(p);
	p->counted_ns = p->read_ns;
}

void c_life_step(struct world *w, struct c_port *p)
{
	unsigned begun = outages_look(w, p);
	bool was_up = p->is_up;

	stress_make(w, p);
	if (p->stress.epoch != p->epoch) {
		memset(&p->counts, 0, sizeof(p->counts));
		p->epoch = p->stress.epoch;
	}
	lanes_step(w, p);
	link_step(w, p, begun);
	p->read_ns = w->now_ns + (int64_t)(5e7 * c_chance_unit(&p->chance));
	count_step(w, p, was_up);
}
