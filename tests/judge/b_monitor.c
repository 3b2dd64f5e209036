/* Formats and steps are those of CMIS and SFF-8636: 1/256 degree (many
 * modules: whole ones), 100 uV, 2 uA, 0.1 uW (1 uW as SONiC rounds SFF-8636);
 * SNR in 1/256 dB. Garbage is a bus that reads ones or zeros, or a converter
 * that gives anything. Noise of converters: 0.2 to 1.5 % of light (chosen;
 * CMIS promises 3 dB).
 */
#include "tests/judge/b_monitor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/judge/b_world.h"

#define ONES_DBM 8.165		/* 6.5535 mW */
#define ONES_BIAS_MA 131.07
#define NO_LIGHT_DBM (-40.0)
#define SNR_OVER_EYE_DB 6.99	/* PAM4: mean power is 5 Q^2 */
#define CALM_MV 3.0

static double stepped(double value, double step)
{
	return floor(value / step + 0.5) * step;
}

static double light_read(struct b_port *p, double dbm)
{
	double mw = exp(dbm * (M_LN10 / 10)) *
		    (1 + p->adc_share * b_draw_normal(&p->draw));

	mw = stepped(mw + 2e-5 * b_draw_normal(&p->draw), p->power_step_mw);
	if (mw < 1e-4)
		return NO_LIGHT_DBM;
	return stepped(log(mw) * (10 / M_LN10), 1e-3);
}

/* A few significant digits, as the format F16 has them. */
static double ber_read(struct b_port *p, double ber)
{
	double unit, x = ber * (1 + 0.02 * b_draw_normal(&p->draw));

	if (!(x > 1e-15))
		return 0;
	unit = exp(M_LN10 * (floor(log10(x)) - 3));
	return stepped(x, unit);
}

static void lane_read(struct b_port *p, unsigned i, struct b_dom *dom)
{
	const struct b_lane *l = &p->lane[i];
	const struct b_effect *e = &p->effect;
	/* threshold current rises with heat, by e in 60 degrees or so */
	double warm = 0.25 * expm1((p->temp_c - p->usual_c) / 60);
	bool is_lit = !e->admin_down;

	dom->rx_dbm[i] = light_read(p, l->light_dbm);
	dom->tx_dbm[i] = is_lit ? light_read(p, l->tx_dbm - e->tx_db[i]) :
				  NO_LIGHT_DBM;
	dom->bias_ma[i] = !is_lit ? 0 :
		stepped(l->bias_ma * (1 + e->bias_share[i] + warm) *
			(1 + 0.002 * b_draw_normal(&p->draw)), 2e-3);
	if (l->light_dbm < p->media->rx_low_dbm - 6)
		dom->rx_los |= (uint8_t)(1u << i);
	if (e->tx_db[i] > 20)
		dom->tx_fault |= (uint8_t)(1u << i);
	if (p->has_vdm && p->is_up)
		dom->lane_ber[i] = ber_read(p, l->ber);
	if (p->has_snr && !(dom->rx_los >> i & 1))
		dom->snr_db[i] = stepped(l->eye_db + SNR_OVER_EYE_DB +
			0.08 * b_draw_normal(&p->draw), 1.0 / 256);
}

static void garbage_read(struct b_port *p, struct b_dom *dom)
{
	enum b_garbage kind = p->effect.garbage;
	bool is_ones = kind == B_GARBAGE_ONES, is_wild = kind == B_GARBAGE_WILD;

	dom->temp_c = is_wild ? b_draw_between(&p->draw, -128, 127.9) :
		      is_ones ? -1.0 / 256 : 0;
	dom->vcc_v = is_wild ? b_draw_between(&p->draw, 0, 6.5) :
		     is_ones ? 6.5535 : 0;
	for (unsigned i = 0; p->row->optical && i < p->lanes; i++) {
		double u = b_draw_unit(&p->draw);

		dom->rx_dbm[i] = is_wild ? -40 + 48 * u :
				 is_ones ? ONES_DBM : NO_LIGHT_DBM;
		dom->tx_dbm[i] = dom->rx_dbm[i];
		dom->bias_ma[i] = is_wild ? u * ONES_BIAS_MA :
				  is_ones ? ONES_BIAS_MA : 0;
	}
}

static void nothing_read(struct b_dom *dom)
{
	dom->temp_c = dom->vcc_v = dom->ber = NAN;
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++) {
		dom->rx_dbm[i] = dom->tx_dbm[i] = dom->bias_ma[i] = NAN;
		dom->lane_ber[i] = dom->snr_db[i] = NAN;
	}
	dom->rx_los = dom->tx_fault = 0;
}

static void all_read(struct b_port *p, struct b_dom *dom)
{
	double sum = 0;

	nothing_read(dom);
	dom->temp_c = stepped(p->temp_c + 0.12 * b_draw_normal(&p->draw),
			      p->temp_step_c);
	dom->vcc_v = stepped(p->vcc_v + p->effect.vcc_v + CALM_MV * 1e-3 *
			     b_draw_normal(&p->draw), 1e-4);
	for (unsigned i = 0; p->row->optical && i < p->lanes; i++) {
		lane_read(p, i, dom);
		sum += dom->lane_ber[i];
	}
	if (p->has_vdm && p->is_up)
		dom->ber = sum / p->lanes;
	if (p->effect.garbage)
		garbage_read(p, dom);
}

void b_monitor_step(struct world *w, struct b_port *p)
{
	const struct b_effect *e = &p->effect;
	struct b_dom *old = &p->dom[p->dom_newest], *dom;

	if (e->absent || !p->has_monitors) {
		for (unsigned i = 0; i <= w->dom_lag; i++)
			p->dom[i].is_there = false;
		return;
	}
	if ((w->tick + p->cage) % w->dom_every || e->dom_is_stale)
		return;
	p->dom_newest = (p->dom_newest + 1) % (w->dom_lag + 1);
	dom = &p->dom[p->dom_newest];
	if (e->dom_fails || (p->was_bursting && e->is_contact &&
			     b_draw_unit(&p->draw) < 0.6)) {
		dom->is_there = false;
		return;
	}
	if (e->dom_is_still && old->is_there)
		*dom = *old;
	else
		all_read(p, dom);
	dom->is_there = true;
	dom->t_ns = w->now_ns + w->clock_ns;
}

static void sensor_add(struct world *w, enum world_sensor_kind kind,
		       unsigned zone, const char *name, double low,
		       double high)
{
	struct world_sensor *s = &w->sensor[w->sensor_count++];

	(void)snprintf(s->name, sizeof(s->name), "%s%u", name,
		       w->sensor_count);
	(void)snprintf(s->zone, sizeof(s->zone), "zone%u", zone);
	s->kind = kind;
	s->low = low;
	s->high = high;
}

void b_monitor_sensors_build(struct world *w)
{
	/* A switch in six tells nothing of its own. */
	if (b_draw_unit(&w->draw) < 1.0 / 6)
		return;
	for (unsigned zone = 0; zone < B_ZONES; zone++) {
		sensor_add(w, WORLD_FAN, zone, "fan", 3000, 24000);
		sensor_add(w, WORLD_FAN, zone, "fan", 3000, 24000);
		sensor_add(w, WORLD_TEMP, zone, "inlet", NAN, 45);
		sensor_add(w, WORLD_SUPPLY, zone, "rail", 3.13, 3.47);
	}
}

static void sensor_read(struct world *w, unsigned index,
			const struct b_effect *e, bool has_dead_fan)
{
	struct world_sensor *s = &w->sensor[index];
	unsigned zone = index / 4;
	double noise = b_draw_normal(&w->draw), air = w->air_k[zone] + e->air_k;

	s->has_value = b_draw_unit(&w->draw) > 0.003;
	switch (s->kind) {
	case WORLD_FAN:
		s->value = has_dead_fan && index % 4 == 0 ? 0 :
			   stepped(9500 + 250 * air + 60 * noise, 30);
		break;
	case WORLD_TEMP:
		s->value = stepped(27 + air + 0.15 * noise, 0.5);
		break;
	default:
		s->value = stepped(3.3 + e->vcc_v + 0.004 * noise, 1e-3);
		break;
	}
	s->ok = !(s->value < s->low) && !(s->value > s->high);
	if (!s->has_value)
		s->value = NAN;
}

void b_monitor_sensors_step(struct world *w)
{
	if (w->tick % w->dom_every)
		return;
	for (unsigned i = 0; i < w->sensor_count; i++) {
		struct b_effect e = { 0 };
		bool has_dead_fan = false;

		for (unsigned j = 0; j < w->plan_count; j++) {
			const struct b_happening *h = &w->plan[j];

			if (h->kind->signature != SIGNATURE_ENVIRONMENT ||
			    h->zone != i / 4)
				continue;
			b_effect_add(&e, h, w->now_ns, w->now_ns);
			has_dead_fan |= w->now_ns >= h->onset_ns &&
					!strcmp(h->kind->what, "fan_dead");
		}
		sensor_read(w, i, &e, has_dead_fan);
	}
}
