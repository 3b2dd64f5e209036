/* Versatile diagnostics (VDM), and performance monitors of coherent optics. */
#include "agent/ctl/decoded_text.h"

#include <stdio.h>
#include <string.h>

#define NAME_WIDTH 26
#define LANE_WIDTH 6
#define LANES_ABREAST 8u

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

/* Up to eight columns: lanes, data paths, or the module. */
struct owners {
	const char *label;
	unsigned count;
	unsigned owner[LANES_ABREAST];	/* as struct decoded_value has them */
};

static bool owners_have(const struct owners *o, unsigned owner)
{
	for (unsigned i = 0; i < o->count; i++)
		if (o->owner[i] == owner)
			return true;
	return false;
}

static void vdm_row(const struct screen *s, const struct decoded *d,
		    const struct quantity_info *q, const struct owners *o)
{
	char text[CELL_TEXT_MAX];

	name_text(q, strncmp(q->name, "lane_", 5) == 0 ? "lane_" : "vdm_",
		  text, sizeof(text));
	(void)fprintf(s->out, "  %s", text);
	decoded_cell_print(s, "", NAME_WIDTH - (int)text_columns(text));
	for (unsigned i = 0; i < o->count; i++) {
		decoded_value_text(decoded_find(d, (enum quantity)q->id,
						o->owner[i], 0),
				   FORM_SHORT, text);
		decoded_cell_print(s, text, LANE_WIDTH);
	}
	(void)fputc('\n', s->out);
}

static void vdm_head(const struct screen *s, const struct owners *o)
{
	(void)fprintf(s->out, "\n  %-*s", NAME_WIDTH, o->label);
	for (unsigned i = 0; i < o->count; i++) {
		if (o->owner[i])
			(void)fprintf(s->out, "%*u", LANE_WIDTH,
				      o->owner[i] % MODULE_PATH);
	}
	(void)fputc('\n', s->out);
}

static void vdm_block(const struct screen *s, const struct decoded *d,
		      const struct owners *o)
{
	const struct quantity_info *last = NULL;

	for (size_t i = 0; i < d->value_count; i++) {
		const struct decoded_value *v = &d->values[i];

		if (v->quantity == last || !is_vdm_value(v->quantity) ||
		    !owners_have(o, v->lane))
			continue;
		if (!last)
			vdm_head(s, o);
		last = v->quantity;
		vdm_row(s, d, last, o);
	}
}

/* Data paths that something is told of, by their first host lanes. */
static void paths_print(const struct screen *s, const struct decoded *d)
{
	struct owners o = { .label = "VDM, by data path" };
	uint64_t there = 0;

	for (size_t i = 0; i < d->value_count; i++) {
		if (d->values[i].lane > MODULE_PATH)
			there |= UINT64_C(1) <<
				 (d->values[i].lane - MODULE_PATH);
	}
	for (unsigned n = 1; there >> n; n++) {
		if (there >> n & 1)
			o.owner[o.count++] = MODULE_PATH + n;
		if (o.count == LANES_ABREAST || !(there >> n >> 1)) {
			vdm_block(s, d, &o);
			o.count = 0;
		}
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
			decoded_value_text(decoded_find(d, (enum quantity)q->id,
							0, k), FORM_TABLE,
					   text);
			decoded_cell_print(s, text, 12);
		}
		(void)fputc('\n', s->out);
	}
}

void decoded_print_vdm(const struct screen *s, const struct decoded *d)
{
	struct owners module = { "VDM, of the module", 1, { 0 } };

	for (unsigned from = 1; from <= d->lanes; from += LANES_ABREAST) {
		struct owners o = { .label = "VDM, by lane" };

		for (unsigned i = from; i < from + LANES_ABREAST &&
		     i <= d->lanes; i++)
			o.owner[o.count++] = i;
		vdm_block(s, d, &o);
	}
	paths_print(s, d);
	vdm_block(s, d, &module);
	pm_print(s, d);
}
