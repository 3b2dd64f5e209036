/* For people: identity, state, a row for each lane, and implausible values, in
 * tables as in any other answer (render.h).
 */
#include <stdio.h>
#include <string.h>

#include "agent/base/clean.h"
#include "agent/base/joined.h"
#include "agent/base/number.h"
#include "agent/ctl/cell.h"
#include "agent/ctl/decoded.h"
#include "agent/ctl/render.h"
#include "agent/query/answer.h"
#include "petrel/local.h"
#include "platform/module/application.h"
#include "platform/module/cdb.h"
#include "platform/module/register_field.h"
#include "platform/module/vdm.h"

#define ARENA (256u << 10)
#define LINES_MAX 32
#define LANES_MAX 32u		/* one bit each */

/* --- words --------------------------------------------------------------- */

/* A name without its prefix and its ending, as words: rx power. */
static void name_words(const char *name, const char *ending, char *ret,
		       size_t cap)
{
	size_t end = strlen(ending), len;

	if (strncmp(name, "module_", 7) == 0)
		name += 7;
	else if (strncmp(name, "lane_", 5) == 0)
		name += 5;
	len = strlen(name);
	if (end && len > end + 1 && name[len - end - 1] == '_' &&
	    strcmp(name + len - end, ending) == 0)
		len -= end + 1;
	(void)snprintf(ret, cap, "%.*s", (int)len, name);
	for (char *t = ret; *t; t++)
		*t = *t == '_' ? ' ' : *t;
}

/* --- lanes that say the same --------------------------------------------- */

/* The words for a lane; false: none. */
typedef bool lane_words(const struct decoded *d, unsigned lane,
			char ret[static CELL_TEXT_MAX]);

/* "lane 3", "lanes 1-4,6"; bit n is lane n + 1. */
static void lanes_text(uint32_t lanes, char *ret, size_t cap)
{
	const char *before = lanes & (lanes - 1) ? "lanes " : "lane ";
	unsigned from, to;

	ret[0] = '\0';
	for (from = 0; from < LANES_MAX; from = to + 1) {
		to = from;
		if (!(lanes >> from & 1))
			continue;
		while (to + 1 < LANES_MAX && lanes >> (to + 1) & 1)
			to++;
		joined_add(ret, cap, "", to > from ? "%s%u-%u" : "%s%u",
			   before, from + 1, to + 1);
		before = ",";
	}
}

/* The next lanes with the same words, after *lane, which is 0 at first and then
 * the first of them.
 */
static bool lanes_next(const struct decoded *d, lane_words *words,
		       unsigned *lane, char of[static 64],
		       char ret[static CELL_TEXT_MAX])
{
	unsigned most = d->lanes < LANES_MAX ? d->lanes : LANES_MAX;
	char other[CELL_TEXT_MAX];

	while (++*lane <= most) {
		uint32_t same = 0;

		if (!words(d, *lane, ret))
			continue;
		for (unsigned i = 1; i <= most; i++)
			if (words(d, i, other) && strcmp(ret, other) == 0)
				same |= UINT32_C(1) << (i - 1);
		if (same & ((UINT32_C(1) << (*lane - 1)) - 1))
			continue;	/* shown with the first of them */
		lanes_text(same, of, 64);
		return true;
	}
	return false;
}

/* --- what it is: a line each --------------------------------------------- */

struct lines {
	unsigned count;
	struct answer_column column[LINES_MAX + 1];
	char text[LINES_MAX][CELL_TEXT_MAX];
};

/* Adds nothing if there is no text. */
static void line_add(struct lines *l, const char *label, const char *text)
{
	if (!text || !text[0] || l->count == LINES_MAX)
		return;
	(void)snprintf(l->text[l->count], CELL_TEXT_MAX, "%s", text);
	l->column[l->count++] = (struct answer_column){ label, label,
							CELL_TEXT };
}

static void lines_show(struct answer *a, const struct lines *l)
{
	if (l->count == 0)
		return;
	answer_columns(a, "module", l->column, true);
	answer_row(a);
	for (unsigned i = 0; i < l->count; i++)
		answer_text(a, l->text[i]);
}

/* Form factor, medium, kind of cable and standard, without repeats. */
static void type_line(struct lines *l, const struct decoded *d)
{
	static const enum attribute which[] = {
		ATTRIBUTE_FORM_FACTOR, ATTRIBUTE_MEDIA, ATTRIBUTE_CABLE,
		ATTRIBUTE_STANDARD,
	};
	char line[CELL_TEXT_MAX] = "";

	for (size_t i = 0; i < TABLE_COUNT(which); i++)
		if (d->text[which[i]][0] && !strstr(line, d->text[which[i]]))
			joined_add(line, sizeof(line), ", ", "%s",
				   d->text[which[i]]);
	line_add(l, "type", line);
}

/* The most that a class of SFF-8636 draws, or a level of SFF-8472, where the
 * module does not tell; 0: it must.
 */
static int64_t class_power_uw(const struct decoded *d, int64_t class)
{
	static const int32_t classes[] = {
		0, 1500000, 2000000, 2500000, 3500000, 4000000, 4500000,
		5000000,
	};
	static const int32_t levels[] = { 0, 1000000, 1500000, 2000000 };

	if (d->view.standard == MODULE_SFF8636)
		return class < (int)TABLE_COUNT(classes) ? classes[class] : 0;
	return d->view.standard == MODULE_SFF8472 &&
	       class < (int)TABLE_COUNT(levels) ? levels[class] : 0;
}

static void power_line(struct lines *l, const struct decoded *d)
{
	const struct decoded_reading *class =
		decoded_find(d, Q_MODULE_POWER_CLASS, 0, 0);
	const struct decoded_reading *most =
		decoded_find(d, Q_MODULE_MAX_POWER_UW, 0, 0);
	const struct decoded_reading *may =
		decoded_find(d, Q_MODULE_HIGH_POWER, 0, 0);
	const struct decoded_reading *wavelength =
		decoded_find(d, Q_MODULE_WAVELENGTH_PM, 0, 0);
	int64_t most_uw = most ? most->value :
			  class ? class_power_uw(d, class->value) : 0;
	char line[CELL_TEXT_MAX] = "";

	if (class)
		joined_add(line, sizeof(line), "", "%s %lld",
			   d->view.standard == MODULE_SFF8472 ? "level" :
								"class",
			   (long long)class->value);
	if (most_uw)
		joined_add(line, sizeof(line), ", ", "up to %.2f W",
			   (double)most_uw / 1e6);
	if (may && !may->value)
		joined_add(line, sizeof(line), ", ", "not enabled");
	line_add(l, "power", line);
	if (!wavelength)
		return;
	(void)snprintf(line, sizeof(line), "%.2f nm",
		       (double)wavelength->value / 1e3);
	line_add(l, "wavelength", line);
}

/* The reach over each kind of fibre: single mode 2000, OM4 100. */
static void reach_line(struct lines *l, const struct decoded *d)
{
	char line[CELL_TEXT_MAX] = "", fibre[64];

	for (size_t i = 0; i < d->value_count; i++) {
		const struct decoded_reading *v = &d->values[i];

		if (v->quantity->id != Q_MODULE_REACH_M)
			continue;
		quantity_index_words(v->quantity, v->index, fibre,
				     sizeof(fibre));
		joined_add(line, sizeof(line), ", ", "%s %lld", fibre,
			   (long long)v->value);
	}
	line_add(l, "reach m", line);
}

/* What a tunable laser can do: 191300 to 196100 GHz, of 50 GHz, 75 GHz. */
static void laser_line(struct lines *l, const struct decoded *d)
{
	const struct decoded_reading *least =
		decoded_find(d, Q_MODULE_LASER_FREQUENCY_MIN_GHZ, 0, 0);
	const struct decoded_reading *most =
		decoded_find(d, Q_MODULE_LASER_FREQUENCY_MAX_GHZ, 0, 0);
	char line[CELL_TEXT_MAX] = "", grid[64];

	if (!least || !most)
		return;
	(void)snprintf(line, sizeof(line), "%lld to %lld GHz%s",
		       (long long)least->value, (long long)most->value,
		       d->view.standard == MODULE_SFF8472 ? "" :
							    " in steps of");
	for (size_t i = 0; i < d->value_count; i++) {
		const struct decoded_reading *v = &d->values[i];

		if (v->quantity->id != Q_MODULE_LASER_GRID_SUPPORTED ||
		    !v->value)
			continue;
		quantity_index_words(v->quantity, v->index, grid,
				     sizeof(grid));
		joined_add(line, sizeof(line), strstr(line, "of ") ? ", " :
			   " ", "%s", grid);
	}
	line_add(l, "laser", line);
}

/* What was asked of a laser: its channel, and what it shall send. */
static bool tuning_words(const struct decoded *d, unsigned lane,
			 char ret[static CELL_TEXT_MAX])
{
	static const struct {
		enum quantity quantity;
		const char *before, *after;
		double scale;
	} parts[] = {
		{ Q_LANE_LASER_CHANNEL, "channel", "", 1 },
		{ Q_LANE_LASER_GRID_MHZ, " of", " GHz", 1e3 },
		{ Q_LANE_FINE_TUNING_MHZ, " by", " GHz", 1e3 },
		{ Q_LANE_LASER_CONFIG_FREQUENCY_MHZ, " at", " GHz", 1e3 },
		{ Q_LANE_LASER_FREQUENCY_MHZ, ", now", " GHz", 1e3 },
	};
	const struct decoded_reading *power =
		decoded_find(d, Q_LANE_TX_CONFIG_POWER_PW, lane, 0);
	const struct decoded_reading *fine =
		decoded_find(d, Q_LANE_FINE_TUNING_ON, lane, 0);

	ret[0] = '\0';
	for (size_t i = 0; i < TABLE_COUNT(parts); i++) {
		const struct decoded_reading *v =
			decoded_find(d, parts[i].quantity, lane, 0);

		if (!v || (parts[i].quantity == Q_LANE_FINE_TUNING_MHZ &&
			   !(fine && fine->value)))
			continue;
		joined_add(ret, CELL_TEXT_MAX, "", "%s %.9g%s",
			   parts[i].before, (double)v->value / parts[i].scale,
			   parts[i].after);
	}
	if (power)
		joined_add(ret, CELL_TEXT_MAX, "", ", power %.2f dBm",
			   number_dbm(power->value));
	return ret[0] != '\0';
}

static void tuning_lines(struct lines *l, const struct decoded *d)
{
	char line[CELL_TEXT_MAX] = "", words[CELL_TEXT_MAX], of[64];

	for (unsigned n = 0; lanes_next(d, tuning_words, &n, of, words);)
		joined_add(line, sizeof(line), "; ", "%s: %s", of, words);
	line_add(l, "tuning", line);
}

/* The state of a host lane that has no row of its own: copper has only states;
 * a row of media shows the data path behind it.
 */
static bool state_words(const struct decoded *d, unsigned lane,
			char ret[static CELL_TEXT_MAX])
{
	const char *word = decoded_state_word(d, Q_LANE_DATA_PATH_STATE, lane);

	(void)snprintf(ret, CELL_TEXT_MAX, "%s", word ? word : "");
	return word && (!decoded_is_measured(d, lane) ||
			decoded_hosts(d, lane) != UINT32_C(1) << (lane - 1));
}

/* The application of a host lane. */
static bool configured_words(const struct decoded *d, unsigned lane,
			     char ret[static CELL_TEXT_MAX])
{
	const struct decoded_reading *number =
		decoded_find(d, Q_LANE_APPLICATION, lane, 0);
	char text[APPLICATION_TEXT_MAX];
	struct application a;

	if (!number || !number->value)
		return false;
	if (application_get(&d->view, (unsigned)number->value, &a)) {
		application_text(&d->view, &a, text);
		(void)snprintf(ret, CELL_TEXT_MAX, "%s", text);
	} else {
		(void)snprintf(ret, CELL_TEXT_MAX, "application %lld, which it "
			       "does not offer", (long long)number->value);
	}
	return true;
}

/* Which of several applications its lanes have. */
static void configured_line(struct lines *l, const struct decoded *d)
{
	char line[CELL_TEXT_MAX] = "", words[CELL_TEXT_MAX], of[64];
	struct application a;
	unsigned number = 0;

	if (!application_next(&d->view, &number, &a) ||
	    !application_next(&d->view, &number, &a))
		return;
	for (unsigned n = 0; lanes_next(d, configured_words, &n, of, words);)
		joined_add(line, sizeof(line), "; ", "%s on %s", words, of);
	line_add(l, "configured", line);
}

/* The standard leaves 32 to 63 to the vendors, and has words for a few. */
static void fault_line(struct lines *l, const struct decoded *d)
{
	const struct decoded_reading *cause =
		decoded_find(d, Q_MODULE_FAULT_CAUSE, 0, 0);
	const char *word = decoded_state_word(d, Q_MODULE_FAULT_CAUSE, 0);
	char line[64];

	if (cause && !word)
		(void)snprintf(line, sizeof(line), "code %lld%s",
			       (long long)cause->value, cause->value >= 32 &&
			       cause->value <= 63 ? ", the vendor's own" : "");
	line_add(l, "fault", cause && !word ? line : word);
}

static void state_lines(struct lines *l, const struct decoded *d)
{
	char line[CELL_TEXT_MAX] = "", state[CELL_TEXT_MAX], of[64];

	line_add(l, "state", decoded_state_word(d, Q_MODULE_STATE, 0));
	fault_line(l, d);
	if (d->view.standard == MODULE_CMIS)
		configured_line(l, d);
	for (unsigned n = 0; lanes_next(d, state_words, &n, of, state);)
		joined_add(line, sizeof(line), "; ", "%s on %s", state, of);
	line_add(l, "data path", line);
}

static void identity_show(struct answer *a, const struct decoded *d)
{
	static const struct {
		const char *label;
		enum attribute attribute;
	} lines[] = {
		{ "vendor", ATTRIBUTE_VENDOR }, { "OUI", ATTRIBUTE_OUI },
		{ "part", ATTRIBUTE_PART }, { "revision", ATTRIBUTE_REVISION },
		{ "CLEI", ATTRIBUTE_CLEI }, { "serial", ATTRIBUTE_SERIAL },
		{ "made", ATTRIBUTE_DATE }, { "firmware", ATTRIBUTE_FIRMWARE },
		{ "inactive", ATTRIBUTE_INACTIVE_FIRMWARE },
		{ "images", ATTRIBUTE_FIRMWARE_IMAGES },
		{ "hardware", ATTRIBUTE_HARDWARE },
		{ "technology", ATTRIBUTE_TECHNOLOGY },
		{ "connector", ATTRIBUTE_CONNECTOR },
		{ "length m", ATTRIBUTE_CABLE_LENGTH },
	};
	char applications[CELL_TEXT_MAX] = "";
	struct lines l = { .count = 0 };

	type_line(&l, d);
	for (size_t i = 0; i < TABLE_COUNT(lines); i++)
		line_add(&l, lines[i].label, d->text[lines[i].attribute]);
	if (d->view.standard == MODULE_CMIS)
		application_list(&d->view, applications,
				 sizeof(applications));
	line_add(&l, "applications", applications[0] ? applications :
		 d->text[ATTRIBUTE_APPLICATIONS]);
	reach_line(&l, d);
	power_line(&l, d);
	laser_line(&l, d);
	tuning_lines(&l, d);
	state_lines(&l, d);
	lines_show(a, &l);
}

/* --- flags, what is odd, and what is missing ----------------------------- */

/* A bit that is set and means that something is, or was, wrong. */
static bool is_raised(const struct decoded_reading *v)
{
	static const enum quantity states[] = {
		Q_LANE_RX_LOS, Q_LANE_TX_FAULT, Q_LANE_TX_DISABLED,
		Q_LANE_RX_DISABLED, Q_LANE_LOOPBACK, Q_MODULE_LOW_POWER,
		Q_LANE_DATA_PATH_DEINIT, Q_LANE_WAVELENGTH_UNLOCKED,
		Q_LANE_TUNING, Q_LANE_TX_POLARITY_FLIPPED,
		Q_LANE_RX_POLARITY_FLIPPED, Q_LANE_TX_SQUELCHED,
		Q_LANE_GENERATOR_ON, Q_LANE_CHECKER_ON, Q_MODULE_VDM_FROZEN,
		Q_MODULE_TEC_FAULT, Q_LANE_DATA_PATH_INIT_PENDING,
		Q_LANE_HOST_CDR_UNLOCKED, Q_LANE_RX_CDR_UNLOCKED,
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

/* A state may have a flag, which is latched, of the same words. */
static bool is_joined(const char *list, const char *words)
{
	const char *at = strstr(list, words);
	size_t len = strlen(words);

	return at && (!at[len] || at[len] == ',') &&
	       (at == list || at[-1] == ' ');
}

/* Names of flags with their edges as words: rx power low alarm. */
static bool flag_words(const struct decoded *d, unsigned lane,
		       char ret[static CELL_TEXT_MAX])
{
	char name[64], index[64];

	ret[0] = '\0';
	for (size_t i = 0; i < d->value_count; i++) {
		const struct decoded_reading *v = &d->values[i];

		if (v->lane != lane || !is_raised(v))
			continue;
		name_words(v->quantity->name, "flag", name, sizeof(name));
		quantity_index_words(v->quantity, v->index, index,
				     sizeof(index));
		if (!index[0] && is_joined(ret, name))
			continue;
		joined_add(ret, CELL_TEXT_MAX, ", ", "%s%s%s", name,
			   index[0] && index[0] != '[' ? " " : "",
			   index[0] != '[' ? index : "");
	}
	return ret[0] != '\0';
}

static bool notice_words(const struct decoded *d, unsigned lane,
			 char ret[static CELL_TEXT_MAX])
{
	char what[DECODED_WHAT_MAX];
	unsigned at = 0, of;

	ret[0] = '\0';
	while (decoded_noticed(d, &at, &of, what, sizeof(what)))
		if (of == lane)
			joined_add(ret, CELL_TEXT_MAX, "; ", "%s", what);
	return ret[0] != '\0';
}

/* Adds a row to a table of two columns, and opens it before the first row. */
static void pair_add(struct answer *a, bool *is_open, const char *name,
		     const char *heading, const char *of, const char *words)
{
	const struct answer_column columns[] = {
		{ "of", name, CELL_TEXT }, { "what", heading, CELL_TEXT },
		{ .key = NULL },
	};

	if (!*is_open)
		answer_columns(a, "pairs", columns, false);
	*is_open = true;
	answer_row(a);
	answer_text(a, of);
	answer_text(a, words);
}

static void lane_pairs(struct answer *a, const struct decoded *d,
		       lane_words *words, bool *is_open, const char *name,
		       const char *heading)
{
	char text[CELL_TEXT_MAX], of[64];

	for (unsigned n = 0; lanes_next(d, words, &n, of, text);)
		pair_add(a, is_open, name, heading, of, text);
}

static void oddities_show(struct answer *a, const struct decoded *d)
{
	char text[CELL_TEXT_MAX], of[64];
	bool is_open = false;

	if (flag_words(d, 0, text))
		pair_add(a, &is_open, "FLAGS OF", "RAISED", "module", text);
	for (unsigned n = 1; n < MODULE_PATH; n++) {
		(void)snprintf(of, sizeof(of), "data path %u", n);
		if (flag_words(d, MODULE_PATH + n, text))
			pair_add(a, &is_open, "FLAGS OF", "RAISED", of, text);
	}
	lane_pairs(a, d, flag_words, &is_open, "FLAGS OF", "RAISED");
	is_open = false;
	lane_pairs(a, d, notice_words, &is_open, "LANES", "NOT AS CONFIGURED");
	is_open = false;
	for (size_t i = 0; i < d->fault_count; i++)
		pair_add(a, &is_open, "REGISTER", "IMPLAUSIBLE",
			 d->faults[i].where, d->faults[i].what);
}

static void missing_line(struct lines *l, const struct decoded *d,
			 unsigned presence, const char *label)
{
	char line[CELL_TEXT_MAX] = "", words[64];
	const struct quantity_info *q;
	size_t at = 0;

	while ((q = decoded_missing(d, MODULE_MONITORS, presence, &at))) {
		name_words(q->name, quantity_unit_name((enum quantity_unit)
						       q->unit),
			   words, sizeof(words));
		joined_add(line, sizeof(line), ", ", "%s", words);
	}
	at = 0;
	if (presence == FIELD_UNREAD &&
	    decoded_missing(d, MODULE_THRESHOLDS, presence, &at))
		joined_add(line, sizeof(line), ", ", "thresholds");
	if (presence == FIELD_UNREAD && vdm_is_unread(&d->view))
		joined_add(line, sizeof(line), ", ", "VDM");
	if (presence == FIELD_UNREAD && cdb_is_silent(&d->view))
		joined_add(line, sizeof(line), ", ", "firmware images");
	line_add(l, label, line);
}

static void missing_show(struct answer *a, const struct decoded *d)
{
	unsigned lanes = MODULE_BANKS_MAX * MODULE_BANK_LANES;
	struct lines l = { .count = 0 };
	char line[32];

	(void)snprintf(line, sizeof(line), "lanes %u-%u", lanes + 1,
		       lanes + d->view.banks_unread * MODULE_BANK_LANES);
	line_add(&l, "not shown", d->view.banks_unread ? line : NULL);
	missing_line(&l, d, FIELD_UNSUPPORTED, "not supported");
	missing_line(&l, d, FIELD_UNREAD, "not in file");
	missing_line(&l, d, FIELD_UNTOLD, "support unknown");
	lines_show(a, &l);
}

int decoded_print_text(const struct decoded *d)
{
	static const struct render_how how = { .command = "decode" };
	struct screen s = screen_of(stdout);
	char file[CELL_TEXT_MAX];
	struct answer *a;
	int rc = answer_new(ARENA, &a);

	if (rc < 0)
		return rc;
	clean_text(file, sizeof(file), d->file);
	screen_tint(&s, TINT_HEAD);
	(void)fprintf(s.out, "%s\n", file);
	screen_plain(&s, TINT_HEAD);
	identity_show(a, d);
	decoded_tables(d, a);
	oddities_show(a, d);
	missing_show(a, d);
	s.table_width = s.width;
	rc = render(&s, &how, answer_message(a));
	answer_free(a);
	return rc;
}
