#include "tests/judge/f_tick.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/judge/f_dice.h"
#include "tests/judge/f_link.h"
#include "tests/judge/f_usual.h"

#define WORST_LOG_BER (-1.3)
#define TREMBLE 0.012			/* decades, from tick to tick */
#define FEC_LOCK_LOST 0.5		/* falls that cost codewords */
#define HOST_LOG_BER (-9.5)		/* of a coherent port: its own side */

static void drift_on(struct f_drift *d, double draw)
{
	d->value = d->value * d->keep + d->kick * draw;
}

/* --- light and errors ---------------------------------------------------- */

/* Another module has another serial number, and monitors of its own. */
static void module_take(struct f_port *p, uint64_t module)
{
	uint64_t dice = module;

	p->module = module;
	(void)snprintf(p->now.serial, sizeof(p->now.serial), "%c%c%09u",
		       'A' + (int)f_pick(&dice, 26),
		       'A' + (int)f_pick(&dice, 26),
		       f_pick(&dice, 1000000000));
	for (unsigned i = 0; i < p->kind->lanes; i++)
		p->monitor.offset_db[i] += 0.25 * f_normal(&dice);
	p->slow.value = 0;
}

static void flicker(struct f_port *p)
{
	double all_db;

	drift_on(&p->slow, f_normal(&p->dice));
	drift_on(&p->quick, f_heavy(&p->dice));
	if (!p->kind->optical)
		return;
	drift_on(&p->light, f_normal(&p->dice));
	all_db = p->light.value;
	if (p->effect.sway_db > 0) {
		drift_on(&p->sway, f_heavy(&p->dice));
		all_db += p->effect.sway_db * fmax(-2, p->sway.value);
	}
	for (unsigned i = 0; i < p->kind->lanes; i++) {
		drift_on(&p->lane[i], f_normal(&p->dice));
		p->sway_db[i] = all_db + p->lane[i].value;
	}
}

static void errors_find(struct world *w, struct f_port *p)
{
	double more = f_link_heat_decades(p, p->temp_c) + p->effect.decades +
		      p->slow.value + p->quick.value +
		      TREMBLE * f_normal(&p->dice);
	double ber = f_link_ber(w, p, &p->effect, p->sway_db, p->eye);

	p->log_ber = fmin(WORST_LOG_BER, log10(ber) + more);
	for (unsigned i = 0; i < p->kind->lanes; i++)
		p->eye[i].ber *= exp(M_LN10 * more);
	/* How the eye must be for that: d log10 erfc / d q is -q / ln 10. */
	for (unsigned i = 0; i < p->kind->lanes; i++)
		p->eye[i].q -= more * M_LN10 / fmax(2, p->eye[i].q);
}

static void lanes_darken(struct f_port *p)
{
	p->dark_lanes = 0;
	if (!p->kind->optical)
		return;
	for (unsigned i = 0; i < p->kind->lanes; i++)
		if (p->effect.dark || p->rx_dbm[i] - p->effect.loss_db[i] -
				      p->sway_db[i] < p->kind->los_dbm)
			p->dark_lanes |= (uint8_t)(1u << i);
}

/* --- up and down --------------------------------------------------------- */

static void words_lost(struct f_port *p, double mean)
{
	if (f_chance(&p->dice, FEC_LOCK_LOST))
		p->now.fec_uncorrectable_codewords +=
			f_counted(&p->dice, mean * f_uniform(&p->dice));
}

static enum down_reason reason_of(const struct f_port *p)
{
	if (p->effect.down || p->effect.shut)
		return p->effect.reason;
	return p->dark_lanes ? DOWN_RX_LOS : DOWN_HIGH_SER;
}

static void link_follow(struct world *w, struct f_port *p)
{
	const struct f_effect *x = &p->effect;
	struct world_reading *r = &p->now;
	bool was_up = r->oper_up;
	bool falls = x->down || p->dark_lanes || p->log_ber > p->fall_log_ber;

	r->admin_up = !x->shut;
	r->present = !x->absent;
	if (falls) {
		r->oper_up = false;
		r->down = reason_of(p);
		p->up_at_s = w->now_s + p->train_s *
			     f_log_between(&p->dice, 0.7, 2);
	} else if (!r->oper_up && w->now_s >= p->up_at_s) {
		r->oper_up = true;
		r->down = DOWN_UNKNOWN;
	}
	if (was_up && !r->oper_up && !x->shut)
		words_lost(p, 900);
	r->link_down_count += was_up && !r->oper_up;
	if (x->falls > (was_up && !r->oper_up)) {
		r->link_down_count += x->falls - (was_up && !r->oper_up);
		words_lost(p, 500.0 * x->falls);
	}
}

/* --- counters ------------------------------------------------------------ */

static void words_count(struct f_port *p, double log_ber, double codewords)
{
	uint64_t class[F_CLASSES], mended = 0, symbols = 0;
	struct world_reading *r = &p->now;

	f_code_count(&p->code, exp(M_LN10 * log_ber), codewords, &p->dice,
		     class);
	for (unsigned i = 0; i < F_CLASSES; i++)
		r->fec_bins[i] += class[i];
	for (unsigned i = 1; i < F_CLASSES - 1; i++) {
		mended += class[i];
		symbols += i * class[i];
	}
	r->fec_corrected_codewords += mended;
	r->fec_symbol_errors += symbols;
	r->fec_corrected_bits += symbols + f_counted(&p->dice, (double)symbols *
						     p->bits_more);
	r->fec_uncorrectable_codewords += class[F_CLASSES - 1];
	if (class[F_CLASSES - 1])
		r->in_errors += 1 + class[F_CLASSES - 1] *
				(p->kind->speed_mbps >= 200000 ? 2 : 1);
}

/* Codewords lost at once have company that could be mended. */
static void slip_count(struct f_port *p, uint64_t lost)
{
	struct world_reading *r = &p->now;

	r->fec_uncorrectable_codewords += lost;
	r->fec_bins[F_CLASSES - 1] += lost;
	r->in_errors += 2 * lost;
	for (unsigned i = p->code.mends / 2; i <= p->code.mends; i++) {
		uint64_t n = f_counted(&p->dice, 0.1 * (double)lost);

		r->fec_bins[i] += n;
		r->fec_corrected_codewords += n;
		r->fec_symbol_errors += i * n;
		r->fec_corrected_bits += i * n;
	}
}

static void fec_count(struct world *w, struct f_port *p)
{
	const struct f_effect *x = &p->effect;
	double bad_s = fmin(x->burst_s, w->tick_s), good_s = w->tick_s - bad_s;
	double rate = p->codewords_per_s * (1 + 1e-5 * f_normal(&p->dice));

	if (x->counters_stuck)
		return;
	if (p->kind->coherent) {	/* these are not the line's errors */
		struct f_code line = p->code;

		p->code.coherent = false;
		words_count(p, HOST_LOG_BER, rate * w->tick_s);
		p->code = line;
		p->now.in_errors += f_counted(&p->dice, rate * w->tick_s *
			f_code_loss(&line, exp(M_LN10 * p->log_ber)));
		return;
	}
	words_count(p, p->log_ber, rate * good_s);
	if (bad_s > 0)
		words_count(p, fmax(p->log_ber, x->burst_log_ber),
			    rate * bad_s);
	if (x->lost_codewords > 0)
		slip_count(p, (uint64_t)x->lost_codewords);
}

static void traffic_count(struct world *w, struct f_port *p)
{
	struct world_reading *r = &p->now;
	double load = f_link_load(w, p, w->now_s, &p->effect);
	double line = (double)p->kind->speed_mbps * 1e6 / 8 * w->tick_s;
	double in = line * fmin(0.98, load * (1 + 0.15 * f_heavy(&p->dice)));
	double out = line * fmin(0.98, load * (1 + 0.15 * f_heavy(&p->dice)));

	in = fmax(in, 100 * w->tick_s);
	out = fmax(out, 100 * w->tick_s);
	r->in_octets += (uint64_t)in;
	r->out_octets += (uint64_t)out;
	r->in_frames += (uint64_t)(in / p->frame_octets);
	r->out_frames += (uint64_t)(out / p->frame_octets);
	r->in_errors += f_counted(&p->dice, p->effect.bad_frames);
	if (load > 0.6) {
		r->ecn_marked_frames += f_counted(&p->dice, out * 1e-8);
		r->pfc_rx_frames[3] += f_counted(&p->dice, out * 1e-10);
		r->pfc_tx_frames[3] += f_counted(&p->dice, in * 1e-10);
	}
	r->queue_peak_octets[3] = (uint64_t)(4e5 * load * f_uniform(&p->dice));
}

static void counters_zero(struct world_reading *r)
{
	struct world_reading kept = *r;

	memset(r, 0, sizeof(*r));
	r->admin_up = kept.admin_up;
	r->oper_up = kept.oper_up;
	r->present = kept.present;
	r->down = kept.down;
	r->link_down_count = kept.link_down_count;
	memcpy(r->serial, kept.serial, sizeof(r->serial));
}

/* --- one tick ------------------------------------------------------------ */

static void port_on(struct world *w, struct f_port *p)
{
	struct f_moment m = { w, p->number, w->now_s, w->tick_s };
	struct f_effect *x = &p->effect;
	bool was_up = p->now.oper_up;
	double goal_c;

	f_link_effects(w, &m, F_ALL, x);
	if (x->module && x->module != p->module)
		module_take(p, x->module);
	goal_c = f_link_heat_c(w, p, w->now_s, x, F_ALL);
	p->temp_c += (goal_c - p->temp_c) * -expm1(-w->tick_s / p->lag_s);
	flicker(p);
	errors_find(w, p);
	lanes_darken(p);
	link_follow(w, p);
	if (x->cleared || x->restarted)
		counters_zero(&p->now);
	if (x->restarted) {
		p->now.link_down_count = 0;
		p->doms = 0;	/* what was read before is forgotten */
	}
	if (was_up && p->now.oper_up) {
		fec_count(w, p);
		traffic_count(w, p);
	}
}

static void told_find(struct world *w)
{
	w->freshes = 0;
	for (unsigned i = 0; i < w->tolds; i++) {
		double t_s = (double)w->told[i].t_ns * 1e-9;

		if (t_s <= w->now_s && t_s > w->now_s - w->tick_s)
			w->fresh[w->freshes++] = w->told[i];
	}
}

void f_tick(struct world *w)
{
	w->clock_off_s = 0;
	for (unsigned i = 0; i < w->events; i++)
		w->clock_off_s += f_usual_clock_s(&w->event[i], w->now_s);
	for (unsigned i = 0; i < w->zones; i++)
		drift_on(&w->zone[i].wander, f_normal(&w->dice));
	told_find(w);
	for (unsigned i = 0; i < w->at.ports; i++)
		port_on(w, &w->state[i]);
}

double f_tick_loss(const struct world *w, unsigned port)
{
	const struct f_port *p = &w->state[port];
	double loss = f_code_loss(&p->code, pow(10, p->log_ber));

	for (unsigned i = 0; i < p->events; i++) {
		const struct f_event *e = &w->event[p->event[i]];

		if (w->now_s >= e->onset_s && w->now_s < e->end_s)
			loss += e->lost_per_s / p->codewords_per_s;
	}
	return fmin(1, loss);
}
