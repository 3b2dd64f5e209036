#include "platform/module/vdm_type.h"

#include <stdbool.h>

#include "agent/base/number.h"
#include "petrel/quantity.h"

#define E18_ONE INT64_C(1000000000000000000)
#define F16_BIAS_E18 (24 - 18)		/* the format's is 24 */
#define F16_BIAS_MILLI (24 - 3)
#define COUNT (sizeof(types) / sizeof(types[0]))

/* Type, form, and the scale to the quantity's unit; its scope, and whether it
 * is never 0.
 */
#define IDS(number) 0x0a00 + (number), 0x0b00 + (number), 0x0c00 + (number)
#define T(number, how, ...) \
	[number] = { number, how, __VA_ARGS__, IDS(number), VDM_LANE, false }
#define NEVER_0(number, how, ...) \
	[number] = { number, how, __VA_ARGS__, IDS(number), VDM_LANE, true }
#define PATH(number, how) \
	[number] = { number, how, 1, 1, IDS(number), VDM_PATH, false }
#define MODULE(number, how, is_never_0, ...) \
	[number] = { number, how, __VA_ARGS__, IDS(number), VDM_MODULE, \
		     is_never_0 }
#define DB_256 1000, 256	/* 1/256 dB to mdB */
#define PERCENT 10000, 1	/* % to ppm */
#define DECI 100, 1		/* 0.1 dB to mdB */
#define SHARE 1000000, 65535	/* of a full scale, to ppm */

static const struct vdm_type types[] = {
	T(1, VDM_U16, PERCENT),
	MODULE(2, VDM_S16, false, 1000000, 32767),
	T(3, VDM_S16, 10, 1), T(4, VDM_S16, 1000, 256),
	[5] = { 5, VDM_U16, DB_256, Q_LANE_SNR_MDB, 0x0b05, 0x0c05,
	      VDM_LANE, true },
	NEVER_0(6, VDM_U16, DB_256), NEVER_0(7, VDM_U16, DB_256),
	NEVER_0(8, VDM_U16, DB_256),
	PATH(9, VDM_BER), PATH(10, VDM_BER), PATH(11, VDM_BER),
	PATH(12, VDM_BER), PATH(13, VDM_BER), PATH(14, VDM_BER),
	[15] = { 15, VDM_BER, 1, 1, Q_LANE_PRE_FEC_BER_E18, 0x0b0f, 0x0c0f,
	       VDM_PATH, false },
	PATH(16, VDM_BER), PATH(17, VDM_FERC), PATH(18, VDM_FERC),
	PATH(19, VDM_FERC), PATH(20, VDM_FERC), PATH(21, VDM_FERC),
	PATH(22, VDM_FERC), PATH(23, VDM_FERC), PATH(24, VDM_FERC),
	PATH(25, VDM_FERC), PATH(26, VDM_FERC),
	PATH(27, VDM_U16), PATH(28, VDM_U16), PATH(29, VDM_U16),
	PATH(30, VDM_U16), PATH(31, VDM_U16), PATH(32, VDM_U16),
	PATH(33, VDM_U16), PATH(34, VDM_U16),
	MODULE(77, VDM_U16, true, 100, 1), MODULE(78, VDM_U16, true, 100, 1),
	MODULE(79, VDM_U16, true, 100, 1), MODULE(80, VDM_U16, true, 100, 1),
	MODULE(81, VDM_U16, true, 100, 1), MODULE(82, VDM_U16, true, 100, 1),
	MODULE(83, VDM_U16, true, 250, 1), T(84, VDM_CENTI_DBM, 1, 1),
	T(100, VDM_MILLI, 1, 1), T(101, VDM_MILLI, 1, 1),
	T(102, VDM_MILLI, 1, 1), T(103, VDM_MILLI, 1, 1),
	T(104, VDM_MILLI, 1, 1), T(105, VDM_MILLI, 1, 1),
	T(106, VDM_U16, 1, 1),
	/* The two for media come first, then the host's; the ids are older. */
	[107] = { 107, VDM_U16, 1, 1, Q_VDM_FEC_TAIL,
		  Q_VDM_FEC_TAIL_THRESHOLD, Q_VDM_FEC_TAIL_FLAG, VDM_LANE,
		  false },
	[108] = { 108, VDM_U16, 1, 1, Q_VDM_HOST_FEC_TAIL_MAX,
		  Q_VDM_HOST_FEC_TAIL_MAX_THRESHOLD,
		  Q_VDM_HOST_FEC_TAIL_MAX_FLAG, VDM_LANE, false },
	T(109, VDM_U16, 1, 1),
	T(128, VDM_U16, SHARE), T(129, VDM_U16, SHARE),
	T(130, VDM_U16, SHARE), T(131, VDM_U16, SHARE),
	T(132, VDM_U16, SHARE), T(133, VDM_U16, SHARE),
	T(134, VDM_S16, 1, 1), T(135, VDM_S16, 20, 1),
	T(136, VDM_U16, 10, 1), T(137, VDM_U16, 10000, 1),
	T(138, VDM_U16, DECI), T(139, VDM_U16, DECI), T(140, VDM_U16, DECI),
	T(141, VDM_S16, 1, 1), T(142, VDM_U16, SHARE),
	T(143, VDM_CENTI_DBM, 1, 1), T(144, VDM_CENTI_DBM, 1, 1),
	T(145, VDM_CENTI_DBM, 1, 1), T(146, VDM_U16, 1, 1),
	T(147, VDM_U16, DECI), T(148, VDM_S16, 1000000, 32767),
	T(149, VDM_U16, 1000000, 1), T(150, VDM_S16, DECI),
	T(151, VDM_U16, DECI), T(152, VDM_S16, DECI),
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

/* Mantissa times ten to the power of exponent less bias, truncated below 1. */
static enum sample_quality f16_scaled(unsigned raw, int bias, int64_t *ret)
{
	static const int64_t tens[] = {
		1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
		1000000000, 10000000000, 100000000000, 1000000000000,
		10000000000000, 100000000000000, 1000000000000000,
		10000000000000000, 100000000000000000, E18_ONE,
	};
	int64_t mantissa = raw & 0x7ff;
	int power = (int)(raw >> 11 & 0x1f) - bias;
	int last = (int)(sizeof(tens) / sizeof(tens[0])) - 1;
	int64_t value;

	if (power < 0) {
		*ret = -power > last ? 0 : mantissa / tens[-power];
		return mantissa && !*ret ? QUALITY_BELOW_RESOLUTION :
					   QUALITY_GOOD;
	}
	if (!mantissa)
		power = 0;
	if (power > last ||
	    __builtin_mul_overflow(mantissa, tens[power], &value))
		return QUALITY_IMPLAUSIBLE;
	*ret = value;
	return QUALITY_GOOD;
}

enum sample_quality vdm_f16_e18(unsigned raw, int64_t *ret_e18)
{
	int64_t e18 = 0;
	enum sample_quality quality = f16_scaled(raw, F16_BIAS_E18, &e18);

	if (quality == QUALITY_IMPLAUSIBLE || e18 > E18_ONE)
		return QUALITY_IMPLAUSIBLE;
	*ret_e18 = e18;
	return quality;
}

/* Is it the limit of the format, which is never a real value? */
static bool is_limit(const struct vdm_type *t, unsigned raw)
{
	return t->form == VDM_S16 || t->form == VDM_CENTI_DBM ?
	       raw == 0x8000 : raw == 0xffff;
}

enum sample_quality vdm_type_convert(const struct vdm_type *t, unsigned raw,
				     int64_t *ret)
{
	enum sample_quality quality = QUALITY_GOOD;

	switch (t->form) {
	case VDM_BER:
		quality = vdm_f16_e18(raw, ret);
		if (quality != QUALITY_IMPLAUSIBLE && *ret > E18_ONE / 2)
			quality = QUALITY_IMPLAUSIBLE;
		break;
	case VDM_FERC:
		quality = vdm_f16_e18(raw, ret);
		break;
	case VDM_MILLI:
		quality = f16_scaled(raw, F16_BIAS_MILLI, ret);
		break;
	case VDM_CENTI_DBM:
		*ret = number_pw((int16_t)raw * INT64_C(10));
		if (*ret > MODULE_LIGHT_MOST_PW)
			quality = QUALITY_IMPLAUSIBLE;
		break;
	case VDM_S16:
		*ret = number_scale((int16_t)raw, t->mul, t->div);
		break;
	default:
		*ret = number_scale(raw, t->mul, t->div);
		break;
	}
	return is_limit(t, raw) ? QUALITY_IMPLAUSIBLE : quality;
}

enum reading_fault vdm_type_fault(const struct vdm_type *t, unsigned raw)
{
	if (!is_limit(t, raw))
		return FAULT_RANGE;
	return raw == 0x8000 ? FAULT_LEAST : FAULT_ALL_ONES;
}
