/* What a module says of itself, and what the switch's sensors say. */
#pragma once

struct world;
struct b_port;

/* Takes the monitors of a port where it is their turn. */
void b_monitor_step(struct world *w, struct b_port *p);

/* The sensors' rows; then their values in each tick. */
void b_monitor_sensors_build(struct world *w);
void b_monitor_sensors_step(struct world *w);
