#include "tests/judge/f_link.h"

#include <math.h>
#include <string.h>

#define LEAST_BER 1e-18
#define DB_PER_E 0.23025850929940458	/* ln 10 / 10 */
#define OFF_RISE 0.25			/* of the heat of a module that sends */

static bool counts(const struct world *w, const struct f_event *e, int which)
{
	if (which == F_ALL)
		return true;
	if (which == F_FAULTS)
		return !e->row->benign;
	return which >= 0 && e == &w->event[which];
}

void f_link_effects(const struct world *w, const struct f_moment *m, int which,
		    struct f_effect *ret)
{
	const struct f_port *p = &w->state[m->port];

	memset(ret, 0, sizeof(*ret));
	ret->load = -1;
	for (unsigned i = 0; i < p->events; i++) {
		const struct f_event *e = &w->event[p->event[i]];

		/* A burst of this tick may be over. */
		double begin_s = m->t_s - (e->bursts ? m->tick_s : 0);

		if (m->t_s < e->onset_s || !e->row->act ||
		    (begin_s >= e->end_s && !e->row->lasting) ||
		    !counts(w, e, which))
			continue;
		e->row->act(e, m, ret);
	}
}

double f_link_air_c(const struct world *w, unsigned zone, double t_s, int which)
{
	const struct f_zone *z = &w->zone[zone];
	double air_c = z->inlet_c + z->day_c *
		       sin(2 * M_PI * (t_s - z->day_at_s) / F_DAY_S);

	for (unsigned i = 0; i < w->heaters; i++) {
		const struct f_event *e = &w->event[w->heater[i]];

		if (e->zones >> zone & 1 && t_s >= e->onset_s &&
		    counts(w, e, which))
			air_c += e->row->heat(e, t_s);
	}
	return air_c;
}

double f_link_load(const struct world *w, const struct f_port *p, double t_s,
		   const struct f_effect *x)
{
	double day = 1 + w->load_day *
		     sin(2 * M_PI * (t_s - w->load_at_s) / F_DAY_S);

	if (x->load >= 0)
		return x->load;
	return fmin(0.95, p->load * day);
}

double f_link_heat_c(const struct world *w, const struct f_port *p, double t_s,
		     const struct f_effect *x, int which)
{
	double air_c = f_link_air_c(w, p->zone, t_s, which);
	double rise_c = p->rise_c + p->load_c * f_link_load(w, p, t_s, x);

	if (x->off || x->absent)
		rise_c *= OFF_RISE;
	return air_c + rise_c + x->heat_c;
}

/* Noise against a signal that came down by so many dB, over what it was: that
 * of the amplifier is constant, shot noise falls with the root.
 */
static double noise_over(const struct f_port *p, double loss_db)
{
	double less;

	if (loss_db == 0)
		return 1;
	less = exp(DB_PER_E * fmin(loss_db, 40));
	return p->floor + less * (p->shot + less * p->thermal);
}

double f_link_ber(const struct world *w, const struct f_port *p,
		  const struct f_effect *x, const double *sway_db,
		  struct f_eye *ret_lane)
{
	unsigned lanes = p->kind->lanes;
	double sum = 0;

	for (unsigned i = 0; i < lanes; i++) {
		double loss_db = x->loss_db[i] + (sway_db ? sway_db[i] : 0);
		double snr_db = p->lane_db[i] + x->snr_db + x->lane_snr_db[i];
		double q = p->q * exp(-DB_PER_E / 2 * snr_db), ber;

		if (p->kind->optical)
			q /= sqrt(noise_over(p, loss_db));
		ber = exp(M_LN10 * f_eyes_log_ber(&w->eyes, p->kind->pam4, q));
		sum += ber;
		if (ret_lane)
			ret_lane[i] = (struct f_eye){ ber, q };
	}
	return fmax(sum / lanes, LEAST_BER);
}

void f_link_level(const struct world *w, struct f_port *p, double log_ber)
{
	static const struct f_effect none;
	double low = 0, high = F_Q_STEPS * F_Q_PER_STEP;

	for (int i = 0; i < 30; i++) {
		p->q = (low + high) / 2;
		if (log10(f_link_ber(w, p, &none, NULL, NULL)) > log_ber)
			low = p->q;
		else
			high = p->q;
	}
}

double f_link_heat_decades(const struct f_port *p, double temp_c)
{
	return fmin(2.5, p->ber_per_c * (temp_c - p->ref_c));
}

double f_link_mean(const struct world *w, unsigned port, double t_s, int which,
		   struct f_effect *ret)
{
	const struct f_port *p = &w->state[port];
	struct f_moment m = { w, port, t_s, 0 };

	f_link_effects(w, &m, which, ret);
	return log10(f_link_ber(w, p, ret, NULL, NULL)) + ret->decades +
	       f_link_heat_decades(p, f_link_heat_c(w, p, t_s, ret, which));
}

double f_link_db_for(const struct world *w, const struct f_port *p,
		     const double part[static WORLD_LANES_MAX], bool as_light,
		     double log_ber, double most_db)
{
	double low = 0, high = most_db;

	for (int i = 0; i < 24; i++) {
		double db = (low + high) / 2;
		struct f_effect x = { 0 };

		for (unsigned k = 0; k < p->kind->lanes; k++)
			*(as_light ? &x.loss_db[k] : &x.lane_snr_db[k]) =
				db * part[k];
		if (log10(f_link_ber(w, p, &x, NULL, NULL)) < log_ber)
			low = db;
		else
			high = db;
	}
	return high;
}
