#include "platform/module/calibration.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "petrel/cursor.h"
#include "platform/module/scale.h"
#include "platform/module/tables.h"

#define RX_CONSTANTS 56		/* five floats, the highest power first */
#define RX_CONSTANT_COUNT 5
#define SLOPE_ONE 256
#define PW_MAX 1e12		/* 1 W: beyond it the constants are wrong */

/* Slope u8.8 and offset s16, one after the other. */
static const uint8_t lines[] = {
	[CALIBRATION_TX_BIAS] = 76,
	[CALIBRATION_TX_POWER] = 80,
	[CALIBRATION_TEMP] = 84,
	[CALIBRATION_VCC] = 88,
};

/* A big endian float of IEEE 754, as C has them on each machine Petrel runs
 * on.
 */
static double float_read(struct cursor *c)
{
	uint32_t bits = cursor_be32(c);
	float value;

	memcpy(&value, &bits, sizeof(value));
	return (double)value;
}

/* Below 0 it is dark: the polynomial is only good near what was measured. */
static int rx_power(const uint8_t *constants, int64_t raw, int64_t mul,
		    int64_t *ret)
{
	struct cursor c = cursor_of(constants, RX_CONSTANT_COUNT * 4);
	double sum = 0;

	for (unsigned i = 0; i < RX_CONSTANT_COUNT; i++)
		sum = sum * (double)raw + float_read(&c);
	sum *= (double)mul;
	if (!isfinite(sum))
		return -EDOM;
	if (sum > PW_MAX)
		return -ERANGE;
	*ret = sum < 0 ? 0 : llround(sum);
	return 0;
}

/* Constants that are all blank were never written. */
static bool is_blank(const uint8_t *constants, unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum |= constants[i];
	return !sum;
}

int calibration_apply(const struct view *v, unsigned which, int64_t raw,
		      int64_t mul, int64_t div, int64_t *ret)
{
	bool is_rx = which == CALIBRATION_RX_POWER;
	unsigned len = is_rx ? RX_CONSTANT_COUNT * 4 : 4;
	const uint8_t *constants =
		view_octets(v, A2_LOWER, is_rx ? RX_CONSTANTS : lines[which],
			    len);
	struct cursor c;
	int64_t slope, offset, value;

	if (!constants || view_is_doubted(v, A2_LOWER, RX_CONSTANTS))
		return -ENODATA;
	if (is_blank(constants, is_rx ? len : 2))
		return -ERANGE;
	if (is_rx)
		return rx_power(constants, raw, mul, ret);
	c = cursor_of(constants, len);
	slope = cursor_be16(&c);
	offset = (int16_t)cursor_be16(&c);
	value = scale_number(raw * slope + offset * SLOPE_ONE, mul,
			     (div ? div : 1) * SLOPE_ONE);
	*ret = value < 0 && which != CALIBRATION_TEMP ? 0 : value;
	return 0;
}
