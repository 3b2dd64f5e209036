/* environment: a fan, a supply or the air of the switch, from the switch's own
 * sensors and from modules that warm together (wide.h).
 */
#pragma once

#include "agent/signature/inside.h"
#include "agent/signature/sensor.h"

struct kept;

/* What may be wrong with a sensor. */
enum sensor_wrong { SENSOR_FINE, SENSOR_MISSING, SENSOR_LOW, SENSOR_HIGH,
		    SENSOR_STANDS, SENSOR_FAILED, SENSOR_WARNS,
		    SENSOR_WRONG_COUNT };

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
	enum sensor_wrong wrong;	/* when it was last bad */
};

/* Returns -ENOSPC, -ENOMEM. */
int environment_sensor(struct engine *e, const struct sensor_facts *facts,
		       uint32_t *ret_sensor);
void environment_reading(struct engine *e, uint32_t sensor,
			 const struct sensor_reading *r, struct mono now);
/* The air of a finding's subject: a sensor, a zone or the switch; NULL: not
 * known.
 */
struct wide *environment_find(const struct engine *e, const char *subject);
/* The port belongs to the air that its facts name. Returns -ENOMEM. */
int environment_join(struct engine *e, struct engine_port *p);
void environment_free(struct engine *e);

/* Looks at all zones, after all readings. */
void environment_look(struct engine *e, struct mono now, struct wall wall);

extern const struct watched environment_watched;

/* What is kept over a restart (kept.h). */
extern const struct kept sensor_kept;
