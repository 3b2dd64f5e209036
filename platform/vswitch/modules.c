#include "platform/vswitch/modules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "platform/vswitch/box.h"
#include "platform/vswitch/coherent.h"
#include "platform/vswitch/memory.h"
#include "platform/vswitch/module_info.h"
#include "platform/vswitch/module_view.h"
#include "platform/vswitch/text.h"
#include "platform/vswitch/vdm.h"

#define CMIS_LANES 8
#define SFF_LANES 4
#define NA "N/A"

/* Tables of a port's module, but for the flags' and VDM's. */
static const char *const module_tables[] = {
	"TRANSCEIVER_INFO", "TRANSCEIVER_FIRMWARE_INFO",
	"TRANSCEIVER_DOM_SENSOR", "TRANSCEIVER_DOM_THRESHOLD",
	"TRANSCEIVER_STATUS", "TRANSCEIVER_DOM_TEMPERATURE",
};

static bool is_cmis(const struct box_port *p)
{
	return p->form == FORM_CMIS || p->form == FORM_CMIS_COPPER;
}

static bool is_copper(const struct box_port *p)
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

/* SFF modules' power is rounded to 0.001 mW before it becomes dBm. */
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
	if (is_copper(v->port))
		lane_text(o, "tx#power", i + 1, NA);
	else
		lane_number(o, "tx#power", i + 1,
			    shown_dbm(v->port, l->tx_mw));
}

static void sensor_row(struct out *o, struct box_port *p,
		       const struct module_view *v, int64_t unix_s)
{

	out_row(o, STATE_DB, "TRANSCEIVER_DOM_SENSOR", p->facts.name);
	if (p->form == FORM_CMIS_COPPER) {
		out_text(o, "temperature", NA);
		out_text(o, "voltage", NA);
	} else {
		/* A QSFP28 cable has no monitors and answers 0. */
		out_rounded(o, "temperature", is_copper(p) ? 0 : v->temp_c, 3);
		out_rounded(o, "voltage", is_copper(p) ? 0 : v->vcc_v, 3);
	}
	if (p->form == FORM_CMIS)
		out_repr(o, "laser_temperature", v->laser_temp_c);
	if (v->coherent)
		coherent_sensor_fields(o, &v->line);
	for (unsigned i = 0; i < lanes_shown(p); i++)
		lane_row(o, v, i);
	out_row_end_timed(o, &p->seen[ROW_SENSOR], unix_s);
}

/* --- limits --------------------------------------------------------------- */

static const char *const edge_names[PLANT_EDGE_COUNT] = {
	[PLANT_HIGH_ALARM] = "highalarm", [PLANT_LOW_ALARM] = "lowalarm",
	[PLANT_HIGH_WARN] = "highwarning", [PLANT_LOW_WARN] = "lowwarning",
};

/* Lasers are warmer than their case by this much at every limit. */
#define LASER_ABOVE_K 5

static const struct {
	const char *prefix;
	size_t offset;
	double above;
	uint8_t in;			/* enum view_register */
	bool optical, cmis;		/* what others have not */
} limit_rows[] = {
#define LIMIT(prefix, field, above, in, optical, cmis)			\
	{ prefix, offsetof(struct plant_limits, field), above, in, optical, \
	  cmis }
	LIMIT("temp", temp_c, 0, REGISTER_TEMP_C, false, false),
	LIMIT("vcc", vcc_v, 0, REGISTER_VCC_V, false, false),
	LIMIT("rxpower", rx_dbm, 0, REGISTER_LIGHT_DBM, true, false),
	LIMIT("txpower", tx_dbm, 0, REGISTER_LIGHT_DBM, true, false),
	LIMIT("txbias", bias_ma, 0, REGISTER_BIAS_MA, true, false),
	LIMIT("lasertemp", temp_c, LASER_ABOVE_K, REGISTER_TEMP_C, true, true),
};

static double limit_of(const struct box_port *p, size_t row, unsigned edge)
{
	double edges[PLANT_EDGE_COUNT];

	memcpy(edges, (const char *)&p->facts.limits + limit_rows[row].offset,
	       sizeof(edges));
	return view_register((enum view_register)limit_rows[row].in,
			     edges[edge] + limit_rows[row].above);
}

static bool has_limit(const struct box_port *p, size_t row)
{
	return !is_copper(p) && (!limit_rows[row].optical ||
				 p->facts.optical) &&
	       (!limit_rows[row].cmis || is_cmis(p));
}

static void threshold_row(struct out *o, const struct box_port *p,
			  int64_t unix_s)
{
	char field[32];

	out_row(o, STATE_DB, "TRANSCEIVER_DOM_THRESHOLD", p->facts.name);
	for (size_t i = 0; i < sizeof(limit_rows) / sizeof(limit_rows[0]); i++)
		for (unsigned e = 0; e < PLANT_EDGE_COUNT; e++) {
			(void)snprintf(field, sizeof(field), "%s%s",
				       limit_rows[i].prefix, edge_names[e]);
			if (has_limit(p, i))
				out_rounded(o, field, limit_of(p, i, e), 3);
			else
				out_text(o, field, NA);
		}
	out_time(o, "last_update_time", unix_s);
	out_row_end(o);
}

static bool is_past(double value, double limit, unsigned edge)
{
	return edge == PLANT_HIGH_ALARM || edge == PLANT_HIGH_WARN ?
	       value > limit : value < limit;
}

/* What a flag is called, at each edge. */
#define EDGE_FLAGS(name) {						\
	[PLANT_HIGH_ALARM] = name "HAlarm",				\
	[PLANT_LOW_ALARM] = name "LAlarm",				\
	[PLANT_HIGH_WARN] = name "HWarn",				\
	[PLANT_LOW_WARN] = name "LWarn" }

enum dom_flag { FLAG_TEMP, FLAG_VCC, FLAG_LASER_TEMP, FLAG_RX_POWER,
		FLAG_TX_POWER, FLAG_TX_BIAS, DOM_FLAG_COUNT };

static const char *const dom_flag_names[DOM_FLAG_COUNT][PLANT_EDGE_COUNT] = {
	[FLAG_TEMP] = EDGE_FLAGS("temp"),
	[FLAG_VCC] = EDGE_FLAGS("vcc"),
	[FLAG_LASER_TEMP] = EDGE_FLAGS("lasertemp"),
	[FLAG_RX_POWER] = EDGE_FLAGS("rx#power"),
	[FLAG_TX_POWER] = EDGE_FLAGS("tx#power"),
	[FLAG_TX_BIAS] = EDGE_FLAGS("tx#bias"),
};

static void lane_dom_flags(struct flag_row *r, const struct module_view *v,
			   unsigned i)
{
	const struct plant_limits *limits = &v->port->facts.limits;
	const struct view_lane *l = &v->lane[i];
	bool there = i < v->lanes && v->port->facts.optical;
	double rx = there ? text_mw_dbm(l->rx_mw) : 0;
	double tx = there ? text_mw_dbm(l->tx_mw) : 0;

	for (unsigned e = 0; e < PLANT_EDGE_COUNT; e++) {
		flags_put(r, dom_flag_names[FLAG_RX_POWER][e], i + 1,
			  there && is_past(rx, limits->rx_dbm[e], e));
		flags_put(r, dom_flag_names[FLAG_TX_POWER][e], i + 1,
			  there && is_past(tx, limits->tx_dbm[e], e));
		flags_put(r, dom_flag_names[FLAG_TX_BIAS][e], i + 1, there &&
			  is_past(l->bias_ma, limits->bias_ma[e], e));
	}
}

/* CMIS modules only: SONiC publishes none for SFF. */
static void dom_flags(struct out *o, struct box_port *p,
		      const struct module_view *v, int64_t unix_s)
{
	const struct plant_limits *limits = &p->facts.limits;
	bool optical = p->facts.optical;
	struct flag_row r;

	flags_begin(&r, p->flags, FLAGS_DOM, p->facts.name, unix_s);
	for (unsigned e = 0; e < PLANT_EDGE_COUNT; e++) {
		flags_put(&r, dom_flag_names[FLAG_TEMP][e], 0,
			  is_past(v->temp_c, limits->temp_c[e], e));
		flags_put(&r, dom_flag_names[FLAG_VCC][e], 0,
			  is_past(v->vcc_v, limits->vcc_v[e], e));
		flags_put(&r, dom_flag_names[FLAG_LASER_TEMP][e], 0, optical &&
			  is_past(v->laser_temp_c,
				  limits->temp_c[e] + LASER_ABOVE_K, e));
	}
	for (unsigned i = 0; i < CMIS_LANES; i++)
		lane_dom_flags(&r, v, i);
	flags_end(&r, o);
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

static void status_row(struct out *o, struct box_port *p,
		       const struct module_view *v, int64_t unix_s)
{
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
	if (v->coherent)
		coherent_status_fields(o);
	out_row_end_timed(o, &p->seen[ROW_STATUS], unix_s);
}

static void status_flags(struct out *o, struct box_port *p,
			 const struct module_view *v, int64_t unix_s)
{
	static const char *const quiet[] = {
		"tx#los_hostlane", "tx#cdrlol_hostlane", "tx#_eq_fault",
	};
	struct flag_row r;

	flags_begin(&r, p->flags, FLAGS_STATUS, p->facts.name, unix_s);
	for (unsigned i = 0; i < lanes_shown(p); i++) {
		flags_put(&r, "rx#los", i + 1, v->lane[i].rx_los);
		flags_put(&r, "tx#fault", i + 1, v->lane[i].tx_fault);
		if (!is_cmis(p))
			continue;
		flags_put(&r, "rx#cdrlol", i + 1, v->lane[i].rx_los);
		for (size_t q = 0; q < sizeof(quiet) / sizeof(quiet[0]); q++)
			flags_put(&r, quiet[q], i + 1, false);
	}
	if (is_cmis(p)) {
		flags_put(&r, "datapath_firmware_fault", 0, false);
		flags_put(&r, "module_firmware_fault", 0, false);
		flags_put(&r, "module_state_changed", 0, false);
	}
	if (p->facts.coherent)
		coherent_flags(&r);
	flags_end(&r, o);
}

/* --- xcvrd ---------------------------------------------------------------- */

static void software_row(struct out *o, const struct box_port *p,
			 bool present)
{
	out_row(o, STATE_DB, "TRANSCEIVER_STATUS_SW", p->facts.name);
	out_text(o, "status", present ? "1" : "0");
	out_text(o, "error", NA);
	if (is_cmis(p))
		out_text(o, "cmis_state", present ? "READY" : "REMOVED");
	out_row_end(o);
}

void modules_delete(struct box *b, const struct box_port *p)
{
	struct out *o = p->out;

	for (size_t i = 0; i < sizeof(module_tables) /
	     sizeof(module_tables[0]); i++)
		out_delete(o, STATE_DB, module_tables[i], p->facts.name);
	flags_delete(o, p->facts.name);
	vdm_delete(o, p->facts.name);
	if (p->facts.coherent)
		coherent_delete(o, p->facts.name);
}

/* None of them stands there any more. */
static void rows_forget(struct box_port *p)
{
	memset(p->flags, 0, sizeof(*p->flags));
	memset(p->seen, 0, sizeof(p->seen));
	p->serial[0] = '\0';
}

static void module_leave(struct box *b, struct box_port *p)
{
	modules_delete(b, p);
	software_row(p->out, p, false);
	memset(&p->vdm, 0, sizeof(p->vdm));
	rows_forget(p);
	if (box_is_first(p))
		memory_remove(b, p);
}

static void module_enter(struct box *b, struct box_port *p, int64_t unix_s)
{
	struct out *o = p->out;

	memcpy(p->serial, p->now.serial, sizeof(p->serial));
	module_info_row(o, p);
	software_row(o, p, true);
	if (!box_is_first(p))
		return;
	memory_enter(b, p);
	threshold_row(o, p, unix_s);
	if (p->form == FORM_CMIS)
		vdm_thresholds(o, p, unix_s);
	modules_read(b, (size_t)(p - b->port), unix_s);
}

/* A second after a link changed xcvrd reads the flags of its cage again. */
static void flags_follow(struct box *b, struct box_port *p, int64_t unix_s)
{
	struct box_port *first = p - (p->subport ? p->subport - 1 : 0);
	struct module_view v;

	if (p->flags_due == 0 || --p->flags_due > 0 || !p->now.present ||
	    first->stopped)
		return;
	module_view(b, (size_t)(first - b->port), &v);
	status_flags(first->out, first, &v, unix_s);
	if (first->form == FORM_CMIS)
		dom_flags(first->out, first, &v, unix_s);
}

void modules_presence(struct box *b, int64_t unix_s)
{
	for (size_t i = 0; i < b->port_count; i++) {
		struct box_port *p = &b->port[i];

		flags_follow(b, p, unix_s);
		if (p->stopped || strcmp(p->serial, p->now.serial) == 0)
			continue;
		if (p->serial[0])
			module_leave(b, p);
		if (p->now.present)
			module_enter(b, p, unix_s);
	}
}

void modules_forget(struct box *b)
{
	for (size_t i = 0; i < b->port_count; i++) {
		struct box_port *p = &b->port[i];

		p->vdm.is_posted = false;
		rows_forget(p);
	}
}

void modules_watch(struct box *b)
{
	for (size_t i = 0; i < b->port_count; i++) {
		struct box_port *p = &b->port[i];
		struct module_view v;

		if (!box_is_first(p) || p->form != FORM_CMIS ||
		    !p->now.present)
			continue;
		module_view(b, i, &v);
		vdm_watch(&p->vdm, &v);
	}
}

void modules_heat(struct box *b, int64_t unix_s)
{
	for (size_t i = 0; i < b->port_count; i++) {
		const struct box_port *p = &b->port[i];
		struct out *o = p->out;
		struct module_view v;

		if (!box_is_first(p) || p->stopped || !p->now.present ||
		    is_copper(p))
			continue;
		module_view(b, i, &v);
		out_row(o, STATE_DB, "TRANSCEIVER_DOM_TEMPERATURE",
			p->facts.name);
		out_rounded(o, "temperature", v.temp_c, 3);
		out_time(o, "last_update_time", unix_s);
		out_row_end(o);
	}
}

void modules_read(struct box *b, size_t port, int64_t unix_s)
{
	struct box_port *p = &b->port[port];
	struct out *o = p->out;
	struct module_view v;

	if (!box_is_first(p) || p->stopped || !p->now.present)
		return;
	module_view(b, port, &v);
	memory_write(b, port);
	sensor_row(o, p, &v, unix_s);
	status_row(o, p, &v, unix_s);
	status_flags(o, p, &v, unix_s);
	if (p->form != FORM_CMIS)
		return;
	dom_flags(o, p, &v, unix_s);
	vdm_read(o, p, &v, unix_s);
	if (v.coherent && p->now.dom_readable)
		coherent_pm_row(o, p->facts.name, &v.line,
				&p->seen[ROW_PM], unix_s);
}
