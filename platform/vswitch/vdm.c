#include "platform/vswitch/vdm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "platform/vswitch/box.h"
#include "platform/vswitch/module_view.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define LANES 8
#define F16_MANTISSA_MAX 2047
#define F16_EXPONENT_BIAS 24
#define SNR_PER_DB 256.0

/* What a slot shows; the rest of the names this module does not support. */
enum what { NOTHING, LASER_TEMP, SNR, BER_MIN, BER_MAX, BER_AVG, BER_CURR,
	    LOST_CURR };

/* Of a module made for a pre-FEC BER of 2.4e-4; order HA LA HW LW. */
struct vdm_item {
	const char *name;		/* the lane's number follows */
	uint8_t what;
	double limit[PLANT_EDGE_COUNT];
};

#define BER_LIMITS { 2.4e-4, 0, 1.0e-4, 0 }
#define LOST_LIMITS { 1.0e-6, 0, 1.0e-8, 0 }

static const struct vdm_item items[] = {
	{ "laser_temperature_media", LASER_TEMP, { 85, -5, 80, 0 } },
	{ "esnr_media_input", SNR, { 40, 13, 38, 15 } },
	{ "esnr_host_input", NOTHING, { 0 } },
	{ "pam4_level_transition_media_input", NOTHING, { 0 } },
	{ "pam4_level_transition_host_input", NOTHING, { 0 } },
	{ "prefec_ber_min_media_input", BER_MIN, BER_LIMITS },
	{ "prefec_ber_max_media_input", BER_MAX, BER_LIMITS },
	{ "prefec_ber_avg_media_input", BER_AVG, BER_LIMITS },
	{ "prefec_ber_curr_media_input", BER_CURR, BER_LIMITS },
	{ "prefec_ber_min_host_input", NOTHING, { 0 } },
	{ "prefec_ber_max_host_input", NOTHING, { 0 } },
	{ "prefec_ber_avg_host_input", NOTHING, { 0 } },
	{ "prefec_ber_curr_host_input", NOTHING, { 0 } },
	{ "errored_frames_min_media_input", NOTHING, { 0 } },
	{ "errored_frames_max_media_input", NOTHING, { 0 } },
	{ "errored_frames_avg_media_input", NOTHING, { 0 } },
	{ "errored_frames_curr_media_input", LOST_CURR, LOST_LIMITS },
	{ "errored_frames_min_host_input", NOTHING, { 0 } },
	{ "errored_frames_max_host_input", NOTHING, { 0 } },
	{ "errored_frames_avg_host_input", NOTHING, { 0 } },
	{ "errored_frames_curr_host_input", NOTHING, { 0 } },
};

static const char *const edge_words[PLANT_EDGE_COUNT] = {
	[PLANT_HIGH_ALARM] = "HALARM", [PLANT_LOW_ALARM] = "LALARM",
	[PLANT_HIGH_WARN] = "HWARN", [PLANT_LOW_WARN] = "LWARN",
};

static const enum flag_table edge_tables[PLANT_EDGE_COUNT] = {
	[PLANT_HIGH_ALARM] = FLAGS_VDM_HALARM,
	[PLANT_LOW_ALARM] = FLAGS_VDM_LALARM,
	[PLANT_HIGH_WARN] = FLAGS_VDM_HWARN,
	[PLANT_LOW_WARN] = FLAGS_VDM_LWARN,
};

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

/* The module's 16-bit float, as xcvrd computes it out again. */
static double f16(double ratio)
{
	double exponent;

	if (!(ratio > 0))
		return 0;
	exponent = ceil(log10(ratio / F16_MANTISSA_MAX));
	exponent = fmax(exponent, -F16_EXPONENT_BIAS);
	return round(ratio / pow(10, exponent)) * pow(10, exponent);
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

/* NAN where the module has nothing to say of that lane. */
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
	case BER_MIN:
		return f16(past->min[lane]);
	case BER_MAX:
		return f16(past->max[lane]);
	case BER_AVG:
		return f16(past->sum[lane] / past->readings);
	case BER_CURR:
		return f16(v->lane[lane].ber);
	case LOST_CURR:
		/* Of the data path: it stands with its first lane. */
		return lane == 0 ? f16(lost_ratio(p)) : (double)NAN;
	case NOTHING:
		break;
	}
	return (double)NAN;
}

static void slot_put(struct out *o, const struct vdm_item *item, unsigned lane,
		     double value)
{
	char field[48];

	(void)snprintf(field, sizeof(field), "%s%u", item->name, lane + 1);
	if (isnan(value))
		out_text(o, field, "N/A");
	else
		out_repr(o, field, value);
}

static void flags_read(struct out *o, struct box_port *p,
		       const struct module_view *v, unsigned edge,
		       int64_t unix_s)
{
	bool high = edge == PLANT_HIGH_ALARM || edge == PLANT_HIGH_WARN;
	struct flag_row r;

	flags_begin(&r, p->flags, edge_tables[edge], p->facts.name, unix_s);
	for (size_t i = 0; i < COUNT(items) * LANES; i++) {
		const struct vdm_item *item = &items[i / LANES];
		unsigned lane = i % LANES;
		double value = slot_value(p, v, item, lane);
		double limit = item->limit[edge];
		char field[48];

		(void)snprintf(field, sizeof(field), "%s#", item->name);
		flags_put(&r, field, lane + 1, !isnan(value) &&
			  (high ? value > limit : value < limit));
	}
	flags_end(&r, o);
}

void vdm_read(struct out *o, struct box_port *p, const struct module_view *v,
	      int64_t unix_s)
{
	if (!p->facts.optical || !p->now.dom_readable)
		return;
	if (p->vdm.readings == 0)
		vdm_watch(&p->vdm, v);
	out_row(o, STATE_DB, "TRANSCEIVER_VDM_REAL_VALUE", p->facts.name);
	for (size_t i = 0; i < COUNT(items) * LANES; i++)
		slot_put(o, &items[i / LANES], i % LANES,
			 slot_value(p, v, &items[i / LANES], i % LANES));
	out_time(o, "last_update_time", unix_s);
	out_row_end(o);
	for (unsigned e = 0; e < PLANT_EDGE_COUNT; e++)
		flags_read(o, p, v, e, unix_s);
	p->vdm.readings = 0;
	p->vdm.uncorrectable = p->now.fec_uncorrectable_codewords;
	p->vdm.codewords = codewords(p);
}

/* What belongs to the module or its data path stands with the first lane. */
static bool has_limit(const struct vdm_item *item, unsigned lane)
{
	return item->what != NOTHING &&
	       (lane == 0 || (item->what != LASER_TEMP &&
			      item->what != LOST_CURR));
}

static void table_name(unsigned edge, char ret[64])
{
	(void)snprintf(ret, 64, "TRANSCEIVER_VDM_%s_THRESHOLD",
		       edge_words[edge]);
}

void vdm_thresholds(struct out *o, const char *port, int64_t unix_s)
{
	char table[64];

	for (unsigned e = 0; e < PLANT_EDGE_COUNT; e++) {
		table_name(e, table);
		out_row(o, STATE_DB, table, port);
		for (size_t i = 0; i < COUNT(items) * LANES; i++)
			slot_put(o, &items[i / LANES], i % LANES,
				 has_limit(&items[i / LANES], i % LANES) ?
				 items[i / LANES].limit[e] : (double)NAN);
		out_time(o, "last_update_time", unix_s);
		out_row_end(o);
	}
}

void vdm_delete(struct out *o, const char *port)
{
	char table[64];

	out_delete(o, STATE_DB, "TRANSCEIVER_VDM_REAL_VALUE", port);
	for (unsigned e = 0; e < PLANT_EDGE_COUNT; e++) {
		table_name(e, table);
		out_delete(o, STATE_DB, table, port);
	}
}
