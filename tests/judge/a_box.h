/* Sensors of the switch: two fans and a thermometer in each zone, two
 * supplies.
 */
#pragma once

#include <stddef.h>
#include "tests/judge/a_deal.h"

#define A_SENSORS_MAX 64

struct a_box {
	size_t count;
	struct world_sensor sensor[A_SENSORS_MAX];
};

/* What the sensors are; a few switches have none that can be read. */
void a_box_init(struct a_box *b, const struct world_case *c,
		const struct a_port *port, const struct a_hand *hand);
/* A time, the room without what befalls it, and the noise. */
struct a_box_moment {
	int64_t now_ns;
	double room_c;
	struct draw *draw;
};

/* What they show now, of deeds that are under way. */
void a_box_read(struct a_box *b, const struct a_port *port,
		const struct a_deed *const *active, size_t count,
		const struct a_box_moment *now);
