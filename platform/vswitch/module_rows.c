/* What xcvrd writes for a module, except its VDM: identity, readings, limits,
 * states and flags. Each function writes rows of one port.
 */
#include "platform/vswitch/module_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "platform/sim/eeprom.h"
#include "platform/vswitch/box.h"
#include "platform/vswitch/value_text.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define CMIS_LANES 8
#define SFF_LANES 4
#define NA "N/A"
#define LASER_ABOVE_K 5		/* at every limit, above the module's case */

static bool is_cmis(const struct box_port *p)
{
	return p->form == FORM_CMIS || p->form == FORM_CMIS_COPPER;
}

bool module_is_mute(const struct box_port *p)
{
	return p->form == FORM_CMIS_COPPER || p->form == FORM_QSFP28_COPPER;
}

static unsigned lanes_shown(const struct box_port *p)
{
	return is_cmis(p) ? CMIS_LANES : SFF_LANES;
}

/* --- readings ------------------------------------------------------------- */

static void lane_text(struct out *o, const char *form, unsigned lane,
		      const char *text)
{
	char field[48];

	out_numbered(form, lane, field, sizeof(field));
	out_text(o, field, text);
}

static void lane_number(struct out *o, const char *form, unsigned lane,
			double value)
{
	char text[TEXT_VALUE_MAX];

	text_rounded(value, 3, text);
	lane_text(o, form, lane, text);
}

/* The power of SFF modules is rounded to 0.001 mW before conversion to dBm. */
static double shown_dbm(const struct box_port *p, double mw)
{
	return text_mw_dbm(is_cmis(p) ? mw : text_round(mw, 3));
}

static void lane_row(struct out *o, const struct module_view *v, unsigned i)
{
	const struct view_lane *l = &v->lane[i];

	if (i >= v->lanes || v->port->form == FORM_CMIS_COPPER) {
		lane_text(o, "rx#power", i + 1, NA);
		lane_text(o, "tx#power", i + 1, NA);
		lane_text(o, "tx#bias", i + 1, NA);
		return;
	}
	lane_number(o, "rx#power", i + 1, shown_dbm(v->port, l->rx_mw));
	lane_number(o, "tx#bias", i + 1, l->bias_ma);
	/* A cable's end has no transmitter to measure. */
	if (module_is_mute(v->port))
		lane_text(o, "tx#power", i + 1, NA);
	else
		lane_number(o, "tx#power", i + 1, shown_dbm(v->port, l->tx_mw));
}

void module_sensor_row(struct box_port *p, const struct module_view *v)
{
	struct out *o = p->out;

	out_row(o, STATE_DB, "TRANSCEIVER_DOM_SENSOR", p->facts.name);
	if (p->form == FORM_CMIS_COPPER) {
		out_text(o, "temperature", NA);
		out_text(o, "voltage", NA);
	} else {
		bool is_mute = module_is_mute(p);	/* then it reads 0 */

		out_rounded(o, "temperature", is_mute ? 0 : v->temp_c, 3);
		out_rounded(o, "voltage", is_mute ? 0 : v->vcc_v, 3);
	}
	if (p->form == FORM_CMIS)
		out_repr(o, "laser_temperature", v->laser_temp_c);
	if (v->coherent) {
		out_repr(o, "laser_config_freq", v->line.config_ghz);
		out_repr(o, "laser_curr_freq", round(v->line.laser_mhz) / 1000);
		out_repr(o, "tx_config_power",
			 register_steps(v->line.config_dbm, 0.01, true) / 100);
	}
	for (unsigned i = 0; i < lanes_shown(p); i++)
		lane_row(o, v, i);
	out_row_end_timed(o, &p->seen[ROW_SENSOR]);
}

/* --- limits --------------------------------------------------------------- */

static const char *const edge_names[PLANT_EDGE_COUNT] = {
	[PLANT_HIGH_ALARM] = "highalarm", [PLANT_LOW_ALARM] = "lowalarm",
	[PLANT_HIGH_WARN] = "highwarning", [PLANT_LOW_WARN] = "lowwarning",
};

/* Values with limits, and the flags for crossing these. */
static const struct monitor {
	const char *limit;
	const char *flag[PLANT_EDGE_COUNT];	/* #: the lane */
	size_t edges;				/* in struct plant_limits */
	double above;				/* added to them */
	uint8_t in;				/* enum view_register */
	bool optical, cmis, of_lane;		/* only these have it */
} monitors[] = {
#define MONITOR(limit, flag, field, ...)				\
	{ limit, { [PLANT_HIGH_ALARM] = flag "HAlarm",			\
		   [PLANT_LOW_ALARM] = flag "LAlarm",			\
		   [PLANT_HIGH_WARN] = flag "HWarn",			\
		   [PLANT_LOW_WARN] = flag "LWarn" },			\
	  offsetof(struct plant_limits, field), __VA_ARGS__ }
	MONITOR("temp", "temp", temp_c, 0, REGISTER_TEMP_C, false, false,
		false),
	MONITOR("vcc", "vcc", vcc_v, 0, REGISTER_VCC_V, false, false, false),
	MONITOR("rxpower", "rx#power", rx_dbm, 0, REGISTER_LIGHT_DBM, true,
		false, true),
	MONITOR("txpower", "tx#power", tx_dbm, 0, REGISTER_LIGHT_DBM, true,
		false, true),
	MONITOR("txbias", "tx#bias", bias_ma, 0, REGISTER_BIAS_MA, true, false,
		true),
	MONITOR("lasertemp", "lasertemp", temp_c, LASER_ABOVE_K,
		REGISTER_TEMP_C, true, true, false),
};

static double edge_of(const struct box_port *p, const struct monitor *m,
		      unsigned edge)
{
	double edges[PLANT_EDGE_COUNT];

	memcpy(edges, (const char *)&p->facts.limits + m->edges, sizeof(edges));
	return edges[edge] + m->above;
}

static bool has_limit(const struct box_port *p, const struct monitor *m)
{
	return !module_is_mute(p) && (!m->optical || p->facts.optical) &&
	       (!m->cmis || is_cmis(p));
}

void module_threshold_row(const struct box_port *p)
{
	char field[32];

	out_row(p->out, STATE_DB, "TRANSCEIVER_DOM_THRESHOLD", p->facts.name);
	for (const struct monitor *m = monitors; m < monitors + COUNT(monitors);
	     m++)
		for (unsigned e = 0; e < PLANT_EDGE_COUNT; e++) {
			(void)snprintf(field, sizeof(field), "%s%s", m->limit,
				       edge_names[e]);
			if (has_limit(p, m))
				out_rounded(p->out, field, view_register(
					(enum view_register)m->in,
					edge_of(p, m, e)), 3);
			else
				out_text(p->out, field, NA);
		}
	out_updated(p->out);
	out_row_end(p->out);
}

/* In the order of monitors. */
static void values_of(const struct module_view *v, unsigned lane,
		      double ret[COUNT(monitors)])
{
	const struct view_lane *l = &v->lane[lane];
	const double values[COUNT(monitors)] = {
		v->temp_c, v->vcc_v, text_mw_dbm(l->rx_mw),
		text_mw_dbm(l->tx_mw), l->bias_ma, v->laser_temp_c,
	};

	memcpy(ret, values, sizeof(values));
}

static bool is_past(double value, double limit, unsigned edge)
{
	return edge == PLANT_HIGH_ALARM || edge == PLANT_HIGH_WARN ?
	       value > limit : value < limit;
}

/* Only for CMIS modules: SONiC publishes none for SFF. */
static void monitor_flags(const struct box_port *p, const struct module_view *v)
{
	double value[COUNT(monitors)];
	struct flag_row r;

	flags_begin(&r, p->flags, FLAGS_DOM, p->facts.name, p->out);
	for (unsigned n = 0; n < COUNT(monitors) * CMIS_LANES; n++) {
		unsigned i = n / CMIS_LANES, lane = n % CMIS_LANES;
		const struct monitor *m = &monitors[i];
		bool there = (!m->optical || p->facts.optical) &&
			     (!m->of_lane || lane < v->lanes);

		if (lane > 0 && !m->of_lane)
			continue;
		values_of(v, lane, value);
		for (unsigned e = 0; e < PLANT_EDGE_COUNT; e++)
			flags_put(&r, m->flag[e], m->of_lane ? lane + 1 : 0,
				  there && is_past(value[i], edge_of(p, m, e),
						   e));
	}
	flags_end(&r);
}

/* --- states --------------------------------------------------------------- */

static unsigned disabled_channels(const struct module_view *v)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < v->lanes; i++)
		bits |= v->lane[i].disabled ? 1u << i : 0;
	return bits;
}

static void lane_states(struct out *o, const struct module_view *v, unsigned i)
{
	const struct view_host_lane *h = &v->host[i];
	bool sends = i < v->lanes && h->up && !v->lane[i].tx_fault;
	unsigned n = i + 1;

	lane_text(o, "DP#State", n, h->up ? "DataPathActivated" :
					    "DataPathDeactivated");
	lane_text(o, "tx#OutputStatus", n, text_bool(sends));
	lane_text(o, "rx#OutputStatusHostlane", n,
		  text_bool(h->up && !h->dark));
	lane_text(o, "config_state_hostlane#", n, "ConfigSuccess");
	lane_text(o, "dpdeinit_hostlane#", n, text_bool(!h->up));
	lane_text(o, "dpinit_pending_hostlane#", n, text_bool(false));
}

void module_status_row(struct box_port *p, const struct module_view *v)
{
	struct out *o = p->out;

	out_row(o, STATE_DB, "TRANSCEIVER_STATUS", p->facts.name);
	if (is_cmis(p)) {
		out_text(o, "module_state", "ModuleReady");
		out_text(o, "module_fault_cause", "No Fault detected");
	}
	for (unsigned i = 0; is_cmis(p) && i < CMIS_LANES; i++)
		lane_states(o, v, i);
	for (unsigned i = 0; i < lanes_shown(p); i++)
		lane_text(o, "tx#disable", i + 1,
			  text_bool(v->lane[i].disabled));
	out_u64(o, "tx_disabled_channel", disabled_channels(v));
	if (v->coherent) {
		out_bool(o, "tuning_in_progress", false);
		out_bool(o, "wavelength_unlock_status", false);
	}
	out_row_end_timed(o, &p->seen[ROW_STATUS]);
}

static void status_flags(const struct box_port *p, const struct module_view *v)
{
	static const char *const of_lane[] = {
		"tx#los_hostlane", "tx#cdrlol_hostlane", "tx#_eq_fault",
	}, *const quiet[] = {
		"datapath_firmware_fault", "module_firmware_fault",
		"module_state_changed",
	}, *const coherent[] = {
		"target_output_power_oor", "fine_tuning_oor",
		"tuning_not_accepted", "invalid_channel_num",
		"tuning_complete",
	};
	struct flag_row r;

	flags_begin(&r, p->flags, FLAGS_STATUS, p->facts.name, p->out);
	for (unsigned i = 0; i < lanes_shown(p); i++) {
		flags_put(&r, "rx#los", i + 1, v->lane[i].rx_los);
		flags_put(&r, "tx#fault", i + 1, v->lane[i].tx_fault);
		if (!is_cmis(p))
			continue;
		flags_put(&r, "rx#cdrlol", i + 1, v->lane[i].rx_los);
		for (size_t q = 0; q < COUNT(of_lane); q++)
			flags_put(&r, of_lane[q], i + 1, false);
	}
	for (size_t q = 0; is_cmis(p) && q < COUNT(quiet); q++)
		flags_put(&r, quiet[q], 0, false);
	for (size_t q = 0; p->facts.coherent && q < COUNT(coherent); q++)
		flags_put(&r, coherent[q], 0, false);
	flags_end(&r);
}

void module_flag_rows(const struct box_port *p, const struct module_view *v)
{
	status_flags(p, v);
	if (p->form == FORM_CMIS)
		monitor_flags(p, v);
}

/* --- identity ------------------------------------------------------------- */

/* For some fields these tables hold Python's repr() of a dictionary. */
struct form_info {
	const char *type, *abbreviation, *encoding, *power, *rate_select;
	const char *host;		/* electrical interface */
};

static const struct form_info infos[] = {
	[FORM_CMIS] = { "QSFP-DD Double Density 8X Pluggable Transceiver",
			"QSFP-DD", NA, "Power Class 6 (12.0W Max)", NA,
			"C2M (Annex 120E)" },
	[FORM_CMIS_COPPER] = {
		"QSFP-DD Double Density 8X Pluggable Transceiver", "QSFP-DD",
		NA, "Power Class 1 (1.5W Max)", NA, "CR (Clause 162)" },
	[FORM_QSFP28] = { "QSFP28 or later", "QSFP28", "64B/66B",
			  "Power Class 4 Module (3.5W max.), CDR present in "
			  "TX, CDR present in RX",
			  "QSFP+ Rate Select Version 1", NULL },
	[FORM_QSFP28_COPPER] = { "QSFP28 or later", "QSFP28", "Unspecified",
				 "Power Class 1 Module (1.5W max.)",
				 "QSFP+ Rate Select Version 1", NULL },
	[FORM_SFP] = { "SFP/SFP+/SFP28", "SFP", "64B/66B",
		       "GBIC/SFP defined by two-wire interface ID",
		       "Unspecified", NULL },
};

static bool is_copper(const struct box_port *p)
{
	return !p->facts.optical;
}

static bool is_multimode(const struct box_port *p)
{
	return p->facts.media[0] == 'S' || p->facts.media[0] == 'A';
}

static unsigned cage_gbps(const struct box_port *p)
{
	return (unsigned)(p->facts.speed_bps / 1000000000) *
	       (p->cage_lanes / p->facts.lanes);
}

/* The medium's interface, in the words of SFF-8024. */
static void media_text(const struct box_port *p, char *ret, size_t cap)
{
	if (strcmp(p->facts.media, "AEC") == 0)
		(void)snprintf(ret, cap, "Active copper cable (AEC)");
	else if (is_copper(p))
		(void)snprintf(ret, cap, "Copper cable");
	else if (strcmp(p->facts.media, "AOC") == 0)
		(void)snprintf(ret, cap, "Active Cable assembly (AOC)");
	else if (p->facts.coherent)
		(void)snprintf(ret, cap, "400ZR, DWDM, amplified");
	else
		(void)snprintf(ret, cap, "%uGBASE-%s", cage_gbps(p),
			       p->facts.media);
}

static unsigned media_lanes(const struct box_port *p)
{
	return p->facts.coherent ? 1 : p->cage_lanes;
}

static const char *cmis_compliance(const struct box_port *p)
{
	if (strcmp(p->facts.media, "AEC") == 0)
		return "active_cable_media_interface";
	if (is_copper(p))
		return "passive_copper_media_interface";
	return is_multimode(p) ? "nm_850_media_interface" :
				 "sm_media_interface";
}

static const char *technology(const struct box_port *p)
{
	if (strcmp(p->facts.media, "AEC") == 0)
		return "Copper cable, near and far end limiting "
		       "active equalizers";
	if (is_copper(p))
		return "Copper cable, unequalized";
	if (p->facts.coherent)
		return "C-band tunable laser";
	return is_multimode(p) ? "850 nm VCSEL" : "1310 nm EML";
}

static void cmis_fields(struct out *o, const struct box_port *p,
			const struct form_info *f)
{
	/* 16 bits for channels of 25 GHz, for hundredths of dBm. */
	static const struct out_pair coherent[] = {
		{ "supported_max_tx_power", "-6.0" },
		{ "supported_min_tx_power", "-16.0" },
		{ "supported_max_laser_freq", "196100" },
		{ "supported_min_laser_freq", "191300" },
		{ NULL, NULL },
	};
	char media[64];

	media_text(p, media, sizeof(media));
	out_format(o, "application_advertisement",
		   "{1: {'host_electrical_interface_id': '%uGAUI-%u %s', "
		   "'module_media_interface_id': '%s', "
		   "'media_lane_count': %u, 'host_lane_count': %u, "
		   "'host_lane_assignment_options': 1, "
		   "'media_lane_assignment_options': 1}}", cage_gbps(p),
		   p->cage_lanes, f->host, media, media_lanes(p),
		   p->cage_lanes);
	out_text(o, "specification_compliance", cmis_compliance(p));
	out_text(o, "nominal_bit_rate", "0");
	out_u64(o, "host_lane_count", p->cage_lanes);
	out_u64(o, "media_lane_count", media_lanes(p));
	out_text(o, "media_interface_technology", technology(p));
	out_text(o, "cmis_rev", "5.0");
	out_text(o, "vdm_supported", p->form == FORM_CMIS ? "True" : "False");
	for (unsigned i = 1; i <= PLANT_LANES_MAX; i++)
		lane_text(o, "active_apsel_hostlane#", i,
			  i <= p->cage_lanes ? "1" : NA);
	if (p->facts.coherent)
		out_fields(o, coherent);
}

static void sff_fields(struct out *o, const struct box_port *p)
{
	char media[64];

	media_text(p, media, sizeof(media));
	if (is_copper(p))
		(void)snprintf(media, sizeof(media), "%uGBASE-CR%u",
			       cage_gbps(p), p->cage_lanes);
	out_text(o, "application_advertisement", NA);
	out_format(o, "specification_compliance",
		   "{'10/40G Ethernet Compliance Code': 'Extended', "
		   "'Extended Specification Compliance': '%s'}", media);
	out_u64(o, "nominal_bit_rate", cage_gbps(p) * 10 / p->cage_lanes);
}

/* Strings of SFF modules keep their trailing blanks. */
static void vendor_fields(struct out *o, const struct box_port *p)
{
	static const struct out_pair same[] = {
		{ "vendor_oui", "02-70-74" }, { "vendor_date", "2026-01-05 " },
		{ "vendor_rev", "A1" }, { "hardware_rev", "A1" },
		{ "is_replaceable", "True" }, { NULL, NULL },
	};
	const char *pad = is_cmis(p) ? "" : "      ";

	out_format(o, "manufacturer", "%s%s", p->facts.vendor, pad);
	out_format(o, "model", "%s%s", p->facts.part, pad);
	out_text(o, "serial", p->now.serial);
	out_fields(o, same);
}

void module_info_row(const struct box_port *p)
{
	struct out *o = p->out;
	const struct form_info *f = &infos[p->form];
	bool cmis = f->host != NULL;

	out_row(o, STATE_DB, "TRANSCEIVER_INFO", p->facts.name);
	out_text(o, "type", f->type);
	out_text(o, "type_abbrv_name", f->abbreviation);
	vendor_fields(o, p);
	out_text(o, "connector", is_copper(p) ? "No separable connector" :
		 media_lanes(p) > 1 && cmis ? "MPO 1x12" : "LC");
	out_text(o, "encoding", f->encoding);
	out_text(o, "ext_identifier", p->facts.coherent ?
		 "Power Class 8 (20.0W Max)" : f->power);
	out_text(o, "ext_rateselect_compliance", f->rate_select);
	out_text(o, "cable_type", is_copper(p) ? "Length Cable Assembly(m)" :
						 "Length SMF (m)");
	out_text(o, "cable_length", is_copper(p) ? "2.0" : "500.0");
	if (cmis)
		cmis_fields(o, p, f);
	else
		sff_fields(o, p);
	out_row_end(o);
	out_row(o, STATE_DB, "TRANSCEIVER_FIRMWARE_INFO", p->facts.name);
	out_text(o, "active_firmware", cmis ? "1.4.0" : NA);
	out_text(o, "inactive_firmware", cmis ? "1.3.2" : NA);
	out_row_end(o);
}

void module_software_row(const struct box_port *p, bool present)
{
	out_row(p->out, STATE_DB, "TRANSCEIVER_STATUS_SW", p->facts.name);
	out_text(p->out, "status", present ? "1" : "0");
	out_text(p->out, "error", NA);
	if (is_cmis(p))
		out_text(p->out, "cmis_state", present ? "READY" : "REMOVED");
	out_row_end(p->out);
}
