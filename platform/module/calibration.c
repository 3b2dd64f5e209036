#include "platform/module/calibration.h"

#include <math.h>
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

static int64_t rx_power(const uint8_t *constants, int64_t raw, int64_t mul)
{
	struct cursor c = cursor_of(constants, RX_CONSTANT_COUNT * 4);
	double sum = 0;

	for (unsigned i = 0; i < RX_CONSTANT_COUNT; i++)
		sum = sum * (double)raw + float_read(&c);
	sum *= (double)mul;
	if (!isfinite(sum) || sum < 0)
		return 0;
	return sum > PW_MAX ? (int64_t)PW_MAX : llround(sum);
}

int64_t calibration_apply(const struct view *v, unsigned which, int64_t raw,
			  int64_t mul, int64_t div)
{
	const uint8_t *constants;
	struct cursor c;
	int64_t slope, offset;

	if (which == CALIBRATION_RX_POWER) {
		constants = view_octets(v, A2_LOWER, RX_CONSTANTS,
					RX_CONSTANT_COUNT * 4);
		return constants ? rx_power(constants, raw, mul) :
				   scale_number(raw, mul, div);
	}
	constants = view_octets(v, A2_LOWER, lines[which], 4);
	if (!constants)
		return scale_number(raw, mul, div);
	c = cursor_of(constants, 4);
	slope = cursor_be16(&c);
	offset = (int16_t)cursor_be16(&c);
	return scale_number(raw * slope + offset * SLOPE_ONE, mul,
			   (div ? div : 1) * SLOPE_ONE);
}
