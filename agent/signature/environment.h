/* environment: a fan, a supply or the air of the switch, from the switch's own
 * sensors and from modules that warm together (wide.h).
 */
#pragma once

#include "agent/signature/inside.h"
#include "agent/signature/sensor.h"

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
