#include "agent/state/sensor_reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/state/inventory.h"
#include "petrel/quantity.h"

#define MICRO 1e-6
#define MILLI 1e-3

/* The quantity that tells a sensor's kind, best first, and its limits. */
static const struct {
	enum quantity value;
	enum sensor_kind kind;
	double scale;
	enum quantity limits;		/* 0: none are told */
	uint8_t high, low;		/* indices of them */
} rows[] = {
	{ Q_SENSOR_POWER_UW, SENSOR_SUPPLY, 0, 0, 0, 0 },
	{ Q_SUPPLY_INPUT_VOLTAGE_UV, SENSOR_SUPPLY, 0, 0, 0, 0 },
	{ Q_SUPPLY_OVERLOAD, SENSOR_SUPPLY, 0, 0, 0, 0 },
	{ Q_SENSOR_FAN_RPM, SENSOR_FAN, 1, 0, 0, 0 },
	{ Q_FAN_SPEED_PPM, SENSOR_FAN, 0, 0, 0, 0 },
	{ Q_SENSOR_TEMP_MC, SENSOR_TEMP, MILLI, Q_SENSOR_TEMP_THRESHOLD_MC, 1,
	  2 },
	{ Q_SENSOR_VOLTAGE_UV, SENSOR_VOLTAGE, MICRO,
	  Q_SENSOR_VOLTAGE_THRESHOLD_UV, 1, 2 },
	{ Q_SENSOR_CURRENT_UA, SENSOR_CURRENT, MICRO,
	  Q_SENSOR_CURRENT_THRESHOLD_UA, 1, 2 },
};

static bool is_fresh(const struct state *s, uint32_t id, enum quantity q,
		     unsigned index, int64_t *ret)
{
	struct state_value v;

	if (!state_value(s, id, q, index, &v) || v.quality == QUALITY_STALE ||
	    v.quality == QUALITY_IMPLAUSIBLE)
		return false;
	*ret = v.value;
	return true;
}

static bool says(const struct state *s, uint32_t id, enum quantity q,
		 int64_t wanted)
{
	int64_t value;

	return is_fresh(s, id, q, 0, &value) && value == wanted;
}

static double limit_of(const struct state *s, uint32_t id, enum quantity q,
		       unsigned index, double scale)
{
	int64_t value;

	return q && is_fresh(s, id, q, index, &value) ?
	       (double)value * scale : NAN;
}

/* True when a quantity of it is read that tells its kind. */
static bool kind_read(const struct state *s, uint32_t id,
		      struct sensor_facts *facts, struct sensor_reading *ret)
{
	int64_t value;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!is_fresh(s, id, rows[i].value, 0, &value))
			continue;
		facts->kind = rows[i].kind;
		if (rows[i].scale > 0)
			ret->value = (double)value * rows[i].scale;
		ret->high = limit_of(s, id, rows[i].limits, rows[i].high,
				     rows[i].scale);
		ret->low = limit_of(s, id, rows[i].limits, rows[i].low,
				    rows[i].scale);
		return true;
	}
	return false;
}

bool sensor_reading_get(const struct state *s, const struct inventory_entity *e,
		  struct sensor_facts *facts, struct sensor_reading *ret)
{
	int64_t told;
	uint32_t id = e->id;
	bool has_state;

	if (!id || e->gone || e->key.kind != ENTITY_SENSOR)
		return false;
	memset(facts, 0, sizeof(*facts));
	*ret = (struct sensor_reading){ .value = NAN, .low = NAN, .high = NAN };
	facts->entity = id;
	(void)snprintf(facts->name, sizeof(facts->name), "%s",
		       inventory_shown(e));
	has_state = is_fresh(s, id, Q_SENSOR_PRESENT, 0, &told) ||
		    is_fresh(s, id, Q_SENSOR_WELL, 0, &told) ||
		    is_fresh(s, id, Q_SENSOR_WARNING, 0, &told);
	facts->kind = SENSOR_TEMP;
	if (!kind_read(s, id, facts, ret) && !has_state)
		return false;
	ret->absent = says(s, id, Q_SENSOR_PRESENT, 0);
	ret->failed = says(s, id, Q_SENSOR_WELL, 0) ||
		      says(s, id, Q_FAN_UNDER_SPEED, 1) ||
		      says(s, id, Q_SUPPLY_OVERLOAD, 1) ||
		      says(s, id, Q_LEAK_DETECTED, 1);
	ret->warns = says(s, id, Q_SENSOR_WARNING, 1);
	return true;
}
