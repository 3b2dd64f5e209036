/* RATES: what orchagent's Lua scripts compute from a port's counters, with all
 * of their faults: smoothing, an assumed interval, a maximum that never falls.
 */
#include "platform/vswitch/rows.h"

#include <math.h>
#include <string.h>

#include "platform/vswitch/box.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define ALPHA 0.18
#define POST_BER_ASSUMED 1e-8
#define BIN_FROM_FRAMES 10.0	/* fewer are not used in the fit */
#define FIT_TO_BIN 21

enum { IN_OCTETS, IN_UCAST, IN_OTHER, OUT_OCTETS, OUT_UCAST, OUT_OTHER };

/* The order of struct rates.last. */
static const char *const last_names[] = {
	[IN_OCTETS] = "SAI_PORT_STAT_IF_IN_OCTETS_last",
	[IN_UCAST] = "SAI_PORT_STAT_IF_IN_UCAST_PKTS_last",
	[IN_OTHER] = "SAI_PORT_STAT_IF_IN_NON_UCAST_PKTS_last",
	[OUT_OCTETS] = "SAI_PORT_STAT_IF_OUT_OCTETS_last",
	[OUT_UCAST] = "SAI_PORT_STAT_IF_OUT_UCAST_PKTS_last",
	[OUT_OTHER] = "SAI_PORT_STAT_IF_OUT_NON_UCAST_PKTS_last",
};

/* The rate of the chip's lanes, including encoding; 0 if the script does not
 * know it, and then it divides by that.
 */
static double serdes_bps(const struct box_port *p)
{
	static const struct { uint64_t gbps; double bps; } known[] = {
		{ 1, 1.25e9 },	     { 10, 10.3125e9 }, { 25, 25.78125e9 },
		{ 50, 53.125e9 },    { 100, 106.25e9 }, { 200, 212.5e9 },
	};
	uint64_t lane = p->facts.speed_bps / p->facts.lanes / 1000000000;

	for (size_t i = 0; i < COUNT(known); i++)
		if (known[i].gbps == lane)
			return known[i].bps;
	return 0;
}

static void counts_of(const struct box_port *p, uint64_t ret[6])
{
	const struct plant_port *s = &p->shown, *b = &p->base;

	ret[IN_OCTETS] = s->in_octets - b->in_octets;
	ret[IN_OTHER] = s->in_non_ucast_frames - b->in_non_ucast_frames;
	ret[IN_UCAST] = s->in_frames - b->in_frames - ret[IN_OTHER];
	ret[OUT_OCTETS] = s->out_octets - b->out_octets;
	ret[OUT_OTHER] = s->out_non_ucast_frames - b->out_non_ucast_frames;
	ret[OUT_UCAST] = s->out_frames - b->out_frames - ret[OUT_OTHER];
}

static double per_second(uint64_t now, uint64_t last, double interval_ms)
{
	return ((double)now - (double)last) / interval_ms * 1000;
}

static double smooth(double old, double new, unsigned rounds)
{
	return rounds < 2 ? new : ALPHA * new + (1 - ALPHA) * old;
}

static void rates_step(struct rates *r, const uint64_t now[6], double ms)
{
	for (unsigned way = 0; way < 2; way++) {
		const uint64_t *last = r->last + 3 * way;
		const uint64_t *n = now + 3 * way;

		r->bps[way] = smooth(r->bps[way],
				     per_second(n[0], last[0], ms), r->rounds);
		r->pps[way] = smooth(r->pps[way],
				     per_second(n[1], last[1], ms) +
				     per_second(n[2], last[2], ms), r->rounds);
	}
}

static void rates_write(struct out *o, const struct rates *r, uint64_t oid)
{
	static const char *const names[2][2] = {
		{ "RX_BPS", "RX_PPS" }, { "TX_BPS", "TX_PPS" },
	};

	out_row_oid(o, "RATES", oid);
	for (unsigned i = 0; i < COUNT(last_names); i++)
		out_u64(o, last_names[i], r->last[i]);
	for (unsigned way = 0; r->rounds > 1 && way < 2; way++) {
		out_lua(o, names[way][0], r->bps[way]);
		out_lua(o, names[way][1], r->pps[way]);
	}
}

/* The highest bin that ever counted. */
static int max_t(const struct box_port *p)
{
	int highest = -1;

	for (int i = 0; i < RATES_BINS; i++)
		if (p->shown.fec_bins[i] > p->base.fec_bins[i])
			highest = i;
	return highest;
}

/* It divides by the configured interval, not by the elapsed time, and its first
 * round uses the whole counter for one interval.
 */
static void ber_write(struct box_port *p, double interval_s)
{
	struct out *o = p->out;
	struct rates *r = &p->rates;
	uint64_t bits = p->shown.fec_corrected_bits -
			p->base.fec_corrected_bits;
	uint64_t bad = p->shown.fec_uncorrectable_codewords -
		       p->base.fec_uncorrectable_codewords;
	double all = serdes_bps(p) * p->facts.lanes * interval_s;
	double pre = (double)(bits - r->bits_last) / all;
	double post = (double)(bad - r->bad_last) * POST_BER_ASSUMED / all;

	if (pre > r->pre_ber_max)
		r->pre_ber_max = pre;
	r->bits_last = bits;
	r->bad_last = bad;
	out_lua(o, "FEC_PRE_BER", pre);
	out_lua(o, "FEC_POST_BER", post);
	out_lua(o, "FEC_PRE_BER_MAX", r->pre_ber_max);
	out_lua(o, "FEC_MAX_T", max_t(p));
	out_u64(o, "SAI_PORT_STAT_IF_FEC_CORRECTED_BITS_last", bits);
	out_u64(o, "SAI_PORT_STAT_IF_FEC_NOT_CORRECTABLE_FARMES_last", bad);
}

static void init_done_write(struct out *o, const struct rates *r, uint64_t oid)
{
	char name[OUT_OID_MAX + 8];

	if (r->rounds > 2)
		return;
	out_oid_text(oid, name);
	strcat(name, ":PORT");
	out_row(o, COUNTERS_DB, "RATES", name);
	out_text(o, "INIT_DONE", r->rounds < 2 ? "COUNTERS_LAST" : "DONE");
	out_row_end(o);
}

void rates_ports(struct box *b, int64_t interval_ns)
{
	double interval_s = (double)interval_ns / (double)NS_PER_S;

	for (struct box_port *p = NULL; (p = box_next(b, p));) {
		struct rates *r = &p->rates;
		uint64_t now[6];

		counts_of(p, now);
		if (r->rounds > 0)
			rates_step(r, now, interval_s * 1000);
		memcpy(r->last, now, sizeof(now));
		r->rounds++;
		rates_write(p->out, r, p->oid);
		if (p->facts.fec[0] == 'r')
			ber_write(p, interval_s);
		out_row_end(p->out);
		init_done_write(p->out, r, p->oid);
	}
}

void rates_settings(struct box *b)
{
	static const struct out_pair pairs[] = {
		{ "PORT_ALPHA", "0.18" },
		{ "PORT_SMOOTH_INTERVAL", "10" },
		{ NULL, NULL },
	};

	for (unsigned i = 0; i < b->asic_count; i++)
		out_pairs(&b->asic[i].out, COUNTERS_DB, "RATES", "PORT",
			  pairs);
}

/* --- frame loss ----------------------------------------------------------- */

/* Codewords per frame, as the script assumes. */
static double interleaving(const struct box_port *p)
{
	uint64_t gbps = p->facts.speed_bps / 1000000000;
	unsigned lanes = p->facts.lanes;

	if (lanes == 8 && (gbps == 1600 || gbps == 800))
		return 4;
	if ((gbps == 400 && (lanes == 8 || lanes == 4)) ||
	    (gbps == 200 && (lanes == 4 || lanes == 2)) ||
	    (gbps == 100 && lanes == 2))
		return 2;
	return 1;
}

struct fit { double n, x, y, xx, xy, yy; };

/* Fits a straight line to the logarithms of the bins, and extrapolates to
 * codewords with too many wrong symbols. total leaves out the good ones: the
 * script has overwritten what it would need to count them.
 */
static void predict(struct rates *r, const uint64_t delta[RATES_BINS], double x)
{
	struct fit f = { 0 };
	double total = 0, slope, level, rate = 0;

	for (int i = 1; i < RATES_BINS; i++)
		total += (double)delta[i];
	for (int i = 1; i < RATES_BINS; i++) {
		double y = log10((double)delta[i] / total);

		if ((double)delta[i] <= BIN_FROM_FRAMES)
			continue;
		f = (struct fit){ f.n + 1, f.x + i, f.y + y, f.xx + i * i,
				  f.xy + i * y, f.yy + y * y };
	}
	r->flr_predicted = r->r_squared = 0;
	if (f.n < 2)
		return;
	slope = (f.n * f.xy - f.x * f.y) / (f.n * f.xx - f.x * f.x);
	level = (f.y - slope * f.x) / f.n;
	for (int j = RATES_BINS; j <= FIT_TO_BIN; j++)
		rate += pow(10, level + slope * j);
	r->flr_predicted = rate * (1 + 8 * x) / 8;
	r->r_squared = pow(f.n * f.xy - f.x * f.y, 2) /
		       ((f.n * f.xx - f.x * f.x) * (f.n * f.yy - f.y * f.y));
}

static void losses_step(struct box_port *p)
{
	struct rates *r = &p->rates;
	uint64_t delta[RATES_BINS];
	double all, x = interleaving(p);
	uint64_t corrected = p->shown.fec_corrected_codewords;
	uint64_t bad = p->shown.fec_uncorrectable_codewords;

	for (int i = 0; i < RATES_BINS; i++) {
		delta[i] = p->shown.fec_bins[i] - r->bins_last[i];
		r->bins_last[i] = p->shown.fec_bins[i];
	}
	all = (double)(bad - r->uncorrected_last) +
	      (double)(corrected - r->corrected_last) + (double)delta[0];
	r->flr = all > 0 ? x * (double)(bad - r->uncorrected_last) / all : 0;
	predict(r, delta, x);
	r->corrected_last = corrected;
	r->uncorrected_last = bad;
}

void rates_losses(struct box *b)
{
	for (struct box_port *p = NULL; (p = box_next(b, p));) {
		if (p->facts.fec[0] != 'r')
			continue;
		losses_step(p);
		out_row_oid(p->out, "RATES", p->oid);
		out_lua(p->out, "FEC_FLR", p->rates.flr);
		out_lua(p->out, "FEC_FLR_PREDICTED", p->rates.flr_predicted);
		out_lua(p->out, "FEC_FLR_R_SQUARED", p->rates.r_squared);
		out_row_end(p->out);
	}
	for (unsigned i = 0; i < b->asic_count; i++) {
		out_row(&b->asic[i].out, COUNTERS_DB, "RATES", "GLOBAL");
		out_u64(&b->asic[i].out, "FEC_FLR_TIMESTAMP_last",
			(uint64_t)b->asic[i].out.now_s);
		out_row_end(&b->asic[i].out);
	}
}
