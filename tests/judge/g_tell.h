/* What the switch's sources show of a port, and of its air. */
#pragma once

#include <stdbool.h>

struct world;
struct g_live;
struct world_reading;

/* Takes monitors that are due, and the reading of this tick. */
void g_tell_port(struct world *w, unsigned port, const struct g_live *l);
void g_tell_sensors(struct world *w);
/* False: there is none. */
bool g_tell_get(const struct world *w, unsigned port,
		struct world_reading *ret);
