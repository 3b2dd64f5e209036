/* shared_component: what several ports share fails (wide.h). */
#pragma once

#include "agent/signature/inside.h"

/* Looks at all groups. Costs little while no port of them is hit. */
void shared_component_look(struct engine *e, struct mono now,
			   struct wall wall);

extern const struct watched shared_component_watched;
