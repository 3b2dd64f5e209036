/* What is read of a port in a tick, or is not. */
#pragma once

#include <stdbool.h>

struct world;
struct b_port;
struct world_reading;

/* Settles it, once a tick. */
void b_read_step(struct world *w, struct b_port *p);
/* False: nothing is read. */
bool b_read_get(const struct b_port *p, struct world_reading *ret);
