#include "platform/module/vdm.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"
#include "petrel/cursor.h"
#include "platform/module/field.h"
#include "platform/module/vdm_place.h"

#define E18_ONE INT64_C(1000000000000000000)
#define EDGES 4u
#define SET_LEN 8u

/* Type, form, and the scale to the quantity's unit. */
#define T(number, how, ...) \
	[number] = { number, how, __VA_ARGS__, 0x0a00 + (number), \
		     0x0b00 + (number), 0x0c00 + (number) }
#define DB_256 1000, 256	/* 1/256 dB to mdB */
#define PERCENT 10000, 1	/* % to ppm */
#define DECI 100, 1		/* 0.1 dB to mdB */
#define SHARE 1000000, 65535	/* of a full scale, to ppm */

static const struct vdm_type types[] = {
	T(1, VDM_U16, PERCENT), T(2, VDM_S16, 1000000, 32767),
	T(3, VDM_S16, 10, 1), T(4, VDM_S16, 1000, 256),
	[5] = { 5, VDM_U16, DB_256, Q_LANE_SNR_MDB, 0x0b05, 0x0c05 },
	T(6, VDM_U16, DB_256), T(7, VDM_U16, DB_256), T(8, VDM_U16, DB_256),
	T(9, VDM_F16, 1, 1), T(10, VDM_F16, 1, 1), T(11, VDM_F16, 1, 1),
	T(12, VDM_F16, 1, 1), T(13, VDM_F16, 1, 1), T(14, VDM_F16, 1, 1),
	[15] = { 15, VDM_F16, 1, 1, Q_LANE_PRE_FEC_BER_E18, 0x0b0f, 0x0c0f },
	T(16, VDM_F16, 1, 1), T(17, VDM_F16, 1, 1), T(18, VDM_F16, 1, 1),
	T(19, VDM_F16, 1, 1), T(20, VDM_F16, 1, 1), T(21, VDM_F16, 1, 1),
	T(22, VDM_F16, 1, 1), T(23, VDM_F16, 1, 1), T(24, VDM_F16, 1, 1),
	T(25, VDM_F16, 1, 1), T(26, VDM_F16, 1, 1),
	T(27, VDM_U16, 1, 1), T(28, VDM_U16, 1, 1), T(29, VDM_U16, 1, 1),
	T(30, VDM_U16, 1, 1), T(31, VDM_U16, 1, 1), T(32, VDM_U16, 1, 1),
	T(33, VDM_U16, 1, 1), T(34, VDM_U16, 1, 1),
	T(77, VDM_U16, 100, 1), T(78, VDM_U16, 100, 1),
	T(79, VDM_U16, 100, 1), T(80, VDM_U16, 100, 1),
	T(81, VDM_U16, 100, 1), T(82, VDM_U16, 100, 1),
	T(83, VDM_U16, 250, 1), T(84, VDM_CENTI_DBM, 1, 1),
	T(100, VDM_U16, 1, 1), T(101, VDM_U16, 1, 1), T(102, VDM_U16, 1, 1),
	T(103, VDM_U16, 1, 1), T(104, VDM_U16, 1, 1), T(106, VDM_U16, 1, 1),
	T(107, VDM_U16, 1, 1), T(108, VDM_U16, 1, 1), T(109, VDM_U16, 1, 1),
	T(128, VDM_U16, SHARE), T(129, VDM_U16, SHARE),
	T(130, VDM_U16, SHARE), T(131, VDM_U16, SHARE),
	T(132, VDM_U16, SHARE), T(133, VDM_U16, SHARE),
	T(134, VDM_S16, 1, 1), T(135, VDM_S16, 20, 1),
	T(136, VDM_U16, 10, 1), T(137, VDM_U16, 10000, 1),
	T(138, VDM_U16, DECI), T(139, VDM_U16, DECI), T(140, VDM_U16, DECI),
	T(141, VDM_S16, 1, 1), T(142, VDM_U16, SHARE),
	T(143, VDM_CENTI_DBM, 1, 1), T(144, VDM_CENTI_DBM, 1, 1),
	T(145, VDM_CENTI_DBM, 1, 1), T(146, VDM_U16, 1, 1),
	T(147, VDM_U16, DECI),
};

const struct vdm_type *vdm_type_find(unsigned type)
{
	return type < TABLE_COUNT(types) && types[type].type ? &types[type] :
							       NULL;
}

const struct vdm_type *vdm_types(size_t *ret_count)
{
	*ret_count = TABLE_COUNT(types);
	return types;
}

enum sample_quality vdm_f16_e18(unsigned raw, int64_t *ret_e18)
{
	static const int64_t tens[] = {
		1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
		1000000000, 10000000000, 100000000000, 1000000000000,
		10000000000000, 100000000000000, 1000000000000000,
		10000000000000000, 100000000000000000, E18_ONE,
	};
	int64_t mantissa = raw & 0x7ff;
	int power = (int)(raw >> 11 & 0x1f) - 6;
	int64_t e18;

	if (power < 0) {
		*ret_e18 = mantissa / tens[-power];
		return mantissa && !*ret_e18 ? QUALITY_BELOW_RESOLUTION :
					       QUALITY_GOOD;
	}
	if (mantissa && (power > 18 || mantissa > E18_ONE / tens[power]))
		return QUALITY_IMPLAUSIBLE;
	e18 = mantissa ? mantissa * tens[power] : 0;
	*ret_e18 = e18;
	return QUALITY_GOOD;
}

/* The value in the quantity's unit, and how good it is. */
static enum sample_quality sample_convert(const struct vdm_type *t,
					  unsigned raw, int64_t *ret)
{
	switch (t->form) {
	case VDM_F16:
		return vdm_f16_e18(raw, ret);
	case VDM_CENTI_DBM:
		*ret = number_pw((int16_t)raw * INT64_C(10));
		break;
	case VDM_S16:
		*ret = field_scale((int16_t)raw, t->mul, t->div);
		break;
	default:
		*ret = field_scale(raw, t->mul, t->div);
		break;
	}
	if ((t->form == VDM_U16 && raw == 0xffff) ||
	    (t->form != VDM_U16 && raw == 0x8000))
		return QUALITY_IMPLAUSIBLE;
	return QUALITY_GOOD;
}

static unsigned be16(const uint8_t *octets)
{
	struct cursor c = cursor_of(octets, 2);

	return cursor_be16(&c);
}

static void tell_implausible(const struct view *v, unsigned place,
			     unsigned offset, const struct vdm_type *t,
			     unsigned lane, unsigned raw,
			     const struct module_sink *sink)
{
	const struct quantity_info *q = quantity_find(t->value);
	char where[32], what[160];

	view_where(v, place, offset, where, sizeof(where));
	(void)snprintf(what, sizeof(what), "%s of lane %u reads 0x%04x: %s",
		       q ? q->name : "VDM", lane, raw, t->form == VDM_F16 ?
		       "a ratio above 1" : "the limit of the register");
	sink->implausible(sink->context, where, what);
}

static void value_decode(const struct view *v, const struct vdm_slot *s,
			 const struct module_sink *sink)
{
	const uint8_t *octets = vdm_slot_sample(v, s);
	enum sample_quality quality;
	int64_t value = 0;
	unsigned raw;

	if (!octets)
		return;
	raw = be16(octets);
	quality = sample_convert(s->type, raw, &value);
	if (quality == QUALITY_IMPLAUSIBLE)
		tell_implausible(v, s->sample_place, s->sample_offset, s->type,
				 s->lane, raw, sink);
	else
		sink->value(sink->context, (enum quantity)s->type->value,
			    s->lane, 0, value, quality);
}

static void thresholds_decode(const struct view *v, const struct vdm_slot *s,
			      const struct module_sink *sink)
{
	const uint8_t *octets = view_octets(v, s->set_place, s->set_offset,
					    SET_LEN);
	static const uint8_t unset[SET_LEN];

	if (octets && memcmp(octets, unset, SET_LEN) == 0)
		return;
	for (unsigned i = 0; octets && i < EDGES; i++) {
		int64_t value = 0;
		enum sample_quality quality =
			sample_convert(s->type, be16(octets + 2 * i), &value);

		/* at the end of its range a threshold is one never crossed */
		if (quality != QUALITY_IMPLAUSIBLE)
			sink->value(sink->context,
				    (enum quantity)s->type->threshold,
				    s->lane, i, value, quality);
	}
}

static void flags_decode(const struct view *v, const struct vdm_slot *s,
			 const struct module_sink *sink)
{
	int octet = view_octet(v, s->flag_place, s->flag_offset);

	for (unsigned i = 0; octet >= 0 && i < EDGES; i++)
		sink->value(sink->context, (enum quantity)s->type->flag,
			    s->lane, i, octet >> (s->flag_shift + i) & 1,
			    QUALITY_GOOD);
}

void vdm_decode(const struct view *v, unsigned parts,
		const struct module_sink *sink)
{
	struct vdm_slot s;

	if (!(v->gates & GATE_VDM))
		return;
	for (unsigned n = 0; n < vdm_slot_count(v); n++) {
		if (!vdm_slot_get(v, n, &s))
			continue;
		if (parts & MODULE_VDM)
			value_decode(v, &s, sink);
		if (parts & MODULE_VDM_THRESHOLDS)
			thresholds_decode(v, &s, sink);
		if (parts & MODULE_FLAGS)
			flags_decode(v, &s, sink);
	}
}
