/* For people: what it is, how it is, a line for each lane, and what of it is
 * not to be believed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/ctl/cell.h"
#include "agent/ctl/decoded.h"
#include "agent/ctl/screen.h"
#include "petrel/local.h"
#include "platform/module/application.h"
#include "platform/module/field.h"

#define LABEL_WIDTH 14u
#define NAME_WIDTH 26
#define LANE_WIDTH 6
#define LANES_ABREAST 8u

enum edge { HIGH_ALARM, LOW_ALARM, HIGH_WARNING, LOW_WARNING, EDGE_COUNT };

static const uint8_t cells[UNIT_COUNT] = {
	[UNIT_PW] = CELL_PW, [UNIT_MC] = CELL_MC, [UNIT_UV] = CELL_UV,
	[UNIT_UA] = CELL_UA, [UNIT_MDB] = CELL_MDB, [UNIT_E18] = CELL_E18,
	[UNIT_BOOL] = CELL_BOOL, [UNIT_PPM] = CELL_PPM,
};

/* A value as the other commands show it; "-" when there is none. */
static void value_text(const struct decoded_value *v, enum cell_form form,
		       char ret[static CELL_TEXT_MAX])
{
	Petrel__HeadCell head;
	Petrel__Cell cell;

	if (!v) {
		(void)snprintf(ret, CELL_TEXT_MAX, "-");
		return;
	}
	petrel__head_cell__init(&head);
	petrel__cell__init(&cell);
	head.unit = cells[v->quantity->unit];
	head.unit = head.unit ? head.unit : CELL_INTEGER;
	cell.value = v->value;
	cell.quality = v->quality;
	cell_text(&head, &cell, form, ret);
}

/* --- what it is ---------------------------------------------------------- */

static void line_print(const struct screen *s, const char *label,
		       const char *text)
{
	char clean[CELL_TEXT_MAX];

	if (!text[0])
		return;
	text_clean(text, clean, sizeof(clean));
	(void)fprintf(s->out, "  %-*s", (int)LABEL_WIDTH, label);
	screen_wrap(s, LABEL_WIDTH + 2, LABEL_WIDTH + 2, clean);
}

/* Form factor, medium, kind of cable and standard, each once. */
static void type_line(const struct screen *s, const struct decoded *d)
{
	static const enum attribute which[] = {
		ATTRIBUTE_FORM_FACTOR, ATTRIBUTE_MEDIA, ATTRIBUTE_CABLE,
		ATTRIBUTE_STANDARD,
	};
	char line[CELL_TEXT_MAX] = "";

	for (size_t i = 0; i < TABLE_COUNT(which); i++) {
		const char *text = d->text[which[i]];
		size_t len = strlen(line);

		if (text[0] && !strstr(line, text))
			(void)snprintf(line + len, sizeof(line) - len, "%s%s",
				       len ? ", " : "", text);
	}
	line_print(s, "type", line);
}

static void power_line(const struct screen *s, const struct decoded *d)
{
	const struct decoded_value *class =
		decoded_find(d, Q_MODULE_POWER_CLASS, 0, 0);
	const struct decoded_value *most =
		decoded_find(d, Q_MODULE_MAX_POWER_UW, 0, 0);
	const struct decoded_value *wavelength =
		decoded_find(d, Q_MODULE_WAVELENGTH_PM, 0, 0);
	char line[CELL_TEXT_MAX] = "";
	size_t len = 0;

	if (class)
		len += (size_t)snprintf(line, sizeof(line), "class %lld",
					(long long)class->value);
	if (most)
		(void)snprintf(line + len, sizeof(line) - len,
			       ", up to %.2f W", (double)most->value / 1e6);
	line_print(s, "power", line);
	if (!wavelength)
		return;
	(void)snprintf(line, sizeof(line), "%.2f nm",
		       (double)wavelength->value / 1e3);
	line_print(s, "wavelength", line);
}

/* How far it reaches over which fibre: single mode 2000, om4 100. */
static void reach_line(const struct screen *s, const struct decoded *d)
{
	const struct quantity_info *q = quantity_find(Q_MODULE_REACH_M);
	char line[CELL_TEXT_MAX] = "";
	size_t len = 0;

	for (unsigned i = 0; decoded_index_name(q, i); i++) {
		const struct decoded_value *v =
			decoded_find(d, Q_MODULE_REACH_M, 0, i);

		if (v && len < sizeof(line))
			len += (size_t)snprintf(line + len, sizeof(line) - len,
						"%s%s %lld", len ? ", " : "",
						i ? decoded_index_name(q, i) :
						    "single mode",
						(long long)v->value);
	}
	line_print(s, "reach m", line);
}

static void identity_print(const struct screen *s, const struct decoded *d)
{
	static const struct {
		const char *label;
		enum attribute attribute;
	} lines[] = {
		{ "vendor", ATTRIBUTE_VENDOR }, { "OUI", ATTRIBUTE_OUI },
		{ "part", ATTRIBUTE_PART }, { "revision", ATTRIBUTE_REVISION },
		{ "serial", ATTRIBUTE_SERIAL }, { "made", ATTRIBUTE_DATE },
		{ "firmware", ATTRIBUTE_FIRMWARE },
		{ "  inactive", ATTRIBUTE_INACTIVE_FIRMWARE },
		{ "hardware", ATTRIBUTE_HARDWARE },
		{ "technology", ATTRIBUTE_TECHNOLOGY },
		{ "connector", ATTRIBUTE_CONNECTOR },
		{ "length m", ATTRIBUTE_CABLE_LENGTH },
	};
	char applications[CELL_TEXT_MAX] = "";

	type_line(s, d);
	for (size_t i = 0; i < TABLE_COUNT(lines); i++)
		line_print(s, lines[i].label, d->text[lines[i].attribute]);
	if (d->view.standard == MODULE_CMIS)
		application_list(&d->view, applications,
				 sizeof(applications));
	line_print(s, "applications", applications[0] ? applications :
		   d->text[ATTRIBUTE_APPLICATIONS]);
	reach_line(s, d);
	power_line(s, d);
}

/* --- headroom ------------------------------------------------------------ */

/* Some vendors leave nonsense in them. */
static bool edges_are_sane(const struct decoded *d, enum quantity threshold)
{
	const struct decoded_value *low =
		decoded_find(d, threshold, 0, LOW_WARNING);
	const struct decoded_value *high =
		decoded_find(d, threshold, 0, HIGH_WARNING);

	return !low || !high || low->value < high->value;
}

/* The smaller distance to a warning, or to an alarm where there is no
 * warning; below 0 it is beyond. Of power in mdB, else in the unit itself.
 */
static bool headroom(const struct decoded *d, const struct decoded_value *v,
		     enum quantity threshold, int64_t *ret)
{
	bool is_power = v->quantity->unit == UNIT_PW, found = false;

	if (!edges_are_sane(d, threshold))
		return false;
	for (int edge = LOW_WARNING; edge >= HIGH_ALARM; edge--) {
		const struct decoded_value *t =
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

static void headroom_text(const struct decoded *d,
			  const struct decoded_value *v,
			  enum quantity threshold,
			  char ret[static CELL_TEXT_MAX])
{
	struct decoded_value room;

	(void)snprintf(ret, CELL_TEXT_MAX, "-");
	if (!v)
		return;
	room = *v;
	room.quality = QUALITY_GOOD;
	if (!headroom(d, v, threshold, &room.value))
		return;
	if (v->quantity->unit == UNIT_PW)
		(void)snprintf(ret, CELL_TEXT_MAX, "%.1f",
			       (double)room.value / 1000);
	else
		value_text(&room, FORM_TABLE, ret);
}

/* --- the module ---------------------------------------------------------- */

static void word_line(const struct screen *s, const struct decoded *d,
		      enum quantity q, const char *label)
{
	const struct decoded_value *v = decoded_find(d, q, 0, 0);
	const char *word = v ? decoded_word(v->quantity, v->value) : NULL;

	if (word)
		line_print(s, label, word);
}

static const struct {
	const char *label;
	enum quantity value, threshold;
} monitors[] = {
	{ "temperature °C", Q_MODULE_TEMP_MC, Q_MODULE_TEMP_THRESHOLD_MC },
	{ "voltage V", Q_MODULE_VCC_UV, Q_MODULE_VCC_THRESHOLD_UV },
	{ "laser °C", Q_MODULE_LASER_TEMP_MC,
	  Q_MODULE_LASER_TEMP_THRESHOLD_MC },
	{ "cooler %", Q_MODULE_TEC_CURRENT_PPM,
	  Q_MODULE_TEC_CURRENT_THRESHOLD_PPM },
	{ "voltage 2 V", Q_MODULE_VCC2_UV, Q_MODULE_VCC2_THRESHOLD_UV },
	{ "Rx power dBm", 0, Q_MODULE_RX_POWER_THRESHOLD_PW },
	{ "Tx power dBm", 0, Q_MODULE_TX_POWER_THRESHOLD_PW },
	{ "Tx bias mA", 0, Q_MODULE_TX_BIAS_THRESHOLD_UA },
};

/* °  takes one column and two octets. */
static void cell_print(const struct screen *s, const char *text, int width)
{
	int columns = (int)text_columns(text);

	(void)fprintf(s->out, "%*s%s", columns < width ? width - columns : 1,
		      "", text);
}

static void monitor_print(const struct screen *s, const struct decoded *d,
			  size_t i)
{
	static const enum edge order[] = {
		LOW_ALARM, LOW_WARNING, HIGH_WARNING, HIGH_ALARM,
	};
	const struct decoded_value *v = monitors[i].value ?
		decoded_find(d, monitors[i].value, 0, 0) : NULL;
	char text[CELL_TEXT_MAX];

	if (!v && !decoded_find(d, monitors[i].threshold, 0, 0))
		return;
	(void)fprintf(s->out, "  %s%*s", monitors[i].label, (int)(LABEL_WIDTH -
		      text_columns(monitors[i].label)), "");
	value_text(v, FORM_TABLE, text);
	cell_print(s, text, 10);
	headroom_text(d, v, monitors[i].threshold, text);
	cell_print(s, text, 10);
	for (size_t k = 0; k < TABLE_COUNT(order); k++) {
		value_text(decoded_find(d, monitors[i].threshold, 0, order[k]),
			   FORM_TABLE, text);
		cell_print(s, text, 10);
	}
	(void)fputc('\n', s->out);
}

static void module_print(const struct screen *s, const struct decoded *d)
{
	static const char *const head[] = {
		"now", "headroom", "low alarm", "low warn", "high warn",
		"high alarm",
	};
	bool any = false;

	word_line(s, d, Q_MODULE_STATE, "state");
	word_line(s, d, Q_MODULE_FAULT_CAUSE, "fault");
	for (size_t i = 0; i < TABLE_COUNT(monitors); i++)
		any = any || decoded_find(d, monitors[i].threshold, 0, 0) ||
		      (monitors[i].value &&
		       decoded_find(d, monitors[i].value, 0, 0));
	if (!any)
		return;
	(void)fprintf(s->out, "\n  %-*s", (int)LABEL_WIDTH, "");
	for (size_t i = 0; i < TABLE_COUNT(head); i++)
		cell_print(s, head[i], i < 5 ? 10 : 11);
	(void)fputc('\n', s->out);
	for (size_t i = 0; i < TABLE_COUNT(monitors); i++)
		monitor_print(s, d, i);
}

/* --- lanes --------------------------------------------------------------- */

static void power_cells(const struct screen *s, const struct decoded *d,
			enum quantity q, enum quantity threshold,
			unsigned lane)
{
	const struct decoded_value *v = decoded_find(d, q, lane, 0);
	char text[CELL_TEXT_MAX];

	value_text(v, FORM_TABLE, text);
	cell_print(s, text, 8);
	(void)snprintf(text, sizeof(text), "-");
	if (v)
		(void)snprintf(text, sizeof(text), "%.4f",
			       (double)v->value / 1e9);
	cell_print(s, text, 8);
	headroom_text(d, v, threshold, text);
	cell_print(s, text, 6);
}

static void lane_print(const struct screen *s, const struct decoded *d,
		       unsigned lane)
{
	const struct decoded_value *bias =
		decoded_find(d, Q_LANE_TX_BIAS_UA, lane, 0);
	const struct decoded_value *state =
		decoded_find(d, Q_LANE_DATA_PATH_STATE, lane, 0);
	const char *word = state ? decoded_word(state->quantity, state->value) :
				   NULL;
	char text[CELL_TEXT_MAX];

	(void)fprintf(s->out, "  %4u", lane);
	power_cells(s, d, Q_LANE_RX_POWER_PW, Q_MODULE_RX_POWER_THRESHOLD_PW,
		    lane);
	power_cells(s, d, Q_LANE_TX_POWER_PW, Q_MODULE_TX_POWER_THRESHOLD_PW,
		    lane);
	value_text(bias, FORM_TABLE, text);
	cell_print(s, text, 9);
	headroom_text(d, bias, Q_MODULE_TX_BIAS_THRESHOLD_UA, text);
	cell_print(s, text, 7);
	(void)fprintf(s->out, "  %s\n", word ? strncmp(word, "DataPath", 8) ?
		      word : word + 8 : "-");
}

static bool lane_is_known(const struct decoded *d, unsigned lane)
{
	return decoded_find(d, Q_LANE_RX_POWER_PW, lane, 0) ||
	       decoded_find(d, Q_LANE_TX_POWER_PW, lane, 0) ||
	       decoded_find(d, Q_LANE_TX_BIAS_UA, lane, 0) ||
	       decoded_find(d, Q_LANE_DATA_PATH_STATE, lane, 0);
}

static void lanes_print(const struct screen *s, const struct decoded *d)
{
	bool any = false;

	for (unsigned lane = 1; lane <= d->lanes; lane++) {
		if (!lane_is_known(d, lane))
			continue;
		if (!any)
			(void)fprintf(s->out, "\n  lane  Rx dBm      mW  room"
				      "  Tx dBm      mW  room  bias mA   "
				      "room  state\n");
		any = true;
		lane_print(s, d, lane);
	}
	if (any)
		(void)fprintf(s->out, "  room: to the nearer warning, in dB "
			      "of power, in mA of bias\n");
}

/* --- flags --------------------------------------------------------------- */

/* lane_rx_power_flag and its edge as words: Rx power low alarm. */
static void flag_text(const struct decoded_value *v, char *ret, size_t cap)
{
	static const char *const prefixes[] = { "module_", "lane_" };
	const char *name = v->quantity->name;
	const char *edge = decoded_index_name(v->quantity, v->index);
	size_t len;

	for (size_t i = 0; i < TABLE_COUNT(prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		if (strncmp(name, prefixes[i], n) == 0)
			name += n;
	}
	len = strlen(name);
	if (len > 5 && strcmp(name + len - 5, "_flag") == 0)
		len -= 5;
	(void)snprintf(ret, cap, "%.*s%s%s", (int)len, name, edge ? " " : "",
		       edge ? edge : "");
	for (char *t = ret; *t; t++)
		*t = *t == '_' ? ' ' : *t;
}

/* What is set and says that something is, or was, not as it should be. */
static bool is_raised(const struct decoded_value *v)
{
	static const enum quantity states[] = {
		Q_LANE_RX_LOS, Q_LANE_TX_FAULT, Q_LANE_TX_DISABLED,
		Q_LANE_RX_DISABLED, Q_LANE_LOOPBACK, Q_MODULE_LOW_POWER,
		Q_LANE_DATA_PATH_DEINIT, Q_LANE_WAVELENGTH_UNLOCKED,
		Q_LANE_TUNING,
	};

	if (v->quantity->unit != UNIT_BOOL || !v->value)
		return false;
	if (strstr(v->quantity->name, "_flag"))
		return true;
	for (size_t i = 0; i < TABLE_COUNT(states); i++) {
		if (v->quantity->id == states[i])
			return true;
	}
	return false;
}

static void flags_of_lane(const struct screen *s, const struct decoded *d,
			  unsigned lane, bool *any)
{
	char line[4 * CELL_TEXT_MAX] = "", label[24], one[96];
	size_t len = 0;

	for (size_t i = 0; i < d->value_count; i++) {
		if (d->values[i].lane != lane || !is_raised(&d->values[i]))
			continue;
		flag_text(&d->values[i], one, sizeof(one));
		if (len + strlen(one) + 3 > sizeof(line))
			break;
		len += (size_t)snprintf(line + len, sizeof(line) - len,
					"%s%s", len ? ", " : "", one);
	}
	if (!len)
		return;
	if (!*any)
		(void)fprintf(s->out, "\n  flags\n");
	*any = true;
	(void)snprintf(label, sizeof(label), lane ? "  lane %u" : "  module",
		       lane);
	(void)fprintf(s->out, "  %-*s", (int)LABEL_WIDTH, label);
	screen_wrap(s, LABEL_WIDTH + 2, LABEL_WIDTH + 2, line);
}

/* --- VDM ----------------------------------------------------------------- */

static bool is_vdm_value(const struct quantity_info *q)
{
	if (q->id == Q_LANE_SNR_MDB || q->id == Q_LANE_PRE_FEC_BER_E18)
		return true;
	return strncmp(q->name, "vdm_", 4) == 0 && q->unit != UNIT_BOOL &&
	       !strstr(q->name, "_threshold");
}

/* The name with the unit that people use. */
static void name_text(const struct quantity_info *q, const char *prefix,
		      char *ret, size_t cap)
{
	static const char *const units[UNIT_COUNT] = {
		[UNIT_PW] = " dBm", [UNIT_MC] = " °C", [UNIT_UV] = " V",
		[UNIT_UA] = " mA", [UNIT_MDB] = " dB", [UNIT_PPM] = " %",
		[UNIT_E18] = "",
	};
	size_t skip = strncmp(q->name, prefix, strlen(prefix)) == 0 ?
		      strlen(prefix) : 0;
	size_t len = strlen(q->name + skip);

	if (units[q->unit])
		len -= strlen(quantity_unit_name((enum quantity_unit)
						 q->unit)) + 1;
	(void)snprintf(ret, cap, "%.*s%s", (int)len, q->name + skip,
		       units[q->unit] ? units[q->unit] : "");
}

static void vdm_row(const struct screen *s, const struct decoded *d,
		    const struct quantity_info *q, unsigned from)
{
	char text[CELL_TEXT_MAX];

	name_text(q, strncmp(q->name, "lane_", 5) == 0 ? "lane_" : "vdm_",
		  text, sizeof(text));
	(void)fprintf(s->out, "  %s", text);
	cell_print(s, "", NAME_WIDTH - (int)text_columns(text));
	for (unsigned i = from; i < from + LANES_ABREAST && i <= d->lanes;
	     i++) {
		value_text(decoded_find(d, (enum quantity)q->id, i, 0),
			   FORM_SHORT, text);
		cell_print(s, text, LANE_WIDTH);
	}
	(void)fputc('\n', s->out);
}

static void vdm_block(const struct screen *s, const struct decoded *d,
		      unsigned from)
{
	const struct quantity_info *last = NULL;

	for (size_t i = 0; i < d->value_count; i++) {
		const struct decoded_value *v = &d->values[i];

		if (v->quantity == last || !is_vdm_value(v->quantity) ||
		    v->lane < from || v->lane >= from + LANES_ABREAST)
			continue;
		if (!last) {
			(void)fprintf(s->out, "\n  %-*s", NAME_WIDTH,
				      "VDM, by lane");
			for (unsigned k = from; k < from + LANES_ABREAST &&
			     k <= d->lanes; k++)
				(void)fprintf(s->out, "%*u", LANE_WIDTH, k);
			(void)fputc('\n', s->out);
		}
		last = v->quantity;
		vdm_row(s, d, last, from);
	}
}

static void pm_print(const struct screen *s, const struct decoded *d)
{
	const struct quantity_info *last = NULL;
	char text[CELL_TEXT_MAX];

	for (size_t i = 0; i < d->value_count; i++) {
		const struct quantity_info *q = d->values[i].quantity;

		if (q == last || strncmp(q->name, "pm_", 3) != 0)
			continue;
		if (!last)
			(void)fprintf(s->out, "\n  %-28s%12s%12s%12s\n",
				      "over the interval", "average",
				      "minimum", "maximum");
		last = q;
		name_text(q, "pm_", text, sizeof(text));
		(void)fprintf(s->out, "  %-28s", text);
		for (unsigned k = 0; k < 3; k++) {
			value_text(decoded_find(d, (enum quantity)q->id, 0, k),
				   FORM_TABLE, text);
			cell_print(s, text, 12);
		}
		(void)fputc('\n', s->out);
	}
}

/* --- what is missing, and what cannot be --------------------------------- */

static void missing_print(const struct screen *s, const struct decoded *d,
			  unsigned presence, const char *label)
{
	char line[4 * CELL_TEXT_MAX] = "";
	const char *name;
	size_t at = 0, len = 0;

	while ((name = decoded_missing(d, MODULE_MONITORS, presence, &at)) &&
	       len + strlen(name) + 3 < sizeof(line))
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%s%s",
					len ? ", " : "", name);
	if (len)
		line_print(s, label, line);
}

static void faults_print(const struct screen *s, const struct decoded *d)
{
	if (d->fault_count)
		(void)fprintf(s->out, "\n  not to be believed\n");
	for (size_t i = 0; i < d->fault_count; i++) {
		(void)fprintf(s->out, "  %-*s", (int)LABEL_WIDTH,
			      d->faults[i].where);
		screen_wrap(s, LABEL_WIDTH + 2, LABEL_WIDTH + 2,
			    d->faults[i].what);
	}
}

int decoded_print_text(const struct decoded *d)
{
	struct screen s = screen_of(stdout);
	char file[CELL_TEXT_MAX];
	bool any = false;

	text_clean(d->file, file, sizeof(file));
	screen_tint(&s, TINT_HEAD);
	(void)fprintf(s.out, "%s\n", file);
	screen_plain(&s, TINT_HEAD);
	identity_print(&s, d);
	module_print(&s, d);
	lanes_print(&s, d);
	for (unsigned lane = 0; lane <= d->lanes; lane++)
		flags_of_lane(&s, d, lane, &any);
	for (unsigned from = 1; from <= d->lanes; from += LANES_ABREAST)
		vdm_block(&s, d, from);
	pm_print(&s, d);
	faults_print(&s, d);
	(void)fputc('\n', s.out);
	missing_print(&s, d, FIELD_UNSUPPORTED, "it has no");
	missing_print(&s, d, FIELD_UNREAD, "not in file");
	return ferror(s.out) || fflush(s.out) != 0 ? -EIO : 0;
}
