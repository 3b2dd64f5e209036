#include "tests/judge/a_dom.h"

#include <math.h>
#include <string.h>
#include "petrel/clock.h"
#include "platform/sim/codewords.h"
#include "tests/judge/a_noise.h"

#define LIGHT_NOISE_DB 0.025
#define BIAS_NOISE 0.003
#define TEMP_NOISE_C 0.08
#define VCC_NOISE_V 0.003
#define BER_NOISE 0.04
#define DARK_DBM (-40.0)
#define CURRENT_DB_PER_K 0.02	/* of light, at constant current */
#define REFERENCE_C 45.0
#define LEVELS_DB 6.9897	/* of four levels: mean power over Q squared */

/* What an I2C bus that hangs gives: all ones in each register. */
static const struct {
	double temp_c, vcc_v, dbm, bias_ma;
} ones = { -1.0 / 256, 6.5535, 8.165, 131.07 };

void a_dom_init(struct a_dom *m, int64_t period_ns, int64_t late_ns,
		struct draw *d)
{
	memset(m, 0, sizeof(*m));
	m->period_ns = period_ns;
	m->late_ns = late_ns;
	m->next_ns = (int64_t)(draw_unit(d) * (double)period_ns);
	m->vcc_v = 3.3 + 0.015 * draw_rough(d);
}

void a_dom_forget(struct a_dom *m)
{
	m->count = 0;
	m->shown.is_there = false;
}

static double step_to(double value, double step)
{
	return rint(value / step) * step;
}

static void laser_take(const struct a_module_state *at, unsigned n,
		       struct draw *d, struct a_monitors *ret)
{
	const struct a_link *l = &at->port->link;
	double warm_k = l->media->cooled ? 0 : at->temp_c - REFERENCE_C;
	double bias = l->lane[n].bias_ma * (1 + at->stress->bias_share[n]);
	double dbm = l->lane[n].tx_dbm - at->stress->tx_loss_db[n];

	if (l->constant_current)
		dbm -= CURRENT_DB_PER_K * warm_k;
	else
		bias *= exp(warm_k / l->bias_k);
	if (at->stress->tx_dark || at->stress->admin_down) {
		ret->tx_dbm[n] = DARK_DBM;
		ret->bias_ma[n] = 0;
		return;
	}
	ret->tx_dbm[n] = step_to(dbm + LIGHT_NOISE_DB * a_heavy(d), 0.001);
	ret->bias_ma[n] = step_to(bias * (1 + BIAS_NOISE * a_heavy(d)),
				  0.002);
}

static void lane_take(const struct a_module_state *at, unsigned n,
		      struct draw *d, struct a_monitors *ret)
{
	const struct a_port *p = at->port;
	const struct a_link *l = &p->link;
	const struct a_stress *s = at->stress;
	double dbm = l->lane[n].rx_dbm - s->loss_db[n] +
		at->drift->light_db[n];

	if (p->has_lane_ber) {
		ret->lane_ber[n] = eye_ber(l->four_levels,
					   1 / sqrt(at->z[n])) *
			(1 + BER_NOISE * a_heavy(d));
		ret->snr_db[n] = step_to(LEVELS_DB * l->four_levels -
			10 * log10(at->z[n]) + 0.03 * a_heavy(d), 1.0 / 256);
	}
	if (!l->media->optical)
		return;
	laser_take(at, n, d, ret);
	if (s->dark || dbm < DARK_DBM)
		dbm = DARK_DBM;
	else
		dbm = step_to(dbm + LIGHT_NOISE_DB * a_heavy(d), 0.001);
	ret->rx_dbm[n] = dbm;
	ret->rx_los |= (uint8_t)((dbm < l->media->dark_dbm) << n);
	ret->tx_fault |= (uint8_t)((s->tx_dark &&
				    s->reason == DOWN_TX_FAULT) << n);
}

static void garbage(struct a_monitors *ret)
{
	ret->temp_c = ones.temp_c;
	ret->vcc_v = ones.vcc_v;
	ret->ber = NAN;
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++) {
		ret->rx_dbm[i] = ret->tx_dbm[i] = ones.dbm;
		ret->bias_ma[i] = ones.bias_ma;
		ret->lane_ber[i] = ret->snr_db[i] = NAN;
	}
}

static void take(const struct a_dom *m, const struct a_module_state *at,
		 struct draw *d, struct a_monitors *ret)
{
	const struct a_port *p = at->port;
	const struct a_stress *s = at->stress;
	int64_t shown = m->next_ns + s->clock_shift_ns;

	memset(ret, 0, sizeof(*ret));
	ret->taken_ns = m->next_ns;
	ret->shown_ns = shown - shown % NS_PER_S;
	ret->is_there = !(s->dom_missing > 0 && draw_unit(d) < s->dom_missing);
	if (s->dom_garbage > 0 && draw_unit(d) < s->dom_garbage) {
		garbage(ret);
		return;
	}
	ret->temp_c = step_to(at->temp_c + s->temp_lie_k +
			      TEMP_NOISE_C * a_heavy(d), p->temp_step_c);
	ret->vcc_v = step_to(m->vcc_v - s->droop_v - 0.006 * at->load +
			     VCC_NOISE_V * a_heavy(d), 1e-4);
	ret->ber = p->link.media->states_ber && at->is_up ?
		fabs(at->ber * (1 + BER_NOISE * a_heavy(d))) : NAN;
	for (unsigned i = 0; i < p->link.lanes; i++)
		lane_take(at, i, d, ret);
}

/* The poller comes to this module once a pass; what it took is told late_ns
 * after.
 */
void a_dom_step(struct a_dom *m, const struct a_module_state *at,
		struct draw *d)
{
	double slow = fmax(at->stress->dom_slow, 1);

	while (m->next_ns <= at->now_ns) {
		unsigned place = (m->first + m->count) % A_DOM_WAITING;

		if (m->count < A_DOM_WAITING && !at->stress->dom_frozen &&
		    m->next_ns > at->before_ns) {
			take(m, at, d, &m->waiting[place]);
			m->count++;
		}
		m->next_ns += (int64_t)((double)m->period_ns * slow *
					(1 + 0.03 * draw_rough(d)));
	}
	while (m->count > 0 && m->waiting[m->first].taken_ns + m->late_ns <=
	       at->now_ns) {
		m->shown = m->waiting[m->first];
		m->first = (m->first + 1) % A_DOM_WAITING;
		m->count--;
	}
}

static void lanes_tell(const struct a_monitors *m, const struct a_port *p,
		       struct world_reading *ret)
{
	bool optical = p->link.media->optical;

	for (unsigned i = 0; i < p->link.lanes; i++) {
		if (optical) {
			ret->rx_dbm[i] = m->rx_dbm[i];
			ret->tx_dbm[i] = m->tx_dbm[i];
			ret->bias_ma[i] = m->bias_ma[i];
		}
		if (p->has_lane_ber) {
			ret->lane_ber[i] = m->lane_ber[i];
			ret->snr_db[i] = m->snr_db[i];
		}
	}
}

void a_dom_tell(const struct a_dom *m, const struct a_port *p,
		struct world_reading *ret)
{
	ret->temp_c = ret->vcc_v = ret->ber = NAN;
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		ret->rx_dbm[i] = ret->tx_dbm[i] = ret->bias_ma[i] =
			ret->lane_ber[i] = ret->snr_db[i] = NAN;
	ret->has_dom = m->shown.is_there;
	if (!m->shown.is_there)
		return;
	ret->dom_t_ns = m->shown.shown_ns;
	ret->temp_c = m->shown.temp_c;
	ret->vcc_v = m->shown.vcc_v;
	ret->ber = m->shown.ber;
	ret->rx_los = m->shown.rx_los;
	ret->tx_fault = m->shown.tx_fault;
	lanes_tell(&m->shown, p, ret);
}
