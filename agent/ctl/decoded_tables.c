/* Measured values as tables: the module's monitors and its lanes with the room
 * to their limits, and diagnostics.
 */
#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/ctl/cell.h"
#include "agent/ctl/decoded.h"
#include "agent/query/answer.h"
#include "platform/module/register_tables.h"

#define ABREAST 8u		/* lanes per table */

enum edge { HIGH_ALARM, LOW_ALARM, HIGH_WARNING, LOW_WARNING };

/* What is shown, where, and how far it can be trusted so far. */
struct tables {
	const struct decoded *d;
	struct answer *a;
	unsigned qualities;	/* bit n: a value of enum sample_quality n */
};

static void value_cell(struct tables *t, const struct decoded_reading *v,
		       enum cell_form form)
{
	char text[CELL_TEXT_MAX] = "";
	struct cell cell = { .text = "" };

	if (!v) {
		answer_absent(t->a);
		return;
	}
	t->qualities |= 1u << v->quality;
	cell.value = v->value;
	cell.quality = v->quality;
	cell_text(decoded_cell_unit(v->quantity), &cell, form, text);
	if (v->quality == QUALITY_ESTIMATED)
		(void)strncat(text, "?", sizeof(text) - strlen(text) - 1);
	answer_text(t->a, text);
}

/* --- monitors and lanes, and the room to their limits -------------------- */

/* The smaller distance to a warning, or to an alarm where there is no warning;
 * below 0: past the limit. In mdB for power, else in the unit itself.
 */
static bool headroom(const struct decoded *d, const struct decoded_reading *v,
		     enum quantity threshold, int64_t *ret)
{
	bool is_power = v->quantity->unit == UNIT_PW, found = false;

	for (int edge = LOW_WARNING; edge >= HIGH_ALARM; edge--) {
		const struct decoded_reading *t =
			decoded_find(d, threshold, 0, (unsigned)edge);
		bool is_low = edge == LOW_WARNING || edge == LOW_ALARM;
		int64_t room;

		if (edge == LOW_ALARM && found)
			break;
		if (!t || (is_power && (t->value <= 0 || v->value <= 0)))
			continue;
		room = is_power ? (int64_t)(1000 * (number_dbm(t->value) -
						    number_dbm(v->value))) :
				  t->value - v->value;
		room = is_low ? -room : room;
		*ret = found && *ret < room ? *ret : room;
		found = true;
	}
	return found;
}

/* A dark lane is below each limit: its distance in dB is infinite. */
static bool is_dark(const struct decoded *d, const struct decoded_reading *v,
		    enum quantity threshold)
{
	const struct decoded_reading *low =
		decoded_find(d, threshold, 0, LOW_ALARM);

	return v->quantity->unit == UNIT_PW && v->value == 0 && low &&
	       low->value > 0;
}

/* Adds a mark where the value is past the limit. */
static void headroom_cell(struct answer *a, const struct decoded *d,
			  const struct decoded_reading *v,
			  enum quantity threshold)
{
	struct cell room = { .text = "" };
	char text[CELL_TEXT_MAX] = "";

	if (v && is_dark(d, v, threshold)) {
		answer_text(a, "!");
		return;
	}
	if (!v || !headroom(d, v, threshold, &room.value)) {
		answer_absent(a);
		return;
	}
	if (v->quantity->unit == UNIT_PW)
		(void)snprintf(text, sizeof(text), "%.*f",
			       room.value > -10000 ? 1 : 0,
			       (double)room.value / 1000);
	else
		cell_text(decoded_cell_unit(v->quantity), &room, FORM_TABLE,
			  text);
	if (room.value < 0)
		(void)strncat(text, "!", sizeof(text) - strlen(text) - 1);
	answer_text(a, text);
}

static void monitors_show(struct tables *t)
{
	static const struct {
		const char *label;
		enum quantity value, threshold;
	} rows[] = {
		{ "temperature °C", Q_MODULE_TEMP_MC,
		  Q_MODULE_TEMP_THRESHOLD_MC },
		{ "voltage V", Q_MODULE_VCC_UV, Q_MODULE_VCC_THRESHOLD_UV },
		{ "laser °C", Q_MODULE_LASER_TEMP_MC,
		  Q_MODULE_LASER_TEMP_THRESHOLD_MC },
		{ "laser 2 °C", Q_MODULE_LASER_2_TEMP_MC,
		  Q_MODULE_LASER_2_TEMP_THRESHOLD_MC },
		{ "cooler %", Q_MODULE_TEC_CURRENT_PPM,
		  Q_MODULE_TEC_CURRENT_THRESHOLD_PPM },
		{ "cooler 2 %", Q_MODULE_TEC_2_CURRENT_PPM,
		  Q_MODULE_TEC_2_CURRENT_THRESHOLD_PPM },
		{ "voltage 2 V", Q_MODULE_VCC2_UV,
		  Q_MODULE_VCC2_THRESHOLD_UV },
		{ "Rx power dBm", 0, Q_MODULE_RX_POWER_THRESHOLD_PW },
		{ "Tx power dBm", 0, Q_MODULE_TX_POWER_THRESHOLD_PW },
		{ "Tx bias mA", 0, Q_MODULE_TX_BIAS_THRESHOLD_UA },
	};
	static const struct answer_column columns[] = {
		{ "monitor", "MONITOR", CELL_TEXT },
		{ "now", "NOW", CELL_TEXT, .right = true },
		{ "headroom", "HEADROOM", CELL_TEXT, .right = true },
		{ "low_alarm", "LOW ALARM", CELL_TEXT, .right = true },
		{ "low_warning", "LOW WARN", CELL_TEXT, .right = true },
		{ "high_warning", "HIGH WARN", CELL_TEXT, .right = true },
		{ "high_alarm", "HIGH ALARM", CELL_TEXT, .right = true },
		{ .key = NULL },
	};
	static const enum edge order[] = { LOW_ALARM, LOW_WARNING,
					   HIGH_WARNING, HIGH_ALARM };
	const struct decoded *d = t->d;
	struct answer *a = t->a;

	answer_columns(a, "monitors", columns, false);
	for (size_t i = 0; i < TABLE_COUNT(rows); i++) {
		const struct decoded_reading *v = rows[i].value ?
			decoded_find(d, rows[i].value, 0, 0) : NULL;

		if (!v && !decoded_find(d, rows[i].threshold, 0, 0))
			continue;
		answer_row(a);
		answer_text(a, rows[i].label);
		value_cell(t, v, FORM_TABLE);
		headroom_cell(a, d, v, rows[i].threshold);
		for (size_t k = 0; k < TABLE_COUNT(order); k++)
			value_cell(t, decoded_find(d, rows[i].threshold, 0,
						   order[k]), FORM_TABLE);
	}
}

static void power_cells(struct tables *t, enum quantity q,
			enum quantity threshold, unsigned lane)
{
	const struct decoded_reading *v = decoded_find(t->d, q, lane, 0);
	char mw[32];

	value_cell(t, v, FORM_TABLE);
	(void)snprintf(mw, sizeof(mw), "%.4f", v ? (double)v->value / 1e9 : 0);
	answer_text(t->a, v ? mw : NULL);
	headroom_cell(t->a, t->d, v, threshold);
}

static void lanes_show(struct tables *t)
{
	static const struct answer_column columns[] = {
		{ "lane", "LANE", CELL_INTEGER },
		{ "rx", "RX dBm", CELL_TEXT, .right = true },
		{ "rx_mw", "mW", CELL_TEXT, .right = true },
		{ "rx_room", "ROOM", CELL_TEXT, .right = true },
		{ "tx", "TX dBm", CELL_TEXT, .right = true },
		{ "tx_mw", "mW", CELL_TEXT, .right = true },
		{ "tx_room", "ROOM", CELL_TEXT, .right = true },
		{ "bias", "BIAS mA", CELL_TEXT, .right = true },
		{ "bias_room", "ROOM", CELL_TEXT, .right = true },
		{ "state", "STATE", CELL_TEXT },
		{ .key = NULL },
	};
	const struct decoded *d = t->d;
	struct answer *a = t->a;
	bool any = false;

	for (unsigned lane = 1; lane <= d->lanes; lane++) {
		const struct decoded_reading *bias =
			decoded_find(d, Q_LANE_TX_BIAS_UA, lane, 0);

		if (!decoded_is_measured(d, lane))
			continue;
		if (!any)
			answer_columns(a, "lanes", columns, false);
		any = true;
		answer_row(a);
		answer_integer(a, lane);
		power_cells(t, Q_LANE_RX_POWER_PW,
			    Q_MODULE_RX_POWER_THRESHOLD_PW, lane);
		power_cells(t, Q_LANE_TX_POWER_PW,
			    Q_MODULE_TX_POWER_THRESHOLD_PW, lane);
		value_cell(t, bias, FORM_TABLE);
		headroom_cell(a, d, bias, Q_MODULE_TX_BIAS_THRESHOLD_UA);
		answer_text(a, decoded_path_word(d, lane));
	}
	if (any)
		answer_note(a, "ROOM: to the nearer warning, in dB of power, "
			    "in mA of bias; !: beyond it");
}

/* --- diagnostics: a row a quantity, a column a lane ---------------------- */

struct grid {
	const char *label, *prefix;
	enum cell_form form;
	unsigned count;
	struct {
		char heading[12];
		unsigned owner, index;
	} column[ABREAST];
};

/* Versatile diagnostics (VDM), or a coherent link's (PM). */
static bool is_of_grid(const struct grid *g, const struct decoded_reading *v)
{
	const struct quantity_info *q = v->quantity;
	bool is_vdm = g->form == FORM_SHORT;
	bool has_owner = false;

	for (unsigned i = 0; i < g->count; i++)
		has_owner = has_owner || g->column[i].owner == v->lane;
	if (is_vdm && (q->id == Q_LANE_SNR_MDB ||
		       q->id == Q_LANE_PRE_FEC_BER_E18))
		return has_owner;
	return has_owner && q->unit != UNIT_BOOL &&
	       strncmp(q->name, g->prefix, strlen(g->prefix)) == 0 &&
	       !strstr(q->name, "_threshold");
}

/* The name, with the unit that people use. */
static void name_text(const struct quantity_info *q, const char *prefix,
		      char *ret, size_t cap)
{
	static const char *const units[UNIT_COUNT] = {
		[UNIT_PW] = " dBm", [UNIT_MC] = " °C", [UNIT_UV] = " V",
		[UNIT_UA] = " mA", [UNIT_MDB] = " dB", [UNIT_PPM] = " %",
		[UNIT_E18] = "",
	};
	const char *unit = quantity_unit_name((enum quantity_unit)q->unit);
	const char *name = q->name;

	name += strncmp(name, "lane_", 5) == 0 ? 5 : strlen(prefix);
	(void)snprintf(ret, cap, "%.*s%s", units[q->unit] ?
		       (int)(strlen(name) - strlen(unit)) - 1 : INT16_MAX,
		       name, units[q->unit] ? units[q->unit] : "");
}

static void grid_show(struct tables *t, const struct grid *g)
{
	/* with few columns there is room for two digits of a ratio */
	enum cell_form ratio = g->count > ABREAST / 2 ? g->form : FORM_TABLE;
	const struct decoded *d = t->d;
	struct answer_column columns[ABREAST + 2] = {
		{ "name", g->label, CELL_TEXT } };
	const struct quantity_info *last = NULL;
	char name[CELL_TEXT_MAX];

	for (unsigned i = 0; i < g->count; i++)
		columns[1 + i] = (struct answer_column){
			g->column[i].heading, g->column[i].heading, CELL_TEXT,
			.right = true };
	for (size_t i = 0; i < d->value_count; i++) {
		const struct decoded_reading *v = &d->values[i];

		if (v->quantity == last || !is_of_grid(g, v))
			continue;
		if (!last)
			answer_columns(t->a, g->prefix, columns, false);
		last = v->quantity;
		name_text(last, g->prefix, name, sizeof(name));
		answer_row(t->a);
		answer_text(t->a, name);
		for (unsigned c = 0; c < g->count; c++)
			value_cell(t, decoded_find(d, (enum quantity)last->id,
						   g->column[c].owner,
						   g->column[c].index),
				   last->unit == UNIT_E18 ? ratio : g->form);
	}
}

/* For lanes, for data paths by their first host lanes, or for the module. */
static void vdm_show(struct tables *t, const char *label, unsigned first,
		     unsigned last)
{
	struct grid g = { .label = label, .prefix = "vdm_",
			  .form = FORM_SHORT };

	for (unsigned owner = first; owner <= last; owner++) {
		if (decoded_has(t->d, owner)) {
			g.column[g.count].owner = owner;
			(void)snprintf(g.column[g.count++].heading,
				       sizeof(g.column[0].heading), "%u",
				       owner % MODULE_PATH);
		}
		if (g.count == ABREAST || owner == last) {
			grid_show(t, &g);
			g.count = 0;
		}
	}
}

static void diagnostics_show(struct tables *t)
{
	static const struct grid module = {
		"VDM OF THE MODULE", "vdm_", FORM_SHORT, 1, { { "-", 0, 0 } }
	};
	static const struct grid pm = {
		"PERFORMANCE", "pm_", FORM_TABLE, 3,
		{ { "AVERAGE", 0, 0 }, { "MINIMUM", 0, 1 },
		  { "MAXIMUM", 0, 2 } }
	};

	vdm_show(t, "VDM BY LANE", 1, MODULE_PATH - 1);
	vdm_show(t, "VDM BY DATA PATH", MODULE_PATH + 1, 2 * MODULE_PATH - 1);
	grid_show(t, &module);
	grid_show(t, &pm);
}

static void doubt_notes(const struct tables *t)
{
	if (t->qualities >> QUALITY_ESTIMATED & 1)
		answer_note(t->a, "?: what says that the module has it is "
			    "missing or in doubt");
	if (t->qualities >> QUALITY_STALE & 1)
		answer_note(t->a, "?: the module says that its values are not "
			    "ready");
}

void decoded_tables(const struct decoded *d, struct answer *a)
{
	struct tables t = { .d = d, .a = a };

	monitors_show(&t);
	lanes_show(&t);
	diagnostics_show(&t);
	doubt_notes(&t);
}
