/* Heat: the room, the module in its cage, the box. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "platform/sim/draw.h"

#define SENSOR_COUNT 10u

/* The room at a time, without faults. */
struct room {
	double mean_c, swing_k;
	double phase;		/* of the day at time 0, 0 to 1 */
	uint64_t wander;
};

/* The temperature of the air around the ports. */
double room_c(const struct room *r, double t_s);

/* A module's heat: it follows its load with a delay of minutes. */
struct warmth {
	double base_k, load_k;	/* above the room: idle, and added load */
	double delay_s;
	double settled;		/* load that the module has warmed up to */
};

/* Draws a module's heat; load is what it starts with. */
void warmth_draw(struct warmth *w, double load, uint64_t key);
/* Follows the load, a share of the line rate, for dt_s. */
void warmth_step(struct warmth *w, double load, double dt_s);
/* How much warmer than the room the module is. */
double warmth_k(const struct warmth *w);

/* Sensor n of the box: name, and temperature or speed; the other is NAN. air_c
 * includes faults; a fan fault also stops one fan.
 */
void sensor_state(unsigned n, double air_c, double load, bool fan_dead,
		  uint64_t key, char name[static 32], double *ret_temp_c,
		  double *ret_rpm);
