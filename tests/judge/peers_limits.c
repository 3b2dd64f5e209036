/* Peers that hold readings against fixed limits. */
#include "tests/judge/peers.h"

#include <math.h>

#define NS 1e-9
#define UFM_WINDOW_S 60.0
#define LINE_RATIO 1.0625	/* bits on the line for one of the MAC, KP4 */

size_t peers_list(const struct peer *const **ret)
{
	static const struct peer *const list[] = {
		&peer_xcvrd, &peer_ufm, &peer_flr, &peer_kmeans,
	};

	*ret = list;
	return sizeof(list) / sizeof(list[0]);
}

uint64_t peers_step(uint64_t before, uint64_t now, unsigned bits)
{
	if (before == UINT64_MAX)
		return 0;
	if (now >= before)
		return now - before;
	if (bits == 32 && before >> 31 == 1)
		return now + (UINT64_C(1) << 32) - before;
	return 0;
}

/* --- xcvrd: the module's own limits -------------------------------------- */

static enum severity beyond(double value, const double limit[static
			    WORLD_EDGE_COUNT])
{
	if (isnan(value))
		return 0;
	if (value > limit[WORLD_HIGH_ALARM] || value < limit[WORLD_LOW_ALARM])
		return SEVERITY_CRITICAL;
	if (value > limit[WORLD_HIGH_WARN] || value < limit[WORLD_LOW_WARN])
		return SEVERITY_WARN;
	return 0;
}

static enum severity worse(enum severity a, enum severity b)
{
	return a > b ? a : b;
}

static enum severity xcvrd_step(void *mine, const struct world_port *port,
				const struct world_reading *r,
				double *ret_loss_log10)
{
	const struct world_limits *l = &port->limits;
	enum severity s;

	(void)mine;
	(void)ret_loss_log10;
	if (!r->has_dom || !r->present || !r->admin_up || !l->known)
		return 0;
	s = worse(beyond(r->temp_c, l->temp_c), beyond(r->vcc_v, l->vcc_v));
	for (unsigned i = 0; i < port->lanes && i < WORLD_LANES_MAX; i++) {
		s = worse(s, beyond(r->rx_dbm[i], l->rx_dbm));
		s = worse(s, beyond(r->tx_dbm[i], l->tx_dbm));
		s = worse(s, beyond(r->bias_ma[i], l->bias_ma));
	}
	return s;
}

const struct peer peer_xcvrd = {
	.name = "xcvrd",
	.rule = "a monitor beyond the module's own warning or alarm limit",
	.step = xcvrd_step,
};

/* --- UFM's table of bit error ratios ------------------------------------- */

struct ufm {
	bool started;
	uint64_t bits;
	int64_t t_ns;
	double errors, s;		/* of the window */
	enum severity now;
};

/* Raw bit error ratio, per kind of link: UFM's BER thresholds, table V06. */
static const struct ufm_row {
	bool kr4, optical;		/* kr4: NRZ lanes */
	double warn, error;
} ufm_rows[] = {
	{ false, true, 5e-6, 1e-5 },	/* NDR optics */
	{ false, false, 5e-7, 1e-6 },	/* NDR copper, with retransmission */
	{ true, true, 5e-13, 1e-12 },	/* EDR */
	{ true, false, 5e-13, 1e-12 },
};

static enum severity ufm_judge(const struct world_port *port, double ber)
{
	bool kr4 = port->fec != FEC_RS544 && port->fec != FEC_RS272;

	for (size_t i = 0; i < sizeof(ufm_rows) / sizeof(ufm_rows[0]); i++) {
		const struct ufm_row *row = &ufm_rows[i];

		if (row->kr4 != kr4 || row->optical != port->optical)
			continue;
		if (ber >= row->error)
			return SEVERITY_CRITICAL;
		return ber >= row->warn ? SEVERITY_WARN : 0;
	}
	return 0;
}

static enum severity ufm_step(void *mine, const struct world_port *port,
			      const struct world_reading *r,
			      double *ret_loss_log10)
{
	struct ufm *u = mine;
	double dt_s = (double)(r->t_ns - u->t_ns) * NS;

	(void)ret_loss_log10;
	if (!r->has_counters || port->fec == FEC_NONE || port->coherent)
		return 0;
	if (u->started && dt_s > 0 && dt_s < 10 * UFM_WINDOW_S && r->oper_up) {
		u->errors += (double)peers_step(u->bits, r->fec_corrected_bits,
						port->counter_bits);
		u->s += dt_s;
	}
	u->started = true;
	u->bits = r->fec_corrected_bits;
	u->t_ns = r->t_ns;
	if (u->s < UFM_WINDOW_S)
		return u->now;
	u->now = ufm_judge(port, u->errors / (u->s * LINE_RATIO * 1e6 *
					      (double)port->speed_mbps));
	u->errors = u->s = 0;
	return u->now;
}

const struct peer peer_ufm = {
	.name = "UFM BER",
	.rule = "raw bit error ratio of a minute beyond UFM's table; kinder: "
		"without its wait of 125 min",
	.state_size = sizeof(struct ufm),
	.step = ufm_step,
};

/* --- SONiC's prediction of frame loss ------------------------------------ */

#define FLR_PERIOD_S 120
#define FLR_COUNT_LEAST 10
#define FLR_LIMIT_LOG10 (-11.7695510786217261)	/* 1.7e-12, IEEE 802.3 */
#define FLR_FITTED 15		/* bins 1 to 15 */
#define FLR_LAST 20		/* summed from 16 to this */

struct flr {
	bool started;
	uint64_t bins[WORLD_BINS];
	int64_t t_ns;
	enum severity now;
};

/* Codewords over which a frame is spread. */
static unsigned flr_interleave(const struct world_port *port)
{
	if (port->speed_mbps >= 800000)
		return 4;
	return port->speed_mbps >= 200000 ? 2 : 1;
}

/* log10 of the share of codewords beyond repair: a straight line through the
 * logs of the bins, unweighted. NAN: fewer than two bins counted enough.
 */
static double flr_line(const double count[static WORLD_BINS])
{
	double n = 0, x = 0, y = 0, xx = 0, xy = 0, total = 0, slope, sum = 0;

	for (unsigned i = 0; i < WORLD_BINS; i++)
		total += count[i];
	for (unsigned i = 1; i <= FLR_FITTED; i++) {
		double v;

		if (count[i] <= FLR_COUNT_LEAST)
			continue;
		v = log10(count[i] / total);
		n++;
		x += i;
		y += v;
		xx += (double)i * i;
		xy += i * v;
	}
	if (n < 2)
		return NAN;
	slope = (n * xy - x * y) / (n * xx - x * x);
	for (unsigned i = FLR_FITTED + 1; i <= FLR_LAST; i++)
		sum += pow(10, y / n + slope * (i - x / n));
	return log10(sum);
}

static void flr_predict(struct flr *f, const struct world_port *port,
			const struct world_reading *r, double *ret_loss_log10)
{
	double count[WORLD_BINS], loss;
	unsigned x = flr_interleave(port);

	for (unsigned i = 0; i < WORLD_BINS; i++)
		count[i] = (double)peers_step(f->bins[i], r->fec_bins[i],
					      port->counter_bits);
	loss = flr_line(count) + log10((1 + 8.0 * x) / 8);
	f->now = loss > FLR_LIMIT_LOG10 ? SEVERITY_WARN : 0;
	if (!isnan(loss))
		*ret_loss_log10 = fmin(loss, 0);
}

static enum severity flr_step(void *mine, const struct world_port *port,
			      const struct world_reading *r,
			      double *ret_loss_log10)
{
	struct flr *f = mine;
	int64_t dt_ns = r->t_ns - f->t_ns;

	if (!r->has_counters || !r->has_bins)
		return f->now;
	if (f->started && dt_ns >= 0 &&
	    dt_ns < FLR_PERIOD_S * INT64_C(1000000000))
		return f->now;
	if (f->started && dt_ns > 0)
		flr_predict(f, port, r, ret_loss_log10);
	for (unsigned i = 0; i < WORLD_BINS; i++)
		f->bins[i] = r->fec_bins[i];
	f->t_ns = r->t_ns;
	f->started = true;
	return f->now;
}

const struct peer peer_flr = {
	.name = "SONiC FLR",
	.rule = "log-linear regression over the histogram of 120 s foretells "
		"a frame loss over 1.7e-12; kinder: guarded against resets",
	.state_size = sizeof(struct flr),
	.step = flr_step,
};
