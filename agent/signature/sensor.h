/* What is known of a sensor of the switch, and what it shows. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/entity.h"

enum sensor_kind { SENSOR_FAN, SENSOR_TEMP, SENSOR_SUPPLY, SENSOR_VOLTAGE,
		   SENSOR_CURRENT, SENSOR_KIND_COUNT };

/* fan temp psu voltage current; NULL outside. */
const char *sensor_kind_name(enum sensor_kind kind);

struct sensor_facts {
	uint32_t entity;		/* id, 0 in a replay */
	char name[ENTITY_NAME_MAX];
	char zone[32];			/* of the air; empty: not known */
	enum sensor_kind kind;
};

/* rpm, degrees Celsius, V or A; NAN: not known. */
struct sensor_reading {
	double value, low, high;	/* its limits */
	/* What the platform says of it. */
	bool absent;			/* the part is not there */
	bool failed;			/* it does not work */
	bool warns;			/* it is beyond a limit */
};
