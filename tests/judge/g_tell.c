#include "tests/judge/g_tell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/judge/g_air.h"
#include "tests/judge/g_dice.h"
#include "tests/judge/g_live.h"
#include "tests/judge/g_media.h"
#include "tests/judge/g_world.h"

#define DARK_DBM (-40.0)	/* nothing, as drivers show a power of 0 */
#define POWER_STEP_MW 1e-4	/* CMIS 4.0: 0.1 uW, to 6.5535 mW */
#define POWER_MOST_MW 6.5535
#define BIAS_STEP_MA 0.002
#define VCC_STEP_V 1e-4
#define SNR_OF_PAM4_DB 6.99	/* of four levels, a Q of one */
#define LOS_DB (-12.0)
#define HARD_AGE_S 60
#define AS_MANY_BITS 1e-3	/* of a refresh, that a monitor looks at */

static double of_port(const struct g_stress *s, enum g_channel channel)
{
	return s->port[channel - G_LANE_CHANNELS];
}

static double stepped(double value, double step, double low, double high)
{
	return fmin(fmax(round(value / step) * step, low), high);
}

static double power_shown(double dbm)
{
	double mw = stepped(pow(10, dbm / 10), POWER_STEP_MW, 0, POWER_MOST_MW);

	return mw > 0 ? 10 * log10(mw) : DARK_DBM;
}

static void nothing_shown(struct world_reading *r)
{
	r->temp_c = r->vcc_v = r->ber = (double)NAN;
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		r->rx_dbm[i] = r->tx_dbm[i] = r->bias_ma[i] = r->lane_ber[i] =
			r->snr_db[i] = (double)NAN;
	r->rx_los = r->tx_fault = 0;
}

/* A ratio that was counted in a while: no error, no ratio. */
static double ratio_shown(struct world *w, unsigned port, double ber)
{
	struct g_state *s = &w->state[port];
	double bits = (double)w->port[port].speed_mbps * 1e6 /
		      w->port[port].lanes * w->built[port].dom_period_s;

	bits *= w->built[port].traits & TRAIT_COHERENT ? AS_MANY_BITS : 1;
	return g_count(&s->dice, fmin(ber, 0.5) * bits) / bits;
}

static void errors_take(struct world *w, unsigned port, const struct g_live *l,
			struct world_reading *r)
{
	const struct g_port *p = &w->built[port];
	unsigned lanes = p->media->lanes;
	double sum = 0;

	if (l->stress.hold & HOLD_DARK)
		return;
	for (unsigned i = 0; i < lanes; i++) {
		double ber = ratio_shown(w, port, l->ber[i]);

		sum += ber;
		if (p->traits & TRAIT_SHOWS_BER)
			r->lane_ber[i] = ber;
		if (p->traits & TRAIT_SHOWS_SNR)
			r->snr_db[i] = stepped(20 * log10(l->q[i]) +
				SNR_OF_PAM4_DB + 0.05 *
				g_normal(&w->state[port].dice), 0.01, 0, 40);
	}
	if (p->traits & (TRAIT_SHOWS_BER | TRAIT_COHERENT))
		r->ber = sum / lanes;
}

static void light_take(struct world *w, unsigned port, const struct g_live *l,
		       struct world_reading *r)
{
	const struct g_port *p = &w->built[port];
	const struct g_stress *s = &l->stress;
	uint64_t *d = &w->state[port].dice;
	bool dark = s->hold & HOLD_DARK;
	bool off = s->hold & (HOLD_SHUT | HOLD_TX_OFF);

	for (unsigned i = 0; i < p->media->lanes; i++) {
		double noise = p->light_noise_db;
		double rx = noise * (g_normal(d) + g_wander(p->salt + 1000 + i,
							    l->at_s, 900, 3));
		double tx = noise * (g_normal(d) + g_wander(p->salt + 2000 + i,
							    l->at_s, 900, 3));

		r->rx_dbm[i] = dark ? DARK_DBM : power_shown(p->rx_dbm[i] +
			l->rx_db[i] + rx - s->lane[G_RX_SAYS_DB][i]);
		r->tx_dbm[i] = off ? DARK_DBM : power_shown(p->tx_dbm[i] +
			l->tx_db[i] + tx);
		/* A laser that is kept at its power needs more when hot. */
		r->bias_ma[i] = off ? 0 : stepped(p->bias_ma[i] * (l->bias[i] -
			of_port(s, G_BIAS_SAYS) + 0.002 * g_normal(d) +
			(p->traits & TRAIT_KEEPS_POWER ? 0.004 : 0) *
			(l->temp_c - 45)), BIAS_STEP_MA, 0, 131.07 * 4);
		if (dark || l->rx_db[i] < LOS_DB)
			r->rx_los |= (uint8_t)(1u << i);
		if (s->hold & HOLD_TX_OFF && s->reason == DOWN_TX_FAULT)
			r->tx_fault |= (uint8_t)(1u << i);
	}
}

/* All ones, as a bus gives that nobody drives. */
static void garbage_take(const struct g_port *p, struct world_reading *r)
{
	r->temp_c = -1.0 / 256;
	r->vcc_v = 6.5535;
	if (!(p->traits & TRAIT_OPTICAL))
		return;
	for (unsigned i = 0; i < p->media->lanes; i++) {
		r->rx_dbm[i] = r->tx_dbm[i] = 10 * log10(POWER_MOST_MW);
		r->bias_ma[i] = 131.07;
	}
	r->rx_los = r->tx_fault = (uint8_t)((1u << p->media->lanes) - 1);
}

static void monitors_take(struct world *w, unsigned port,
			  const struct g_live *l, struct world_reading *r)
{
	const struct g_port *p = &w->built[port];
	uint64_t *d = &w->state[port].dice;

	nothing_shown(r);
	if (l->stress.hold & HOLD_GARBAGE) {
		garbage_take(p, r);
		return;
	}
	r->temp_c = stepped(l->temp_c + p->temp_error_k + 0.06 * g_normal(d) +
			    of_port(&l->stress, G_TEMP_SAYS_K), p->temp_step_k,
			    -128, 127.99609375);
	r->vcc_v = stepped(p->vcc_v - of_port(&l->stress, G_VCC_V) -
			   0.015 * l->load - of_port(&l->stress, G_VCC_SAYS_V) +
			   0.002 * g_normal(d), VCC_STEP_V, 0, 6.5535);
	if (!(p->traits & TRAIT_OPTICAL))
		return;
	light_take(w, port, l, r);
	errors_take(w, port, l, r);
}

/* Takes them anew where their time has come. */
static void monitors_refresh(struct world *w, unsigned port)
{
	const struct g_port *p = &w->built[port];
	struct g_state *s = &w->state[port];
	double seen_s = w->now_s - (w->at.hard ? HARD_AGE_S : 0);
	int64_t round = (int64_t)floor((seen_s - p->dom_phase_s) /
				       p->dom_period_s);
	struct g_live l;
	double t_s;

	if (round == s->dom_round || round < 0 ||
	    !(p->traits & TRAIT_MONITORS))
		return;
	s->dom_round = round;
	t_s = (double)round * p->dom_period_s + p->dom_phase_s;
	g_live_at(w, port, (struct g_span){ t_s - 2, t_s }, NULL, &l);
	s->dom.has_dom = !(l.stress.hold & (HOLD_ABSENT | HOLD_NO_DOM));
	s->dom.dom_t_ns = (int64_t)((t_s + of_port(&l.stress, G_CLOCK_S)) *
				    1e9);
	if (!s->dom.has_dom)
		nothing_shown(&s->dom);
	else if (!(l.stress.hold & HOLD_FROZEN) || isnan(s->dom.temp_c))
		monitors_take(w, port, &l, &s->dom);
}

static void serial_write(const struct world *w, unsigned port,
			 const struct g_stress *s, char ret[static 24])
{
	const struct g_port *p = &w->built[port];
	uint64_t module = g_hash(w->at.seed * 131 + p->cage + s->modules * 977);

	ret[0] = 0;
	if (!(s->hold & HOLD_ABSENT))
		(void)snprintf(ret, 24, "%c%c%09u", 'A' + (int)p->vendor,
			       'K' + (int)(s->modules % 10),
			       (unsigned)(module % 1000000000));
}

static enum down_reason reason_told(const struct world *w, unsigned port,
				    const struct g_live *l)
{
	const struct g_stress *s = &l->stress;

	if (w->state[port].up)
		return DOWN_UNKNOWN;
	if (s->hold & HOLD_SHUT)
		return DOWN_ADMIN;
	if (s->hold & HOLD_ABSENT)
		return DOWN_NO_MODULE;
	if (!w->tells_reasons)
		return DOWN_UNKNOWN;
	if (s->reason)
		return s->reason;
	return l->code_loss > 1e-4 ? DOWN_FEC_ALIGNMENT_LOSS : DOWN_UNKNOWN;
}

static void counters_show(const struct world *w, unsigned port,
			  struct world_reading *r)
{
	const struct g_counts *c = &w->state[port].counts;
	uint64_t bits = w->port[port].counter_bits == 32 ? UINT32_MAX :
							    UINT64_MAX;

	r->has_counters = true;
	r->has_bins = w->shows_bins && w->port[port].fec == FEC_RS544;
	r->fec_corrected_codewords = c->corrected & bits;
	r->fec_uncorrectable_codewords = c->lost & bits;
	r->fec_symbol_errors = c->symbols & bits;
	r->fec_corrected_bits = c->bits & bits;
	for (unsigned i = 0; r->has_bins && i < WORLD_BINS; i++)
		r->fec_bins[i] = c->bin[i] & bits;
	r->in_octets = c->in_octets & bits;
	r->in_frames = c->in_frames & bits;
	r->in_errors = c->in_errors & bits;
	r->in_discards = c->in_discards & bits;
	r->out_octets = c->out_octets & bits;
	r->out_frames = c->out_frames & bits;
	r->out_discards = c->out_discards & bits;
	r->ecn_marked_frames = c->marked & bits;
	r->pfc_rx_frames[3] = c->pfc_rx & bits;
	r->pfc_tx_frames[3] = c->pfc_tx & bits;
}

static struct world_reading reading_take(struct world *w, unsigned port,
					 const struct g_live *l)
{
	struct g_state *s = &w->state[port];
	const struct g_stress *stress = &l->stress;
	struct world_reading r = s->dom;
	double clock_s = of_port(stress, G_CLOCK_S);

	if (s->dom_round < 0)
		nothing_shown(&r);
	r.t_ns = w->now_ns + (int64_t)(clock_s * 1e9) +
		 (int64_t)g_below(&s->dice, 3000000);
	r.admin_up = !(stress->hold & HOLD_SHUT);
	r.oper_up = s->up;
	r.present = !(stress->hold & HOLD_ABSENT);
	r.down = reason_told(w, port, l);
	r.link_down_count = s->counts.falls;
	serial_write(w, port, stress, r.serial);
	counters_show(w, port, &r);
	for (unsigned i = 0; i < WORLD_QUEUES; i++)
		r.queue_peak_octets[i] = i == 3 ? (uint64_t)(l->load * 2e5 *
			(0.2 + g_unit(&s->dice))) : 0;
	if (!r.present) {
		nothing_shown(&r);
		r.has_dom = false;
	}
	return r;
}

/* A late one is kept for two ticks, and then comes in the place of a young. */
static void reading_deliver(struct g_state *s, const struct world_reading *r,
			    double missing, double late)
{
	s->shown = *r;
	s->is_shown = !g_chance(&s->dice, missing);
	if (s->late_for && --s->late_for == 0) {
		s->shown = s->late;
		s->is_shown = true;
	} else if (!s->late_for && g_chance(&s->dice, late)) {
		s->late = *r;
		s->late_for = 2;
		s->is_shown = false;
	}
}

void g_tell_port(struct world *w, unsigned port, const struct g_live *l)
{
	struct world_reading r;
	double missing = w->at.hard ? 0.03 : 0.002;

	monitors_refresh(w, port);
	r = reading_take(w, port, l);
	if (l->stress.hold & HOLD_NO_READING)
		w->state[port].is_shown = false;
	else
		reading_deliver(&w->state[port], &r, missing,
				l->stress.hold & HOLD_LATE ? 0.3 : 0.0005);
}

bool g_tell_get(const struct world *w, unsigned port,
		struct world_reading *ret)
{
	if (!w->state[port].is_shown)
		return false;
	*ret = w->state[port].shown;
	return true;
}

/* --- sensors ------------------------------------------------------------- */

static struct world_sensor *sensor_add(struct world *w, const char *name,
				       unsigned number, const char *zone)
{
	struct world_sensor *s = &w->sensor[w->sensors++];

	(void)snprintf(s->name, sizeof(s->name), "%s%u", name, number);
	(void)snprintf(s->zone, sizeof(s->zone), "%s", zone);
	return s;
}

static void sensor_set(struct world_sensor *s, enum world_sensor_kind kind,
		       double value, double low, double high)
{
	s->kind = kind;
	s->has_value = true;
	s->value = value;
	s->low = low;
	s->high = high;
	s->ok = value >= low && !(value > high);
}

/* Fans follow the air; the air's sensor sits behind the inlet. */
static void zone_tell(struct world *w, unsigned i)
{
	const struct g_zone *z = &w->zone[i];
	char zone[WORLD_NAME_MAX];
	double air_c = g_air_zone_c(w, i, w->now_s) +
		       g_stress_zone(w, i, G_AIR_K, w->now_s);
	double left = fmax(0, 1 - g_stress_zone(w, i, G_FAN, w->now_s));
	double rpm = (9000 + 220 * fmin(fmax(air_c - z->air_c, -5), 25)) *
			     left + (left > 0 ? 25 * g_normal(&w->dice) : 0);
	double rail_v = 12.05 - g_stress_zone(w, i, G_RAIL_V, w->now_s) +
			0.015 * g_normal(&w->dice);

	(void)snprintf(zone, sizeof(zone), "zone%u", i);
	sensor_set(sensor_add(w, "fan", i, zone), WORLD_FAN,
		   stepped(rpm, 30, 0, 30000), 6000, (double)NAN);
	sensor_set(sensor_add(w, "air", i, zone), WORLD_TEMP,
		   stepped(air_c + 3 + 0.1 * g_normal(&w->dice), 0.5, -40, 125),
		   0, 52);
	sensor_set(sensor_add(w, "rail", i, zone), WORLD_SUPPLY,
		   stepped(rail_v, 0.01, 0, 16), 11.4, 12.6);
}

void g_tell_sensors(struct world *w)
{
	w->sensors = 0;
	for (unsigned i = 0; i < G_ZONES; i++)
		zone_tell(w, i);
	/* Now and then a sensor does not answer. */
	if (g_chance(&w->dice, 0.003))
		w->sensor[g_below(&w->dice, G_ZONES * 3)].has_value = false;
	for (unsigned i = 0; i < 2; i++)
		sensor_set(sensor_add(w, "psu", i, ""), WORLD_SUPPLY,
			   stepped(54 + 0.05 * g_normal(&w->dice), 0.05, 0,
				   70), 50, 58);
}
