/* One sensor of the switch: whether it is bad, and what it usually shows, for a
 * fan that slows while the others do not, and for air that comes in warm.
 */
#pragma once

#include "agent/signature/inside.h"
#include "agent/signature/sensor.h"

struct kept;

/* What may be wrong with a sensor. */
enum sensor_wrong { SENSOR_FINE, SENSOR_MISSING, SENSOR_LOW, SENSOR_HIGH,
		    SENSOR_STANDS, SENSOR_FAILED, SENSOR_WARNS,
		    SENSOR_SLOW, SENSOR_WRONG_COUNT };

/* A sensor of the switch. */
struct sensor {
	struct sensor_facts facts;
	struct wide *air;		/* that it belongs to */
	uint16_t bad, good;		/* readings in a row */
	bool was_there, turned;		/* an empty bay is no fault, nor a fan
					 * that never turned */
	struct mono since;		/* bad; when it began */
	struct mono read;		/* last */
	double value;
	float usual, learned_s;		/* its value */
	enum sensor_wrong wrong;	/* when it was last bad */
};

/* A sensor of that name, and the air that it belongs to. Returns -ENOSPC,
 * -ENOMEM.
 */
int sensor_add(struct engine *e, const struct sensor_facts *facts,
	       uint32_t *ret_sensor);

/* A new reading of it. */
void sensor_take(struct engine *e, struct sensor *s,
		 const struct sensor_reading *r, struct mono now);

/* Bad in the last readings; one that is not read any more is not. */
bool sensor_is_bad(const struct engine *e, const struct sensor *s);

/* Such as "is missing". */
const char *sensor_wrong_words(enum sensor_wrong wrong);

/* The coolest temperature sensor of the air, NULL: of the switch. Air comes in
 * there, and no load warms it. Returns NULL when none was read for long.
 */
const struct sensor *sensor_of_inlet(const struct engine *e,
				     const struct wide *air);

/* Kelvin that it is above usual. */
static inline float sensor_above(const struct sensor *s)
{
	return (float)s->value - s->usual;
}

/* What is kept over a restart (kept.h). */
extern const struct kept sensor_kept;
