/* How a module is: its monitors and lanes, and the room to their limits. */
#include "agent/ctl/decoded_text.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"
#include "platform/module/tables.h"

/* --- headroom ------------------------------------------------------------ */

/* The smaller distance to a warning, or to an alarm where there is no
 * warning; below 0 it is beyond. Of power in mdB, else in the unit itself.
 */
static bool headroom(const struct decoded *d, const struct decoded_value *v,
		     enum quantity threshold, int64_t *ret)
{
	bool is_power = v->quantity->unit == UNIT_PW, found = false;

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

/* A dark lane is below each limit, by more than dB can tell. */
static bool is_dark(const struct decoded *d, const struct decoded_value *v,
		    enum quantity threshold)
{
	const struct decoded_value *low =
		decoded_find(d, threshold, 0, LOW_ALARM);

	return v->quantity->unit == UNIT_PW && v->value == 0 && low &&
	       low->value > 0;
}

/* Returns whether the value is beyond the limit. */
static bool headroom_text(const struct decoded *d,
			  const struct decoded_value *v,
			  enum quantity threshold,
			  char ret[static CELL_TEXT_MAX])
{
	struct decoded_value room;

	(void)snprintf(ret, CELL_TEXT_MAX, "-");
	if (!v)
		return false;
	room = *v;
	room.quality = QUALITY_GOOD;
	if (is_dark(d, v, threshold)) {
		ret[0] = '\0';
		return true;
	}
	if (!headroom(d, v, threshold, &room.value))
		return false;
	if (v->quantity->unit == UNIT_PW)
		(void)snprintf(ret, CELL_TEXT_MAX, "%.*f",
			       room.value > -10000 ? 1 : 0,
			       (double)room.value / 1000);
	else
		decoded_value_text(&room, FORM_TABLE, ret);
	return room.value < 0;
}

static void headroom_print(const struct screen *s, const struct decoded *d,
			   const struct decoded_value *v,
			   enum quantity threshold, int width)
{
	char text[CELL_TEXT_MAX];
	bool is_beyond = headroom_text(d, v, threshold, text);

	if (is_beyond) {
		(void)strncat(text, "!", sizeof(text) - strlen(text) - 1);
		screen_tint(s, TINT_WARN);
	}
	decoded_cell_print(s, text, width);
	if (is_beyond)
		screen_plain(s, TINT_WARN);
}

/* --- the module ---------------------------------------------------------- */

static void word_line(const struct screen *s, const struct decoded *d,
		      enum quantity q, const char *label)
{
	const struct decoded_value *v = decoded_find(d, q, 0, 0);
	const char *word = v ? quantity_word(v->quantity->id, v->value) : NULL;

	if (word)
		decoded_line_print(s, label, word);
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
	(void)fprintf(s->out, "  %s%*s", monitors[i].label,
		      (int)(DECODED_LABEL_WIDTH -
			    text_columns(monitors[i].label)), "");
	decoded_value_text(v, FORM_TABLE, text);
	decoded_cell_print(s, text, 10);
	headroom_print(s, d, v, monitors[i].threshold, 10);
	for (size_t k = 0; k < TABLE_COUNT(order); k++) {
		decoded_value_text(decoded_find(d, monitors[i].threshold, 0,
						order[k]), FORM_TABLE, text);
		decoded_cell_print(s, text, 10);
	}
	(void)fputc('\n', s->out);
}

void decoded_print_module(const struct screen *s, const struct decoded *d)
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
	(void)fprintf(s->out, "\n  %-*s", (int)DECODED_LABEL_WIDTH, "");
	for (size_t i = 0; i < TABLE_COUNT(head); i++)
		decoded_cell_print(s, head[i], i < 5 ? 10 : 11);
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

	decoded_value_text(v, FORM_TABLE, text);
	decoded_cell_print(s, text, 8);
	(void)snprintf(text, sizeof(text), "-");
	if (v)
		(void)snprintf(text, sizeof(text), "%.4f",
			       (double)v->value / 1e9);
	decoded_cell_print(s, text, 8);
	headroom_print(s, d, v, threshold, 6);
}

/* Activated, from DataPathActivated; NULL when it is not known. */
static const char *state_word(const struct decoded *d, unsigned lane)
{
	const struct decoded_value *state =
		decoded_find(d, Q_LANE_DATA_PATH_STATE, lane, 0);
	const char *word = state ? quantity_word(state->quantity->id,
						 state->value) :
				   NULL;

	return word && strncmp(word, "DataPath", 8) == 0 ? word + 8 : word;
}

static void lane_print(const struct screen *s, const struct decoded *d,
		       unsigned lane)
{
	const struct decoded_value *bias =
		decoded_find(d, Q_LANE_TX_BIAS_UA, lane, 0);
	const char *word = state_word(d, lane);
	char text[CELL_TEXT_MAX];

	(void)fprintf(s->out, "  %4u", lane);
	power_cells(s, d, Q_LANE_RX_POWER_PW, Q_MODULE_RX_POWER_THRESHOLD_PW,
		    lane);
	power_cells(s, d, Q_LANE_TX_POWER_PW, Q_MODULE_TX_POWER_THRESHOLD_PW,
		    lane);
	decoded_value_text(bias, FORM_TABLE, text);
	decoded_cell_print(s, text, 9);
	headroom_print(s, d, bias, Q_MODULE_TX_BIAS_THRESHOLD_UA, 7);
	(void)fprintf(s->out, "  %s\n", word ? word : "-");
}

static bool lane_is_measured(const struct decoded *d, unsigned lane)
{
	return decoded_find(d, Q_LANE_RX_POWER_PW, lane, 0) ||
	       decoded_find(d, Q_LANE_TX_POWER_PW, lane, 0) ||
	       decoded_find(d, Q_LANE_TX_BIAS_UA, lane, 0);
}

/* Copper has only states, and coherent optics more host lanes than media's. */
static void states_print(const struct screen *s, const struct decoded *d)
{
	char line[CELL_TEXT_MAX] = "", lanes[64];
	uint32_t done = 0;
	size_t len = 0;

	for (unsigned lane = 1; lane <= d->lanes && lane <= 32; lane++) {
		const char *word = state_word(d, lane);
		uint32_t same = 0;

		for (unsigned i = lane; word && i <= d->lanes && i <= 32; i++) {
			const char *other = state_word(d, i);

			if (!lane_is_measured(d, i) && other &&
			    strcmp(other, word) == 0)
				same |= 1u << (i - 1);
		}
		same &= ~done;
		if (!same || len + sizeof(lanes) + 16 > sizeof(line))
			continue;
		done |= same;
		decoded_lanes_text(same, lanes, sizeof(lanes));
		len += (size_t)snprintf(line + len, sizeof(line) - len,
					"%s%s on %s", len ? "; " : "", word,
					lanes);
	}
	if (line[0])
		(void)fputc('\n', s->out);
	decoded_line_print(s, "data path", line);
}

void decoded_print_lanes(const struct screen *s, const struct decoded *d)
{
	bool any = false;

	for (unsigned lane = 1; lane <= d->lanes; lane++) {
		if (!lane_is_measured(d, lane))
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
			      "of power, in mA of bias; !: beyond it\n");
	states_print(s, d);
}
