/* The switch's sensors, as detectors want them. */
#pragma once

#include "agent/signature/sensor.h"
#include "agent/state/state.h"

/* What the sensor is, and what it shows now. False: no sensor, or nothing of it
 * is fresh.
 */
bool sensor_reading_get(const struct state *s, const struct inventory_entity *e,
		  struct sensor_facts *facts, struct sensor_reading *ret);
