#include "platform/module/vdm_type.h"

#include "agent/base/number.h"
#include "petrel/quantity.h"
#include "platform/module/scale.h"

#define E18_ONE INT64_C(1000000000000000000)
#define COUNT (sizeof(types) / sizeof(types[0]))

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
	return type < COUNT && types[type].type ? &types[type] :
							       NULL;
}

const struct vdm_type *vdm_types(size_t *ret_count)
{
	*ret_count = COUNT;
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
	if (power > 18)
		power = mantissa ? 18 : 0;
	if (__builtin_mul_overflow(mantissa, tens[power], &e18) ||
	    e18 > E18_ONE || (mantissa && raw >> 11 > 24))
		return QUALITY_IMPLAUSIBLE;
	*ret_e18 = e18;
	return QUALITY_GOOD;
}

enum sample_quality vdm_type_convert(const struct vdm_type *t, unsigned raw,
				     int64_t *ret)
{
	switch (t->form) {
	case VDM_F16:
		return vdm_f16_e18(raw, ret);
	case VDM_CENTI_DBM:
		*ret = number_pw((int16_t)raw * INT64_C(10));
		break;
	case VDM_S16:
		*ret = scale_number((int16_t)raw, t->mul, t->div);
		break;
	default:
		*ret = scale_number(raw, t->mul, t->div);
		break;
	}
	if ((t->form == VDM_U16 && raw == 0xffff) ||
	    (t->form != VDM_U16 && raw == 0x8000))
		return QUALITY_IMPLAUSIBLE;
	return QUALITY_GOOD;
}
