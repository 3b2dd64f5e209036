/* What sources tell of the world: readings of ports and modules, and sensors.
 */
#pragma once

#include <stdbool.h>

struct world;
struct world_reading;

/* The modules' monitors that are due by now. */
void f_tell_monitors(struct world *w);
/* The reading of a port in this tick; false: there is none. */
bool f_tell_reading(struct world *w, unsigned port, struct world_reading *ret);
/* The sensors of the switch, by now. */
void f_tell_sensors(struct world *w);
