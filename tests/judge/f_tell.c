#include "tests/judge/f_tell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/judge/f_dice.h"
#include "tests/judge/f_link.h"
#include "tests/judge/f_sudden.h"

#define DARK_DBM (-40.0)
#define OLD_S 60.0			/* of modules' readings, hard */
#define RARE_S 420.0			/* between readings of a slow bus */
#define MISSED_HARD 0.03
#define MISSED 0.001
#define DOM_MISSED 0.0015
#define LATE 0.0003
#define PAM4_SNR_DB 7.0			/* 20 log10 of sqrt 5 */
#define BER_DIGITS 1024.0		/* of the mantissa, CMIS F16 */
#define SNR_STEP_DB (1 / 256.)
#define LINE_RATE 1.0625e6		/* bits a second for each Mb/s */

/* --- monitors ------------------------------------------------------------ */

static double stepped(double value, double step)
{
	return step > 0 ? floor(value / step + 0.5) * step : value;
}

static double power_shown(struct f_port *p, double dbm, double step_mw)
{
	double mw = exp(M_LN10 / 10 * (dbm + p->monitor.light_db *
				       f_normal(&p->dice)));

	mw = stepped(mw, step_mw);
	return mw > 1e-4 ? 10 / M_LN10 * log(mw) : DARK_DBM;
}

static void light_show(struct f_port *p, struct f_dom *d)
{
	const struct f_effect *x = &p->effect;
	struct f_monitor *m = &p->monitor;
	double warm_c = p->temp_c - p->ref_c;
	bool off = x->off || x->shut;

	d->rx_los = p->dark_lanes;
	d->tx_fault = x->tx_fault ? (uint8_t)((1u << p->kind->lanes) - 1) : 0;
	for (unsigned i = 0; i < p->kind->lanes; i++) {
		double rx = p->rx_dbm[i] - x->loss_db[i] - p->sway_db[i];
		double tx = p->tx_dbm[i] + x->tx_db[i] + p->tx_per_c * warm_c;
		double ma = p->bias_ma[i] * (1 + x->bias_part[i]) *
			    (1 + p->bias_per_c * warm_c +
			     m->bias_noise * f_normal(&p->dice));

		d->rx_dbm[i] = x->dark ? DARK_DBM :
			       power_shown(p, rx + m->offset_db[i],
					   m->rx_step_mw);
		d->tx_dbm[i] = off ? DARK_DBM :
			       power_shown(p, tx, m->tx_step_mw);
		d->bias_ma[i] = off ? 0 : stepped(ma, m->bias_step_ma);
	}
}

/* Counted for the time between two readings, and told in few digits. */
static void lanes_show(const struct world *w, struct f_port *p, struct f_dom *d)
{
	double period_s = w->at.pace == PACE_FAST ? 10 : 60;
	double bits = LINE_RATE * (double)p->kind->speed_mbps * period_s /
		      p->kind->lanes;

	for (unsigned i = 0; i < p->kind->lanes; i++) {
		double errors = (double)f_counted(&p->dice,
						  bits * p->eye[i].ber);
		double digit;
		int power;

		digit = frexp(errors / bits, &power);
		d->lane_ber[i] = ldexp(stepped(digit, 1 / BER_DIGITS), power);
		d->snr_db[i] = stepped(20 * log10(fmax(0.5, p->eye[i].q)) +
				       (p->kind->pam4 ? PAM4_SNR_DB : 0) +
				       0.06 * f_normal(&p->dice), SNR_STEP_DB);
	}
}

static void line_show(struct f_port *p, struct f_dom *d)
{
	double ber = exp(M_LN10 * p->log_ber) *
		     (1 + 0.006 * f_normal(&p->dice));

	d->ber = p->dark_lanes ? 0.5 : ber;
	d->snr_db[0] = stepped(20 * log10(fmax(0.5, p->eye[0].q)) +
			       PAM4_SNR_DB + 0.05 * f_normal(&p->dice), 0.1);
}

static void dom_fill(struct world *w, struct f_port *p, struct f_dom *d)
{
	const struct f_monitor *m = &p->monitor;

	memset(d, 0, sizeof(*d));
	d->ber = NAN;
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		d->rx_dbm[i] = d->tx_dbm[i] = d->bias_ma[i] = d->lane_ber[i] =
			d->snr_db[i] = NAN;
	d->temp_c = stepped(p->temp_c + w->zone[p->zone].wander.value +
			    m->temp_noise_c * f_normal(&p->dice),
			    m->temp_step_c);
	d->vcc_v = stepped(m->vcc_v + 0.003 * f_normal(&p->dice), 1e-4);
	if (p->kind->optical)
		light_show(p, d);
	if (m->lanes_told && p->now.oper_up)
		lanes_show(w, p, d);
	if (p->kind->coherent)
		line_show(p, d);
}

static void dom_take(struct world *w, struct f_port *p, double taken_s)
{
	struct f_dom *d = &p->dom[p->doms % F_DOMS];

	if (p->effect.dom_frozen && p->doms)
		*d = p->dom[(p->doms + F_DOMS - 1) % F_DOMS];
	else
		dom_fill(w, p, d);
	d->taken_s = taken_s;
	d->stamp_ns = (int64_t)((taken_s + w->clock_off_s) * 1e9);
	p->doms++;
}

static double period_of(const struct world *w, const struct f_port *p)
{
	double told_s = (double)w->port[p->number].dom_period_ns * 1e-9;

	if (p->effect.dom_rare)
		return RARE_S;
	return told_s > 0 ? told_s : w->at.pace == PACE_FAST ? 10 : 60;
}

void f_tell_monitors(struct world *w)
{
	for (unsigned i = 0; i < w->at.ports; i++) {
		struct f_port *p = &w->state[i];
		double due_s = p->dom_due_s;

		if (w->now_s < due_s)
			continue;
		p->dom_due_s = fmax(due_s, w->now_s - w->tick_s) +
			       period_of(w, p);
		if (p->kind->monitors && !p->effect.absent)
			dom_take(w, p, due_s);
	}
}

/* --- one reading --------------------------------------------------------- */

/* The newest that has come through; NULL. */
static const struct f_dom *dom_find(const struct world *w,
				    const struct f_port *p)
{
	double till_s = w->now_s - (w->at.hard ? OLD_S : 0);

	for (unsigned i = 1; i <= F_DOMS && i <= p->doms; i++) {
		const struct f_dom *d = &p->dom[(p->doms - i) % F_DOMS];

		if (d->taken_s <= till_s)
			return d;
	}
	return NULL;
}

static void nonsense_set(struct world_reading *r, enum f_nonsense nonsense,
			 unsigned lanes)
{
	static const struct { double temp_c, vcc_v, dbm, ma; } rows[] = {
		[F_ALL_ONES] = { -1 / 256., 6.5535, 8.165, 131.07 },
		[F_ALL_ZERO] = { 0, 0, DARK_DBM, 0 },
		[F_ABSURD] = { 127.5, 0.9, 7.6, 118 },
	};

	r->temp_c = rows[nonsense].temp_c;
	r->vcc_v = rows[nonsense].vcc_v;
	for (unsigned i = 0; i < lanes; i++) {
		r->rx_dbm[i] = r->tx_dbm[i] = rows[nonsense].dbm;
		r->bias_ma[i] = rows[nonsense].ma;
	}
}

static void monitors_read(struct world *w, struct f_port *p,
			  struct world_reading *r)
{
	const struct f_dom *d = dom_find(w, p);

	if (!d || p->effect.absent || p->effect.dom_missed ||
	    f_chance(&p->dice, DOM_MISSED))
		return;
	r->has_dom = true;
	r->dom_t_ns = d->stamp_ns;
	r->temp_c = d->temp_c;
	r->vcc_v = d->vcc_v;
	r->ber = d->ber;
	r->rx_los = d->rx_los;
	r->tx_fault = d->tx_fault;
	memcpy(r->rx_dbm, d->rx_dbm, sizeof(r->rx_dbm));
	memcpy(r->tx_dbm, d->tx_dbm, sizeof(r->tx_dbm));
	memcpy(r->bias_ma, d->bias_ma, sizeof(r->bias_ma));
	memcpy(r->lane_ber, d->lane_ber, sizeof(r->lane_ber));
	memcpy(r->snr_db, d->snr_db, sizeof(r->snr_db));
	if (p->effect.nonsense)
		nonsense_set(r, p->effect.nonsense, p->kind->optical ?
			     p->kind->lanes : 0);
}

static void wrap(uint64_t *value, size_t count)
{
	for (size_t i = 0; i < count; i++)
		value[i] &= UINT32_MAX;
}

static void counters_wrap(struct world_reading *r)
{
	wrap(&r->fec_corrected_codewords, 1);
	wrap(&r->fec_uncorrectable_codewords, 1);
	wrap(&r->fec_symbol_errors, 1);
	wrap(&r->fec_corrected_bits, 1);
	wrap(r->fec_bins, WORLD_BINS);
	wrap(&r->in_octets, 1);
	wrap(&r->in_frames, 1);
	wrap(&r->in_errors, 1);
	wrap(&r->out_octets, 1);
	wrap(&r->out_frames, 1);
	wrap(&r->ecn_marked_frames, 1);
	wrap(r->pfc_rx_frames, WORLD_PRIORITIES);
	wrap(r->pfc_tx_frames, WORLD_PRIORITIES);
}

static void reading_fill(struct world *w, struct f_port *p,
			 struct world_reading *r)
{
	const struct world_port *port = &w->port[p->number];

	*r = p->now;
	r->t_ns = w->now_ns + (int64_t)(w->clock_off_s * 1e9) +
		  (int64_t)(2e7 * f_uniform(&p->dice)) +
		  p->number * INT64_C(1500000);
	r->has_counters = true;
	r->has_bins = w->bins && !p->kind->coherent;
	r->temp_c = r->vcc_v = r->ber = NAN;
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		r->rx_dbm[i] = r->tx_dbm[i] = r->bias_ma[i] = r->lane_ber[i] =
			r->snr_db[i] = NAN;
	if (!w->reasons && r->down != DOWN_ADMIN && r->down != DOWN_NO_MODULE)
		r->down = DOWN_UNKNOWN;
	if (!r->present)
		r->serial[0] = '\0';
	if (port->counter_bits == 32)
		counters_wrap(r);
	monitors_read(w, p, r);
}

/* One in some thousands comes two ticks later, after a younger one. */
static bool is_kept(struct world *w, struct f_port *p,
		    struct world_reading *ret)
{
	if (w->late_due_s > 0) {
		if (w->late_port != p->number || w->now_s < w->late_due_s)
			return false;
		*ret = w->late;
		w->late_due_s = 0;
		return false;
	}
	if (!f_chance(&p->dice, LATE))
		return false;
	w->late = *ret;
	w->late_port = p->number;
	w->late_due_s = w->now_s + 1.5 * w->tick_s;
	return true;
}

bool f_tell_reading(struct world *w, unsigned port, struct world_reading *ret)
{
	struct f_port *p = &w->state[port];

	if (p->effect.silent ||
	    f_chance(&p->dice, w->at.hard ? MISSED_HARD : MISSED))
		return false;
	reading_fill(w, p, ret);
	return !is_kept(w, p, ret);
}

/* --- the switch's sensors ------------------------------------------------ */

static struct world_sensor *sensor_add(struct world *w, const char *name,
				       unsigned number,
				       enum world_sensor_kind kind)
{
	struct world_sensor *s = &w->sensor[w->sensors++];

	*s = (struct world_sensor){ .kind = kind, .has_value = true,
				    .ok = true, .low = NAN, .high = NAN };
	(void)snprintf(s->name, sizeof(s->name), "%s%u", name, number);
	return s;
}

/* Of a zone: its fan, and the air before it. */
static void zone_tell(struct world *w, unsigned zone)
{
	const struct f_zone *z = &w->zone[zone];
	struct world_sensor *s = sensor_add(w, "fan", zone, WORLD_FAN);
	double share = 1;

	for (unsigned i = 0; i < w->heaters; i++)
		if (w->event[w->heater[i]].zones >> zone & 1)
			share *= f_sudden_fan(&w->event[w->heater[i]],
					      w->now_s);
	(void)snprintf(s->zone, sizeof(s->zone), "air%u", zone);
	s->low = 0.5 * z->rpm;
	s->value = z->rpm * share * (1 + 0.01 * f_normal(&w->dice));
	if (share < 0.1)
		s->value = 0;
	s->ok = share > 0.25;
	s = sensor_add(w, "inlet", zone, WORLD_TEMP);
	(void)snprintf(s->zone, sizeof(s->zone), "air%u", zone);
	s->high = 48;
	s->value = stepped(f_link_air_c(w, zone, w->now_s, F_ALL) +
			   z->wander.value + 0.2 * f_normal(&w->dice), 0.5);
}

void f_tell_sensors(struct world *w)
{
	double supply = 1;

	w->sensors = 0;
	for (unsigned i = 0; i < w->zones; i++)
		zone_tell(w, i);
	for (unsigned i = 0; i < w->events; i++)
		if (w->event[i].row->signature == SIGNATURE_ENVIRONMENT &&
		    !w->event[i].row->heat)
			supply *= f_sudden_supply(&w->event[i], w->now_s);
	for (unsigned i = 0; i < 2; i++) {
		struct world_sensor *s = sensor_add(w, "supply", i,
						    WORLD_SUPPLY);

		s->low = 11.2;
		s->high = 12.8;
		s->value = 12.05 * (i ? 1 : supply) +
			   0.02 * f_normal(&w->dice);
		s->ok = i || (supply > 0.55 && supply < 1.2);
	}
}
