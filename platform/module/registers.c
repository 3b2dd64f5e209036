#include "platform/module/registers.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "platform/module/coherent.h"
#include "platform/module/register_field.h"
#include "platform/module/vdm.h"
#include "platform/module/vdm_type.h"

#define VDM_CLAUSE "unread; SONiC api/public/cmisVDM.py, FBOSS"
#define VDM_GATE "01h:142 bit 6 is 1"
#define C_GATE "00h:212 is 10h to 11h"
#define C_CLAUSE "unread; SONiC mem_maps/public/c_cmis.py"

static void page_text(const char *standard, unsigned place, char *ret)
{
	unsigned page = place_page(place);

	if (place == SFP_TUNING)
		(void)snprintf(ret, REGISTER_TEXT_MAX, "A2h, %02xh", page);
	else if (standard == sff8472_tables.name)
		(void)snprintf(ret, REGISTER_TEXT_MAX, "%s",
			       place_bank(place) ? "A2h" : "A0h");
	else
		(void)snprintf(ret, REGISTER_TEXT_MAX, "%02xh",
			       page == MODULE_LOWER ? 0 : page);
}

static void text_add(char *ret, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void text_add(char *ret, const char *format, ...)
{
	size_t len = strlen(ret);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(ret + len, REGISTER_TEXT_MAX - len, format, args);
	va_end(args);
}

/* The distance from one lane, or index, to the next. */
static void step_add(const struct field_place *from,
		     const struct field_place *to, const char *what,
		     char *ret)
{
	if (from->octet != to->octet)
		text_add(ret, " + %u per %s", to->octet - from->octet, what);
	else if (to->shift > from->shift)
		text_add(ret, " + %u bit per %s", to->shift - from->shift,
			 what);
	else
		text_add(ret, " - %u bit per %s", from->shift - to->shift,
			 what);
}

static void byte_text(const struct register_field *f, char *ret)
{
	struct field_place p = field_place(f, 0, 0), next;

	(void)snprintf(ret, REGISTER_TEXT_MAX, "%u", p.octet);
	if (f->form == FIELD_BITS || f->form == FIELD_BITS_ANY ||
	    f->form == FIELD_BITS_DOWN)
		text_add(ret, " bit %u", p.shift);
	if (f->lanes > 1) {
		next = field_place(f, 1, 0);
		step_add(&p, &next, "lane", ret);
	}
	if (f->count > 1) {
		next = field_place(f, 0, 1);
		step_add(&p, &next, "index", ret);
	}
}

static void type_text(const struct register_field *f, char *ret)
{
	static const char *const forms[FIELD_FORM_COUNT] = {
		[FIELD_U8] = "u8", [FIELD_U16] = "u16", [FIELD_S16] = "s16",
		[FIELD_U32] = "u32", [FIELD_S32] = "s32",
		[FIELD_BITS_DOWN] = "bit", [FIELD_CENTI_DBM] = "s16",
		[FIELD_CHANNEL] = "s16", [FIELD_GRIDS_END] = "s16",
		[FIELD_GRID] = "u8",
		[FIELD_POWER_CLASS] = "u8", [FIELD_POWER_LEVEL] = "u8",
		[FIELD_SFP_CHANNEL] = "u16", [FIELD_SFP_END] = "u32",
		[FIELD_S8] = "s8",
		[FIELD_REACH] = "u8", [FIELD_LOW_POWER] = "u8",
		[FIELD_F16] = "F16", [FIELD_U16_LOW] = "u16 low first",
		[FIELD_HOSTS] = "u8", [FIELD_BANKS] = "u8",
	};

	if (f->form != FIELD_BITS_DOWN && f->width > 1)
		(void)snprintf(ret, REGISTER_TEXT_MAX, "%u bits", f->width);
	else
		(void)snprintf(ret, REGISTER_TEXT_MAX, "%s",
			       forms[f->form] ? forms[f->form] : "bit");
}

static void ratio_text(int64_t mul, int64_t div, char *ret)
{
	if (div > 1)
		(void)snprintf(ret, REGISTER_TEXT_MAX, "%lld/%lld",
			       (long long)mul, (long long)div);
	else
		(void)snprintf(ret, REGISTER_TEXT_MAX, "%lld",
			       (long long)(mul ? mul : 1));
}

static void scale_text(const struct register_field *f, char *ret)
{
	static const char *const scales[FIELD_FORM_COUNT] = {
		[FIELD_CENTI_DBM] = "0.01 dBm",
		[FIELD_CHANNEL] = "193.1 THz + grid",
		[FIELD_GRIDS_END] = "193.1 THz + grids",
		[FIELD_GRID] = "spacing of bits 4 to 7",
		[FIELD_REACH] = "100 to 500000", [FIELD_F16] = "1e18",
		[FIELD_LOW_POWER] = "both bits",
		[FIELD_POWER_LEVEL] = "bits 6, 5, 1",
		[FIELD_SFP_CHANNEL] = "A2h:132 + grid",
		[FIELD_SFP_END] = "THz, 0.1 GHz",
		[FIELD_BITS_ANY] = "either bit",
		[FIELD_HOSTS] = "by application",
		[FIELD_BANKS] = "by 01h:174, beyond 4",
	};

	if (scales[f->form]) {
		(void)snprintf(ret, REGISTER_TEXT_MAX, "%s", scales[f->form]);
		return;
	}
	ratio_text(f->mul, f->div, ret);
	if (f->is_multiplied)
		text_add(ret, " by 01h:160");
	else if (f->calibration != CALIBRATION_NONE)
		text_add(ret, ", or A2h:%s", f->calibration ==
			 CALIBRATION_RX_POWER ? "56" : "76");
	else if (f->add)
		text_add(ret, ", from %d", f->add);
}

/* The register that opens a gate: 01h:160 bit 2. */
static void gate_add(const struct module_tables *t, uint64_t gate,
		     bool is_shut, char *ret, size_t cap)
{
	char page[REGISTER_TEXT_MAX];
	const struct gate_row *g = NULL;
	size_t len = strlen(ret);

	for (size_t i = 0; i < t->gate_count && !g; i++)
		g = t->gates[i].gate & gate ? &t->gates[i] : NULL;
	if (!g)
		return;
	page_text(t->name, g->place, page);
	len += (size_t)snprintf(ret + len, cap - len, "%s%s%s:%u",
				len ? ", " : "", is_shut ? "not " : "", page,
				g->byte);
	if (g->mask & (g->mask - 1))
		(void)snprintf(ret + len, cap - len, " is %02xh to %02xh",
			       g->low, g->high);
	else
		(void)snprintf(ret + len, cap - len, " bit %d is %d",
			       __builtin_ctz(g->mask), g->low != 0);
}

static void gates_text(const struct module_tables *t, uint64_t needs,
		       uint64_t unless, char *ret, size_t cap)
{
	for (unsigned i = 0; i < 64; i++) {
		uint64_t gate = UINT64_C(1) << i;

		if (needs & gate)
			gate_add(t, gate, false, ret, cap);
		if (unless & gate)
			gate_add(t, gate, true, ret, cap);
	}
}

static void quantity_of(unsigned id, struct register_row *row)
{
	const struct quantity_info *q = quantity_find((uint16_t)id);

	row->name = q ? q->name : "?";
	row->unit = q ? quantity_unit_name((enum quantity_unit)q->unit) : "?";
	if (q && (q->unit == UNIT_NONE || !row->unit[0]))
		row->unit = "-";
}

static void field_row(const struct module_tables *t,
		      const struct register_field *f, register_each *each,
		      void *context)
{
	struct register_row row = { .standard = t->name,
				    .clause = f->source };

	quantity_of(f->quantity, &row);
	gates_text(t, f->needs, f->unless, row.gate, sizeof(row.gate));
	if (f->told)
		text_add(row.gate, ", 42h:%u bit %u is 1", f->told,
			 f->told_bit);
	page_text(t->name, f->place, row.page);
	byte_text(f, row.byte);
	type_text(f, row.type);
	scale_text(f, row.scale);
	each(context, &row);
}

static void text_row(const struct module_tables *tables,
		     const struct text_field *t, register_each *each,
		     void *context)
{
	static const char *const forms[TEXT_FORM_COUNT] = {
		[TEXT_ASCII] = "ASCII", [TEXT_OUI] = "OUI",
		[TEXT_DATE] = "YYMMDD", [TEXT_VERSION] = "major.minor",
	};
	struct register_row row = {
		.standard = tables->name,
		.name = attribute_name((enum attribute)t->attribute),
		.scale = "-", .unit = "text", .clause = t->source,
	};

	gates_text(tables, text_gate(t), 0, row.gate, sizeof(row.gate));
	page_text(tables->name, t->place, row.page);
	(void)snprintf(row.byte, sizeof(row.byte), t->len > 1 ? "%u to %u" :
		       "%u", t->byte, t->byte + t->len - 1u);
	(void)snprintf(row.type, sizeof(row.type), "%s",
		       forms[t->form] ? forms[t->form] : "code");
	each(context, &row);
}

/* The position of values, thresholds and flags. */
struct vdm_register {
	const char *standard, *gate, *clause, *byte;
	unsigned first_page, last_page;
};

#define CMIS_VDM .standard = "CMIS", .gate = VDM_GATE, .clause = VDM_CLAUSE
#define QSFP_PARAMS .standard = "SFF-8636", .gate = "00h:195 bit 0 is 1", \
	.clause = "SFF-8636 2.10 pages 20h, 21h (as a public decoder)"

static const struct vdm_register vdm_places[] = {
	{ CMIS_VDM, "slot", VDM_SAMPLES, VDM_SETS - 1 },
	{ CMIS_VDM, "set", VDM_SETS, VDM_FLAGS - 1 },
	{ CMIS_VDM, "slot", VDM_FLAGS, VDM_FLAGS },
};

static const struct vdm_register params_places[] = {
	{ QSFP_PARAMS, "value", PARAMS_PAGE, PARAMS_PAGE },
	{ QSFP_PARAMS, "set", PARAMS_SETS_PAGE, PARAMS_SETS_PAGE },
	{ QSFP_PARAMS, "flags", PARAMS_PAGE, PARAMS_PAGE },
};

/* One row for a type: its value, its thresholds or its flags. */
static void vdm_row(const struct vdm_register *at, const struct vdm_type *t,
		    unsigned type, uint16_t quantity, register_each *each,
		    void *context)
{
	static const struct {
		const char *form, *scale;
	} forms[] = {
		[VDM_U16] = { "u16", NULL }, [VDM_S16] = { "s16", NULL },
		[VDM_BER] = { "F16", "1e18" }, [VDM_FERC] = { "F16", "1e18" },
		[VDM_MILLI] = { "F16", "1000" },
		[VDM_CENTI_DBM] = { "s16", "0.01 dBm" },
	};
	struct register_row row = { .standard = at->standard,
				    .clause = at->clause };
	bool is_flag = quantity == t->flag;
	const char *scale = is_flag ? "1" : forms[t->form].scale;

	quantity_of(quantity, &row);
	text_add(row.gate, "%s", at->gate);
	text_add(row.page, at->first_page == at->last_page ? "%02xh" :
		 "%02xh to %02xh", at->first_page, at->last_page);
	text_add(row.byte, "%s of type %u", at->byte, type);
	text_add(row.type, "%s", is_flag ? "bit" : forms[t->form].form);
	if (scale)
		text_add(row.scale, "%s", scale);
	else
		ratio_text(t->mul, t->div, row.scale);
	each(context, &row);
}

/* Values, thresholds and flags of each observable; also those among a QSFP's
 * parameters.
 */
static void vdm_rows(const struct vdm_register places[static 3],
		     unsigned (*type_of)(unsigned observable),
		     register_each *each, void *context)
{
	const struct vdm_type *types;
	size_t count;

	types = vdm_types(&count);
	for (size_t i = 0; i < count; i++) {
		unsigned type = types[i].type;

		type = type && type_of ? type_of(type) : type;
		if (!type)
			continue;
		for (unsigned k = 0; k < 3; k++)
			vdm_row(&places[k], &types[i], type, k == 0 ?
				types[i].value : k == 1 ? types[i].threshold :
							  types[i].flag,
				each, context);
	}
}

static void coherent_rows(register_each *each, void *context)
{
	const struct coherent_ratio *ratios;
	size_t count;

	ratios = coherent_ratios(&count);
	for (size_t i = 0; i < count; i++) {
		struct register_row row = { .standard = cmis_tables.name,
					    .scale = "1e18",
					    .gate = C_GATE,
					    .clause = C_CLAUSE };

		quantity_of(ratios[i].quantity, &row);
		text_add(row.page, "%02xh", ratios[i].page);
		(void)snprintf(row.byte, sizeof(row.byte),
			       "%u by %u, %u by %u, %u by %u",
			       ratios[i].part[0], ratios[i].whole[0],
			       ratios[i].part[1], ratios[i].whole[1],
			       ratios[i].part[2], ratios[i].whole[2]);
		(void)snprintf(row.type, sizeof(row.type), "u%u",
			       ratios[i].octets * 8u);
		each(context, &row);
	}
}

static void coherent_flag_rows(register_each *each, void *context)
{
	const struct coherent_flags *flags;
	size_t count;

	flags = coherent_flags(&count);
	for (size_t i = 0; i < count; i++) {
		struct register_row row = {
			.standard = cmis_tables.name, .page = "33h",
			.type = "bit", .scale = "1", .gate = C_GATE,
			.clause = "unread; SONiC mem_maps, c_cmis pages",
		};

		quantity_of(flags[i].quantity, &row);
		text_add(row.byte, "%u bit 0 + 1 bit per index",
			 flags[i].byte);
		each(context, &row);
	}
}

void registers_list(register_each *each, void *context)
{
	static const struct module_tables *const all[] = {
		&cmis_tables, &sff8636_tables, &sff8472_tables,
	};

	for (size_t i = 0; i < TABLE_COUNT(all); i++) {
		const struct module_tables *t = all[i];

		for (size_t k = 0; k < t->text_count; k++)
			text_row(t, &t->texts[k], each, context);
		for (size_t k = 0; k < t->field_count; k++)
			field_row(t, &t->fields[k], each, context);
		if (t == &sff8636_tables)
			vdm_rows(params_places, params_type, each, context);
		if (t != &cmis_tables)
			continue;
		vdm_rows(vdm_places, NULL, each, context);
		coherent_rows(each, context);
		coherent_flag_rows(each, context);
	}
}
