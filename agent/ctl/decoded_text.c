/* For people: what it is, how it is, a line for each lane, and what of it is
 * not to be believed.
 */
#include "agent/ctl/decoded_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/clean.h"
#include "petrel/local.h"
#include "platform/module/application.h"
#include "platform/module/cdb.h"
#include "platform/module/field.h"

static const uint8_t cells[UNIT_COUNT] = {
	[UNIT_PW] = CELL_PW, [UNIT_MC] = CELL_MC, [UNIT_UV] = CELL_UV,
	[UNIT_UA] = CELL_UA, [UNIT_MDB] = CELL_MDB, [UNIT_E18] = CELL_E18,
	[UNIT_BOOL] = CELL_BOOL, [UNIT_PPM] = CELL_PPM,
};

void decoded_value_text(const struct decoded_value *v, enum cell_form form,
			char ret[static CELL_TEXT_MAX])
{
	struct cell cell = { .text = "" };
	uint32_t unit;

	if (!v) {
		(void)snprintf(ret, CELL_TEXT_MAX, "-");
		return;
	}
	unit = cells[v->quantity->unit];
	cell.value = v->value;
	cell.quality = v->quality;
	cell_text(unit ? unit : CELL_INTEGER, &cell, form, ret);
	if (v->quality == QUALITY_ESTIMATED && strlen(ret) + 1 < CELL_TEXT_MAX)
		(void)strcat(ret, "?");	/* nobody read whether it has it */
}

/* °  takes one column and two octets. */
void decoded_cell_print(const struct screen *s, const char *text, int width)
{
	int columns = (int)text_columns(text);

	(void)fprintf(s->out, "%*s%s", columns < width ? width - columns : 1,
		      "", text);
}

void decoded_words(const char *name, const char *ending, char *ret,
		   size_t cap)
{
	static const char *const prefixes[] = { "module_", "lane_" };
	size_t end = strlen(ending), len;

	for (size_t i = 0; i < TABLE_COUNT(prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		if (strncmp(name, prefixes[i], n) == 0)
			name += n;
	}
	len = strlen(name);
	if (end && len > end + 1 && name[len - end - 1] == '_' &&
	    strcmp(name + len - end, ending) == 0)
		len -= end + 1;
	(void)snprintf(ret, cap, "%.*s", (int)len, name);
	for (char *t = ret; *t; t++)
		*t = *t == '_' ? ' ' : *t;
}

/* --- what it is ---------------------------------------------------------- */

void decoded_line_print(const struct screen *s, const char *label,
			const char *text)
{
	char clean[CELL_TEXT_MAX];

	if (!text[0])
		return;
	clean_text(clean, sizeof(clean), text);
	(void)fprintf(s->out, "  %-*s", (int)DECODED_LABEL_WIDTH, label);
	screen_wrap(s, DECODED_LABEL_WIDTH + 2, DECODED_LABEL_WIDTH + 2, clean);
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
	decoded_line_print(s, "type", line);
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
	decoded_line_print(s, "power", line);
	if (!wavelength)
		return;
	(void)snprintf(line, sizeof(line), "%.2f nm",
		       (double)wavelength->value / 1e3);
	decoded_line_print(s, "wavelength", line);
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
	decoded_line_print(s, "reach m", line);
}

static void identity_print(const struct screen *s, const struct decoded *d)
{
	static const struct {
		const char *label;
		enum attribute attribute;
	} lines[] = {
		{ "vendor", ATTRIBUTE_VENDOR }, { "OUI", ATTRIBUTE_OUI },
		{ "part", ATTRIBUTE_PART }, { "revision", ATTRIBUTE_REVISION },
		{ "CLEI", ATTRIBUTE_CLEI },
		{ "serial", ATTRIBUTE_SERIAL }, { "made", ATTRIBUTE_DATE },
		{ "firmware", ATTRIBUTE_FIRMWARE },
		{ "  inactive", ATTRIBUTE_INACTIVE_FIRMWARE },
		{ "  images", ATTRIBUTE_FIRMWARE_IMAGES },
		{ "hardware", ATTRIBUTE_HARDWARE },
		{ "technology", ATTRIBUTE_TECHNOLOGY },
		{ "connector", ATTRIBUTE_CONNECTOR },
		{ "length m", ATTRIBUTE_CABLE_LENGTH },
	};
	char applications[CELL_TEXT_MAX] = "";

	type_line(s, d);
	for (size_t i = 0; i < TABLE_COUNT(lines); i++)
		decoded_line_print(s, lines[i].label,
				   d->text[lines[i].attribute]);
	if (d->view.standard == MODULE_CMIS)
		application_list(&d->view, applications,
				 sizeof(applications));
	decoded_line_print(s, "applications", applications[0] ? applications :
		   d->text[ATTRIBUTE_APPLICATIONS]);
	reach_line(s, d);
	power_line(s, d);
}

/* --- what is missing, and what cannot be --------------------------------- */

static void missing_print(const struct screen *s, const struct decoded *d,
			  unsigned presence, const char *label)
{
	char line[4 * CELL_TEXT_MAX] = "", words[64];
	const struct quantity_info *q;
	size_t at = 0, len = 0;

	while ((q = decoded_missing(d, MODULE_MONITORS, presence, &at)) &&
	       len + sizeof(words) + 3 < sizeof(line)) {
		decoded_words(q->name, quantity_unit_name((enum quantity_unit)
						     q->unit),
			 words, sizeof(words));
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%s%s",
					len ? ", " : "", words);
	}
	if (presence == FIELD_UNREAD && cdb_is_silent(&d->view) &&
	    len < sizeof(line))
		len += (size_t)snprintf(line + len, sizeof(line) - len,
					"%sfirmware images", len ? ", " : "");
	if (len)
		decoded_line_print(s, label, line);
}

/* Lanes of which the same is noticed. */
static uint32_t lanes_noticed(const struct decoded *d, const char *what)
{
	char other[DECODED_WHAT_MAX];
	unsigned at = 0, lane;
	uint32_t same = 0;

	while (decoded_noticed(d, &at, &lane, other, sizeof(other)))
		if (lane <= 32 && strcmp(other, what) == 0)
			same |= UINT32_C(1) << (lane - 1);
	return same;
}

static void notices_print(const struct screen *s, const struct decoded *d)
{
	char what[DECODED_WHAT_MAX], of[64];
	unsigned at = 0, lane;
	bool any = false;

	while (decoded_noticed(d, &at, &lane, what, sizeof(what))) {
		uint32_t same = lanes_noticed(d, what);

		if (same & ((UINT32_C(1) << (lane - 1)) - 1))
			continue;	/* told with the first of them */
		if (!any)
			(void)fprintf(s->out, "\n  not as the host wants it\n");
		any = true;
		decoded_lanes_text(same, of, sizeof(of));
		decoded_line_print(s, of, what);
	}
}

static void faults_print(const struct screen *s, const struct decoded *d)
{
	if (d->fault_count)
		(void)fprintf(s->out, "\n  not to be believed\n");
	for (size_t i = 0; i < d->fault_count; i++) {
		(void)fprintf(s->out, "  %-*s", (int)DECODED_LABEL_WIDTH,
			      d->faults[i].where);
		screen_wrap(s, DECODED_LABEL_WIDTH + 2, DECODED_LABEL_WIDTH + 2,
			    d->faults[i].what);
	}
}

int decoded_print_text(const struct decoded *d)
{
	struct screen s = screen_of(stdout);
	char file[CELL_TEXT_MAX];

	clean_text(file, sizeof(file), d->file);
	screen_tint(&s, TINT_HEAD);
	(void)fprintf(s.out, "%s\n", file);
	screen_plain(&s, TINT_HEAD);
	identity_print(&s, d);
	decoded_print_module(&s, d);
	decoded_print_lanes(&s, d);
	decoded_print_flags(&s, d);
	decoded_print_vdm(&s, d);
	notices_print(&s, d);
	faults_print(&s, d);
	(void)fputc('\n', s.out);
	missing_print(&s, d, FIELD_UNSUPPORTED, "it has no");
	missing_print(&s, d, FIELD_UNREAD, "not in file");
	missing_print(&s, d, FIELD_UNTOLD, "not told if");
	return ferror(s.out) || fflush(s.out) != 0 ? -EIO : 0;
}
