/* Load and heat without chance: functions of time alone, so that what is true
 * can be asked of any moment.
 */
#pragma once

#include <stdint.h>
#include "platform/sim/draw.h"

/* The room, with a daily swing. */
struct a_room {
	double mean_c, swing_k, phase;
};

double a_room_c(const struct a_room *r, double t_s);

/* What a port carries, in phases of a job, and how that warms its module. */
struct a_heat {
	double low, high;	/* of the load, shares of the line rate */
	double phase_s, offset_s;
	double base_k, load_k;	/* above the room: idle, and by full load */
	double delay_s;		/* until the module follows its load */
	uint64_t key;
};

/* pace_s: time between two readings. */
void a_heat_draw(struct a_heat *h, double pace_s, struct draw *d);
double a_heat_load(const struct a_heat *h, double t_s);
/* Above the room. */
double a_heat_k(const struct a_heat *h, double t_s);
