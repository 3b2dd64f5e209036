#include "agent/signature/sensor.h"

#include <stddef.h>

const char *sensor_kind_name(enum sensor_kind kind)
{
	static const char *const names[SENSOR_KIND_COUNT] = {
		[SENSOR_FAN] = "fan",
		[SENSOR_TEMP] = "temp",
		[SENSOR_SUPPLY] = "psu",
		[SENSOR_VOLTAGE] = "voltage",
		[SENSOR_CURRENT] = "current",
	};

	return kind < SENSOR_KIND_COUNT ? names[kind] : NULL;
}
