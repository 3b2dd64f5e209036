/* Versatile diagnostics of CMIS modules, as xcvrd shows them, and the
 * statistics of coherent ones (C-CMIS, TRANSCEIVER_PM). Owns what a module
 * keeps of the time between two readings.
 */
#include "platform/vswitch/module_view.h"

#include <math.h>
#include <stdio.h>

#include "platform/sim/eeprom.h"
#include "platform/vswitch/box.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define LANES 8
#define PM_TABLE "TRANSCEIVER_PM"
#define COHERENT_FIRST 21	/* only coherent modules have these */
#define ITEMS_MAX 39
#define SNR_PER_DB 256.0
#define U16_MOST 65535.0

/* The value of a slot; this module does not support the other names. */
enum what { NOTHING, LASER_TEMP, SNR, BER_MIN, BER_MAX, BER_AVG, BER_CURR,
	    LOST_CURR, LINE, BIAS };

/* For a module with a pre-FEC BER of 2.4e-4; order HA LA HW LW. */
struct vdm_item {
	const char *name;		/* #: the lane's number */
	uint8_t what;
	double limit[PLANT_EDGE_COUNT];
	uint8_t of;			/* LINE: enum plant_coherent_value */
	bool is_signed;
	double step;
};

#define OF(name, what, ...) { name "#", what, { __VA_ARGS__ }, 0, false, 0 }
#define BER_OF(name, what) OF(name, what, 2.4e-4, 0, 1.0e-4, 0)
#define NEVER(name) OF(name, NOTHING, 0)
#define BIAS_OF(name, n)						\
	{ name "#", BIAS, { 95, 5, 90, 10 }, n, false, 100 / U16_MOST }
#define LINE_OF(name, value, is_signed, step)				\
	{ name "#", LINE, { 0 }, COHERENT_##value, is_signed, step }

static const struct vdm_item items[] = {
	OF("laser_temperature_media", LASER_TEMP, 85, -5, 80, 0),
	OF("esnr_media_input", SNR, 40, 13, 38, 15),
	NEVER("esnr_host_input"),
	NEVER("pam4_level_transition_media_input"),
	NEVER("pam4_level_transition_host_input"),
	BER_OF("prefec_ber_min_media_input", BER_MIN),
	BER_OF("prefec_ber_max_media_input", BER_MAX),
	BER_OF("prefec_ber_avg_media_input", BER_AVG),
	BER_OF("prefec_ber_curr_media_input", BER_CURR),
	NEVER("prefec_ber_min_host_input"),
	NEVER("prefec_ber_max_host_input"),
	NEVER("prefec_ber_avg_host_input"),
	NEVER("prefec_ber_curr_host_input"),
	NEVER("errored_frames_min_media_input"),
	NEVER("errored_frames_max_media_input"),
	NEVER("errored_frames_avg_media_input"),
	OF("errored_frames_curr_media_input", LOST_CURR, 1.0e-6, 0, 1.0e-8, 0),
	NEVER("errored_frames_min_host_input"),
	NEVER("errored_frames_max_host_input"),
	NEVER("errored_frames_avg_host_input"),
	NEVER("errored_frames_curr_host_input"),
	BIAS_OF("biasxi", 0), BIAS_OF("biasxq", 1), BIAS_OF("biasxp", 4),
	BIAS_OF("biasyi", 2), BIAS_OF("biasyq", 3), BIAS_OF("biasyp", 5),
	LINE_OF("cdshort", CD_PS_PER_NM, true, 1),
	LINE_OF("cdlong", CD_PS_PER_NM, true, 20),
	LINE_OF("dgd", DGD_PS, false, 0.01),
	LINE_OF("sopmd", SOPMD_PS2, false, 0.01),
	LINE_OF("soproc", SOP_KRAD_S, false, 1),
	LINE_OF("pdl", PDL_DB, false, 0.1),
	LINE_OF("osnr", OSNR_DB, false, 0.1),
	LINE_OF("esnr", ESNR_DB, false, 0.1),
	LINE_OF("cfo", CFO_MHZ, true, 1),
	LINE_OF("txcurrpower", TX_DBM, true, 0.01),
	LINE_OF("rxtotpower", RX_DBM, true, 0.01),
	LINE_OF("rxsigpower", SIGNAL_DBM, true, 0.01),
};

_Static_assert(COUNT(items) == ITEMS_MAX && ITEMS_MAX * LANES <= FLAGS_MAX,
	       "each item of each lane has a flag");

static const struct {
	const char *limits;
	enum flag_table flags;
} edge_tables[PLANT_EDGE_COUNT] = {
	[PLANT_HIGH_ALARM] = { "TRANSCEIVER_VDM_HALARM_THRESHOLD",
			       FLAGS_VDM_HALARM },
	[PLANT_LOW_ALARM] = { "TRANSCEIVER_VDM_LALARM_THRESHOLD",
			      FLAGS_VDM_LALARM },
	[PLANT_HIGH_WARN] = { "TRANSCEIVER_VDM_HWARN_THRESHOLD",
			      FLAGS_VDM_HWARN },
	[PLANT_LOW_WARN] = { "TRANSCEIVER_VDM_LWARN_THRESHOLD",
			     FLAGS_VDM_LWARN },
};

/* As Python converts it back, with the errors of binary fractions. */
static double in_register(double value, double step, bool is_signed)
{
	return register_steps(value, step, is_signed) * step;
}

void vdm_watch(struct vdm_past *past, const struct module_view *v)
{
	for (unsigned i = 0; i < v->lanes; i++) {
		double ber = v->lane[i].ber;

		if (past->readings == 0)
			past->min[i] = past->max[i] = ber;
		past->min[i] = fmin(past->min[i], ber);
		past->max[i] = fmax(past->max[i], ber);
		past->sum[i] = past->readings ? past->sum[i] + ber : ber;
	}
	past->readings++;
}

/* The module's 16-bit float, as xcvrd decodes it. */
static double f16(double ratio)
{
	return register_f16_value(register_f16(ratio));
}

static uint64_t codewords(const struct box_port *p)
{
	return p->now.fec_bins[0] + p->now.fec_corrected_codewords +
	       p->now.fec_uncorrectable_codewords;
}

/* Codewords that could not be corrected since the last reading. */
static double lost_ratio(const struct box_port *p)
{
	uint64_t lost = p->now.fec_uncorrectable_codewords, all = codewords(p);

	if (lost < p->vdm.uncorrectable || all <= p->vdm.codewords)
		return 0;	/* counters that were cleared */
	return (double)(lost - p->vdm.uncorrectable) /
	       (double)(all - p->vdm.codewords);
}

/* A coherent module keeps statistics of its only lane. */
static double line_value(const struct module_view *v,
			 const struct vdm_item *item)
{
	const struct plant_stretch *ber = &v->line.value[COHERENT_BER];

	switch ((enum what)item->what) {
	case BER_MIN:
		return f16(ber->min);
	case BER_MAX:
		return f16(ber->max);
	case BER_AVG:
		return f16(ber->avg);
	case LOST_CURR:
		return f16(v->line.value[COHERENT_LOST_FRAMES].now);
	case LINE:
		return in_register(v->line.value[item->of].now,
					 item->step, item->is_signed);
	case BIAS:
		return in_register(v->line.bias_percent[item->of],
					 item->step, item->is_signed);
	default:
		return (double)NAN;
	}
}

/* NAN if the module has no value for that lane. */
static double slot_value(const struct box_port *p, const struct module_view *v,
			 const struct vdm_item *item, unsigned lane)
{
	const struct vdm_past *past = &p->vdm;

	if (lane >= v->lanes || past->readings == 0)
		return (double)NAN;
	switch ((enum what)item->what) {
	case LASER_TEMP:
		return lane == 0 ? v->laser_temp_c : (double)NAN;
	case SNR:
		return round(fmax(v->lane[lane].snr_db, 0) * SNR_PER_DB) /
		       SNR_PER_DB;
	case BER_CURR:
		return f16(v->lane[lane].ber);
	case NOTHING:
		return (double)NAN;
	default:
		break;
	}
	if (v->coherent)
		return line_value(v, item);
	switch ((enum what)item->what) {
	case BER_MIN:
		return f16(past->min[lane]);
	case BER_MAX:
		return f16(past->max[lane]);
	case BER_AVG:
		return f16(past->sum[lane] / past->readings);
	case LOST_CURR:
		/* Of the data path: reported with its first lane. */
		return lane == 0 ? f16(lost_ratio(p)) : (double)NAN;
	default:
		return (double)NAN;
	}
}

/* Number of names in this module's rows. */
static size_t item_count(const struct box_port *p)
{
	return p->facts.coherent ? COUNT(items) : COHERENT_FIRST;
}

static void slot_put(struct out *o, const struct vdm_item *item, unsigned lane,
		     double value)
{
	char field[48];

	out_numbered(item->name, lane + 1, field, sizeof(field));
	if (isnan(value))
		out_text(o, field, "N/A");
	else
		out_repr(o, field, value);
}

/* A limit as stored in the module's memory. */
static double limit_of(const struct box_port *p, const struct vdm_item *item,
		       unsigned edge)
{
	const double *edges;

	if (item->what == BIAS)
		return in_register(item->limit[edge], item->step, false);
	if (item->what == LINE) {
		edges = plant_coherent_edges(
			(enum plant_coherent_value)item->of);
		return in_register(edges[edge], item->step, item->is_signed);
	}
	if (!p->facts.coherent || item->what == LASER_TEMP)
		return item->limit[edge];
	if (item->what == SNR)
		return plant_coherent_edges(COHERENT_ESNR_DB)[edge];
	if (item->what == LOST_CURR)
		return plant_coherent_edges(COHERENT_LOST_FRAMES)[edge];
	return plant_coherent_edges(COHERENT_BER)[edge];
}

static void flags_read(struct box_port *p,
		       const double value[ITEMS_MAX][LANES], unsigned edge)
{
	bool high = edge == PLANT_HIGH_ALARM || edge == PLANT_HIGH_WARN;
	struct flag_row r;

	flags_begin(&r, p->flags, edge_tables[edge].flags, p->facts.name,
		    p->out);
	for (size_t i = 0; i < item_count(p); i++) {
		double limit = limit_of(p, &items[i], edge);

		for (unsigned lane = 0; lane < LANES; lane++) {
			double now = value[i][lane];

			flags_put(&r, items[i].name, lane + 1,
				  high ? now > limit : now < limit);
		}
	}
	flags_end(&r);
}

/* A field that never has a value is written once, and stays. */
static void values_write(struct box_port *p,
			 const double value[ITEMS_MAX][LANES])
{
	struct out *o = p->out;

	out_row(o, STATE_DB, "TRANSCEIVER_VDM_REAL_VALUE", p->facts.name);
	for (size_t i = 0; i < item_count(p); i++)
		for (unsigned lane = 0; lane < LANES; lane++)
			if (!p->vdm.is_posted || !isnan(value[i][lane]))
				slot_put(o, &items[i], lane, value[i][lane]);
	out_row_end_timed(o, &p->seen[ROW_VDM]);
	p->vdm.is_posted = true;
}

/* --- TRANSCEIVER_PM ------------------------------------------------------- */

/* per_unit: divides the register counts; 0: integers. */
static const struct {
	const char *name;
	uint8_t value;
	bool is_signed;
	double step, per_unit;
} books[] = {
	{ "dgd", COHERENT_DGD_PS, false, 0.01, 100 },
	{ "sopmd", COHERENT_SOPMD_PS2, false, 0.01, 100 },
	{ "pdl", COHERENT_PDL_DB, false, 0.1, 10 },
	{ "osnr", COHERENT_OSNR_DB, false, 0.1, 10 },
	{ "esnr", COHERENT_ESNR_DB, false, 0.1, 10 },
	{ "cfo", COHERENT_CFO_MHZ, true, 1, 0 },
	{ "evm", COHERENT_EVM_PERCENT, false, 100 / U16_MOST,
	  U16_MOST / 100 },
	{ "soproc", COHERENT_SOP_KRAD_S, false, 1, 0 },
	{ "tx_power", COHERENT_TX_DBM, true, 0.01, 100 },
	{ "rx_tot_power", COHERENT_RX_DBM, true, 0.01, 100 },
	{ "rx_sig_power", COHERENT_SIGNAL_DBM, true, 0.01, 100 },
};

/* Python's str(int) or str(float). */
static void number_put(struct out *o, const char *name, const char *which,
		       double counts, double per_unit)
{
	char field[32], text[24];

	(void)snprintf(field, sizeof(field), "%s_%s", name, which);
	if (per_unit > 0) {
		out_repr(o, field, counts / per_unit);
		return;
	}
	(void)snprintf(text, sizeof(text), "%ld", lround(counts));
	out_text(o, field, text);
}

static void ratio_put(struct out *o, const char *field, uint64_t part,
		      uint64_t whole)
{
	out_repr(o, field, whole ? (double)part / (double)whole : 1.0);
}

/* Nothing counted, as in low power: reported as 1.0. */
static void ratios_put(struct out *o, const struct plant_coherent *c)
{
	ratio_put(o, "prefec_ber_avg", c->corrected, c->bits);
	ratio_put(o, "prefec_ber_min", c->corrected_min, c->part_bits);
	ratio_put(o, "prefec_ber_max", c->corrected_max, c->part_bits);
	ratio_put(o, "uncorr_frames_avg", c->lost_frames, c->frames);
	ratio_put(o, "uncorr_frames_min", c->lost_min, c->part_frames);
	ratio_put(o, "uncorr_frames_max", c->lost_max, c->part_frames);
}

/* counts: average, minimum and maximum, as in the registers. */
static void book_put(struct out *o, const char *name,
		     const struct plant_stretch *counts, double per_unit)
{
	number_put(o, name, "avg", counts->avg, per_unit);
	number_put(o, name, "min", counts->min, per_unit);
	number_put(o, name, "max", counts->max, per_unit);
}

static void pm_row(struct box_port *p, const struct plant_coherent *c)
{
	struct out *o = p->out;

	out_row(o, STATE_DB, PM_TABLE, p->facts.name);
	ratios_put(o, c);
	book_put(o, "cd", &c->value[COHERENT_CD_PS_PER_NM], 0);
	for (size_t i = 0; i < COUNT(books); i++) {
		const struct plant_stretch *s = &c->value[books[i].value];
		double step = books[i].step;
		bool is_signed = books[i].is_signed;
		const struct plant_stretch counts = {
			.avg = register_steps(s->avg, step, is_signed),
			.min = register_steps(s->min, step, is_signed),
			.max = register_steps(s->max, step, is_signed),
		};

		book_put(o, books[i].name, &counts, books[i].per_unit);
	}
	out_row_end_timed(o, &p->seen[ROW_PM]);
}

/* --- xcvrd ---------------------------------------------------------------- */

void vdm_read(struct box_port *p, const struct module_view *v)
{
	double value[ITEMS_MAX][LANES];

	if (!p->facts.optical || !p->now.dom_readable)
		return;
	if (p->vdm.readings == 0)
		vdm_watch(&p->vdm, v);
	for (size_t i = 0; i < item_count(p); i++)
		for (unsigned lane = 0; lane < LANES; lane++)
			value[i][lane] = slot_value(p, v, &items[i], lane);
	values_write(p, value);
	for (unsigned e = 0; e < PLANT_EDGE_COUNT; e++)
		flags_read(p, value, e);
	p->vdm.readings = 0;
	p->vdm.uncorrectable = p->now.fec_uncorrectable_codewords;
	p->vdm.codewords = codewords(p);
	if (v->coherent)
		pm_row(p, &v->line);
}

/* Values of the module or its data path are with the first lane. */
static bool has_limit(const struct box_port *p, const struct vdm_item *item,
		      unsigned lane)
{
	if (item->what == NOTHING)
		return false;
	return lane == 0 || (!p->facts.coherent && item->what != LASER_TEMP &&
			     item->what != LOST_CURR);
}

static void limit_put(struct out *o, const struct box_port *p, size_t item,
		      unsigned lane, unsigned edge)
{
	slot_put(o, &items[item], lane, has_limit(p, &items[item], lane) ?
		 limit_of(p, &items[item], edge) : (double)NAN);
}

void vdm_thresholds(const struct box_port *p)
{
	struct out *o = p->out;

	for (unsigned e = 0; e < PLANT_EDGE_COUNT; e++) {
		out_row(o, STATE_DB, edge_tables[e].limits, p->facts.name);
		for (size_t i = 0; i < item_count(p); i++)
			for (unsigned lane = 0; lane < LANES; lane++)
				limit_put(o, p, i, lane, e);
		out_updated(o);
		out_row_end(o);
	}
}

void vdm_delete(struct out *o, const char *port)
{
	out_delete(o, STATE_DB, "TRANSCEIVER_VDM_REAL_VALUE", port);
	out_delete(o, STATE_DB, PM_TABLE, port);
	for (unsigned e = 0; e < PLANT_EDGE_COUNT; e++)
		out_delete(o, STATE_DB, edge_tables[e].limits, port);
}
